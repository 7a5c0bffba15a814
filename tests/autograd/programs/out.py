"""`out=`: results written into a given tensor."""

from tests.autograd.observe import f64, leaf, plain, raises, warned


def written(torch):
    a, b = f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])
    found = {}
    for name, f in {
        "add": lambda o: torch.add(a, b, out=o),
        "mul": lambda o: torch.mul(a, b, out=o),
        "sin": lambda o: torch.sin(a, out=o),
        "exp": lambda o: torch.exp(a, out=o),
        "sub": lambda o: torch.sub(a, 1, out=o),
        "div": lambda o: torch.div(a, b, out=o),
        "pow": lambda o: torch.pow(a, 2, out=o),
        "maximum": lambda o: torch.maximum(a, b, out=o),
        "matmul": lambda o: torch.matmul(f64(torch, [[1.0, 2.0], [3.0, 4.0]]), a, out=o),
        "cat": lambda o: torch.cat([a[:1], b[:1]], out=o),
        "sum": lambda o: torch.sum(f64(torch, [[1.0, 2.0], [3.0, 4.0]]), 0, out=o),
        "neg": lambda o: torch.neg(a, out=o),
        "stack": lambda o: torch.stack([a[0], b[0]], out=o),
        "abs": lambda o: torch.abs(-a, out=o),
        "clamp": lambda o: torch.clamp(a, 0, 1.5, out=o),
        "where": lambda o: torch.where(a > 1, a, b, out=o),
    }.items():
        o = torch.zeros(2, dtype=torch.float64)
        result = f(o)
        found[name] = [result is o, plain(o), o._version]
    return found


def refused_while_recording(torch):
    x, d, o = leaf(torch, [1.0, 2.0]), f64(torch, [1.0, 2.0]), torch.zeros(2, dtype=torch.float64)
    target = leaf(torch, [1.0, 2.0])
    text = "out="
    with torch.no_grad():
        allowed = [plain(torch.sin(x, out=o)), torch.sin(d, out=target).requires_grad]
    return {
        "input": [raises(lambda: f(x, d, out=o), text) for f in (torch.add, torch.mul, torch.sub)],
        "list": raises(lambda: torch.cat([d[:1], x[:1]], out=o), text),
        "output": raises(lambda: torch.sin(d, out=target), text),
        "non-leaf output": raises(lambda: torch.sin(d, out=x * 1), text),
        "no_grad": allowed,
        "unchanged": plain(target.detach() - d.sin()),
    }


def shapes_and_dtypes(torch):
    d = f64(torch, [1.0, 2.0])
    grown, text = (
        torch.zeros(3, dtype=torch.float64),
        "An output with one or more elements was resized",
    )
    whole = torch.zeros(4, dtype=torch.float64)
    torch.sin(d, out=whole[::2])
    empty = torch.zeros(0, dtype=torch.float64)
    return {
        "resized": [warned(lambda: torch.sin(d, out=grown), text), plain(grown)],
        "empty": [warned(lambda: torch.sin(d, out=empty), text), plain(empty)],
        "integer": raises(
            lambda: torch.sin(d, out=torch.zeros(2, dtype=torch.int64)),
            "can't be cast to the desired output type",
        ),
        "float32": plain(torch.sin(d, out=torch.zeros(2))),
        "view": plain(whole),
        "same tensor": plain(torch.add(d, d, out=d)),
    }


def several_results(torch):
    t = f64(torch, [[1.0, 5.0], [3.0, 2.0]])
    values, indices = torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.int64)
    result = torch.max(t, 1, out=(values, indices))
    return [plain(values), plain(indices), result.values is values, plain(result[1])]


def counts_as_a_write(torch):
    x = leaf(torch, [1.0, 2.0])
    m = x * 1
    y = m * m
    with torch.no_grad():
        torch.sin(f64(torch, [1.0, 2.0]), out=m)
    z = leaf(torch, [1.0, 2.0])
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
        n = z * 1
        w = (n * n).sum()
        with torch.no_grad():
            torch.sin(f64(torch, [1.0, 2.0]), out=n)
        cloned = len(ctx.cloned)
        w.backward()
    return [
        raises(lambda: y.sum().backward(), "modified by an inplace operation"),
        cloned,
        z.grad,
        plain(n),
    ]
