"""backward() and grad(): arguments, what they write, what they refuse."""

from collections import OrderedDict
from types import MappingProxyType

from tests.autograd.observe import f64, leaf, names, plain, raises, warned


def leaf_is_its_own_root(torch):
    v = leaf(torch, [1.0, 2.0])
    g = f64(torch, [3.0, 4.0])
    v.backward(g)
    v.backward(g)
    return [v.grad, v.grad is g, plain(g)]


def implicit_gradient(torch):
    x = leaf(torch, [[2.0, 3.0]])
    only = "grad can be implicitly created only for scalar output"
    edge = torch.autograd.graph.get_gradient_edge
    y = x * 2
    z = torch.view_as_complex(leaf(torch, [1.0, 2.0]) * 1)
    return {
        "several": raises(y.backward, only),
        "one element": [(x[:, :1] * 2).backward(), x.grad],
        "none": raises(lambda: (leaf(torch, []) * 2).backward(), only),
        "edge": raises(lambda: torch.autograd.backward(edge(y)), only),
        "edge in grad": raises(lambda: torch.autograd.grad(edge(y), x), only),
        "edge of a scalar": torch.autograd.grad(edge(y.sum()), x)[0],
        "complex": raises(
            z.backward, "grad can be implicitly created only for real scalar outputs"
        ),
        "list with None": raises(lambda: torch.autograd.backward([y], [None]), only),
    }


def roots_without_history(torch):
    x = leaf(torch)
    plain_ = f64(torch, 1.0)
    need = "does not require grad"
    return {
        "tensor": raises(plain_.backward, need),
        "tensor with gradient": raises(lambda: plain_.backward(f64(torch, 1.0)), need),
        "one of several": raises(lambda: torch.autograd.backward([x * 2, plain_]), need),
        "nothing written": x.grad,
        "output": raises(lambda: torch.autograd.grad(plain_, x), need),
        "input": raises(lambda: torch.autograd.grad(x * 2, plain_), need),
        "detached": raises(lambda: (x * 2).detach().backward(), need),
        "no_grad view of a leaf": _no_grad_view(torch),
        "number": _refused(lambda: torch.autograd.backward([3.0], [f64(torch, 1.0)])),
        "number for grad": _refused(lambda: torch.autograd.grad(3.0, x)),
    }


def _refused(act):
    return raises(act)[0] != "nothing raised"


def _no_grad_view(torch):
    x = leaf(torch)
    with torch.no_grad():
        view = x.view(-1)
    m = x * 1
    with torch.no_grad():
        inner = m.view(-1)
    return [
        raises(view.backward, "does not require grad"),
        view.requires_grad,
        view.grad_fn,
        raises(inner.backward, "does not require grad"),
        inner.requires_grad,
    ]


def several_roots(torch):
    x, y = leaf(torch), leaf(torch, 3.0)
    a = x * y
    b = a * x
    torch.autograd.backward([a, a], [f64(torch, 1.0), f64(torch, 10.0)], retain_graph=True)
    twice = plain([x.grad, y.grad])
    x.grad = y.grad = None
    torch.autograd.backward([a, b], retain_graph=True)
    ancestor = plain([x.grad, y.grad])
    x.grad = y.grad = None
    torch.autograd.backward([b, a], [f64(torch, 2.0), None])
    return {"twice": twice, "ancestor": ancestor, "weighted": [x.grad, y.grad]}


def gradient_of_another_shape(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = x * 2
    text = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([2, 2])."
    )
    return {
        "backward": raises(lambda: y.backward(f64(torch, [1.0, 1.0])), text),
        "grad": raises(lambda: torch.autograd.grad(y, x, f64(torch, [1.0, 1.0])), text),
        "no broadcasting": raises(
            lambda: y.backward(f64(torch, [[1.0], [1.0]])), "Mismatch in shape"
        ),
        "edge": raises(
            lambda: torch.autograd.grad(
                torch.autograd.graph.get_gradient_edge(y), x, f64(torch, [1.0])
            ),
            "Mismatch in shape",
        ),
    }


def gradient_of_another_dtype(torch):
    x = leaf(torch, [1.0, 2.0])
    same = "required to have the same dtype"
    x.sin().backward(torch.ones(2, dtype=torch.float32))
    return {
        "complex for real": raises(
            lambda: (x * 2).backward(torch.ones(2, dtype=torch.complex128)),
            same,
            "Mismatch in dtype",
            "torch.complex128",
        ),
        "real for complex": raises(
            lambda: torch.autograd.grad(
                x.to(torch.complex128), x, torch.ones(2, dtype=torch.float64)
            ),
            same,
        ),
        "float32 is cast": [str(x.grad.dtype), x.grad],
    }


def gradient_of_another_type(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    return {
        "list of floats": raises(
            lambda: y.backward([1.0, 1.0]), "gradients can be either Tensors or"
        ),
        "float": raises(lambda: y.sum().backward(1.0), "not iterable"),
        "list of a tensor": [y.backward([f64(torch, [1.0, 1.0])], retain_graph=True), x.grad],
        "too few": raises(
            lambda: torch.autograd.backward([y, y], [f64(torch, [1.0, 1.0])]),
            "got 2 tensors and 1 gradients",
        ),
    }


def inputs_of_backward(torch):
    def fresh():
        x, y = leaf(torch), leaf(torch, 3.0)
        m = x * y
        return x, y, m, m * x

    found = {}
    for name, pick in {
        "tensor": lambda x, y, m: x,
        "list": lambda x, y, m: [x, y],
        "tuple": lambda x, y, m: (y,),
        "generator": lambda x, y, m: (t for t in (x,)),
        "non-leaf": lambda x, y, m: [m],
        "dict": lambda x, y, m: {"a": y},
        "both": lambda x, y, m: [m, x],
        "edge": lambda x, y, m: torch.autograd.graph.get_gradient_edge(x),
        "edge of a non-leaf": lambda x, y, m: [torch.autograd.graph.get_gradient_edge(m)],
        "edge and tensor": lambda x, y, m: [torch.autograd.graph.get_gradient_edge(y), x],
        "unrelated": lambda x, y, m: [leaf(torch)],
        "empty": lambda x, y, m: [],
        "empty dict": lambda x, y, m: {},
        "number": lambda x, y, m: 3,
        "numbers": lambda x, y, m: [3],
        "none in list": lambda x, y, m: [None],
        "ordered dict": lambda x, y, m: OrderedDict(a=x),
        "mapping": lambda x, y, m: MappingProxyType({"a": x}),
        "no grad": lambda x, y, m: [f64(torch, 1.0)],
    }.items():
        x, y, m, z = fresh()
        error = raises(
            lambda: z.backward(inputs=pick(x, y, m)),
            "cannot be empty",
            "must be a dict",
            "not iterable",
            "GradientEdge",
        )
        found[name] = [error, plain([x.grad, y.grad, m.grad])]
    return found


def positional_arguments(torch):
    x, y = leaf(torch), leaf(torch)
    z = x * x * y
    z.backward(None, True, False, [x])
    torch.autograd.backward(z, None, True, False, None, [y])
    first = plain([x.grad, y.grad])
    return [
        first,
        torch.autograd.grad(z, x, None, True, True, True, False, False, False),
        raises(lambda: z.backward(None, True, False, [x], 1)),
    ]


def grad_variables(torch):
    x = leaf(torch, [1.0, 2.0])
    g = f64(torch, [1.0, 10.0])
    return [
        warned(lambda: torch.autograd.backward(x * 2, grad_variables=g), "grad_variables"),
        x.grad,
        raises(lambda: torch.autograd.backward(x * 2, g, grad_variables=g), "grad_tensors"),
    ]


def grad_returns_and_leaves_grad_alone(torch):
    x, y = leaf(torch), leaf(torch, 3.0)
    m = x * y
    z = m * m
    kw = {"retain_graph": True}
    return {
        "tuple": [type(torch.autograd.grad(z, x, **kw)).__name__, torch.autograd.grad(z, x, **kw)],
        "several": torch.autograd.grad(z, [y, x], **kw),
        "non-leaf": torch.autograd.grad(z, [m, x], **kw),
        "itself": torch.autograd.grad(z, z, **kw),
        "twice": torch.autograd.grad(z, [x, x], **kw),
        "dict": torch.autograd.grad(z, {"b": y, "a": x}, **kw),
        "ordered dict": raises(lambda: torch.autograd.grad(z, OrderedDict(a=x)), "must be a dict"),
        "generator": raises(lambda: torch.autograd.grad(z, (t for t in (x, y)), **kw)),
        "untouched": [x.grad, y.grad, m.grad_fn is not None],
        "empty": raises(
            lambda: torch.autograd.grad(z, []), "`inputs` argument to `grad()` cannot be"
        ),
        "number": raises(lambda: torch.autograd.grad(z, [3]), "GradientEdge"),
        "keyword": torch.autograd.grad(outputs=z, inputs=x, grad_outputs=f64(torch, 2.0)),
    }


def only_inputs_is_ignored(torch):
    x = leaf(torch)
    y = x * x
    return [warned(lambda: torch.autograd.grad(y, x, only_inputs=False), "only_inputs"), x.grad]


def unreachable_inputs(torch):
    x, u = leaf(torch, [1.0, 2.0]), leaf(torch, 5.0)
    y = (x * x).sum()
    edge = torch.autograd.graph.get_gradient_edge(u)

    def ask(**kw):
        return raises(
            lambda: torch.autograd.grad(y, [x, u], retain_graph=True, **kw),
            "Set allow_unused=True",
            "not to have been used in the graph",
        )

    return {
        "default": ask(),
        "False": ask(allow_unused=False),
        "True": ask(allow_unused=True),
        "materialize": ask(materialize_grads=True),
        "both": ask(materialize_grads=True, allow_unused=True),
        "contradiction": raises(
            lambda: torch.autograd.grad(y, x, materialize_grads=True, allow_unused=False),
            "Expected allow_unused to be True or not passed when",
        ),
        "edge": raises(
            lambda: torch.autograd.grad(y, [edge], materialize_grads=True, retain_graph=True),
            "materialize_grads cannot be used when the given input is a GradientEdge",
        ),
        "zeros": [
            [z.shape, str(z.dtype), z.requires_grad]
            for z in (
                torch.autograd.grad(y, u, materialize_grads=True, retain_graph=True)[0],
                torch.autograd.grad(
                    y,
                    torch.ones(2, 3, requires_grad=True),
                    materialize_grads=True,
                    create_graph=True,
                )[0],
            )
        ],
    }


def nodes_that_lead_nowhere_do_not_run(torch):
    ran = []

    class Loud(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            ran.append(1)
            return g * 2

    found = {}
    for name, act in {
        "grad": lambda x, y, z: torch.autograd.grad(z, x),
        "grad of its own branch": lambda x, y, z: torch.autograd.grad(z, y),
        "grad with unused": lambda x, y, z: torch.autograd.grad(
            z, [x, leaf(torch)], allow_unused=True
        ),
        "backward inputs": lambda x, y, z: z.backward(inputs=x),
        "backward own": lambda x, y, z: z.backward(inputs=y),
        "backward": lambda x, y, z: z.backward(),
    }.items():
        x, y = leaf(torch), leaf(torch)
        z = x * 3 + Loud.apply(y)
        ran.clear()
        act(x, y, z)
        found[name] = [len(ran), plain([x.grad, y.grad])]
    return found


def non_leaf_in_inputs_runs_its_own_node(torch):
    """backward(inputs=[m]) calls and frees m's node; grad(m) does neither."""
    ran = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            ran.append(1)
            return 2 * ctx.saved_tensors[0] * g

    x = leaf(torch)
    m = Square.apply(x)
    (m * 3).backward(inputs=[m])
    first = [plain(m.grad), x.grad, len(ran), raises(m.backward, "second time")]
    ran.clear()
    m = Square.apply(x)
    return [first, torch.autograd.grad(m * 3, m), len(ran), raises(m.backward), x.grad]


def gradient_edges(torch):
    edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch, [1.0, 2.0])
    m = x * x
    e = edge(m)
    z = (m * 3).sum()
    a, b = torch.autograd.graph.GradientEdge, x.chunk(2)[1]
    kw = {"retain_graph": True}
    return {
        "leaf": [
            edge(x).node.name(),
            edge(x).output_nr,
            edge(x).node is m.grad_fn.next_functions[0][0],
        ],
        "node": [e.node is m.grad_fn, e.output_nr],
        "output number": [edge(b).output_nr, edge(b).node is b.grad_fn],
        "fields": [type(e).__name__, a(m.grad_fn, 0).output_nr, isinstance(e, tuple)],
        "as input": torch.autograd.grad(z, [e, edge(x)], **kw),
        "as output": torch.autograd.grad(e, x, f64(torch, [1.0, 10.0]), **kw),
        "as root": [torch.autograd.backward(edge(z), retain_graph=True), x.grad],
        "no grad": raises(lambda: edge(f64(torch, 1.0))),
    }


def an_edge_keeps_the_old_value(torch):
    edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch, [1.0, 2.0])
    m = x.clone()
    before = edge(m)
    y = m * 2
    m.mul_(5)
    z = (m * 7 + y).sum()
    two = plain(torch.autograd.grad(z, [before, m], retain_graph=True))
    p = leaf(torch, [1.0, 2.0, 3.0])
    old = edge(p)
    loss = (p * p).sum()
    with torch.no_grad():
        p.set_(p[:2].clone())
    return [
        two,
        raises(
            lambda: torch.autograd.grad(loss, p, retain_graph=True),
            "to not have been used in the graph",
        ),
        raises(
            lambda: torch.autograd.grad((p.detach() * leaf(torch)).sum(), old, allow_unused=True)
        ),
    ]


def two_steps_are_one(torch):
    x = leaf(torch, [1.0, 2.0])
    m = x.sin()
    z = (m * m * 3).sum()
    e = torch.autograd.graph.get_gradient_edge(m)
    (g,) = torch.autograd.grad(z, e, retain_graph=True)
    return [torch.autograd.grad(e, x, g, retain_graph=True), torch.autograd.grad(z, x)]


def accumulation(torch):
    x = leaf(torch)
    (x * x).backward()
    first = x.grad
    (x * x).backward()
    same = [x.grad is first, plain(first), first._version > 0]
    (x * x).backward(create_graph=True)
    new = [x.grad is first, plain(first), plain(x.grad), x.grad.requires_grad]
    x.grad = None
    (x * x).backward()
    return [same, new, x.grad is first]


def nobody_elses_gradient_is_written(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    g = f64(torch, [1.0, 1.0])
    (x + y).backward(g)
    a = [len({t.data_ptr() for t in (g, x.grad, y.grad)}), plain(g)]
    (x + y).backward(g)
    b = [plain(g), plain([x.grad, y.grad])]
    seen = []
    u = leaf(torch, [1.0, 2.0])
    v, w = u + 0, u + 0
    v.register_hook(seen.append)
    w.register_hook(seen.append)
    (v + w + u).backward(g)
    return [a, b, plain(u.grad), plain(seen), plain(g)]


def zero_size(torch):
    a = torch.ones(4, 0, dtype=torch.float64, requires_grad=True)
    b = torch.ones(4, 1, dtype=torch.float64, requires_grad=True)
    (a + b).sum().backward()
    return [a.grad.shape, b.grad]


def unused_outputs(torch):
    x = leaf(torch, [1.0, 2.0, 3.0, 4.0])
    a, b = x.chunk(2)
    b.sum().backward()
    values, indices = (x * 1).max(0)
    return [
        x.grad,
        a.grad_fn is b.grad_fn,
        [a.output_nr, b.output_nr],
        indices.requires_grad,
        indices.grad_fn,
        values.requires_grad,
    ]


def a_node_can_be_called(torch):
    x, y = leaf(torch), leaf(torch, 3.0)
    node = (x * y).grad_fn
    got = r"expected 1 arguments, got 2 instead"
    return [
        node(f64(torch, 2.0)),
        raises(lambda: node(f64(torch, 1.0), f64(torch, 1.0)), got),
        raises(lambda: node(), "expected 1 arguments, got 0 instead"),
    ]


def next_functions(torch):
    x, y = leaf(torch), leaf(torch, 3.0)
    m = x * y
    z = m + 1
    w = m * f64(torch, 2.0)
    return {
        "leaves": [[type(n).__name__, n.name(), i] for n, i in m.grad_fn.next_functions],
        "variable": [
            n.variable is t for (n, _), t in zip(m.grad_fn.next_functions, (x, y), strict=True)
        ],
        "number": [z.grad_fn.next_functions[0][0] is m.grad_fn, z.grad_fn.next_functions[1]],
        "constant": [w.grad_fn.next_functions[0][0] is m.grad_fn, w.grad_fn.next_functions[1]],
        "tuple": [
            type(m.grad_fn.next_functions).__name__,
            type(m.grad_fn.next_functions[0]).__name__,
        ],
        "same accumulator": m.grad_fn.next_functions[0][0] is (x * 2).grad_fn.next_functions[0][0],
        "grad_fn is one object": m.grad_fn is m.grad_fn,
        "walk": names((z * w).grad_fn),
    }


def names_of_nodes(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])

    class Foo(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    return [
        t.grad_fn.name()
        for t in (
            x.sum(),
            x * 2,
            torch.addmm(x, x, x),
            x.t(),
            x.clone(),
            x.exp(),
            x**2,
            Foo.apply(x),
            x.relu(),
            x @ x,
            x[0],
            x.reshape(4),
            x.unbind(0)[1],
            x.mean(0),
            -x,
            1 - x,
            x / 2,
        )
    ]


def input_metadata(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = x.sum(0)
    a = x.unbind(0)[1]
    return [[[m.shape, str(m.dtype)] for m in t.grad_fn._input_metadata] for t in (y, a, y.float())]


def order_of_execution(torch):
    """Newest first; `_set_sequence_nr` changes the order."""

    def run(change=False):
        x, ran = leaf(torch), []
        a = x * 2
        b = x * 3
        c = x * 4
        for name, t in zip("abc", (a, b, c), strict=True):
            t.grad_fn.register_prehook(lambda g, name=name: ran.append(name))
        if change:
            a.grad_fn._set_sequence_nr(c.grad_fn._sequence_nr() + 1)
        (a + b + c).backward()
        return ran

    x = leaf(torch)
    numbers = [t.grad_fn._sequence_nr() for t in (x * 2, x * 3)]
    return [run(), run(True), numbers[1] - numbers[0]]


def non_leaf_grad_warns_once_per_read(torch):
    x = leaf(torch)
    m = x * 2
    text = "that is not a leaf Tensor is being accessed"
    kept = x * 3
    kept.retain_grad()
    return [
        warned(lambda: m.grad, text),
        warned(lambda: (m.grad, m.grad), text),
        warned(lambda: x.grad, text),
        warned(lambda: kept.grad, text),
    ]


def grad_assignment(torch):
    x = leaf(torch, [1.0, 2.0])
    g = f64(torch, [5.0, 6.0])
    x.grad = g
    kept = x.grad is g
    del x.grad
    gone = x.grad

    def put(value):
        x.grad = value

    return {
        "same object": kept,
        "deleted": gone,
        "no tensor": raises(lambda: put(3.0), "expected to be a Tensor or None"),
        "shape": raises(lambda: put(f64(torch, [1.0])), "gradient of size"),
        "dtype": raises(lambda: put(torch.ones(2)), "dtype"),
        "itself": raises(lambda: put(x), "can't assign Variable as its own grad"),
        "none": [put(None), x.grad],
        "on a tensor without grad": raises(
            lambda: setattr(f64(torch, [1.0]), "grad", f64(torch, [2.0]))
        ),
    }


def attributes_that_stay(torch):
    x = leaf(torch, [1.0, 2.0])

    def drop(name):
        return raises(lambda: delattr(x, name))

    return {
        "deleted": {n: drop(n)[0] for n in ("data", "requires_grad", "_backward_hooks")},
        "data": raises(lambda: setattr(x, "data", None))[0],
        "grad_fn": raises(lambda: setattr(x, "grad_fn", None))[0],
        "is_leaf": raises(lambda: setattr(x, "is_leaf", False))[0],
    }


def requires_grad_flag(torch):
    x = f64(torch, [1.0])
    y = leaf(torch) * 2
    float_only = "floating point"
    i = torch.tensor([1, 2])
    return {
        "returns self": x.requires_grad_() is x,
        "on": x.requires_grad,
        "off": x.requires_grad_(False).requires_grad,
        "non-leaf on": y.requires_grad_().requires_grad,
        "non-leaf off": raises(lambda: y.requires_grad_(False), "leaf variables"),
        "non-leaf attribute off": raises(
            lambda: setattr(y, "requires_grad", False), "leaf variables"
        ),
        "integer": raises(lambda: i.requires_grad_(), float_only),
        "integer attribute": raises(lambda: setattr(i, "requires_grad", True), float_only),
        "integer factory": raises(
            lambda: torch.ones(2, dtype=torch.int64, requires_grad=True), float_only
        ),
        "bool": raises(lambda: torch.tensor([True], requires_grad=True), float_only),
        "integer off": i.requires_grad_(False).requires_grad,
    }


def volatile(torch):
    x = leaf(torch)
    return [warned(lambda: x.volatile, "volatile"), raises(lambda: x.volatile)]


def create_graph_warns(torch):
    text = "Using backward() with create_graph=True"
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        x = leaf(torch)
        twice = [warned(lambda: (x * x).backward(create_graph=True), text) for _ in range(2)]
        x.grad = None
    finally:
        torch.set_warn_always(before)
    return [
        twice,
        warned(lambda: (x * x).backward(create_graph=True), text),
        warned(lambda: torch.autograd.grad(x * x, x, create_graph=True), text),
    ]


def passes_in_no_grad(torch):
    x = leaf(torch)
    y = x * x
    with torch.no_grad():
        y.backward(retain_graph=True)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [x.grad, g.requires_grad, torch.autograd.grad(g, x)]


def edges_of_several_outputs(torch):
    """An edge says which output is meant: in `next_functions`, as an input and as an output."""
    edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    found = []
    for split in (lambda x: x.unbind(), lambda x: torch.sort(x)[:1] * 2, lambda x: x.chunk(2)):
        a, b = split(x)
        y = (a * 2 + b * 3).sum()
        (m,) = (n for n, _ in y.grad_fn.next_functions)
        numbers = [k for n, _ in m.next_functions for _, k in n.next_functions]
        found.append([numbers, edge(b).output_nr, edge(a).output_nr,
                      torch.autograd.grad(y, [edge(b), edge(a)], retain_graph=True)])
        found.append(torch.autograd.grad(edge(b), x, torch.ones_like(b), retain_graph=True))
    return found


def nothing_arrives_at_several_outputs(torch):
    """A node with several outputs that no gradient reaches sends none on."""
    undefined, found = torch._C._functions.UndefinedGrad(), []
    for f in (torch.linalg.slogdet, lambda x: x.unbind(), torch.linalg.eigh):
        x = leaf(torch, [[2.0, 1.0], [1.0, 3.0]])
        outputs = [undefined(o) for o in f(x) if o.requires_grad]
        sum(o.sum() for o in outputs).backward()
        found.append(x.grad)
    return found
