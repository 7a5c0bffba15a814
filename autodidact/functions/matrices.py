"""Products of many matrices and special matrices: powers, chains, cross products, `cdist`."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import refuse
from autodidact.functions.arguments import need_tensor, wrap_dim
from autodidact.functions.decomposition import inv, solve, square
from autodidact.functions.joining import cat
from autodidact.functions.linalg import matmul
from autodidact.functions.shape import common_shape, expand
from autodidact.ops import products as rows
from autodidact.public import both, function, method
from autodidact.tensor import Tensor, wrap

__all__ = ["cross", "diagonal", "matrix_power", "multi_dot", "tensorinv", "tensorsolve", "vander",
           "vecdot"]


@both
def matrix_power(A: Tensor, n: int) -> Tensor:
    """`A @ A @ ... @ A`, n times, by repeated squaring; of the inverse for negative n."""
    square(A, "matrix_power")
    if n == 0:
        return A * 0 + wrap(np.eye(A._array.shape[-1], dtype=A._array.dtype))
    base, n, found = (A, n, None) if n > 0 else (inv(A), -n, None)
    while True:
        if n & 1:
            found = base if found is None else found @ base
        n >>= 1
        if not n:
            return found
        base = base @ base


def chain(tensors: Any) -> Tensor:
    """The product of matrices in the order that costs least; the ends may be vectors."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got "
                           f"{len(tensors)}")
    for i, t in enumerate(tensors):
        ends = i in (0, len(tensors) - 1)
        if t._array.ndim != 2 and not (ends and t._array.ndim == 1):
            raise RuntimeError(f"multi_dot(): tensor {i} must be {'1D or ' if ends else ''}2D but "
                               f"got {t._array.ndim}D")
    first, last = tensors[0]._array.ndim == 1, tensors[-1]._array.ndim == 1
    mats = [*tensors]
    if first:
        mats[0] = mats[0].unsqueeze(0)
    if last:
        mats[-1] = mats[-1].unsqueeze(-1)
    for i, (a, b) in enumerate(pairwise(mats)):
        if a._array.shape[1] != b._array.shape[0]:
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes "
                               f"{list(a._array.shape)} and {list(b._array.shape)} cannot be "
                               "multiplied")
    product = multiplied(mats, cheapest([m._array.shape for m in mats]))
    product = product.squeeze(0) if first else product
    return product.squeeze(-1) if last else product


def multi_dot(tensors: Any, *, out: Any = None) -> Tensor:
    """The product of two or more matrices in the order that costs least."""
    return chain(tensors)


function(lambda *matrices: chain(matrices[0] if isinstance(matrices[0], (list, tuple))
                                 else matrices), "chain_matmul")


def cheapest(shapes: list) -> dict:
    """For every stretch (i, j) of the chain, behind which matrix to cut it."""
    sizes, n = [s[0] for s in shapes] + [shapes[-1][1]], len(shapes)
    cost, cut = {(i, i): 0 for i in range(n)}, {}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j], cut[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j))
    return cut


def multiplied(mats: list, cut: dict) -> Tensor:
    """The chain multiplied as `cut` says, with a stack of stretches to do."""
    done: dict = {(i, i): m for i, m in enumerate(mats)}
    todo = [(0, len(mats) - 1)]
    while todo:
        i, j = todo[-1]
        if (i, j) in done:
            todo.pop()
            continue
        k = cut[i, j]
        parts = [(i, k), (k + 1, j)]
        missing = [p for p in parts if p not in done]
        todo += missing
        if not missing:
            done[i, j] = matmul(done[parts[0]], done[parts[1]])
    return done[0, len(mats) - 1]


def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Any = None) -> Tensor:
    """The vector product of vectors of three entries along `dim`."""
    need_tensor(other, "linalg_cross", "other", 2)
    a, b = input._array.shape, other._array.shape
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    dim = wrap_dim(dim, len(a))
    if a[dim] != 3 or b[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[dim]} "
                           f"and {b[dim]}")
    if a != b:
        shape = common_shape([a, b])
        input, other = expand(input, shape), expand(other, shape)
    return rows.linalg_cross.call(input, other, dim)


def old_cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Tensor:
    """The vector product along `dim`; None: along the first dimension of size 3."""
    if dim is None:
        found = [d for d, n in enumerate(input._array.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return cross(input, other, dim=dim)


both(old_cross, "cross")


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Tensor:
    """Sums of products along `dim`, the first factor conjugated."""
    return (x.conj() * y).sum(dim)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers 0 to N - 1 of every entry along a new last dimension."""
    x = x if x._array.ndim else x.unsqueeze(0)
    n = x._array.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    shape = (*x._array.shape, n - 1)
    powers = expand(x.unsqueeze(-1), shape).cumprod(-1)
    ones = powers.new_ones((*x._array.shape, 1))
    return cat((ones, powers), -1)


def old_vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix of powers, the highest first unless `increasing`."""
    n = x._array.shape[-1] if N is None else N
    if n == 0:
        return x.new_empty((*x._array.shape, 0))
    found = vander(x, n)
    return found if increasing else found.flip(-1)


function(old_vander, "vander")


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices."""
    return A.diagonal(offset, dim1, dim2)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A as a map between tensors: the first `ind` dimensions against the others."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    left, right = A._array.shape[:ind], A._array.shape[ind:]
    if math.prod(left) != math.prod(right):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {math.prod(right)} != "
                           f"{math.prod(left)}")
    return inv(A.reshape(math.prod(left), -1)).reshape(*right, *left)


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """The X with `tensordot(A, X, X.ndim) = B`."""
    if dims is not None:
        rest = [d for d in range(A._array.ndim) if d not in dims]
        A = A.permute(*rest, *dims)
    right = A._array.shape[B._array.ndim:]
    if math.prod(right) != B._array.size:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:])"
                           " == prod(self.shape[:other.ndim])")
    return solve(A.reshape(B._array.size, -1), B.reshape(-1)).reshape(right)


# ---- with an addition ---------------------------------------------------------------------------


@both
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1,
           out: Any = None) -> Tensor:
    """`beta * input + alpha * (sum of the products of two batches of matrices)`."""
    if batch1._array.ndim != 3 or batch2._array.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    product = batch1.bmm(batch2).sum(0)
    return scaled(product, alpha) if beta == 0 else scaled(input, beta) + scaled(product, alpha)


@both
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1,
         out: Any = None) -> Tensor:
    """`beta * input + alpha * outer(vec1, vec2)`."""
    if vec1._array.ndim != 1 or vec2._array.ndim != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec1, but got {vec1._array.ndim}-D")
    product = vec1.outer(vec2)
    return scaled(product, alpha) if beta == 0 else scaled(input, beta) + scaled(product, alpha)


def scaled(x: Tensor, factor: Any) -> Tensor:
    """The tensor times a number; itself for 1."""
    return x if factor == 1 else x * factor


def written(name: str, made: Any) -> None:
    """The in-place form: compute, then write into the first input, recorded as a copy."""
    def f(self: Tensor, *args: Any, **words: Any) -> Tensor:
        return self.copy_(made(self.clone(), *args, **words))
    f.__doc__ = f"`{name}`, written into the tensor."
    method(f, f"{name}_")


written("addbmm", addbmm)
written("addr", addr)


@method
def __rmatmul__(self: Tensor, other: Any) -> Any:
    """`other @ self`."""
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


# ---- distances ----------------------------------------------------------------------------------


@function
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """The p-norm of the difference of every row of `x1` and every row of `x2`."""
    for x, what in ((x1, "X1"), (x2, "X2")):
        if x._array.dtype.kind != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {what} got: "
                               f"{C_WORDS.get(x.dtype.name, x.dtype.name)}")
        refuse("cdist", x._array)
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {what} got: "
                               f"{x._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError("X1 and X2 must have the same number of columns. X1: "
                           f"{x1._array.shape[-1]} X2: {x2._array.shape[-1]}")
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


C_WORDS = {"int64": "Long", "int32": "Int", "bool": "Bool"}


@function
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm of the difference of every pair of rows, above the diagonal."""
    if input._array.ndim != 2:
        raise RuntimeError("pdist only supports 2D tensors, got: "
                           f"{input._array.ndim}D")
    i, j = np.triu_indices(input._array.shape[0], 1)
    one, two = (input.index_select(0, wrap(np.asarray(k, np.int64))) for k in (i, j))
    return (one - two).norm(p, -1)
