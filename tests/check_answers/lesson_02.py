"""Lesson 02: a right answer, wrong answers with what the text must say, empty answers."""

import math


def mul_rule(grad, a, b):
    return [grad * b, grad * a]


def tanh_rule(grad, a):
    return [grad * (1 - math.tanh(a) ** 2)]


PLACED = {"chain": 0, "diamond": 0, "ladder": 0}
REPLACED = {"d": 8.0, "a": 24.0, "b": 16.0}

TABLE = {
    "02.1": (
        mul_rule,
        [
            (lambda grad, a, b: [grad * a, 0.0], "mul_rule(1, 2, 3): Place 1 of 2: Expected 3"),
            (lambda grad, a, b: [b, a], "mul_rule(5, 2, 3): Place 1 of 2: Expected 15, got 3"),
            (lambda grad, a, b: grad * b, "Expected a list of 2 entries, got 3."),
        ],
        [None, lambda grad, a, b: None],
    ),
    "02.2": (
        tanh_rule,
        [
            (lambda grad, a: tanh_rule(grad, a)[0], "Expected a list of 1 entries, got 1."),
            (lambda grad, a: [grad * (1 - math.tanh(a))], "tanh_rule(3, 0.5): Place 1 of 1"),
            (lambda grad, a: [1 - math.tanh(a) ** 2], "tanh_rule(3, 0.5): Place 1 of 1"),
        ],
        [None, lambda grad, a: ...],
    ),
    "02.3": (
        PLACED,
        [
            ({**PLACED, "diamond": 1}, "Case 2 of 3, diamond: Expected 0, got 1"),
            ({"chain": 0, "diamond": 0}, "The case ladder is missing."),
        ],
        [dict.fromkeys(PLACED)],
    ),
    "02.4": (
        {"a": 16.0, "b": 0.0},
        [
            ({"a": 64.0, "b": 32.0}, "Case 1 of 2, a: Expected 16, got 64"),
            ({"a": 16.0, "b": 32.0}, "Case 2 of 2, b: Expected 0, got 32"),
        ],
        [{"a": None, "b": None}, {"a": 16.0, "b": None}],
    ),
    "02.5": (
        REPLACED,
        [
            ({**REPLACED, "d": 16.0}, "Case 1 of 3, d: Expected 8, got 16"),
            ({**REPLACED, "a": 8.0}, "Case 2 of 3, a: Expected 24, got 8"),
        ],
        [dict.fromkeys(REPLACED), None],
    ),
    "02.6": (
        [[1.5, -2.0], [1.5, -2.0]],
        [
            ([[1.5, -1.0], [1.5, -2.0]], "Place 2 of 2: Expected -2, got -1: off by 1."),
            ([[1.5], [1.5]], "Expected at least 2 entries, got 1."),
        ],
        [None],
    ),
}
