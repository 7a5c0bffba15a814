"""Every row that PyTorch's users can call, compared with PyTorch: value, gradient, dtype, graph."""

import warnings

import numpy as np
import pytest

import autodidact as ad
import autodidact.nn.functional as ad_functional
from autodidact.ops.op import View
from tests.ops.cases import CASES
from tests.ops.differences import cotangents, floating

CALLED = [c for c in CASES if c.code]
UNSAVED = {"total_weight"}     # PyTorch keeps it beside; here it follows from weight and target


def over(cases):
    """One test for each case, under the case's name."""
    return pytest.mark.parametrize("case", cases, ids=[c.id for c in cases])


def call(case, library, functional, arrays, requires_grad=True):
    """The case's code on one library: its leaves and its list of outputs."""
    tensors = [a if a is None else library.tensor(
        a, requires_grad=requires_grad and floating(a)) for a in arrays]
    place = dict(zip("xyzu", tensors, strict=False)) | {
        "xs": tensors, "torch": library, "F": functional}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        out = eval(case.code, place)
    return tensors, list(out) if isinstance(out, (tuple, list)) else [out]


def both(case, oracle, **words):
    """The same on both libraries."""
    arrays = case.arrays()
    return (call(case, ad, ad_functional, arrays, **words),
            call(case, oracle, oracle.nn.functional, arrays, **words))


def numpy(x):
    """The numbers of a tensor of either library."""
    return np.asarray(x.detach().numpy(force=True))


@over(CALLED)
def test_value_dtype_and_gradient(case, oracle):
    (ours, outs), (theirs, expected) = both(case, oracle)
    assert len(outs) == len(expected)
    for a, b in zip(outs, expected, strict=True):
        if not isinstance(b, oracle.Tensor):
            assert type(a) is type(b) and a == b
            return
        assert str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape)
        np.testing.assert_allclose(numpy(a), numpy(b), rtol=1e-9, atol=1e-10)
        assert a.requires_grad == b.requires_grad
    compare_gradients(oracle, ours, outs, theirs, expected)


def compare_gradients(oracle, ours, outs, theirs, expected):
    """The gradients of random combinations of the outputs."""
    weights = cotangents([numpy(e) for e in expected], np.random.default_rng(8))
    live = [i for i, e in enumerate(expected)
            if e.requires_grad and "NotImplemented" not in e.grad_fn.name()]
    if not live:
        return
    found = ad.autograd.grad([outs[i] for i in live], wanting(ours),
                             [ad.tensor(weights[i]) for i in live], allow_unused=True)
    told = oracle.autograd.grad([expected[i] for i in live], wanting(theirs),
                                [oracle.tensor(weights[i]) for i in live], allow_unused=True)
    for a, b in zip(found, told, strict=True):
        if a is None or b is None:
            assert all(g is None or not numpy(g).any() for g in (a, b))
        else:
            assert str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape)
            np.testing.assert_allclose(numpy(a), numpy(b), rtol=1e-7, atol=1e-9)


def wanting(tensors):
    """The leaves."""
    return [t for t in tensors if t is not None and t.requires_grad]


@over([c for c in CALLED if c.node])
def test_graph_is_that_of_pytorch(case, oracle):
    (_, outs), (_, expected) = both(case, oracle)
    for a, b in zip(outs, expected, strict=True):
        if not isinstance(b, oracle.Tensor) or b.grad_fn is None:
            assert getattr(a, "grad_fn", None) is None
            continue
        assert ours_name(a.grad_fn) == ours_name(b.grad_fn)
        assert [n and ours_name(n) for n, _ in a.grad_fn.next_functions] == [
            n and ours_name(n) for n, _ in b.grad_fn.next_functions]
        op = type(a.grad_fn).op
        if op is not None and not isinstance(op, View):
            assert saved(a.grad_fn, a.grad_fn.plan.saved_names) == saved(
                b.grad_fn, [n[7:] for n in dir(b.grad_fn) if n.startswith("_saved_")])


def ours_name(node):
    """The node's name without C++ namespaces."""
    return node.name().rpartition("::")[2]


def saved(node, names):
    """The names of the tensors that a node has saved."""
    return {n for n in names if n not in UNSAVED
            and hasattr(getattr(node, f"_saved_{n}"), "grad_fn")}


@over([c for c in CALLED if all(a is None or a.dtype == np.float64 for a in c.arrays())])
def test_float32_stays_float32(case, oracle):
    arrays = [a if a is None else a.astype(np.float32) for a in case.arrays()]
    tensors, outs = call(case, ad, ad_functional, arrays)
    _, expected = call(case, oracle, oracle.nn.functional, arrays)
    for a, b in zip(outs, expected, strict=True):
        if isinstance(b, oracle.Tensor):
            assert str(a.dtype) == str(b.dtype)
            np.testing.assert_allclose(numpy(a), numpy(b), rtol=2e-4, atol=2e-5)
    live = [o for o in outs if isinstance(o, ad.Tensor) and o.requires_grad
            and "NotImplemented" not in o.grad_fn.name()]
    if live and wanting(tensors):
        ad.autograd.backward(live, [ad.ones_like(o) for o in live])
        assert all(t.grad is None or t.grad.dtype is ad.float32 for t in wanting(tensors))
