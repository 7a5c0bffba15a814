"""Custom Functions."""

import traceback
import warnings

from tests.autograd.observe import f64, leaf, names, plain, raises, warned


def _make(torch, forward, backward=None, name="Mine", **more):
    members = {"forward": staticmethod(forward)}
    if backward is not None:
        members["backward"] = staticmethod(backward)
    return type(name, (torch.autograd.Function,), members | more)


def _square(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    return _make(torch, forward, backward, "Square")


def static_methods_and_class_methods(torch):
    class Static(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Methods(torch.autograd.Function):
        @classmethod
        def forward(cls, ctx, x):
            ctx.owner = cls.__name__
            return x * 3

        @classmethod
        def backward(cls, ctx, g):
            return g * 3 + len(ctx.owner)

    x = leaf(torch)
    return [[torch.autograd.grad(F.apply(x), x), F.apply(x)] for F in (Static, Methods)]


def setup_context(torch):
    seen = []

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x, factor=3, *, unused=None):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append([plain(inputs), plain(output)])
            x, ctx.factor = inputs[:2]
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, *[None] * (len(ctx.needs_input_grad) - 1)

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(x, y=4):
            return x * y, y

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(plain([inputs, output]))
            ctx.y = inputs[1]

        @staticmethod
        def backward(ctx, g, nothing):
            seen.append(nothing)
            return g * ctx.y, None

    x = leaf(torch)
    out = Two.apply(x)
    out[0].backward()
    return [seen, x.grad, type(out).__name__, out]


def plain_arguments_and_results(torch):
    got = []

    def forward(ctx, x, n, s, none, flag):
        got.append([n, s, none, flag])
        return x * n, "word", None, 5, [1, 2]

    def backward(ctx, *grads):
        got.append([g if g is None else plain(g) for g in grads])
        return grads[0] * 7, None, None, None, None

    F = _make(torch, forward, backward)
    x = leaf(torch)
    out = F.apply(x, 3, "s", None, True)
    out[0].backward()
    return [got, plain(out), x.grad]


def without_tensors(torch):
    F = _make(torch, lambda ctx, a, b: (a + b, "x"), lambda ctx, *g: g)
    G = _make(torch, lambda ctx, a: torch.ones(2) * a, lambda ctx, g: g)
    y = G.apply(3)
    return [F.apply(1, 2), plain(y), y.requires_grad, y.grad_fn]


def gradients_returned(torch):
    def pair(result):
        F = _make(torch, lambda ctx, x, y: x * y, lambda ctx, g: result(g))
        x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
        return raises(
            lambda: [F.apply(x, y).sum().backward(), plain([x.grad, y.grad])][1],
            "expected shape",
            "number of gradients",
        )

    return {
        "extra None": pair(lambda g: (g, g * 2, None, None)),
        "extra tensor": pair(lambda g: (g, g, g)),
        "too few": pair(lambda g: g),
        "wrong shape": pair(lambda g: (g, f64(torch, [1.0, 2.0, 3.0]))),
        "broadcastable": pair(lambda g: (g, f64(torch, [[1.0, 2.0], [3.0, 4.0]]))),
        "scalar": pair(lambda g: (g, f64(torch, 1.0))),
        "another dtype": pair(lambda g: (g.float(), g)),
        "None": pair(lambda g: (None, g)),
        "number": pair(lambda g: (1.0, g)),
        "list": pair(lambda g: [g, g]),
    }


def gradient_for_a_plain_argument(torch):
    F = _make(torch, lambda ctx, x, n: x * n, lambda ctx, g: (g, g))
    return raises(lambda: F.apply(leaf(torch), 3).backward())


def undefined_gradients(torch):
    """None from backward: upstream nothing is accumulated; further nodes get None or zeros."""
    seen = []
    F = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    x = leaf(torch)
    m = x * 3
    m.register_hook(lambda g: seen.append(g))
    F.apply(m).backward()
    y = leaf(torch)
    G = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: (seen.append(plain(g)), g)[1])
    F.apply(G.apply(y)).backward()
    return [
        x.grad,
        seen,
        y.grad,
        torch.autograd.grad(F.apply(x), x, allow_unused=True),
        raises(lambda: torch.autograd.grad(F.apply(x), x), "Set allow_unused=True"),
    ]


def missing_gradients(torch):
    found = {}
    for name, prepare in {
        "default": lambda ctx: None,
        "not materialized": lambda ctx: ctx.set_materialize_grads(False),
        "non-differentiable only": lambda ctx: setattr(ctx, "_materialize_non_diff_grads", False),
    }.items():
        seen = []

        def forward(ctx, x):
            prepare(ctx)
            n = (x * 3).long()
            ctx.mark_non_differentiable(n)
            return x * 2, x * 4, n

        def backward(ctx, *grads):
            seen.extend(g if g is None else [plain(g), str(g.dtype)] for g in grads)
            return grads[0] * 2 if grads[0] is not None else None

        x = leaf(torch, [1.0, 2.0])
        a, b, n = _make(torch, forward, backward).apply(x)
        a.sum().backward()
        found[name] = [seen, plain(x.grad), n.requires_grad, b.requires_grad]
    return found


def needs_input_grad(torch):
    seen = []

    def forward(ctx, *args):
        seen.append(ctx.needs_input_grad)
        return args[0] * 2

    F = _make(torch, forward, lambda ctx, g: (seen.append(ctx.needs_input_grad), g, None, None)[1:])
    F.apply(leaf(torch), f64(torch, 1.0), 5).backward()
    with torch.no_grad():
        F.apply(leaf(torch), f64(torch, 1.0), 5)
    return [[type(s).__name__, list(s)] for s in seen]


def saving(torch):
    kept = []

    def run(what, x):
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(*what(x, y))
            return y

        def backward(ctx, g):
            kept.append(ctx.saved_tensors)
            return g

        y = _make(torch, forward, backward).apply(x)
        found = y.grad_fn.saved_tensors
        return y, found

    x = leaf(torch)
    m = x.unbind() if x.dim() else x * 1
    y, s = run(lambda x, y: (x, None, y), m)
    nothing = run(lambda x, y: (), m)[1]
    inner = run(lambda x, y: (x * 5,), m)[1]
    part = leaf(torch, [1.0, 2.0]).unbind(0)[1]
    _, from_many = run(lambda x, y: (x,), part)
    y.backward()
    return {
        "input is itself": s[0] is m,
        "None": s[1],
        "output is another": [s[2] is y, plain(s[2])],
        "output's node": s[2].grad_fn is y.grad_fn,
        "nothing": list(nothing),
        "type": type(nothing).__name__,
        "intermediate": [plain(inner), inner[0].requires_grad],
        "output number": [from_many[0] is part, from_many[0].output_nr],
        "in backward": [kept[0][0] is m, len(kept[0])],
    }


def what_cannot_be_saved(torch):
    def run(*things):
        F = _make(torch, lambda ctx, x: (ctx.save_for_backward(*things), x * 2)[1])
        return raises(lambda: plain(F.apply(leaf(torch))), "can only save")

    return [run(3), run([f64(torch, 1.0)]), run("x"), run(None), run(None, f64(torch, 1.0))]


def freed(torch):
    text = "after they have already been freed"
    F = _square(torch)
    y = F.apply(leaf(torch))
    before = [plain(y.grad_fn.saved_tensors), len(y.grad_fn._raw_saved_tensors)]
    y.backward()
    return [
        before,
        raises(lambda: y.grad_fn.saved_tensors, text),
        raises(lambda: y.grad_fn._raw_saved_tensors, text),
        raises(y.backward, text),
    ]


def saved_variables(torch):
    y = _square(torch).apply(leaf(torch))
    return [warned(lambda: y.grad_fn.saved_variables, "saved_variables"), y.grad_fn.saved_variables]


def to_save_is_forgotten(torch):
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        seen.append([len(ctx.to_save), list(ctx.saved_tensors)])
        return x * 2

    y = _make(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return [seen, bool(y.grad_fn.to_save)]


def mark_non_differentiable(torch):
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    seen = []
    F = _make(torch, forward, lambda ctx, a, b: (seen.append(plain([a, b])), a * 2)[1])
    x = leaf(torch)
    a, b = F.apply(x)
    a.backward()
    G = _make(torch, lambda ctx, x: (x * 2).long(), lambda ctx, g: g)
    i = G.apply(x)
    return [b.requires_grad, b.grad_fn, b.is_leaf, seen, plain(x.grad), i.requires_grad, i.grad_fn]


def mark_dirty(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    F = _make(torch, forward, lambda ctx, g: g * 3, "Triple")
    x = leaf(torch, [1.0, 2.0])
    m = x * 1
    out = F.apply(m)
    version = m._version
    out.sum().backward()
    base = x * 1
    view = base[1:]
    of_view = F.apply(view)
    base.sum().backward()
    return {
        "same object": [out is m, m.grad_fn.name(), version, plain(m), plain(x.grad)],
        "view": [of_view is view, base.grad_fn.name(), view.grad_fn.name()],
        "leaf": raises(lambda: F.apply(leaf(torch)), "a leaf Variable that requires grad"),
        "view of a leaf": raises(
            lambda: F.apply(leaf(torch, [1.0, 2.0])[:1]),
            "a view of a leaf Variable that requires grad",
        ),
        "no history": [F.apply(f64(torch, [1.0])), F.apply(f64(torch, [1.0])).requires_grad],
    }


def mark_dirty_of_several(torch):
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.mul_(3), y * 2

    F = _make(torch, forward, lambda ctx, g, h: (g * 3, h * 2))
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [1.0, 2.0])
    m = x * 1
    a, b = F.apply(m, y)
    (a + b).sum().backward()

    def unreturned(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    def stranger(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    G, H = _make(torch, unreturned, lambda ctx, g: g), _make(torch, stranger, lambda ctx, g: g)
    return {
        "plain": [a is m, plain([x.grad, y.grad])],
        "view": raises(
            lambda: F.apply((x * 1)[:], y),
            "odifies inplace an input that is a view of another Tensor",
        ),
        "not returned": raises(
            lambda: G.apply(x * 1),
            "Some elements marked as dirty during the forward method were not returned as output.",
        ),
        "no input": warned(lambda: H.apply(x)),
    }


def same_tensor_twice(torch):
    def forward(ctx, x):
        y = x * 2
        return y, y

    seen = []
    F = _make(torch, forward, lambda ctx, a, b: (seen.append(plain([a, b])), a * 2 + b * 20)[1])
    x = leaf(torch)
    a, b = F.apply(x)
    (a + b).backward()
    return [a is b, a.output_nr, seen, plain(x.grad)]


def input_returned_as_is(torch):
    F = _make(torch, lambda ctx, x: x, lambda ctx, g: g * 10, "Same")
    x = leaf(torch, [1.0, 2.0])
    m = x * 1
    out = F.apply(m)
    seen = []
    out.register_hook(lambda g: seen.append(plain(g)))
    (out + m).sum().backward()
    of_leaf = F.apply(x)
    text = "This view was created inside a custom Function"
    shared = out.data_ptr() == m.data_ptr()
    return {
        "another object": [
            out is m,
            out.grad_fn.name(),
            m.grad_fn.name(),
            out._is_view(),
            out._base is m,
        ],
        "shared": shared,
        "hook sees its own gradient": seen,
        "gradient": plain(x.grad),
        "leaf": [of_leaf is x, of_leaf.is_leaf, x.is_leaf],
        "in place": raises(lambda: out.mul_(2), text),
        "leaf in place": raises(lambda: of_leaf.mul_(2), text),
        "no grad": [F.apply(f64(torch, 1.0)).requires_grad],
    }


def views_returned(torch):
    One = _make(torch, lambda ctx, x: x.view(-1), lambda ctx, g: g.view(2, 2))
    Two = _make(torch, lambda ctx, x: (x.view(-1), x.clone()), lambda ctx, g, h: g.view(2, 2) + h)
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    m = x * 1
    one, (two, fresh) = One.apply(m), Two.apply(m)
    with torch.no_grad():
        quiet = One.apply(m)
    return {
        "one": raises(lambda: one.mul_(2), "This view was created inside a custom Function"),
        "several": raises(lambda: two.mul_(2), "function that returns multiple views"),
        "no view": raises(lambda: fresh.mul_(2).grad_fn.name()),
        "no_grad": raises(
            lambda: quiet.mul_(2),
            "A view was created in no_grad mode and is being modified inplace",
        ),
        "gradient": [one.sum().backward(), plain(x.grad)],
    }


def plain_output_may_be_written(torch):
    F = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    x = leaf(torch)
    y = F.apply(x)
    y.mul_(5)
    y.backward()
    return [y, y.grad_fn.name(), x.grad]


def under_no_grad(torch):
    F = _square(torch)
    with torch.no_grad():
        y = F.apply(leaf(torch))
    return [y.requires_grad, y.grad_fn]


def modes_inside(torch):
    seen = []
    F = _make(
        torch,
        lambda ctx, x: (seen.append(torch.is_grad_enabled()), x * 2)[1],
        lambda ctx, g: (seen.append([torch.is_grad_enabled(), g.requires_grad]), g * 2)[1],
    )
    x = leaf(torch)
    F.apply(x).backward()
    torch.autograd.grad(F.apply(x), x, create_graph=True)
    with torch.no_grad():
        F.apply(x)
    return [seen, torch.is_grad_enabled()]


def once_differentiable(torch):
    from_module = __import__(f"{torch.__name__}.autograd.function", fromlist=["x"])
    modes = []

    def backward(ctx, g):
        modes.append(torch.is_grad_enabled())
        (x,) = ctx.saved_tensors
        return g * 2 * x

    F = _make(
        torch,
        lambda ctx, x: (ctx.save_for_backward(x), x * x)[1],
        from_module.once_differentiable(backward),
    )
    x, go = leaf(torch), leaf(torch, 1.0)
    (g,) = torch.autograd.grad(F.apply(x), x, go, create_graph=True)
    (h,) = torch.autograd.grad(F.apply(x), x, create_graph=True)
    (b,) = torch.autograd.grad(F.apply(x) + x**2, x, create_graph=True)
    return {
        "value": plain(g),
        "modes": modes,
        "requires grad": [g.requires_grad, h.requires_grad],
        "node": [type(g.grad_fn).__name__, g.grad_fn.name()],
        "second": raises(g.backward, "marked with @once_differentiable"),
        "ones": raises(lambda: torch.autograd.grad(h, x), "does not require grad"),
        "silently partial": torch.autograd.grad(b, x),
    }


def missing_methods(torch):
    Nothing = type("Nothing", (torch.autograd.Function,), {})
    NoBackward = _make(torch, lambda ctx, x: x * 2)
    Both = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g, vjp=staticmethod(lambda ctx, g: g))
    Vjp = _make(torch, lambda ctx, x: x * 2, vjp=staticmethod(lambda ctx, g: g * 2))
    x = leaf(torch)
    F = torch.autograd.Function
    return {
        "no forward": raises(lambda: Nothing.apply(x), "must implement the forward"),
        "no backward": raises(
            lambda: NoBackward.apply(x).backward(), "must implement either the backward"
        ),
        "both": raises(lambda: Both.apply(x).backward(), "Implementing both 'backward' and 'vjp'"),
        "vjp": torch.autograd.grad(Vjp.apply(x), x),
        "jvp": raises(lambda: F.jvp(None), "must implement the jvp function"),
        "attributes": [
            F.generate_vmap_rule,
            callable(F.vmap),
            callable(F.vjp),
            callable(F.setup_context),
        ],
    }


def old_style(torch):
    F = _square(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = F()
    return [
        warned(F, "should not be instantiated"),
        raises(
            lambda: f(leaf(torch)),
            "Legacy autograd function with non-static forward method is deprecated",
        ),
    ]


def node_class(torch):
    module = __import__(f"{torch.__name__}.autograd.function", fromlist=["x"])
    F, made = _square(torch), []
    G = _make(torch, lambda ctx, x: (made.append(ctx), x * 2)[1], lambda ctx, g: g)
    y, z = F.apply(leaf(torch)), G.apply(leaf(torch))
    Node = torch.autograd.graph.Node
    return {
        "name": [y.grad_fn.name(), type(y.grad_fn).__name__, F._backward_cls.__name__],
        "class": type(y.grad_fn) is F._backward_cls,
        "ctx is the node": made[0] is z.grad_fn,
        "nodes": [isinstance(n, Node) for n in (y.grad_fn, made[0], (y * 2).grad_fn, 3)],
        "subclass": [issubclass(F._backward_cls, Node), issubclass(type((y * 2).grad_fn), Node)],
        "names": [
            issubclass(module.InplaceFunction, torch.autograd.Function),
            callable(module.once_differentiable),
            isinstance(made[0], module.FunctionCtx),
            isinstance(made[0], module.BackwardCFunction),
        ],
        "walk": names((y * 3).grad_fn),
    }


def exceptions_and_warnings(torch):
    class Odd(ValueError):
        pass

    def backward(ctx, g):
        raise Odd("from here")

    F = _make(torch, lambda ctx, x: x * 2, backward)
    W = _make(
        torch, lambda ctx, x: x * 2, lambda ctx, g: (warnings.warn("careful", stacklevel=1), g)[1]
    )
    x = leaf(torch)
    try:
        F.apply(x * 1).backward()
    except Odd as error:
        lines = "".join(traceback.format_exception(error))
    forward = _make(torch, lambda ctx, x: 1 // 0, backward)
    return [
        "from here" in lines,
        'raise Odd("from here")' in lines,
        x.grad,
        warned(lambda: W.apply(x).backward(), "careful"),
        x.grad,
        raises(lambda: forward.apply(x)),
    ]


def changed_after_forward(torch):
    F = _square(torch)
    x = leaf(torch)
    m = x * 1
    y = F.apply(m)
    m.mul_(2)
    text = "one of the variables needed for gradient computation has been modified by an inplace"
    E = _make(
        torch,
        lambda ctx, x: (lambda r: (ctx.save_for_backward(r), r)[1])(x.exp()),
        lambda ctx, g: g * ctx.saved_tensors[0],
        "MyExp",
    )
    e = E.apply(x)
    f = e * 1
    e.add_(1)
    return [
        raises(y.backward, text),
        raises(lambda: y.grad_fn.saved_tensors, text),
        raises(f.backward, text),
    ]


def own_attributes(torch):
    F = _make(
        torch, lambda ctx, x, k: (setattr(ctx, "k", k), x * k)[1], lambda ctx, g: (g * ctx.k, None)
    )
    y = F.apply(leaf(torch), 3)
    return [
        y.grad_fn.k,
        y.grad_fn.metadata,
        y.grad_fn.needs_input_grad,
        raises(lambda: y.grad_fn.nothing),
    ]


def ctx_after_the_pass(torch):
    stash = []
    F = _make(
        torch,
        lambda ctx, x: (ctx.save_for_backward(x), stash.append(ctx), x * x)[2],
        lambda ctx, g: g * 2 * ctx.saved_tensors[0],
    )
    F.apply(leaf(torch)).backward()
    return [raises(lambda: stash[0].saved_tensors, "already been freed"), stash[0].needs_input_grad]


def double_backward(torch):
    E = _make(
        torch,
        lambda ctx, x: (lambda r: (ctx.save_for_backward(r), r)[1])(x.exp()),
        lambda ctx, g: g * ctx.saved_tensors[0],
        "MyExp",
    )
    F = _square(torch)
    x = leaf(torch)
    found = []
    for f in (E.apply, F.apply, lambda x: F.apply(F.apply(x)), lambda x: E.apply(F.apply(x))):
        y = f(x)
        derivatives = []
        for _ in range(3):
            (y,) = torch.autograd.grad(y, x, create_graph=True)
            derivatives.append(plain(y))
            if y.grad_fn is None:
                break
        found.append(derivatives)
    return found


def multi_output_hook_order(torch):
    """Each output has its own slot; grads come in order."""
    F = _make(
        torch,
        lambda ctx, x: (x * 1, x * 10, x * 100),
        lambda ctx, *g: sum(k * v for k, v in zip((1, 10, 100), g, strict=True)),
    )
    x = leaf(torch)
    a, b, c = F.apply(x)
    (c + 2 * a).backward()
    return [[t.output_nr for t in (a, b, c)], a.grad_fn is c.grad_fn, plain(x.grad)]


def printing(torch):
    F = _square(torch)
    y = F.apply(leaf(torch, [1.0]))
    return [repr(y), repr(y.clone()), repr(leaf(torch, [1.0]))]


def keyword_arguments(torch):
    F = _make(torch, lambda ctx, x, k=2: x * k, lambda ctx, g: (g, None))
    return raises(lambda: plain(F.apply(leaf(torch), k=3)))


def inputs_used_twice(torch):
    F = _make(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g * 1, g * 10))
    x = leaf(torch)
    F.apply(x, x).backward()
    y = F.apply(x, x)
    return [
        x.grad,
        [n is y.grad_fn.next_functions[0][0] for n, _ in y.grad_fn.next_functions],
        len(F.apply(x, f64(torch, 1.0)).grad_fn.next_functions),
        F.apply(x, f64(torch, 1.0)).grad_fn.next_functions[1],
    ]


def input_returned_without_gradient(torch):
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x, x * 2

    F = _make(torch, forward, lambda ctx, a, b: b * 2)
    x = leaf(torch, [1.0, 2.0])
    m = x * 1
    same, other = F.apply(m)
    other.sum().backward()
    return [
        same is m,
        same.requires_grad,
        same.grad_fn,
        m.requires_grad,
        same.data_ptr() == m.data_ptr(),
        plain(x.grad),
    ]


def dirty_views_that_refuse(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    F = _make(torch, forward, lambda ctx, g: g * 3)
    m = leaf(torch, [1.0, 2.0]) * 1
    with torch.no_grad():
        quiet = m[:1]
    part = m.unbind(0)[0]
    return [
        raises(lambda: F.apply(quiet), "no_grad mode"),
        raises(lambda: F.apply(part), "function that returns multiple views"),
    ]


def saved_input_detached_in_place(torch):
    F = _square(torch)
    x = leaf(torch, [1.0])
    m = x * 1
    y = F.apply(m)
    m.detach_()
    z = leaf(torch, [1.0])
    w = F.apply(z)
    z.detach_()
    text = "Trying to use a saved tensor that has been detached"
    return [raises(y.backward, text), raises(w.backward, text)]
