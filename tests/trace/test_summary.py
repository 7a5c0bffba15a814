"""A SUMMARY is small, plain JSON, and its numbers read well."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodidact.trace.summary import blocks, flat, number, summarise
from autodidact.trace.svg_parts import digits_width, fitting


@pytest.mark.parametrize(
    "value, text",
    [
        (16.0, "16"),
        (0.0, "0"),
        (-0.5, "-0.5"),
        (1 / 3, "0.333333"),
        (1e-5, "1e-5"),
        (1e6, "1e6"),
        (123456.0, "123456"),
        (1234567.0, "1.23457e6"),
        (1e300, "1e300"),
        (2**63 - 1, "9223372036854775807"),
        (True, "True"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (1 + 2j, "1+2j"),
        (0.5 - 1e-7j, "0.5-1e-7j"),
        ("NaN", "nan"),
        ("-Infinity", "-inf"),
    ],
)
def test_number(value, text):
    assert number(value) == text


@given(st.floats())
def test_a_number_never_has_more_than_six_significant_digits(value):
    text = number(value)
    digits = text.lstrip("-").partition("e")[0].replace(".", "").lstrip("0")
    assert not math.isfinite(value) or len(digits) <= 6
    assert not math.isfinite(value) or math.isclose(float(text), value, rel_tol=1e-5, abs_tol=0)


@given(st.floats(-1e300, 1e300), st.integers(12, 80))
def test_a_chip_shows_as_many_digits_as_fit(value, room):
    text = fitting(number(value), room)
    one = fitting(number(value), 0)
    assert digits_width(text) <= room or text == one
    assert not math.isfinite(value) or math.isclose(float(text), value, rel_tol=0.6, abs_tol=1e-300)


@pytest.mark.parametrize(
    "shape", [(), (1,), (5,), (2, 3), (64,), (2, 2, 2), (0,), (3, 0), (65,), (40, 50)]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
def test_summary_of_an_array(shape, dtype):
    array = (np.arange(math.prod(shape)).reshape(shape) - 3).astype(dtype)
    made = summarise(array.tolist(), shape, dtype)
    json.dumps(made, allow_nan=False)
    assert made["shape"] == list(shape)
    assert made["label"] == ("value" if array.size <= 1 else "norm")
    assert (made["values"] is not None) == (array.size <= 64)
    if array.size and dtype != "complex128":
        assert made["min"] == array.min().item()
        assert made["max"] == array.max().item()
        assert made["mean"] == pytest.approx(array.mean())
    if array.size:
        assert made["norm"] == pytest.approx(np.linalg.norm(array.astype("complex128").ravel()))
        assert len(made["heat"]) <= 16
        assert all(len(row) <= 16 for row in made["heat"])


def test_the_heat_map_shows_the_largest_of_each_block():
    array = np.zeros((40, 50))
    array[39, 0], array[0, 49] = -7.0, 3.0
    heat = summarise(array.tolist(), array.shape, "float64")["heat"]
    assert heat[15][0] == -7.0
    assert heat[0][15] == 3.0
    assert sum(x != 0 for row in heat for x in row) == 2


def test_what_is_not_finite_travels_as_text():
    made = summarise([math.nan, math.inf, 1.0], (3,), "float64")
    assert made["values"] == ["NaN", "Infinity", 1.0]
    assert made["norm"] == "NaN"
    assert summarise([math.inf, 1.0], (2,), "float64")["text"] == "inf"
    assert summarise(math.nan, (), "float64")["text"] == "nan"


def test_norm_neither_overflows_nor_vanishes():
    assert summarise([3e200, 4e200], (2,), "float64")["text"] == "5e200"
    assert summarise([3e-200, 4e-200], (2,), "float64")["text"] == "5e-200"


@given(st.integers(0, 100), st.integers(1, 20))
def test_blocks_cover_everything_once(length, most):
    spans = blocks(length, most)
    assert [i for span in spans for i in range(*span)] == list(range(length))
    assert len(spans) <= most


def test_flat_goes_as_deep_as_it_must():
    nested = 1.0
    for _ in range(5000):
        nested = [nested]
    assert flat(nested) == [1.0]
