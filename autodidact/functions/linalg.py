"""Matrix products as PyTorch offers them: `@` for all ranks, `mm`, `bmm`, `mv`, `dot`, `einsum`."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from autodidact.functions.arguments import need_tensor
from autodidact.functions.shape import common_shape, expand, reshape, t, transpose
from autodidact.ops import linalg as rows
from autodidact.ops import view as views
from autodidact.ops.op import NUMPY
from autodidact.public import both, function, method, named
from autodidact.tensor import Tensor

__all__ = ["matmul"]

C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half",
           "bfloat16": "c10::BFloat16", "int64": "long int", "int32": "int",
           "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
           "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short"}


def same_dtype(a: Tensor, b: Tensor) -> None:
    """Products do not promote; nor do they know bool."""
    if a._array.dtype is not b._array.dtype and a._array.dtype != b._array.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: "
                           f"{C_NAMES[a.dtype.name]} != {C_NAMES[b.dtype.name]}")
    if a._array.dtype.kind == "b":
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")


@both
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The product of two matrices: (n, m) times (m, p)."""
    for x, what in ((input, "self"), (mat2, "mat2")):
        need_tensor(x, "mm", what)
        if x._array.ndim != 2:
            raise RuntimeError(f"{what} must be a matrix")
    a, b = input._array.shape, mat2._array.shape
    if a[1] != b[0]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                           f"({a[0]}x{a[1]} and {b[0]}x{b[1]})")
    same_dtype(input, mat2)
    return rows.mm.call(input, mat2)


@both
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The products of a batch of matrices: (b, n, m) times (b, m, p)."""
    for x, what in ((input, "batch1"), (mat2, "batch2")):
        need_tensor(x, "bmm", what)
        if x._array.ndim != 3:
            raise RuntimeError(f"{what} must be a 3D tensor")
    a, b = input._array.shape, mat2._array.shape
    if (a[0], a[2]) != b[:2]:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}].")
    same_dtype(input, mat2)
    return rows.bmm.call(input, mat2)


@both
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    """A matrix times a vector: (n, m) times (m,)."""
    need_tensor(vec, "mv", "vec", 2)
    a, b = input._array.shape, vec._array.shape
    if len(a) != 2 or len(b) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {len(a)}, {len(b)}")
    if a[1] != b[0]:
        raise RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})")
    same_dtype(input, vec)
    return rows.mv.call(input, vec)


def vectors(name: str, a: Tensor, b: Tensor) -> None:
    """The checks of `dot` and `vdot`."""
    need_tensor(b, name, "tensor" if name == "dot" else "other", 2)
    if a._array.ndim != 1 or b._array.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a._array.ndim}D and {b._array.ndim}D "
                           "tensors")
    if a._array.dtype != b._array.dtype:
        raise RuntimeError(f"{name} : expected both vectors to have same dtype, but found "
                           f"{a.dtype.name} and {b.dtype.name}")
    n, m = a._array.size, b._array.size
    if n != m:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have "
                           f"the same number of elements, but got {n} and {m} elements "
                           "respectively")


@both
def dot(input: Tensor, tensor: Tensor, *, out: Any = None) -> Tensor:
    """The sum of the products of two vectors' entries."""
    vectors("dot", input, tensor)
    return rows.dot.call(input, tensor)


@both
def vdot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """As `dot`, with the first vector conjugated."""
    vectors("vdot", input, other)
    return rows.vdot.call(input, other) if input.is_complex() else rows.dot.call(input, other)


# ---- products of any rank ------------------------------------------------------------------------


@both
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """`input @ other` for vectors, matrices and batches of them.

    Two vectors give a number; a vector on the left counts as a row, on the right as a column; what
    comes before the last two dimensions broadcasts.

    Raises:
        RuntimeError: sizes that do not fit, 0-dim tensors, different dtypes.

    Example:
        >>> torch.tensor([[1., 2.]]) @ torch.tensor([3., 4.])
        tensor([11.])
    """
    need_tensor(input, "matmul", "input")
    need_tensor(other, "matmul", "other", 2)
    x, y = input._array, other._array
    a, b = x.ndim, y.ndim
    if a == 2 and b == 2:
        fits = x.dtype is y.dtype and x.dtype.kind != "b" and x.shape[1] == y.shape[0]
        return rows.mm.call(input, other) if fits else mm(input, other)
    if not a or not b:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return views.squeeze_dim.call(mm(input.unsqueeze(0), other), 0)
    if a >= 3 and b <= 2:
        return folded(input, other)
    if b >= 3 and a <= 2:
        turned = transpose(other, -1, -2)
        if a == 1:
            return folded(turned, input)
        return transpose(folded(turned, t(input)), -1, -2)
    return batched(input, other)


def folded(big: Tensor, small: Tensor) -> Tensor:
    """A batch times one matrix or vector: the batch's rows all at once."""
    shape = big._array.shape
    rows_ = reshape(big, -1, shape[-1]) if big._array.size else big.reshape(
        (int_product(shape[:-1]), shape[-1]))
    if small._array.ndim == 1:
        return views.unsafe_view.call(mv(rows_, small), shape[:-1])
    return views.unsafe_view.call(mm(rows_, small), (*shape[:-1], small._array.shape[1]))


def batched(a: Tensor, b: Tensor) -> Tensor:
    """Batches on both sides: broadcast, multiplied as one batch, and put back into shape."""
    batch = common_shape([a._array.shape[:-2], b._array.shape[:-2]])
    (n, m), (m2, p) = a._array.shape[-2:], b._array.shape[-2:]
    count = int_product(batch)
    left = reshape(expand(a, (*batch, n, m)), count, n, m)
    right = reshape(expand(b, (*batch, m2, p)), count, m2, p)
    return views.unsafe_view.call(bmm(left, right), (*batch, n, p))


def int_product(shape: tuple) -> int:
    """The number of elements of a shape."""
    count = 1
    for n in shape:
        count *= n
    return count


def operator(self: Tensor, other: Any) -> Any:
    """`self @ other`."""
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


method(operator, "__matmul__")
NUMPY[np.matmul] = SimpleNamespace(call=matmul)      # `np.matmul` in a formula read on Tensors


# ---- with an addition ----------------------------------------------------------------------------


@both
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1,
          out: Any = None) -> Tensor:
    """`beta * input + alpha * (mat1 @ mat2)`; `input` broadcasts."""
    for x in (mat1, mat2):
        if x._array.ndim != 2:
            raise RuntimeError(f"mat1 must be a matrix, got {x._array.ndim}-D tensor")
    a, b = mat1._array.shape, mat2._array.shape
    if a[1] != b[0]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                           f"({a[0]}x{a[1]} and {b[0]}x{b[1]})")
    same_dtype(mat1, mat2)
    expand_check(input, (a[0], b[1]))
    return rows.addmm.call(input, mat1, mat2, beta, alpha)


@both
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1,
          out: Any = None) -> Tensor:
    """`beta * input + alpha * (mat @ vec)`."""
    a, b = mat._array.shape, vec._array.shape
    if len(a) != 2 or len(b) != 1 or a[1] != b[0]:
        raise RuntimeError(f"size mismatch, got input ({input._array.size}), mat "
                           f"({'x'.join(map(str, a))}), vec ({'x'.join(map(str, b))})")
    return rows.addmv.call(input, mat, vec, beta, alpha)


@both
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1,
            out: Any = None) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)` for batches of matrices."""
    if batch1._array.ndim != 3 or batch2._array.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    a, b = batch1._array.shape, batch2._array.shape
    if (a[0], a[2]) != b[:2]:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}].")
    expand_check(input, (a[0], a[1], b[2]))
    return rows.baddbmm.call(input, batch1, batch2, beta, alpha)


def expand_check(x: Tensor, shape: tuple) -> None:
    """Raise what `expand` would raise, without making a view."""
    have = x._array.shape
    for i, (n, want) in enumerate(zip(reversed(have), reversed(shape), strict=False)):
        if n not in (1, want):
            raise RuntimeError(f"The expanded size of the tensor ({want}) must match the existing "
                               f"size ({n}) at non-singleton dimension {len(shape) - 1 - i}.  "
                               f"Target sizes: {list(shape)}.  Tensor sizes: {list(have)}")


@named("outer", "ger")
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """Every entry of one vector times every entry of another: (n,) and (m,) give (n, m)."""
    for x, what in ((input, "self"), (vec2, "vec2")):
        if x._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {what}, but got {x._array.ndim}-D")
    return reshape(input, -1, 1) * vec2


@function
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return input.diagonal().sum()


method(trace)
