"""Cases of the rows of linear algebra, of Fourier transforms, and of scattering.

Where only one triangle is read, or the choice of signs would jump, differences say nothing:
`tests/functions/test_linear_algebra.py` takes them of what is made of these rows.
"""

import numpy as np

from tests.ops.domains import case, complex_, drawn, exactly, integers, real

WELL = drawn(lambda rng, shape: rng.normal(size=shape) + 3 * np.eye(shape[-2], shape[-1]))
COMPLEX = drawn(lambda rng, shape: rng.normal(size=shape) + 1j * rng.normal(size=shape)
                + 3 * np.eye(shape[-2], shape[-1]))


def positive_definite(*shape):
    """Maker of symmetric matrices with eigenvalues well above 0 and apart."""
    return lambda rng: symmetric(rng.normal(size=shape), shape[-1])


def symmetric(A, n):
    """A matrix and its transpose, and a growing diagonal."""
    return (A + np.swapaxes(A, -1, -2)) / 4 + np.diag(np.arange(2.0, 2 + 2 * n, 2))


def singular(rng):
    """A matrix of rank 2."""
    A = rng.normal(size=(3, 3))
    A[2] = A[0] + A[1]
    return A


ONCE = {"duck": False}

# ---- solving ------------------------------------------------------------------------------------

case("linalg_inv", WELL(2, 3, 3), code="torch.linalg.inv(x)", value=np.linalg.inv, **ONCE)
case("linalg_inv", COMPLEX(2, 2), code="torch.linalg.inv(x)", tag="complex", **ONCE)
case("linalg_solve", WELL(2, 3, 3), real(2, 3, 2), code="torch.linalg.solve(x, y)",
     value=np.linalg.solve, node=False, **ONCE)
case("linalg_solve", COMPLEX(2, 2), complex_(2, 1), code="torch.linalg.solve(x, y)", node=False,
     tag="complex", **ONCE)
for upper, unit in ((True, False), (False, True)):
    case("linalg_solve_triangular", WELL(2, 3, 3), real(2, 3, 2),
         args={"upper": upper, "unitriangular": unit}, tag=f"{upper}",
         code=f"torch.linalg.solve_triangular(x, y, upper={upper}, unitriangular={unit})", **ONCE)
case("linalg_det", WELL(2, 3, 3), code="torch.linalg.det(x)", value=np.linalg.det, node=False,
     **ONCE)
case("linalg_det", COMPLEX(3, 3), code="torch.linalg.det(x)", node=False, tag="complex", **ONCE)
case("linalg_slogdet", WELL(2, 3, 3), code="torch.linalg.slogdet(x)", node=False,
     value=lambda A: tuple(np.linalg.slogdet(A)), **ONCE)
case("linalg_slogdet", COMPLEX(3, 3), code="torch.linalg.slogdet(x)", node=False, tag="complex",
     **ONCE)

# ---- factors ------------------------------------------------------------------------------------

case("linalg_cholesky", positive_definite(2, 3, 3), code="torch.linalg.cholesky(x)", smooth=False,
     value=np.linalg.cholesky, **ONCE)
case("lu_square", WELL(2, 3, 3), **ONCE)
case("lu_order", WELL(2, 3, 3), **ONCE)
case("svd_complement", WELL(3, 2), **ONCE)
case("linalg_pinv", WELL(2, 3, 3), args={"rcond": 1e-15, "atol": 0.0, "hermitian": False},
     code="torch.linalg.pinv(x)", node=False, value=lambda A, *_: np.linalg.inv(A), **ONCE)
for shape in ((3, 2), (2, 3)):
    case("linalg_pinv", WELL(*shape), args={"rcond": 1e-15, "atol": 0.0, "hermitian": False},
         code="torch.linalg.pinv(x)", node=False, tag=f"{shape}", **ONCE)
case("linalg_matrix_exp", real(2, 2, 2), code="torch.linalg.matrix_exp(x)", **ONCE)
case("linalg_matrix_exp", complex_(2, 2), code="torch.linalg.matrix_exp(x)", tag="complex", **ONCE)
case("linalg_qr", WELL(2, 3, 2), args={"mode": "reduced"}, code="torch.linalg.qr(x)", **ONCE)
case("linalg_qr", COMPLEX(2, 2), args={"mode": "reduced"}, code="torch.linalg.qr(x)",
     tag="complex", **ONCE)
case("linalg_svd", WELL(2, 3, 2), code="torch.linalg.svd(x, full_matrices=False)", **ONCE)
# Of these the signs of vectors are PyTorch's LAPACK's own choice: only lengths are compared.
case("linalg_svd", WELL(2, 3), tag="wide", node=False, **ONCE,
     code="[f.abs() for f in torch.linalg.svd(x, full_matrices=False)]")
case("linalg_svd", COMPLEX(2, 2), tag="complex", second=False, smooth=False, **ONCE)
case("linalg_eigh", positive_definite(2, 3, 3), args={"UPLO": "L"}, smooth=False, node=False,
     code="[f.abs() for f in torch.linalg.eigh(x)]", **ONCE)
case("linalg_eig", WELL(3, 3), code=None, smooth=False, **ONCE)
case("linalg_cross", real(2, 3), real(2, 3), args={"dim": 1}, code="torch.linalg.cross(x, y)",
     value=lambda x, y, dim: np.cross(x, y), **ONCE)

# ---- Fourier transforms -------------------------------------------------------------------------

case("fft_c2c", complex_(3, 4), args={"dims": (0, 1), "scale": 0, "forward": True},
     code="torch.fft.fftn(x)", value=lambda x, *_: np.fft.fftn(x), **ONCE)
case("fft_c2c", complex_(3, 5), args={"dims": (1,), "scale": 1, "forward": False},
     code="torch.fft.ifft(x, norm='ortho')", tag="back", **ONCE)
for n in (4, 5):
    case("fft_r2c", real(3, n), args={"dims": (0, 1), "scale": 0}, tag=f"{n}",
         code="torch.fft.rfftn(x)", node=False,
         value=lambda x, *_: np.fft.rfftn(x), **ONCE)
    case("fft_half_back", complex_(3, n // 2 + 1), args={"dims": (0, 1), "scale": 1, "n": n},
         tag=f"{n}", **ONCE)
    case("fft_c2r", complex_(3, n // 2 + 1), args={"dims": (0, 1), "scale": 2, "n": n},
         code=f"torch.fft.irfftn(x, s=(3, {n}))", tag=f"{n}", **ONCE)
    case("fft_mirrored", real(3, n),
         args={"dims": (0, 1), "scale": 1, "kept": n // 2 + 1, "n": n}, tag=f"{n}", **ONCE)

# ---- many entries at one place ------------------------------------------------------------------

PLACES = exactly([[0, 1, 1, 0], [2, 0, 2, 2]], np.int64)
for name in ("amax", "amin", "prod"):
    case(f"scatter_{name}", real(3, 4), PLACES, real(2, 4), args={"dim": 0}, node=False,
         code=f"x.scatter_reduce(0, y, z, '{name}')", **ONCE)
    case(f"scatter_{name}", exactly([2.0, 0.0, 1.0]), exactly([0, 0, 1, 1], np.int64),
         exactly([2.0, 0.0, 0.0, 0.0]), args={"dim": 0}, node=False, smooth=False, tag="ties",
         code=f"x.scatter_reduce(0, y, z, '{name}')", **ONCE)

case("mode_place", integers(0, 3)(3, 4), args={"dim": 1}, code="x.mode(1, keepdim=True).indices",
     **ONCE)

# ---- sequences stretched over time --------------------------------------------------------------

SEQUENCES = {"targets": ((1, 2), (2, 2)), "steps": (4, 5), "blank": 0}
case("ctc_loss", drawn(lambda rng, shape: log_shares(rng.normal(size=shape)))(5, 2, 3),
     args=SEQUENCES, smooth=False, second=False, node=False, **ONCE,
     code="F.ctc_loss(x, torch.tensor([[1, 2], [2, 2]]), torch.tensor([4, 5]), "
          "torch.tensor([2, 2]), reduction='none')")
case("ctc_backward", real(2), real(5, 2, 3), args=SEQUENCES, **ONCE)


def log_shares(x):
    """Logarithms of numbers that sum to 1 along the last dimension."""
    return x - np.log(np.exp(x).sum(-1, keepdims=True))
