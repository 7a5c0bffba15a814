"""Hooks on tensors and nodes: what they see, what they may change, when they run."""

from tests.autograd.observe import f64, leaf, plain, raises


def tensor_hooks(torch):
    x, seen = leaf(torch), []
    m = x * 3

    class Callable:
        def __call__(self, g):
            seen.append(["object", plain(g)])

    m.register_hook(lambda g: (seen.append(["first", plain(g)]), g * 10)[1])
    m.register_hook(Callable())
    handle = m.register_hook(lambda g: seen.append(["removed"]))
    handle.remove()
    handle.remove()
    (m * 2).backward()
    with x.register_hook(lambda g: seen.append(["with", plain(g)])) as inside:
        (x * 1).backward()
    inside.remove()
    (x * 1).backward()
    return [seen, x.grad]


def replacements(torch):
    def with_hook(hook):
        x = leaf(torch, [1.0, 2.0])
        m = x * 2
        m.register_hook(hook)
        return raises(
            lambda: (m.sum().backward(), plain(x.grad))[1],
            "has changed the type of value",
            "has changed the size of value",
        )

    return {
        "None": with_hook(lambda g: None),
        "scaled": with_hook(lambda g: g * 2),
        "number": with_hook(lambda g: 3.0),
        "shape": with_hook(lambda g: g[:1]),
        "dtype": with_hook(lambda g: g.float()),
        "same": with_hook(lambda g: g),
    }


REFUSALS = (
    "has changed the type of value", "has changed the size of value", "expected Variable",
    "expected tuple", "has returned an incorrect number of values (got 3",
    "can't replace a None gradient with a non-None value",
)


def replacements_at_a_node(torch):
    """What hooks before and after a node may return; `other` is what arrives beside, or None."""
    def with_hooks(replace):
        def run(register):
            x = leaf(torch, [1.0, 2.0])
            m = x * f64(torch, [3.0, 4.0])
            register(m.grad_fn)
            return raises(lambda: (m.sum().backward(), plain(x.grad))[1], *REFUSALS)
        return [
            run(lambda node: node.register_prehook(lambda gs: replace(gs[0], ()))),
            run(lambda node: node.register_hook(lambda gs, _: replace(gs[0], (None,)))),
        ]

    return {
        "scaled": with_hooks(lambda g, other: (g * 2, *other)),
        "none": with_hooks(lambda g, other: (None, *other)),
        "more dims": with_hooks(lambda g, other: (g.expand(2, 2), *other)),
        "shape": with_hooks(lambda g, other: (g[:1], *other)),
        "dtype": with_hooks(lambda g, other: (g.float(), *other)),
        "number": with_hooks(lambda g, other: (3.0, *other)),
        "list": with_hooks(lambda g, other: [g, *other]),
        "tensor": with_hooks(lambda g, other: g),
        "count": with_hooks(lambda g, other: (g, g, g)),
        "instead of none": with_hooks(lambda g, other: (g, g) if other else (g * 3,)),
    }


def a_node_of_values_and_indices_gets_one_gradient(torch):
    calls = {
        "max": lambda x: x.max(0), "sort": lambda x: x.sort(), "topk": lambda x: x.topk(1),
        "median": lambda x: x.median(0), "cummax": lambda x: x.cummax(0),
        "max_pool": lambda x: torch.nn.functional.max_pool1d(x[None], 2, return_indices=True),
        "svd": torch.linalg.svd,
    }
    seen = {}
    for name, call in calls.items():
        values = call(leaf(torch, [[3.0, 1.0], [0.0, 2.0]]))[0]
        node = values.grad_fn
        while len(node.next_functions) == 1 and "Squeeze" in node.name():
            node = node.next_functions[0][0]
        arrived = []
        node.register_prehook(lambda gs, arrived=arrived: arrived.append(len(gs)))
        values.sum().backward()
        seen[name] = [len(node._input_metadata), arrived]
    return seen


def a_hook_after_a_node_sees_what_is_sent(torch):
    """Broadcasting is undone and dtypes are the receivers' before the hook looks."""
    x, s, seen = leaf(torch, [1.0, 2.0]), torch.tensor(2.0, requires_grad=True), []
    m = x * s
    m.grad_fn.register_hook(lambda gs, _: (
        seen.append([[list(g.shape), str(g.dtype)] for g in gs]), (gs[0] * 10, gs[1] * 100))[1])
    m.sum().backward()
    return [[[shape, kind.split(".")[1]] for shape, kind in seen[0]], plain(x.grad), plain(s.grad)]


def hooks_need_grad(torch):
    x = f64(torch, 1.0)
    return [
        raises(lambda: x.register_hook(lambda g: g), "doesn't require gradient"),
        raises(lambda: x.retain_grad(), "requires_grad=False"),
        raises(lambda: x.register_post_accumulate_grad_hook(lambda t: None), "gradient"),
    ]


def order_at_a_node(torch):
    x, ran = leaf(torch), []
    m = x * 3
    node = m.grad_fn
    node.register_hook(lambda gi, go: ran.append(["post", plain(gi), plain(go)]))
    node.register_prehook(lambda go: ran.append(["pre", plain(go), plain(m.grad)]))
    m.retain_grad()
    m.register_hook(lambda g: ran.append(["tensor", plain(g)]))
    m.register_hook(lambda g: (ran.append(["later tensor"]), g * 10)[1])
    node.register_prehook(lambda go: (ran.append(["second pre", plain(go)]), (go[0] + 1,))[1])
    (m * 2).backward()
    return [ran, m.grad, x.grad]


def order_at_a_leaf(torch):
    x, ran = leaf(torch), []
    m = x * 3
    node = m.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: ran.append(["post", plain(gi), plain(go), plain(x.grad)]))
    x.register_post_accumulate_grad_hook(
        lambda t: ran.append(["accumulated", plain(t.grad), t is x])
    )
    node.register_prehook(lambda go: ran.append(["pre", plain(go), plain(x.grad)]))
    x.register_hook(lambda g: ran.append(["tensor", plain(g)]))
    m.backward(retain_graph=True)
    first = len(ran)
    torch.autograd.grad(m, x, retain_graph=True)
    second = len(ran)
    m.backward(inputs=[x])
    return [ran[:first], ran[first:second], len(ran) - second]


def saved_tensors_seen_from_hooks(torch):
    def held(node):
        try:
            return plain(node._saved_result)
        except RuntimeError:
            return "freed"

    def fail(grad_inputs, grad_outputs):
        raise ValueError("from the hook")

    x, seen = leaf(torch), []
    m, failing = x.exp(), x.exp()
    node = m.grad_fn
    node.register_prehook(lambda go: seen.append(["pre", held(node)]))
    node.register_hook(lambda gi, go: seen.append(["post", held(node)]))
    m.backward()
    seen.append(["after", held(node)])
    failing.grad_fn.register_hook(fail)
    seen.append(raises(lambda: failing.backward(), "from the hook"))
    return [*seen, held(failing.grad_fn)]


def node_hooks(torch):
    def run(pre=None, post=None):
        x, y = leaf(torch), leaf(torch, 3.0)
        m = x * y
        handles = []
        if pre:
            handles.append(m.grad_fn.register_prehook(pre))
        if post:
            handles.append(m.grad_fn.register_hook(post))
        return raises(
            lambda: (m.backward(), plain([x.grad, y.grad]))[1],
            "incorrect number of values",
            "expected Variable",
            "expected tuple",
        )

    return {
        "pre": run(lambda g: (g[0] * 2,)),
        "pre None": run(lambda g: None),
        "pre tensor": run(lambda g: g[0] * 2),
        "pre two": run(lambda g: (g[0], g[0])),
        "post": run(post=lambda gi, go: (gi[0] * 5, gi[1] * go[0])),
        "post None": run(post=lambda gi, go: None),
        "post entry None": run(post=lambda gi, go: (None, gi[1])),
        "post one": run(post=lambda gi, go: (gi[0],)),
        "post tensor": run(post=lambda gi, go: gi[0]),
        "post number": run(post=lambda gi, go: (1.0, 2.0)),
        "both": run(lambda g: (g[0] * 2,), lambda gi, go: (gi[0] + go[0], gi[1])),
    }


def node_hook_handles(torch):
    x, ran = leaf(torch), []
    m = x * 3
    a = m.grad_fn.register_prehook(lambda g: ran.append("pre"))
    b = m.grad_fn.register_hook(lambda gi, go: ran.append("post"))
    m.backward(retain_graph=True)
    a.remove()
    a.remove()
    m.backward(retain_graph=True)
    b.remove()
    m.backward()
    return ran


def removed_during_the_pass(torch):
    x, ran = leaf(torch), []
    m = x * 3
    z = m * 2
    handles = {}

    def first(g):
        ran.append("first")
        handles["own"].remove()
        handles["next"].remove()
        handles["below"].remove()
        handles["pre"].remove()

    handles["own"] = z.register_hook(first)
    handles["next"] = z.register_hook(lambda g: ran.append("next"))
    handles["below"] = m.register_hook(lambda g: ran.append("below"))
    handles["pre"] = z.grad_fn.register_prehook(lambda g: ran.append("pre"))
    handles["post"] = z.grad_fn.register_hook(lambda gi, go: ran.append("post"))
    z.backward(retain_graph=True)
    z.backward()
    return [ran, x.grad]


def added_during_the_pass(torch):
    x, ran = leaf(torch), []
    m = x * 3
    z = m * 2
    z.register_hook(
        lambda g: (
            m.register_hook(lambda g: ran.append("below")),
            z.register_hook(lambda g: ran.append("own")),
            None,
        )[2]
    )
    z.backward(retain_graph=True)
    first = len(ran)
    z.backward()
    return [first, ran]


def several_outputs(torch):
    x, seen = leaf(torch, [1.0, 2.0, 3.0]), []
    a, b, c = x.unbind(0)
    a.grad_fn.register_prehook(lambda g: seen.append(["pre", plain(list(g))]))
    a.register_hook(lambda g: seen.append(["a", plain(g)]))
    b.register_hook(lambda g: seen.append(["b", plain(g)]))
    b.retain_grad()
    (c * 2 + a * 5).backward()
    return [seen, b.grad, x.grad]


def function_with_plain_outputs(torch):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, 5, x * 3

        @staticmethod
        def backward(ctx, g, n, h):
            return g * 2 + h * 3

    x, seen = leaf(torch), []
    a, _, c = F.apply(x)
    a.grad_fn.register_prehook(lambda g: seen.append(plain(list(g))))
    c.backward()
    return [seen, x.grad, [a.output_nr, c.output_nr]]


def with_autograd_grad(torch):
    """Requested inputs: tensor hooks run, hooks of their nodes do not; on the way all run."""
    x, ran = leaf(torch), []
    m = x * 3
    z = m * 2
    for name, t in (("m", m), ("z", z)):
        t.register_hook(lambda g, name=name: ran.append(f"{name} tensor"))
        t.grad_fn.register_prehook(lambda g, name=name: ran.append(f"{name} pre"))
        t.grad_fn.register_hook(lambda gi, go, name=name: ran.append(f"{name} post"))
    node = m.grad_fn.next_functions[0][0]
    x.register_hook(lambda g: ran.append("x tensor"))
    x.register_post_accumulate_grad_hook(lambda t: ran.append("x accumulated"))
    node.register_prehook(lambda g: ran.append("x pre"))
    node.register_hook(lambda gi, go: ran.append("x post"))
    found = {}
    for name, act in {
        "grad m": lambda: torch.autograd.grad(z, m, retain_graph=True),
        "grad x": lambda: torch.autograd.grad(z, x, retain_graph=True),
        "grad both": lambda: torch.autograd.grad(z, [m, x], retain_graph=True),
        "backward inputs m": lambda: z.backward(inputs=[m], retain_graph=True),
        "backward inputs x": lambda: z.backward(inputs=[x], retain_graph=True),
        "backward": lambda: z.backward(retain_graph=True),
    }.items():
        ran.clear()
        act()
        found[name] = list(ran)
    return found


def captured_gradients_and_hooks(torch):
    x = leaf(torch)
    m = x * 3
    z = m * m
    m.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g * 100)
    kw = {"retain_graph": True}
    return [
        torch.autograd.grad(z, m, **kw),
        torch.autograd.grad(z, x, **kw),
        torch.autograd.grad(z, [m, x], **kw),
    ]


def branches_not_needed(torch):
    x, y, ran = leaf(torch), leaf(torch), []
    a, b = x * 2, y * 3
    a.register_hook(lambda g: ran.append("a"))
    b.register_hook(lambda g: ran.append("b"))
    y.register_hook(lambda g: ran.append("y"))
    (a + b).backward(inputs=[x])
    return ran


def once_with_the_sum(torch):
    x, seen = leaf(torch), []
    x.register_hook(lambda g: seen.append(plain(g)))
    m = x * 1
    m.register_hook(lambda g: seen.append(["m", plain(g)]))
    (m + m * 3 + x * x).backward()
    return [seen, x.grad]


def hooks_and_in_place(torch):
    x, seen = leaf(torch), []
    t = x * 1
    t.register_hook(lambda g: seen.append(["before", plain(g)]))
    t.retain_grad()
    t.mul_(2)
    t.register_hook(lambda g: seen.append(["after", plain(g)]))
    (t * 5).backward()
    return [seen, t.grad, x.grad]


def retain_grad_through_a_view(torch):
    x = leaf(torch, [1.0, 2.0])
    t = x * 1
    t.retain_grad()
    t[0].mul_(5)
    t.sum().backward()
    return [t.grad, x.grad]


def retain_grad(torch):
    x = leaf(torch)
    m = x * 3
    flags = [m.retains_grad, x.retains_grad]
    m.retain_grad()
    m.retain_grad()
    x.retain_grad()
    flags += [m.retains_grad, x.retains_grad]
    z = m * 2
    z.backward(retain_graph=True)
    first = plain(m.grad)
    z.backward()
    a, b = leaf(torch, [1.0, 2.0]).unbind(0)
    a.retain_grad()
    b.retain_grad()
    (a * 2 + b * 3).backward()
    return [flags, first, plain(m.grad), plain([a.grad, b.grad]), x.grad]


def retained_with_create_graph(torch):
    x = leaf(torch)
    m = x * x
    m.retain_grad()
    torch.autograd.grad(m * m, x, create_graph=True)
    return [m.grad, m.grad.requires_grad]


def views_of_a_written_base(torch):
    x, seen = leaf(torch, [1.0, 2.0]), []
    base = x * 1
    view = base[:1]
    view.register_hook(lambda g: seen.append("old"))
    base.mul_(2)
    view.sum().backward(retain_graph=True)
    first = list(seen)
    view.grad_fn
    view.register_hook(lambda g: seen.append("new"))
    view.sum().backward()
    return [first, seen]


def post_accumulate(torch):
    x, seen = leaf(torch), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append([plain(t.grad), t is x]))
    m = x * 2
    (m + x).backward()
    y = leaf(torch)
    y.register_post_accumulate_grad_hook(lambda t: t * 2)
    z = leaf(torch)

    def step(p):
        with torch.no_grad():
            p -= 0.1 * p.grad
            p.grad = None

    z.register_post_accumulate_grad_hook(step)
    (z * z).backward()
    return [
        seen,
        raises(
            lambda: m.register_post_accumulate_grad_hook(lambda t: None),
            "post accumulate grad hooks cannot be registered on non-leaf tensors",
        ),
        raises(lambda: (y * 2).backward(), "hooks should return None."),
        plain(z),
        z.grad,
    ]


def post_accumulate_handles(torch):
    x, ran = leaf(torch), []
    a = x.register_post_accumulate_grad_hook(lambda t: ran.append("a"))
    x.register_post_accumulate_grad_hook(lambda t: ran.append("b"))
    (x * 2).backward()
    a.remove()
    (x * 2).backward()
    return ran


def multi_grad_all(torch):
    from_graph = torch.autograd.graph
    a, b = leaf(torch), leaf(torch, 3.0)
    c, d = a * b, a * b
    z = c * 1
    seen = []
    handle = from_graph.register_multi_grad_hook((a, b, c, d), lambda g: seen.append(plain(g)))
    z.backward(retain_graph=True)
    z.backward(inputs=(a,), retain_graph=True)
    (c + d).backward(retain_graph=True)
    n = len(seen)
    handle.remove()
    z.backward()
    return [seen, n == len(seen)]


def multi_grad_any(torch):
    from_graph = torch.autograd.graph
    a, b = leaf(torch), leaf(torch, 3.0)
    c = a * b
    seen = []
    c.register_hook(lambda g: seen.append("regular"))
    handle = from_graph.register_multi_grad_hook(
        (a, b, c, f64(torch, 1.0)), lambda g: seen.append(plain(g)), mode="any"
    )
    (c * 7).backward(retain_graph=True)
    (c * 7).backward(retain_graph=True)
    handle.remove()
    (c * 7).backward()
    text = "Expects mode to be one of ('all', 'any') but got foo"
    return [
        seen,
        raises(lambda: from_graph.register_multi_grad_hook((a,), print, mode="foo"), text),
    ]


def multi_grad_in_nested_passes(torch):
    a = leaf(torch)
    c, d = a * 2, a * 3
    seen = []
    torch.autograd.graph.register_multi_grad_hook((c, d), lambda g: seen.append(plain(g)))
    z = c + d
    z.register_hook(
        lambda g: torch.autograd.backward([c, d], retain_graph=True) if len(seen) < 1 else None
    )
    z.backward()
    return seen


def a_hook_may_go_back_itself(torch):
    x = leaf(torch)
    y = leaf(torch, 3.0)
    m = x * 2

    def hook(g):
        with torch.enable_grad():
            (y * y * g).backward()
        handle.remove()

    handle = m.register_hook(hook)
    (m * 5).backward()
    m2 = x * 2
    (m2 * 5).backward()
    return [x.grad, y.grad]


def without_grad_never_called(torch):
    x = f64(torch, 1.0)
    ran = []
    y = leaf(torch)
    y.register_hook(lambda g: ran.append("y"))
    hooks = y._backward_hooks
    y.requires_grad_(False)
    x._backward_hooks = {0: lambda g: ran.append("x")}
    (x * y + leaf(torch)).backward()
    return [len(hooks), ran, list(x._backward_hooks), f64(torch, 1.0)._backward_hooks]


def exceptions_in_hooks(torch):
    x = leaf(torch)
    m = x * x
    z = m * 2
    handle = m.register_hook(lambda g: 1 // 0)
    first = raises(z.backward)
    handle.remove()
    return [first, x.grad, raises(z.backward, "second time"), raises(m.backward), x.grad]


def zeros_where_nothing_arrived(torch):
    x, seen = leaf(torch, [1.0, 2.0, 3.0, 4.0]), []
    a, b = x.split(2)
    a.grad_fn.register_hook(lambda gi, go: seen.append(plain([list(gi), list(go)])))
    b.sum().backward()
    return seen


def hook_receives_no_graph(torch):
    x, seen = leaf(torch), []
    m = x * x
    m.register_hook(lambda g: seen.append([g.requires_grad, type(g).__name__]))
    m.backward(retain_graph=True)
    torch.autograd.grad(m * m, x, create_graph=True)
    return seen


def hooks_on_clones_and_detached(torch):
    x, ran = leaf(torch), []
    m = x * 2
    m.register_hook(lambda g: ran.append("m"))
    d = m.detach().requires_grad_()
    (d * 2).backward()
    first = list(ran)
    (m.clone() * 2).backward()
    return [first, ran, d.grad]


def in_place_change_of_what_a_hook_receives(torch):
    x, y = leaf(torch, [1.0, 1.0]), leaf(torch, [1.0, 1.0])
    m, n = x * 1, y * 1
    m.register_hook(lambda g: (g.mul_(0), None)[1])
    (m * 2 + n * 3).sum().backward()
    g = f64(torch, [1.0, 1.0])
    v = x * 2
    v.register_hook(lambda g: g.clone().mul_(3))
    v.backward(g)
    return [plain([x.grad, y.grad]), plain(g)]


def double_backward_through_hooks(torch):
    x = leaf(torch)
    m = x * x
    m.register_hook(lambda g: g * x)
    (g,) = torch.autograd.grad(m, x, create_graph=True)
    return [g, torch.autograd.grad(g, x)]


def leaf_hooks_before_and_after_the_graph(torch):
    x, ran = leaf(torch), []
    m = x * 2
    x.register_hook(lambda g: ran.append("after the graph"))
    x.register_post_accumulate_grad_hook(lambda t: ran.append("accumulated"))
    m.backward()
    (x * 3).backward()
    return ran


def module_sized_graph(torch):
    """linear + sum by hand: bias before weight, as PyTorch orders them."""
    x, w, b = (
        leaf(torch, [[1.0, 2.0]]),
        leaf(torch, [[1.0, 2.0], [3.0, 4.0]]),
        leaf(torch, [1.0, 1.0]),
    )
    out = torch.addmm(b, x, w.t())
    ran = []
    for name, t in (("x", x), ("w", w), ("b", b)):
        t.register_hook(lambda g, name=name: ran.append(f"{name} tensor"))
        t.register_post_accumulate_grad_hook(lambda t, name=name: ran.append(f"{name} accumulated"))
    out.grad_fn.register_hook(lambda gi, go: ran.append("addmm post"))
    out.grad_fn.register_prehook(lambda go: ran.append("addmm pre"))
    out.register_hook(lambda g: ran.append("out tensor"))
    for node, _ in out.grad_fn.next_functions:
        node.register_hook(lambda gi, go, node=node: ran.append(f"{node.name()} post"))
    out.sum().backward()
    return ran


def multi_grad_counts_each_pass(torch):
    """A pass that starts when another has brought one of two gradients: each counts for itself."""
    found = []
    for mode in ("all", "any"):
        x, y, seen, inside = leaf(torch, 2.0), leaf(torch, 3.0), [], []
        torch.autograd.graph.register_multi_grad_hook(
            (x, y), lambda g, seen=seen: seen.append(plain(g)), mode=mode)

        def nested(g, x=x, y=y, inside=inside):
            if not inside:
                inside.append(1)
                with torch.enable_grad():
                    (x * y).backward()

        x.register_hook(nested)
        y.register_hook(nested)
        (x * 10 + y * 100).backward()
        (x * 1000).backward()
        found.append(seen)
    return found


def of_several_outputs(torch):
    """The output that got a hook first comes first, with all its hooks; then retain_grad."""
    found = []
    for first, second in ((0, 1), (1, 0), (2, 0)):
        log = []
        parts = (leaf(torch, [1.0, 2.0, 3.0]) * 2).unbind(0)
        for i, factor in ((first, 2), (second, 3), (first, 5)):
            parts[i].register_hook(
                lambda g, i=i, factor=factor, log=log: (log.append([i, g.item()]), g * factor)[1])
        parts[second].retain_grad()
        parts[first].retain_grad()
        (parts[0] + parts[1] + parts[2]).backward()
        found.append([log, parts[first].grad, parts[second].grad])
    return found


def at_a_node_that_does_not_run(torch):
    """Asked for one output of several, the pass ends there: the hooks of all of them run."""
    found = []
    for asked in (0, 1):
        for loss in (lambda a, b: a * b, lambda a, b: a, lambda a, b: b):
            parts = (leaf(torch, [1.0, 2.0]) * 2).unbind(0)
            log = []
            for i, part in enumerate(parts):
                part.retain_grad()
                part.register_hook(lambda g, i=i, log=log: log.append([i, g]) or (
                    None if g is None else g * 3))
            found.append([torch.autograd.grad(loss(*parts), parts[asked], allow_unused=True), log,
                          parts[0].grad, parts[1].grad])
    return found
