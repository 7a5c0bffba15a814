"""gradcheck and gradgradcheck: what passes, what fails, and in which words."""

import re
import warnings

import numpy as np
import pytest

import autodidact as ad
from autodidact.autograd.gradcheck import (
    GradcheckError,
    get_analytical_jacobian,
    get_numerical_jacobian,
)

gradcheck, gradgradcheck = ad.autograd.gradcheck, ad.autograd.gradgradcheck
FAST = pytest.mark.parametrize("fast", [False, True], ids=["slow", "fast"])


def leaf(*shape, kind=np.float64, seed=0):
    """A random leaf, away from zero."""
    rng = np.random.default_rng(seed)
    array = rng.uniform(0.3, 1.5, shape)
    if np.dtype(kind).kind == "c":
        array = array + 1j * rng.uniform(0.3, 1.5, shape)
    return ad.tensor(array.astype(kind), requires_grad=True)


def function(forward, backward):
    """A custom Function with the given backward, as something to call."""

    class Custom(ad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(ctx.saved_tensors[0], grad)

    return Custom.apply


cube = function(lambda x: x**3, lambda x, grad: grad * 3 * x * x)
wrong_cube = function(lambda x: x**3, lambda x, grad: grad * 2 * x * x)

RIGHT = {
    "elementwise": (lambda x, y: (x * y).sin(), [(2, 3), (3,)]),
    "two outputs": (lambda x, y: (x.sum(), x * y), [(2, 3), (3,)]),
    "a list": (lambda x, y: [x @ y], [(2, 3), (3,)]),
    "unused input": (lambda x, y: x * 2, [(2,), (2,)]),
    "one entry of 0 dimensions": (lambda x, y: x * y, [(), ()]),
    "no entries": (lambda x, y: x * y, [(0,), (0,)]),
    "custom": (lambda x, y: cube(x) * y, [(3,), (3,)]),
}


@FAST
@pytest.mark.parametrize("name", RIGHT)
def test_right_gradients_pass(name, fast):
    f, shapes = RIGHT[name]
    inputs = tuple(leaf(*shape, seed=i) for i, shape in enumerate(shapes))
    assert gradcheck(f, inputs, fast_mode=fast) is True
    assert gradgradcheck(f, inputs, fast_mode=fast) is True


@FAST
@pytest.mark.parametrize(
    "f",
    [lambda z: z * z, lambda z: z.abs(), lambda z: z.conj() * 2, lambda z: z.real * z.imag],
    ids=["square", "abs", "conj", "parts"],
)
def test_complex(f, fast):
    assert gradcheck(f, leaf(3, kind=np.complex128), fast_mode=fast)


@FAST
def test_complex_output_of_real_input(fast):
    assert gradcheck(lambda x, z: x * z, (leaf(2), leaf(2, kind=np.complex128)), fast_mode=fast)


@FAST
def test_wrong_gradient_is_reported_entry_by_entry(fast):
    with pytest.raises(GradcheckError) as error:
        gradcheck(wrong_cube, leaf(2, 2), fast_mode=fast)
    text = str(error.value)
    assert "Jacobian mismatch for output 0 with respect to input 0" in text
    line = next(part for part in text.splitlines() if part.strip().startswith("[0, 1]"))
    entry = leaf(2, 2).detach().numpy()[0, 1]
    numerical, analytical = map(float, re.findall(r"[\d.]+(?=\s)", line.split("]")[-1])[:2])
    assert numerical == pytest.approx(3 * entry**2, rel=1e-5)
    assert analytical == pytest.approx(2 * entry**2, rel=1e-5)


@FAST
@pytest.mark.parametrize(
    "backward, part",
    [
        (lambda z, grad: grad * (2 * z.conj()).real, "imaginary"),
        (lambda z, grad: grad * 2 * z.conj() + grad.real, "real"),
    ],
    ids=["imaginary", "real"],
)
def test_the_wrong_part_of_a_complex_output_is_named(backward, part, fast):
    f = function(lambda z: z * z, backward)
    with pytest.raises(
        GradcheckError, match=f"While considering the {part} part of complex outputs only"
    ):
        gradcheck(f, leaf(2, kind=np.complex128), fast_mode=fast, check_undefined_grad=False)


def test_second_derivative_is_checked():
    lost = function(lambda x: x**3, lambda x, grad: grad * 3 * x.detach() ** 2)
    assert gradcheck(lost, leaf(2))
    with pytest.raises(GradcheckError, match=r"mismatch|expected to be zero"):
        gradgradcheck(lost, leaf(2))


def test_raise_exception_false_gives_false():
    assert gradcheck(wrong_cube, leaf(2), raise_exception=False) is False
    assert gradgradcheck(wrong_cube, leaf(2), raise_exception=False) is True


def test_single_precision_warns_and_the_failure_says_why():
    x = leaf(2, kind=np.float32)
    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"),
        pytest.raises(GradcheckError, match="float64"),
    ):
        gradcheck(lambda x: x**2, x)


def test_inputs_that_cannot_be_checked():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, ad.ones(2, dtype=ad.float64))
    wide = ad.ones(1, dtype=ad.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(lambda x: x, wide)


def test_errors_of_the_function_are_not_swallowed():
    def f(x):
        raise RuntimeError("not a gradient")

    with pytest.raises(RuntimeError, match="not a gradient"):
        gradcheck(f, leaf(2), raise_exception=False)


def test_options_that_exclude_each_other():
    with pytest.raises(AssertionError, match="Expected at least one of"):
        gradcheck(lambda x: x, leaf(2), check_backward_ad=False)
    with pytest.raises(AssertionError, match="requires check_backward_ad"):
        gradcheck(
            lambda x: x,
            leaf(2),
            check_backward_ad=False,
            check_forward_ad=True,
            check_batched_grad=True,
        )
    with pytest.raises(AssertionError, match="Expected at least one of"):
        gradgradcheck(lambda x: x, leaf(2), check_rev_over_rev=False)


@FAST
def test_backward_that_changes_from_call_to_call(fast):
    noise = iter(range(1000))
    f = function(lambda x: x * 2, lambda x, grad: grad * 2 + next(noise) * 1e-6)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(f, leaf(1), fast_mode=fast, check_undefined_grad=False)


def test_backward_that_changes_within_the_tolerance():
    noise = iter(range(1000))
    f = function(lambda x: x * 2, lambda x, grad: grad * (2 + next(noise) * 1e-9))
    assert gradcheck(f, leaf(1), nondet_tol=1e-5)


def test_backward_that_ignores_what_arrives():
    f = function(lambda x: x * 2, lambda x, grad: x * 0 + 2)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(f, leaf(1), rtol=10.0)


@FAST
def test_outputs_outside_the_graph(fast):
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: (x * 2).detach(), leaf(2), fast_mode=fast)
    assert gradcheck(lambda x: (), leaf(2), fast_mode=fast)
    assert gradcheck(lambda x: x.detach() * 0, leaf(2), fast_mode=fast)


def test_gradients_that_do_not_arrive():
    def backward(x, grad):
        if grad is None:
            raise RuntimeError("no gradient")
        return grad * 2

    class NotFilledIn(ad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return backward(None, grad)

    with (
        pytest.warns(UserWarning, match="New undefined gradient support checking feature"),
        pytest.raises(GradcheckError, match="Expected backward function to handle undefined"),
    ):
        gradcheck(NotFilledIn.apply, leaf(2))
    assert gradcheck(NotFilledIn.apply, leaf(2), check_undefined_grad=False)


def test_outputs_that_change_with_the_step():
    with pytest.raises(
        AssertionError, match="return outputs with the same shape when inputs are pert"
    ):
        gradcheck(
            lambda x: x.repeat(1 + int(x[0].item() > 1)),
            ad.ones(2, dtype=ad.float64, requires_grad=True),
        )
    with pytest.raises(AssertionError, match="same dtype"):
        gradcheck(
            lambda x: x if x[0].item() > 1 else x.float(),
            ad.ones(2, dtype=ad.float64, requires_grad=True),
        )


def test_the_function_may_look_at_its_inputs_from_outside():
    x, y = leaf(2), leaf(2, seed=1)
    assert gradcheck(lambda *unused: x * y, (x, y))
    before = x.detach().clone()
    gradcheck(lambda x: x * 2, x)
    assert ad.equal(x.detach(), before)


def test_given_grad_outputs_and_gaps_in_memory():
    x = leaf(3)
    assert gradgradcheck(lambda x: x**3, x, ad.ones(3, dtype=ad.float64, requires_grad=True))
    assert gradgradcheck(lambda x: x**3, x, gen_non_contig_grad_outputs=True)


def test_old_names_warn():
    x = leaf(2)
    with pytest.warns(FutureWarning, match="get_numerical_jacobian"):
        (numerical,) = get_numerical_jacobian(lambda xs: xs[0] ** 2, (x,), eps=1e-6)
    with pytest.warns(FutureWarning, match="get_analytical_jacobian"):
        (analytical,), same, sizes, dtypes = get_analytical_jacobian((x,), x**2)
    assert ad.allclose(numerical, analytical.detach(), atol=1e-6) and same and sizes and dtypes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for old, args in (
            (get_numerical_jacobian, (lambda x: x, (x,))),
            (get_analytical_jacobian, ((x,), x * 1)),
        ):
            with pytest.raises(ValueError, match=r"Expected grad_out to be 1\.0"):
                old(*args, grad_out=2.0)
