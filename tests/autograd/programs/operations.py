"""What single operations owe to autograd."""

from tests.autograd.observe import f64, leaf, names, plain, raises


def never_require_grad(torch):
    x = leaf(torch, [[3.0, 1.0], [2.0, 2.0]])
    v = leaf(torch, [1.0, 2.0, 3.0])
    found = {}
    for name, f in {
        "argmax": lambda: x.argmax(),
        "argmin": lambda: x.argmin(0),
        "argsort": lambda: v.argsort(),
        "count_nonzero": lambda: torch.count_nonzero(x),
        "signbit": lambda: torch.signbit(x),
        "eq": lambda: x == 2,
        "gt": lambda: x > v[0],
        "isnan": lambda: torch.isnan(x),
        "long": lambda: x.long(),
        "nonzero": lambda: x.nonzero(),
        "sort": lambda: x.sort(0)[1],
        "max": lambda: x.max(0)[1],
        "topk": lambda: v.topk(2)[1],
        "all": lambda: x.all(),
        "any": lambda: x.any(),
        "isfinite": lambda: torch.isfinite(x),
        "equal": lambda: torch.equal(x, x),
        "logical_not": lambda: torch.logical_not(x),
        "median": lambda: x.median(0)[1],
        "bool": lambda: x.bool(),
        "isin": lambda: torch.isin(x, v),
        "searchsorted": lambda: torch.searchsorted(v, x),
        "bucketize": lambda: torch.bucketize(x, v),
        "unique, places": lambda: torch.unique(x, return_inverse=True)[1],
        "unique, counts": lambda: torch.unique(x, return_counts=True)[1],
        "unique_consecutive": lambda: torch.unique_consecutive(x, return_inverse=True)[1],
        "kthvalue": lambda: v.kthvalue(2)[1],
        "mode": lambda: x.mode(0)[1],
        "cummax": lambda: x.cummax(0)[1],
        "multinomial": lambda: v.multinomial(1),
        "floor_divide": lambda: x.int() // 2,
        "histc": lambda: torch.histc(x, 3),
        "isclose": lambda: torch.isclose(x, x),
    }.items():
        y = f()
        found[name] = [
            getattr(y, "requires_grad", None),
            str(getattr(y, "dtype", type(y).__name__)),
        ]
    return found


def ties_share_the_gradient(torch):
    nan = float("nan")
    found = {}
    for name, f in {
        "max": lambda x: x.max(),
        "min": lambda x: x.min(),
        "median": lambda x: x.median(),
        "amax": lambda x: x.amax(),
        "amin": lambda x: x.amin(0),
        "max dim": lambda x: x.max(0)[0],
        "nanmedian": lambda x: x.nanmedian() if hasattr(x, "nanmedian") else x.median(),
        "maximum": lambda x: torch.maximum(x, x.detach()).sum(),
    }.items():
        for values in (
            [1.0, 3.0, 3.0],
            [2.0, 2.0, 2.0],
            [nan, 1.0, nan] if name in ("max", "min") else [1.0],
        ):
            x = leaf(torch, values)
            f(x).backward()
            found.setdefault(name, []).append(plain(x.grad))
    return found


def powers_at_zero(torch):
    found = {}
    x = leaf(torch, [0.0, 1.0, 2.0])
    for exponent in (0, 1, 2, 0.5, -1):
        (x**exponent).sum().backward()
        found[str(exponent)] = plain(x.grad)
        x.grad = None
    (x ** f64(torch, [0.0, 0.0, 3.0])).sum().backward()
    found["tensor"] = plain(x.grad)
    b = leaf(torch, [-1.0, 0.0, 1.0])
    (0**b).sum().backward()
    found["0 ** b"] = plain(b.grad)
    c = leaf(torch, [0.0, 1.0])
    (f64(torch, [0.0, 2.0]) ** c).sum().backward()
    found["tensor base"] = plain(c.grad)
    return found


def expanded_gradients(torch):
    found = {}
    for name, f in {
        "diagonal": lambda x: x.diagonal(),
        "select": lambda x: x[0],
        "slice": lambda x: x[:, 1:],
        "transpose": lambda x: x.t(),
        "mv": lambda x: x @ f64(torch, [1.0, 2.0]),
        "unbind": lambda x: x.unbind(0)[1],
        "index": lambda x: x[[1, 1]],
    }.items():
        x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
        y = f(x)
        y.backward(f64(torch, 2.0).expand(y.shape))
        found[name] = plain(x.grad)
    x, v = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [1.5])
    (g,) = torch.autograd.grad((x @ v.expand(2)).pow(2).sum(), x, create_graph=True)
    found["mat @ expanded, twice"] = [plain(g), plain(torch.autograd.grad((g * g).sum(), [x, v]))]
    return found


def where_with_numbers(torch):
    x = leaf(torch, [1.0, -2.0])
    found = []
    for y in (
        torch.where(x > 0, x**3, 0.0),
        torch.where(x > 0, 1.0, x**3),
        torch.where(x > 0, x**2, x**3),
    ):
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        found.append(plain([y, g, torch.autograd.grad(g.sum(), x)[0]]))
    return found


def var_and_mean(torch):
    x = leaf(torch, [1.0, 2.0, 4.0])
    var, mean = torch.var_mean(x)
    (g,) = torch.autograd.grad(var + 2 * mean, x, retain_graph=True)
    (h,) = torch.autograd.grad(x.var() + 2 * x.mean(), x)
    return [
        plain([var, mean]),
        plain([g, h]),
        [t.grad_fn.name() for t in (x.chunk(3)[1], x.unbind(0)[0], x.split(2)[1])],
        [t.output_nr for t in (x.chunk(3)[1], x.unbind(0)[2], x.split(2)[1])],
    ]


def like_functions(torch):
    x = leaf(torch, [1.0, 2.0])
    found = [
        [str(t.dtype), t.requires_grad, list(t.shape), str(t.device)]
        for t in (
            torch.ones_like(x),
            torch.zeros_like(x, dtype=torch.float32),
            torch.ones_like(x, requires_grad=True),
            torch.randn_like(x, dtype=torch.float32),
            torch.full_like(x, 3),
            x.new_zeros(3),
            torch.rand_like(x, requires_grad=True),
            torch.empty_like(x),
            x.new_tensor([1]),
        )
    ]
    return [found, str(x.device), x.device == torch.device("cpu")]


def indexing(torch):
    base = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    long = torch.tensor([0, 1, 1])
    found = {}
    for name, index in {
        "int": 1,
        "slice": slice(0, 1),
        "ellipsis": (..., 0),
        "list": [0, 0],
        "nested": [[0, 1], [1, 0]],
        "tuple": (0, [1, 1]),
        "long": long[:2],
        "mask": torch.tensor([True, False]),
        "full mask": torch.tensor([[True, False, True], [False, True, False]]),
        "int and list": (1, [0, 2]),
        "slice and list": (slice(None), [0, 0, 2]),
        "list and slice": ([1, 0], slice(1, 3)),
        "none": (None, 1),
        "none in the middle": (0, None, [1, 2]),
        "two lists": ([0, 1], [2, 0]),
        "bool": True,
        "negative": (-1, -1),
        "step": (slice(None, None, 2),),
        "ellipsis alone": ...,
        "0-dim": torch.tensor(1),
        "long 2d": long.reshape(3, 1),
        "list at the end": (..., [2, 2]),
        "empty list": [],
    }.items():
        x = leaf(torch, base)
        y = x[index]
        y.backward(torch.ones_like(y) * 2)
        found[name] = [plain(y), plain(x.grad)]
    return found


def double_backward_names(torch):
    x = leaf(torch, [1.0, 2.0])
    found = {}
    for name, f in {
        "relu": lambda x: x.relu() * x,
        "mul": lambda x: x * x,
        "exp": lambda x: x.exp(),
        "tanh": lambda x: x.tanh(),
        "sigmoid": lambda x: x.sigmoid(),
    }.items():
        (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
        found[name] = any("Backward" in n for n in names(g.grad_fn))
    return found


def derivative_not_implemented(torch):
    x = leaf(torch, [3.5, 5.0])
    y = torch.floor_divide(x, 2.0)
    return [
        y,
        y.requires_grad,
        raises(lambda: y.sum().backward(), "the derivative for", "is not implemented"),
    ]


def pow_saves_for_its_own_derivative(torch):
    seen = []

    def pack(t):
        seen.append(plain(t))
        return t

    x = leaf(torch, 3.0)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x**3
        first = len(seen)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [first, len(seen) > first, torch.autograd.grad(g, x)]


def batched_gradients(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * x
    g = torch.autograd.grad
    text = "If `is_grads_batched=True`, we interpret the first"
    return {
        "float": g(
            y,
            x,
            f64(torch, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            retain_graph=True,
            is_grads_batched=True,
        ),
        "integer": raises(
            lambda: plain(
                g(y, x, torch.tensor([[1, 0], [0, 1]]), retain_graph=True, is_grads_batched=True)
            )
        ),
        "mismatch": raises(
            lambda: g(y, x, f64(torch, [[1.0], [1.0]]), is_grads_batched=True), text
        ),
        "no batch": raises(lambda: g(y, x, f64(torch, [1.0, 1.0]), is_grads_batched=True), text),
        "size one for zero dim": raises(
            lambda: g(y.sum(), x, f64(torch, [[1.0], [1.0]]), is_grads_batched=True), text
        ),
        "zero dim": g(y.sum(), x, f64(torch, [1.0, 2.0]), is_grads_batched=True),
    }


def in_place_through_relu(torch):
    found = []
    for f in (
        lambda t: t.relu_(),
        lambda t: torch.relu_(t[:1]),
        lambda t: t.clamp_(min=1.5),
        lambda t: t.sigmoid_(),
    ):
        x = leaf(torch, [1.0, 2.0])
        t = x * 1
        f(t)
        (g,) = torch.autograd.grad((t * t * x).sum(), x, create_graph=True)
        found.append(plain([g, torch.autograd.grad(g.sum(), x)[0]]))
    return found


def buffers_written_in_a_loop(torch):
    x = leaf(torch, [1.0, 2.0])
    buffer = torch.zeros(2, dtype=torch.float64)
    loss = 0
    for i in range(3):
        buffer.copy_((x * i).detach())
        loss = loss + (x + buffer).sum()
    loss += x.sum()
    loss.backward()
    y = leaf(torch)
    state = y * 1
    for _ in range(3):
        state = state * 2
        state.detach_()
    return [x.grad, state.requires_grad, plain(state)]


def repeated_indices(torch):
    """They add up: in backward of reading, and in writing with accumulate=True."""
    x, i = leaf(torch, [1.0, 2.0, 3.0]), torch.tensor([0, 0, 2])
    read = torch.autograd.grad((x[i] * f64(torch, [1.0, 10.0, 100.0])).sum(), x)
    v = leaf(torch, [5.0, 6.0, 7.0])
    added = torch.index_put(x, (i,), v, accumulate=True)
    grads = torch.autograd.grad((added * f64(torch, [1.0, 2.0, 3.0])).sum(), (x, v))
    y = x * 1
    y.index_put_((i,), v, accumulate=True)
    return [read, added, grads, y, torch.autograd.grad((y * y).sum(), (x, v))]


def one_of_its_own_numbers_written(torch):
    """A 0-dim view of a tensor fills it, whatever the order of elements; copied, it is refused."""
    found = []
    for act in (
        lambda x: x.__setitem__(slice(None), x[0, 1]), lambda x: x.__setitem__(..., x[1, 1]),
        lambda x: x.__setitem__(slice(1, None), x[0, 1]), lambda x: x.fill_(x[1, 1]),
        lambda x: x.t().fill_(x[0, 2]), lambda x: x[0].fill_(x[0, 2]),
        lambda x: x.__setitem__(0, x[0, 1]), lambda x: x.copy_(x[0, 1]),
        lambda x: x.expand(2, 2, 3).fill_(x[0, 1]), lambda x: x.copy_(x[1]),
        lambda x: x.__setitem__(slice(None), x[1]),
        lambda x: x.__setitem__(slice(None), x[:, 1:2]),
    ):
        a = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], True)
        x = a * 1
        found.append([raises(lambda act=act, x=x: act(x), "unsupported operation"), x, x._version,
                      torch.autograd.grad((x * x).sum(), a)])
    return found


def results_without_a_derivative(torch):
    """They require grad; backward names the operation, or gives zeros for what was drawn."""
    found = []
    for f in (
        lambda x: torch.unique(x), lambda x: torch.unique(x, dim=0),
        lambda x: torch.unique(x, return_counts=True)[0], lambda x: torch.unique_consecutive(x),
        lambda x: torch.histogram(x, 3)[0], lambda x: torch.histogram(x, 3)[1],
        lambda x: torch.histogram(x.detach(), 3, weight=x)[0],
        lambda x: torch.bincount(torch.tensor([0, 1, 1]), x), lambda x: x // 2,
        lambda x: torch.heaviside(x, x), lambda x: torch.bernoulli(x / 10),
        lambda x: torch.bernoulli(x, 0.5), lambda x: torch.poisson(x),
        lambda x: torch.normal(x, x), lambda x: torch.normal(x, 1.0),
        lambda x: torch.normal(1.0, x), lambda x: torch.normal(x.detach(), x),
    ):
        x = leaf(torch, [1.5, 2.5, 1.5])
        y = f(x)
        found.append([y.grad_fn.name(), y.requires_grad, y.is_leaf, y.shape, *[
            raises(lambda y=y, x=x, create=create: torch.autograd.grad(
                y.sum(), x, retain_graph=True, create_graph=create),
                "the derivative for", "is not implemented") for create in (False, True)]])
        with torch.no_grad():
            found.append(f(x).requires_grad)
        found.append(f(x.detach()).requires_grad)
    weighted = torch.histogram(x.detach(), 3, weight=x)[0]
    return [*found, [node.name() for node, _ in weighted.grad_fn.next_functions]]


def nextafter(torch):
    found = []
    for a, b in (([1.0, 2.0], [2.0, 1.0]), ([1.0, 1.0], [1.0, 2.0])):
        x, y = leaf(torch, a), leaf(torch, b)
        z = torch.nextafter(x, y)
        found.append([z.grad_fn.name(), (z - x) * 1e16, torch.autograd.grad((z * z).sum(), (x, y))])
    w = x * 1
    return [*found, w.nextafter_(y).grad_fn is not None, (w - x) * 1e16]


def parts_overwritten(torch):
    """By every kind of index: a version more, no gradient for what was there, the value's own."""
    mask = torch.tensor([[True, False, True], [False, False, True]])
    rows, columns = torch.tensor([1, 0]), torch.tensor([2, 2])
    found = {}
    for name, index in {
        "int": 1, "negative": -1, "slice": slice(1, None), "step": (slice(None), slice(0, None, 2)),
        "list": [1], "lists": ([0, 1], [2, 0]), "nested": [[0, 1]], "ellipsis": ..., "none": None,
        "mixed": (1, slice(None)), "row and list": (0, [0, 2]),
        "list and slice": ([1, 0], slice(2)),
        "tensors": (rows, columns), "tensor behind": (..., columns[:1]), "tensor": rows,
        "mask": mask, "mask of rows": torch.tensor([False, True]), "new and list": (None, [1]),
        "bool": True, "false": False, "0-dim": torch.tensor(1), "empty": [],
    }.items():
        a, b = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), leaf(torch, 7.0)
        x = a * 1
        part = x[index]
        value = b * torch.arange(1, part.numel() + 1).reshape(part.shape)
        x[index] = value
        grads = torch.autograd.grad((x * x).sum(), (a, b), allow_unused=True, create_graph=True)
        again = [None if g is None or not g.requires_grad else torch.autograd.grad(
            g.sum(), (a, b), retain_graph=True, allow_unused=True) for g in grads]
        x[index] = 0.5
        found[name] = [value, x._version, x.grad_fn.name(), grads, again, x]
    return found


def overwritten_by_a_view_that_is_out_of_date(torch):
    """The value's history is brought up to date, or refused, before anything is written."""
    found = []
    for index in (0, slice(0, 1), (0, slice(None)), [0], (..., slice(None))):
        for view in (lambda y: y[0], torch.no_grad()(lambda y: y[0]), lambda y: y.unbind(0)[0]):
            a, b = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [[5.0, 6.0], [7.0, 8.0]])
            x, y = a * 1, b * 1
            value = view(y)
            y.mul_(2)

            def write(x=x, index=index, value=value):
                x[index] = value
            found.append([raises(write, "has been modified inplace"), x, x._version])
            if found[-1][0][0] == "nothing raised":
                found.append(torch.autograd.grad((x * x).sum(), (a, b)))
    return found


def a_view_that_is_out_of_date_overwritten(torch):
    """Or a leaf, by a view that is out of date: which of two reasons is named."""
    said = ("a view of a leaf Variable", "its base or another view of its base has been modified",
            "is a view and is being modified")
    found = []
    for view in (lambda y: y[:1], torch.no_grad()(lambda y: y[:1]), lambda y: y.split(1)[0]):
        for index in (0, slice(0, 1), (0, slice(None)), [0], ..., (slice(None), 0)):
            a, b = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [[5.0, 6.0], [7.0, 8.0]])
            x, y = a * 1, b * 1
            old, new, parts = view(x), view(y), (a * 1).split(1)[0]
            x.mul_(2)
            y.mul_(2)
            for target, value in ((old, a[:, 0]), (old, new), (a, new), (parts, new)):
                found.append(raises(lambda target=target, value=value, index=index:
                                    target.__setitem__(index, value), *said))
            found += [x, a]
    return found


def values_with_leading_ones(torch):
    """Assigned, they lose them."""
    found = []
    for index in (0, [1], [0, 1], slice(None), (slice(None), [0, 2]), torch.tensor([True, False])):
        for shape in ((1, 1, 1, 3), (1, 1, 2, 3), (1, 3), (2, 1, 3), (1, 1, 1, 1), (1, 2, 1)):
            x, b = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), leaf(torch, 2.0)
            value = (torch.arange(1, 7, dtype=torch.float64) * b)[:max(
                1, shape[-1] * shape[-2] * shape[0])].reshape(shape)
            found.append([raises(lambda x=x, i=index, v=value: x.__setitem__(i, v))[0], x])
            if found[-1][0] == "nothing raised":
                found.append(torch.autograd.grad(x.sum(), b))
    return found


def tensors_without_elements_written(torch):
    """None of them overlaps itself, whatever its strides."""
    found = []
    for shape in ((0,), (0, 3), (2, 0), (0, 2, 3)):
        x = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        empty = torch.zeros(shape, dtype=torch.float64)
        for t in (empty, empty + empty, empty.expand(2, *shape), (empty * 2).unsqueeze(0),
                  x[2:] + x[2:], x.unsqueeze(0)[1:] * 2):
            found.append([raises(lambda t=t: t.mul_(2).shape), raises(lambda t=t: t.add_(t).shape),
                          raises(lambda t=t: t.fill_(1).shape), t.requires_grad])
    return found
