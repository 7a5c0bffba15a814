"""autograd.functional."""

import warnings

from tests.autograd.observe import f64, leaf, raises


def _two(x, y):
    return (x * y).sin(), x.sum() * y[0]


def _number(x, y):
    return ((x * y).sin() * x).sum()


def _xy(torch):
    return f64(torch, [1.0, 2.0, 3.0]), f64(torch, [0.5, -1.0, 2.0])


def values(torch):
    F, (x, y) = torch.autograd.functional, _xy(torch)
    return [
        F.jacobian(_two, (x, y)),
        F.hessian(_number, (x, y)),
        F.vjp(_two, (x, y), (x, x.sum())),
        F.jvp(_two, (x, y), (y, x)),
        F.vhp(_number, (x, y), (y, x)),
        F.hvp(_number, (x, y), (y, x)),
        F.jacobian(lambda x: x**2, x),
        F.vjp(lambda x: x.sum(), x),
        F.jvp(lambda x: x * 2, x.sum()),
    ]


def ways_agree(torch):
    F, (x, y) = torch.autograd.functional, _xy(torch)

    def flat(t):
        return [t] if hasattr(t, "dim") else [leaf for part in t for leaf in flat(part)]

    want, found = flat(F.jacobian(_two, (x, y))), []
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for options in (
            {"vectorize": True},
            {"vectorize": True, "strategy": "forward-mode"},
            {"create_graph": True},
            {"vectorize": True, "create_graph": True},
        ):
            found.append(
                all(
                    torch.allclose(a, b)
                    for a, b in zip(flat(F.jacobian(_two, (x, y), **options)), want, strict=True)
                )
            )
        want = flat(F.hessian(_number, (x, y)))
        for options in (
            {"vectorize": True},
            {"create_graph": True},
            {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
        ):
            found.append(
                all(
                    torch.allclose(a, b)
                    for a, b in zip(flat(F.hessian(_number, (x, y), **options)), want, strict=True)
                )
            )
    return found


def shapes(torch):
    F, x = torch.autograd.functional, f64(torch, [[1.0, 2.0], [3.0, 4.0]])
    n = f64(torch, 2.0)
    return [
        list(F.jacobian(lambda x: x.sum(), x).shape),
        list(F.jacobian(lambda n: n * x, n).shape),
        list(F.jacobian(lambda n: n * 2, n).shape),
        list(F.hessian(lambda x: x.sum().reshape(1, 1, 1), x).shape),
        list(F.hessian(lambda n: n**2, n).shape),
        list(F.jacobian(lambda x: (x, x.sum()), x)[1].shape),
        F.vhp(lambda x: (x**2).sum().reshape(1, 1, 1), x, x)[1],
    ]


def refusals(torch):
    F, (x, y) = torch.autograd.functional, _xy(torch)
    found = [
        raises(
            lambda n=n: getattr(F, n)(_number, 3, x), f"The inputs given to {n} must be either a"
        )
        for n in ("vjp", "jvp", "jacobian", "hessian", "vhp", "hvp")
    ]
    return [
        *found,
        raises(lambda: F.jacobian(lambda x: 3, x), "given to jacobian must"),
        raises(lambda: F.vjp(lambda x: (x, 3), x), "given to vjp must"),
        raises(lambda: F.hvp(lambda x: x, x, x), "given to hvp should contain a single element"),
        raises(lambda: F.vhp(lambda x: x, x, x), "given to vhp should contain a single element"),
        raises(lambda: F.hessian(_two, (x, y)), "given to hessian should return a single Tensor"),
        raises(lambda: F.vjp(lambda x: x, x), "The vector v can only be None if"),
        raises(lambda: F.jvp(lambda x: x, x), "The vector v can only be None if"),
        raises(
            lambda: F.vjp(lambda x: x, x, (x, x)), "The given v should contain a single Tensor."
        ),
        raises(lambda: F.vjp(lambda x: x, x, x[:2]), "v has invalid size: should be torch.Size"),
        raises(
            lambda: F.vjp(lambda x: x, x, 3),
            "The v given to vjp must be either a Tensor or a tuple",
        ),
        raises(
            lambda: F.jacobian(_two, (x, y), strict=True, vectorize=True), "not supported together"
        ),
        raises(lambda: F.jacobian(_two, (x, y), strategy="forward-mode")),
        raises(
            lambda: F.jacobian(_two, (x, y), strategy="sideways"), "Expected strategy to be either"
        ),
        raises(
            lambda: torch.func.grad(lambda x: F.jacobian(lambda x: x * 2, x).sum())(x),
            "torch.autograd.functional",
        ),
        raises(
            lambda: torch.vmap(lambda x: F.jacobian(lambda x: x * 2, x))(x),
            "torch.autograd.functional",
        ),
    ]


def strictly(torch):
    F, (x, y) = torch.autograd.functional, _xy(torch)
    detached, first = (lambda x, y: x.detach()), (lambda x, y: x * 1.0)
    return [
        raises(
            lambda: F.jacobian(detached, (x, y), strict=True),
            "Output 0 of the user-provided function does not require gradients.",
        ),
        raises(lambda: F.jacobian(first, (x, y), strict=True), "is independent of input 1"),
        raises(
            lambda: F.vjp(first, (x, y), x, strict=True),
            "The output of the user-provided function is independent of input 1",
        ),
        raises(
            lambda: F.jacobian(lambda x: x * 1.0, x, strict=True, create_graph=True),
            "jacobian of the user-provided function is independent of input 0.",
        ),
        raises(
            lambda: F.hessian(lambda x: x.sum(), x, strict=True),
            "jacobian of the user-provided function with respect to input 0",
        ),
        raises(
            lambda: F.jvp(lambda x: x.detach(), x, x, strict=True), "does not require gradients."
        ),
        raises(
            lambda: F.vhp(lambda x, y: x.exp().sum(), (x, y), (x, y), strict=True),
            "The output of the user-provided function is independent of input 1",
        ),
        F.jacobian(first, (x, y))[1],
        F.jacobian(detached, (x, y), vectorize=True),
        F.vjp(first, (x, y), x)[1],
        F.hessian(lambda x, y: x.sum(), (x, y))[1][0],
        F.hvp(lambda x, y: x.exp().sum(), (x, y), (x, y))[1],
    ]


def graphs(torch):
    F, x = torch.autograd.functional, leaf(torch, [1.0, 2.0])
    plain = F.jacobian(lambda x: x**3, x)
    with torch.no_grad():
        kept = F.jacobian(lambda x: x**3, x, create_graph=True)
    out, back = F.vjp(lambda x: x**3, x, f64(torch, [1.0, 1.0]), create_graph=True)
    return [
        plain.grad_fn is None,
        kept.grad_fn is None,
        torch.autograd.grad(kept.sum(), x),
        torch.autograd.grad(back.sum(), x),
        out.requires_grad,
        torch.autograd.gradcheck(
            lambda x: F.hessian(lambda x: (x**4).sum(), x, create_graph=True), x
        ),
    ]


def several_dtypes(torch):
    F, x = torch.autograd.functional, f64(torch, [1.0, 2.0])
    found = F.jacobian(lambda x: (x * 2, x.float() * 3), x, vectorize=True)
    return [[str(j.dtype), j] for j in found]
