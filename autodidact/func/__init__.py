"""torch.func: derivatives and batching as functions of functions."""

from autodidact.func.jacobians import hessian, jacfwd, jacrev, linearize
from autodidact.func.transforms import grad, grad_and_value, jvp, vjp
from autodidact.func.vmap import vmap

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
