"""backward() and grad(): from the user's call to a `GraphTask`, every argument checked."""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import narrow
from autodidact.arrays.device import CPU
from autodidact.arrays.foreign import device_of_dtype, made
from autodidact.arrays.place import make_on
from autodidact.autograd import anomaly_mode
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import GradientEdge, edge, metadata_of, requires_grad
from autodidact.autograd.streams import aware
from autodidact.tensor_base import BATCHED, TensorBase

__all__ = ["backward", "grad"]


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
             create_graph: bool = False, grad_variables: Any = None, inputs: Any = None) -> None:
    """Add the gradients of `tensors` (summed) to the `.grad` of the leaves, or of `inputs`.

    Args:
        tensors: one tensor or a sequence; GradientEdges may stand for tensors.
        grad_tensors: a gradient for each, of its shape; None for one-element tensors.
        retain_graph: keep saved tensors for another pass; default: `create_graph`.
        create_graph: record the pass, so that its results can be differentiated.
        grad_variables: the old name of `grad_tensors`.
        inputs: write only these tensors' `.grad`; a sequence, a dict of tensors or a tensor.

    Example:
        >>> torch.autograd.backward([x.sum(), y.sum()])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.",
                      FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both "
                               "passed to `backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if create_graph:
        warn_of_cycle()
    run(start(tensors, grad_tensors, retain_graph, create_graph, inputs))


def start(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
          create_graph: bool = False, inputs: Any = None, task_class: Any = None,
          accumulate: bool = True) -> Any:
    """The task of a `backward()` call, checked and ready: `run()`, or `run(1)` by `run(1)`.

    Without `accumulate` that of a `grad()` call: what comes to `inputs` is kept in the task.
    """
    if inputs is None and not accumulate:
        raise TypeError("accumulate=False returns gradients: inputs= says of which tensors")
    wanted = None if inputs is None else inputs_of(inputs)
    special = bool(mode.stack or mode.duals)
    roots = root_gradients(as_sequence(tensors, "tensors"), grad_tensors, create_graph or special)
    edges = None
    if wanted is not None:
        for t in wanted if accumulate else ():
            if isinstance(t, TensorBase) and (not requires_grad(t) or t.grad_fn is not None):
                t.retain_grad()
        edges = [input_edge(t) for t in wanted]
    keep = create_graph if retain_graph is None else bool(retain_graph)
    make = aware(task_class or anomaly_mode.task_class())
    return make(roots, keep_graph=keep, create_graph=create_graph, inputs=edges,
                accumulate=accumulate, tensors=special)


NESTED = 100     # frames that one pass inside another may use


def run(task: Any) -> None:
    """Run a task to its end.

    A pass started inside another (by a hook, or by a Function's backward) stands on the frames of
    the outer one. It brings its own allowance of frames, so that thousands of levels are possible.
    """
    if mode.task is None:
        task.run()
        return
    sys.setrecursionlimit(sys.getrecursionlimit() + NESTED)
    try:
        task.run()
    finally:
        sys.setrecursionlimit(sys.getrecursionlimit() - NESTED)


class Warned:
    """Whether the warning of `warn_of_cycle` has been given, and whether it is given each time."""

    once = False
    always = False


def set_warn_always(enabled: bool, /) -> None:
    """True: warnings that are given once per process are given each time."""
    Warned.always = bool(enabled)


def is_warn_always_enabled() -> bool:
    """Whether `set_warn_always` is in force."""
    return Warned.always


def warn_of_cycle() -> None:
    """backward() with create_graph makes a tensor and its gradient keep each other alive."""
    if Warned.once and not Warned.always:
        return
    Warned.once = True
    warnings.warn("Using backward() with create_graph=True will create a reference cycle between "
                  "the parameter and its gradient which can cause a memory leak. Use "
                  "autograd.grad, or set .grad to None when you are done.", UserWarning,
                  stacklevel=4)


def inputs_of(inputs: Any) -> Sequence:
    """The tensors of `inputs=`: one, a sequence, or the values of a dict."""
    if type(inputs) is dict:
        found = tuple(inputs.values())
    elif isinstance(inputs, Mapping):
        raise TypeError("`inputs` argument to `backward()` must be a dict, not "
                        f"{type(inputs).__name__}: give its values(), or dict(...)")
    else:
        found = as_sequence(inputs, "inputs")
    if not len(found):
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    return found


def roots_of(tensors: Any) -> list:
    """(node, output number, None) for each root: where the first gradients go."""
    return [(*(t[:2] if isinstance(t, GradientEdge) else edge(t)), None)
            for t in as_sequence(tensors, "tensors")]


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> Any:
    """The gradients of `outputs` (summed) with respect to `inputs`, returned; `.grad` stays.

    Args:
        outputs: a tensor or a sequence of them; GradientEdges may stand for tensors.
        inputs: the same, or a dict; then the result is a dict, too.
        grad_outputs: as `grad_tensors` of `backward`.
        retain_graph: as in `backward`.
        create_graph: as in `backward`.
        only_inputs: ignored.
        allow_unused: None for an input that the outputs do not depend on, instead of an error;
            default: `materialize_grads`.
        is_grads_batched: the first dimension of every `grad_outputs` counts vectors.
        materialize_grads: zeros instead of None.

    Returns:
        A tuple of tensors, or a dict like `inputs`.

    Example:
        >>> x = torch.tensor(2., requires_grad=True)
        >>> torch.autograd.grad(x ** 3, x)
        (tensor(12.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when "
                         f"materialize_grads=True, but got: allow_unused={allow_unused}.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). "
                      "To accumulate gradient for other parts of the graph, please use "
                      "torch.autograd.backward.", FutureWarning, stacklevel=2)
    if type(inputs) is dict:
        found = grad(outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph,
                     True, allow_unused, is_grads_batched, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    if not isinstance(inputs, (TensorBase, list, tuple)) and isinstance(inputs, Mapping):
        raise TypeError("`inputs` argument to `grad()` must be a dict, not "
                        f"{type(inputs).__name__}: give its values(), or dict(...)")
    wanted = as_sequence(inputs, "inputs")
    if not len(wanted):
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    outputs = as_sequence(outputs, "outputs")
    keep = create_graph if retain_graph is None else bool(retain_graph)
    if is_grads_batched:
        captured = kind_of_pass("batched")(outputs, wanted, grad_outputs, keep, create_graph)
    elif mode.stack and any(isinstance(t, TensorBase) and t._flags & BATCHED for t in outputs):
        captured = kind_of_pass("lanes")(outputs, wanted, grad_outputs, keep, create_graph)
    else:
        captured = captured_by(outputs, wanted, grad_outputs, keep, create_graph)
    return tuple([TensorBase.wrap(found) if type(found) is np.ndarray else
                  result(i, wanted[i], found, create_graph, allow_unused, materialize_grads)
                  for i, found in enumerate(captured)])


def captured_by(outputs: Sequence, inputs: Sequence, grad_outputs: Any, keep_graph: bool,
                create_graph: bool) -> list:
    """What one pass brings to the inputs: arrays, or Tensors; None where nothing arrives."""
    special = bool(mode.stack or mode.duals)
    roots = root_gradients(outputs, grad_outputs, create_graph or special)
    edges = [input_edge(t) for t in inputs]
    make = aware(anomaly_mode.task_class())
    task = make(roots, keep_graph=keep_graph, create_graph=create_graph, inputs=edges,
                accumulate=False, tensors=special)
    run(task)
    return task.captured_vars


PASSES: dict[str, Any] = {}  # "batched": many gradients at once; "lanes": in vmap. levels/passes.py


load_levels: Any = None      # set by autodidact/__init__.py: most programs need no levels


def kind_of_pass(name: str) -> Callable:
    """A pass as the levels run it; they are loaded when first needed."""
    if name not in PASSES:
        load_levels()
    return PASSES[name]


def result(index: int, t: Any, found: Any, create_graph: bool, allow_unused: bool,
           materialize: bool) -> Any:
    """One gradient as a tensor; what to do where there is none."""
    if found is not None:
        return found if isinstance(found, TensorBase) else TensorBase.wrap(found)
    if not allow_unused:
        raise RuntimeError(f"The differentiated Tensor at index {index} appears to not have been "
                           "used in the graph: no path leads from the outputs to it. Set "
                           "allow_unused=True if None should stand for its gradient.")
    if not materialize:
        return None
    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a "
                           "GradientEdge")
    zeros = TensorBase.wrap(made(t._array, np.zeros, t._array.shape, t._array.dtype))
    zeros._requires_grad = create_graph
    return zeros


def as_sequence(given: Any, name: str) -> Sequence:
    """A tensor or edge as a sequence of one; a sequence as it is."""
    if isinstance(given, TensorBase):
        return (given,)
    if isinstance(given, (list, tuple)):
        return (given,) if isinstance(given, GradientEdge) else given
    try:
        return tuple(given)
    except TypeError:
        raise TypeError(f"{name}: a {type(given).__name__} is neither a Tensor nor a sequence of "
                        f"them ('{type(given).__name__}' object is not iterable)") from None


def input_edge(t: Any) -> tuple:
    """The edge of one input; an input without history cannot have a gradient."""
    if isinstance(t, TensorBase):
        if not t._requires_grad and not requires_grad(t):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        return edge(t)
    if not isinstance(t, GradientEdge):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(t).__name__}")
    return t.node, t.output_nr


# ---- the gradient to begin with -----------------------------------------------------------------


def root_gradients(outputs: Sequence, grads: Any, create_graph: bool) -> list:
    """(node, output number, gradient) for each output, all checked before anything runs."""
    if grads is None:
        grads = [None] * len(outputs)
    else:
        grads = as_sequence(grads, "grad_tensors")
        if len(grads) < len(outputs):
            raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    roots = []
    for index, output in enumerate(outputs):
        first = root_gradient(output, grads[index], index)
        node, number = root_edge(output, index)
        roots.append((node, number, first if create_graph else first._array))
    return roots


def root_edge(output: Any, index: int) -> tuple:
    """Where the pass starts."""
    if not isinstance(output, TensorBase):
        return output.node, output.output_nr
    if not (output._requires_grad or requires_grad(output)):
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have "
                           "a grad_fn: nothing was recorded on the way to it. Check that some "
                           "input has requires_grad=True and no no_grad() or detach() is between")
    node, number = edge(output)
    if node is None:
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have "
                           "a grad_fn")
    return node, number


def root_gradient(output: Any, given: Any, index: int) -> TensorBase:
    """The gradient of one output: the given one, checked, or the 1 of a single real number."""
    if given is None:
        return implicit(output)
    if not isinstance(given, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    have = given._array
    if isinstance(output, TensorBase):
        shape, dtype = output._array.shape, output._array.dtype
    else:
        shape, dtype = metadata_of(output)
    if have.dtype is dtype and have.shape == shape:
        return given
    if have.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size"
            f"({list(have.shape)}) and output[{index}] has a shape of torch.Size({list(shape)}).")
    if (dtype.kind == "c") != (have.dtype.kind == "c"):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have "
                           f"the same dtype. Mismatch in dtype: grad_output[{index}] has a dtype "
                           f"of {dt.of(have.dtype)} and output[{index}] has a dtype of "
                           f"{dt.of(dtype)}.")
    return given


def implicit(output: Any) -> TensorBase:
    """One, for an output of a single real element."""
    if isinstance(output, GradientEdge):
        shape, dtype = metadata_of(output)
    elif isinstance(output, TensorBase):
        shape, dtype = output._array.shape, output._array.dtype
        if not requires_grad(output):
            return TensorBase.wrap(output._array)     # refused a moment later: the better reason
    else:
        raise TypeError(f"expected a Tensor to differentiate, got {type(output).__name__}")
    if any(n != 1 for n in shape):
        raise RuntimeError("grad can be implicitly created only for scalar outputs, this one has "
                           f"shape {list(shape)}: pass gradient=, a tensor of that shape")
    if dtype.kind != "f":
        raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                           f"{dt.of(dtype)}")
    where = device_of_dtype(dtype)
    if where is not CPU:
        return TensorBase.wrap(make_on(where, np.ones, shape, dtype))
    one = np.ones(shape, dtype) if shape else dtype.type(1)
    return TensorBase.wrap(narrow(one) if dtype is dt.BFLOAT16 else one)
