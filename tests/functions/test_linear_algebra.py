"""What is made of the rows of linear algebra: derivatives of what does not depend on signs."""

import pytest

import autodidact as torch

DOUBLE = {"dtype": torch.float64}


def symmetric(A):
    """A positive definite matrix of any other."""
    return A @ A.mH + 2 * torch.eye(A.shape[-1], **DOUBLE)


FUNCTIONS = {
    "cholesky": lambda A: torch.linalg.cholesky(symmetric(A)),
    "cholesky, upper": lambda A: torch.linalg.cholesky(symmetric(A), upper=True),
    "eigvalsh": lambda A: torch.linalg.eigvalsh(symmetric(A)),
    "eigh": lambda A: projector(*torch.linalg.eigh(symmetric(A))),
    "eig": lambda A: torch.linalg.eigvals(A).abs(),
    "svd": lambda A: torch.linalg.svd(A[:, :2], full_matrices=False)[0].abs(),
    "svd of a wide matrix": lambda A: torch.linalg.svd(A[:2], full_matrices=False)[2].abs(),
    "nuclear norm": lambda A: torch.linalg.norm(A, "nuc"),
    "qr of a wide matrix": lambda A: torch.linalg.qr(A[:2])[1],
    "lu": lambda A: torch.linalg.lu(A)[1:],
    "lu of a tall matrix": lambda A: torch.linalg.lu(A[:, :2])[1:],
    "lu of a wide matrix": lambda A: torch.linalg.lu(A[:2])[1:],
    "lu_solve": lambda A: torch.linalg.lu_solve(*torch.linalg.lu_factor(A), A[:, :1]),
    "solve from the right": lambda A: torch.linalg.solve(A, A[:1] * 2, left=False),
    "lstsq": lambda A: torch.linalg.lstsq(A[:, :2], A[:, 2:])[0],
    "matrix_power": lambda A: torch.matrix_power(A, -3),
    "matrix_exp": lambda A: torch.matrix_exp(A / 2),
    "multi_dot": lambda A: torch.linalg.multi_dot([A[0], A[:, :2], A[:2], A[1]]),
    "cond": lambda A: torch.linalg.cond(A),
    "cdist": lambda A: torch.cdist(A, A[:2] + 1),
    "logdet": lambda A: torch.logdet(symmetric(A)),
}


def projector(values, vectors):
    """The matrix onto the eigenvector of the largest eigenvalue."""
    return vectors[:, -1:] @ vectors[:, -1:].mH, values


def matrix(dtype=torch.float64):
    """A 3 by 3 matrix, well apart from singular ones."""
    torch.manual_seed(3)
    return (torch.randn(3, 3, dtype=dtype) + 2 * torch.eye(3, dtype=dtype)).requires_grad_()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    assert torch.autograd.gradcheck(FUNCTIONS[name], (matrix(),))
    assert torch.autograd.gradgradcheck(FUNCTIONS[name], (matrix(),))


def test_factors_multiply_to_the_matrix():
    A = torch.randn(2, 4, 3, **DOUBLE)
    U, S, Vh = torch.linalg.svd(A)
    assert U.shape == (2, 4, 4) and Vh.shape == (2, 3, 3)
    assert torch.allclose(U[..., :3] * S.unsqueeze(-2) @ Vh, A)
    Q, R = torch.linalg.qr(A)
    assert torch.allclose(Q @ R, A)
    P, L, U = torch.linalg.lu(A)
    assert torch.allclose(P @ L @ U, A)
    B = A[:, :3]
    LU, pivots = torch.linalg.lu_factor(B)
    for adjoint in (False, True):
        X = torch.linalg.lu_solve(LU, pivots, A[:, 1:], adjoint=adjoint)
        assert torch.allclose((B.mT if adjoint else B) @ X, A[:, 1:])
    L, V = torch.linalg.eig(B)
    assert torch.allclose(V * L.unsqueeze(-2), B.to(torch.complex128) @ V)


SINGULAR = torch.tensor([[1.0, 2.0], [2.0, 4.0]], **DOUBLE)


@pytest.mark.parametrize("call", [
    lambda: torch.linalg.inv(SINGULAR), lambda: torch.linalg.solve(SINGULAR, SINGULAR),
    lambda: torch.linalg.cholesky(-SINGULAR)], ids=["inv", "solve", "cholesky"])
def test_what_does_not_exist(call):
    with pytest.raises(torch.linalg.LinAlgError):
        call()


def test_determinant_of_a_singular_matrix_has_a_gradient():
    A = SINGULAR.clone().requires_grad_()
    torch.linalg.det(A).backward()
    assert torch.allclose(A.grad, torch.tensor([[4.0, -2.0], [-2.0, 1.0]], **DOUBLE))
