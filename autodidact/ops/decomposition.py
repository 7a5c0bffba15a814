"""Solving and factoring: inverse, solve, determinant, Cholesky, LU, pseudo-inverse, exponential.

All rows take batches of matrices (the last two dimensions). The formulas come from differentiating
what the result satisfies: A X = B gives dA X + A dX = dB, hence dX = A⁻¹ (dB - dA X).
"""

from typing import Any

import numpy as np

from autodidact._optional import optional
from autodidact.arrays.foreign import computed, copied, made
from autodidact.ops.batching import along
from autodidact.ops.join import cat, diag_embed, diagonal_copy, tril, triu
from autodidact.ops.op import Op, conj, is_array


class LinAlgError(RuntimeError):
    """A matrix that the asked for factorisation does not exist for."""


LinAlgError.__module__ = "torch.linalg"


def mT(x: Any) -> Any:
    """The transposed matrices."""
    return x.swapaxes(-1, -2)


def H(x: Any) -> Any:
    """The transposed and conjugated matrices."""
    return conj(x.swapaxes(-1, -2))


def diagonal(x: Any) -> Any:
    """The diagonals of matrices."""
    return diagonal_copy(x, 0, x.ndim - 2, x.ndim - 1)


def embed(x: Any) -> Any:
    """Vectors as the diagonals of matrices."""
    return diag_embed(x, 0, x.ndim - 1, x.ndim)


# ---- solving ------------------------------------------------------------------------------------

linalg_inv = Op("linalg_inv(self)", outputs = ("inverse",),        # d(A⁻¹) = -A⁻¹ dA A⁻¹
    forward = lambda self: inverted(self),
    vjp     = {"self": lambda grad, inverse: -H(inverse) @ grad @ H(inverse)},
    jvp     = lambda self_t, inverse: -inverse @ self_t @ inverse,
    node    = "LinalgInvExBackward0", batch = along)

linalg_solve = Op("linalg_solve(A, B)",                            # A X = B: dX = A⁻¹ (dB - dA X)
    forward = lambda A, B: solved(A, B),
    vjp     = {"A": lambda grad, A, result: -linalg_solve(H(A), grad) @ H(result),
               "B": lambda grad, A: linalg_solve(H(A), grad)},
    jvp     = lambda A_t, B_t, A, result: linalg_solve(A, B_t - A_t @ result),
    node    = "LinalgSolveExBackward0", batch = along)

linalg_solve_triangular = Op("linalg_solve_triangular(self, B, *, upper, unitriangular)",
    forward = lambda self, B, upper, unitriangular: substituted(self, B, upper, unitriangular),
    vjp     = {"self": lambda grad, self, result, upper, unitriangular: -triangle(
                       linalg_solve_triangular(H(self), grad, not upper, unitriangular) @ H(result),
                       upper, unitriangular),
               "B":    lambda grad, self, upper, unitriangular:
                       linalg_solve_triangular(H(self), grad, not upper, unitriangular)},
    jvp     = lambda self_t, B_t, self, result, upper, unitriangular: linalg_solve_triangular(
              self, B_t - triangle(self_t, upper, unitriangular) @ result, upper, unitriangular),
    batch   = along)

# ---- determinants -------------------------------------------------------------------------------

linalg_det = Op("linalg_det(self)",                                # d det A = tr(adj(A) dA)
    forward = lambda self: np.linalg.det(self),
    vjp     = {"self": lambda grad, self, result:
               grad.reshape((*grad.shape, 1, 1)) * conj(cofactors(self, result))},
    jvp     = lambda self_t, self, result:
              (self_t * cofactors(self, result)).sum(axis=(-2, -1)),
    node    = "LinalgDetBackward0", batch = along)

linalg_slogdet = Op("linalg_slogdet(self)", outputs = ("sign", "logabsdet"),
    forward = lambda self: tuple(np.linalg.slogdet(self)),
    vjp     = {"self": lambda grads, self, sign: slogdet_grad(grads, self, sign)},
    jvp     = lambda self_t, self, sign: slogdet_tangent(self_t, self, sign),
    node    = "LinalgSlogdetBackward0", batch = along)

# ---- factors ------------------------------------------------------------------------------------

linalg_cholesky = Op("linalg_cholesky(self)", outputs = ("L",),    # A = L Lᴴ
    forward = lambda self: lower_factor(self),
    vjp     = {"self": lambda grad, L: cholesky_grad(grad, L)},
    jvp     = lambda self_t, L: cholesky_tangent(self_t, L),
    node    = "LinalgCholeskyExBackward0", batch = along)

lu_square = Op("lu_square(self)", outputs = ("LU",),               # A = L U, without exchanges
    forward = lambda self: eliminated(self),
    vjp     = {"self": lambda grad, LU: lu_grad(grad, LU)},
    jvp     = lambda self_t, LU: lu_tangent(self_t, LU),
    batch   = along)

lu_order = Op("lu_order(self)", outputs = ("order", "pivots"),     # which rows elimination takes
    forward = lambda self: pivoting(self),
    batch   = along)

linalg_pinv = Op("linalg_pinv(self, *, rcond, atol, hermitian)",   # Moore and Penrose's inverse
    forward = lambda self, rcond, atol, hermitian: pseudo_inverse(self, rcond, atol, hermitian),
    vjp     = {"self": lambda grad, self, result: pinv_grad(grad, self, result)},
    jvp     = lambda self_t, self, result: pinv_tangent(self_t, self, result),
    node    = "LinalgPinvBackward0", batch = along)

linalg_matrix_exp = Op("linalg_matrix_exp(self)",                  # I + A + A²/2 + A³/6 + ...
    forward = lambda self: exponential(self),
    vjp     = {"self": lambda grad, self: exp_along(H(self), grad)},
    jvp     = lambda self_t, self: exp_along(self, self_t),
    node    = "LinalgMatrixExpBackward0", batch = along)


# ---- longer mathematics -------------------------------------------------------------------------


def inverted(A: Any) -> Any:
    """The inverse; a LinAlgError for a singular matrix."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.inv: The diagonal element is zero, the inversion could not be "
                          "completed because the input matrix is singular.") from None


def solved(A: Any, B: Any) -> Any:
    """The solution of A X = B; a LinAlgError for a singular matrix."""
    try:
        return np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is "
                          "singular.") from None


def triangle(x: Any, upper: bool, strict: bool) -> Any:
    """The upper or lower triangle, without the diagonal where it is known to be ones."""
    return triu(x, int(strict)) if upper else tril(x, -int(strict))


def substituted(A: Any, B: Any, upper: bool, unit: bool) -> Any:
    """Triangular A X = B, one row after the other; only the named triangle is looked at."""
    n = A.shape[-1]
    shape = np.broadcast_shapes(A.shape[:-2], B.shape[:-2]) + B.shape[-2:]
    X = copied(np.broadcast_to(B, shape))
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, n) if upper else slice(0, i)
        X[..., i, :] -= (A[..., i:i + 1, known] @ X[..., known, :])[..., 0, :]
        if not unit:
            X[..., i, :] /= A[..., i, i, None]
    return X


def cofactors(A: Any, det: Any) -> Any:
    """The slopes of the determinant, d det / dA; on arrays also for singular matrices."""
    if not is_array(A):
        return det.reshape((*det.shape, 1, 1)) * mT(linalg_inv(A))
    if not A.size:
        return A
    U, S, Vh = np.linalg.svd(A)
    others = np.where(made(S, np.eye, S.shape[-1], dtype=np.bool_), 1, S[..., None, :])
    turn = np.linalg.det(U) * np.linalg.det(Vh)
    return turn[..., None, None] * conj((U * others.prod(-1)[..., None, :]) @ Vh)


def slogdet_grad(grads: tuple, A: Any, sign: Any) -> Any:
    """d log|det| = Re tr(A⁻¹ dA); the sign turns with the imaginary part."""
    gsign, glog = grads
    turned = None if gsign is None or sign.dtype != A.dtype or not complex_numbers(A) else (
        conj(sign) * gsign).imag * 1j
    total = glog if turned is None else turned if glog is None else glog + turned
    if total is None:
        return np.zeros_like(A)
    return total.reshape((*total.shape, 1, 1)) * H(linalg_inv(A))


def slogdet_tangent(A_t: Any, A: Any, sign: Any) -> tuple:
    """The same, forward."""
    moved = diagonal(linalg_solve(A, A_t)).sum(axis=-1)
    if not complex_numbers(A):
        return np.zeros_like(moved), moved
    return sign * (moved.imag * 1j), moved.real


def complex_numbers(x: Any) -> bool:
    """Whether an array or a Tensor holds complex numbers."""
    return getattr(x, "_array", x).dtype.kind == "c"


def lower_factor(A: Any) -> Any:
    """Cholesky's factor; a LinAlgError where A is not positive definite."""
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.cholesky: The factorization could not be completed because the "
                          "input is not positive-definite.") from None


def half_diagonal(x: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return tril(x, 0) - embed(diagonal(x)) / 2


def cholesky_grad(grad: Any, L: Any) -> Any:
    """L⁻ᴴ Φ(Lᴴ dL) L⁻¹, made symmetric; Φ: lower triangle, half the diagonal."""
    inner = half_diagonal(H(L) @ grad)
    left = linalg_solve_triangular(H(L), inner, True, False)            # L⁻ᴴ Φ
    found = H(linalg_solve_triangular(H(L), H(left), True, False))      # times L⁻¹
    return (found + H(found)) / 2


def cholesky_tangent(A_t: Any, L: Any) -> Any:
    """DL = L Φ(L⁻¹ dA L⁻ᴴ)."""
    symmetric = (A_t + H(A_t)) / 2
    left = linalg_solve_triangular(L, symmetric, False, False)
    return L @ half_diagonal(H(linalg_solve_triangular(L, H(left), False, False)))


def eliminated(A: Any) -> Any:
    """Gauss's elimination without exchanges: U on and above the diagonal, L below it."""
    LU = copied(A)
    for k in range(A.shape[-1] - 1):
        LU[..., k + 1:, k] /= LU[..., k, k, None]
        LU[..., k + 1:, k + 1:] -= LU[..., k + 1:, k, None] * LU[..., k, None, k + 1:]
    return LU


def pivoting(A: np.ndarray) -> tuple:
    """Which rows elimination takes: (their order, LAPACK's exchanges counted from 1)."""
    U, (m, n) = copied(A), A.shape[-2:]
    batch = A.shape[:-2]
    order = np.broadcast_to(made(A, np.arange, m, dtype=np.int64), (*batch, m)).copy()
    pivots = made(A, np.empty, (*batch, min(m, n)), np.int32)
    at = [made(A, np.arange, b, dtype=np.int64).reshape((-1,) + (1,) * (len(batch) - 1 - i))
          for i, b in enumerate(batch)]
    for k in range(min(m, n)):
        best = k + np.abs(U[..., k:, k]).argmax(-1)
        pivots[..., k] = best + 1
        for table in (U, order):
            rest = (slice(None),) if table is U else ()
            first, second = (*at, k, *rest), (*at, best, *rest)
            table[first], table[second] = table[second].copy(), table[first].copy()
        top = np.where(U[..., k, k] == 0, 1, U[..., k, k])
        U[..., k + 1:, k] /= top[..., None]
        U[..., k + 1:, k + 1:] -= U[..., k + 1:, k, None] * U[..., k, None, k + 1:]
    return order, pivots


def lu_grad(grad: Any, LU: Any) -> Any:
    """L⁻ᴴ [tril(Lᴴ gL, -1) + triu(gU Uᴴ)] U⁻ᴴ."""
    below = tril(grad, -1)
    inner = tril(H(tril(LU, -1)) @ below + below, -1) + triu(triu(grad, 0) @ H(triu(LU, 0)), 0)
    left = linalg_solve_triangular(H(LU), inner, True, True)
    return H(linalg_solve_triangular(LU, H(left), True, False))


def lu_tangent(A_t: Any, LU: Any) -> Any:
    """With M = L⁻¹ dA U⁻¹: dL = L tril(M, -1) and dU = triu(M) U."""
    left = linalg_solve_triangular(LU, A_t, False, True)
    M = H(linalg_solve_triangular(H(LU), H(left), False, False))
    below = tril(M, -1)
    return tril(LU, -1) @ below + below + triu(M, 0) @ triu(LU, 0)


def pseudo_inverse(A: Any, rcond: Any, atol: Any, hermitian: bool) -> Any:
    """V S⁺ Uᴴ; singular values below the tolerance count as 0."""
    if not A.size:
        return np.zeros_like(mT(A))
    if hermitian:
        S, U = np.linalg.eigh(A)
        Vh = H(U)
    else:
        U, S, Vh = np.linalg.svd(A, full_matrices=False)
    size = np.abs(S)
    small = size <= np.maximum(atol, rcond * size.max(-1, keepdims=True))
    inverse = np.where(small, 0, 1 / np.where(small, 1, S)).astype(S.dtype)
    return H(Vh) @ (inverse[..., None] * H(U))


def pinv_grad(grad: Any, A: Any, P: Any) -> Any:
    """Golub and Pereyra's formula, read backwards; the rank must not change."""
    G, Ph = H(grad), H(P)
    if A.shape[-2] <= A.shape[-1]:
        K = G @ P
        KPh = K @ Ph
        return -H(P @ K) + KPh - (A @ P) @ KPh + (Ph @ P) @ (G - K @ A)
    K = P @ G
    PhK = Ph @ K
    return -H(K @ P) + (G - A @ K) @ P @ Ph + PhK - (PhK @ P) @ A


def pinv_tangent(A_t: Any, A: Any, P: Any) -> Any:
    """Golub and Pereyra's formula."""
    Gh, Ph = H(A_t), H(P)
    if A.shape[-2] <= A.shape[-1]:
        K = P @ A_t
        ghp = Gh @ Ph @ P
        return -K @ P + ghp - P @ (A @ ghp) + (P @ Ph) @ (Gh - (Gh @ A) @ P)
    K = A_t @ P
    phg = P @ Ph @ Gh
    return -P @ K + (Gh - P @ (A @ Gh)) @ Ph @ P + phg - (phg @ A) @ P


def exponential(A: Any) -> Any:
    """The matrix exponential of each matrix."""
    if not A.size:
        return A
    return computed(optional("scipy.linalg").expm, A).astype(A.dtype)


def exp_along(A: Any, direction: Any) -> Any:
    """The derivative of exp at A along a direction: the corner of exp([[A, direction], [0, A]])."""
    n = A.shape[-1]
    above = side_by_side((A, direction), A.ndim - 1)
    below = side_by_side((np.zeros_like(A), A), A.ndim - 1)
    return linalg_matrix_exp(side_by_side((above, below), A.ndim - 2))[..., :n, n:]


def side_by_side(parts: tuple, dim: int) -> Any:
    """Arrays, or Tensors, joined."""
    return np.concatenate(parts, dim) if is_array(parts[0]) and is_array(parts[1]) else (
        cat.call(parts, dim))
