"""Lesson 07: a right answer, wrong answers with what the text must say, empty answers."""

AFTER = dict.fromkeys(("plain", "create, not retain", "grad"), "freed")
AFTER |= dict.fromkeys(("retain", "create", "grad, create"), "kept")
SECOND = dict.fromkeys(("x + x", "x - 1", "(x + x).sum()"), "runs")
SECOND |= dict.fromkeys(("x * x", "x.exp()", "x * 3"), "stops")
PARTLY = {
    "grad to a": ["freed", "kept"],
    "inputs=[b]": ["kept", "freed"],
    "failing": ["kept", "freed"],
}
REPAIRS = {"by_sum": [0.049, 8, 8], "by_retain": [0.049, 8, 12], "by_twice": [0.049, 12, 12]}
RUNS = {
    "retain, step 10": 32,
    "retain, together": 185,
    "detach, step 10": 5,
    "detach, together": 50,
}
STATES = ["kept", "freed", "nothing"]

TABLE = {
    "07.1": (
        AFTER,
        [
            ({**AFTER, "create": "freed"}, "Case 3 of 6, create: Expected kept, got freed."),
            ({**AFTER, "grad": "kept"}, "Case 5 of 6, grad: Expected freed, got kept."),
        ],
        [dict.fromkeys(AFTER), None],
    ),
    "07.2": (
        SECOND,
        [
            ({**SECOND, "x + x": "stops"}, "Case 1 of 6, x + x: Expected runs, got stops."),
            ({**SECOND, "x * 3": "runs"}, "Case 6 of 6, x * 3: Expected stops, got runs."),
        ],
        [dict.fromkeys(SECOND)],
    ),
    "07.3": (
        PARTLY,
        [
            ({**PARTLY, "grad to a": ["freed", "freed"]}, "Place 2 of 2: Expected kept"),
            ({**PARTLY, "failing": ["kept", "kept"]}, "failing: Place 2 of 2: Expected freed"),
        ],
        [{name: [None, None] for name in PARTLY}],
    ),
    "07.4": (
        REPAIRS,
        [
            ({**REPAIRS, "by_retain": [0.049, 8, 8]}, "by_retain: Place 3 of 3: Expected 12"),
            ({**REPAIRS, "by_sum": [0.12, 8, 8]}, "by_sum: Place 1 of 3: Expected 0.049, got 0.12"),
        ],
        [None, {}],
    ),
    "07.5": (
        RUNS,
        [
            ({**RUNS, "retain, step 10": 35}, "Case 1 of 4, retain, step 10: Expected 32, got 35"),
            ({**RUNS, "detach, together": 5}, "detach, together: Expected 50, got 5"),
        ],
        [dict.fromkeys(RUNS)],
    ),
    "07.6": (
        [STATES, STATES],
        [
            ([["kept", "kept", "nothing"], STATES], "Place 2 of 3: Expected freed, got kept."),
            ([STATES[:2], STATES[:2]], "Expected at least 3 entries, got 2."),
        ],
        [[None, STATES]],
    ),
}
