"""Lesson 08: a right answer, wrong answers with what the text must say, empty answers."""

EXAMPLE = {"d": 18, "node": "FuncBackward", "a.grad": 10, "b.grad": 9}
LOGS = [-2.302585, -2.302585, -0.693147, 0.693147]
CLIPPED = {"values": LOGS, "gradients": [0.0, 0.0, 2.0, 5.0]}
RULES = {
    "twice": "last wins",
    "in backward": "ignored",
    "a number": "error",
    "None": "works",
    "setup_context": "works",
    "one too few": "error",
}
WAYS = {
    "ctx.x = x": ["silent", "gone"],
    "ctx.out = out": ["silent", "stays"],
    "save_for_backward(x)": ["noticed", "gone"],
    "save_for_backward(out)": ["noticed", "gone"],
}
TRIED = {"at 0.5": True, "at the culprit": False}

TABLE = {
    "08.1": (
        EXAMPLE,
        [
            ({**EXAMPLE, "node": "FuncBackward0"}, "node: Expected FuncBackward, got"),
            ({**EXAMPLE, "a.grad": 2}, "Case 3 of 4, a.grad: Expected 10, got 2: off by 8."),
        ],
        [None, {**EXAMPLE, "d": None}],
    ),
    "08.2": (
        CLIPPED,
        [
            ({**CLIPPED, "gradients": [0, float("nan"), 2, 5]}, "Place 2 of 4: Expected 0, got"),
            ({**CLIPPED, "gradients": [0, 0, 2, 0.5]}, "Place 4 of 4: Expected 5, got 0.5"),
        ],
        [None],
    ),
    "08.3": (
        RULES,
        [
            ({**RULES, "twice": "error"}, "Case 1 of 6, twice: Expected last wins, got error."),
            ({**RULES, "None": "error"}, "Case 4 of 6, None: Expected works, got error."),
        ],
        [dict.fromkeys(RULES)],
    ),
    "08.4": (
        WAYS,
        [
            ({**WAYS, "ctx.out = out": ["silent", "gone"]}, "Place 2 of 2: Expected stays"),
            ({**WAYS, "ctx.x = x": ["noticed", "gone"]}, "Place 1 of 2: Expected silent"),
        ],
        [{way: [None, None] for way in WAYS}],
    ),
    "08.5": (
        TRIED,
        [({**TRIED, "at the culprit": True}, "at the culprit: Expected False, got True.")],
        [{**TRIED, "at the culprit": None}],
    ),
    "08.6": (
        [[12.0, True], [12.0, True]],
        [
            ([[6.0, True], [12.0, True]], "Place 1 of 2: Expected 12, got 6: off by 6."),
            ([[12.0, True], [12.0, False]], "Place 2 of 2: Expected False, got True."),
        ],
        [[[None, True], [12.0, True]]],
    ),
}
