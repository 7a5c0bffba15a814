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


def results_without_history(torch):
    """No history unless asked for, though inputs and vectors require grad.

    no_grad around a function with create_graph cuts only what is around.
    """
    F, found = torch.autograd.functional, []
    x, v = leaf(torch, [1.0, 2.0]), leaf(torch, [0.5, -1.0])

    def number(x):
        return (x**3).sum()

    calls = [
        lambda **o: F.jacobian(lambda x: x**3, x, **o),
        lambda **o: F.hessian(number, x, **o),
        lambda **o: F.vjp(lambda x: x**3, x, v, **o)[1],
        lambda **o: F.jvp(lambda x: x**3, x, v, **o)[1],
        lambda **o: F.vhp(number, x, v, **o)[1],
        lambda **o: F.hvp(number, x, v, **o)[1],
        lambda **o: F.jacobian(lambda x: x**3, x, vectorize=True, **o),
        lambda **o: F.vjp(lambda x: x**3, x, v, **o)[0],
        lambda **o: F.hvp(number, x, v, **o)[0],
    ]
    for call in calls:
        plain = call()
        kept = call(create_graph=True)
        with torch.no_grad():
            inside, quiet = call(create_graph=True), call()
        (g,) = torch.autograd.grad(kept.sum(), x, retain_graph=True)
        (h,) = torch.autograd.grad(inside.sum(), x)
        found.append([plain.requires_grad, plain.grad_fn is None, kept.requires_grad,
                      inside.requires_grad, quiet.requires_grad, plain, g, bool((g == h).all()),
                      x.requires_grad, x.grad])
    return found


def results_can_be_checked(torch):
    """The results themselves, differentiated twice, with batched gradients, too."""
    F, found = torch.autograd.functional, []
    x, v = leaf(torch, [0.4, 0.7]), leaf(torch, [0.5, -1.0])

    def f(x):
        return (x * x.roll(1, 0)).sin() * x

    def number(x):
        return (f(x) * x).sum()

    for call in (
        lambda x, v: F.jacobian(f, x, create_graph=True),
        lambda x, v: F.jacobian(f, x, create_graph=True, vectorize=True),
        lambda x, v: F.hessian(number, x, create_graph=True),
        lambda x, v: F.vjp(f, x, v, create_graph=True)[1],
        lambda x, v: F.jvp(f, x, v, create_graph=True)[1],
        lambda x, v: F.vhp(number, x, v, create_graph=True)[1],
        lambda x, v: F.hvp(number, x, v, create_graph=True)[1],
    ):
        for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
            found.append(check(call, (x, v), check_batched_grad=True, fast_mode=True))
    return found


def one_element_of_any_shape(torch):
    F, x = torch.autograd.functional, f64(torch, [1.0, 2.0])

    def f(x):
        return (x**3).sum().reshape(1, 1, 1)

    return [F.hessian(f, x), F.vhp(f, x, x), F.hvp(f, x, x), F.vjp(f, x),
            F.vjp(f, x, torch.ones(1, 1, 1, dtype=torch.float64)),
            F.jvp(lambda x: x * 2, f64(torch, [[3.0]])),
            F.hvp(lambda n: n**3, f64(torch, 2.0)), F.vhp(lambda n: n**3, f64(torch, 2.0))]


def structures(torch):
    """One or several inputs, one or several outputs: four forms of the result."""
    F, (x, y) = torch.autograd.functional, _xy(torch)
    one, two, n = (lambda x: x * 2), (lambda x: (x * 2, x.sum())), f64(torch, 4.0)

    def kinds(result):
        if isinstance(result, (tuple, list)):
            return [kinds(r) for r in result]
        return list(result.shape)

    found = []
    for options in ({}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
        found.append([
            kinds(F.jacobian(one, x, **options)), kinds(F.jacobian(one, (x,), **options)),
            kinds(F.jacobian(two, x, **options)), kinds(F.jacobian(two, (x,), **options)),
            kinds(F.jacobian(_two, (x, y), **options)), kinds(F.jacobian(one, n, **options)),
            kinds(F.jacobian(lambda x: (x.sum(),), x, **options)),
            F.jacobian(lambda x: x[:2] * x[1:], x, **options),
        ])
    return [
        *found, kinds(F.hessian(_number, (x, y))), kinds(F.hessian(lambda x: (x**2).sum(), (x,))),
        kinds(F.vjp(one, (x,), x)), kinds(F.vjp(two, x, (x, n))), kinds(F.jvp(two, (x,), (x,))),
        kinds(F.vhp(lambda x: x.sum(), (x,), (x,))), kinds(F.hvp(lambda n: n * 2, n, n)),
    ]


def refusals_of_each(torch):
    """The same words, with the name of the function that was called."""
    F, (x, y) = torch.autograd.functional, _xy(torch)

    def single(x):
        return x.sum()

    return [
        *(raises(lambda n=n: getattr(F, n)(lambda x: 3, x, *v), "The outputs of the user-provided "
                 f"function given to {n} must")
          for n, *v in (("vjp", x), ("jvp", x), ("jacobian",), ("hessian",), ("vhp", x),
                        ("hvp", x))),
        *(raises(lambda n=n: getattr(F, n)(single, (x, "word"), x),
                 f"given to {n} must be either a")
          for n in ("vjp", "jvp", "vhp", "hvp")),
        *(raises(lambda n=n: getattr(F, n)(single, x, y[:2]), "v has invalid size: should be",
                 "torch.Size([3])", "torch.Size([2])") for n in ("jvp", "vhp", "hvp")),
        *(raises(lambda n=n: getattr(F, n)(single, (x,), (y[:2],)), "Entry 0 in v has invalid size")
          for n in ("jvp", "vhp", "hvp")),
        *(raises(lambda n=n: getattr(F, n)(single, x), "The vector v can only be None if the input "
                 "to the user-provided function is a single Tensor with a single element.")
          for n in ("jvp", "vhp", "hvp")),
        raises(lambda: F.vjp(lambda x: x, x), "The vector v can only be None if the "
               "user-provided function returns a single Tensor with a single element."),
        *(raises(lambda n=n: getattr(F, n)(single, x, (x, y)),
                 "The given v should contain a single Tensor.") for n in ("jvp", "vhp", "hvp")),
        *(raises(lambda n=n: getattr(F, n)(single, (x,), (x, y)), "v is a tuple of invalid length: "
                 "should be 1 but got 2.") for n in ("jvp", "vhp", "hvp")),
        *(raises(lambda n=n: getattr(F, n)(single, x, 3.0), f"The v given to {n} must be either a "
                 "Tensor or a tuple of Tensors") for n in ("vjp", "jvp", "vhp", "hvp")),
        raises(lambda: F.hessian(lambda x: x, x), "The Tensor returned by the function given to "
               "hessian should contain a single element"),
        raises(lambda: F.hessian(lambda x: (x.sum(), x.sum()), x), "The function given to hessian "
               "should return a single Tensor"),
        raises(lambda: F.hessian(lambda x: (x**2).sum(), x, strict=True, vectorize=True),
               "not supported together"),
        raises(lambda: F.hessian(single, x, outer_jacobian_strategy="sideways")),
        raises(lambda: F.jacobian(single, x, vectorize=True, strategy="forward-mode",
                                  create_graph=True)),
    ]


def strictly_everywhere(torch):
    """Each function with an output that ignores an input, one that is constant, one detached."""
    F, (x, y) = torch.autograd.functional, _xy(torch)
    found = []

    def ignores(x, y):
        return (x**2).sum()

    def detached(x, y):
        return (x * y).sum().detach()

    def linear(x, y):
        return (x + y).sum()

    for f, phrase in ((ignores, "independent of input 1"),
                      (detached, "does not require gradients."),
                      (linear, "jacobian of the user-provided function with respect to input 0")):
        for name in ("hessian", "vhp", "hvp"):
            args = () if name == "hessian" else ((x, y),)
            for options in ({}, {"create_graph": True}):
                act = (lambda n=name, f=f, a=args, o=options:
                       getattr(F, n)(f, (x, y), *a, strict=True, **o))
                said = {"hvp": "", "hessian": phrase if f is not ignores else "jacobian of the "
                        "user-provided function with respect to input 1"}.get(name, phrase)
                found.append(raises(act, said, "This is not allowed in strict mode" if
                                    f is not detached else ""))
            found.append(getattr(F, name)(f, (x, y), *args))
    for f in (ignores, detached):
        for name in ("jvp", "vjp", "jacobian"):
            args = {"jvp": ((x, y),), "vjp": (), "jacobian": ()}[name]
            found.append(raises(lambda n=name, f=f, a=args:
                                getattr(F, n)(f, (x, y), *a, strict=True))[:1])
            found.append(getattr(F, name)(f, (x, y), *args))
    found.append(raises(lambda: F.vjp(linear, (x, y), strict=True, create_graph=True),
                        "jacobian of the user-provided function is independent of input 0."))
    found.append(raises(lambda: F.jvp(lambda x, y: x + y, (x, y), (y, x), strict=True)))
    return [*found, F.vjp(linear, (x, y), strict=True)[1]]
