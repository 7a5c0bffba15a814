"""Arrays of another class than NumPy's that refuse to become NumPy's, as CuPy's do."""

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


def bare(x):
    """Ducks opened, also inside tuples, lists and keyword arguments."""
    if isinstance(x, Duck):
        return x.inside
    if isinstance(x, dict):
        return {k: bare(v) for k, v in x.items()}
    return type(x)(map(bare, x)) if isinstance(x, (tuple, list)) else x


def ducks(x):
    """Every array in a result, 0-dim scalars too, as a duck."""
    if isinstance(x, (np.ndarray, np.generic)):
        return Duck(x)
    return type(x)(map(ducks, x)) if isinstance(x, (tuple, list)) else x


class Duck(NDArrayOperatorsMixin):
    """An array that answers NumPy's protocols and methods, and raises on conversion to NumPy."""

    __array_priority__ = 100

    def __init__(self, inside):
        self.inside = np.asarray(inside)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ducks(getattr(ufunc, method)(*bare(inputs), **bare(kwargs)))

    def __array_function__(self, function, types, args, kwargs):
        return ducks(function(*bare(args), **bare(kwargs)))

    def __getattr__(self, name):
        if name.startswith("_"):                   # no back door: __array_interface__ and the like
            raise AttributeError(name)
        found = getattr(self.inside, name)
        if not callable(found):
            return ducks(found)
        return lambda *args, **kwargs: ducks(found(*bare(args), **bare(kwargs)))

    def __getitem__(self, index):
        return ducks(self.inside[bare(index)])

    def __setitem__(self, index, value):
        self.inside[bare(index)] = bare(value)

    def __bool__(self):
        return bool(self.inside)

    def __len__(self):
        return len(self.inside)
