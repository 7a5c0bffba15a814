"""Saved tensors: what a node shows of them, and hooks on saving."""

import io

import numpy as np

from tests.autograd.observe import f64, leaf, plain, raises


def saved_attributes(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    m = x * y
    e = m.exp()
    p = m**3
    return {
        "leaf inputs": [m.grad_fn._saved_self is x, m.grad_fn._saved_other is y],
        "non-leaf input": p.grad_fn._saved_self is m,
        "argument": p.grad_fn._saved_exponent,
        "output": [
            e.grad_fn._saved_result is e,
            plain(e.grad_fn._saved_result),
            e.grad_fn._saved_result.grad_fn is e.grad_fn,
            e.grad_fn._saved_result.output_nr,
        ],
        "not needed": [
            (x * f64(torch, [1.0, 2.0])).grad_fn._saved_self,
            (x * 3).grad_fn._saved_self,
        ],
        "not there": raises(lambda: m.grad_fn._saved_nothing),
    }


def what_is_saved(torch):
    """Only what a formula needs: seen through the pack hook."""
    x, y, c = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0]), f64(torch, [5.0, 6.0])
    found = {}
    for name, f in {
        "x * y": lambda: x * y,
        "x * x": lambda: x * x,
        "x * c": lambda: x * c,
        "c * x": lambda: c * x,
        "x * 3": lambda: x * 3,
        "x / y": lambda: x / y,
        "x / c": lambda: x / c,
        "x + y": lambda: x + y,
        "x - 1": lambda: x - 1,
        "-x": lambda: -x,
        "x.sum()": lambda: x.sum(),
        "x.mean()": lambda: x.mean(),
        "x[0]": lambda: x[0],
        "x[[0, 1]]": lambda: x[[0, 1]],
        "x.exp()": lambda: x.exp(),
        "x.sin()": lambda: x.sin(),
        "x.relu()": lambda: x.relu(),
        "x.tanh()": lambda: x.tanh(),
        "x ** 2": lambda: x**2,
        "x ** y": lambda: x**y,
        "2 ** x": lambda: 2**x,
        "x @ y": lambda: x @ y,
        "x @ c": lambda: x @ c,
        "cat": lambda: torch.cat([x, y]),
        "where": lambda: torch.where(x > 1, x, y),
        "x.max()": lambda: x.max(),
        "x.clone()": lambda: x.clone(),
        "x.sigmoid()": lambda: x.sigmoid(),
        "x.prod()": lambda: x.prod(),
        "softmax": lambda: torch.softmax(x, 0),
        "c * c": lambda: c * c,
    }.items():
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t: (packed.append(plain(t)), t)[1], lambda t: t
        ):
            f()
        found[name] = sorted(packed, key=str) if name in ("x ** y", "x / y", "x * y") else packed
    return found


def hooks_count_and_order(torch):
    log = []

    def hooks(name):
        return torch.autograd.graph.saved_tensors_hooks(
            lambda t: (log.append(f"{name} pack {plain(t)}"), t)[1],
            lambda t: (log.append(f"{name} unpack {plain(t)}"), t)[1],
        )

    x, y = leaf(torch), f64(torch, 3.0)
    with hooks("outer"):
        a = x * x
        with hooks("inner"):
            b = a * y
        c = b.exp()
    d = c * c
    log.append("forward done")
    d.backward(retain_graph=True)
    log.append("again")
    a.grad_fn._saved_self
    d.backward()
    return [log, x.grad]


def hooks_in_a_recorded_pass(torch):
    """create_graph under hooks: what the pass saves is packed too."""
    count = {"pack": 0, "unpack": 0}

    def pack(t):
        count["pack"] += 1
        return t

    def unpack(t):
        count["unpack"] += 1
        return t

    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.sin()
        forward = dict(count)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        first = dict(count)
    (h,) = torch.autograd.grad(g, x)
    return [forward, first, count, g, h]


def double_backward_through_packed(torch):
    def run(pack, unpack):
        x = leaf(torch)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            m = x * x
            e = m.exp()
            z = e * m
        (g,) = torch.autograd.grad(z, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
        return plain([g, h])

    return [
        run(lambda t: t, lambda t: t),
        run(lambda t: t.detach(), lambda t: t),
        run(lambda t: t.detach().clone(), lambda t: t),
        run(lambda t: t.tolist(), lambda v: f64(torch, v)),
    ]


def unpacked_value_is_used(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        y = x * x
    seen = y.grad_fn._saved_self
    y.backward()
    return [x.grad, plain(seen), seen is x, seen.is_leaf]


def leaf_keeps_its_accumulator(torch):
    """A leaf that was packed is still the leaf whose .grad grows in a second backward."""
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x * x * x
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.backward()
    return [g, x.grad]


def versions_under_hooks(torch):
    def run(pack):
        x = leaf(torch)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            w = x * 1
            y = w * w
        w.add_(1)
        return raises(lambda: (y.backward(), plain(x.grad))[1])

    x = leaf(torch)
    w = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = w * w
    w.add_(1)
    return [
        run(lambda t: t.detach()),
        run(lambda t: t.detach().clone()),
        run(lambda t: t),
        y.grad_fn._saved_self._version,
        w._version,
    ]


def faults_of_hooks(torch):
    def run(pack, unpack):
        x = leaf(torch)

        def go():
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                y = x.exp() * x
            y.backward()

        return raises(
            go,
            "A saved tensor pack hook is modifying its input in place.",
            "Output of saved tensor unpack_hook expected to be a Tensor",
            "missing 1 required positional argument",
            "division",
        )

    return {
        "writes": run(lambda t: t.add_(1), lambda t: t),
        "unpack no tensor": run(lambda t: t, lambda t: 3),
        "pack none": run(lambda t: None, lambda t: t),
        "signature": run(lambda t, u: t, lambda t: t),
        "unpack signature": run(lambda t: t, lambda t, u: t),
        "raises": run(lambda t: 1 // 0, lambda t: t),
        "unpack raises": run(lambda t: t, lambda t: 1 // 0),
        "afterwards": (leaf(torch) * 2).backward(),
    }


def raw_saved(torch):
    x = leaf(torch, [1.0, 2.0])
    y = (x * x).exp()
    node = y.grad_fn
    raw = node._raw_saved_result
    raw.register_hooks(lambda t: t.tolist(), lambda v: f64(torch, v) * 2)
    again = raises(lambda: raw.register_hooks(lambda t: t, lambda t: t), "already been set")
    doubled = plain(node._saved_result)
    y.sum().backward()
    z = x * f64(torch, [1.0, 2.0])
    w = x * x
    kept = w.grad_fn._raw_saved_self
    w.sum().backward()
    one = x.exp().grad_fn._raw_saved_result
    return {
        "type": type(raw).__name__,
        "again": again,
        "doubled": doubled,
        "grad": plain(x.grad),
        "None": raises(
            lambda: z.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t),
            "None is forbidden",
        ),
        "freed": raises(
            lambda: kept.register_hooks(lambda t: t, lambda t: t), "after it has been freed"
        ),
        "freed node": raises(lambda: type(w.grad_fn._raw_saved_self).__name__),
        "arguments": raises(lambda: one.register_hooks(1, 2), "incompatible function arguments")[0],
        "constructor": raises(
            lambda: torch.autograd.SavedTensor(),
            "Trying to create a SavedTensor object from Python is forbidden",
        ),
    }


def raw_saved_of_a_function(torch):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x * 2)
            return x * 3

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g * (a + b)

    x = leaf(torch)
    y = F.apply(x)
    raw = y.grad_fn._raw_saved_tensors
    raw[1].register_hooks(lambda t: t * 10, lambda t: t)
    y.backward()
    return [len(raw), x.grad]


def freed_after_the_pass(torch):
    x = leaf(torch)
    y = x**3
    z = x * x
    z.backward(retain_graph=True)
    kept = z.grad_fn._saved_self is x
    z.backward()
    y.backward()
    text = "after they have already been freed"
    return [
        kept,
        raises(lambda: z.grad_fn._saved_self, text),
        raises(lambda: y.grad_fn._saved_self, text),
        y.grad_fn._saved_exponent,
        raises(z.backward, text, "Specify retain_graph=True"),
    ]


def disabled(torch):
    g = torch.autograd.graph
    text = ["no hooks", "innermost"]

    def enter():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            return (leaf(torch) * leaf(torch)).grad_fn is not None

    found = [enter()]
    with g.disable_saved_tensors_hooks("no hooks"):
        found.append(raises(enter, *text))
        with g.disable_saved_tensors_hooks("innermost"):
            found.append(raises(enter, *text))
        found.append(raises(enter, *text))
    found.append(enter())

    def inside():
        with (
            g.saved_tensors_hooks(lambda t: t, lambda t: t),
            g.disable_saved_tensors_hooks("no hooks"),
        ):
            pass

    found.append(raises(inside, *text))

    @g.disable_saved_tensors_hooks("no hooks")
    def decorated():
        return enter()

    found.append(raises(decorated, *text))
    found.append(enter())
    return found


def save_on_cpu(torch):
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        y = x.exp() * x
    y.backward()
    return [
        x.grad,
        issubclass(torch.autograd.graph.save_on_cpu, torch.autograd.graph.saved_tensors_hooks),
    ]


def to_disk(torch):
    x = leaf(torch, [1.0, 2.0])

    def pack(t):
        f = io.BytesIO()
        torch.save(t, f)
        return f

    def unpack(f):
        f.seek(0)
        return torch.load(f)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).exp()
    y.sum().backward()
    return x.grad


def unbalanced_exits(torch):
    """Entering and leaving hooks inside a pass neither crashes nor stays."""
    g = torch.autograd.graph
    log = []
    outer = g.saved_tensors_hooks(lambda t: (log.append("outer"), t)[1], lambda t: t)
    x = leaf(torch)
    y = x * x
    y.register_hook(lambda grad: outer.__enter__())
    y.backward()
    before = len(log)
    x * x
    return [before, len(log)]


def in_place_on_what_was_saved(torch):
    text = "needed for gradient computation has been modified by an inplace operation"
    found = {}
    for name, (op, change) in {
        "input": (lambda m: m * m, lambda m, y: m.add_(1)),
        "input, detached alias": (lambda m: m * m, lambda m, y: m.detach().add_(1)),
        "input, .data": (lambda m: m * m, lambda m, y: m.data.add_(1)),
        "input, no_grad": (lambda m: m * m, lambda m, y: _no_grad(torch, m)),
        "output": (lambda m: m.exp(), lambda m, y: y.add_(1)),
        "not needed": (lambda m: m.exp(), lambda m, y: m.add_(1)),
        "setitem": (lambda m: m.sin(), lambda m, y: m.__setitem__(0, 5.0)),
        "view": (lambda m: m.sin(), lambda m, y: m[:1].add_(1)),
    }.items():
        x = leaf(torch, [1.0, 2.0])
        m = x * 1
        y = op(m)
        z = y.sum()
        change(m, y)
        found[name] = [*raises(z.backward, text)[:2], plain(x.grad)]
    m = leaf(torch, [1.0]) * 1
    y = m * m
    m.add_(1)
    try:
        y.backward()
    except RuntimeError as error:
        found["says"] = [
            part in str(error)
            for part in (
                "[torch.DoubleTensor [1]]",
                "is at version 1; expected version 0 instead",
                "AddBackward0",
            )
        ]
    return found


def _no_grad(torch, m):
    with torch.no_grad():
        m.add_(1)


def detached_in_place(torch):
    x = leaf(torch, [1.0])
    m = x * 1
    y = m * m
    m.detach_()
    e = (x * 1).exp()
    z = e * 2
    e.detach_()
    leafy = leaf(torch, [1.0])
    w = leafy * leafy
    leafy.detach_()
    return [
        raises(y.backward, "Trying to use a saved tensor that has been detached"),
        raises(lambda: (z.backward(), plain(x.grad))[1]),
        raises(w.backward),
        leafy.requires_grad,
    ]


def version_of_an_unpacked_output(torch):
    x = leaf(torch, [1.0])
    a = x.exp()
    saved = a.grad_fn._saved_result
    first = [saved._version, a._version]
    a.add_(1)
    return [first, saved._version, a._version]


def mutation_allowed(torch):
    g = torch.autograd.graph
    found = {}
    for name, change in {
        "directly": lambda b: b.sin_(),
        "twice": lambda b: (b.sin_(), b.mul_(2)),
        "through a view": lambda b: b.view(-1)[:1].mul_(9),
        "setitem": lambda b: b.__setitem__(0, 7.0),
        "no write": lambda b: None,
        "through detach": lambda b: b.detach().mul_(3),
    }.items():
        x = leaf(torch, [1.0, 2.0])
        with g.allow_mutation_on_saved_tensors() as ctx:
            b = x * 1
            out = (b**2).sum()
            before = [len(ctx.cloned), len(ctx.tid_to_weakhandle)]
            change(b)
            after = [len(ctx.cloned), len(ctx.tid_to_weakhandle)]
            out.backward()
            done = len(ctx.cloned)
        found[name] = [before, after, done, plain(x.grad), plain(b)]
    return found


def mutation_of_a_base_and_of_a_view(torch):
    g = torch.autograd.graph
    x = leaf(torch, [1.0, 2.0])
    with g.allow_mutation_on_saved_tensors() as ctx:
        b = x * 1
        v = b[1:]
        out = (v**2).sum()
        b.mul_(10)
        n = len(ctx.cloned)
        out.backward()
    y = leaf(torch, [1.0, 2.0])
    with g.allow_mutation_on_saved_tensors() as ctx:
        b = y * 1
        out = (b.sin() * b).sum()
        handles = len(ctx.tid_to_weakhandle)
        b.mul_(2)
        out2 = (b**2).sum()
        b.mul_(2)
        clones = len(ctx.cloned)
        (out + out2).backward()
    return [n, x.grad, handles, clones, y.grad]


def mutation_dies_with_the_graph(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
        x = leaf(torch, [1.0, 2.0])
        b = x * 1
        out = (b**2).sum()
        b.sin_()
        alive = [len(ctx.cloned), len(ctx.tid_to_weakhandle)]
        del out
        return [alive, len(ctx.cloned), len(ctx.tid_to_weakhandle)]


def mutation_limits(torch):
    g = torch.autograd.graph
    text = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    x = leaf(torch, [1.0])
    with g.allow_mutation_on_saved_tensors():
        out = (x**2).sum()
    with g.allow_mutation_on_saved_tensors():
        inside_another = raises(lambda: out.backward(retain_graph=True), text)

    def nested():
        with g.allow_mutation_on_saved_tensors(), g.allow_mutation_on_saved_tensors():
            pass

    return [
        inside_another,
        raises(out.backward, text),
        raises(nested, "allow_mutation_on_saved_tensors contexts cannot be nested"),
        raises(lambda: (x * 2).sum().backward()),
    ]


def modes_of_the_hooks(torch):
    seen = []

    def pack(t):
        seen.append(["pack", torch.is_grad_enabled(), (t * 2).requires_grad])
        return t

    def unpack(t):
        seen.append(["unpack", torch.is_grad_enabled()])
        return t

    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    return [seen, torch.is_grad_enabled()]


def what_an_unpack_hook_sees(torch):
    seen = []
    x = leaf(torch, [4.0])

    def unpack(t):
        seen.append(
            [
                torch._C._current_autograd_node() is y.grad_fn,
                raises(lambda: np.sqrt(leaf(torch, [4.0]))),
            ]
        )
        return t

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x.exp()
    torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
    torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    return seen


def hooks_enabled(torch):
    look = torch._C._autograd._saved_tensors_hooks_is_enabled
    g = torch.autograd.graph
    found = [look()]
    with g.saved_tensors_hooks(lambda t: t, lambda t: t):
        found.append(look())
    with g.disable_saved_tensors_hooks("no"):
        found.append(look())
    return [*found, look()]


def unpacked_tensor_shares_its_version(torch):
    given = leaf(torch, [1.0]).detach()
    given.add_(1)
    x = leaf(torch, [3.0])
    m = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: given, lambda t: t):
        y = m * m
    saved = y.grad_fn._saved_self
    first = [saved._version, saved is given, saved.grad_fn is m.grad_fn, saved.output_nr]
    given.add_(1)
    return [first, saved._version, plain(saved), m._version]


def a_hook_left_too_often(torch):
    """`__exit__` of hooks inside a pass does not crash it."""
    g = torch.autograd.graph
    hooks = g.saved_tensors_hooks(lambda t: t, lambda t: t)
    x = leaf(torch)
    y = x * x
    hooks.__enter__()
    y.register_hook(lambda grad: hooks.__exit__())
    y.backward()
    enabled = torch._C._autograd._saved_tensors_hooks_is_enabled()
    hooks.__exit__()
    return [x.grad, enabled, (x * x).grad_fn._saved_self is x]


def numbers_are_never_packed(torch):
    packed = []
    x = leaf(torch, [1.0, 2.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t)[1], lambda t: t):
        for f in (
            lambda: x * 3,
            lambda: 3 * x,
            lambda: x / 2,
            lambda: x + 1,
            lambda: 1 - x,
            lambda: x * 2**0.5,
        ):
            f()
    return len(packed)


def attributes_of_nodes(torch):
    """`_saved_...` of each node: plain values as they are, of tensors that there is one."""
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    found = {}
    for name, f, attributes in (
        ("mul", lambda: x * x, "self other"),
        ("exp", lambda: x.exp(), "result"),
        ("pow", lambda: x**2, "self exponent"),
        ("select", lambda: x[0], "dim index self_sym_sizes"),
        ("slice", lambda: x[:1], "dim start end step self_sym_sizes"),
        ("t", lambda: x.t(), ""),
        ("view", lambda: x.view(4), "self_sym_sizes"),
        ("sum", lambda: x.sum(), "self_sym_sizes"),
        ("sum of dim", lambda: x.sum(0), "dim keepdim self_sym_sizes"),
        ("cat", lambda: torch.cat([x, x]), "dim"),
        ("index", lambda: x[[0, 1]], "indices self_sym_sizes"),
        ("relu", lambda: x.relu(), "result"),
        ("max", lambda: x.max(0)[0], "dim indices keepdim self_sym_sizes"),
        ("div", lambda: x / x, "self other"),
        ("unsqueeze", lambda: x.unsqueeze(0), "dim"),
        ("expand", lambda: x.expand(2, 2, 2), "self_sym_sizes"),
        ("softmax", lambda: torch.softmax(x, 0), "dim result"),
        ("unbind", lambda: x.unbind(0)[0], "dim"),
        ("tanh", lambda: x.tanh(), "result"),
        ("clamp", lambda: x.clamp(0, 1), "self min max"),
        ("transpose", lambda: x.transpose(0, 1), "dim0 dim1"),
        ("permute", lambda: x.permute(1, 0), "dims"),
        ("split", lambda: x.split(1)[0], "dim split_size self_sym_sizes"),
        ("cumsum", lambda: x.cumsum(0), "dim"),
        ("where", lambda: torch.where(x > 1, x, x), "condition"),
        ("sub", lambda: x - x, ""),
    ):
        node = f().grad_fn
        found[name] = []
        for a in attributes.split():
            v = getattr(node, f"_saved_{a}")
            many = isinstance(v, tuple | list)
            found[name].append(
                plain(v)
                if isinstance(v, int | float) or (many and isinstance(v[0], int))
                else type(v[0] if many else v).__name__
            )
        found[name].append(
            sorted({"_saved_self", "_saved_other", "_saved_result"} & set(dir(node)))
        )
    return found


def a_saved_view_whose_base_changed(torch):
    x = leaf(torch, [1.0, 2.0])
    base = x * 1
    view = base[:1]
    y = view * view
    base.mul_(2)
    found = [raises(y.sum().backward, "modified by an inplace operation", "AsStrided")]
    base = x * 1
    with torch.no_grad():
        view = base[:1]
    y = view * leaf(torch, [3.0])
    base.mul_(2)
    return [*found, raises(y.sum().backward)]


def indices_with_gaps_under_hooks(torch):
    x = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (packed.append(plain(t)), t)[1], lambda t: t
    ):
        y = x[:, [0, 2, 2]]
        z = x[[1, 0], [0, 1]]
    (y.sum() + z.sum()).backward()
    one = x.exp().grad_fn._raw_saved_result
    return [packed, x.grad, raises(lambda: one.register_hooks(lambda t: t, 2))[0]]


def detached_after_it_was_saved(torch):
    """Whether a node saved one tensor or two, an input or its result."""
    found = []
    for f in (lambda y: y.sin(), lambda y: y * y, lambda y: y**3, lambda y: y.exp(),
              lambda y: y.tanh(), lambda y: y / 2, lambda y: y.log_softmax(0)):
        for what in ("input", "result"):
            x = leaf(torch, [1.0, 2.0])
            y = x * 1
            z = f(y)
            out = z.sum()
            (y if what == "input" else z).detach_()
            found.append(raises(lambda out=out, x=x: torch.autograd.grad(out, x),
                                "Trying to use a saved tensor that has been detached")[:2])
    return found
