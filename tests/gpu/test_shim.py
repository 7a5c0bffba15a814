"""What `arrays/cupy.py` does in CuPy's stead, tried with NumPy standing in for CuPy."""

import numpy as np
import pytest

from autodidact.arrays.cupy import LACKING, OTHERWISE, home_of, name_of
from tests.gpu.strict import API

X = np.random.default_rng(0).normal(size=(3, 5, 4))
ACCUMULATED = [key for key in OTHERWISE if key[1] == "accumulate"]
REDUCED = [key for key in OTHERWISE if key[1] == "reduce"]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("key", ACCUMULATED, ids=str)
def test_running(key, axis):
    np.testing.assert_allclose(OTHERWISE[key](np, X, axis=axis), key[0].accumulate(X, axis=axis),
                               rtol=1e-13)


@pytest.mark.parametrize("keepdims", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("key", REDUCED, ids=str)
def test_reduced(key, axis, keepdims):
    array = X > 0 if key[0] in (np.logical_and, np.logical_or) else X
    np.testing.assert_allclose(OTHERWISE[key](np, array, axis=axis, keepdims=keepdims),
                               key[0].reduce(array, axis=axis, keepdims=keepdims), rtol=1e-13)


def test_reduced_without_a_finite_entry():
    infinite = np.full((2, 3), -np.inf)
    found = OTHERWISE[np.logaddexp, "reduce"](np, infinite, axis=1)
    np.testing.assert_array_equal(found, np.logaddexp.reduce(infinite, axis=1))


def test_products_at_repeated_places():
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(size=(2, 4)), None
    theirs = ours.copy()
    places = (np.arange(2)[:, None], rng.integers(-4, 4, (2, 9)))
    values = rng.normal(size=(2, 9))
    OTHERWISE[np.multiply, "at"](np, ours, places, values)
    np.multiply.at(theirs, places, values)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_what_cupy_lacks_it_lacks():
    assert not LACKING & set(API["modules"]["cupyx.scipy.special"])
    for ufunc, method in OTHERWISE:
        assert method not in API["ufuncs"].get(ufunc.__name__, ())


def test_functions_are_found_by_name():
    special = pytest.importorskip("scipy.special")
    assert home_of(np.sin) == home_of(np.where) == "cupy"
    assert home_of(np.linalg.inv) == "cupy.linalg" and home_of(np.fft.fft) == "cupy.fft"
    assert home_of(special.erf) == "cupyx.scipy.special" and name_of(np.linalg.inv) == "inv"
