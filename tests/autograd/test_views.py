"""Views: the laws of their rows, what a write through one does to the others, what is refused.

The rows come from the table of cases, so a new view row is tried here without a line of its own.
"""

import gc
import weakref

import numpy as np
import pytest

import autodidact as torch
from autodidact.arrays.strided import restride
from autodidact.autograd import views
from autodidact.ops.op import TABLE, View
from tests.ops.cases import CASES
from tests.ops.differences import inner, run

SHARING = [c for c in CASES if isinstance(TABLE[c.row], View)]
LAYOUTS = {
    "rows first": lambda a: np.array(a, order="C"),
    "columns first": lambda a: np.array(a, order="F"),
    "with gaps": lambda a: spread_out(a),
}
# Their strides are part of their arguments, or they need neighbours in memory.
ROW_MAJOR_ONLY = {"as_strided", "view_as_complex", "view", "unsafe_view", "reshape_alias"}


def spread_out(a):
    """The same numbers in memory with gaps, dimensions in reverse order."""
    wide = np.zeros((*(2 * n for n in reversed(a.shape)), 2), a.dtype)
    strides = tuple(2 * s for s in reversed(wide.strides[:-1]))
    out = restride(wide, a.shape, strides)
    out[...] = a
    return out


def over(cases):
    return pytest.mark.parametrize("case", cases, ids=[c.id for c in cases])


def arrays_of(case, array):
    """The views of an array that the row makes."""
    op, args = TABLE[case.row], tuple(case.args.values())
    if op.parts:
        return [(a, *op.each(i, *args)) for i, a in enumerate(op.parts(array, *args))]
    return [(op.forward(array, *args), op, args)]


@pytest.mark.parametrize("layout", LAYOUTS)
@over(SHARING)
def test_memory_is_shared_and_the_step_is_undone_by_its_adjoint(case, layout):
    """Inner products agree: <view x, g> = <x, adjoint g>, for arrays and for tensors."""
    if layout != "rows first" and case.row in ROW_MAJOR_ONLY:
        with_gaps_raises_or_shares(case, layout)
        return
    x, rng = LAYOUTS[layout](case.arrays()[0]), np.random.default_rng(1)
    for seen, row, args in arrays_of(case, x):
        assert seen.size == 0 or np.shares_memory(seen, x)
        assert seen.flags.writeable
        g = rng.normal(size=seen.shape).astype(seen.dtype)
        back = views.undo(g, (None, row, args, x.shape))
        assert back.shape == x.shape
        assert inner(g, seen) == pytest.approx(inner(back, x))
        steps = (None, row, args, x.shape)
        np.testing.assert_array_equal(views.replay(x, steps), seen)
        tensor = torch.from_numpy(np.array(x))
        np.testing.assert_array_equal(views.replay(tensor, steps).numpy(), seen)
        np.testing.assert_allclose(views.undo(torch.from_numpy(g), steps).numpy(), back)


def with_gaps_raises_or_shares(case, layout):
    """A view that such memory does not allow is refused, never replaced by a copy."""
    if case.row == "as_strided":
        return
    x = LAYOUTS[layout](case.arrays()[0])
    try:
        (seen, _, _), = arrays_of(case, x)
    except ValueError:
        return
    assert np.shares_memory(seen, x)


@over([c for c in SHARING if not c.row.startswith("unsafe")])
def test_a_write_through_a_view_reaches_base_and_version(case):
    base = torch.from_numpy(np.array(case.arrays()[0]))
    for i, view in enumerate(run(case, [base])):
        if not view.numel() or case.row == "expand":
            continue
        assert view._is_view() and view._base is base
        before = base._version
        view.zero_()
        assert base._version == view._version == before + 1, i
        assert not np.asarray(view).any()
        again = run(case, [base])[i]
        assert not np.asarray(again).any()


@over([c for c in SHARING if c.row.startswith("unsafe")])
def test_unsafe_views_share_memory_but_no_version(case):
    base = torch.from_numpy(np.array(case.arrays()[0]))
    view = run(case, [base])[0]
    assert not view._is_view()
    view.zero_()
    assert view._version == 1 and base._version == 0
    assert np.shares_memory(view.numpy(), base.numpy())


# ---- base and views tell each other --------------------------------------------------------------


def test_a_view_of_a_view_knows_the_root():
    base = torch.zeros(2, 3)
    inner_view = base[0][1:]
    assert inner_view._base is base and base._base is None


def test_other_views_see_the_write_and_get_a_new_node():
    leaf = torch.ones(2, 3, requires_grad=True)
    base = leaf.clone()
    row, other = base[0], base[:, 0]
    assert other.grad_fn.name() == "SelectBackward0"
    row.mul_(2)
    assert base.grad_fn.name() == "torch::autograd::CopySlices"
    assert row.grad_fn.name() == other.grad_fn.name() == "AsStridedBackward0"
    other.sum().backward()
    np.testing.assert_array_equal(leaf.grad, [[2, 0, 0], [1, 0, 0]])


def test_steps_survive_a_base_that_changes_its_shape_in_place():
    leaf = torch.arange(6.).reshape(2, 3).requires_grad_()
    base = leaf.clone()
    column = base[:, 1]
    base.t_()
    column.mul_(10)
    np.testing.assert_array_equal(base.detach(), [[0, 3], [10, 40], [2, 5]])
    base[1].sum().backward()
    np.testing.assert_array_equal(leaf.grad, [[0, 10, 0], [0, 10, 0]])


def test_a_base_in_another_order_passes_gradients_through_strided_views():
    leaf = torch.arange(6.).reshape(2, 3).requires_grad_()
    base = leaf.clone().t().contiguous().t().clone()     # columns first
    assert not base.is_contiguous()
    base.as_strided((2,), (1,), 1).mul_(5)               # elements of columns 0 and 1
    base.sum().backward()
    np.testing.assert_array_equal(leaf.grad, [[1, 5, 1], [5, 1, 1]])


# ---- how a view came about -----------------------------------------------------------------------


class Same(torch.autograd.Function):
    """A Function that returns a view of its input."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


def made(how, base):
    """A view of `base`, made in one of the five ways."""
    if how == "plain":
        return base[:]
    if how == "several":
        return base.split(2)[0]
    if how == "custom":
        return Same.apply(base)
    with torch.no_grad() if how == "no_grad" else torch.inference_mode():
        return base[:]


REFUSED = {"plain": None, "several": "multiple views", "custom": "inside a custom Function",
           "no_grad": "created in no_grad mode", "inference": "created in inference mode"}


@pytest.mark.parametrize("further", [False, True], ids=["view", "view of a view"])
@pytest.mark.parametrize("direct", [True, False], ids=["written to", "its base written to"])
@pytest.mark.parametrize("how", REFUSED)
def test_creation_table(how, direct, further):
    base = torch.ones(4, requires_grad=True).clone()
    view = made(how, base)
    view = view[:1] if further else view

    def act():
        if direct:
            view.mul_(2)
        else:
            base.mul_(2)
            view.grad_fn  # noqa: B018

    if how == "plain":
        act()
        assert view.requires_grad
        return
    with pytest.raises(RuntimeError) as caught:
        act()
    text = str(caught.value)
    assert REFUSED[how] in text
    assert ("is being modified inplace" if direct else "has been modified inplace") in text
    if direct:
        assert base._version == 0 and np.asarray(base.detach()).tolist() == [1, 1, 1, 1]


# ---- graphs die, however deep --------------------------------------------------------------------


def through_a_view(x):
    y = x.clone()
    y[0].mul_(2)
    return y


def through_unbind(x):
    a, b = x.unbind(0)[:2]
    return a * b


def with_retained(x):
    y = x.clone()
    v = y[0]
    v.retain_grad()
    y.retain_grad()
    v.mul_(2)
    return y


def with_saved_result(x):
    y = x.clone()
    y[:1].sigmoid_()
    return y


@pytest.mark.parametrize("build", [through_a_view, through_unbind, with_retained,
                                   with_saved_result])
@pytest.mark.parametrize("backward", [False, True])
def test_graph_dies_with_its_last_reference(build, backward):
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(2, 3, requires_grad=True)
        y = build(x)
        if backward:
            y.sum().backward(create_graph=False)
        node = weakref.ref(y.grad_fn)
        array = weakref.ref(y)
        del y
        assert node() is None and array() is None
    finally:
        gc.enable()


DEPTH = 100_000


def views_of_views(x):
    v = x * 1
    for _ in range(DEPTH):
        v = v[:]
    return v


def writes_through_views(x):
    y = x * 1
    for _ in range(DEPTH // 2):
        y[0] = 1.0
    return y


def writes_in_place(x):
    y = x * 1
    for _ in range(DEPTH):
        y.add_(1)
    return y


@pytest.mark.parametrize("build", [views_of_views, writes_through_views, writes_in_place])
def test_deep_chains_are_built_run_and_freed_without_recursion(build):
    x = torch.ones(2, requires_grad=True)
    y = build(x)
    y.sum().backward()
    assert x.grad.tolist() == ([0, 1] if build is writes_through_views else [1, 1])
    del y
