"""What keeps what alive: weak references, the cycle collector off."""

import gc

from tests.autograd.observe import alive, collector_off, leaf, plain


class _Thing:
    """Something to be watched."""


def _watch(t):
    """A thing that lives as long as the node of `t`."""
    return t.grad_fn.metadata.setdefault("thing", _Thing())


def _square(torch, keep):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            if keep == "attribute":
                ctx.y = y
            elif keep == "saved output":
                ctx.save_for_backward(y)
            elif keep == "saved input":
                ctx.save_for_backward(x)
            ctx.thing = _Thing()
            return y

        @staticmethod
        def backward(ctx, g):
            return g

    return Square


def graphs_die_with_their_output(torch):
    found = {}
    for name, build in {
        "mul": lambda x: x * x,
        "exp": lambda x: x.exp(),
        "chain": lambda x: (x * x).exp().sin().sum(),
        "view": lambda x: x.view(2)[0],
        "in place": lambda x: (x * 1).mul_(2).exp_(),
        "in place on a view": lambda x: _write(x * 1),
        "setitem": lambda x: _set(x * 1),
        "unbind": lambda x: x.unbind(0)[0] * 2,
        "retain_grad": lambda x: _retained(x * x),
        "hook": lambda x: _hooked(x * x),
        "max": lambda x: x.max(0)[0],
        "cat": lambda x: torch.cat([x, x]),
        "in place result on a view": lambda x: _exp_view(x * 1),
        "softmax": lambda x: torch.softmax(x, 0),
    }.items():
        with collector_off():
            x = leaf(torch, [1.0, 2.0])
            y = build(x)
            thing = _Thing()
            y.grad_fn.metadata["thing"] = thing
            state = alive(thing)
            del thing
            before = state()
            del y
            found[name] = [before, state()]
    return found


def _write(m):
    m[0].mul_(3)
    return m


def _set(m):
    m[0] = 3.0
    return m


def _exp_view(m):
    m[:1].exp_()
    return m


def _retained(m):
    m.retain_grad()
    return m


def _hooked(m):
    m.register_hook(lambda g: g)
    return m * 2


def custom_functions(torch):
    found = {}
    for keep in ("nothing", "saved input", "saved output", "attribute"):
        with collector_off():
            y = _square(torch, keep).apply(leaf(torch, [1.0, 2.0]))
            state = alive(y.grad_fn.thing)
            del y
            first = state()
        gc.collect()
        found[keep] = [first, state()]
    return found


def hooks_die_with_the_graph(torch):
    with collector_off():
        x = leaf(torch)
        y = x * x
        thing = _Thing()
        y.register_hook(lambda g, thing=thing: None)
        y.grad_fn.register_hook(lambda a, b, thing=thing: None)
        y.grad_fn.register_prehook(lambda a, thing=thing: None)
        state = alive(thing)
        del thing
        before = state()
        del y
        after = state()
    return [before, after]


def a_hook_that_closes_over_its_own_node(torch):
    x = leaf(torch)
    y = x * x
    thing = _Thing()
    node = y.grad_fn
    node.register_hook(lambda a, b, thing=thing, node=node: None)
    state = alive(thing)
    del thing, node
    with collector_off():
        before = state()
        del y
    gc.collect()
    return [before, state()]


def post_accumulate_hooks_die_with_the_tensor(torch):
    with collector_off():
        x = leaf(torch)
        thing = _Thing()
        x.register_post_accumulate_grad_hook(lambda t, thing=thing: None)
        state = alive(thing)
        del thing
        before = state()
        (x * 2).backward()
        del x
        return [before, state()]


def saved_tensors(torch):
    with collector_off():
        thing = _Thing()
        x = leaf(torch, [1.0, 2.0])

        def pack(t):
            box = _Thing()
            box.t = t.detach()
            boxes.append(alive(box))
            return box

        boxes = []
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
            y = (x.exp() * x).sum()
            z = (x.exp() * x).sum()
        first = [b() for b in boxes]
        y.backward(retain_graph=True)
        kept = [b() for b in boxes]
        y.backward()
        freed = [b() for b in boxes]
        del z, thing
        return [first, kept, freed, [b() for b in boxes]]


def saved_inputs_are_kept_until_the_pass(torch):
    with collector_off():
        x = leaf(torch, [1.0, 2.0])
        m = x * 1
        state = alive(m)
        y = m * m
        n = x + 1
        other = alive(n)
        z = n + n
        del m, n
        before = [state(), other()]
        y.sum().backward()
        return [before, state(), other(), plain(z)]


def detach_does_not_keep_the_source(torch):
    with collector_off():
        x = leaf(torch, [1.0, 2.0])
        y = x * x
        state = alive(y, _watch(y))
        d = y.detach()
        del y
        return [state(), plain(d)]


def retain_grad_does_not_keep_the_tensor(torch):
    with collector_off():
        x = leaf(torch)
        y = x * x
        y.retain_grad()
        z = y + 1
        state = alive(y)
        del y
        before = state()
        z.backward()
        return [before, x.grad]


def gradients_of_a_recorded_pass(torch):
    """autograd.grad with create_graph leaves no cycle."""
    with collector_off():
        x = leaf(torch)
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
        state = alive(_watch(y), _watch(g), _watch(h))
        before = state()
        del y, g, h
        return [before, state()]


def metadata(torch):
    x = leaf(torch)
    y = x * x
    d = y.grad_fn.metadata
    d["a"] = 1
    return [y.grad_fn.metadata is d, y.grad_fn.metadata, (x * x).grad_fn.metadata]


def accumulators(torch):
    """A leaf's accumulator lives as long as some graph uses it; the leaf does not keep it."""
    with collector_off():
        x = leaf(torch)
        y = x * 2
        a = y.grad_fn.next_functions[0][0]
        same = (x * 3).grad_fn.next_functions[0][0] is a
        state = alive(x)
        del x
        before = state()
        kept = a.variable is not None
        del y, a
        return [same, before, kept, state()]


def _chain(torch, step, n=100_000):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(n):
        y = step(y)
    y.backward()
    result = plain(x.grad)
    del y
    return result


def deep_graph_of_operations(torch):
    return _chain(torch, lambda y: y + 1)


def deep_graph_of_saved_tensors(torch):
    return _chain(torch, lambda y: y * 1.0)


def deep_graph_in_place(torch):
    x = leaf(torch, 1.0)
    y = x * 1
    for _ in range(40_000):
        y.add_(1)
    y.backward()
    return x.grad


def deep_graph_dropped_without_a_pass(torch):
    y = leaf(torch, 1.0)
    for _ in range(150_000):
        y = y * 2
    del y
    z = leaf(torch, [1.0, 2.0])
    w = z * 1
    for _ in range(20_000):
        w[0] = w[1]
    del w
    return "alive"


def deep_graph_of_functions(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    y = _chain(torch, Same.apply, 10_000)
    z = leaf(torch, 1.0)
    for _ in range(40_000):
        z = Same.apply(z)
    del z
    return y
