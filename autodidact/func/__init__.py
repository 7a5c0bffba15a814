"""torch.func: derivatives and batching as functions of functions."""

from autodidact.func.forward import jvp
from autodidact.func.functional_call import (
    functional_call,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from autodidact.func.jacobians import hessian, jacfwd, jacrev, linearize
from autodidact.func.transforms import grad, grad_and_value, vjp
from autodidact.func.vmap import vmap
from autodidact.levels import loaded as _loaded  # noqa: F401 - what runs inside transforms

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
