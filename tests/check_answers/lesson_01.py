"""Lesson 01: a right answer, wrong answers with what the text must say, empty answers."""


def divide(a, b):
    return a[0] / b[0], (a[1] * b[0] - a[0] * b[1]) / b[0] ** 2


def turned(a, b):
    return a[0] / b[0], (a[0] * b[1] - a[1] * b[0]) / b[0] ** 2


CALLS = {"differences": 101, "central": 200, "duals": 100, "backward": 1}
FOUND = [6, 5, 1, "by_differences"]

TABLE = {
    "01.1": (
        25.91,
        [(25, "Expected 25.91, got 25: off by 0.91."), (2.591, "got 2.591")],
        [None],
    ),
    "01.2": (
        1e-8,
        [
            (1e-15, "Expected a number from 1e-09 to 1e-07, got 1e-15."),
            ("small", "got small."),
            (float("nan"), "got nan."),
        ],
        [None, ...],
    ),
    "01.3": (
        divide,
        [
            (turned, "divide([6, 1], [2, 0]): Place 2 of 2: Expected 0.5, got -0.5"),
            (lambda a, b: (a[0] / b[0], a[1] / b[1]), "stopped with ZeroDivisionError"),
            (lambda a, b: a[0] / b[0], "Expected a list of 2 entries, got 3."),
            (divide((6.0, 1.0), (2.0, 0.0)), "Expected a function"),
        ],
        [None, lambda a, b: None],
    ),
    "01.4": (
        {"p": 9.0, "q": -2.0, "s": 9.0},
        [
            ({"p": 9.0, "q": 2.0, "s": 9.0}, "Case 2 of 3, q: Expected -2, got 2"),
            ({"p": 9.0, "q": -2.0, "s": 18.0}, "Case 3 of 3, s: Expected 9, got 18"),
        ],
        [None, {"p": None, "q": None, "s": None}, {"p": 9.0, "q": -2.0, "s": None}],
    ),
    "01.5": (
        CALLS,
        [({**CALLS, "differences": 100}, "Case 1 of 4, differences: Expected 101, got 100")],
        [dict.fromkeys(CALLS), {}],
    ),
    "01.6": (
        [FOUND, FOUND],
        [
            ([[5, 5, 1, "by_differences"], FOUND], "Place 1 of 4: Expected 6, got 5"),
            ([[6, 5, 1, "by_duals"], FOUND], "Expected by_differences, got by_duals."),
        ],
        [[[None] * 4, FOUND], None],
    ),
}
