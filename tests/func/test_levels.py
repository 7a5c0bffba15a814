"""Levels: what transforms leave behind, and what plain tensors pay for them."""

import gc
import weakref

import pytest

import autodidact as ad
from autodidact.autograd.grad_mode import mode
from autodidact.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from autodidact.levels.level import GRAD, JVP, VMAP, Level, below, lift

SWITCHES = ("state", "grad", "stack", "full", "fwd", "muted", "reading", "saved_hooks", "duals")


def switches():
    """Every mode that a transform may change."""
    return {name: getattr(mode, name) for name in SWITCHES}


def fail(x):
    """A function that does not return."""
    (x * 2).sum()
    raise ZeroDivisionError


X = ad.tensor([1.0, 2.0], dtype=ad.float64)
OUTER = {
    "grad": lambda f: grad(lambda x: f(x).sum())(X),
    "vjp": lambda f: vjp(f, X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "vmap": lambda f: vmap(f)(X),
    "jacrev": lambda f: jacrev(f)(X),
    "jacfwd": lambda f: jacfwd(f)(X),
    "hessian": lambda f: hessian(lambda x: f(x).sum())(X),
}


@pytest.mark.parametrize("inner", OUTER)
@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("recording", [True, False], ids=["recording", "no_grad"])
def test_modes_are_restored_after_an_exception(outer, inner, recording):
    with ad.set_grad_enabled(recording):
        before = switches()
        with pytest.raises(ZeroDivisionError):
            OUTER[outer](lambda x: OUTER[inner](fail))
        assert switches() == before


@pytest.mark.parametrize("kind", [GRAD, JVP, VMAP])
def test_below_a_level_is_as_before_it(kind):
    before = switches()
    with Level(kind, 2) as level:
        assert mode.stack == (level,) and mode.state == 2
        with below(level):
            assert mode.stack == () and mode.grad == before["grad"] and mode.fwd == before["fwd"]
        with ad.no_grad(), below(level):
            assert not mode.grad
    assert not level.alive and switches() == before


@pytest.mark.parametrize("name", OUTER)
def test_nothing_outlives_a_transform(name):
    gc.collect()
    gc.disable()
    try:
        seen = []

        def f(x):
            y = x.exp() * x
            z = y.sin()
            seen.extend([weakref.ref(y), weakref.ref(z)])
            return z
        OUTER[name](f)
        assert seen and not any(ref() is not None for ref in seen)
    finally:
        gc.enable()


def test_tangents_of_the_ground_are_forgotten_with_the_level():
    fw = ad.autograd.forward_ad
    gc.collect()
    gc.disable()
    try:
        x = ad.tensor([0.5, 1.0], requires_grad=True)
        with fw.dual_level():
            d = fw.make_dual(x, ad.ones(2))
            y = d.exp().sigmoid()                     # both nodes keep their results
            tangent = weakref.ref(fw.unpack_dual(y).tangent)
        assert tangent() is None
        ref = weakref.ref(y)
        del y, d
        assert ref() is None
    finally:
        gc.enable()


def test_plain_tensors_stay_plain():
    """After a transform a tensor takes the short path again: no flag, no level."""
    x = ad.tensor([1.0, 2.0])
    for transform in (grad(lambda x: (x * x).sum()), vmap(lambda x: x * 2)):
        found = transform(x)
        assert x._flags == 0 and found._flags == 0 and mode.state == 0


def test_a_tensor_of_a_running_level_cannot_be_read_below_it():
    with Level(VMAP, 2) as level:
        t = lift(ad.ones(2, 3), level, True)
        with below(level), pytest.raises(RuntimeError, match="running transform"):
            t * 2


def test_dual_tensors_inside_vmap():
    """PyTorch has no rule for it; a plain value whose tangent has lanes meets one with lanes."""
    fw, x, eye = ad.autograd.forward_ad, ad.tensor([2.0, 3.0]), ad.eye(2)

    def push(t):
        with fw.dual_level():
            d = fw.make_dual(x, t)
            return fw.unpack_dual(d * (t + 1) * d).tangent
    want = ad.stack([2 * x * (t + 1) * t for t in eye])
    assert ad.allclose(vmap(push)(eye), want)


def test_a_function_may_have_keywords_where_there_are_lanes():
    """PyTorch binds them twice, and fails."""
    class Scale(ad.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, *, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass
    assert Scale.apply(X, k=3.0).tolist() == [3.0, 6.0]
    assert vmap(lambda x: Scale.apply(x, k=3.0))(X).tolist() == [3.0, 6.0]


def test_tangents_of_two_vmaps_meet_in_a_view():
    """PyTorch refuses the write; here it is the loop over both."""
    x, y = ad.tensor([[1.0, 2.0], [3.0, 4.0]]), ad.tensor([5.0, 6.0])

    def f(x, y):
        x = x * 1
        x[0].copy_(y)
        return x

    def push(a, b):
        return jvp(f, (x, y), (a, b))[1]
    many_x, many_y = ad.stack([x, x * 3, x * 4]), ad.stack([y, y * 2])
    inner_y = vmap(lambda a: vmap(lambda b: push(a, b))(many_y))(many_x)
    inner_x = vmap(lambda b: vmap(lambda a: push(a, b))(many_x))(many_y)
    for i, a in enumerate(many_x):
        for j, b in enumerate(many_y):
            assert ad.equal(inner_y[i, j], push(a, b)) and ad.equal(inner_x[j, i], push(a, b))
