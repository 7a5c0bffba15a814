"""dtype: PyTorch's names for the kinds of numbers an array can hold.

A `dtype` is one object per kind (so `x.dtype is torch.float32` is the test), printed as
`torch.float32` is printed by PyTorch. NumPy's own dtype is its `numpy` attribute; `of` goes back.

Example:
    >>> float32.itemsize, float32.is_floating_point
    (4, True)
    >>> of(np.dtype(np.int64))
    torch.int64
"""

import numpy as np

__all__ = [
    "BFLOAT16", "bfloat16", "bool_", "check_given", "complex64", "complex128", "dtype", "finfo",
    "float16", "float32", "float64", "get_default_dtype", "iinfo", "int8", "int16", "int32",
    "int64", "of", "set_default_dtype", "uint8",
]


class dtype:
    """One kind of number; compare with `is`.

    Attributes:
        name: PyTorch's name without the prefix, e.g. "float32".
        numpy: the NumPy dtype that holds it.
        itemsize: bytes of one element.
        is_floating_point: float16, bfloat16, float32, float64.
        is_complex: complex64, complex128.
        is_signed: False for bool and uint8.
        category: 0 bool, 1 integer, 2 floating, 3 complex; promotion compares categories first.
    """

    __slots__ = ("category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name",
                 "numpy")

    def __init__(self, name: str, numpy: type) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind == "f"
        self.is_complex = self.numpy.kind == "c"
        self.is_signed = self.numpy.kind not in "bu"
        self.category = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[self.numpy.kind]

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return _ATTRIBUTE[self.name]

    def to_real(self) -> "dtype":
        """The dtype of the real part: float32 for complex64; itself when real."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def to_complex(self) -> "dtype":
        """The complex dtype with this one as real part."""
        return {"float32": complex64, "float64": complex128, "float16": complex64,
                "bfloat16": complex64}.get(self.name, self)


bool_ = dtype("bool", np.bool_)
uint8 = dtype("uint8", np.uint8)
int8 = dtype("int8", np.int8)
int16 = dtype("int16", np.int16)
int32 = dtype("int32", np.int32)
int64 = dtype("int64", np.int64)
float16 = dtype("float16", np.float16)
float32 = dtype("float32", np.float32)
float64 = dtype("float64", np.float64)
complex64 = dtype("complex64", np.complex64)
complex128 = dtype("complex128", np.complex128)

# bfloat16 is a float32 without its last 16 bits. NumPy has no such dtype, and the one of ml_dtypes
# says of itself that it is no number (kind "V"). So this one stands for it, as `meta.py` and
# `gpu.py` have dtypes of their own: float32 in the foreign byte order. It is of kind "f", equal to
# no other tensor's, and never the dtype of anything computed. The numbers are a `BFloat16Array`
# (`arrays/bfloat16.py`), which is loaded with the first of them.
BFLOAT16 = np.dtype(np.float32).newbyteorder()
bfloat16 = dtype("bfloat16", BFLOAT16)
bfloat16.itemsize = 2

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
ALIASES = {
    "half": float16, "float": float32, "double": float64, "cfloat": complex64,
    "cdouble": complex128, "short": int16, "int": int32, "long": int64,
}
_ATTRIBUTE = {d.name: "bool_" if d.name == "bool" else d.name for d in (*ALL, bfloat16)}
BY_NAME = {d.name: d for d in (*ALL, bfloat16)}
_BY_NUMPY = {d.numpy: d for d in (*ALL, bfloat16)}
_BY_PYTHON = {bool: bool_, int: int64, complex: complex64}


def of(numpy_dtype: np.dtype) -> dtype:
    """PyTorch's dtype for NumPy's; TypeError for one that PyTorch does not have."""
    found = _BY_NUMPY.get(numpy_dtype)
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type {numpy_dtype}. Supported types are: "
            f"{', '.join(d.name for d in ALL)}")
    return found


def check_given(numpy_dtype: np.dtype) -> None:
    """Refuse the dtype of somebody's array that no tensor can have.

    Raises:
        TypeError: one that PyTorch does not have. ValueError: the other byte order.
    """
    if not numpy_dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. "
                         "Conversion between byte orders is currently not supported.")
    of(numpy_dtype)


def to_numpy(kind: "dtype | type") -> np.dtype:
    """NumPy's dtype for ours, or for Python's bool, int, float, complex as PyTorch reads them."""
    if type(kind) is dtype:
        return kind.numpy
    if kind is float:
        return _default[0].numpy
    if kind in _BY_PYTHON:
        return _BY_PYTHON[kind].numpy
    raise TypeError(f"dtype must be a torch.dtype, got {kind!r} of type {type(kind).__name__}")


_default = [float32]


def get_default_dtype() -> dtype:
    """The floating dtype that factories use when none is given; float32 at the start."""
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Set the floating dtype that factories use; TypeError for anything but a floating dtype."""
    if type(d) is not dtype or not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {d!r}")
    _default[0] = d


class finfo:
    """Limits of a floating dtype: bits, eps, max, min, tiny, smallest_normal, resolution."""

    def __init__(self, d: dtype | None = None) -> None:
        d = d or get_default_dtype()
        if not (d.is_floating_point or d.is_complex):
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo "
                            f"to handle '{d.name}'")
        self.dtype = d.to_real().name
        if d is bfloat16:
            self.bits, self.eps, self.max, self.resolution = 16, 2.0**-7, 2.0**128 - 2.0**120, 0.01
            self.min, self.tiny, self.smallest_normal = -self.max, 2.0**-126, 2.0**-126
            return
        info = np.finfo(d.numpy)
        self.bits = info.bits
        for name in ("eps", "max", "min", "tiny", "smallest_normal"):
            setattr(self, name, float(getattr(info, name)))
        self.resolution = 10.0 ** -info.precision

    def __repr__(self) -> str:
        return _limits(self, "resolution", "min", "max", "eps", "smallest_normal", "tiny")


class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    def __init__(self, d: dtype) -> None:
        if d.category != 1:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to "
                            f"handle '{d.name}'")
        info = np.iinfo(d.numpy)
        self.bits, self.max, self.min, self.dtype = info.bits, info.max, info.min, d.name

    def __repr__(self) -> str:
        return _limits(self, "min", "max")


def _limits(info: finfo | iinfo, *names: str) -> str:
    """The text of `finfo` and `iinfo`."""
    numbers = ", ".join(f"{name}={getattr(info, name):g}" for name in names)
    return f"{type(info).__name__}({numbers}, dtype={info.dtype})"
