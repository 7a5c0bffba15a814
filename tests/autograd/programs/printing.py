"""What a tensor prints of its history; the numbers are in tests/arrays."""

from tests.autograd.observe import f64, leaf, raises


def history(torch):
    x = torch.tensor([1.0], requires_grad=True)

    class Foo(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    y = (x * 1)[:]
    base = x * 1
    base[0] = 5.0
    return [
        repr(t)
        for t in (
            x,
            x.clone(),
            Foo.apply(x),
            x.detach(),
            x * 2,
            y,
            base,
            x.view(1, 1),
            x.data,
            x.sum(),
            x.unbind(0)[0],
            x.to(torch.float64),
            x.double().requires_grad_(),
        )
    ]


def invalid(torch):
    base = torch.tensor([1.0, 2.0], requires_grad=True) * 1
    with torch.no_grad():
        view = base[:1]
        view.mul_(2)
    return [repr(view), repr(base)]


def written_view(torch):
    base = torch.tensor([1.0, 2.0], requires_grad=True) * 1
    view = base[:1]
    base.mul_(2)
    return [repr(view), repr(base), str(view)]


def dtypes_and_sizes(torch):
    return [
        repr(t)
        for t in (
            f64(torch, 1.0),
            leaf(torch, [1.0, 2.0]),
            leaf(torch, [[1.0]]) * 2,
            torch.tensor([1, 2]),
            torch.tensor([True]),
            torch.zeros(0),
            torch.zeros(0, 3),
            torch.zeros(2, 0, requires_grad=True),
            torch.tensor([1 + 2j]),
            torch.ones(2, dtype=torch.float16),
            torch.tensor(3, dtype=torch.int8),
            torch.arange(2000.0).requires_grad_(),
            torch.tensor([1e10, 1.0]),
            torch.tensor([float("nan"), 1.0]),
        )
    ]


def inside_no_grad(torch):
    x = leaf(torch, [1.0])
    with torch.no_grad():
        return [repr(x), repr(x * 2), repr(x[:])]


def options(torch):
    torch.set_printoptions(precision=2)
    try:
        return repr(torch.tensor([1.23456]))
    finally:
        torch.set_printoptions(profile="default")


def nodes(torch):
    y = leaf(torch) * 2
    return [
        repr(y.grad_fn).split(" object")[0],
        str(y.grad_fn.next_functions[0][0]).split(" object")[0],
        raises(lambda: format(y, ".2f")),
    ]
