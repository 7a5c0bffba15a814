"""Lesson 03: a right answer, wrong answers with what the text must say, empty answers."""


def shrink(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis, keepdim=True)
    return grad


def only_added_axes(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    return grad


def matmul_rule(grad, x, W):
    return [grad @ W.T, x.T @ grad]


def mean_rule(grad, x):
    return grad.expand(x.shape) / x.shape[0]


USED = dict(zip((f"p{i}" for i in range(1, 11)), (1, 2, 5, 24, 6, 6, 4, 5, 21, 24), strict=True))

TABLE = {
    "03.1": (
        [13.0, 24.0],
        [([30.0, 7.0], "Place 1 of 2: Expected 13, got 30"), (13.0, "a list of 2 entries, got 13")],
        [[None, None], None],
    ),
    "03.2": (
        shrink,
        [
            (lambda grad, shape: grad, "shrink([[10, 20], [3, 4]], [2]): Place 1 of 2"),
            (only_added_axes, "shrink([[1, 2, 3], [4, 5, 6]], [2, 1]): Place 1 of 2"),
            (lambda grad, shape: grad.sum(), "Expected a list of 2 entries, got 37."),
        ],
        [None, lambda grad, shape: None],
    ),
    "03.3": (
        USED,
        [
            ({**USED, "p7": 6}, "Case 7 of 10, p7: Expected 4, got 6"),
            ({**USED, "p10": 9}, "Case 10 of 10, p10: Expected 24, got 9"),
        ],
        [dict.fromkeys(USED), {**USED, "p3": None}],
    ),
    "03.4": (
        matmul_rule,
        [
            (lambda grad, x, W: [W @ grad.T, x], "Place 1 of 2: Expected 2 entries, got 3."),
            (lambda grad, x, W: [grad @ W.T, grad], "Place 2 of 2: Expected 3 entries, got 2."),
            (lambda grad, x, W: [grad @ W, x @ grad], "stopped with RuntimeError"),
        ],
        [None, lambda grad, x, W: None],
    ),
    "03.5": (
        mean_rule,
        [
            (lambda grad, x: grad.expand(x.shape), "mean_rule([4, 8], [[1, 2], [3, 4]])"),
            (lambda grad, x: grad / x.shape[0], "Expected a list of 2 entries, got 2."),
            (lambda grad, x: grad.expand(x.shape) / 2, "mean_rule([6], [[1], [2], [3]])"),
        ],
        [None, lambda grad, x: ...],
    ),
    "03.6": (
        [[1.5, -0.5], [1.5, -0.5]],
        [([[3.0, -0.5], [1.5, -0.5]], "Place 1 of 2: Expected 1.5, got 3: off by 1.5.")],
        [[[None, None], [1.5, -0.5]]],
    ),
}
