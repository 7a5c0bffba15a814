"""torch.func, corner by corner: structures, what stays outside, what is refused."""

import numpy as np

from tests.autograd.observe import f64, leaf, raises


def keywords_everywhere(torch):
    """Keyword arguments are passed through and not differentiated."""
    F, x, k = torch.func, f64(torch, [1.0, 2.0]), f64(torch, 3.0)

    def f(x, *, k, power=1):
        return (x * k).sum() ** power

    return [
        F.grad(f)(x, k=k, power=2),
        F.grad_and_value(f)(x, k=k),
        torch.vmap(lambda x, *, k: x * k)(x, k=k),
    ]


def structures_of_jacobians(torch):
    """The outputs' structure outside, that of the argument numbers inside."""
    F = torch.func
    x, y = f64(torch, [1.0, 2.0]), f64(torch, [[3.0]])

    def f(x, y):
        return {"a": x * y[0], "b": (x.sum() * y, [y])}

    found = []
    for jac in (F.jacrev, F.jacfwd):
        for argnums in (0, 1, (0,), (1, 0)):
            out = jac(f, argnums=argnums)(x, y)
            found.append([type(out["a"]).__name__ if isinstance(argnums, tuple) else "", out])
        found.append(jac(lambda t: t["q"][0] * t["q"][1].sum())({"q": (x, y)}))
        found.append(jac(lambda word, x: x * 2, argnums=1)("word", x))
        found.append(jac(lambda n, x, none: x * n, argnums=1)(3, x, None))
    return [*found, F.hessian(lambda x, y: (x * x).sum() * y.sum(), argnums=(0, 1))(x, y)]


def jacfwd_counts_from_behind(torch):
    F, x, y = torch.func, f64(torch, [1.0, 2.0]), f64(torch, 3.0)
    return [F.jacfwd(lambda x, y: x * y, argnums=-1)(x, y),
            F.jacrev(lambda x, y: x * y, argnums=-1)(x, y)]


def what_is_no_tensor(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    return [
        raises(lambda: F.jacrev(lambda n: x * n)(3), "passed to transform API must be Tensor"),
        raises(lambda: F.grad(lambda n: x.sum() * n)(3)),
        F.grad(lambda word, x: x.sum(), argnums=1)("word", x),
        raises(lambda: F.grad(lambda x: x.sum())(torch.tensor([1, 2]))),
    ]


def complex_jacobians(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    z = x + 0j
    return [
        raises(lambda: F.jacrev(lambda x: x * 1j)(x), "jacrev: Expected all outputs"),
        raises(lambda: F.jacfwd(torch.sin)(z), "jacfwd: Expected all inputs"),
        raises(lambda: F.hessian(lambda z: z.abs().sum())(z), "Expected all inputs"),
        raises(lambda: F.jacfwd(lambda x: x * 1j)(x), "jacfwd: Expected all outputs"),
    ]


def rows_one_by_one(torch):
    """With chunk_size=1 no vmap: the function may look at its numbers."""
    F, x = torch.func, f64(torch, [1.0, -2.0])

    class Looks(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2 if g.sum().item() > -9 else g

    return [
        F.jacrev(Looks.apply, chunk_size=1)(x),
        raises(lambda: F.jacrev(Looks.apply, chunk_size=2)(x), "vmap"),
        F.jacrev(lambda x: x * x, chunk_size=1, _preallocate_and_copy=True)(x),
        F.jacrev(lambda x: x * x, chunk_size=3, _preallocate_and_copy=True)(x),
        raises(lambda: F.jacrev(torch.sin, chunk_size=-1)(x), "jacrev: `chunk_size` should be"),
    ]


def hessians_agree(torch):
    F, x = torch.func, f64(torch, [[1.0, 2.0], [0.5, -1.0]])

    def f(x):
        return (x.sin() * x.roll(1)).sum() ** 2

    ways = (F.hessian(f), F.jacrev(F.jacrev(f)), F.jacfwd(F.jacfwd(f)), F.jacrev(F.jacfwd(f)))
    found = [torch.vmap(way)(x) for way in ways]
    return [found[0], [bool(torch.allclose(found[0], other)) for other in found[1:]]]


def transforms_of_vjp_functions(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    eye = torch.eye(2, dtype=torch.float64)
    out, back = F.vjp(lambda x: (x * x.sum(), {"s": x.sum()}), x)
    many = torch.vmap(lambda v: back((v, {"s": v.sum()})))(eye)
    second = F.grad(lambda v: (back((v, {"s": v[0]}))[0] ** 2).sum())(x)
    _, twice = F.vjp(lambda v: back((v, {"s": v[1]}))[0], x)
    return [out, many, second, twice(x), type(back((x, {"s": x[0]}))).__name__,
            F.vjp(lambda x, y: x * y, x, x)[1](x)]


def vjp_outputs(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    for f, v in ((lambda x: [x, [x * 2, (x * 3,)]], [x, [x, (x,)]]),
                 (lambda x: {"a": {"b": x * 2}}, {"a": {"b": x}})):
        yield_ = F.vjp(f, x)[1](v)
        assert isinstance(yield_, tuple)
    return [
        F.vjp(lambda x: [x, [x * 2, (x * 3,)]], x)[1]([x, [x, (x,)]]),
        F.vjp(lambda x: {"a": {"b": x * 2}}, x)[1]({"a": {"b": x}}),
        raises(lambda: F.vjp(lambda x: {"a": x}, x)[1]({"b": x}), "Expected pytree structure"),
        raises(lambda: F.vjp(lambda x: [x], x)[1]((x,)), "Expected pytree structure"),
        raises(lambda: F.vjp(lambda x: x, x)[1](x[:1])),
        raises(lambda: F.vjp(lambda x: [x, 1], x), "expected f(*primals) to return only tensors"),
        raises(lambda: F.vjp(lambda x: None, x)),
        raises(lambda: F.vjp(lambda x: [], x), "non-empty output"),
    ]


def jvp_arguments(torch):
    F, x = torch.func, f64(torch, [1.0, 2.0])
    return [
        raises(lambda: F.jvp(torch.sin, (x,), x), "same python structure"),
        raises(lambda: F.jvp(torch.sin, [x], [x]), "Expected primals to be a tuple"),
        raises(lambda: F.jvp(lambda d: d["a"], ({"a": x},), ({"b": x},)), "same python structure"),
        raises(lambda: F.jvp(torch.sin, (x,), (2.0,)), "only contain Tensors"),
        raises(lambda: F.jvp(lambda t: x, ((),), ((),)), "at least one Tensor"),
        raises(lambda: F.jvp(lambda x: (x, x.detach()), (x,), (x,), strict=True), "strict"),
        F.jvp(lambda x: (x, x.detach()), (x,), (x,)),
        raises(lambda: F.jvp(torch.sin, (x,), (x[:1],))),
        raises(lambda: F.jvp(lambda x: 3, (x,), (x,)), "to return only tensors"),
    ]


def aux_is_outside(torch):
    """What is passed through belongs to no transform any more."""
    F, x = torch.func, f64(torch, [1.0, 2.0])
    kept = [
        F.grad(lambda x: (x.sum(), {"a": x * 2}), has_aux=True)(x)[1]["a"],
        F.grad_and_value(lambda x: (x.sum(), x * 2), has_aux=True)(x)[1][1],
        F.vjp(lambda x: (x, x * 2), x, has_aux=True)[2],
        F.jvp(lambda x: (x, x * 2), (x,), (x,), has_aux=True)[2],
        F.jacrev(lambda x: (x, x * 2), has_aux=True)(x)[1],
        F.jacfwd(lambda x: (x, x * 2), has_aux=True)(x)[1],
    ]
    nested = F.grad(lambda x: F.grad(lambda y: ((x * y).sum(), y * x), has_aux=True)(x)[1].sum())(x)
    said = "output of function f should be a tuple"
    return [
        [repr(t).split("(")[0] for t in kept], [t.requires_grad for t in kept], nested,
        raises(lambda: F.vjp(lambda x: x, x, has_aux=True), said),
        raises(lambda: F.jvp(lambda x: (x, x, x), (x,), (x,), has_aux=True), said),
        raises(lambda: F.jacrev(lambda x: [x, x], has_aux=True)(x), said),
        raises(lambda: F.vjp(lambda x: (x, "word"), x, has_aux=True), "Expected tensors, got"),
        raises(lambda: F.jvp(lambda x: (x, 3.0), (x,), (x,), has_aux=True),
               "Expected tensors, got"),
        raises(lambda: F.jacrev(lambda x: (x, [1]), has_aux=True)(x), "Expected tensors, got"),
    ]


def recording_around_transforms(torch):
    """vjp and its function, each inside or outside no_grad."""
    F, found = torch.func, []
    for outer in (True, False):
        for inner in (True, False):
            x, v = leaf(torch, [1.0, 2.0]), leaf(torch, [1.0, 1.0])
            with torch.set_grad_enabled(outer):
                out, back = F.vjp(lambda x: x**3, x)
            with torch.set_grad_enabled(inner):
                (g,) = back(v)
            found.append([out.requires_grad, g.requires_grad, g])
            if g.requires_grad:
                found.append(torch.autograd.grad(g.sum(), (x, v), allow_unused=True))
    return found


def no_grad_in_the_middle(torch):
    """It cuts what it encloses on every level, and below it when it stands outside."""
    F, x = torch.func, f64(torch, 2.0)

    def cut(f):
        def g(x):
            with torch.no_grad():
                return f(x)
        return g

    cube = (lambda x: x**3)
    return [
        F.grad(cut(cube))(x),
        F.grad(lambda x: x * cut(cube)(x))(x),
        F.grad(F.grad(lambda x: x * cut(cube)(x)))(x),
        F.grad(cut(F.grad(cube)))(x),
        F.grad(lambda x: x * cut(F.grad(cube))(x))(x),
        F.grad(lambda x: F.grad(cut(lambda y: y * x))(x) + x)(x),
        F.jvp(cut(cube), (x,), (x,)),
        F.grad(lambda x: F.jvp(cut(cube), (x,), (x,))[1])(x),
        F.jvp(lambda x: cut(F.grad(cube))(x), (x,), (x,)),
        cut(F.grad(F.grad(cube)))(x),
        cut(lambda x: F.vjp(cube, x)[1](x))(x),
        F.jacrev(cut(cube))(x),
    ]


def methods_refused_inside(torch):
    F, x, found = torch.func, f64(torch, [1.0, 2.0]), []
    for transform in (lambda f: F.grad(lambda x: f(x).sum())(x), lambda f: F.vjp(f, x),
                      lambda f: F.jvp(f, (x,), (x,)), lambda f: F.jacrev(f)(x),
                      lambda f: torch.vmap(f)(x)):
        found.append(raises(lambda t=transform: t(lambda x: x.requires_grad_()),
                            "requires_grad_()"))
        found.append(raises(lambda t=transform: t(lambda x: (x.retain_grad(), x)[1])))
    return found


def captured_tensors(torch):
    """Written to inside a transform: refused, on every level but the one it belongs to."""
    F, x, c = torch.func, f64(torch, [1.0, 2.0]), f64(torch, [5.0, 6.0])
    said = "mutate a captured Tensor"

    def inner_writes_outer(x):
        y = x * 2
        return F.grad(lambda z: (y.mul_(2) * z).sum())(x).sum()

    def own(x):
        y = x * 2
        y[0].mul_(x[1])
        y.t()[1:].add_(x[0])
        return (y * x).sum()

    return [
        raises(lambda: F.grad(lambda x: c.add_(x).sum())(x), said),
        raises(lambda: F.grad(lambda x: (c.add_(1), x.sum())[1])(x), said),
        raises(lambda: F.grad(lambda x: (c[0].mul_(2), x.sum())[1])(x), said),
        raises(lambda: F.vjp(lambda x: c.copy_(x), x), said),
        raises(lambda: F.jvp(lambda x: c.mul_(2) * x, (x,), (x,)), said),
        raises(lambda: F.jacrev(lambda x: c.mul_(x))(x), said),
        raises(lambda: F.grad(inner_writes_outer)(x), said),
        F.grad(own)(x), F.jvp(own, (x,), (x,)), F.grad(lambda x: F.grad(own)(x).sum())(x), c,
    ]


def linearized_many_ways(torch):
    F, x, t = torch.func, f64(torch, [1.0, 2.0]), f64(torch, [0.5, -1.0])

    def f(x, d):
        return {"p": x * d["y"][0], "q": [d["y"][0].sin() * x.sum()]}

    args = (x, {"y": (x + 1,)})
    moves = (t, {"y": (t * 2,)})
    out, push = F.linearize(f, *args)
    want = F.jvp(f, args, moves)
    many = torch.vmap(lambda s: push(t * s, {"y": (t,)}))(x)
    return [out, push(*moves), push(*moves), want, many,
            F.linearize(torch.sin, x)[1](t), F.jvp(torch.sin, (x,), (t,))[1]]


def forward_mode_switched_around_jvp(torch):
    F, x, fw = torch.func, f64(torch, 2.0), torch.autograd.forward_ad

    def half(x):
        y = x * 3
        with fw._set_fwd_grad_enabled(False):
            z = y * x
        return z + y

    def inner(x):
        with fw._set_fwd_grad_enabled(False):
            return F.jvp(lambda y: y**2 * x, (x,), (x,))[1]

    return [F.jvp(half, (x,), (x,)), F.jvp(inner, (x,), (x,)), fw._is_fwd_grad_enabled(),
            F.jvp(lambda x: torch.tensor(float(fw._is_fwd_grad_enabled())), (x,), (x,))]


def printed(torch):
    """One line for each level, the innermost outside."""
    F, seen = torch.func, []

    def note(x):
        seen.append(repr(x))
        return x.sum()

    for dtype in (torch.float32, torch.float64, torch.float16):
        x = torch.ones(2, dtype=dtype)
        F.grad(note)(x)
        torch.vmap(note)(x)
        F.jvp(note, (x,), (x,))
        F.grad(lambda x: F.grad(note)(x).sum())(x)
        torch.vmap(lambda x: torch.vmap(note)(x))(x.reshape(1, 2))
        torch.vmap(F.grad(note))(x)
        F.grad(lambda x: torch.vmap(note)(x).sum())(x)
    return seen


def functional_calls(torch):
    F = torch.func
    m = torch.nn.Linear(2, 1).double()
    w, b, x = f64(torch, [[2.0, 3.0]]), f64(torch, [1.0]), f64(torch, [1.0, 2.0])
    before = [id(p) for p in m.parameters()]
    full = {"weight": w, "bias": b}
    return [
        F.functional_call(m, full, (x,)),
        F.functional_call(m, full, x),
        F.functional_call(m, ({"weight": w}, {"bias": b}), (x,)),
        F.functional_call(m, full, args=(), kwargs={"input": x}),
        F.grad(lambda p: F.functional_call(m, p, (x,)).sum())(full),
        raises(lambda: F.functional_call(m, full, (x, x))),
        raises(lambda: F.functional_call(m, (full, {"bias": b}), (x,)), "multiple dictionaries"),
        raises(lambda: F.functional_call(m, {"weight": w}, (x,), strict=True), "bias"),
        raises(lambda: F.functional_call(m, {"no": w, **full}, (x,))), hasattr(m, "no"),
        raises(lambda: F.functional_call(m, 3, (x,)), "to be a dict"),
        [id(p) for p in m.parameters()] == before,
    ]


def buffers_and_tied_weights(torch):
    F, nn, x = torch.func, torch.nn, f64(torch, [1.0, 2.0])

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(2, 2, bias=False).double()
            self.b = nn.Linear(2, 2, bias=False).double()
            self.b.weight = self.a.weight
            self.register_buffer("scale", torch.ones(1, dtype=torch.float64))

        def forward(self, x):
            return self.b(self.a(x)) * self.scale

    net, w = Net(), f64(torch, [[1.0, 2.0], [0.0, 1.0]])
    other = f64(torch, [[1.0, 0.0], [0.0, 3.0]])
    return [
        F.functional_call(net, {"a.weight": w, "scale": x[1]}, (x,)),
        F.functional_call(net, {"b.weight": w}, (x,)),
        F.grad(lambda p: F.functional_call(net, p, (x,)).sum())({"a.weight": w}),
        F.functional_call(net, {"a.weight": w, "b.weight": other}, (x,), tie_weights=False),
        raises(lambda: F.functional_call(net, {"a.weight": w, "b.weight": other}, (x,)),
               "a.weight", "b.weight"),
    ]


def stacked_modules(torch):
    F, nn = torch.func, torch.nn
    torch.manual_seed(0)
    models = [nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1)) for _ in range(3)]
    params, buffers = F.stack_module_state(models)
    x = torch.ones(3, 4, 2)
    for m in models:
        m.eval()
    out = torch.vmap(lambda p, b, x: F.functional_call(models[0], (p, b), (x,)))(params, buffers, x)
    same = all(bool(torch.allclose(out[i], m(x[i]), atol=1e-6)) for i, m in enumerate(models))
    frozen = nn.Linear(2, 1).requires_grad_(False)
    return [
        *({k: list(v.shape) for k, v in found.items()} for found in (params, buffers)),
        [v.requires_grad and v.is_leaf for v in params.values()],
        [v.requires_grad for v in buffers.values()], same,
        F.stack_module_state([frozen, frozen])[0]["weight"].requires_grad,
        raises(lambda: F.stack_module_state([]), "Expected at least one model"),
        raises(lambda: F.stack_module_state([models[0], nn.Sequential().train()]),
               "same training/eval mode"),
        raises(lambda: F.stack_module_state([nn.Linear(2, 1), nn.ReLU()]),
               "to be of the same class"),
        raises(lambda: F.stack_module_state([frozen, nn.Linear(2, 1)]), "same .requires_grad"),
    ]


def functional_inside_transforms(torch):
    """autograd.functional has no place inside torch.func."""
    A, F, x = torch.autograd.functional, torch.func, f64(torch, [1.0, 2.0])
    calls = (lambda x: A.jacobian(torch.sin, x), lambda x: A.hessian(lambda x: x.sum(), x),
             lambda x: A.vjp(torch.sin, x, x)[1], lambda x: A.jvp(torch.sin, x, x)[1],
             lambda x: A.hvp(lambda x: x.sum(), x, x)[1],
             lambda x: A.vhp(lambda x: x.sum(), x, x)[1])
    found = [raises(lambda c=c: F.grad(lambda x: c(x).sum())(x), "torch.autograd.functional")
             for c in calls]
    return [*found, raises(lambda: torch.vmap(calls[2])(x), "torch.autograd.functional"),
            raises(lambda: F.jvp(calls[0], (x,), (x,)), "torch.autograd.functional")]


def numpy_is_refused_inside(torch):
    """Its functions would answer without tangents, gradients or lanes; outside they go on."""
    x, storage = f64(torch, [1.0, 2.0]), "Cannot access data pointer of Tensor that doesn't have"
    inside = {
        "jvp": lambda f: torch.func.jvp(f, (x,), (x,)), "vmap": lambda f: torch.vmap(f)(x),
        "grad": lambda f: torch.func.grad(lambda x: f(x.detach()).sum())(x),
    }
    calls = {
        "numpy": lambda x: (x.numpy(), x)[1], "ufunc": lambda x: np.multiply(x, x),
        "array": lambda x: (np.asarray(x), x)[1], "forced": lambda x: (x.numpy(force=True), x)[1],
    }
    refused = {f"{name}, {kind}": raises(lambda: run(call), storage)
               for name, run in inside.items() for kind, call in calls.items()}
    return [refused, np.multiply(x, x), x.numpy().tolist()]
