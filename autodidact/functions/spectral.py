"""`torch.linalg`: QR, eigenvalues, singular values, and what is made of them."""

import math
from typing import Any

import numpy as np

from autodidact.functions import statistics
from autodidact.functions.decomposition import (
    inv,
    matrices,
    pinv,
    square,
    tolerances,
)
from autodidact.functions.joining import cat
from autodidact.functions.reduction import returned
from autodidact.ops import spectral as rows
from autodidact.public import both
from autodidact.tensor import Tensor, wrap

__all__ = ["cond", "eig", "eigh", "eigvals", "eigvalsh", "lstsq", "matrix_norm", "matrix_rank",
           "norm", "qr", "svd", "svdvals", "vector_norm"]

QR, EIGH, EIG, SVD, OLD_SVD, LSTSQ = (returned(n, f) for n, f in (
    ("linalg_qr", "Q R"), ("linalg_eigh", "eigenvalues eigenvectors"),
    ("linalg_eig", "eigenvalues eigenvectors"), ("linalg_svd", "U S Vh"), ("svd", "U S V"),
    ("linalg_lstsq", "solution residuals rank singular_values")))


# ---- QR -----------------------------------------------------------------------------------------


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """(Q, R) with `A = Q R`, Q's columns orthonormal and R upper triangular.

    Args:
        A: matrices (..., m, n).
        mode: "reduced" (Q of min(m, n) columns), "complete" (Q square), or "r" (R only).

    Raises:
        RuntimeError: for another mode.
    """
    matrices(A, "qr")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' "
                           "(default), 'r', or 'complete'")
    m, n = A._array.shape[-2:]
    if m < n and mode != "r":            # the first columns decide on Q
        Q, R = rows.linalg_qr.call(A[..., :m], "reduced")
        return QR(Q, cat((R, Q.mH @ A[..., m:]), -1))
    return QR(*rows.linalg_qr.call(A, "reduced" if mode == "complete" and m == n else mode))


both(lambda input, some=True: qr(input, "reduced" if some else "complete"), "qr")


# ---- eigenvalues --------------------------------------------------------------------------------


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues (ascending) and eigenvectors of symmetric (Hermitian) matrices.

    Only the triangle that UPLO names is read; the gradient counts as if A stayed symmetric.
    """
    square(A, "eigh")
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return EIGH(*rows.linalg_eigh.call(A, UPLO))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric (Hermitian) matrices, ascending."""
    return eigh(A, UPLO)[0]


def eig(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors of square matrices: always complex, in LAPACK's order."""
    square(A, "eig")
    return EIG(*rows.linalg_eig.call(A))


def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, complex."""
    return eig(A)[0]


# ---- singular values ----------------------------------------------------------------------------


def svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """(U, S, Vh) with `A = U diag(S) Vh`; S descending.

    With full_matrices U and Vh are square; the added columns are free to choose, hence constants.
    """
    matrices(A, "svd")
    U, S, Vh = rows.linalg_svd.call(A)
    m, n = A._array.shape[-2:]
    if full_matrices and m != n:
        left, right = rows.svd_complement.call(A.detach())
        U, Vh = (cat((U, left), -1), Vh) if m > n else (U, cat((Vh, right), -2))
    return SVD(U, S, Vh)


def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """The old form: (U, S, V) with `input = U diag(S) Vᴴ`."""
    U, S, Vh = svd(input, not some)
    return OLD_SVD(U, S, Vh.mH) if compute_uv else OLD_SVD(U.detach() * 0, S, Vh.mH.detach() * 0)


both(old_svd, "svd")


def svdvals(A: Tensor, *, driver: Any = None) -> Tensor:
    """The singular values, descending."""
    matrices(A, "svdvals")
    return rows.linalg_svd.call(A)[1]


def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None,
                rtol: Any = None) -> Tensor:
    """How many singular values are above max(atol, rtol s₀)."""
    matrices(A, "matrix_rank")
    atol, rtol = tolerances(A, tol if tol is not None else atol, rtol if tol is None else 0.0)
    if not A._array.size:
        return wrap(np.zeros(A._array.shape[:-2], np.int64))
    S = eigvalsh(A.detach()).abs() if hermitian else svdvals(A.detach())
    atol, rtol = (wrap(np.asarray(t, S._array.dtype)) for t in (atol, rtol))
    return (S > (rtol * S.amax(-1, keepdim=True)).maximum(atol)).sum(-1)


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> Any:
    """The X with the least `|A X - B|`: (solution, residuals, rank, singular_values)."""
    matrices(A, "lstsq", "input")
    m, n = A._array.shape[-2:]
    vector = B._array.ndim == 1 or A._array.shape[:-1] == B._array.shape
    right = B.unsqueeze(-1) if vector else B
    if right._array.shape[-2] != m:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    solution = pinv(A, rcond) @ right
    rank = matrix_rank(A, rtol=rcond)
    residuals = solution.reshape(-1)[:0]
    if m > n and driver not in (None, "gelsy") and bool((rank == n).all()):
        residuals = (A @ solution - right).abs().square().sum(-2)
    values = svdvals(A).detach() if driver in ("gelsd", "gelss") else wrap(np.zeros(0, S_dtype(A)))
    rank = wrap(np.zeros(0, np.int64)) if driver == "gels" else rank
    return LSTSQ(solution.squeeze(-1) if vector else solution, residuals, rank, values)


def S_dtype(A: Tensor) -> np.dtype:
    """The dtype of absolute values."""
    return np.abs(np.zeros((), A._array.dtype)).dtype


# ---- norms --------------------------------------------------------------------------------------


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *,
                dtype: Any = None, out: Any = None) -> Tensor:
    """The p-norm of all entries, or along `dim`."""
    if x._array.dtype.kind not in "fc":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as "
                           f"input. Got {x.type().rpartition('.')[2].removesuffix('Tensor')}")
    return x.norm(ord, dim, keepdim, dtype=dtype)


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *,
                dtype: Any = None, out: Any = None) -> Tensor:
    """The norm of matrices: "fro", "nuc", inf, -inf, 1, -1, 2 or -2.

    Raises:
        RuntimeError: for another order, or less than two dimensions.
    """
    matrices(A, "matrix_norm")
    A = A if dtype is None else A.to(dtype)
    first, second = (d % A._array.ndim for d in dim)
    if first == second:
        raise RuntimeError("linalg.matrix_norm: dims must be different. Got "
                           f"({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim)
    if ord not in ("nuc", 2, -2, 1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord in (1, -1, math.inf, -math.inf):
        gone, left = (first, second) if ord in (1, -1) else (second, first)
        sums = A.abs().sum(gone, keepdim=True)
        found = sums.amax(left, keepdim=True) if ord > 0 else sums.amin(left, keepdim=True)
    else:
        S = svdvals(A.movedim((first, second), (-2, -1)))
        found = S.sum(-1) if ord == "nuc" else S.amax(-1) if ord == 2 else S.amin(-1)
        for d in sorted((first, second)):
            found = found.unsqueeze(d)
    return found if keepdim else found.squeeze((first, second))


def norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *,
         dtype: Any = None, out: Any = None) -> Tensor:
    """The norm of a vector or a matrix: of a matrix where `dim` names two dimensions.

    Args:
        input: floating or complex.
        ord: None for the 2-norm of all entries; a number, "fro" or "nuc".
        dim: one dimension (vectors), two (matrices), or None.
        keepdim: they stay, with size 1.
        dtype: the dtype to compute in.
        out: a tensor to write into.

    Example:
        >>> torch.linalg.norm(torch.tensor([3., 4.]))
        tensor(5.)
    """
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    rank = input._array.ndim
    if dim is None and rank not in (1, 2):
        raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D "
                           f"or 2D. Got {rank}D.")
    dims = (dim,) if isinstance(dim, int) else dim
    if dims is None:
        dims = tuple(range(-rank, 0))
    if isinstance(ord, str) or len(dims) == 2:
        if len(dims) != 2:
            raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple. Got "
                               f"{', '.join(map(str, dims))}" if dim is not None else
                               "linalg.matrix_norm: The input tensor A must have at least 2 "
                               "dimensions.")
        return matrix_norm(input, ord, dims, keepdim, dtype=dtype)
    return vector_norm(input, ord, dims, keepdim, dtype=dtype)


statistics.NUCLEAR = lambda x, dim, keepdim, dtype: matrix_norm(
    x, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much solving with A can magnify errors: `|A| |A⁻¹|` in the norm p (2 by default)."""
    matrices(A, "cond")
    if p in (None, 2, -2):
        S = svdvals(A)
        return S[..., -1] / S[..., 0] if p == -2 else S[..., 0] / S[..., -1]
    square(A, "cond")
    if p == "nuc":
        return svdvals(A).sum(-1) * svdvals(inv(A)).sum(-1)
    return matrix_norm(A, p) * matrix_norm(inv(A), p)
