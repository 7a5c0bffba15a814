"""The pass itself: nested passes, callbacks, what it says, frees and repeats."""

from tests.autograd.observe import f64, leaf, names, plain, raises


def _callback(torch):
    return torch.autograd.Variable._execution_engine.queue_callback


def _deep(torch, depth):
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_() - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx, g):
            if ctx.x < 0:
                return g
            with torch.enable_grad():
                Deep.apply(ctx.x).sum().backward()
            return g

    v = leaf(torch, float(depth))
    Deep.apply(v).sum().backward()
    return v.grad


def re_entrant_two_thousand_deep(torch):
    import sys

    before = sys.getrecursionlimit()
    return [_deep(torch, 2000.0), sys.getrecursionlimit() == before]


def re_entrant_values(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                q = x.detach().requires_grad_()
                (q * q).sum().backward()
            return q.grad * g

    x = leaf(torch, [1.0, 2.0])
    Inner.apply(x * 3).sum().backward()
    return x.grad


def nested_work_comes_first(torch):
    ran = []
    x, y = leaf(torch), leaf(torch)
    a = x * 2
    a.register_hook(lambda g: ran.append("outer, older"))
    b = x * 3

    def hook(g):
        with torch.enable_grad():
            q = y * y
        q.register_hook(lambda g: ran.append("nested"))
        y.register_hook(lambda g: ran.append("nested leaf"))
        q.backward()
        ran.append("nested done")

    b.register_hook(hook)
    (a + b).backward()
    return ran


def an_error_in_a_nested_pass(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("inner trouble")

    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                Bad.apply(leaf(torch)).backward()
            return g

    x = leaf(torch)
    first = raises(lambda: Outer.apply(x).backward(), "inner trouble")
    (x * 2).backward()
    return [first, x.grad, torch.is_grad_enabled()]


def callbacks(torch):
    log = []
    queue = _callback(torch)
    x = leaf(torch)
    m = x * 2

    def last():
        log.append(["callback", plain(x.grad)])
        queue(lambda: log.append("queued by a callback"))

    m.register_hook(lambda g: queue(last))
    m.register_hook(lambda g: log.append("hook"))
    m.backward()
    log.append("after")
    y = leaf(torch) * 2
    y.register_hook(lambda g: queue(lambda: 1 // 0))
    return [log, raises(y.backward), raises(lambda: queue(lambda: None), "during backward pass")]


def callbacks_of_nested_passes(torch):
    log = []
    queue = _callback(torch)

    def hook(g):
        queue(lambda: log.append("outer callback"))
        with torch.enable_grad():
            q = leaf(torch) * 2
        q.register_hook(lambda g: queue(lambda: log.append("nested callback")))
        q.backward()
        log.append("nested done")

    x = leaf(torch)
    m = x * 2
    m.register_hook(hook)
    m.backward()
    log.append("done")
    return log


def number_of_the_pass(torch):
    number = torch._C._current_graph_task_id
    seen = []
    x = leaf(torch)
    for _ in range(2):
        m = x * 2
        m.register_hook(lambda g: seen.append(number()))
        m.backward()
    return [number(), seen[1] - seen[0]]


def keep_graph_inside(torch):
    look = torch._C._autograd._get_current_graph_task_keep_graph
    seen = []
    x = leaf(torch)
    for kw in ({}, {"retain_graph": True}, {"create_graph": True}):
        m = x * 2
        m.register_hook(lambda g: seen.append(look()))
        torch.autograd.grad(m, x, **kw)
    return seen


def order_predicted(torch):
    look = torch._C._current_graph_task_execution_order
    x, y = leaf(torch), leaf(torch)
    seen = {}

    def predict(name):
        return lambda g: seen.__setitem__(name, [n.name() for n in look()])

    with torch.autograd.set_multithreading_enabled(False):
        a = x * 2
        b = y * 3
        z = (a + b).exp()
        handle = z.register_hook(predict("backward"))
        z.backward(retain_graph=True)
        handle.remove()
        handle = z.register_hook(predict("inputs"))
        z.backward(inputs=[x], retain_graph=True)
        handle.remove()
        z.register_hook(predict("grad"))
        torch.autograd.grad(z, y)
    return [seen, raises(look, "should only be called during the backward pass")]


def which_nodes_run(torch):
    look = torch._C._will_engine_execute_node
    x, y = leaf(torch), leaf(torch)
    a, b = x * 2, y * 3
    z = a + b
    acc = {n: t.grad_fn.next_functions[0][0] for n, t in (("x", a), ("y", b))}
    seen = {}

    def ask(name):
        def hook(g):
            seen[name] = [
                look(a.grad_fn),
                look(b.grad_fn),
                raises(lambda: look(acc["x"]), "are currently running autograd.grad"),
                raises(lambda: look(acc["y"]), "are currently running autograd.grad"),
            ]

        return hook

    for name, act in {
        "backward": lambda: z.backward(retain_graph=True),
        "inputs": lambda: z.backward(inputs=[x], retain_graph=True),
        "grad": lambda: torch.autograd.grad(z, x, retain_graph=True),
        "grad of a": lambda: torch.autograd.grad(z, a, retain_graph=True),
    }.items():
        handle = z.register_hook(ask(name))
        act()
        handle.remove()
    wrong = []
    z.register_hook(lambda g: wrong.append(raises(lambda: look(x), "expects an grad_fn")))
    z.backward()
    return [seen, wrong, raises(lambda: look(a.grad_fn), "during the backward pass")]


def current_node(torch):
    look = torch._C._current_autograd_node
    seen = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            seen.append(look() is ctx)
            return g

    x = leaf(torch)
    y = F.apply(x)
    m = y * 3
    m.grad_fn.register_prehook(lambda g: seen.append(look() is m.grad_fn))
    m.register_hook(lambda g: seen.append(look() is m.grad_fn))
    m.backward()
    return [seen, look()]


def second_pass(torch):
    """Which operations can be run twice: those that saved no tensor."""
    found = {}
    for name, f in {
        "x + x": lambda x: x + x,
        "x * 3": lambda x: x * 3,
        "x / 2": lambda x: x / 2,
        "x - 1": lambda x: x - 1,
        "-x": lambda x: -x,
        "sum": lambda x: x.sum(),
        "mean": lambda x: x.mean(),
        "x[0]": lambda x: x[0],
        "reshape": lambda x: x.reshape(2, 1),
        "exp": lambda x: x.exp(),
        "relu": lambda x: x.relu(),
        "x ** 2": lambda x: x**2,
        "x * x": lambda x: x * x,
        "cat": lambda x: torch.cat([x, x]),
        "clone": lambda x: x.clone(),
        "x @ x": lambda x: x @ x,
        "unbind": lambda x: x.unbind(0)[0],
        "max": lambda x: x.max(),
        "where": lambda x: torch.where(x > 1, x, -x),
        "index": lambda x: x[[0, 1]],
        "setitem": lambda x: _written(x),
        "square": lambda x: x.square(),
        "expand": lambda x: x.expand(3, 2),
        "var": lambda x: x.var(),
        "double": lambda x: x.float(),
        "t": lambda x: x.unsqueeze(0).t(),
        "std": lambda x: x.std(),
        "cumsum": lambda x: x.cumsum(0),
        "abs": lambda x: x.abs(),
    }.items():
        x = leaf(torch, [1.0, 2.0])
        y = f(x)
        g = torch.ones_like(y)
        y.backward(g)
        found[name] = raises(lambda: y.backward(g), "Specify retain_graph=True")
    return found


def _written(x):
    y = x * 1
    y[0] = 5.0
    return y


def retain_graph(torch):
    def twice(**kw):
        x = leaf(torch)
        y = x * x
        y.backward(**kw)
        second = raises(y.backward, "second time")
        x_grad = plain(x.grad)
        x.grad = None
        return [second, x_grad]

    x = leaf(torch)
    y = x * x * x
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x)
    return {
        "default": twice(),
        "False": twice(retain_graph=False),
        "True": twice(retain_graph=True),
        "create": twice(create_graph=True),
        "create, not retained": twice(create_graph=True, retain_graph=False),
        "None": twice(retain_graph=None),
        "a later pass frees": raises(lambda: torch.autograd.grad(y, x), "second time"),
    }


def shared_part(torch):
    def run(**kw):
        x = leaf(torch)
        s = x * x
        a, b = s * 1, s * 2
        a.backward(**kw)
        return [raises(b.backward, "second time"), plain(x.grad)]

    return [run(), run(retain_graph=True)]


def only_what_ran_is_freed(torch):
    x, y = leaf(torch), leaf(torch, 3.0)
    a, b = x * x, y * y
    z = a + b
    torch.autograd.grad(z, x)
    return [raises(a.backward, "second time"), raises(b.backward), y.grad]


def an_error_half_way(torch):
    x = leaf(torch)
    y = x * x
    z = y * y
    handle = y.register_hook(lambda g: 1 // 0)
    first = raises(z.backward)
    handle.remove()
    return [
        first,
        x.grad,
        raises(z.backward, "second time"),
        raises(y.backward),
        x.grad,
        torch.is_grad_enabled(),
        torch._C._current_graph_task_id(),
    ]


def derivatives_of_derivatives(torch):
    x = leaf(torch)
    (g,) = torch.autograd.grad(x**4, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    (k,) = torch.autograd.grad(h, x)
    return [g, h, k, g.requires_grad, k.requires_grad, g.grad_fn is not None, k.grad_fn]


def hessian_vector_product(torch):
    x = leaf(torch, [1.0, 2.0])
    v = f64(torch, [3.0, 4.0])
    y = (x**3).sum() + (x[0] * x[1]) ** 2
    y.backward(create_graph=True)
    first = plain(x.grad)
    (x.grad * v).sum().backward()
    both = plain(x.grad)
    x.grad = None
    (g,) = torch.autograd.grad((x**3).sum() + (x[0] * x[1]) ** 2, x, create_graph=True)
    return [first, both, torch.autograd.grad(g @ v, x)]


def constant_derivative(torch):
    x = leaf(torch)
    (g,) = torch.autograd.grad(x * 3, x, create_graph=True)
    return [g, g.requires_grad, raises(lambda: torch.autograd.grad(g, x), "does not require grad")]


def double_backward_of_many_operations(torch):
    x0 = [0.5, 1.5, 2.5]
    found = {}
    for name, f in {
        "relu": lambda x: x.relu() * x,
        "sigmoid": lambda x: x.sigmoid(),
        "tanh": lambda x: x.tanh(),
        "pow": lambda x: x**3,
        "div": lambda x: 1 / x,
        "exp": lambda x: x.exp(),
        "log": lambda x: x.log(),
        "matmul": lambda x: (x @ x) * x,
        "softmax": lambda x: torch.softmax(x, 0) * x,
        "view": lambda x: x[1:] * x[:-1],
        "unbind": lambda x: x.unbind(0)[0] * x.unbind(0)[2],
        "cat": lambda x: torch.cat([x, x * x]) ** 2,
        "mean": lambda x: (x.mean() * x) ** 2,
        "max": lambda x: x.max() * x,
        "index": lambda x: x[[0, 0, 2]] ** 3,
        "setitem": lambda x: _written(x) ** 3,
        "in place": lambda x: (x * 1).mul_(x).sin_(),
        "prod": lambda x: x.prod(),
        "sqrt": lambda x: x.sqrt(),
    }.items():
        x = leaf(torch, x0)
        (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
        found[name] = plain([g, torch.autograd.grad((g * g).sum(), x)[0]])
    return found


def create_graph_without_retaining(torch):
    x = leaf(torch)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return [torch.autograd.grad(g, x), raises(lambda: torch.autograd.grad(y, x), "second time")]


def multithreading_setting(torch):
    a = torch.autograd
    look = a.is_multithreading_enabled
    found = [look()]
    with a.set_multithreading_enabled(False):
        found.append(look())
        with a.set_multithreading_enabled(True):
            found.append(look())
    found.append(look())
    a.set_multithreading_enabled(False)
    found.append(look())
    decorated = a.set_multithreading_enabled(False)(look)
    found += [look(), decorated(), look()]
    a.set_multithreading_enabled(True)
    return [*found, look()]


def names_of_the_cpp_module(torch):
    functions = torch._C._functions
    x = leaf(torch, [1.0, 2.0])
    y = functions.UndefinedGrad()(x * 1)
    (y * 2).sum().backward()
    d = functions.DelayedError("not twice", 1)(x * 1)
    pair = functions.DelayedError("not twice", 2)(x * 1, x * 2)
    w = torch._C._WeakTensorRef(d)
    found = [
        y,
        y.grad_fn.name().rpartition("::")[2],
        x.grad,
        type(d.grad_fn).__name__,
        raises(d.sum().backward, "not twice"),
        len(pair),
        isinstance((x * 1).grad_fn.next_functions[0][0], functions.AccumulateGrad),
        w.expired(),
        torch._C.is_grad_enabled(),
    ]
    del d
    return [*found, w.expired()]


def create_graph_again_and_again(torch):
    """Each recorded pass gives the same numbers, with a history; the warning comes once."""
    x = leaf(torch, [1.0, 2.0])

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x**3
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * 3 * y / x

    y = Cube.apply(x)
    found = []
    for _ in range(3):
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        found.append([g, h, g.requires_grad, names(g.grad_fn)[-1]])
    saved_output = Cube.apply(x)
    return [*found, saved_output.grad_fn.saved_tensors[1].grad_fn is saved_output.grad_fn]


def double_backward_in_place(torch):
    """relu and threshold in place, on a tensor and on a view; layers that normalise."""
    f, found = torch.nn.functional, []
    for change in (lambda t: f.relu(t, inplace=True), lambda t: f.relu(t[:1], inplace=True),
                   lambda t: f.threshold(t, 0.5, 0.1, inplace=True),
                   lambda t: f.threshold(t[1:], 0.5, 0.1, inplace=True)):
        x = leaf(torch, [-0.5, 1.5, 2.0])
        t = x * x * x
        change(t)
        (g,) = torch.autograd.grad((t * t).sum(), x, create_graph=True)
        found.append([t, g, torch.autograd.grad(g.sum(), x)])
    for change in (lambda v: v.sigmoid_(), lambda v: v.tanh_(), lambda v: v.exp_()):
        for kept in (True, False):         # the view lives on, or only the node that it belonged to
            x = leaf(torch, [-0.5, 1.5, 2.0])
            t = x * x
            view = t[1:]
            change(view)
            if not kept:
                del view
            (g,) = torch.autograd.grad((t * t).sum(), x, create_graph=True)
            found.append([g, torch.autograd.grad(g.sum(), x)])
    x = leaf(torch, [[[[1.0, 2.0], [0.5, -1.0]]]])
    y = torch.nn.InstanceNorm2d(1).double()(x)
    (g,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
    found.append([g, torch.autograd.grad((g**2).sum(), x)])
    return [*found, torch.autograd.gradgradcheck(
        lambda x: torch.nn.InstanceNorm2d(1).double()(x) ** 2, x, fast_mode=True,
        check_batched_grad=True)]
