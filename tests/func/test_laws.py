"""Laws of transforms, for every row: forward against reverse, vmap against a loop, both of each.

The cases are those of `tests/ops/cases.py`; a new row is tried here as it stands.
"""

import warnings

import numpy as np
import pytest

import autodidact as ad
from autodidact.autograd import forward_ad as fw
from autodidact.func import jvp, vjp, vmap
from autodidact.levels.lanes import loop
from autodidact.ops.op import TABLE, Kind, View
from tests.ops.cases import CASES
from tests.ops.differences import cotangents, floating, inner, run, tensor
from tests.ops.test_laws import differentiable, used

# Rows that vmap runs lane by lane, with PyTorch's warning: each needs a rule of its own one day.
LANE_BY_LANE = {
    "as_strided_backward", "convolution_transpose", "corner", "fill", "index_add", "index_copy",
    "index_fill_tensor", "index_select", "index_select_backward", "masked_scatter",
    "masked_select", "masked_select_backward", "mkldnn_rnn_layer", "pad_source",
    "scatter_view", "strided_look", "unfold_backward",
}
AS_STORED = {"as_strided", "view_as_complex"}  # these look at how a lane lies in memory
DYNAMIC = {"masked_select", "masked_scatter"}  # the mask decides the shape, or where values go


def over(cases):
    """One test for each case, under the case's name."""
    return pytest.mark.parametrize("case", cases, ids=[c.id for c in cases])


def call(case, pushed=False):
    """The row of a case as a function of its floating inputs; the others stay as they are.

    So do, where tangents are pushed forward, those whose derivative nobody knows (igamma's first).
    """
    arrays, op = case.arrays(), TABLE[case.row]
    places = [i for i, a in enumerate(arrays) if a is not None and floating(a)
              and not (pushed and not op.variadic and op.inputs[i] in op.index)]

    def function(*given):
        tensors = [a if a is None else tensor(a) for a in arrays]
        for i, t in zip(places, given, strict=True):
            tensors[i] = t
        return tuple(
            o for o in run(case, tensors) if o.dtype.is_floating_point or o.dtype.is_complex
        )

    return function, [arrays[i] for i in places], places


SMOOTH = [
    c
    for c in CASES
    if differentiable(c) and c.smooth and TABLE[c.row].node_name != "NotImplemented"
]
MAPPED = [c for c in CASES if call(c)[1] and c.row not in DYNAMIC]


@over(SMOOTH)
def test_forward_mode_agrees_with_reverse(case):
    function, arrays, places = call(case, True)
    rng = np.random.default_rng(0)
    inputs = tuple(tensor(a) for a in arrays)
    moves = [
        tensor(t) if used(case, i) else tensor(np.zeros_like(a))
        for i, a, t in zip(places, arrays, cotangents(arrays, rng), strict=True)
    ]
    outputs, pushed = jvp(function, inputs, tuple(moves))
    weights = [tensor(w) for w in cotangents([o.numpy() for o in outputs], rng)]
    _, back = vjp(function, *inputs)
    pulled = back(tuple(weights))
    sent = sum(inner(w.numpy(), p.numpy()) for w, p in zip(weights, pushed, strict=True))
    met = sum(inner(g.numpy(), t.numpy()) for g, t in zip(pulled, moves, strict=True))
    assert sent == pytest.approx(met, rel=1e-9, abs=1e-9)
    for o, p in zip(outputs, pushed, strict=True):
        assert o.shape == p.shape and o.dtype is p.dtype


@over([c for c in SMOOTH if c.second])
def test_forward_over_reverse_is_reverse_over_forward(case):
    function, arrays, places = call(case, True)
    rng = np.random.default_rng(1)
    inputs = tuple(tensor(a) for a in arrays)
    still = [not used(case, i) for i in places]
    u, v = (
        [
            tensor(np.zeros_like(a)) if s else tensor(t)
            for a, t, s in zip(arrays, cotangents(arrays, rng), still, strict=True)
        ]
        for _ in range(2)
    )
    weights = [tensor(w) for w in cotangents([o.numpy() for o in function(*inputs)], rng)]

    def slope(*x):
        return vjp(function, *x)[1](tuple(weights))

    forward_over_reverse = jvp(slope, inputs, tuple(u))[1]

    def moved(*x):
        return jvp(function, x, tuple(u))[1]

    reverse_over_forward = vjp(moved, *inputs)[1](tuple(weights))
    a = sum(inner(p.numpy(), t.numpy()) for p, t in zip(forward_over_reverse, v, strict=True))
    b = sum(inner(p.numpy(), t.numpy()) for p, t in zip(reverse_over_forward, v, strict=True))
    assert a == pytest.approx(b, rel=1e-8, abs=1e-8)


@over([c for c in SMOOTH if c.second])
def test_dual_tensors_give_what_jvp_gives(case):
    """Forward over reverse without a transform: what a node saves keeps its tangent."""
    function, arrays, places = call(case, True)
    rng = np.random.default_rng(7)
    moves = [tensor(t) if used(case, i) else tensor(np.zeros_like(a)) for i, a, t in
             zip(places, arrays, cotangents(arrays, rng), strict=True)]
    weights = [tensor(w) for w in cotangents([o.numpy() for o in function(*map(tensor, arrays))],
                                             rng)]

    def slope(*x):
        return vjp(function, *x)[1](tuple(weights))
    want = jvp(slope, tuple(map(tensor, arrays)), tuple(moves))[1]
    with fw.dual_level():
        duals = [fw.make_dual(tensor(a, True), t) for a, t in zip(arrays, moves, strict=True)]
        found = ad.autograd.grad(function(*duals), duals, weights, create_graph=True,
                                 materialize_grads=True)
        tangents = [fw.unpack_dual(g).tangent for g in found]
    for t, w in zip(tangents, want, strict=True):
        close(ad.zeros_like(w) if t is None else t, w)


def close(a, b):
    """Two tensors, entry by entry."""
    assert a.shape == b.shape and a.dtype is b.dtype
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-10)


def lanes_of(arrays, rng, count):
    """For each array `count` variants, near it so that they stay in the domain."""
    return [
        np.stack([np.asarray(a) * (1 + 0.03 * rng.random(np.shape(a))) for _ in range(count)])
        if count
        else np.zeros((0, *np.shape(a)), np.asarray(a).dtype)
        for a in arrays
    ]


def quietly(function, *args):
    """Without the warning about loops."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="There is a performance drop")
        return function(*args)


def in_dims_of(row, arrays):
    """Every input alone with lanes, all together, and all together with lanes last."""
    n = len(arrays)
    found = [tuple(0 if i == k else None for i in range(n)) for k in range(n)] if n > 1 else []
    last = [tuple(np.ndim(a) for a in arrays)] if row not in AS_STORED else []
    return [*found, (0,) * n, *last]


@over(MAPPED)
def test_vmap_is_a_loop(case):
    function, arrays, _ = call(case)
    rng = np.random.default_rng(2)
    for dims in in_dims_of(case.row, arrays):
        for count in (3, 1):
            stacks = lanes_of(arrays, rng, count)
            given = [
                tensor(np.ascontiguousarray(np.moveaxis(s, 0, d)))
                if d
                else tensor(s)
                if d == 0
                else tensor(a)
                for a, s, d in zip(arrays, stacks, dims, strict=True)
            ]
            together = quietly(vmap(function, in_dims=dims), *given)
            for k in range(count):
                lane = [
                    tensor(s[k]) if d is not None else tensor(a)
                    for a, s, d in zip(arrays, stacks, dims, strict=True)
                ]
                for found, want in zip(together, function(*lane), strict=True):
                    close(found[k], want)


@over([c for c in MAPPED if differentiable(c) and TABLE[c.row].node_name != "NotImplemented"])
def test_vmap_of_derivatives_is_a_loop(case):
    function, arrays, _ = call(case, True)
    rng = np.random.default_rng(3)
    stacks = lanes_of(arrays, rng, 2)
    moves = [cotangents(arrays, rng) for _ in range(2)]
    outputs = function(*(tensor(a) for a in arrays))
    weights = [cotangents([o.numpy() for o in outputs], rng) for _ in range(2)]

    def pull(w, *x):
        return vjp(function, *x)[1](w)

    def push(t, *x):
        return jvp(function, x, t)[1]

    for derivative, extra in ((pull, weights), (push, moves)):
        both = tuple(tensor(np.stack(part)) for part in zip(*extra, strict=True))
        together = quietly(vmap(derivative), both, *(tensor(s) for s in stacks))
        for k in range(2):
            alone = derivative(tuple(tensor(e) for e in extra[k]), *(tensor(s[k]) for s in stacks))
            for found, want in zip(together, alone, strict=True):
                close(found[k], want)


@over([c for c in SMOOTH if c.row not in DYNAMIC])
def test_batched_gradients_are_single_ones(case):
    function, arrays, _ = call(case)
    rng = np.random.default_rng(4)
    leaves = [tensor(a, True) for a in arrays]
    outputs = [o for o in function(*leaves) if o.requires_grad]
    weights = [
        [tensor(w) for w in cotangents([o.detach().numpy() for o in outputs], rng)]
        for _ in range(3)
    ]
    stacked = [ad.stack(parts) for parts in zip(*weights, strict=True)]

    def pulled(given, batched):
        return ad.autograd.grad(
            outputs, leaves, given, retain_graph=True, allow_unused=True, is_grads_batched=batched
        )

    together = quietly(pulled, stacked, True)
    for k, given in enumerate(weights):
        for found, want in zip(together, pulled(given, False), strict=True):
            assert (found is None) == (want is None)
            if want is not None:
                close(found[k], want)


@over(MAPPED)
def test_no_row_loops_but_the_listed(case):
    if case.row in LANE_BY_LANE:
        return
    function, arrays, _ = call(case)
    stacks = lanes_of(arrays, np.random.default_rng(5), 2)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="There is a performance drop")
        vmap(function)(*(tensor(s) for s in stacks))


@over([c for c in MAPPED if c.row in ("mul", "sum_dim", "mm", "index", "softmax", "stack", "view")])
def test_no_lanes_at_all(case):
    function, arrays, _ = call(case)
    stacks = lanes_of(arrays, np.random.default_rng(6), 0)
    found = quietly(vmap(function), *(tensor(s) for s in stacks))
    for o, want in zip(found, function(*(tensor(a) for a in arrays)), strict=True):
        assert o.shape == (0, *want.shape) and o.dtype is want.dtype


def test_the_loop_is_there_for_rows_without_a_rule():
    assert loop.__module__ == "autodidact.levels.lanes"
    assert set(TABLE) >= LANE_BY_LANE
    assert not any(
        isinstance(TABLE[name], View) or Kind.ELEMENTWISE in (TABLE[name].kind or Kind(0))
        for name in LANE_BY_LANE
        if name in TABLE
    )
