"""Lesson 18: a right answer, wrong answers with what the text must say, empty answers."""

ORDER = ["out.bias", "out.weight", "hidden.bias", "hidden.weight"]
CLUE = {"node": "TanhBackward0", "saved": 0, "now": 1, "parameters": 2}
GRADIENTS = {
    "inner.weight": [[7.0, -19.0], [-316.0, 282.0]],
    "inner.bias": [-3.0, -2.0],
    "outer.weight": [[-324.0, 1626.0]],
    "outer.bias": [123.0],
}
WITHOUT_RESIDUE = {**GRADIENTS, "outer.weight": [[-0.1, 0.2]]}
STOPPED = {**GRADIENTS, "inner.weight": None, "inner.bias": None}
CULPRITS = {"made the NaN": "MulBackward0", "made the infinity": "SqrtBackward0"}
SAFE = {"loss": 0.5237, "gradient": [[-1109, 739], [-1010, 673]]}

TABLE = {
    "18.1": (
        ORDER,
        [
            (["out.weight", "out.bias", *ORDER[2:]], "Expected out.bias, got out.weight"),
            (ORDER[::-1], "Place 1 of 4"),
        ],
        [[None] * 4, None, []],
    ),
    "18.2": (
        CLUE,
        [
            ({**CLUE, "node": "AddBackward0"}, "Expected TanhBackward0, got AddBackward0"),
            ({**CLUE, "parameters": 4}, "Case 4 of 4, parameters: Expected 2, got 4"),
        ],
        [dict.fromkeys(CLUE), {**CLUE, "now": None}],
    ),
    "18.3": (
        GRADIENTS,
        [(WITHOUT_RESIDUE, "Case 3 of 4, outer.weight: Place 1")],
        [STOPPED, None],
    ),
    "18.4": (
        CULPRITS,
        [({**CULPRITS, "made the infinity": "SumBackward1"}, "Expected SqrtBackward0")],
        [dict.fromkeys(CULPRITS)],
    ),
    "18.5": (
        SAFE,
        [({**SAFE, "loss": 0.6}, "Case 1 of 2, loss: Expected 0.5237, got 0.6")],
        [{"loss": 0.5237, "gradient": None}],
    ),
    "18.6": (
        ["2.weight", "2.weight"],
        [(["0.weight", "2.weight"], "Expected 2.weight, got 0.weight.")],
        [[None, "2.weight"], [None, None], ["2.weight", None]],
    ),
}
