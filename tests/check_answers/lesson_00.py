"""Lesson 00: a right answer, wrong answers with what the text must say, empty answers."""


def eight_times(value):
    return 8 * value


def stops(value):
    raise ZeroDivisionError("as asked")


TABLE = {
    "00.1": (32.0, [(16.0, "Expected 32, got 16: off by 16."), ("32", "no number")], [None, ...]),
    "00.2": (64.0, [(8, "Expected 64, got 8: off by 56."), ([64.0], "no number")], [None, "", " "]),
    "00.3": (
        {"u": 15.0, "w": 6.0},
        [
            ({"u": 6.0, "w": 15.0}, "Case 1 of 2, u: Expected 15, got 6"),
            ({"u": 15.0, "w": 5.0}, "Case 2 of 2, w: Expected 6, got 5"),
            ({"u": 15.0}, "The case w is missing."),
            ([15.0, 6.0], "Expected a dict with the names u, w"),
        ],
        [None, {}, {"u": None, "w": None}, {"u": 15.0, "w": None}],
    ),
    "00.4": (
        eight_times,
        [
            (lambda value: 64.0, "slope(1): Expected 8, got 64"),
            (lambda value: 8 * abs(value), "slope(-3): Expected -24, got 24"),
            (lambda value: eight_times(value) or None, "slope(0) returned None."),
            (stops, "slope(8) stopped with ZeroDivisionError: as asked"),
            (lambda: 64.0, "slope(8) stopped with TypeError"),
            (64.0, "Expected a function, got 64."),
        ],
        [None, lambda value: None],
    ),
    "00.5": (
        [71.0, 71.0],
        [([70.0, 71.0], "Expected 71, got 70: off by 1."), (71.0, "a list of two entries")],
        [None, [None, 71.0], [71.0, None]],
    ),
}
