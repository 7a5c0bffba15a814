"""Pass after pass over one kept graph: what changes in between is seen by the next."""

from tests.autograd.observe import alive, collector_off, f64, leaf, plain, raises


class _Thing:
    """Something to be watched."""


def _rows(torch, y, x, **how):
    """The Jacobian, one pass a row."""
    eye = torch.eye(y.shape[0], dtype=torch.float64)
    return [plain(torch.autograd.grad(y, x, e, retain_graph=True, **how)[0]) for e in eye]


def a_jacobian_row_by_row(torch):
    x = leaf(torch, [1.0, 2.0, 3.0, 4.0])
    y = (x * x.sum()).sin() * x
    return [_rows(torch, y, x), _rows(torch, y, x)]


def a_graph_of_one_node(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x.exp()
    found = [_rows(torch, y, x)]
    for _ in range(3):
        y.sum().backward(retain_graph=True)
        y.backward(f64(torch, [1.0, 0.0, 2.0]), retain_graph=True, inputs=x)
    return [*found, x.grad]


def other_inputs_each_time(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 5.0])
    m = x * w
    y = (m.exp() * x).sum() + w.sin().sum()
    found = []
    for inputs in ([x], [x], [x], [w], [w], [w, x], [w, x], [w, x], [m], [m], [m], [x]):
        found.append(plain(list(torch.autograd.grad(y, inputs, retain_graph=True))))
    return found


def written_and_returned_in_turn(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 5.0])
    y = (x * w).sin().sum()
    found = []
    for _ in range(3):
        found.append(plain(torch.autograd.grad(y, x, retain_graph=True)[0]))
        y.backward(retain_graph=True, inputs=[x])
        found.append(plain([x.grad, w.grad]))
        y.backward(retain_graph=True)
        found.append(plain([x.grad, w.grad]))
    return found


def hooks_that_come_and_go(torch):
    x = leaf(torch, [1.0, 2.0])
    m = x * 3
    y = m.sin()
    seen, found = [], [_rows(torch, y, x), _rows(torch, y, x)]
    first = m.register_hook(lambda g: seen.append("tensor") or g * 2)
    found.append(_rows(torch, y, x))
    second = m.grad_fn.register_hook(lambda i, o: seen.append("node"))
    third = y.grad_fn.register_prehook(lambda g: seen.append("root") or (g[0] * 10,))
    found.append(_rows(torch, y, x))
    for handle in (first, second, third):
        handle.remove()
    m.retain_grad()
    found.append(_rows(torch, y, x))
    return [found, seen, m.grad]


def a_root_that_is_written_to(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 3
    found = [_rows(torch, y, x), _rows(torch, y, x)]
    y.mul_(x.detach())
    found += [_rows(torch, y, x), _rows(torch, y, x)]
    y[0] = x[1] * 7
    return [*found, _rows(torch, y, x), _rows(torch, y, x)]


def the_root_asked_for_and_what_is_not_reached(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 5.0])
    y = (x * 2).sin()
    g = f64(torch, [1.0, 10.0])
    later = y * w
    found = []
    for _ in range(3):
        for inputs in ([y], [x, y], [w], [x, w], [later], [x]):
            found.append(plain(list(torch.autograd.grad(y, inputs, g, retain_graph=True,
                                                        allow_unused=True))))
    return found


def freed_at_last(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.exp()
    _rows(torch, y, x)
    last = plain(torch.autograd.grad(y, x, torch.ones_like(y))[0])
    return [last, raises(lambda: _rows(torch, y, x), "second time")]


def recorded_in_between(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x ** 3
    found = [_rows(torch, y, x)]
    (once,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    found.append(_rows(torch, once, x))
    return [*found, _rows(torch, once, x), _rows(torch, y, x)]


def the_graph_dies_all_the_same(torch):
    found = {}
    for name, ask in {
        "leaf": lambda x, m, y: x,
        "inner": lambda x, m, y: m,
        "root": lambda x, m, y: y,
        "later": lambda x, m, y: y * x,
    }.items():
        with collector_off():
            x = leaf(torch, [1.0, 2.0])
            m = x * 2
            y = m.exp()
            states = []
            for t in (m, y):
                t.grad_fn.metadata["thing"] = _Thing()
                states.append(alive(t.grad_fn.metadata["thing"]))
            for _ in range(4):
                torch.autograd.grad(y, ask(x, m, y), torch.ones_like(y), retain_graph=True,
                                    allow_unused=True)
            before = [state() for state in states]
            del m, y, t
            found[name] = [before, [state() for state in states]]
    return found


def _watched(y):
    """A list of who runs, written by hooks on all nodes behind `y`."""
    ran, nodes = [], [y.grad_fn]
    for node in nodes:
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]
    for at, node in enumerate(nodes):
        node.register_prehook(lambda g, at=at, node=node: ran.append([node.name(), at]))
    return ran


def the_order_stays(torch):
    a, b, c = (leaf(torch, [1.0, float(i)]) for i in range(3))
    m = (a * b).exp() + c * a
    y = torch.stack([m.sin(), b * c, m * m]).sum(0) * torch.cat([c[:1], a[1:]])
    found, ran = [], _watched(y)
    for _ in range(4):
        y.backward(torch.ones_like(y), retain_graph=True)
        found.append([list(ran), plain([a.grad, b.grad, c.grad])])
        ran.clear()
    for _ in range(4):
        found.append(plain(list(torch.autograd.grad(y, [c, m], torch.ones_like(y),
                                                    retain_graph=True))))
        found.append(list(ran))
        ran.clear()
    return found


def other_sequence_numbers(torch):
    x = leaf(torch, [1.0, 2.0])
    first, second = x.sin(), x.exp()
    y = first + second
    found, ran = [], _watched(y)
    for numbers in ((10 ** 6, 10 ** 6 + 1), (10 ** 6 + 1, 10 ** 6)):
        for node, number in zip((first.grad_fn, second.grad_fn), numbers, strict=True):
            node._set_sequence_nr(number)
        for _ in range(3):
            torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
            found.append(list(ran))
            ran.clear()
    return found


def several_outputs_and_custom_functions(torch):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2, x * x

        @staticmethod
        def backward(ctx, g, h):
            (x,) = ctx.saved_tensors
            return 2 * g + 2 * x * h

    x = leaf(torch, [1.0, 2.0, 4.0])
    a, b = Both.apply(x)
    parts = (a * b.exp()).unbind(0)
    y = torch.stack([parts[0], parts[2] * 3])
    only = Both.apply(x)[1] * 5
    return [[_rows(torch, y, x), plain(list(torch.autograd.grad(
        only, x, torch.ones_like(only), retain_graph=True)))] for _ in range(4)]


def a_hook_that_fails_once(torch):
    x = leaf(torch, [1.0, 2.0])
    m = x * 3
    y = m.exp()
    found, fail = [_rows(torch, y, x)], [False]

    def hook(g):
        if fail[0]:
            raise ValueError("now")

    m.register_hook(hook)
    for wanted in (False, True, False, True):
        fail[0] = wanted
        found.append(raises(lambda: _rows(torch, y, x), "now"))
    return found


def a_pass_inside_a_pass_over_the_same_graph(torch):
    x = leaf(torch, [1.0, 2.0])
    m = x * 3
    y = m.exp().sum()
    inner = []

    def hook(g):
        if len(inner) < 3:
            inner.append(None)
            inner[-1] = plain(torch.autograd.grad(y, x, retain_graph=True)[0])

    found = [plain(torch.autograd.grad(y, x, retain_graph=True)[0]) for _ in range(3)]
    m.register_hook(hook)
    return [*found, plain(torch.autograd.grad(y, x, retain_graph=True)[0]), inner]


def broadcast_and_cast_on_the_way(torch):
    x = leaf(torch, [[1.0], [2.0]])
    w = torch.tensor(3.0, requires_grad=True)
    y = (x * torch.ones(3, dtype=torch.float64)).exp() * w
    g = torch.ones_like(y)
    return [plain(list(torch.autograd.grad(y, [x, w], g, retain_graph=True))) for _ in range(4)]


def saved_numbers_that_change(torch):
    x = leaf(torch, [1.0, 2.0])
    w = f64(torch, [3.0, 5.0])
    y = (x * w).sin()
    found = [_rows(torch, y, x), _rows(torch, y, x)]
    w.mul_(2)
    return [*found, raises(lambda: _rows(torch, y, x), "modified by an inplace operation")]
