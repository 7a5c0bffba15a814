"""gradcheck where it needs transforms."""

from tests.autograd.observe import f64, leaf, raises


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
