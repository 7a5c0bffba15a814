"""Lesson 15: a right answer, wrong answers with what the text must say, empty answers."""

WHERE = {"x * x": "gpu", "x.sum()": "gpu", "w * x": "gpu", "w * w": "cpu", "x.cpu()": "cpu",
         "x.sum().item()": "python"}
BYTES = {"x.cpu()": 4000, "x * 2": 0, "x.sum().item()": 4, "x.double().cpu()": 8000,
         "if x[0] > 0: ...": 1, "x.max()": 0}
PASS = {"nodes on the GPU": 5, "bytes": 8, "m.grad": "gpu"}

TABLE = {
    "15.1": (
        WHERE,
        [({**WHERE, "w * x": "cpu"}, "Case 3 of 6, w * x: Expected gpu, got cpu.")],
        [dict.fromkeys(WHERE), None],
    ),
    "15.2": (
        BYTES,
        [({**BYTES, "x.max()": 4}, "Case 6 of 6, x.max(): Expected 0, got 4")],
        [dict.fromkeys(BYTES)],
    ),
    "15.3": (
        PASS,
        [({**PASS, "bytes": 16}, "Case 2 of 3, bytes: Expected 8, got 16")],
        [dict.fromkeys(PASS)],
    ),
    "15.4": ([20, 1], [([20, 20], "Expected 1, got 20")], [None]),
}
