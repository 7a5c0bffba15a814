"""Lesson 09: a right answer, wrong answers with what the text must say, empty answers."""

VERSIONS = [1, 2, 2, 0, 1, 2, 2]
WRITES = {
    "base[1:]": [1, True],
    "base.view(2, 2)": [1, True],
    "base.detach()": [1, True],
    "base.data": [0, True],
    "base.clone()": [0, False],
}
OUTCOME = dict.fromkeys(("after add", "after sin", "relu_", "between, sum"), "runs")
OUTCOME |= dict.fromkeys(("after exp", "between"), "stops")
GRADIENTS = {"scaled": [10, 1, 1], "overwritten": [0, 1, 1], "copied": [6, 1, 0]}
REPAIRED = {
    "first": [12.10734, [2.71828, 7.38906]],
    "second": [10.0, [3.0, 5.0]],
    "third": [70.0, [28.0, 56.0]],
}

TABLE = {
    "09.1": (
        VERSIONS,
        [
            ([1, 2, 2, 3, 4, 5, 5], "Place 4 of 7: Expected 0, got 3: off by 3."),
            ([1, 2, 3, 0, 1, 2, 2], "Place 3 of 7: Expected 2, got 3"),
        ],
        [[None] * 7, []],
    ),
    "09.2": (
        WRITES,
        [
            ({**WRITES, "base.data": [1, True]}, "base.data: Place 1 of 2: Expected 0, got 1"),
            ({**WRITES, "base.clone()": [0, True]}, "Place 2 of 2: Expected False, got True."),
        ],
        [{name: [None, None] for name in WRITES}],
    ),
    "09.3": (
        OUTCOME,
        [
            ({**OUTCOME, "after exp": "runs"}, "after exp: Expected stops, got runs."),
            ({**OUTCOME, "relu_": "stops"}, "relu_: Expected runs, got stops."),
        ],
        [dict.fromkeys(OUTCOME)],
    ),
    "09.4": (
        GRADIENTS,
        [
            ({**GRADIENTS, "overwritten": [7, 1, 1]}, "overwritten: Place 1 of 3: Expected 0"),
            ({**GRADIENTS, "copied": [5, 1, 0]}, "copied: Place 1 of 3: Expected 6, got 5"),
        ],
        [dict.fromkeys(GRADIENTS)],
    ),
    "09.5": (
        REPAIRED,
        [
            ({**REPAIRED, "third": "stops; the value is 70"}, "third: Expected a list of 2"),
            ({**REPAIRED, "second": [8.0, [2.0, 4.0]]}, "second: Place 1 of 2: Expected 10, got 8"),
        ],
        [None],
    ),
    "09.6": (
        [[2, "stops"], [2, "stops"]],
        [
            ([[1, "stops"], [2, "stops"]], "Place 1 of 2: Expected 2, got 1"),
            ([[2, "runs"], [2, "stops"]], "Place 2 of 2: Expected stops, got runs."),
        ],
        [[[None, None], [1, "stops"]]],
    ),
}
