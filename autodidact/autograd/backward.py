"""backward() and grad(): from the user's call to a `GraphTask`, every argument checked."""

from collections.abc import Sequence
from typing import Any
import warnings

import numpy as np

from autodidact.autograd import engine
from autodidact.autograd.graph import GradientEdge, edge, requires_grad
from autodidact.tensor_base import TensorBase

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
    if inputs is not None and not isinstance(inputs, (TensorBase, GradientEdge)) and not len(inputs):
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    task = start(tensors, grad_tensors, retain_graph, create_graph, inputs)
    task.run()


def start(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
          create_graph: bool = False, inputs: Any = None, task_class: Any = None) -> Any:
    """The task of a `backward()` call, checked and ready to run: `run()`, or `run(1)` by `run(1)`."""
    roots = root_gradients(as_sequence(tensors, "tensors"), grad_tensors, create_graph)
    edges = None
    if inputs is not None:
        wanted = inputs_of(inputs)
        edges = [input_edge(t, "backward()") for t in wanted]
        for t in wanted:
            if isinstance(t, TensorBase) and t.grad_fn is not None:
                t.retain_grad()
    keep = create_graph if retain_graph is None else bool(retain_graph)
    return (task_class or engine.task_class)(roots, keep_graph=keep, create_graph=create_graph,
                                             inputs=edges)


def inputs_of(inputs: Any) -> Sequence:
    """The tensors of `inputs=`: one, a sequence, or the values of a dict."""
    return list(inputs.values()) if isinstance(inputs, dict) else as_sequence(inputs, "inputs")


def roots_of(tensors: Any) -> list:
    """(node, output number, None) for each root: where the first gradients go."""
    return [(*(t[:2] if isinstance(t, GradientEdge) else edge(t)), None)
            for t in as_sequence(tensors, "tensors")]


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> Any:
    """The gradients of `outputs` (summed) with respect to `inputs`, returned; `.grad` stays.

    Args:
        outputs, inputs: a tensor or a sequence of them; `inputs` may be a dict (then so is the
            result); GradientEdges may stand for tensors.
        grad_outputs: as `grad_tensors` of `backward`.
        retain_graph, create_graph: as in `backward`.
        only_inputs: ignored.
        allow_unused: None for an input that the outputs do not depend on, instead of an error;
            default: `materialize_grads`.
        is_grads_batched: the first dimension of every `grad_outputs` counts vectors.
        materialize_grads: zeros instead of None.

    Returns:
        A tuple of tensors, or a dict like `inputs`.

    Example:
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
    if isinstance(inputs, dict):
        found = grad(outputs, list(inputs.values()), grad_outputs, retain_graph, create_graph,
                     True, allow_unused, is_grads_batched, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    wanted = as_sequence(inputs, "inputs")
    if not len(wanted):
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        raise NotImplementedError("is_grads_batched=True needs vmap, which is not there yet")
    roots = root_gradients(as_sequence(outputs, "outputs"), grad_outputs, create_graph)
    edges = [input_edge(t, "grad()") for t in wanted]
    keep = create_graph if retain_graph is None else bool(retain_graph)
    task = engine.task_class(roots, keep_graph=keep, create_graph=create_graph, inputs=edges,
                             accumulate=False)
    task.run()
    return tuple(result(t, found, create_graph, allow_unused, materialize_grads)
                 for t, found in zip(wanted, task.captured_vars, strict=True))


def result(t: Any, found: Any, create_graph: bool, allow_unused: bool, materialize: bool) -> Any:
    """One gradient as a tensor; what to do where there is none."""
    if found is not None:
        return found if isinstance(found, TensorBase) else TensorBase.wrap(found)
    if not allow_unused:
        raise RuntimeError("One of the differentiated Tensors appears to not have been used in "
                           "the graph. Set allow_unused=True if this is the desired behavior.")
    if not materialize:
        return None
    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a "
                           "GradientEdge")
    zeros = TensorBase.wrap(np.zeros(t._array.shape, t._array.dtype))
    zeros._requires_grad = create_graph
    return zeros


def as_sequence(given: Any, name: str) -> Sequence:
    """A tensor or edge as a sequence of one; a sequence as it is."""
    if isinstance(given, (TensorBase, GradientEdge)):
        return (given,)
    if isinstance(given, (list, tuple)):
        return given
    return tuple(given)


def input_edge(t: Any, where: str) -> tuple:
    """The edge of one input; an input without history cannot have a gradient."""
    if isinstance(t, GradientEdge):
        return t.node, t.output_nr
    if not isinstance(t, TensorBase):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(t).__name__}")
    if not requires_grad(t):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge(t)


# ---- the gradient to begin with -----------------------------------------------------------------


def root_gradients(outputs: Sequence, grads: Any, create_graph: bool) -> list:
    """(node, output number, gradient) for each output, all checked before anything runs."""
    if grads is None:
        grads = [None] * len(outputs)
    else:
        grads = list(as_sequence(grads, "grad_tensors"))
        if len(grads) < len(outputs):
            raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    roots = []
    for index, (output, given) in enumerate(zip(outputs, grads, strict=False)):
        first = root_gradient(output, given)
        node, number = (output.node, output.output_nr) if isinstance(output, GradientEdge) \
            else root_edge(output, index)
        roots.append((node, number, first if create_graph else first._array))
    return roots


def root_edge(output: Any, index: int) -> tuple:
    """Where the pass starts."""
    if not isinstance(output, TensorBase) or not requires_grad(output):
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have "
                           "a grad_fn: nothing was recorded on the way to it. Check that a leaf "
                           "has requires_grad=True and that no no_grad() or detach() is between")
    node, number = edge(output)
    if node is None:
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have "
                           "a grad_fn")
    return node, number


def root_gradient(output: Any, given: Any) -> TensorBase:
    """The gradient of one output: the given one, checked, or the 1 of a single real number."""
    if given is None:
        return implicit(output)
    if not isinstance(given, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    if isinstance(output, GradientEdge):
        shape, dtype = output.node._input_metadata[output.output_nr]
    else:
        shape, dtype = output._array.shape, output._array.dtype
    have = given._array
    if have.shape != shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {list(have.shape)} "
                           f"and output[0] has a shape of {list(shape)}.")
    if (dtype.kind == "c") != (have.dtype.kind == "c"):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have "
                           f"the same dtype. Mismatch in dtype: grad_output[0] has a dtype of "
                           f"{have.dtype} and output[0] has a dtype of {dtype}.")
    return given


def implicit(output: Any) -> TensorBase:
    """One, for an output of a single real element."""
    if isinstance(output, GradientEdge):
        shape, dtype = output.node._input_metadata[output.output_nr]
        if int(np.prod(shape)) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return TensorBase.wrap(np.ones(shape, dtype))
    if not isinstance(output, TensorBase):
        raise TypeError(f"expected a Tensor to differentiate, got {type(output).__name__}")
    array = output._array
    if not requires_grad(output):
        return TensorBase.wrap(array)       # refused a moment later, with the better reason
    if array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs, this one has "
                           f"shape {list(array.shape)}: pass gradient=, a tensor of that shape")
    if array.dtype.kind == "c":
        raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                           f"{array.dtype}")
    return TensorBase.wrap(np.ones(array.shape, array.dtype) if array.ndim else array.dtype.type(1))
