"""Rows that need no reading of arguments: bound once, offered under their own names.

A row without plain arguments is `torch.name`, `Tensor.name` and, where it keeps its input's shape,
`Tensor.name_`. Rows with arguments are offered by the topic files, with PyTorch's signatures.
"""

from autodidact import dispatch, inplace, view_ops
from autodidact.ops import (  # noqa: F401 - declares rows
    activation,
    choice,
    compare,
    decomposition,
    elementwise,
    fft,
    index,
    join,
    linalg,
    products,
    reduction,
    running,
    scattering,
    shape,
    special,
    spectral,
    statistics,
    transcendental,
    view,
)
from autodidact.ops.op import TABLE, View
from autodidact.public import both, method
from autodidact.tensor import Tensor

ALIASES = {
    "asin": ["arcsin"], "acos": ["arccos"], "atan": ["arctan"], "atan2": ["arctan2"],
    "asinh": ["arcsinh"], "acosh": ["arccosh"], "atanh": ["arctanh"], "trunc": ["fix"],
    "abs": ["absolute"], "neg": ["negative"], "mul": ["multiply"], "div": ["divide", "true_divide"],
}
PRIVATE = frozenset({"div_floor", "div_trunc", "clamp_tensor", "lerp_tensor", "zeros_like",
                     "hardsigmoid", "hardswish", "log_sigmoid", "mish", "silu",
                     "scatter_view", "alias", "unsafe_view", "squeeze_dim", "contiguous",
                     "index", "index_backward", "copy", "fill", "fill_scalar", "zero",
                     "lu_square", "lu_order", "svd_complement", "fft_half_back",
                     "fft_mirrored", "igamma", "igammac", "scatter_amax",
                     "scatter_amin", "scatter_prod", "masked_fill_tensor", "pick_planes", "rsub",
                     "view_as_real", "view_as_complex"})
# PyTorch has no `maximum_` and the like.
NEVER_IN_PLACE = frozenset({"maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2",
                            "isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal",
                            "signbit", "angle"})


def bind_new() -> None:
    """Bind the rows that have been declared since the last time."""
    for op in TABLE.values():
        if op.call is not None:
            continue
        if isinstance(op, View):
            view_ops.bind_view(op, Tensor)
        else:
            dispatch.bind(op, Tensor)


bind_new()
inplace.CLONE = shape.clone.call

for op in TABLE.values():
    if op.args or op.variadic or op.name in PRIVATE or not op.inputs or op.inputs[0] != "self":
        continue
    if op.name.startswith(("linalg_", "fft_", "special_")):    # modules of their own offer these
        continue
    for name in (op.name, *ALIASES.get(op.name, ())):
        both(op.call, name)
        if op.elementwise and name not in NEVER_IN_PLACE:
            method(inplace.inplace(op), f"{name}_")
