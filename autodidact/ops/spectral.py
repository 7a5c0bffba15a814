"""QR, eigenvalues and singular values, with LAPACK's choice of signs, as PyTorch returns them.

Where values coincide their vectors are not determined; what does not depend on the choice keeps its
derivative: differences of equal values count as 1 there instead of dividing by 0.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import certainly, made
from autodidact.ops.batching import along
from autodidact.ops.decomposition import (
    H,
    LinAlgError,
    complex_numbers,
    diagonal,
    embed,
    linalg_solve,
    linalg_solve_triangular,
)
from autodidact.ops.join import triu
from autodidact.ops.op import Op, conj

linalg_qr = Op("linalg_qr(self, *, mode)", outputs = ("Q", "R"),   # A = Q R, Qᴴ Q = I
    forward = lambda self, mode: qr_factors(self, mode),
    vjp     = {"self": lambda grads, Q, R, mode: qr_grad(grads, Q, R, mode)},
    jvp     = lambda self_t, Q, R, mode: qr_tangent(self_t, Q, R, mode),
    node    = "LinalgQrBackward0", batch = along)

linalg_eigh = Op("linalg_eigh(self, *, UPLO)", outputs = ("eigenvalues", "eigenvectors"),
    forward = lambda self, UPLO: symmetric_eigen(self, UPLO),
    vjp     = {"self": lambda grads, eigenvalues, eigenvectors:
               eigh_grad(grads, eigenvalues, eigenvectors)},
    jvp     = lambda self_t, eigenvalues, eigenvectors:
              eigh_tangent(self_t, eigenvalues, eigenvectors),
    node    = "LinalgEighBackward0", batch = along)

linalg_eig = Op("linalg_eig(self)", outputs = ("eigenvalues", "eigenvectors"),
    forward = lambda self: eigen(self),
    vjp     = {"self": lambda grads, self_dtype, eigenvalues, eigenvectors:
               eig_grad(grads, self_dtype, eigenvalues, eigenvectors)},
    jvp     = lambda self_t, eigenvalues, eigenvectors:
              eig_tangent(self_t, eigenvalues, eigenvectors),
    node    = "LinalgEigBackward0", batch = along)

linalg_svd = Op("linalg_svd(self)", outputs = ("U", "S", "Vh"),    # A = U diag(S) Vᴴ
    forward = lambda self: singular(self),
    vjp     = {"self": lambda grads, U, S, Vh: svd_grad(grads, U, S, Vh)},
    jvp     = lambda self_t, U, S, Vh: svd_tangent(self_t, U, S, Vh),
    node    = "LinalgSvdBackward0", batch = along)

svd_complement = Op("svd_complement(self)", outputs = ("left", "right"),   # what U and Vᴴ lack
    forward = lambda self: complement(self),
    batch   = along)


# ---- longer mathematics -------------------------------------------------------------------------


def row(x: Any) -> Any:
    """Vectors as matrices of one row."""
    return x.reshape((*x.shape[:-1], 1, x.shape[-1]))


def column(x: Any) -> Any:
    """Vectors as matrices of one column."""
    return x.reshape((*x.shape, 1))


def gaps(x: Any) -> Any:
    """x[j] - x[i] for all pairs, and 1 where that is 0, as on the diagonal."""
    apart = row(x) - column(x)
    return np.where(apart == 0, 1, apart)


def hollow(x: Any) -> Any:
    """The matrices with zeros on the diagonal."""
    return x - embed(diagonal(x))


# ---- QR -----------------------------------------------------------------------------------------


def qr_factors(A: Any, mode: str) -> tuple:
    """Q and R; an empty Q for mode "r"."""
    if mode == "r":
        return made(A, np.empty, (0,), A.dtype), np.linalg.qr(A, mode="r")
    return tuple(np.linalg.qr(A, mode=mode))


def check_mode(Q: Any, mode: str) -> None:
    """PyTorch's refusals: without Q there is no derivative, nor for vectors nobody asked for."""
    if mode == "r":
        raise RuntimeError("The derivative of linalg.qr depends on Q, which is not computed when "
                           "mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to "
                           "require gradients.")
    if mode == "complete":
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and "
                           "nrows > ncols.")


def upper_once(x: Any) -> Any:
    """Of a sum x + xᴴ the upper triangle, the diagonal once: its real part."""
    return triu(x + H(x), 0) - embed(real_part(diagonal(x)))


def real_part(x: Any) -> Any:
    """The real part, of real numbers themselves; in x's dtype."""
    return (x + conj(x)) / 2


def qr_grad(grads: tuple, Q: Any, R: Any, mode: str) -> Any:
    """(Q s(triu(gR Rᴴ - Qᴴ gQ)) + gQ) R⁻ᴴ; s mirrors the triangle."""
    check_mode(Q, mode)
    gQ, gR = grads
    inner = gR @ H(R) if gR is not None else None
    if gQ is not None:
        inner = -H(Q) @ gQ if inner is None else inner - H(Q) @ gQ
    upper = triu(inner, 1)
    total = Q @ (upper + H(upper) + embed(real_part(diagonal(inner))))
    total = total if gQ is None else total + gQ
    return H(linalg_solve_triangular(R, H(total), True, False))


def qr_tangent(A_t: Any, Q: Any, R: Any, mode: str) -> tuple:
    """With X = Qᴴ dA R⁻¹: dR = u(X) R, dQ = dA R⁻¹ - Q u(X); u: what is upper of X + Xᴴ."""
    check_mode(Q, mode)
    moved = H(linalg_solve_triangular(H(R), H(A_t), False, False))
    part = upper_once(H(Q) @ moved)
    return moved - Q @ part, part @ R


# ---- eigenvalues --------------------------------------------------------------------------------


def symmetric_eigen(A: Any, UPLO: str) -> tuple:
    """Eigenvalues in ascending order and orthonormal eigenvectors; one triangle is looked at."""
    return tuple(np.linalg.eigh(A, UPLO.upper()))


def eigh_grad(grads: tuple, L: Any, V: Any) -> Any:
    """V (diag(gL) + (Vᴴ gV) / (L[j] - L[i])) Vᴴ, made symmetric."""
    gL, gV = grads
    if gV is None:
        return (V * row(gL)) @ H(V)
    inner = hollow(H(V) @ gV / gaps(L))
    found = V @ (inner if gL is None else inner + embed(gL)) @ H(V)
    return (found + H(found)) / 2


def eigh_tangent(A_t: Any, L: Any, V: Any) -> tuple:
    """DL = diag(Vᴴ dA V); dV = V (Vᴴ dA V / (L[j] - L[i]))."""
    moved = H(V) @ ((A_t + H(A_t)) / 2) @ V
    values = diagonal(moved)
    return values.real if complex_numbers(values) else values, V @ hollow(moved / gaps(L))


def eigen(A: Any) -> tuple:
    """Complex eigenvalues and eigenvectors of length 1."""
    if certainly(~np.isfinite(A).all()):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    L, V = np.linalg.eig(A)
    kind = np.complex64 if A.dtype.name in ("float32", "complex64") else np.complex128
    return L.astype(kind), V.astype(kind)


def eig_grad(grads: tuple, dtype: Any, L: Any, V: Any) -> Any:
    """V⁻ᴴ (diag(gL) + (Vᴴ gV - VᴴV diag Re Vᴴ gV) / conj(L[j] - L[i])) Vᴴ."""
    gL, gV = grads
    inner = None if gL is None else embed(gL)
    if gV is not None:
        turned = H(V) @ gV
        turned = turned - (H(V) @ V) * row(real_part(diagonal(turned)))
        turned = hollow(turned / conj(gaps(L)))
        inner = turned if inner is None else inner + turned
    found = linalg_solve(H(V), inner @ H(V))
    return found if np.dtype(dtype).kind == "c" else found.real


def eig_tangent(A_t: Any, L: Any, V: Any) -> tuple:
    """The eigenvalues' tangents, and the eigenvectors', which keep their length."""
    moved = linalg_solve(V, (A_t + 0 * V) @ V)
    free = V @ hollow(moved / gaps(L))
    return diagonal(moved), free - V * row(real_part(diagonal(H(V) @ free)))


# ---- singular values ----------------------------------------------------------------------------


def singular(A: Any) -> tuple:
    """The thin factors; singular values in descending order."""
    try:
        return tuple(np.linalg.svd(A, full_matrices=False))
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.svd: The algorithm failed to converge because the input matrix "
                          "contained non-finite values.") from None


def complement(A: Any) -> tuple:
    """The further columns of a square U, and rows of a square Vᴴ."""
    U, S, Vh = np.linalg.svd(A, full_matrices=True)
    return U[..., S.shape[-1]:], Vh[..., S.shape[-1]:, :]


def skew(x: Any) -> Any:
    """X - Xᴴ."""
    return x - H(x)


def svd_grad(grads: tuple, U: Any, S: Any, Vh: Any) -> Any:
    """U [(skew(Uᴴ gU) / E) S + S (skew(Vᴴ gV) / E) + diag(gS)] Vᴴ, E = S[j]² - S[i]².

    What gU and gV have outside the spaces of U and V comes on top, over S.
    """
    gU, gS, gVh = grads
    if gU is None and gVh is None:
        return (U * row(gS)) @ Vh
    inner, E = None if gS is None else embed(gS), gaps(S * S)
    parts = []
    if gU is not None:
        turned = skew(H(U) @ gU)
        parts.append(hollow(turned / E) * row(S))
        if complex_numbers(U):
            parts.append(embed(diagonal(turned) / (2 * S)))
    if gVh is not None:
        parts.append(column(S) * hollow(skew(Vh @ H(gVh)) / E))
    for part in parts:
        inner = part if inner is None else inner + part
    m, k, n = U.shape[-2], S.shape[-1], Vh.shape[-1]
    if m > k and gU is not None:
        over = gU / row(S)
        return (U @ inner + over - U @ (H(U) @ over)) @ Vh
    if n > k and gVh is not None:
        over = gVh / column(S)
        return U @ (inner @ Vh + over - (over @ H(Vh)) @ Vh)
    return U @ inner @ Vh


def svd_tangent(A_t: Any, U: Any, S: Any, Vh: Any) -> tuple:
    """With P = Uᴴ dA V: dS = Re diag P, Uᴴ dU = (P S + S Pᴴ) / E, Vᴴ dV = (S P + Pᴴ S) / E."""
    V, E = H(Vh), gaps(S * S)
    P = H(U) @ A_t @ V
    PS, SP = P * row(S), column(S) * P
    dS, dU = diagonal(P), U @ hollow((PS + H(PS)) / E)
    dV = V @ hollow((SP + H(SP)) / E)
    if complex_numbers(P):
        dU = dU + U * row((dS - real_part(dS)) / S)
        dS = dS.real
    if U.shape[-2] > S.shape[-1]:
        over = (A_t @ V) / row(S)
        dU = dU + over - U @ (H(U) @ over)
    if Vh.shape[-1] > S.shape[-1]:
        over = (H(A_t) @ U) / row(S)
        dV = dV + over - V @ (Vh @ over)
    return dU, dS, H(dV)
