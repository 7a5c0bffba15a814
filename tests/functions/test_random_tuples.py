"""The same seed gives PyTorch's numbers, for thousands of (function, dtype, size, seed)."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import autodidact as ad
from tests.functions.random_tuples import CASES, RECORDED, SEEDS, SIZES, TUPLES, distance, drawn

ANSWERS = json.loads(Path(__file__).with_name("random_tuples.json").read_text())
each_case = pytest.mark.parametrize(("function", "dtype"), CASES,
                                    ids=[f"{f.code}-{dtype}" for f, dtype in CASES])


def test_there_are_more_than_a_thousand():
    assert len(set(TUPLES)) == len(TUPLES) >= 1000


@each_case
def test_numbers_are_torchs(function, dtype, oracle):
    for size, seed in product(SIZES, SEEDS):
        ours = drawn(ad, function, dtype, size, seed)
        theirs = drawn(oracle, function, dtype, size, seed)
        assert distance(ours, theirs, function.exact) <= 1, (size, seed, ours, theirs)


@each_case
def test_recorded_numbers(function, dtype):
    for size, seed in RECORDED:
        ours = drawn(ad, function, dtype, size, seed)
        recorded = np.array(ANSWERS[f"{function.code} {dtype} {size}"],
                            ours.real.dtype).view(ours.dtype).reshape(ours.shape)
        assert distance(ours, recorded, function.exact) <= 1
