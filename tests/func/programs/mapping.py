"""vmap and batched gradients."""

import warnings

from tests.autograd.observe import f64, leaf, raises


def dimensions(torch):
    x, y = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), f64(torch, [10.0, 20.0, 30.0])
    v = torch.vmap
    return [
        v(torch.dot, in_dims=(0, None))(x, y),
        v(lambda x: x * 2, in_dims=1)(x),
        v(lambda x: x * 2, out_dims=1)(x),
        v(lambda x: x.sum(), in_dims=-1)(x),
        v(lambda x: (x, x.sum()), out_dims=(1, 0))(x),
        v(lambda d: d["a"] + d["b"][0], in_dims=({"a": 0, "b": [None]},))({"a": x, "b": [y]}),
        v(lambda x, y: y, in_dims=(0, None))(x, y),
        v(lambda x: (x, y), out_dims=(0, None))(x)[1],
        v(v(lambda x: x**2))(x),
    ]


def refusals(torch):
    v, x = torch.vmap, f64(torch, [[1.0, 2.0]])
    return [
        raises(lambda: v(torch.sin, in_dims="0")(x), "expected `in_dims` to be int or a"),
        raises(lambda: v(lambda: x)(), "got no inputs"),
        raises(lambda: v(torch.sin, in_dims=((0, 0),))(x), "in_dims is not compatible"),
        raises(lambda: v(torch.sin, in_dims=(0.5,))(x), "in_dim must be either"),
        raises(lambda: v(lambda x, y: x)(x, 3), "We cannot vmap over non-Tensor arguments"),
        raises(lambda: v(torch.sin, in_dims=2)(x), "expected in_dim to satisfy"),
        raises(lambda: v(torch.sin, in_dims=None)(x)),
        raises(
            lambda: v(lambda x, y: x)(x, f64(torch, [1.0, 2.0])),
            "Expected all tensors to have the same size in the mapped dimension",
        ),
        raises(lambda: v(lambda x: 3)(x), "must only return Tensors"),
        raises(
            lambda: v(lambda x: x, out_dims=None)(x),
            "can not return a BatchedTensor when out_dim is",
        ),
        raises(lambda: v(lambda x: (x, x), out_dims=(0, 0, 0))(x), "out_dims is not compatible"),
        raises(lambda: v(torch.sin, out_dims=5)(x)),
        raises(lambda: v(torch.sin, randomness="often")(x), "Only allowed values for randomness"),
        raises(
            lambda: v(torch.sin, chunk_size=0)(x), "chunk_size should be None or greater than 0"
        ),
        raises(
            lambda: v(lambda x: x.sum().item())(x), "vmap: It looks like you're calling .item()"
        ),
        raises(lambda: v(lambda x: x if x.sum() > 0 else -x)(x), "data-dependent control flow"),
        raises(lambda: v(lambda x: x[x > 1])(x), "dynamic shape"),
        raises(
            lambda: v(lambda y: x.mul_(y))(torch.ones(3, 1, 2, dtype=torch.float64)),
            "vmap: inplace arithmetic",
        ),
    ]


def shapes_that_depend_on_numbers(torch):
    """Refused, also where the lanes happen to agree."""
    x = f64(torch, [[1.0, 0.0], [0.0, 3.0]])
    said = "vmap: We do not support batching operators that can output dynamic shape."[:-1]
    return [
        raises(lambda: torch.vmap(lambda x: torch.nonzero(x))(x), said),
        raises(lambda: torch.vmap(lambda x: torch.where(x > 0))(x)),
        raises(lambda: torch.vmap(lambda x: torch.unique(x))(x)),
        raises(lambda: torch.vmap(lambda x: torch.masked_select(x, x > 1))(x)),
        raises(lambda: torch.vmap(lambda x: x[x > 2])(x)),
        raises(lambda: torch.vmap(lambda x: x.repeat_interleave(x.long()))(x)),
        raises(lambda: torch.vmap(lambda x: torch.full_like(x, x[0]))(x)),
        torch.vmap(lambda i: torch.nn.functional.one_hot(i, 4))(torch.tensor([[0, 3], [1, 2]])),
        raises(lambda: torch.vmap(lambda i: torch.nn.functional.one_hot(i))(
            torch.tensor([[0, 3], [1, 2]]))),
    ]


def chunks(torch):
    x = torch.arange(10, dtype=torch.float64).reshape(5, 2)
    want = torch.vmap(lambda x: x.sum() * x)(x)
    return [
        bool(torch.equal(torch.vmap(lambda x: x.sum() * x, chunk_size=c)(x), want))
        for c in (1, 2, 5, 7)
    ]


def per_sample_gradients(torch):
    w, b = f64(torch, [[0.1, -0.2], [0.3, 0.4]]), f64(torch, [0.5, -0.5])
    x, t = f64(torch, [[1.0, 2.0], [3.0, -1.0], [0.5, 0.0]]), torch.tensor([0, 1, 1])

    def loss(w, b, x, t):
        return torch.nn.functional.cross_entropy((w @ x + b).unsqueeze(0), t.unsqueeze(0))

    found = torch.vmap(torch.func.grad(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(
        w, b, x, t
    )
    return [*found, torch.vmap(loss, in_dims=(None, None, 0, 0))(w, b, x, t)]


def operations(torch):
    x = f64(
        torch, [[[0.5, -1.0], [2.0, 0.3]], [[1.5, 0.2], [-0.7, 1.1]], [[0.1, 0.9], [0.4, -2.0]]]
    )
    i = torch.tensor([[0, 1], [1, 1], [1, 0]])
    v = torch.vmap
    return [
        v(f)(x)
        for f in (
            lambda x: x @ x,
            lambda x: x.softmax(0),
            lambda x: x.sum(),
            lambda x: x.mean(1, keepdim=True),
            lambda x: x.t(),
            lambda x: x.reshape(4),
            lambda x: x[0],
            lambda x: x[:, 1:],
            lambda x: x.max(0).values,
            lambda x: x.argmax(),
            lambda x: torch.cat([x, x], 1),
            lambda x: torch.stack([x, x], 2),
            lambda x: x.expand(3, 2, 2),
            lambda x: x.unsqueeze(-1),
            lambda x: x.flatten().flip(0),
            lambda x: x.cumsum(0),
            lambda x: x.diagonal(),
            lambda x: x.tril(),
            lambda x: torch.where(x > 0, x, x.new_zeros(())),
            lambda x: x.std(),
            lambda x: x.norm(),
            lambda x: x.sort(0).values,
            lambda x: x.topk(1, 1).values,
            lambda x: x.unbind(0)[1],
            lambda x: x.repeat(2, 1, 1),
            lambda x: torch.einsum("ij,jk->ik", x, x),
            lambda x: x.clamp(0, 1),
            lambda x: x.roll(1, 0),
            lambda x: torch.outer(x[0], x[1]),
            lambda x: x.squeeze(),
            lambda x: x.movedim(0, 1),
        )
    ] + [
        v(f)(x, i)
        for f in (
            lambda x, i: x[i],
            lambda x, i: x[:, i],
            lambda x, i: x.gather(1, i.unsqueeze(1)),
            lambda x, i: x.index_select(0, i),
            lambda x, i: torch.index_put(x, (i,), x[0] * 10),
            lambda x, i: x.scatter_add(1, i.expand(2, 2), x),
        )
    ]


def writes(torch):
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0]])

    def f(x):
        y = x.new_zeros(2)
        y.copy_(x)
        y[0] = x[1]
        y[1:].mul_(3)
        z = torch.zeros_like(x)
        z.add_(y)
        w = x.unsqueeze(0).clone()
        w.squeeze_(0)
        return y, z, w.mul_(x)

    return [
        torch.vmap(f)(x),
        torch.vmap(torch.func.grad(lambda x: f(x)[2].sum()))(x),
        torch.vmap(lambda x: x.mul_(2))(x.clone()),
        x,
    ]


def seen_inside(torch):
    seen = []

    def f(x):
        seen.extend([list(x.shape), x.dim(), x.numel(), str(x.dtype), x.size(0)])
        return x

    torch.vmap(f)(torch.ones(4, 3, 2))
    return seen


def batched_gradients(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x**2
    eye = torch.eye(2, dtype=torch.float64)
    (j,) = torch.autograd.grad(y, x, eye, is_grads_batched=True, create_graph=True)
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        torch.autograd.grad(x**3, x, eye, is_grads_batched=True)
    return [j, torch.autograd.grad(j.sum(), x), len(log)]


def autograd_grad_inside(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x**2
    return torch.vmap(lambda v: torch.autograd.grad(y, x, v, retain_graph=True)[0])(
        torch.eye(2, dtype=torch.float64)
    )


def vmap_of_jvp(torch):
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0]])
    return torch.vmap(
        lambda x, t: torch.func.jvp(lambda x: x * x.sum(), (x,), (t,)), in_dims=(None, 0)
    )(x[0], x)


def randomness(torch):
    x = torch.ones(4, 50)

    def f(x):
        return torch.nn.functional.dropout(x, 0.5)

    found = [
        raises(lambda: torch.vmap(f)(x), "vmap: called random operation while in randomness error")
    ]
    for word in ("same", "different"):
        torch.manual_seed(0)
        out = torch.vmap(f, randomness=word)(x)
        found.append([bool((out[0] == out[i]).all()) for i in range(4)])
    torch.manual_seed(1)
    found.append(torch.vmap(lambda x: torch.rand(2) + x, randomness="different")(torch.zeros(3)))
    torch.manual_seed(1)
    found.append(torch.vmap(lambda x: torch.randn(2) + x, randomness="same")(torch.zeros(3)))
    return found


def checks_of_values_under_transforms(torch):
    """Losses that look whether their inputs are allowed; buffers that a layer moves."""
    f, fn = torch.func, torch.nn.functional
    p, t = f64(torch, [[0.2, 0.7], [0.4, 0.9]]), f64(torch, [[0.0, 1.0], [1.0, 0.5]])
    norm = torch.nn.InstanceNorm1d(2, track_running_stats=True).double()
    x = f64(torch, [[[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]]])
    return [
        f.grad(lambda p: fn.binary_cross_entropy(p, t))(p),
        f.vmap(fn.binary_cross_entropy)(p, t),
        raises(lambda: f.vmap(fn.binary_cross_entropy)(p + 1, t), "between 0 and 1"),
        f.grad(lambda v: fn.gaussian_nll_loss(p, t, v))(p),
        f.grad(lambda x: norm(x).sin().sum())(x), norm.running_mean,
    ]


def complex_lanes_that_do_not_lie_in_rows(torch):
    """What NumPy computes of permuted operands is permuted, and can be looked at all the same."""
    z = torch.complex(f64(torch, [[[0.1, 0.2]], [[0.3, 0.4]], [[0.5, 0.6]]]),
                      f64(torch, [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]])).expand(3, 2, 2)
    y = (z + 0).permute(1, 2, 0).exp() * 2
    return [torch.view_as_real(y).sum((0, 1)), y.real.unfold(2, 2, 1).sum((0, 1)),
            torch.view_as_real(y).is_contiguous()]


def batch_norms_without_running_averages(torch):
    """So that each lane can train by itself."""
    nn = torch.nn
    model = nn.Sequential(nn.Conv1d(1, 2, 1), nn.BatchNorm1d(2), nn.InstanceNorm1d(2)).double()
    same = torch.func.replace_all_batch_norm_modules_(model) is model
    x = f64(torch, [[[[1.0, 2.0, 4.0]]], [[[0.0, 1.0, 3.0]]]])
    return [same, sorted(model.state_dict()), repr(model[1]), torch.vmap(model)(x).shape]


def nested_arguments(torch):
    """in_dims and out_dims nested like arguments and results, negative, and None among them."""
    v = torch.vmap
    x, y = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), f64(torch, [10.0, 20.0])

    def f(pair, d, word):
        assert word == "word"
        return {"sum": pair[0] + d["k"][0], "same": [pair[1]]}

    return [
        v(f, in_dims=((0, None), {"k": [0]}, None), out_dims={"sum": 0, "same": [None]})(
            (x, y), {"k": [y]}, "word"),
        v(f, in_dims=((-1, None), {"k": [None]}, None), out_dims={"sum": -1, "same": [0]})(
            (x, y), {"k": [y[0]]}, "word"),
        v(lambda x, y: (x * y, y), in_dims=(1, None), out_dims=(1, None))(x, y),
        v(lambda x: (x, (x.sum(), x)), out_dims=(0, (0, 1)))(x),
        v(lambda x: x.unsqueeze(0), in_dims=1, out_dims=-1)(x),
        v(lambda x, n: x * n, in_dims=(0, None))(x, 3),
        v(lambda xs: xs[0] * xs[1], in_dims=([0, 0],))([x, x]),
        v(v(lambda x, y: x * y, in_dims=(0, None)), in_dims=(0, 0))(x, y),
    ]


def factories_inside(torch):
    """What is made inside from a mapped tensor may be written to from one; what is not, may not."""
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0]])

    def made(x, make):
        y = make(x)
        y.copy_(x)
        y[0] = x[1]
        return y

    found = [torch.vmap(lambda x, m=m: made(x, m))(x) for m in (
        lambda x: x.new_zeros(2), lambda x: x.new_empty(2), lambda x: x.new_ones((2,)),
        lambda x: x.new_full((2,), 3.0), torch.zeros_like, torch.empty_like, torch.ones_like)]
    return [*found, raises(lambda: torch.vmap(
        lambda x: made(x, lambda x: torch.zeros(2, dtype=torch.float64)))(x), "inplace arithmetic")]


def view_operations_in_place(torch):
    """Under vmap of grad, as the tests of PyTorch do it."""
    x = f64(torch, [[[1.0, 2.0]], [[3.0, 4.0]]])

    def f(change):
        def g(x):
            y = x.clone()
            change(y)
            return (y * y).sum()
        return torch.vmap(torch.func.grad(g))(x)

    return [f(c) for c in (
        lambda y: y.squeeze_(), lambda y: y.squeeze_(0), lambda y: y.unsqueeze_(1),
        lambda y: y.t_(), lambda y: y.transpose_(0, 1), lambda y: y.swapaxes_(0, 1),
        lambda y: y.squeeze_(0).mul_(2))]


def random_masks(torch):
    """ "same": one mask for all lanes; "different": one for each; "error": none."""
    x, found = torch.ones(3, 40), []
    for f in (lambda x: torch.nn.functional.dropout(x, 0.5), lambda x: torch.rand(40) + x,
              lambda x: torch.randn_like(x), lambda x: torch.bernoulli(x * 0.5),
              lambda x: x.clone().uniform_(), lambda x: torch.randint(0, 9, (40,)) + x,
              lambda x: torch.randperm(40) + x):
        row = []
        for word in ("same", "different"):
            torch.manual_seed(0)
            row.append(raises(lambda f=f, word=word: (lambda out: bool((out[0] == out[1]).all()))(
                torch.vmap(f, randomness=word)(x))))
        row.append(raises(lambda f=f: torch.vmap(f)(x), "randomness error mode")
                   if f is not None else None)
        found.append(row)
    return found


def chunks_of_every_size(torch):
    """The same for every size, with several inputs and outputs, in_dims and out_dims."""
    x, y = torch.arange(12, dtype=torch.float64).reshape(3, 4), torch.ones(4, dtype=torch.float64)

    def f(x, y):
        return x * y.sum(), {"s": x.sum()}

    want = torch.vmap(f, in_dims=(1, None), out_dims=(1, {"s": 0}))(x, y)
    found = []
    for size in (1, 2, 3, 4, 9):
        out = torch.vmap(f, in_dims=(1, None), out_dims=(1, {"s": 0}), chunk_size=size)(x, y)
        found.append([bool((out[0] == want[0]).all()), bool((out[1]["s"] == want[1]["s"]).all())])
    return [want, found]


def batched_gradients_in_detail(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0])
    grad, eye = torch.autograd.grad, torch.eye(2, dtype=torch.float64)
    out = x * y
    said = "If `is_grads_batched=True`, we interpret the first"
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        found = [
            grad(out, (x, y), eye, retain_graph=True, is_grads_batched=True),
            grad(out, (x, y), torch.tensor([[1, 2], [3, 4]]), retain_graph=True,
                 is_grads_batched=True),
            grad((out, x.sum()), x, (eye, torch.ones(2, dtype=torch.float64)), retain_graph=True,
                 is_grads_batched=True),
            grad(out.sum(), x, f64(torch, [1.0, 2.0, 3.0]), is_grads_batched=True),
        ]
    out = x * y
    return [
        *found, len(log),
        raises(lambda: grad(out, x, f64(torch, [1.0, 2.0]), is_grads_batched=True), said),
        raises(lambda: grad(out, x, eye[:, :1], is_grads_batched=True), said),
        raises(lambda: grad(out.sum(), x, eye[:, :1], is_grads_batched=True), said),
        raises(lambda: grad(out.sum(), x, f64(torch, 1.0), is_grads_batched=True))[0] != "nothing",
        raises(lambda: grad(out, x, is_grads_batched=True)),
    ]


def pushed_through_lanes_of_normalization(torch):
    """A tangent of what every lane normalises: weights and biases with lanes and without."""
    F = torch.nn.functional
    x = f64(torch, [[[0.3, -1.2], [0.7, 2.0]], [[1.1, 0.4], [-0.6, 0.9]]])
    v = f64(torch, [[[1.0, 0.5], [-0.3, 0.2]], [[0.1, -1.0], [2.0, 0.4]]])
    w, b, factors = f64(torch, [0.5, -1.0]), f64(torch, [2.0, 0.3]), f64(torch, [1.0, -2.0, 0.7])
    norms = {
        "group": lambda x, w, b: F.group_norm(x, 1, w, b),
        "layer": lambda x, w, b: F.layer_norm(x, (2,), w, b),
        "batch": lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
    }
    lanes = {
        "none": lambda k: (w, b), "weight": lambda k: (w * k, b), "bias": lambda k: (w, b * k),
        "both": lambda k: (w * k, b * k), "no weight": lambda k: (None, b * k),
    }
    return {f"{name}, {which}": (torch.func.jvp(
        lambda x, norm=norm, of=of: torch.vmap(lambda k: norm(x * k, *of(k)))(factors),
        (x,), (v,))[1]) for name, norm in norms.items() for which, of in lanes.items()}
