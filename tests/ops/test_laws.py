"""The laws that every row keeps, tried on the table of cases. One test for each law.

A new operation is one row in `autodidact/ops` and one case in `tests/ops/cases.py`; all that
follows comes with them.
"""

import numpy as np
import pytest

import autodidact as ad
from autodidact.inplace import inplace
from autodidact.ops.op import TABLE, Kind, View
from tests.ops.cases import CASES
from tests.ops.differences import (
    cotangents,
    floating,
    forward,
    gradients,
    inner,
    names,
    push,
    run,
    slopes,
    tensor,
    tensors_of,
    values,
    weighted,
)
from tests.ops.duck import Duck, bare

CLOSE = {"rtol": 1e-5, "atol": 1e-7}


def differentiable(case):
    """Whether the row has derivatives for some input of the case."""
    op = TABLE[case.row]
    arrays = case.arrays()
    named = op.inputs * len(arrays) if op.variadic else op.inputs
    return (isinstance(op, View) and floating(arrays[0])) or any(
        floating(a) and n in op.vjp for n, a in zip(named, arrays, strict=True))


def over(cases):
    """One test for each case, under the case's name."""
    return pytest.mark.parametrize("case", cases, ids=[c.id for c in cases])


def fits_into_itself(case):
    """Whether the result has the shape of the first input and a dtype that it can hold."""
    arrays = case.arrays()
    with np.errstate(all="ignore"):
        result = np.asarray(forward(case, arrays)[0])
    both_complex = (result.dtype.kind == "c") == (arrays[0].dtype.kind == "c")
    return result.shape == arrays[0].shape and both_complex


SMOOTH = [c for c in CASES if differentiable(c) and c.smooth]
WITH_GRADIENT = [c for c in CASES if differentiable(c)]
IN_PLACE = [c for c in CASES if Kind.ELEMENTWISE in (TABLE[c.row].kind or Kind(0))
            and TABLE[c.row].inputs[0] in ("self", "exponent") and fits_into_itself(c)]


def test_rows_and_cases_match():
    assert {c.row for c in CASES} == set(TABLE)
    assert len({c.id for c in CASES}) == len(CASES)


@over([c for c in CASES if c.value])
def test_value_is_that_of_numpy(case):
    arrays = case.arrays()
    expected = case.value(*arrays, *case.args.values())
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    found = run(case, tensors_of(arrays, False))
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(f._array), e, rtol=1e-12, atol=1e-12)
        assert f.shape == np.shape(e)


@over(SMOOTH)
def test_gradient_is_that_of_differences(case):
    arrays, rng = case.arrays(), np.random.default_rng(1)
    tensors = tensors_of(arrays)
    weights = cotangents([o._array for o in run(case, tensors)], rng)
    found = iter(gradients(case, tensors, weights))
    for i, (a, t) in enumerate(zip(arrays, tensors, strict=True)):
        if t is None or not t.requires_grad:
            continue
        expected = slopes(
            lambda x, i=i: weighted(case, [*arrays[:i], x, *arrays[i + 1:]], weights), a)
        gradient = next(found)
        if used(case, i):
            np.testing.assert_allclose(gradient.numpy(), expected, **CLOSE, err_msg=f"input {i}")


def used(case, i):
    """Whether the row says a derivative for input i (PyTorch has none for some weights)."""
    op = TABLE[case.row]
    return isinstance(op, View) or op.variadic or op.inputs[i] in op.vjp


@over([c for c in SMOOTH if c.second])
def test_second_derivative_is_that_of_differences(case):
    arrays, rng = case.arrays(), np.random.default_rng(2)
    weights = cotangents([o._array for o in run(case, tensors_of(arrays, False))], rng)
    tensors = tensors_of(arrays)
    outer = [None if w is None else tensor(w, True) for w in weights]
    firsts = gradients(case, tensors, outer, create_graph=True)
    directions = cotangents([g.detach()._array for g in firsts], rng)
    pairs = [(g, d) for g, d in zip(firsts, directions, strict=True) if g.requires_grad]
    leaves = [t for t in [*tensors, *outer] if t is not None and t.requires_grad]
    found = ad.autograd.grad([g for g, _ in pairs], leaves, [tensor(d) for _, d in pairs],
                             allow_unused=True) if pairs else [None] * len(leaves)

    def along(new_arrays, new_weights):
        gs = gradients(case, tensors_of(new_arrays), new_weights)
        return sum(inner(d, g.numpy()) for d, g in zip(directions, gs, strict=True))

    found = iter(found)
    for kind, items in (("input", arrays), ("cotangent", weights)):
        for i, a in enumerate(items):
            if a is None or not floating(a):
                continue

            def moved(x, kind=kind, i=i):
                if kind == "input":
                    return along([*arrays[:i], x, *arrays[i + 1:]], weights)
                return along(arrays, [*weights[:i], x, *weights[i + 1:]])
            gradient = next(found)
            if kind == "input" and not used(case, i):
                continue
            gradient = np.zeros_like(a) if gradient is None else gradient.numpy()
            np.testing.assert_allclose(gradient, slopes(moved, a), rtol=1e-4, atol=1e-6,
                                       err_msg=f"{kind} {i}")


@over(WITH_GRADIENT)
def test_forward_mode_by_the_word_agrees_with_reverse(case):
    arrays, rng = case.arrays(), np.random.default_rng(3)
    tensors = tensors_of(arrays)
    tangents = [t if t is not None else a for t, a in zip(
        cotangents([0 if a is None else a for a in arrays], rng), arrays, strict=True)]
    tangents = [t if a is None or not floating(a) or used(case, i) else np.zeros_like(a)
                for i, (t, a) in enumerate(zip(tangents, arrays, strict=True))]
    weights = cotangents([o._array for o in run(case, tensors)], rng)
    with np.errstate(all="ignore"):
        pushed = push(case, arrays, tangents)
    sent = sum(inner(w, p) for w, p in zip(weights, pushed, strict=False) if w is not None)
    floats = [t for t, x in zip(tangents, tensors, strict=True)
              if x is not None and x.requires_grad]
    pulled = sum(inner(g.numpy(), t) for g, t in zip(
        gradients(case, tensors, weights), floats, strict=True))
    assert sent == pytest.approx(pulled, rel=1e-9, abs=1e-9, nan_ok=True)


@over(WITH_GRADIENT)
def test_formulas_read_on_arrays_and_on_tensors_agree(case):
    arrays = case.arrays()
    probe = run(case, tensors_of(arrays, False))
    weights = cotangents([o._array for o in probe], np.random.default_rng(4))
    plain = gradients(case, tensors_of(arrays), weights)
    as_tensors = gradients(case, tensors_of(arrays), weights, create_graph=True)
    for a, b in zip(plain, as_tensors, strict=True):
        assert a.dtype is b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-12, atol=1e-12)


@over([c for c in CASES if c.duck and not isinstance(TABLE[c.row], View)
       and not TABLE[c.row].variadic])
def test_arrays_of_another_class(case):
    op, arrays = TABLE[case.row], case.arrays()
    inputs = [None if a is None else Duck(a) for a in arrays]
    with np.errstate(all="ignore"):
        outs, expected = forward(case, inputs), forward(case, arrays)
        for o, e in zip(outs, expected, strict=True):
            assert isinstance(o, Duck)
            np.testing.assert_allclose(bare(o), e, rtol=1e-14)
        grads = [Duck(g) if g is not None else None
                 for g in cotangents(expected, np.random.default_rng(5))]
        for name in (n for n, a in zip(op.inputs, arrays, strict=True)
                     if floating(a) and n in op.vjp):
            grad = grads[0] if len([g for g in grads if g is not None]) == 1 else tuple(grads)
            formula, known = op.vjp[name], values(op, inputs, outs, case.args)
            of_ducks = formula(grad, *[known[n] for n in names(formula)[1:]])
            plain = values(op, arrays, expected, case.args)
            of_arrays = formula(bare(grad), *[plain[n] for n in names(formula)[1:]])
            assert isinstance(of_ducks, Duck)
            np.testing.assert_allclose(bare(of_ducks), of_arrays, rtol=1e-14)


def test_at_least_ten_rows_run_on_arrays_of_another_class():
    assert len({c.row for c in CASES if c.duck and TABLE[c.row].vjp}) >= 10


@over(WITH_GRADIENT)
def test_saved_names_and_freeing(case):
    op, tensors = TABLE[case.row], tensors_of(case.arrays())
    outs = run(case, tensors)
    node = next(o.grad_fn for o in outs if o.requires_grad)
    assert node.name() == op.node_name
    saved = node.plan.saved_names
    if not isinstance(op, View):
        promised = {n for name, f in op.vjp.items() for n in names(f)[1:]
                    if wants_gradient(op, name, tensors)}
        assert set(saved) == promised & {*op.inputs, *op.outputs}
    for name in saved:
        if name in op.inputs and not op.variadic:
            expected = tensors[op.inputs.index(name)]
            assert getattr(node, f"_saved_{name}") is getattr(expected, "tensors", expected)
        elif not op.variadic:
            kept = getattr(node, f"_saved_{name}")
            np.testing.assert_array_equal(kept.detach(), outs[op.outputs.index(name)].detach())
    weights = cotangents([o._array for o in outs], np.random.default_rng(6))
    roots = [(o, tensor(w)) for o, w in zip(outs, weights, strict=True)
             if w is not None and o.requires_grad]
    ad.autograd.backward([o for o, _ in roots], [w for _, w in roots])
    for name in saved:
        with pytest.raises(RuntimeError, match="second time"):
            getattr(node, f"_saved_{name}")
    if saved:
        with pytest.raises(RuntimeError, match="second time"):
            ad.autograd.backward([o for o, _ in roots], [w for _, w in roots])


def wants_gradient(op, name, tensors):
    """Whether the input called `name` requires grad in this case."""
    if op.variadic:
        return any(t.requires_grad for t in tensors)
    t = tensors[op.inputs.index(name)]
    return t is not None and t.requires_grad


@over(IN_PLACE)
def test_in_place_equals_out_of_place(case):
    op, arrays = TABLE[case.row], case.arrays()
    outside = tensors_of(arrays)
    expected = run(case, outside)[0]
    inside = tensors_of(arrays)
    x = inside[0].clone()
    before = x._version
    written = inplace(op)(x, *inside[1:], *[case.args[n] for n in op.args])
    assert written is x and x._version == before + 1
    np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy())
    if not (expected.requires_grad and x.requires_grad):
        assert expected.requires_grad <= x.requires_grad
        return
    assert x.grad_fn.name() == expected.grad_fn.name()
    if op.node_name == "NotImplemented":
        return
    weight = tensor(cotangents([expected._array], np.random.default_rng(7))[0])
    pairs = [(a, b) for a, b in zip(outside, inside, strict=True)
             if a is not None and a.requires_grad]
    one = ad.autograd.grad(expected, [a for a, _ in pairs], weight, allow_unused=True)
    two = ad.autograd.grad(x, [b for _, b in pairs], weight, allow_unused=True)
    for a, b in zip(one, two, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)
