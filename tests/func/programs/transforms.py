"""torch.func: grad, vjp, jvp, Jacobians."""

import weakref

from tests.autograd.observe import collector_off, f64, leaf, raises


def values(torch):
    F, x, y = torch.func, f64(torch, [1.0, 2.0, 3.0]), f64(torch, [0.5, -1.0, 2.0])

    def f(x, y):
        return (x * y.sin() * x).sum()

    return [
        F.grad(f)(x, y),
        F.grad(f, argnums=1)(x, y),
        F.grad(f, argnums=(1, 0))(x, y),
        F.grad(f, argnums=-1)(x, y),
        F.grad(f, argnums=(0,))(x, y),
        F.grad_and_value(f, argnums=(-1,))(x, y),
        F.grad_and_value(f)(x, y),
        F.vjp(lambda x: x**2, x)[1](y),
        F.jvp(lambda x: x**2, (x,), (y,)),
        F.jacrev(lambda x: x * x.sum())(x),
        F.jacfwd(lambda x: x * x.sum())(x),
        F.hessian(lambda x: (x**3).sum() * x[0])(x),
        F.linearize(lambda x: x**2, x)[1](y),
    ]


def argnums(torch):
    F, x = torch.func, f64(torch, 1.0)
    return [
        raises(lambda a=a: F.grad(lambda x: x, argnums=a)(x), phrase)
        for a, phrase in (
            ("0", "int or Tuple"),
            ((0.0,), "must be int"),
            ((0, 0), "must be unique"),
            ((0, -1), "must be unique"),
            ((), "must be non-empty"),
            (1, "but only"),
            ((-2,), "only 1 positional inputs"),
        )
    ]


def trees(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])

    def f(d, pair):
        return (d["a"] ** 2).sum() + (pair[0] * pair[1][0]).sum()

    return [
        F.grad(f, argnums=(0, 1))({"a": x, "b": x * 2}, (x, [x * 3, x])),
        F.vjp(lambda t: {"s": t[0] * t[1], "l": [t[0]]}, (x, x * 2))[1](
            {"s": torch.ones_like(x), "l": [x]}
        ),
        F.jvp(lambda t: [t["q"] ** 2], ({"q": x},), ({"q": x},)),
        F.jacrev(lambda x: {"y": x * 2})(x),
        F.jacfwd(lambda x: (x, x.sum()))(x),
    ]


def what_does_not_depend(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    c = f64(torch, 3.0)
    return [
        F.grad(lambda x: c)(x),
        F.grad(lambda x, y: y.sum(), argnums=(0, 1))(x, x),
        F.vjp(lambda x: c, x)[1](c),
        F.jvp(lambda x: c, (x,), (x,)),
        raises(lambda: F.jvp(lambda x: c, (x,), (x,), strict=True), "strict"),
        F.jacrev(lambda x: c)(x),
    ]


def aux(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    found = [
        F.grad(lambda x: (x.sum(), x * 2), has_aux=True)(x),
        F.grad_and_value(lambda x: (x.sum(), [x * 2]), has_aux=True)(x),
        F.vjp(lambda x: (x * 2, x), x, has_aux=True)[2],
        F.jvp(lambda x: (x * 2, {"a": x}), (x,), (x,), has_aux=True)[2],
        F.jacrev(lambda x: (x * 2, x), has_aux=True)(x),
        F.jacfwd(lambda x: (x * 2, x), has_aux=True)(x),
    ]
    return [
        *found,
        raises(
            lambda: F.grad(lambda x: x.sum(), has_aux=True)(x),
            "output of function f should be a tuple",
        ),
        raises(
            lambda: F.grad(lambda x: (x.sum(), 1), has_aux=True)(x),
            "Expected tensors, got unsupported type",
        ),
    ]


def keywords(torch):
    return torch.func.grad(lambda x, *, k: (x * k).sum())(f64(torch, [1.0]), k=f64(torch, [5.0]))


def refusals(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    return [
        raises(lambda: F.grad(lambda x: x)(x)),
        raises(lambda: F.grad(lambda x: 3)(x)),
        raises(lambda: F.vjp(lambda x: (x, x), x)[1](x), "Expected pytree structure"),
        raises(
            lambda: F.vjp(lambda x: (), x), "Expected f to be a function that has non-empty output"
        ),
        raises(lambda: F.vjp(lambda x: 3, x), "expected f(*primals) to return only tensors"),
        raises(lambda: F.jvp(torch.sin, x, x), "Expected primals to be a tuple"),
        raises(lambda: F.jvp(torch.sin, (x,), (x, x)), "same python structure"),
        raises(lambda: F.jvp(torch.sin, (3.0,), (x,)), "only contain Tensors"),
        raises(lambda: F.jvp(lambda: x, (), ()), "at least one Tensor"),
        raises(
            lambda: F.jacrev(torch.sin, chunk_size=0)(x), "`chunk_size` should be greater than 0."
        ),
        raises(lambda: F.jacrev(torch.sin)(x + 0j), "jacrev: Expected all inputs"),
        raises(lambda: F.jacfwd(lambda x: x + 1j)(x), "Expected all outputs"),
        raises(lambda: F.grad(lambda x: x.requires_grad_().sum())(x), "requires_grad_()"),
        raises(lambda: F.grad(lambda x: (x.retain_grad(), x.sum())[1])(x), "retain_grad()"),
        raises(lambda: F.grad(lambda y: x.mul_(y).sum())(x), "mutate a captured Tensor"),
        raises(lambda: F.jvp(lambda y: x.mul_(y), (x,), (x,)), "mutate a captured Tensor"),
        x,
    ]


def chunks(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0, 3.0])
    calls = []

    def f(x):
        calls.append(1)
        return x * x.sum()

    found = [F.jacrev(f, chunk_size=c)(x) for c in (1, 2, 3, 100)]
    same = [bool(torch.equal(found[0], other)) for other in found]
    return [found[0], same, len(calls), F.jacrev(lambda x: (x, x**2), chunk_size=2)(x)[1]]


def nesting(torch):
    F, x = torch.func, f64(torch, 0.7)
    one = torch.ones_like(x)
    return [
        F.grad(F.grad(torch.sin))(x),
        F.grad(F.grad(F.grad(torch.sin)))(x),
        F.jvp(lambda x: F.jvp(torch.sin, (x,), (one,))[1], (x,), (one,)),
        F.jvp(F.grad(torch.sin), (x,), (one,)),
        F.grad(lambda x: F.jvp(torch.sin, (x,), (one,))[1])(x),
        F.vjp(F.grad(torch.sin), x)[1](one),
        F.grad(lambda x: F.vjp(torch.sin, x)[1](one)[0])(x),
        F.jacrev(F.jacrev(torch.sin))(x),
        F.jacfwd(F.jacrev(torch.sin))(x),
        F.vmap(F.vmap(F.grad(torch.sin)))(torch.ones(2, 2, dtype=torch.float64)),
        F.vmap(F.hessian(lambda x: (x**3).sum()))(f64(torch, [[1.0, 2.0]])),
    ]


def perturbations_do_not_mix(torch):
    F, x = torch.func, f64(torch, 1.0)
    one = torch.ones_like(x)
    return [
        F.grad(lambda x: x * F.grad(lambda y: x + y)(one))(x),
        F.grad(lambda x: x * F.grad(lambda y: x * y)(one))(x),
        F.jvp(lambda x: x * F.jvp(lambda y: x + y, (one,), (one,))[1], (x,), (one,))[1],
        F.jvp(lambda x: x * F.grad(lambda y: x * y * y)(x), (x,), (one,))[1],
        F.grad(lambda x: F.jvp(lambda y: x * y, (x * x,), (x,))[1])(x),
    ]


def with_ordinary_autograd(torch):
    F, x = torch.func, leaf(torch, [1.0, 2.0])
    g = F.grad(lambda x: (x**3).sum())(x)
    (outer,) = torch.autograd.grad(g.sum(), x)
    w = leaf(torch, [3.0, 4.0])
    captured = F.grad(lambda y: (y * w).sum())(f64(torch, [1.0, 1.0]))
    (to_w,) = torch.autograd.grad(captured.sum(), w)
    inner = F.grad(lambda y: torch.autograd.grad((y**3).sum(), y, create_graph=True)[0].sum())(x)
    return [g, g.requires_grad, outer, captured, to_w, inner]


def no_grad_outside_and_inside(torch):
    F, x = torch.func, leaf(torch, [1.0, 2.0])

    def cut(x):
        with torch.no_grad():
            c = x * x
        return (x * c).sum()

    with torch.no_grad():
        outside = F.grad(lambda x: (x**2).sum())(x)
        second = F.grad(lambda x: F.grad(lambda x: (x**3).sum())(x).sum())(x)
    inside, nested = F.grad(cut)(x), F.grad(lambda x: F.grad(cut)(x).sum())(x)
    out, back = F.vjp(lambda x: x**2, x)
    with torch.no_grad():
        later = back(torch.ones_like(x))[0]

    def outer(x):
        with torch.no_grad():
            return (x * F.grad(lambda y: (y**3).sum())(x)).sum()

    return [
        outside,
        outside.requires_grad,
        second,
        inside,
        inside.requires_grad,
        nested,
        out.requires_grad,
        later,
        later.requires_grad,
        F.grad(outer)(x),
    ]


def detaching(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    return [
        F.grad(lambda x: (x * x.detach()).sum())(x),
        F.grad(lambda x: F.grad(lambda y: (y * y.detach() * x).sum())(x).sum())(x),
        F.jvp(lambda x: x * x.detach(), (x,), (x,))[1],
    ]


def forward_mode_switch(torch):
    F, x = torch.func, f64(torch, 2.0)
    fw = torch.autograd.forward_ad

    def f(x):
        with fw._set_fwd_grad_enabled(False):
            return x**3

    with fw._set_fwd_grad_enabled(False):
        outside = F.jvp(lambda x: x**3, (x,), (x,))
    return [F.jvp(f, (x,), (x,)), outside]


def writes_inside(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0, 3.0])

    def f(x):
        y = x.clone()
        y[0] = x[1] * x[2]
        v = y[1:]
        v.mul_(x[0])
        z = torch.zeros_like(x)
        z.add_(y)
        z.t_()
        return (z.sin_() * y).sum()

    return [F.grad(f)(x), F.jvp(f, (x,), (x,)), F.hessian(f)(x), x]


def saved_tensor_hooks(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    hooks = torch.autograd.graph.saved_tensors_hooks

    def f(x):
        with hooks(lambda t: t, lambda t: t):
            return (x * x).sum()

    found = []
    for transform in (F.grad, F.jacrev, F.hessian, lambda f: lambda x: F.vjp(f, x)):
        found.append(raises(lambda t=transform: t(f)(x), "saved tensor hooks"))
        with hooks(lambda t: t, lambda t: t):
            found.append(
                raises(lambda t=transform: t(lambda x: (x * x).sum())(x), "saved tensor hooks")
            )
    with hooks(lambda t: t, lambda t: t):
        found.append([F.jvp(lambda x: x * x, (x,), (x,)), torch.vmap(lambda x: x * x)(x)])
    return [*found, F.jvp(f, (x,), (x,))]


def printing(torch):
    F, seen = torch.func, []
    F.grad(lambda x: (seen.append(repr(x)), x)[1])(f64(torch, 1.0))
    torch.vmap(lambda x: (seen.append(repr(x)), x)[1])(f64(torch, [1.0, 2.0]))
    return [
        s.replace("dtype=torch.float64", "").replace(" ", "").replace("\n", "")[:40] for s in seen
    ]


def after_an_exception(torch):
    F, x = torch.func, leaf(torch, 2.0)

    def bad(x):
        F.grad(lambda y: 1 / 0)(x)

    for transform in (F.grad(bad), torch.vmap(lambda x: bad(x)), lambda x: F.jvp(bad, (x,), (x,))):
        try:
            transform(x)
        except Exception:
            pass
    y = x * 3
    return [y.requires_grad, torch.is_grad_enabled(), repr(y)[:8]]


def escaped_tensors(torch):
    F, x, kept = torch.func, f64(torch, [1.0, 2.0]), []
    F.grad(lambda x: (kept.append(x * 2), x.sum())[1])(x)
    return [kept[0] + 1, kept[0].requires_grad, kept[0].shape]


def nothing_is_left(torch):
    F = torch.func
    x = f64(torch, [1.0, 2.0])
    found = []
    functions = (
        F.grad(lambda x: (x.exp() * x).sum()),
        F.grad(lambda x: F.grad(lambda x: (x.exp() ** 2).sum())(x).sum()),
        F.vmap(F.grad(lambda x: x.exp().sin())),
        lambda x: F.jvp(lambda x: x.exp() * x, (x,), (x,)),
        F.hessian(lambda x: (x**3).exp().sum()),
        F.jacfwd(lambda x: x.softmax(0)),
    )
    with collector_off():
        for f in functions:
            seen = []

            def note(x, seen=seen):
                y = x * 1
                seen.append(weakref.ref(y))
                return y

            f(x)
            result = F.grad(lambda x, n=note: (n(x).exp() ** 2).sum())(x)
            del result
            found.append(seen[0]() is None)
    return found


def linearized(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    calls = []

    def f(x):
        calls.append(1)
        return x**2, x.sum()

    out, push = F.linearize(f, x)
    first, second = push(x), push(x * 2)
    many = torch.vmap(push)(torch.eye(2, dtype=torch.float64))
    return [out, first, second, many, 
            raises(lambda: push((x,)), "to have the same argspec as the primals"),
            raises(lambda: push(x[:1]), "doesn't match the shape"),
            raises(lambda: push(x.float()), "doesn't match the dtype")]
