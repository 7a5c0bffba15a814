"""Tensors from nothing: from Python numbers, from NumPy, filled with a value or a sequence."""

import math
from functools import reduce
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodidact.arrays import device as devices
from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import cast, number, stored
from autodidact.arrays.device import CPU
from autodidact.arrays.foreign import ForeignArray, as_array, plain_dtype
from autodidact.arrays.place import make_on, put
from autodidact.arrays.promotion import promote_types
from autodidact.autograd.grad_mode import mode
from autodidact.levels import level as levels
from autodidact.ops.op import NUMPY
from autodidact.public import FUNCTIONS, function, method
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import INFERENCE

__all__ = ["as_tensor", "fresh", "tensor"]


def fresh(array: Any, requires_grad: bool = False, like: Tensor | None = None,
          where: Any = CPU) -> Tensor:
    """A new leaf on an array that nobody else has, put on a device.

    Under vmap it has lanes where `like` has some.
    """
    if array.dtype is dt.BFLOAT16:
        array = stored(array)
    t = wrap(array if where is CPU else put(array, where))
    if mode.stack:
        t = levels.fresh(t) if like is None else levels.fresh_like(as_array(t._array), like)
    if mode.inference:
        t._flags, t._version_cell = INFERENCE, None
    if requires_grad:
        t.requires_grad_()
    return t


@function
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Tensor:
    """A new leaf with a copy of `data`: numbers, nested lists, arrays, tensors.

    Args:
        data: what to copy. Python floats get the default dtype, integers int64.
        dtype: the dtype to use instead.
        device: where to put it; the default device where it is not said.
        requires_grad: record operations on it.
        pin_memory: accepted for PyTorch's sake.

    Raises:
        ValueError: lists of unequal lengths, or of tensors with several elements.
        TypeError: things that are not numbers.
        RuntimeError: `requires_grad` with an integer dtype.

    Example:
        >>> torch.tensor([[1., 2.], [3., 4.]])
        tensor([[1., 2.],
                [3., 4.]])
    """
    where = devices.check(device) if device is not None or not isinstance(data, Tensor) \
        else data.device
    return fresh(array_of(data, dtype, copy=True), requires_grad, where=where)


def array_of(data: Any, dtype: Any, copy: bool) -> Any:
    """`data` as an array (a scalar of NumPy where it has no dimensions)."""
    kind = None if dtype is None else dt.to_numpy(dtype)
    if type(data) is float or type(data) is int or type(data) is bool or type(data) is complex:
        kind = kind or NUMBERS[type(data)]()
        return number(data, kind) if kind is dt.BFLOAT16 else kind.type(data)
    if isinstance(data, Tensor):
        array = data._array
    elif isinstance(data, (np.ndarray, np.generic)):
        array = data
        dt.check_given(array.dtype)
    else:
        return from_lists(data, kind)
    if kind is not None and array.dtype != kind:
        return cast(array, kind)
    if isinstance(array, ForeignArray):
        return array.copy() if copy else array
    if not copy or not isinstance(array, np.ndarray):
        return array
    return array.copy(order="K") if array.ndim else array[()]


NUMBERS = {
    float: lambda: dt.get_default_dtype().numpy, int: lambda: np.dtype(np.int64),
    bool: lambda: np.dtype(np.bool_), complex: lambda: dt.get_default_dtype().to_complex().numpy,
}


PLAIN = frozenset({*NUMBERS, list, tuple})


def from_lists(data: Any, kind: np.dtype | None) -> np.ndarray:
    """Nested sequences of numbers and tensors; the dtype that PyTorch would infer."""
    if isinstance(data, (dict, set)) or not (
            hasattr(data, "__len__") or hasattr(data, "__array__")):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape, leaves, given = flatten(data)
    kinds = {type(x) for x in leaves}
    if kind is None:
        kind = infer(leaves, kinds, given)
    try:
        return np.array(leaves, kind).reshape(shape)
    except OverflowError as error:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow") from error


def flatten(data: Any) -> tuple:
    """The shape of nested sequences, their numbers in a row, and the dtypes of arrays among them.

    Raises:
        ValueError: if they are ragged.
    """
    shape: list = []
    level, given = [data], set()
    while True:
        if not PLAIN.issuperset(map(type, level)):
            level = [numbers_in(x, given) for x in level]
        first = level[0] if level else None
        if not hasattr(first, "__len__") or isinstance(first, (str, bytes)):
            break
        size = len(first)
        if any(not hasattr(x, "__len__") or len(x) != size for x in level):
            raise ValueError(f"expected sequence of length {size} at dim {len(shape)}: the lists "
                             "inside have different lengths")
        shape.append(size)
        level = [item for x in level for item in x]
        if size == 0:
            break
    for x in level:
        if isinstance(x, (str, bytes)) or hasattr(x, "__len__"):
            raise ValueError(f"too many dimensions '{type(x).__name__}': expected a number")
        if x is None:
            raise RuntimeError("Could not infer dtype of NoneType")
    return tuple(shape), level, given


def numbers_in(x: Any, given: set) -> Any:
    """A tensor, array or NumPy scalar as Python's numbers; `given` gets the dtype of numbers."""
    if not isinstance(x, (Tensor, np.ndarray, np.generic)):
        if type(x) in NUMBERS:
            given.add(dt.of(NUMBERS[type(x)]()))
        return x
    array = x._array if isinstance(x, Tensor) else x
    given.add(dt.of(array.dtype))
    if x is array:
        return x.tolist()
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars; "
                         "torch.stack makes one tensor of several")
    return x.item()


def infer(leaves: list, kinds: set, given: set) -> np.dtype:
    """The dtype in which arrays and Python's numbers meet; complex beats float beats int."""
    if given:
        highest = max(d.category for d in given)             # of lists beside an array's rows
        more = {dt.of(NUMBERS[kind]()) for kind in kinds if kind in NUMBERS}
        return reduce(promote_types, given | {d for d in more if d.category > highest}).numpy
    for kind in (complex, float, int, bool):
        if kind in kinds:
            return NUMBERS[kind]()
    if not leaves:
        return dt.get_default_dtype().numpy
    raise TypeError(f"not a number: {next(iter(kinds)).__name__}")


@function
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing memory where it can: a tensor or array of that dtype as it is."""
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype)
    return fresh(array_of(data, dtype, copy=False), where=devices.check(device))


@function
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the same memory as a NumPy array; TypeError for anything else."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dt.check_given(array.dtype)
    if any(s < 0 for s in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors "
                         "with negative strides are not currently supported. Copy the array first")
    return fresh(array)


# ---- filled tensors -----------------------------------------------------------------------------


def shape_of(size: tuple) -> tuple:
    """`zeros(2, 3)`, `zeros((2, 3))`, `zeros(torch.Size([2, 3]))` mean the same."""
    if len(size) == 1 and hasattr(size[0], "__iter__"):
        size = tuple(size[0])
    shape = tuple(int(n.__index__()) for n in size)
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: "
                               f"{list(shape)}")
    return shape


def kind_of(dtype: Any) -> np.dtype:
    """NumPy's dtype for a factory: the default floating one when none is given."""
    return dt.get_default_dtype().numpy if dtype is None else dt.to_numpy(dtype)


def filled(maker: Any, name: str, doc: str) -> None:
    """Define `torch.name(*size)`, `torch.name_like(x)` and `Tensor.new_name(*size)`."""
    def make(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
             out: Any = None, layout: Any = None, pin_memory: bool = False,
             memory_format: Any = None, **named: Any) -> Tensor:
        where = devices.check(device)
        size = (named["size"],) if "size" in named else size
        return fresh(make_on(where, maker, shape_of(size), kind_of(dtype)), requires_grad,
                     where=where)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, layout: Any = None,
             requires_grad: bool = False, memory_format: Any = None) -> Tensor:
        where = input.device if device is None else devices.check(device)
        return fresh(like_layout(maker, input, dtype, where), requires_grad, input, where)

    def new_name(self: Tensor, *size: Any, dtype: Any = None, device: Any = None,
                 requires_grad: bool = False, **named: Any) -> Tensor:
        size = (named["size"],) if "size" in named else size
        kind = self._array.dtype if dtype is None else dt.to_numpy(dtype)
        where = self.device if device is None else devices.check(device)
        return fresh(make_on(where, maker, shape_of(size), kind), requires_grad, self, where)

    for f, called in ((make, name), (like, f"{name}_like"), (new_name, f"new_{name}")):
        f.__name__ = f.__qualname__ = called
        f.__doc__ = doc
    function(make)
    function(like)
    method(new_name)


def like_layout(maker: Any, input: Tensor, dtype: Any, where: Any = CPU) -> np.ndarray:
    """A filled array with the shape and, where it is dense, the order of `input`."""
    kind = input._array.dtype if dtype is None else dt.to_numpy(dtype)
    if where is not CPU or isinstance(input._array, ForeignArray):
        return make_on(where, maker, input._array.shape, plain_dtype(kind))
    array = np.asarray(input._array)
    made = np.empty_like(array, dtype=kind, order="K")
    made[...] = maker((), kind)
    return made


filled(np.zeros, "zeros", "A tensor of zeros.")
filled(np.ones, "ones", "A tensor of ones.")
NUMPY[np.ones_like] = SimpleNamespace(call=FUNCTIONS["ones_like"])    # formulas on Tensors
filled(np.zeros, "empty", "A tensor whose values mean nothing yet (zeros here).")


@function
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
         requires_grad: bool = False, **unused: Any) -> Tensor:
    """A tensor filled with one value; its dtype follows the value when none is given."""
    return full_of(size, fill_value, dtype, device, requires_grad)


def full_of(size: Any, fill_value: Any, dtype: Any, device: Any, requires_grad: bool,
            like: Tensor | None = None) -> Tensor:
    """`full`; under vmap with lanes where `like` has some."""
    value = getattr(fill_value, "_array", fill_value)
    if isinstance(value, (str, list, tuple)):
        raise TypeError("full(): argument 'fill_value' (position 2) must be Number, not "
                        f"{type(value).__name__}")
    kind = dt.to_numpy(dtype) if dtype is not None else (
        value.dtype if hasattr(value, "dtype") else NUMBERS[type(value)]())
    where = devices.check(device)
    value = value.item() if isinstance(value, ForeignArray) else value
    made = make_on(where, np.full, shape_of((size,)), value, kind)
    return fresh(made, requires_grad, like, where)


@function
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None,
              requires_grad: bool = False, **unused: Any) -> Tensor:
    """A tensor like `input`, filled with one value."""
    where = input.device if device is None else devices.check(device)
    made = like_layout(np.zeros, input, dtype, where)
    made[...] = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return fresh(made, requires_grad, input, where)


@method
def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """A tensor of this one's dtype, filled with one value."""
    return full_of(size, fill_value, dtype or self.dtype, device or self.device, requires_grad,
                   self)


@method
def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None,
               requires_grad: bool = False) -> Tensor:
    """A copy of `data` in this tensor's dtype."""
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device,
                  requires_grad=requires_grad)


def as_number(x: Any) -> Any:
    """A Python number, also from a tensor; TypeError for anything else."""
    x = x.item() if isinstance(x, Tensor) else x
    if not isinstance(x, (int, float, np.number)):
        raise TypeError(f"arange(): argument 'end' must be Number, not {type(x).__name__}")
    return x


@function
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
           requires_grad: bool = False, **unused: Any) -> Tensor:
    """Numbers from `start` up to (not including) `end`; int64 when all arguments are integers.

    Example:
        >>> torch.arange(2, 10, 3)
        tensor([2, 5, 8])
    """
    if end is None:
        start, end = 0, start
    start, end, step = (x if type(x) is int else as_number(x) for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    integers = all(isinstance(x, (int, np.integer)) for x in (start, end, step))
    kind = np.dtype(np.int64) if dtype is None and integers else kind_of(dtype)
    count = max(math.ceil((end - start) / step), 0)
    values = np.arange(count, dtype=np.int64)
    wide = kind if kind.kind in "iub" and integers else np.dtype(np.float64)
    return fresh((start + values.astype(wide) * wide.type(step)).astype(kind), requires_grad,
                 where=devices.check(device))


@function
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, **unused: Any) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances."""
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = kind_of(dtype)
    values = np.linspace(start, end, steps, dtype=np.float64 if kind.kind != "c" else kind)
    return fresh(values.astype(kind), requires_grad, where=devices.check(device))


@function
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None,
             device: Any = None, requires_grad: bool = False, **unused: Any) -> Tensor:
    """`base` to the powers of `linspace(start, end, steps)`."""
    powers = np.linspace(start, end, steps, dtype=np.float64)
    return fresh((base ** powers).astype(kind_of(dtype)), requires_grad,
                 where=devices.check(device))


@function
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, **unused: Any) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: n rows, m columns (default n)."""
    for size in (n, n if m is None else m):
        if size < 0:
            raise RuntimeError(f"n must be greater or equal to 0, got {size}")
    return fresh(np.eye(n, m, dtype=kind_of(dtype)), requires_grad, where=devices.check(device))


@function
def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None,
                  requires_grad: bool = False, **unused: Any) -> Tensor:
    """A 0-dim tensor of the default dtype."""
    return fresh(number(s, kind_of(dtype)), requires_grad, where=devices.check(device))
