"""Lesson 05: a right answer, wrong answers with what the text must say, empty answers."""

XS = (0.0, 1.0, 2.0, 3.0)
PILE = {"first": 4, "second": 8, "after None": 4, "after zero_": 4}
TENSOR_IS = dict.fromkeys(("nothing", "zero_"), "same")
TENSOR_IS |= dict.fromkeys(("None", "zero_grad", "create_graph"), "new")
STRIDES = {"transposed": [1, 3], "every other": [1], "expanded": [3, 1], "grad was there": [1, 4]}


def descent(*, clear_b):
    """The loop of 05.3 in plain Python, with b cleared or not."""

    def fit(steps):
        w = b = pile = 0.0
        for _ in range(steps):
            off = [w * x + b - (3 * x + 1) for x in XS]
            pile = sum(off) / 2 + (0.0 if clear_b else pile)
            w -= 0.05 * sum(d * x for d, x in zip(off, XS, strict=True)) / 2
            b -= 0.05 * pile
        return [w, b]

    return fit


def slope_in_parts(*, divide_by):
    """The micro-batches of 05.4 at w = 0, each part divided by its own or the whole's length."""

    def in_parts(size):
        parts = [XS[start : start + size] for start in range(0, 4, size)]
        return sum(sum(2 * x * (0 - 3 * x) for x in part) / divide_by(part) for part in parts)

    return in_parts


TABLE = {
    "05.1": (
        PILE,
        [
            ({**PILE, "second": 4}, "Case 2 of 4, second: Expected 8, got 4: off by 4."),
            ({**PILE, "after zero_": 12}, "Case 4 of 4, after zero_: Expected 4, got 12"),
            ([4, 8, 4, 4], "Expected a dict with the names first, second"),
        ],
        [None, {**PILE, "second": None}],
    ),
    "05.2": (
        TENSOR_IS,
        [
            ({**TENSOR_IS, "zero_grad": "same"}, "zero_grad: Expected new, got same."),
            ({**TENSOR_IS, "create_graph": "same"}, "create_graph: Expected new, got same."),
        ],
        [dict.fromkeys(TENSOR_IS)],
    ),
    "05.3": (
        descent(clear_b=True),
        [
            (descent(clear_b=False), "fit(2): Place 2 of 2: Expected 0.865, got 1.415"),
            (descent(clear_b=True)(10), "Expected a function, got ["),
        ],
        [None, lambda steps: None],
    ),
    "05.4": (
        slope_in_parts(divide_by=lambda part: 4),
        [
            (slope_in_parts(divide_by=len), "in_parts(2): Expected -21, got -42"),
            (lambda size: -42 / 4 * min(size, 2), "in_parts(1): Expected -21, got -10.5"),
        ],
        [None, lambda size: None],
    ),
    "05.5": (
        STRIDES,
        [
            ({**STRIDES, "every other": [2]}, "every other: Place 1 of 1: Expected 1, got 2"),
            ({**STRIDES, "expanded": [0, 1]}, "expanded: Place 1 of 2: Expected 3, got 0"),
            ({**STRIDES, "transposed": 1}, "transposed: Expected a list of 2 entries, got 1."),
        ],
        [dict.fromkeys(STRIDES), None],
    ),
    "05.6": (
        [[11.75, 11.75], [11.75, 11.75]],
        [
            ([[12.0, 12.0], [11.75, 11.75]], "Place 1 of 2: Expected 11.75, got 12"),
            (11.75, "a list of two entries"),
        ],
        [[[None, None], [9.0, 9.0]]],
    ),
}
