"""Derivatives by differences, and forward mode from a row's word: what the laws compare with."""

import inspect

import numpy as np

import autodidact as ad
from autodidact.functions.index_plan import Indices, Places
from autodidact.ops.op import TABLE, Kind, View

STEP = 1e-6


def tensor(array, requires_grad=False):
    """An autodidact tensor on a copy of the array."""
    if isinstance(array, Places):                   # several index tensors that count as one input
        return Indices(tuple(ad.tensor(a) for a in array))
    return ad.tensor(np.array(array), requires_grad=requires_grad)


def floating(array):
    """Whether an input or output can have a gradient."""
    return array is not None and np.asarray(array).dtype.kind in "fc"


def tensors_of(arrays, requires_grad=True):
    """The inputs as leaves; those that can have a gradient want one. None stays None."""
    return [a if a is None else tensor(a, requires_grad and floating(a)) for a in arrays]


def run(case, tensors):
    """The row on tensors: a list of its outputs."""
    op = TABLE[case.row]
    args = [case.args[name] for name in op.args]
    out = op.call(tensors, *args) if op.variadic else op.call(*tensors, *args)
    return list(out) if isinstance(out, tuple) else [out]


def forward(case, arrays):
    """The row's forward on arrays: a list of its outputs."""
    op = TABLE[case.row]
    args = [case.args[name] for name in op.args]
    if isinstance(op, View) and op.parts:
        return list(op.parts(*arrays, *args))
    out = op.forward(arrays, *args) if op.variadic else op.forward(*arrays, *args)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def inner(a, b):
    """The real inner product of two arrays, also of complex ones."""
    return float(np.sum((np.conj(a) * b).real))


def cotangents(outputs, rng):
    """A random array for each floating output, None for the others."""
    found = []
    for out in outputs:
        array = np.asarray(out)
        if array.dtype.kind == "c":
            found.append(rng.normal(size=array.shape) + 1j * rng.normal(size=array.shape))
        else:
            found.append(rng.normal(size=array.shape) if array.dtype.kind == "f" else None)
    return found


def slopes(function, array):
    """The gradient of a real function of one array, entry by entry, by central differences."""
    array = np.array(array)
    found = np.zeros_like(array)
    steps = (STEP, STEP * 1j) if array.dtype.kind == "c" else (STEP,)
    for place in np.ndindex(array.shape):
        for step in steps:
            old = array[place]
            array[place] = old + step
            up = function(array)
            array[place] = old - step
            down = function(array)
            array[place] = old
            found[place] += (up - down) / (2 * STEP) * (step / STEP)
    return found


def weighted(case, arrays, weights):
    """<weights, outputs>: one real number that has all the row's derivatives in it."""
    with ad.no_grad():
        outs = run(case, [a if a is None else tensor(a) for a in arrays])
    return sum(inner(w, np.asarray(o._array)) for w, o in zip(weights, outs, strict=True)
               if w is not None)


def gradients(case, tensors, weights, create_graph=False):
    """The gradients of <weights, outputs> by all floating inputs: tensors, zeros where unused."""
    outs = run(case, tensors)
    pairs = [(o, w if isinstance(w, ad.Tensor) else tensor(w))
             for o, w in zip(outs, weights, strict=True) if w is not None and o.requires_grad]
    leaves = [t for t in tensors if t is not None and t.requires_grad]
    found = ad.autograd.grad([o for o, _ in pairs], leaves, [w for _, w in pairs],
                             create_graph=create_graph, allow_unused=True)
    return [ad.zeros_like(t) if g is None else g for g, t in zip(found, leaves, strict=True)]


def push(case, arrays, tangents):
    """The outputs' tangents, from the row's `jvp` or else from its word; arrays."""
    op = TABLE[case.row]
    results = forward(case, arrays)
    if op.jvp is not None:
        return pushed_by_rule(op, case, arrays, tangents, results)
    args = dict(case.args)
    named = op.inputs * len(arrays) if op.variadic else op.inputs
    constant = [a if not (isinstance(op, View) or n in op.vjp) or not floating(a) else None
                for n, a in zip(named, arrays, strict=True)]
    if Kind.LINEAR in op.kind:
        moved = [t if c is None else c for t, c in zip(tangents, constant, strict=True)]
        return forward(case, [t if a is not None else None
                              for t, a in zip(moved, arrays, strict=True)])
    if Kind.MULTILINEAR in op.kind:
        return [sum(forward(case, [*arrays[:i], t, *arrays[i + 1:]])[0]
                    for i, t in enumerate(tangents) if constant[i] is None)]
    if Kind.ELEMENTWISE in op.kind:
        total = np.zeros_like(results[0])
        for name, a, t in zip(op.inputs, arrays, tangents, strict=True):
            if name in op.vjp and floating(a):
                known = values(op, arrays, results, args)
                part = op.vjp[name](np.conj(t), *[known[n] for n in names(op.vjp[name])[1:]])
                total = total + np.conj(part)
        return [total.real if results[0].dtype.kind != "c" else total]
    raise AssertionError(f"{op}: the word {op.kind} has no rule for tangents; write jvp=")


def pushed_by_rule(op, case, arrays, tangents, results):
    """`jvp=`: its parameters name tangents (`self_t`), inputs, outputs and arguments."""
    known = values(op, arrays, results, case.args)
    for name, a, t in zip(op.inputs, arrays, tangents, strict=True):
        known[f"{name}_t"] = t if floating(a) else np.zeros_like(a, dtype=np.float64)
    out = op.jvp(*[known[n] for n in names(op.jvp)])
    return list(out) if isinstance(out, tuple) else [out]


def values(op, arrays, results, args):
    """Everything that a formula may name."""
    known = dict(zip(op.inputs, arrays, strict=True)) | dict(args)
    known |= dict(zip(op.outputs, results, strict=True))
    return known | {f"{n}_shape": np.shape(a) for n, a in zip(op.inputs, arrays, strict=True)}


def names(formula):
    """A formula's parameters."""
    return list(inspect.signature(formula).parameters)
