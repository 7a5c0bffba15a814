"""Custom Functions inside transforms."""

from tests.autograd.observe import f64, leaf, raises


def _cube(torch, **more):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return t * 3 * x * x

    for name, value in more.items():
        setattr(Cube, name, value)
    return Cube


def derivatives(torch):
    F, f, x = torch.func, _cube(torch).apply, f64(torch, 2.0)
    return [
        F.grad(f)(x),
        F.grad(F.grad(f))(x),
        F.jvp(f, (x,), (x,)),
        F.vjp(f, x)[1](x),
        F.jvp(F.grad(f), (x,), (x,)),
        F.grad(lambda x: F.jvp(f, (x,), (x,))[1])(x),
    ]


def two_forward_levels_are_right_here(torch):
    F, f, x = torch.func, _cube(torch).apply, f64(torch, 2.0)
    one = torch.ones_like(x)
    return F.jvp(lambda x: F.jvp(f, (x,), (one,))[1], (x,), (one,))[1]


def without_setup_context(torch):
    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return raises(
        lambda: torch.func.grad(Old.apply)(f64(torch, 1.0)), "must override the setup_context"
    )


def mapped(torch):
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = _cube(torch, generate_vmap_rule=True).apply
    v, F = torch.vmap, torch.func
    return [
        v(f)(x),
        v(f, in_dims=1)(x),
        v(f, in_dims=1, out_dims=1)(x),
        v(v(f))(x),
        v(F.grad(lambda x: f(x).sum()))(x),
        F.grad(lambda x: v(f)(x).sum())(x),
        v(F.hessian(lambda x: f(x).sum()))(x)[0],
        F.jacrev(f)(x[0]),
        F.jacfwd(f)(x[0]),
        F.jvp(v(f), (x,), (x,))[1],
        raises(lambda: v(_cube(torch).apply)(x), "does not have vmap support"),
    ]


def generated_rule_of_a_generated_rule(torch):
    x = f64(torch, [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    f = _cube(torch, generate_vmap_rule=True).apply

    def g(x):
        return torch.vmap(torch.vmap(f, in_dims=1, out_dims=1), in_dims=0)(x)
    return [g(x), torch.func.grad(lambda x: (g(x) * x).sum())(x), torch.func.jvp(g, (x,), (x,))[1]]


def generated_rule_sums_over_lanes(torch):
    class Scale(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, w):
            return x * w, w + 0

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g, h):
            x, w = ctx.saved_tensors
            return g * w, (g * x).sum() * torch.ones_like(w) + h

    x, w = f64(torch, [1.0, 2.0, 3.0]), f64(torch, 5.0)
    return torch.func.grad(lambda w: torch.vmap(lambda x: Scale.apply(x, w)[0])(x).sum())(w)


def written_rule(torch):
    seen = []

    class Mul(torch.autograd.Function):
        @staticmethod
        def forward(x, y, parts):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs[:2])

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x, None

        @staticmethod
        def vmap(info, in_dims, x, y, parts):
            seen.append(
                [
                    info.batch_size,
                    info.randomness,
                    list(in_dims[:2]),
                    type(in_dims[2]).__name__,
                    list(x.shape),
                ]
            )
            x = x.movedim(in_dims[0], 0) if in_dims[0] is not None else x
            return Mul.apply(x, y, parts), 0

    x, y = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), f64(torch, [1.0, 10.0])
    found = torch.vmap(lambda x: Mul.apply(x, y, [1, None]), in_dims=1)(x)
    alone = torch.vmap(lambda z: Mul.apply(y, y, []) + z)(y)
    return [found, seen, alone]


def wrong_rules(torch):
    x = f64(torch, [1.0, 2.0])

    def with_rule(rule, **more):
        return _cube(torch, vmap=staticmethod(rule), **more).apply

    return [
        raises(lambda: torch.vmap(with_rule(lambda info, dims, x: x))(x), "to have two returns"),
        raises(
            lambda: torch.vmap(with_rule(lambda info, dims, x: (x, (0, 0))))(x),
            "returned an incompatible",
        ),
        raises(
            lambda: torch.vmap(with_rule(lambda info, dims, x: (x, 0), generate_vmap_rule=True))(x),
            "generate_vmap_rule=True and",
        ),
    ]


def out_dims_of_rules(torch):
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0]])

    def rule(info, dims, x):
        return x.movedim(0, 1) * 2, 1

    f = _cube(torch, vmap=staticmethod(rule)).apply
    g = _cube(torch, vmap=staticmethod(lambda info, dims, x: (x[0], None))).apply
    return [torch.vmap(f)(x), torch.vmap(g, out_dims=0)(x)]


def writing_functions(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def jvp(ctx, t):
            return t.mul_(2)

    F, x = torch.func, f64(torch, [1.0, 2.0])

    def f(x):
        y = x * 3
        z = Double.apply(y)
        return (y * z).sum()

    return [F.grad(f)(x), F.jvp(f, (x,), (x,))]


def keyword_tensors(torch):
    """A tensor that can only come by name may not come where there are lanes."""
    class Scale(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, *, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    x = f64(torch, [1.0, 2.0])
    return [raises(lambda: torch.vmap(lambda x: Scale.apply(x, k=x))(x), "kwarg-only Tensor args"),
            raises(lambda: torch.vmap(lambda y: Scale.apply(y, k=x))(x), "kwarg-only Tensor args")]


def lanes_of_arguments(torch):
    """in_dims mirror the arguments; a rule without lanes is not called at all."""
    seen = []

    class Add(torch.autograd.Function):
        @staticmethod
        def forward(x, pair, deep, word):
            seen.append("forward")
            return x + (0 if pair is None else pair[0])

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, pair, deep, word):
            seen.append([str(in_dims), info.batch_size, info.randomness, list(x.shape)])
            return Add.apply(x, pair, None, word), 0

    x, y = f64(torch, [[1.0, 2.0], [3.0, 4.0]]), f64(torch, [5.0, 6.0])
    return [
        torch.vmap(lambda x: Add.apply(x, (x, y), [y, (x, 1)], "w"), randomness="same")(x),
        torch.vmap(lambda x: Add.apply(y, (y, 1), [y], "w") + x)(x),
        torch.vmap(lambda x, y: Add.apply(y, (x, y), None, 3), in_dims=(0, None),
                   randomness="different")(x, y),
        seen,
    ]


def several_outputs_of_a_rule(torch):
    """One out_dim for all outputs, or one for each; None means no lanes."""
    found, x = [], f64(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for dims in (0, (0, None), (0, 0), (None, None), None, (0,), (0, 0, 0), [0, 0]):
        class Two(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x * 2, x.sum() * 0 + 7

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

            @staticmethod
            def vmap(info, in_dims, x, dims=dims):
                return (x * 2, x[:, 0] * 0 + 7), dims
        found.append(raises(lambda Two=Two: torch.vmap(Two.apply)(x))[:2])
    return found


def inputs_returned_as_they_are(torch):
    """Saved as well, without mark_dirty: refused."""
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    class Fine(Same):
        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = f64(torch, 2.0)
    said, y = "An input that has been returned as-is", leaf(torch, 2.0)
    return [raises(lambda: torch.func.grad(Same.apply)(x), said),
            raises(lambda: Same.apply(y), said), raises(lambda: Same.apply(x), said),
            torch.func.grad(Fine.apply)(x),
            torch.func.grad(lambda x: Fine.apply(x * 1) * x)(x)]


def names_of_nodes(torch):
    """On a level the node's class is called after the Function, with `Generated`."""
    seen = []
    f = _cube(torch).apply

    def note(x):
        y = f(x)
        seen.append(type(y.grad_fn).__name__)
        return y

    torch.func.grad(note)(f64(torch, 2.0))
    torch.func.vjp(note, f64(torch, 2.0))
    function = torch.autograd.Function
    return [seen, function.generate_vmap_rule, hasattr(function, "vmap")]


def modes_of_a_generated_rule(torch):
    """A generated rule with a random number, and one that is looked at from both sides."""
    class Noise(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x + torch.rand(8)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    x, found = torch.zeros(2, 8), []
    for word in ("same", "different"):
        out = torch.vmap(Noise.apply, randomness=word)(x)
        found.append(bool((out[0] == out[1]).all()))
    return [*found, raises(lambda: torch.vmap(Noise.apply)(x), "randomness error mode")]
