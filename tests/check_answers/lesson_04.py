"""Lesson 04: a right answer, wrong answers with what the text must say, empty answers."""

ORDER_A, ORDER_B = ["total", "q", "b", "p", "a"], ["total", "p", "a", "q", "b"]
QUIZ = {
    "three": "stops",
    "one by one": "runs",
    "none at all": "stops",
    "constant": "stops",
    "extra axis": "stops",
    "integers": "runs",
    "complex": "stops",
}

TABLE = {
    "04.1": (
        {"d": 2, "c": 1, "a": 2, "b": 1},
        [({"d": 1, "c": 1, "a": 2, "b": 1}, "Case 1 of 4, d: Expected 2, got 1")],
        [{"d": None, "c": None, "a": None, "b": None}],
    ),
    "04.2": (
        ["L", "d", "c", "a", "b"],
        [
            (["L", "d", "a", "c", "b"], "Place 3 of 5: Expected c, got a."),
            (["L", "d", "c", "a"], "Expected 5 entries, got 4."),
            ("L", "Expected a list of 5 entries, got L."),
        ],
        [["L", None, None, None, None], []],
    ),
    "04.3": (
        [ORDER_A, ORDER_B],
        [
            ([ORDER_A, ORDER_A], "Expected two different orders"),
            ([ORDER_A, ["total", "p", "a"]], "Expected the same names in both lists"),
            ([1.0, 2.0], "Expected two lists of names"),
        ],
        [None, [ORDER_A, None]],
    ),
    "04.4": (
        ["s1", "x", "m1", "u"],
        [(["s1", "m1", "x", "u"], "Place 2 of 4: Expected x, got m1.")],
        [[None] * 4],
    ),
    "04.5": (
        QUIZ,
        [({**QUIZ, "integers": "stops"}, "Case 6 of 7, integers: Expected runs, got stops.")],
        [dict.fromkeys(QUIZ), None],
    ),
    "04.6": (
        [[*"Lrqpab"], [*"Lrqpab"]],
        [
            ([[*"Lqrpab"], [*"Lrqpab"]], "Place 2 of 6: Expected r, got q."),
            ([ORDER_A, ORDER_A], "Expected at least 6 entries, got 5."),
            ([1.0, 1.0], "Expected two lists of names"),
        ],
        [[None, ORDER_A]],
    ),
}
