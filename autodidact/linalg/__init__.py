"""torch.linalg: linear algebra on batches of matrices."""

from autodidact.functions.decomposition import (
    cholesky,
    cholesky_ex,
    det,
    inv,
    inv_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    matrix_exp,
    pinv,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
)
from autodidact.functions.linalg import matmul
from autodidact.functions.matrices import (
    cross,
    diagonal,
    matrix_power,
    multi_dot,
    tensorinv,
    tensorsolve,
    vander,
    vecdot,
)
from autodidact.functions.spectral import (
    cond,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lstsq,
    matrix_norm,
    matrix_rank,
    norm,
    qr,
    svd,
    svdvals,
    vector_norm,
)
from autodidact.ops.decomposition import LinAlgError

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh",
    "eigvals", "eigvalsh", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve",
    "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm",
    "pinv", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv",
    "tensorsolve", "vander", "vecdot", "vector_norm",
]
