"""In-place writes: equal to the out-of-place form, counted, noticed by whoever saved."""

import numpy as np
import pytest

import autodidact as torch
from autodidact.inplace import inplace
from autodidact.ops.op import TABLE, Kind
from tests.ops.cases import CASES
from tests.ops.differences import cotangents, run, tensor, tensors_of
from tests.ops.test_laws import fits_into_itself

WRITERS = [c for c in CASES if Kind.ELEMENTWISE in (TABLE[c.row].kind or Kind(0))
           and TABLE[c.row].inputs[0] == "self" and TABLE[c.row].node_name != "NotImplemented"
           and TABLE[c.row].vjp and c.arrays()[0].dtype.kind in "fc" and fits_into_itself(c)]
PLACES = {
    "view": lambda wide: wide[1],
    "view of a view": lambda wide: wide[:2].transpose(0, -1).transpose(0, -1)[1],
    "turned view": lambda wide: wide.transpose(0, -1)[..., 1].permute(
        *[*range(1, wide.dim() - 1), 0]) if wide.dim() > 2 else wide[1],
}


def over(cases):
    return pytest.mark.parametrize("case", cases, ids=[c.id for c in cases])


@pytest.mark.parametrize("place", PLACES)
@over(WRITERS)
def test_through_a_view_equals_out_of_place(case, place):
    """The part written to has the row's values and derivatives, the rest keeps its own."""
    op, arrays = TABLE[case.row], case.arrays()
    args = [case.args[n] for n in op.args]
    rng = np.random.default_rng(9)
    wide = np.stack([arrays[0], arrays[0], arrays[0]])
    leaf, others = tensor(wide, True), tensors_of(arrays)[1:]
    base = leaf.clone()
    before, where = base._version, PLACES[place](base)
    assert inplace(op)(where, *others, *args) is where
    assert base._version == before + 1
    weight = cotangents([wide], rng)[0]

    second, partners = tensor(wide, True), tensors_of(arrays)[1:]
    rows = list(second.unbind(0))
    rows[1] = run(case, [rows[1], *partners])[0]
    expected = torch.stack(rows)
    np.testing.assert_array_equal(base.detach(), expected.detach())

    live = [o for o in others if o is not None and o.requires_grad]
    pairs = zip(torch.autograd.grad(base, [leaf, *live], tensor(weight), allow_unused=True),
                torch.autograd.grad(expected, [second, *[p for p in partners if p is not None
                                                         and p.requires_grad]],
                                    tensor(weight), allow_unused=True), strict=True)
    for found, told in pairs:
        found, told = (0 * weight.sum() if g is None else g.numpy() for g in (found, told))
        np.testing.assert_allclose(found, told, rtol=1e-12, atol=1e-12)


# ---- the functional twin -------------------------------------------------------------------------


class Twin:
    """The same program without a single view or write: a view is a map of places in the base."""

    def __init__(self, base):
        self.base = base
        self.places = {"base": np.arange(base.numel(), dtype=np.int64).reshape(base.shape)}

    def read(self, name):
        return self.base.reshape(-1).take(torch.from_numpy(np.ascontiguousarray(self.places[name])))

    def write(self, name, value):
        at = torch.from_numpy(np.ascontiguousarray(self.places[name]).reshape(-1))
        flat = self.base.reshape(-1).scatter(0, at, value.reshape(-1))
        self.base = flat.reshape(self.base.shape)


MAPS = {"[1]": lambda v: v[1], "[:, 1:]": lambda v: v[:, 1:], "[::2]": lambda v: v[::2],
        ".T": lambda v: v.T, "[..., 0]": lambda v: v[..., 0], "[None]": lambda v: v[None],
        ".reshape": lambda v: v.reshape(-1), ".diagonal": lambda v: v.diagonal()}
WRITES = {"mul_": (lambda v, w: v.mul_(w), lambda v, w: v * w),
          "add_": (lambda v, w: v.add_(w), lambda v, w: v + w),
          "copy_": (lambda v, w: v.copy_(w), lambda v, w: w.expand(v.shape))}


@pytest.mark.parametrize("seed", range(40))
def test_functional_twin(seed):
    """Values, first and second derivatives of views and writes are those of clones and masks."""
    start = np.random.default_rng(seed).normal(size=(3, 4))
    one, two = tensor(start, True), tensor(start, True)
    base, twin = one * 1, Twin(two * 1)
    run_both(np.random.default_rng(seed), {"base": base}, twin)
    np.testing.assert_allclose(base.detach(), twin.base.detach(), rtol=1e-12)
    weight = tensor(np.random.default_rng(seed + 1).normal(size=(3, 4)))
    found = second_order(base, one, weight)
    told = second_order(twin.base, two, weight)
    for f, t in zip(found, told, strict=True):
        np.testing.assert_allclose(f.detach(), t.detach(), rtol=1e-10, atol=1e-10)


def run_both(rng, views, twin):
    """Ten random statements on both."""
    for i in range(10):
        name, other = (list(views)[rng.integers(len(views))] for _ in range(2))
        kind = list(MAPS)[rng.integers(len(MAPS))]
        in_place, out_of_place = WRITES[list(WRITES)[rng.integers(len(WRITES))]]
        if rng.random() < 0.5 and fits(kind, views[name]):
            views[f"v{i}"] = MAPS[kind](views[name])
            twin.places[f"v{i}"] = MAPS[kind](twin.places[name])
        else:                                  # the partner is a number: it never overlaps
            result = out_of_place(twin.read(name), twin.read(other).sin().sum() * 0.3)
            in_place(views[name], views[other].clone().sin().sum() * 0.3)
            twin.write(name, result)


def fits(kind, view):
    """Whether the map makes sense and stays a view."""
    if kind == ".reshape":
        return view.is_contiguous()
    if kind == "[1]":
        return view.dim() > 0 and view.shape[0] > 1
    if kind in ("[:, 1:]", ".diagonal"):
        return view.dim() == 2 and view.shape[1] > 1
    if kind == "[::2]":
        return view.dim() > 0
    return view.dim() in (1, 2) and view.numel() > 0


def second_order(out, leaf, weight):
    """The gradient of a weighted sum of squares, and a derivative of that."""
    first, = torch.autograd.grad((out * out * weight).sum(), leaf, create_graph=True)
    if not first.requires_grad:
        return first, first
    second, = torch.autograd.grad((first * first).sum(), leaf, allow_unused=True)
    return first, first * 0 if second is None else second


# ---- saved numbers that were written over --------------------------------------------------------

WAYS = {
    "itself": lambda t, base, other: t,
    "its base": lambda t, base, other: base,
    "another view": lambda t, base, other: other,
    "detach()": lambda t, base, other: t.detach(),
}
SAVERS = {"mul": lambda t: t * t, "exp": lambda t: t.exp(), "matmul": lambda t: t @ t,
          "index": lambda t: t[torch.tensor([0, 1, 1])] * t, "sigmoid": lambda t: t.sigmoid(),
          "div": lambda t: torch.ones(3) / t,
          "gather": lambda t: t.gather(0, torch.tensor([0])) * t}
OF_THE_RESULT = {"exp", "sigmoid"}


@pytest.mark.parametrize("way", [*WAYS, ".data"])
@pytest.mark.parametrize("saver", SAVERS)
def test_what_was_saved_and_then_written_is_noticed(saver, way):
    leaf = torch.ones(2, 3, requires_grad=True)
    base = leaf * 2
    saved = base[0]
    result = SAVERS[saver](saved)
    written = result if saver in OF_THE_RESULT else saved
    its_base = written if saver in OF_THE_RESULT else base
    other = (written.view(-1) if saver in OF_THE_RESULT else base[:, 0])
    if way == ".data":
        written.data.add_(1)
        result.sum().backward()
        return
    with torch.no_grad():
        WAYS[way](written, its_base, other).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_index_tensors_are_guarded_too():
    x, index = torch.ones(3, requires_grad=True), torch.tensor([0, 2])
    y = x[index]
    assert y.grad_fn._saved_indices[0] is index
    index.add_(0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


# ---- refusals leave everything as it was ---------------------------------------------------------

LEAF = lambda: torch.ones(3, requires_grad=True)  # noqa: E731
REFUSALS = {
    "a leaf": (LEAF, lambda x: x.add_(1), "a leaf Variable that requires grad"),
    "a leaf by index": (LEAF, lambda x: x.__setitem__(0, 1.0), "a view of a leaf Variable"),
    "a larger shape": (lambda: torch.ones(3), lambda x: x.add_(torch.ones(2, 3)), "doesn't match"),
    "another shape": (lambda: torch.ones(3), lambda x: x.add_(torch.ones(2)), "must match"),
    "a higher dtype": (lambda: torch.ones(3, dtype=torch.int64), lambda x: x.add_(0.5),
                       "can't be cast"),
    "repeated memory": (lambda: torch.ones(1).expand(3), lambda x: x.add_(1), "single memory"),
    "overlapping memory": (lambda: torch.arange(3.)[:2], lambda x: x.add_(x._base[1:]),
                           "single memory location"),
    "copy_ of other shape": (lambda: torch.ones(3), lambda x: x.copy_(torch.ones(2)), "must match"),
    "copy_ of larger shape": (lambda: torch.ones(3), lambda x: x.copy_(torch.ones(2, 3)), "shape"),
    "fill_ with a vector": (lambda: torch.ones(3), lambda x: x.fill_(torch.ones(2)), "0-dimension"),
    "index_put_ of another dtype": (lambda: torch.ones(3), lambda x: x.__setitem__(
        [0], torch.tensor(1)), "dtypes match"),
    "an index outside": (lambda: torch.ones(3), lambda x: x.__setitem__([5], 1.0), "out of bounds"),
    "resize_ of a leaf": (LEAF, lambda x: x.resize_(2), "cannot resize variables"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_writes_change_nothing(name):
    make, act, words = REFUSALS[name]
    x = make()
    before, version = np.array(x.detach()), x._version
    with pytest.raises((RuntimeError, IndexError), match=words):
        act(x)
    np.testing.assert_array_equal(x.detach(), before)
    assert x._version == version and x.grad_fn is None


def test_inference_tensors_are_written_to_only_in_inference_mode():
    with torch.inference_mode():
        x = torch.ones(3)
        x.mul_(2)
        x[0] = 5.0
    for act in (lambda: x.mul_(2), lambda: x.__setitem__(0, 1.0), lambda: x.t_()):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
            act()
    assert x.tolist() == [5, 2, 2]


# ---- shapes and memory exchanged -----------------------------------------------------------------


def test_set_and_resize_count_a_version():
    x = torch.arange(4.)
    assert x.resize_(2, 2) is x and x._version == 1
    assert x.resize_(2, 2)._version == 1
    x.resize_(6)
    assert x.shape == (6,) and x[:4].tolist() == [0, 1, 2, 3]
    y = torch.ones(2)
    x.set_(y)
    y.add_(1)
    assert x.tolist() == [2, 2]


def test_in_place_shapes_have_the_nodes_of_their_overloads():
    for act, name in ((lambda y: y.t_(), "TBackward1"),
                      (lambda y: y.unsqueeze_(0), "UnsqueezeBackward1"),
                      (lambda y: y.squeeze_(), "SqueezeBackward3"),
                      (lambda y: y.squeeze_(0), "SqueezeBackward4"),
                      (lambda y: y.as_strided_((2,), (1,)), "AsStridedBackward1"),
                      (lambda y: y.transpose_(0, 1), "TransposeBackward1")):
        x = torch.ones(1, 2, requires_grad=True)
        y = act(x.clone())
        assert y.grad_fn.name() == name and y._version == 1
        y.sum().backward()
        assert x.grad.tolist() == [[1, 1]]
