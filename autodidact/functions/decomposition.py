"""`torch.linalg`: solving and factoring of matrices, with PyTorch's arguments and refusals."""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.promotion import SCALAR_NAMES
from autodidact.functions.arguments import need_tensor, numbers_of
from autodidact.functions.gathering import gather
from autodidact.functions.joining import cat
from autodidact.functions.reduction import returned
from autodidact.functions.shape import common_shape, expand
from autodidact.ops import decomposition as rows
from autodidact.public import both, function, method, named
from autodidact.tensor import Tensor, wrap

__all__ = ["cholesky", "cholesky_ex", "det", "inv", "inv_ex", "lu", "lu_factor", "lu_factor_ex",
           "lu_solve", "matrix_exp", "pinv", "slogdet", "solve", "solve_ex", "solve_triangular"]

TITLES = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
          "bool": "Bool", "float16": "Half"}
SLOGDET, OLD_SLOGDET = (returned(n, "sign logabsdet") for n in ("linalg_slogdet", "slogdet"))
LU_FACTOR, LU = returned("linalg_lu_factor", "LU pivots"), returned("linalg_lu", "P L U")
INV_EX, CHOLESKY_EX = (returned(f"linalg_{n}", f) for n, f in (
    ("inv_ex", "inverse info"), ("cholesky_ex", "L info")))
LU_FACTOR_EX = returned("linalg_lu_factor_ex", "LU pivots info")
SOLVE_EX = returned("linalg_solve_ex", "result info")


def matrices(A: Any, name: str, argument: str = "A") -> None:
    """Floating or complex tensors of at least two dimensions."""
    need_tensor(A, f"linalg_{name}", argument)
    if A._array.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor {argument} must have at least 2 "
                           "dimensions.")
    floating(A, name)


# What PyTorch lacks in half precision, where it does not ask before it looks for it.
KERNELS = {"det": "lu", "solve": "lu", "cholesky": "cholesky", "qr": "geqrf", "svd": "linalg_svd",
           "eigh": "linalg_eigh", "solve_triangular": "triangular_solve"}


def floating(A: Tensor, name: str) -> None:
    """Neither integers nor half precision: LAPACK has no words for them."""
    if A._array.dtype.kind not in "fc":
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. "
                           f"Got {TITLES[A._array.dtype.name]}")
    if A.dtype in (dt.float16, dt.bfloat16) and name in KERNELS:
        raise NotImplementedError(f"\"{KERNELS[name]}_cpu\" not implemented for "
                                  f"'{SCALAR_NAMES[A.dtype.name]}'")
    if A.dtype in (dt.float16, dt.bfloat16) and name not in (
            "matrix_exp", "matrix_norm"):
        raise RuntimeError(f"linalg.{name}: Low precision dtypes not supported. Got "
                           f"{SCALAR_NAMES[A.dtype.name]}")


def square(A: Any, name: str, argument: str = "A") -> None:
    """The same, and square."""
    matrices(A, name, argument)
    m, n = A._array.shape[-2:]
    if m != n:
        raise RuntimeError(f"linalg.{name}: {argument} must be batches of square matrices, but "
                           f"they are {m} by {n} matrices")


def info(A: Tensor) -> Tensor:
    """LAPACK's report for each matrix: 0, all went well."""
    return wrap(np.zeros(A._array.shape[:-2], np.int32))


# ---- inverse and solutions ----------------------------------------------------------------------


def inv(A: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices.

    Raises:
        RuntimeError: not square, or integers.
        LinAlgError: a singular matrix.

    Example:
        >>> torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    square(A, "inv")
    return rows.linalg_inv.call(A)


named("inverse")(lambda input: inv(input))


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and a report."""
    return INV_EX(inv(A), info(A))


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Tensor:
    """The solution X of `A X = B` (of `X A = B` with left=False); B: a vector or a matrix.

    Raises:
        RuntimeError: A not square, sizes that do not fit, different dtypes.
        LinAlgError: A singular.

    Example:
        >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
        tensor([1.0000, 0.5000])
    """
    square(A, "solve")
    need_tensor(B, "linalg_solve", "B", 2)
    if A._array.dtype != B._array.dtype:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of "
                           f"type {A.type()} and B of type {B.type()} instead")
    a, b = A._array.shape, B._array.shape
    vector = len(b) == 1 or (len(a) - 1 == len(b) and a[:-1] == b)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not "
                           "supported for left=False. In this case linalg.solve is equivalent to "
                           "B / A.squeeze(-1)")
    if vector:
        return rows.linalg_solve.call(*fitting(A, B.unsqueeze(-1), "solve", True)).squeeze(-1)
    if not left:
        turned = fitting(A.mT, B.mT, "solve", False)
        return rows.linalg_solve.call(*turned).mT
    return rows.linalg_solve.call(*fitting(A, B, "solve", True))


def fitting(A: Tensor, B: Tensor, name: str, left: bool) -> tuple:
    """Matrices and right hand sides with the same batches."""
    a, b = A._array.shape, B._array.shape
    if len(b) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor B must have at least 2 dimensions.")
    if a[-1] != b[-2]:
        n, m = b[-2:] if left else b[:-3:-1]
        how = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.{name}: Incompatible shapes of A and B for the equation {how} "
                           f"({a[-2]}x{a[-1]} and {n}x{m})")
    if a[:-2] == b[:-2]:
        return A, B
    batch = common_shape([a[:-2], b[:-2]])
    return expand(A, (*batch, *a[-2:])), expand(B, (*batch, *b[-2:]))


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and a report."""
    return SOLVE_EX(solve(A, B, left=left), info(A))


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True,
                     unitriangular: bool = False, out: Any = None) -> Tensor:
    """The solution of `A X = B` (`X A = B`) for triangular A; the other triangle is not read."""
    square(A, "solve_triangular")
    if not left:
        A, B = fitting(A.mT, B.mT, "solve_triangular", False)
        return rows.linalg_solve_triangular.call(A, B, not upper, unitriangular).mT
    A, B = fitting(A, B, "solve_triangular", True)
    return rows.linalg_solve_triangular.call(A, B, upper, unitriangular)


@both
def triangular_solve(input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False,
                     unitriangular: bool = False) -> Any:
    """The old form: (the solution of `A X = input`, A)."""
    found = solve_triangular(A.mT if transpose else A, input, upper=upper != transpose,
                             unitriangular=unitriangular)
    return returned("triangular_solve", "solution cloned_coefficient")(found, A.clone())


@both
def det(A: Tensor) -> Tensor:
    """The determinant of square matrices."""
    square(A, "det")
    return rows.linalg_det.call(A)


def slogdet(A: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinant: (sign, logabsdet)."""
    square(A, "slogdet")
    return SLOGDET(*rows.linalg_slogdet.call(A))


def old_slogdet(input: Tensor) -> Any:
    """The same under its old name, which is the name of the result, too."""
    return OLD_SLOGDET(*slogdet(input))


both(old_slogdet, "slogdet")


@both
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan where that is negative."""
    square(input, "slogdet")
    sign, size = rows.linalg_slogdet.call(input)
    return size + sign.log() if input.is_complex() else (sign.detach() * 0 + sign).log() + size


def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None,
         rtol: Any = None) -> Tensor:
    """Moore and Penrose's pseudo-inverse; singular values up to max(atol, rtol s₀) are 0."""
    matrices(A, "pinv")
    if hermitian:
        square(A, "pinv")
    atol, rtol = tolerances(A, atol, rcond if rtol is None else rtol)
    return rows.linalg_pinv.call(A, rtol, atol, hermitian)


named("pinverse")(lambda input, rcond=1e-15: pinv(input, rcond))


def tolerances(A: Tensor, atol: Any, rtol: Any) -> tuple:
    """The tolerances as arrays that broadcast against singular values."""
    given = [t._array[..., None] if isinstance(t, Tensor) else t for t in (atol, rtol)]
    atol, rtol = given
    if rtol is None:
        rtol = 0.0 if atol is not None and np.all(np.asarray(atol) > 0) else (
            max(A._array.shape[-2:]) * float(np.finfo(A._array.dtype).eps))
    return 0.0 if atol is None else atol, rtol


@both
def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of square matrices: I + A + A²/2 + ..."""
    square(A, "matrix_exp")
    return rows.linalg_matrix_exp.call(A)


# ---- Cholesky -----------------------------------------------------------------------------------


@both
def cholesky(A: Tensor, upper: bool = False, *, out: Any = None) -> Tensor:
    """The lower triangular L with `L Lᴴ = A` (or its transpose, with upper=True).

    Raises:
        LinAlgError: A is not positive definite.
    """
    square(A, "cholesky")
    return rows.linalg_cholesky.call(A.mH if upper else A).mH if upper else (
        rows.linalg_cholesky.call(A))


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The factor, and a report."""
    return CHOLESKY_EX(cholesky(A, upper), info(A))


@both
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False, *, out: Any = None) -> Tensor:
    """The solution of `A X = B` by the Cholesky factor of A."""
    if B._array.ndim < 2 or L._array.ndim < 2:
        raise RuntimeError("b should have at least 2 dimensions, but has "
                           f"{min(B._array.ndim, L._array.ndim)} dimensions instead")
    L = one_triangle(L, upper)
    return solve(L.mH @ L if upper else L @ L.mH, B)


def one_triangle(L: Tensor, upper: bool) -> Tensor:
    """The triangle's values; the gradient, as PyTorch's, does not look which triangle it is."""
    return L + ((L.triu() if upper else L.tril()) - L).detach()


@both
def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Any = None) -> Tensor:
    """The inverse of A by its Cholesky factor."""
    square(L, "cholesky_inverse")
    L = one_triangle(L, upper)
    return inv(L.mH @ L if upper else L @ L.mH)


# ---- LU -----------------------------------------------------------------------------------------


def picked(A: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return gather(A, -2, expand(order.unsqueeze(-1), A._array.shape))


def compact(A: Tensor, pivot: bool) -> tuple:
    """L and U in one matrix, the order of rows, the exchanges.

    The square part is eliminated; what is left of a wide or tall matrix follows by substitution.
    """
    m, n = A._array.shape[-2:]
    if pivot:
        order, pivots = rows.lu_order.call(A.detach())
        A = picked(A, order)
    else:
        order = expand(wrap(np.arange(m, dtype=np.int64)), A._array.shape[:-1])
        pivots = (order[..., :min(m, n)] + 1).int()
    k = min(m, n)
    if m == n:
        return rows.lu_square.call(A), order, pivots
    first = rows.lu_square.call(A[..., :k, :k])
    if m < n:
        rest = rows.linalg_solve_triangular.call(first, A[..., k:], False, True)
        return cat((first, rest), -1), order, pivots
    rest = rows.linalg_solve_triangular.call(first.mT, A[..., k:, :].mT, False, False).mT
    return cat((first, rest), -2), order, pivots


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the exchanges of rows: (LU, pivots)."""
    matrices(A, "lu_factor")
    made, _, pivots = compact(A, pivot)
    return LU_FACTOR(made, pivots)


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """The same, and a report."""
    matrices(A, "lu_factor_ex")
    made, _, pivots = compact(A, pivot)
    return LU_FACTOR_EX(made, pivots, info(A))


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """(P, L, U) with `A = P L U`."""
    matrices(A, "lu")
    made, order, _ = compact(A, pivot)
    return LU(*unpacked(made, order, A, pivot))


def unpacked(made: Tensor, order: Tensor, A: Tensor, pivot: bool = True) -> tuple:
    """P, L and U of the compact form."""
    m, k = A._array.shape[-2], min(A._array.shape[-2:])
    one = wrap(np.eye(m, k, dtype=A._array.dtype))
    L = made[..., :, :k].tril(-1) + one
    rows_ = wrap(np.arange(m, dtype=np.int64)).unsqueeze(-1)
    P = (rows_ == order.unsqueeze(-2)).to(A.dtype)
    return P if pivot else wrap(np.empty(0, A._array.dtype)), L, made[..., :k, :].triu()


def order_of(given: Tensor, m: int) -> Tensor:
    """The order of rows that exchanges lead to."""
    pivots = numbers_of(given, "lu_solve")
    batch = pivots.shape[:-1]
    order = np.broadcast_to(np.arange(m, dtype=np.int64), (*batch, m)).copy()
    at = np.indices(batch, sparse=True) if batch else ()
    for k in range(pivots.shape[-1]):
        best = pivots[..., k] - 1
        first, second = (*at, k), (*at, best)
        order[first], order[second] = order[second].copy(), order[first].copy()
    return wrap(order)


@function
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True,
              unpack_pivots: bool = True) -> Any:
    """(P, L, U) from what `lu_factor` gives."""
    order = order_of(LU_pivots, LU_data._array.shape[-2])
    return returned("lu_unpack", "P L U")(*unpacked(LU_data, order, LU_data))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True,
             adjoint: bool = False) -> Tensor:
    """The solution of `A X = B` by what `lu_factor` gives; adjoint: of `Aᴴ X = B`."""
    square(LU, "lu_solve", "LU")
    if not left:
        return lu_solve(LU, pivots, B.mH, adjoint=not adjoint).mH
    order = order_of(pivots, LU._array.shape[-1])
    LU, B = fitting(LU, B, "lu_solve", True)
    order = expand(order, B._array.shape[:-1])
    if adjoint:
        half = solve_triangular(LU.mH, B, upper=False)
        half = solve_triangular(LU.mH, half, upper=True, unitriangular=True)
        return picked(half, order.argsort(-1))
    half = solve_triangular(LU, picked(B, order), upper=False, unitriangular=True)
    return solve_triangular(LU, half, upper=True)


function(lambda b, LU_data, LU_pivots: lu_solve(LU_data, LU_pivots, b), "lu_solve")
method(lambda self, LU_data, LU_pivots: lu_solve(LU_data, LU_pivots, self), "lu_solve")
