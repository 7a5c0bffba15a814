"""Products of matrices and vectors.

Every product is linear in each of its inputs, so the gradient of one is a product with the other:
for C = A B, dA = dC Bᴴ and dB = Aᴴ dC.
"""

from typing import Any

import numpy as np

from autodidact.ops import kernels
from autodidact.ops.op import Op, conj, multilinear
from autodidact.ops.view import t

mm = Op("mm(self, mat2)",                                         # matrix times matrix
    forward = lambda self, mat2: np.matmul(self, mat2),
    vjp     = {"self": lambda grad, mat2: mm(grad, conj(t(mat2))),
               "mat2": lambda grad, self: mm(conj(t(self)), grad)},
    kernels = {"forward": kernels.mm, "self": kernels.mm_self, "mat2": kernels.mm_mat2},
    promote = "common",            # the callers let equal dtypes through only
    kind    = multilinear)

bmm = Op("bmm(self, mat2)",                                       # a batch of them
    forward = lambda self, mat2: np.matmul(self, mat2),
    vjp     = {"self": lambda grad, mat2: np.matmul(grad, conj(mat2.swapaxes(1, 2))),
               "mat2": lambda grad, self: np.matmul(conj(self.swapaxes(1, 2)), grad)},
    promote = "common",            # the callers let equal dtypes through only
    kind    = multilinear)

mv = Op("mv(self, vec)",                                          # matrix times vector
    forward = lambda self, vec: np.matmul(self, vec),
    vjp     = {"self": lambda grad, vec: outer_product(grad, conj(vec)),
               "vec":  lambda grad, self: mv(conj(t(self)), grad)},
    kernels = {"forward": kernels.mv, "self": kernels.mv_self, "vec": kernels.mv_vec},
    promote = "common",            # the callers let equal dtypes through only
    kind    = multilinear)

dot = Op("dot(self, tensor)",                                     # vector times vector
    forward = lambda self, tensor: np.dot(self, tensor),
    vjp     = {"self":   lambda grad, tensor: grad * conj(tensor),
               "tensor": lambda grad, self: grad * conj(self)},
    promote = "common",            # the callers let equal dtypes through only
    kind    = multilinear)

vdot = Op("vdot(self, other)",                                    # the same, with self conjugated
    forward = lambda self, other: np.vdot(self, other),
    vjp     = {"self":  lambda grad, other: conj(grad) * other,
               "other": lambda grad, self: grad * self},
    promote = "common",            # the callers let equal dtypes through only
    kind    = multilinear)

addmm = Op("addmm(self, mat1, mat2, *, beta, alpha)",             # beta self + alpha (mat1 mat2)
    forward = lambda self, mat1, mat2, beta, alpha:
              combine(self, np.matmul(mat1, mat2), beta, alpha),
    vjp     = {"self": lambda grad, beta: scale(grad, beta),
               "mat1": lambda grad, mat2, alpha:
                       scale(mm(grad, conj(t(mat2))), alpha),
               "mat2": lambda grad, mat1, alpha:
                       scale(mm(conj(t(mat1)), grad), alpha)},
    jvp     = lambda self_t, mat1, mat1_t, mat2, mat2_t, beta, alpha:
              scale(self_t, beta)
              + scale(np.matmul(mat1_t, mat2) + np.matmul(mat1, mat2_t), alpha))

addmv = Op("addmv(self, mat, vec, *, beta, alpha)",               # beta self + alpha (mat vec)
    forward = lambda self, mat, vec, beta, alpha:
              combine(self, np.matmul(mat, vec), beta, alpha),
    vjp     = {"self": lambda grad, beta: scale(grad, beta),
               "mat":  lambda grad, vec, alpha: scale(outer_product(grad, conj(vec)), alpha),
               "vec":  lambda grad, mat, alpha:
                       scale(mv(conj(t(mat)), grad), alpha)},
    jvp     = lambda self_t, mat, mat_t, vec, vec_t, beta, alpha:
              scale(self_t, beta) + scale(np.matmul(mat_t, vec) + np.matmul(mat, vec_t), alpha))

baddbmm = Op("baddbmm(self, batch1, batch2, *, beta, alpha)",     # the same for batches
    forward = lambda self, batch1, batch2, beta, alpha:
              combine(self, np.matmul(batch1, batch2), beta, alpha),
    vjp     = {"self":   lambda grad, beta: scale(grad, beta),
               "batch1": lambda grad, batch2, alpha:
                         scale(np.matmul(grad, conj(batch2.swapaxes(1, 2))), alpha),
               "batch2": lambda grad, batch1, alpha:
                         scale(np.matmul(conj(batch1.swapaxes(1, 2)), grad), alpha)},
    jvp     = lambda self_t, batch1, batch1_t, batch2, batch2_t, beta, alpha:
              scale(self_t, beta)
              + scale(np.matmul(batch1_t, batch2) + np.matmul(batch1, batch2_t), alpha))


def outer_product(a: Any, b: Any) -> Any:
    """Every entry of a vector times every entry of another."""
    return a.reshape((-1, 1)) * b.reshape((1, -1))


def scale(grad: Any, factor: Any) -> Any:
    """The gradient times a Python number; itself for 1."""
    return grad if factor == 1 else grad * factor


def combine(self: np.ndarray, product: np.ndarray, beta: Any, alpha: Any) -> np.ndarray:
    """beta self + alpha product; a beta of 0 ignores what `self` holds, NaN included."""
    number = product.dtype.type
    if alpha != 1:
        product = product * number(alpha)
    if beta == 0:
        return product
    return product + (self if beta == 1 else self * number(beta))
