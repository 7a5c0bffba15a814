"""gradcheck where it needs transforms."""

from tests.autograd.observe import f64, leaf, raises, warned


def _counting(torch, wrong=False):
    calls = [0]

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_forward(x, y)
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

        @staticmethod
        def jvp(ctx, a, b):
            calls[0] += 1
            x, y = ctx.saved_tensors
            return a * y + b * x * (2 if wrong else 1)

    return Product.apply, calls


def how_often_jvp_is_called(torch):
    f, calls = _counting(torch)
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [0.3, 2.0])
    found = []
    for inputs, options in (
        ((x, y), {"check_undefined_grad": False}),
        ((x, y), {}),
        ((x, y), {"check_batched_forward_grad": True}),
        ((x, y.detach()), {"check_batched_forward_grad": True}),
    ):
        calls[0] = 0
        torch.autograd.gradcheck(
            f, inputs, check_forward_ad=True, check_backward_ad=False, fast_mode=True, **options
        )
        found.append(calls[0])
    return found


def wrong_tangent(torch):
    f, _ = _counting(torch, wrong=True)
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [0.3, 2.0])
    return [
        raises(
            lambda fast=fast: torch.autograd.gradcheck(
                f, (x, y), check_forward_ad=True, fast_mode=fast
            ),
            "Jacobian computed with forward mode mismatch for output 0 with respect to input 1",
        )
        for fast in (False, True)
    ]


def everything_at_once(torch):
    x = leaf(torch, [[0.3, -0.4], [1.2, 0.9]])
    z = torch.tensor([1 + 2j, 0.3 - 0.4j], dtype=torch.complex128, requires_grad=True)
    check, again = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    options = {"check_batched_grad": True, "check_forward_ad": True}
    found = []
    for fast in (True, False):
        for f, given in (
            (lambda x: (x @ x).softmax(1), x),
            (lambda z: z * z.conj() + z.exp(), z),
            (lambda x: x[torch.tensor([0, 0])].prod(), x),
        ):
            found.append(check(f, given, fast_mode=fast, **options))
            found.append(
                again(f, given, fast_mode=fast, check_batched_grad=True, check_fwd_over_rev=True)
            )
    return found


def random_operations(torch):
    x = leaf(torch, [1.0, 2.0])

    class Noisy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 + torch.rand_like(g) * 0

    return raises(
        lambda: torch.autograd.gradcheck(Noisy.apply, x, check_batched_grad=True),
        "vmap: We do not yet support calling random operations inside of vmap",
    )


def backward_that_leaves_the_library(torch):
    x = leaf(torch, [1.0, 2.0])

    class Leaves(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 if g.sum().item() < 1e9 else g

    return raises(
        lambda: torch.autograd.gradcheck(Leaves.apply, x, check_batched_grad=True),
        "While computing batched gradients",
    )


def unrelated_input(torch):
    x, y = leaf(torch, [1.0]), leaf(torch, [2.0])
    return torch.autograd.gradgradcheck(
        lambda x, y: x.sum() * 2 + (y**2).sum(), (x, y), check_batched_grad=True, fast_mode=True
    )


def second_derivative_lost(torch):
    x = leaf(torch, [0.5])

    class Sinh(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            e, m = x.exp(), (-x).exp()
            ctx.save_for_backward(e, m)
            return (e - m) / 2

        @staticmethod
        def backward(ctx, g):
            e, m = ctx.saved_tensors
            return g * (e + m) / 2

    return [
        torch.autograd.gradcheck(Sinh.apply, x),
        raises(lambda: torch.autograd.gradgradcheck(Sinh.apply, x), "Jacobian mismatch"),
        raises(
            lambda: torch.autograd.gradcheck(lambda x: x, f64(torch, [1.0])),
            "at least one input tensor to require gradient",
        ),
    ]


def what_the_function_is_given(torch):
    """Forward mode is checked on inputs that do not require grad; backward on those that do."""
    seen, x = [], leaf(torch, [1.0, 2.0])

    def f(x):
        seen.append(x.requires_grad)
        return x * 2

    torch.autograd.gradcheck(f, x, check_forward_ad=True, check_backward_ad=False, fast_mode=True,
                             check_undefined_grad=False)
    return [True in seen, False in seen, seen[-1]]


def _wrong(torch, backward, jvp, forward=None):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**2 if forward is None else forward(x)

    F.backward, F.jvp = staticmethod(backward), staticmethod(jvp)
    return F.apply


def backward_goes_first(torch):
    """Where both are wrong, backward is reported; each alone is found."""
    x, found = leaf(torch, [1.0, 2.0]), []
    right_back = (lambda ctx, g: g * 2 * ctx.saved_tensors[0])
    for back in (right_back, lambda ctx, g: g * 3):
        for push in (right_back, lambda ctx, t: t * 3):
            for fast in (True, False):
                f = _wrong(torch, back, push)
                found.append([
                    raises(lambda f=f, fast=fast, forward=forward: torch.autograd.gradcheck(
                        f, x, check_forward_ad=forward, check_backward_ad=backward, fast_mode=fast))
                    for forward, backward in ((True, True), (True, False), (False, True))])
                said = raises(lambda f=f, fast=fast: torch.autograd.gradcheck(
                    f, x, check_forward_ad=True, fast_mode=fast),
                    "Jacobian mismatch for output 0 with respect to input 0")
                found.append(said if back is not right_back else said[0])
    return found


def inputs_and_failures(torch):
    """A tensor, a tuple, a list; a list of outputs; False in the place of an error."""
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    check = torch.autograd.gradcheck
    bad = _wrong(torch, lambda ctx, g: g * 3, lambda ctx, t: t)

    def user_error(x):
        raise ValueError("mine")

    return [
        check(lambda x: x * 2, x), check(lambda x, y: x * y, (x, y)),
        check(lambda x, y: [x * y, x], [x, y]), check(lambda x, n: x * n, (x, 3)),
        check(bad, x, raise_exception=False),
        check(bad, (x,), raise_exception=False, fast_mode=True),
        raises(lambda: check(bad, x), "Jacobian mismatch for output 0 with respect to input 0"),
        raises(lambda: check(user_error, x, raise_exception=False), "mine"),
        raises(lambda: check(lambda x, y: (x, bad(y)), (x, y)),
               "Jacobian mismatch for output 1 with respect to input 1"),
        check(lambda x: x * 2, x, masked=False), check(lambda x: (), x),
        issubclass(torch.autograd.gradcheck.GradcheckError, RuntimeError)
        if hasattr(torch.autograd.gradcheck, "GradcheckError") else True,
        raises(lambda: check(lambda x: x, torch.ones(2, dtype=torch.float64)),
               "at least one input tensor to require gradient"),
        raises(lambda: check(lambda x: x * 2, torch.ones(1, dtype=torch.float64).expand(2)
                             .requires_grad_()), "The 0th input has a dimension with stride 0"),
    ]


def tolerances(torch):
    """eps, atol and rtol decide; so does nondet_tol."""
    x, check, found = leaf(torch, [1.0, 2.0]), torch.autograd.gradcheck, []
    near = _wrong(torch, lambda ctx, g: g * 2.002 * ctx.saved_tensors[0], None)
    for options in ({"rtol": 1e-2}, {"rtol": 1e-5}, {"rtol": 0, "atol": 0.1},
                    {"rtol": 0, "atol": 1e-4}):
        for fast in (True, False):
            found.append(check(near, x, raise_exception=False, fast_mode=fast, **options))
    calls = [0]

    def noisy(ctx, g):
        calls[0] += 1
        return g * 2 * ctx.saved_tensors[0] + calls[0] * 1e-7

    f = _wrong(torch, noisy, None)
    for tolerance in (0.0, 1e-9, 1e-3):
        found.append(check(f, x, raise_exception=False, nondet_tol=tolerance,
                           check_undefined_grad=False))
    found.append(raises(lambda: check(f, x), "Backward is not reentrant"))
    found.append(check(lambda x: x**3, x, eps=0.1, raise_exception=False))
    return found


def undefined_gradients(torch):
    x = leaf(torch, [1.0, 2.0])

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            if g is None and h is None:
                raise RuntimeError("both are missing")
            return h * 3 if g is None else g * 2 if h is None else g * 2 + h * 3

    class Adds(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return torch.ones(2, dtype=torch.float64) if g is None else g * 2

    return [
        raises(lambda: torch.autograd.gradcheck(Two.apply, x),
               "Expected backward function to handle undefined output grads"),
        torch.autograd.gradcheck(Two.apply, x, check_undefined_grad=False),
        raises(lambda: torch.autograd.gradcheck(Adds.apply, x),
               "Expected all input grads to be undefined or zero when all output grads are"),
    ]


def dtypes_of_gradients(torch):
    """Only with check_grad_dtypes."""
    x = leaf(torch, [1.0, 2.0])

    class Forward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, t):
            return (t * 2).to(torch.complex128)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return [torch.autograd.gradcheck(lambda x: x * 2, x, check_grad_dtypes=True),
            torch.autograd.gradcheck(lambda x: x * 2, x, check_grad_dtypes=True, fast_mode=True),
            torch.autograd.gradcheck(Forward.apply, x, check_grad_dtypes=True),
            torch.autograd.gradcheck(Forward.apply, x, check_forward_ad=True),
            raises(lambda: torch.autograd.gradcheck(Forward.apply, x, check_forward_ad=True,
                                                    check_grad_dtypes=True), "dtype mismatch")]


def second_derivatives(torch):
    """Which way the second derivative is taken."""
    x, again = leaf(torch, [0.5, 0.7]), torch.autograd.gradgradcheck
    f = (lambda x: x.sin() * x)
    return [
        again(f, x), again(f, x, fast_mode=True), again(f, x, check_fwd_over_rev=True),
        again(f, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False),
        raises(lambda: again(f, x, check_rev_over_rev=False, check_fwd_over_rev=False)),
        again(f, x, f64(torch, [1.0, 2.0], True)), again(lambda x, y: x.sum(), (x, leaf(torch))),
        again(lambda x: (x, x**2), x, gen_non_contig_grad_outputs=True),
    ]


def old_names(torch):
    import importlib
    m = importlib.import_module(f"{torch.__name__}.autograd.gradcheck")
    x = leaf(torch, [1.0, 2.0])
    return [
        raises(lambda: m.get_numerical_jacobian(lambda x: x, (x,), grad_out=2.0),
               "Expected grad_out to be 1.0"),
        raises(lambda: m.get_analytical_jacobian((x,), x * 2, grad_out=2.0),
               "Expected grad_out to be 1.0"),
        warned(lambda: m.get_numerical_jacobian(lambda xs: xs[0]**2, (x,)),
               "was part of PyTorch's private API"),
        warned(lambda: m.get_analytical_jacobian((x,), x**2), "was part of PyTorch's private API"),
        m.get_numerical_jacobian(lambda xs: xs[0]**2, (x,), eps=1e-6),
        m.get_analytical_jacobian((x,), x**2),
    ]
