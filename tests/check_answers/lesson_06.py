"""Lesson 06: a right answer, wrong answers with what the text must say, empty answers."""

SAVES = dict.fromkeys(("x + x", "x.sum()", "x.reshape(3, 1)", "x.clone()"), "nothing")
SAVES |= dict.fromkeys(("x * x", "x ** 2", "x.log()", "x.sin()"), "input")
SAVES |= dict.fromkeys(("x.exp()", "x.sqrt()", "x.tanh()", "x.relu()"), "output")
BYTES = {"x": 25600, "a": 0, "h": 12800, "out": 4000}
TOTALS = {"200 rows": 84800, "frozen": 16800, "no_grad": 0, "detached": 16800}
LEANER = {"bytes": 28000, "y[999]": 0.731059, "h.grad[999]": 0.927671}
LIGHT = {"losses": [0.4096, 1.6384, 3.6864, 6.5536, 10.24], "bytes": 0}

TABLE = {
    "06.1": (
        SAVES,
        [
            ({**SAVES, "x.relu()": "input"}, "x.relu(): Expected output, got input."),
            ({**SAVES, "x + x": "input"}, "Case 1 of 12, x + x: Expected nothing, got input."),
        ],
        [dict.fromkeys(SAVES), None],
    ),
    "06.2": (
        BYTES,
        [
            ({**BYTES, "a": 12800}, "Case 2 of 4, a: Expected 0, got 12800: off by 12800."),
            ({**BYTES, "out": 8000}, "Case 4 of 4, out: Expected 4000, got 8000"),
        ],
        [dict.fromkeys(BYTES)],
    ),
    "06.3": (
        TOTALS,
        [
            ({**TOTALS, "frozen": 42400}, "Case 2 of 4, frozen: Expected 16800, got 42400"),
            ({**TOTALS, "detached": 25600}, "detached: Expected 16800, got 25600"),
        ],
        [dict.fromkeys(TOTALS)],
    ),
    "06.4": (
        LEANER,
        [
            ({**LEANER, "bytes": 60000}, "bytes: Expected 28000, got 60000: off by 32000."),
            ({**LEANER, "y[999]": 1.0}, "y[999]: Expected 0.731059, got 1"),
        ],
        [None],
    ),
    "06.5": (
        LIGHT,
        [
            ({**LIGHT, "bytes": 148000}, "Case 2 of 2, bytes: Expected 0, got 148000"),
            ({**LIGHT, "losses": LIGHT["losses"][:4]}, "losses: Expected 5 entries, got 4."),
        ],
        [None],
    ),
    "06.6": (
        [12000, 12000],
        [([16000, 12000], "Expected 12000, got 16000: off by 4000."), (12000, "two entries")],
        [[None, 12000]],
    ),
}
