"""The vector product."""

import numpy as np

from autodidact.ops.batching import along
from autodidact.ops.op import Op, conj, multilinear

linalg_cross = Op("linalg_cross(self, other, *, dim)",             # linear in each of the two
    forward = lambda self, other, dim: np.cross(self, other, axis=dim),
    vjp     = {"self":  lambda grad, other, dim: linalg_cross(conj(other), grad, dim),
               "other": lambda grad, self, dim: linalg_cross(grad, conj(self), dim)},
    promote = "common", kind = multilinear, batch = along)
