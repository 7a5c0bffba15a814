"""gradcheck: is a hand-written backward right? Compare it with differences.

    gradcheck(f, inputs)        first derivatives: analytical (the graph) against numerical
    (differences) gradgradcheck(f, inputs)    the same for the gradients themselves: second
    derivatives

Slow mode compares every entry of every Jacobian. Fast mode compares one number for each pair of
input and output, the product of the Jacobian with random vectors from both sides: one call each way
instead of one for each entry.
"""

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.autograd.backward import grad
from autodidact.autograd.differences import as_tuple, columns
from autodidact.autograd.gradcheck_forward import (
    check_batched_tangents,
    check_tangents,
    check_undefined_tangents,
)
from autodidact.autograd.gradcheck_parts import (
    Check,
    GradcheckError,
    analytical_columns,
    check_batched,
    check_constant,
    check_gradients,
    check_proportional,
    check_undefined,
)
from autodidact.tensor_base import TensorBase, memory

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
    check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Compare the gradients of `func` with differences.

    Args:
        func: takes the inputs; gives a tensor or a tuple of tensors.
        inputs: a tensor or a tuple; those that require grad are checked, in double precision.
        eps: the step of the differences.
        atol, rtol: |analytical - numerical| may be atol + rtol |numerical|.
        raise_exception: raise `GradcheckError`; False: return False.
        nondet_tol: how far two backward passes may differ.
        check_undefined_grad: outputs without gradient must count as zero.
        check_grad_dtypes: gradients must have the dtype of their input.
        check_batched_grad: gradients under vmap must equal one at a time.
        check_batched_forward_grad: the same for tangents.
        check_forward_ad: compare forward mode, too.
        check_backward_ad: compare backward.
        fast_mode: one number for each pair of input and output.
        masked: accepted for PyTorch's sake.

    Returns:
        True; False only when the check failed and `raise_exception` is False.

    Raises:
        GradcheckError: what differs, where, and by how much.
        ValueError: no input requires grad.

    Example:
        >>> x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(lambda x: x ** 3, x)
        True
    """
    expect(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    expect(
        check_backward_ad or not check_batched_grad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    expect(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    check = Check(func, as_tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes,
                  fast_mode, np.random.default_rng(0))  # fmt: skip
    try:
        run(check, check_undefined_grad, check_batched_grad, check_batched_forward_grad,
            check_forward_ad, check_backward_ad)  # fmt: skip
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def expect(condition: bool, message: str) -> None:
    """An AssertionError about the options."""
    if not condition:
        raise AssertionError(message)


def run(
    check: Check,
    undefined: bool,
    batched: bool,
    batched_forward: bool,
    forward: bool,
    backward: bool,
) -> None:
    """All the checks that were asked for, the telling ones first."""
    check_inputs(check.inputs)
    everything = as_tuple(check.function(*check.inputs))
    outputs = [
        (k, o) for k, o in enumerate(everything) if isinstance(o, TensorBase) and o.requires_grad
    ]
    if not outputs:
        check_constant(check)
        return
    if backward:
        check_gradients(check, outputs)
    if forward:
        check_tangents(check, everything)
        if undefined:
            check_undefined_tangents(check)
    if batched_forward:
        check_batched_tangents(check)
    if not backward:
        return
    if batched:
        for k, o in outputs:
            check_batched(check, k, o)
    check_proportional(check, [o for _, o in outputs])
    if undefined:
        check_undefined(check)


def check_inputs(inputs: tuple) -> None:
    """Something must require grad, in double precision, each entry in memory of its own."""
    found = False
    for i, x in enumerate(inputs):
        if not (isinstance(x, TensorBase) and x.requires_grad):
            continue
        found = True
        if x._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating "
                "point or complex. Differences in single precision have about three "
                "good digits at best: the check will likely fail for correct gradients, "
                "too. Use dtype=torch.float64.",
                UserWarning,
                stacklevel=4,
            )
        array = memory(x)
        if any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0: one number stands "
                "for several entries, so none can be moved alone. Call .contiguous() "
                "or .clone() on it before passing it to gradcheck."
            )
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none "
            "of them have requires_grad=True."
        )


# ---- second derivatives --------------------------------------------------------------------------


def gradgradcheck(
    func: Callable, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6,
    atol: float = 1e-5, rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False,
    masked: bool = False,
) -> bool:  # fmt: skip
    """Compare the gradients of the gradients of `func` with differences.

    The gradient is a function of the inputs and of what arrives at the outputs; both are checked.

    Args:
        func: as in `gradcheck`.
        inputs: as in `gradcheck`.
        grad_outputs: what arrives at the outputs; random when not given.
        gen_non_contig_grad_outputs: make those with gaps in memory.
        check_fwd_over_rev: forward mode over backward.
        check_rev_over_rev: backward over backward.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes,
            check_batched_grad, fast_mode, masked: as in `gradcheck`.

    Example:
        >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradgradcheck(lambda x: x ** 3, x)
        True
    """
    check_second_options(check_fwd_over_rev, check_rev_over_rev, check_undefined_grad,
                         check_batched_grad)  # fmt: skip
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = random_like(differentiable(func(*inputs)), gen_non_contig_grad_outputs)
    firsts = as_tuple(grad_outputs)
    wanted = [
        i for i, x in enumerate((*inputs, *firsts)) if isinstance(x, TensorBase) and x.requires_grad
    ]

    def gradient(*given: Any) -> tuple:
        for i in wanted:
            given[i].requires_grad_()
        own, arriving = given[: -len(firsts)], given[-len(firsts) :]
        found = grad(
            differentiable(func(*own)),
            [own[i] for i in wanted if i < len(own)],
            arriving,
            create_graph=True,
            allow_unused=True,
        )
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradient, (*inputs, *firsts), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip


def check_second_options(forward: bool, backward: bool, undefined: bool, batched: bool) -> None:
    """Options of `gradgradcheck` that need each other."""
    expect(forward or backward,
           "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for given, name in ((undefined, "check_undefined_grad"), (batched, "check_batched_grad")):
        expect(backward or not given,
               f"Setting {name}=True requires check_rev_over_rev to be True")  # fmt: skip


def differentiable(outputs: Any) -> list:
    """The outputs that require grad."""
    return [o for o in as_tuple(outputs) if isinstance(o, TensorBase) and o.requires_grad]


def random_like(outputs: list, gaps: bool) -> tuple:
    """A random leaf for each output, in [-1, 1)."""
    rng, made = np.random.default_rng(1), []
    for o in outputs:
        shape, dtype = o._array.shape, o._array.dtype
        wide = (*shape[:-1], 2 * shape[-1]) if gaps and shape else shape
        array = rng.uniform(-1, 1, wide)
        if dtype.kind == "c":
            array = array + 1j * rng.uniform(-1, 1, wide)
        array = np.asarray(array).astype(dtype)
        t = TensorBase.wrap(array[..., ::2] if gaps and shape else array)
        t.requires_grad_()
        made.append(t)
    return tuple(made)


# ---- the old names ------------------------------------------------------------------------------


def deprecated(name: str, grad_out: Any) -> None:
    """What PyTorch says of its former private functions."""
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. Use `gradcheck`.",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0."
        )


def get_numerical_jacobian(
    fn: Callable, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list:
    """The Jacobian of `fn` (one output) for each input of `target`, by differences.

    Args:
        fn: takes the inputs as one tuple.
        inputs: a tensor or a tuple.
        target: for which inputs; default: all.
        eps: the step.
        grad_out: must be 1.

    Returns:
        Tensors of shape (input entries, output entries).
    """
    deprecated("get_numerical_jacobian", grad_out)
    inputs = as_tuple(inputs)
    targets = inputs if target is None else as_tuple(target)
    return [
        TensorBase.wrap(columns(lambda *given: fn(given), inputs, i, eps)[0])
        for i, x in enumerate(inputs)
        if isinstance(x, TensorBase) and x.requires_grad and any(x is t for t in targets)
    ]


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple:
    """The Jacobian of one output by backward, twice.

    Returns:
        (Jacobians, both passes agreed, sizes are right, dtypes are right)
    """
    deprecated("get_analytical_jacobian", grad_out)
    if output._array.dtype.kind == "c":
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer "
            "supports functions that return complex outputs."
        )
    check = Check(lambda *x: output, as_tuple(inputs), 1e-3, 0, 0, nondet_tol, False, False, None)
    try:
        found, same, sizes = analytical_columns(check, output), True, True
    except GradcheckError as error:
        same, sizes = "reentrant" not in str(error), "size" not in str(error)
        loose = check._replace(nondet_tol=float("inf"))
        found = analytical_columns(loose, output) if sizes else []
    return [TensorBase.wrap(f) for f in found], same, sizes, True


class _Module(types.ModuleType):
    """This file under the name of its function: `torch.autograd.gradcheck(f, inputs)`.

    Who imports the file first puts it where the function is expected.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        return gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = _Module
