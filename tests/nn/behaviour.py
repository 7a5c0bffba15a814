"""What modules do besides computing: programs for both libraries, their answers compared."""

import copy
import io
import pickle

from tests.nn.behaviour_rest import REST


def shown(error):
    """An error's class, and its message without the name of the library."""
    return [type(error).__name__, str(error).replace("autodidact", "torch")]


def raises(f):
    """The error that `f` raises."""
    try:
        f()
    except Exception as error:
        return shown(error)
    return None


def net(torch):
    """A module with parts of every kind."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.rest = nn.Sequential(nn.ReLU(), nn.Linear(3, 1))
            self.scale = nn.Parameter(torch.ones(1))
            self.register_buffer("count", torch.zeros(1))
            self.register_buffer("hidden", torch.zeros(2), persistent=False)
            self.shared = self.first

        def forward(self, x):
            self.count += 1
            return self.rest(self.first(x)) * self.scale
    torch.manual_seed(0)
    return Net()


def names(torch):
    """All ways to walk through the parts."""
    m = net(torch)
    return [[n for n, _ in m.named_parameters()],
            [n for n, _ in m.named_parameters(remove_duplicate=False)],
            [n for n, _ in m.named_parameters("p", recurse=False)],
            [n for n, _ in m.named_buffers()], [n for n, _ in m.named_modules()],
            [n for n, _ in m.named_children()], list(m.state_dict()), repr(m),
            m.get_parameter("rest.1.weight") is m.rest[1].weight,
            raises(lambda: m.get_submodule("rest.5"))[0], len(list(m.modules()))]


def attributes(torch):
    """Setting, replacing, deleting parts."""
    m, nn = net(torch), torch.nn
    found = [raises(lambda: m.nothing), raises(lambda: setattr(m, "first", 3)),
             raises(lambda: setattr(m, "scale", torch.ones(1)))[0],
             raises(lambda: m.register_parameter("a.b", nn.Parameter(torch.ones(1)))),
             raises(lambda: m.register_parameter("first", nn.Parameter(torch.ones(1))))[0],
             raises(lambda: m.register_buffer("x", 3))[0],
             raises(lambda: m.add_module("x", 3))[0]]
    m.scale = None
    m.plain = torch.ones(1)
    m.buffered = nn.Buffer(torch.ones(2))
    del m.rest
    m.count = torch.ones(1)

    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(torch.ones(1))
    return [*found, [n for n, _ in m.named_parameters()], sorted(m.state_dict()),
            raises(lambda: m.rest), raises(Early), "plain" in m.state_dict(),
            isinstance(m.buffered, nn.Buffer), isinstance(m.plain, nn.Buffer)]


def states(torch):
    """state_dict out and in, with everything that can be wrong."""
    m = net(torch)
    state = m.state_dict()
    good = net(torch).load_state_dict(state)
    bad = dict(state)
    bad["rest.1.weight"] = torch.zeros(5)
    bad["surplus"] = torch.zeros(1)
    del bad["scale"]
    lax = net(torch).load_state_dict({k: v for k, v in bad.items() if k != "rest.1.weight"},
                                     strict=False)
    taken = net(torch)
    taken.load_state_dict(state, assign=True)
    return [repr(good), raises(lambda: net(torch).load_state_dict(bad)), repr(lax),
            raises(lambda: net(torch).load_state_dict(3))[0],
            taken.scale.data_ptr() == state["scale"].data_ptr(), type(taken.scale).__name__,
            state["scale"].requires_grad, m.state_dict(keep_vars=True)["scale"].requires_grad,
            [k for k in m.state_dict(prefix="net.")], type(state).__name__,
            sorted(state._metadata)]


def conversions(torch):
    """dtypes, modes, gradients, copies."""
    m = net(torch)
    x = torch.ones(4, 2)
    m(x).sum().backward()
    grad = m.scale.grad.tolist()
    p = m.scale
    m.double()
    twin = copy.deepcopy(m)
    again = pickle.loads(pickle.dumps(m)) if "<locals>" not in type(m).__qualname__ else m
    found = [str(m.scale.dtype), str(m.scale.grad.dtype), m.scale.grad.tolist() == grad,
             m.scale is p, twin.scale is not m.scale, twin.shared is twin.first,
             twin.scale.grad is None, again.scale.tolist(), str(m.to(torch.float32).count.dtype),
             raises(lambda: m.to(torch.int64))[0], m.training, m.eval().rest.training,
             m.train() is m, raises(lambda: m.train(3))[0]]
    m.requires_grad_(False)
    found.append([q.requires_grad for q in m.parameters()])
    m.requires_grad_()
    m(x).sum().backward()
    m.zero_grad(set_to_none=False)
    found.append(m.scale.grad.tolist())
    m.zero_grad()
    seen = []
    m.apply(lambda module: seen.append(type(module).__name__))
    return [*found, m.scale.grad, seen]


def forward_hooks(torch):
    """Order, arguments, replaced values, handles, errors."""
    m, log, x = net(torch), [], torch.ones(1, 2)
    h1 = m.register_forward_pre_hook(lambda mod, args: log.append(("pre", len(args))))
    m.register_forward_pre_hook(lambda mod, args: (args[0] * 2,), prepend=True)
    m.register_forward_hook(lambda mod, args, out: log.append(("post", args[0].tolist())))
    m.register_forward_hook(lambda mod, args, out: out * 0 + 7)
    first = m(x).tolist()
    h1.remove()
    m(x)
    lin = torch.nn.Linear(2, 2)
    lin.register_forward_hook(lambda mod, args, kwargs, out: log.append(sorted(kwargs)),
                              with_kwargs=True)
    lin.register_forward_pre_hook(lambda mod, args, kwargs: (args, kwargs), with_kwargs=True)
    lin(input=x)
    lin.register_forward_hook(lambda mod, args, out: log.append("always"), always_call=True)
    failed = raises(lambda: lin(torch.ones(3)))[0]
    return [log, first, failed]


def backward_hooks(torch):
    """Full hooks: what they see, when, and that what they return is used."""
    torch.manual_seed(0)
    lin, act, log = torch.nn.Linear(2, 2), torch.nn.Tanh(), []
    lin.register_full_backward_hook(lambda m, gi, go: log.append(
        ["hook", [g is None or g.tolist() for g in gi], go[0].tolist()]))
    lin.register_full_backward_pre_hook(lambda m, go: log.append(["pre", go[0].tolist()]))
    act.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    x = torch.ones(1, 2, requires_grad=True)
    y = act(lin(x))
    names = [y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()]
    y.sum().backward()
    grads = [x.grad.tolist(), lin.weight.grad.tolist()]
    lin(torch.ones(1, 2)).sum().backward()
    wrong = torch.nn.Linear(2, 2)
    wrong.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    first = raises(lambda: wrong(x).sum().backward())
    mixed = raises(lambda: wrong.register_backward_hook(lambda *a: None))
    with torch.no_grad():
        quiet = act(x).grad_fn
    handle = act.register_full_backward_hook(lambda m, gi, go: log.append("gone"))
    handle.remove()
    act(lin(x)).sum().backward()
    return [names, grads, log, first, mixed, quiet]


def hooks_of_all_modules(torch):
    """Order, replaced values, both kinds of backward hooks, what joins a module."""
    everywhere, nn, log = torch.nn.modules.module, torch.nn, []

    def name(m):
        return type(m).__name__
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), torch.ones(1, 2, requires_grad=True)
    model[1].register_forward_hook(lambda m, a, out: log.append("own"))
    with everywhere.register_module_forward_pre_hook(
            lambda m, args: log.append(["pre", name(m), len(args)])), \
            everywhere.register_module_forward_hook(
                lambda m, args, out: out * 2 if isinstance(m, nn.Tanh) else None), \
            everywhere.register_module_forward_hook(
                lambda m, args, kwargs, out: log.append([name(m), sorted(kwargs)]),
                with_kwargs=True):
        doubled = rounded(model(x))
    plain = rounded(model(x))
    handles = [everywhere.register_module_full_backward_pre_hook(
                   lambda m, go: log.append(["before", name(m), rounded(go[0])])),
               everywhere.register_module_full_backward_hook(
                   lambda m, gi, go: log.append(["after", name(m), rounded(gi[0])]))]
    model[0].register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    model(x).sum().backward()
    mixed = raises(lambda: everywhere.register_module_backward_hook(lambda *a: None))
    for handle in handles:
        handle.remove()
    joined = []
    with everywhere.register_module_parameter_registration_hook(
            lambda m, n, p: joined.append([name(m), n])), \
            everywhere.register_module_buffer_registration_hook(
                lambda m, n, b: joined.append([name(m), n])), \
            everywhere.register_module_module_registration_hook(
                lambda m, n, s: nn.Identity() if isinstance(s, nn.ReLU) else joined.append(n)):
        made = nn.Sequential(nn.BatchNorm1d(1), nn.ReLU())

    def fails(*args):
        raise ValueError("no")
    failing, seen = nn.Linear(1, 1), []
    failing.forward = fails
    with everywhere.register_module_forward_hook(lambda *a: seen.append(len(a)),
                                                 always_call=True):
        error = raises(lambda: failing(x))[0]
    return [log, doubled, plain, rounded(x.grad), mixed, joined, repr(made), seen, error]


def lazily(torch):
    """Layers that learn their sizes: before, after, converted, copied, loaded, refused."""
    nn, found = torch.nn, []
    for code, shape in (
            ("LazyLinear(3)", (2, 5)), ("LazyLinear(3, bias=False)", (5,)),
            ("LazyConv1d(4, 3)", (2, 3, 8)),
            ("LazyConv2d(4, 3, padding=1, groups=2)", (2, 2, 5, 5)),
            ("LazyConv2d(4, 3, 1, 0, 1, 2)", (2, 5, 5)), ("LazyConv3d(2, 2)", (1, 2, 3, 3, 3)),
            ("LazyConvTranspose2d(4, 3, stride=2)", (2, 3, 4, 4)), ("LazyBatchNorm1d()", (4, 3)),
            ("LazyBatchNorm2d(eps=1e-3, affine=False)", (2, 3, 4, 4)),
            ("LazyBatchNorm3d()", (2, 3, 2, 2, 2)), ("LazyInstanceNorm1d(affine=True)", (2, 3, 4)),
            ("LazyInstanceNorm2d(affine=True, track_running_stats=True)", (2, 3, 4, 4))):
        torch.manual_seed(0)
        m = eval(f"nn.{code}", {"nn": nn})
        before = [repr(m), m.has_uninitialized_params(), list(m.state_dict()),
                  [type(p).__name__ for p in m.parameters()]]
        m.double()
        x = torch.arange(torch.tensor(shape).prod().item()).reshape(shape).double() * 0.1
        y = m(x)
        again = eval(f"nn.{code}", {"nn": nn}) if "Norm" not in code else m
        again.load_state_dict(m.state_dict())
        found.append([*before, repr(m), type(m).__name__, rounded(y),
                      torch.rand(1).item(),
                      rounded(again.double()(x) - y)])
    m = nn.LazyLinear(2)
    twin = copy.deepcopy(m)
    optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
    m(torch.ones(1, 3)).sum().backward()
    weight = m.weight.tolist()
    optimizer.step()
    found += [repr(twin), twin.has_uninitialized_params(), repr(nn.LazyLinear(2).weight)]
    return [*found, weight != m.weight.tolist(),
            raises(lambda: nn.LazyLinear(2).weight.shape)[0],
            raises(lambda: nn.LazyLinear(2).weight.numel())[0],
            raises(lambda: nn.LazyLinear(2).weight + 1)[0],
            raises(lambda: nn.LazyConv2d(2, 2)(torch.ones(1)))[0],
            raises(lambda: nn.Linear(1, 2).load_state_dict(nn.LazyLinear(2).state_dict()))[0]]


def second_order(torch):
    """A hook is called once, though the pass is differentiated again."""
    m, log = torch.nn.Tanh(), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append(gi[0].tolist()))
    x = torch.tensor([0.5], requires_grad=True)
    (g,) = torch.autograd.grad(m(x).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return [log, gg.tolist()]


def containers(torch):
    """Lists, dicts and sequences of modules and parameters."""
    nn = torch.nn
    s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    found = [repr(s[1:]), repr(s[-1]), len(s), raises(lambda: s[5])]
    s.append(nn.Tanh())
    s.insert(0, nn.Flatten())
    del s[1]
    found += [repr(s), list(s.state_dict())]
    blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)] + [nn.ReLU()])
    blocks.extend([nn.ReLU(), nn.Linear(1, 1)])
    found += [repr(blocks), repr(blocks[1:3]), len(blocks),
              [n for n, _ in blocks.named_parameters()]]
    d = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 1)})
    d["c"] = nn.Tanh()
    found += [repr(d), list(d.keys()), "a" in d, repr(d.pop("a")), len(d)]
    p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1)), "text"])
    p.append(torch.zeros(2, 3))
    q = nn.ParameterDict({"x": torch.ones(2), "y": nn.Parameter(torch.zeros(1))})
    found += [repr(p), len(p), [n for n, _ in p.named_parameters()], repr(p[0]), repr(q),
              sorted(q.keys()), raises(lambda: p(1)), repr(nn.Sequential()), repr(nn.ModuleList())]
    return found


def utilities(torch):
    """Clipping, vectors, sequences."""
    u = torch.nn.utils
    m = net(torch)
    (m(torch.ones(3, 2)) ** 2).sum().backward()
    norm = u.clip_grad_norm_(m.parameters(), 0.5)
    clipped = [p.grad.norm().item() for p in m.parameters()]
    u.clip_grad_value_(m.parameters(), 0.1)
    vector = u.parameters_to_vector(m.parameters())
    u.vector_to_parameters(torch.arange(len(vector)) * 1.0, m.parameters())
    padded = u.rnn.pad_sequence([torch.ones(2), torch.ones(3) * 2], batch_first=True)
    packed = u.rnn.pack_padded_sequence(padded, [2, 3], True, enforce_sorted=False)
    back, lengths = u.rnn.pad_packed_sequence(packed, True, -1.0)
    return [round(norm.item(), 5), [round(c, 5) for c in clipped], m.scale.tolist(),
            max(float(p.grad.abs().max()) for p in m.parameters()) <= 0.1, padded.tolist(),
            packed.data.tolist(), packed.batch_sizes.tolist(), back.tolist(), lengths.tolist()]


def packed(torch):
    """Recurrent networks on sequences of unequal length."""
    found, rnn = [], torch.nn.utils.rnn
    for kind in ("RNN", "LSTM", "GRU"):
        torch.manual_seed(0)
        m = getattr(torch.nn, kind)(2, 3, bidirectional=True, num_layers=2)
        sequences = [torch.arange(2 * n).reshape(n, 2) * 0.1 for n in (2, 4, 1)]
        out, last = m(rnn.pack_sequence(sequences, enforce_sorted=False))
        out, _ = rnn.pad_packed_sequence(out)
        last = last if isinstance(last, tuple) else (last,)
        out.sum().backward()
        found.append([rounded(t) for t in (out, *last, m.weight_hh_l0.grad)])
    return found


def rounded(t):
    """Numbers to five digits."""
    return [round(x, 5) + 0.0 for x in t.detach().reshape(-1).tolist()]


def initial(torch):
    """torch.nn.init, all of it, from one seed."""
    torch.manual_seed(3)
    init, found = torch.nn.init, []
    for code in ("uniform_(t, -1, 2)", "normal_(t, 1, 2)", "constant_(t, 3)", "ones_(t)",
                 "zeros_(t)", "eye_(t)", "xavier_uniform_(t, 2)", "xavier_normal_(t)",
                 "kaiming_uniform_(t, nonlinearity='relu')", "kaiming_normal_(t, mode='fan_out')",
                 "orthogonal_(t, 2)", "sparse_(t, 0.4)", "trunc_normal_(t, 0, 1, -0.5, 2)",
                 "trunc_normal_(t, 0, 1, 2, 3)"):
        t = torch.empty(5, 4, dtype=torch.float64)
        eval(f"init.{code}", {"init": init, "t": t})
        found.append([code, rounded(t)])
    t = torch.empty(4, 2, 3, dtype=torch.float64)
    found.append(rounded(init.dirac_(t, 2)))
    found.append([init.calculate_gain(n) for n in ("relu", "tanh", "selu", "leaky_relu")])
    return [*found, raises(lambda: init.xavier_normal_(torch.ones(2)))[0],
            raises(lambda: init.calculate_gain("x"))]


def masks(torch):
    """Attention with masks of all kinds, and its weights."""
    torch.manual_seed(0)
    m, found = torch.nn.MultiheadAttention(4, 2, add_zero_attn=True), []
    x = torch.arange(24).reshape(3, 2, 4) * 0.1
    causal = torch.nn.Transformer.generate_square_subsequent_mask(3)
    padding = torch.tensor([[False, False, True], [False, True, True]])
    for words in ({}, {"attn_mask": causal}, {"key_padding_mask": padding},
                  {"attn_mask": causal == 0, "average_attn_weights": False},
                  {"attn_mask": causal, "key_padding_mask": padding.float(), "is_causal": True}):
        out, weights = m(x, x, x, **words)
        found.append([rounded(out), rounded(weights), list(weights.shape)])
    out, nothing = m(x, x, x, need_weights=False)
    single, weights = m(x[:, 0], x[:, 0], x[:, 0])
    f = torch.nn.functional.scaled_dot_product_attention
    q = torch.arange(16).reshape(1, 2, 2, 4) * 0.1
    found += [rounded(f(q, q, q, is_causal=True)), rounded(f(q, q, q, causal[:2, :2])),
              rounded(f(q, q[:, :1], q[:, :1], enable_gqa=True))]
    return [*found, nothing, rounded(single), list(weights.shape)]


def extra_state(torch):
    """What a module adds to its state by itself."""
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 0

        def get_extra_state(self):
            return self.n

        def set_extra_state(self, state):
            self.n = state
    a, b = (torch.nn.Sequential(Counting(), torch.nn.ReLU()) for _ in range(2))
    a[0].n = 5
    b.load_state_dict(a.state_dict())
    return [list(a.state_dict()), b[0].n, raises(lambda: b.load_state_dict({}))]


def misused(torch):
    """Errors that learners meet."""
    nn = torch.nn
    m = nn.Linear(3, 2)
    return [raises(lambda: nn.Module()(1))[0], raises(lambda: m(torch.ones(2)))[0],
            raises(lambda: nn.Conv2d(3, 2, 3)(torch.ones(1, 4, 5, 5))),
            raises(lambda: nn.Conv2d(1, 1, 3)(torch.ones(1, 1, 2, 2)))[0],
            raises(lambda: nn.Conv2d(1, 1, 3)(torch.ones(5)))[0],
            raises(lambda: nn.BatchNorm1d(2)(torch.ones(1, 2)))[0],
            raises(lambda: nn.BatchNorm2d(2)(torch.ones(3, 2))),
            raises(lambda: nn.Dropout(2)), raises(lambda: nn.Embedding(3, 2)(torch.tensor([5])))[0],
            raises(lambda: nn.LayerNorm(3)(torch.ones(2, 4))),
            raises(lambda: nn.Parameter(torch.tensor([1])))[0],
            raises(lambda: nn.MSELoss(reduction="x")(torch.ones(1), torch.ones(1))),
            raises(lambda: nn.LSTM(2, 3)(torch.ones(4, 1, 5)))[0],
            raises(lambda: nn.MultiheadAttention(5, 2))[0],
            raises(lambda: nn.CrossEntropyLoss(torch.ones(2), torch.ones(2)))]


def files(torch):
    """A Parameter printed, pickled and made from nothing."""
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    p.grad = torch.ones(2)
    again = pickle.load(io.BytesIO(pickle.dumps(p)))
    q = copy.deepcopy(p)
    return [repr(p), type(again).__name__, again.tolist(), again.requires_grad, q.grad,
            type(p.detach()).__name__, type(p * 1).__name__, p.is_leaf,
            torch.nn.Parameter().tolist(), repr(torch.nn.Parameter(torch.ones(1), False))]


def parametrized(torch):
    """Parametrizations read, written, stacked, copied, cached, handed on, removed, refused."""
    nn, p = torch.nn, torch.nn.utils.parametrize
    calls = []

    class Symmetric(nn.Module):
        def forward(self, x):
            calls.append(1)
            return x.triu() + x.triu(1).mT

        def right_inverse(self, a):
            return a.triu()

    class Doubled(nn.Module):
        def forward(self, x):
            return x * 2

    class Pair(nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, x):
            return x * 0.25, x * 0.75

    class Longer(nn.Module):
        def forward(self, x):
            return x.repeat(2, 1)
    torch.manual_seed(0)
    layer = nn.Linear(3, 3)
    weight = layer.weight
    p.register_parametrization(layer, "weight", Symmetric())
    found = [repr(layer), layer.parametrizations.weight.original is weight,
             [n for n, _ in layer.named_parameters()], rounded(layer.weight),
             p.is_parametrized(layer), p.is_parametrized(layer, "bias"), len(calls)]
    layer.weight = torch.arange(9).view(3, 3) * 1.0
    found += [rounded(layer.weight), rounded(weight), type(layer).__name__]
    before = len(calls)
    with p.cached():
        found.append(layer.weight is layer.weight)
    found.append(len(calls) - before)
    twin = copy.deepcopy(layer)
    twin.weight = torch.ones(3, 3)
    found += [rounded(layer.weight), raises(lambda: pickle.dumps(layer))[0]]
    p.register_parametrization(layer, "weight", Doubled())
    found += [rounded(layer.weight), len(layer.parametrizations.weight),
              raises(lambda: setattr(layer, "weight", torch.ones(3, 3))),
              raises(lambda: p.register_parametrization(layer, "weight", Longer()))[0],
              raises(lambda: p.register_parametrization(nn.Linear(2, 2), "weight", Longer()))[0],
              raises(lambda: p.register_parametrization(nn.Linear(2, 2), "nothing", Longer()))[0],
              raises(lambda: p.remove_parametrizations(nn.Linear(2, 2), "weight"))[0]]
    other = p.transfer_parametrizations_and_params(layer, nn.Linear(3, 3))
    found += [rounded(other.weight), p.type_before_parametrizations(other) is nn.Linear]
    left = p.register_parametrization(nn.Linear(2, 2), "weight", Doubled())
    before = rounded(left.weight)
    p.remove_parametrizations(left, "weight", leave_parametrized=False)
    found += [rounded(left.weight * 2) == before]
    p.remove_parametrizations(layer, "weight")
    found += [repr(layer), rounded(layer.weight), layer.weight is weight]
    pair = p.register_parametrization(nn.Linear(2, 2), "weight", Pair())
    found += [[n for n, _ in pair.named_parameters()],
              raises(lambda: p.remove_parametrizations(pair, "weight", False))[0]]
    state = pair.state_dict()
    again = p.register_parametrization(nn.Linear(2, 2), "weight", Pair())
    again.load_state_dict(state)
    p.remove_parametrizations(pair, "weight")
    return [*found, rounded(again.weight - pair.weight), type(pair.weight).__name__,
            pair.weight.is_leaf]


def weights_computed(torch):
    """weight_norm and spectral_norm, both ways: removed, refused, older names loaded."""
    nn, u = torch.nn, torch.nn.utils
    found = []
    for apply, remove in ((u.weight_norm, u.remove_weight_norm),
                          (u.spectral_norm, u.remove_spectral_norm)):
        torch.manual_seed(0)
        layer = apply(nn.Linear(3, 2))
        x = torch.ones(1, 3)
        layer(x)
        layer.eval()
        before = layer(x)
        found += [raises(lambda apply=apply, layer=layer: apply(layer))[0],
                  sorted(layer.state_dict()), bool(layer.state_dict()._metadata[""])]
        remove(layer)
        found += [rounded(layer(x) - before), sorted(layer.state_dict()),
                  raises(lambda remove=remove, layer=layer: remove(layer))[0]]
    torch.manual_seed(0)
    old, new = u.weight_norm(nn.Linear(3, 2)), u.parametrizations.weight_norm(nn.Linear(3, 2))
    found.append(repr(new.load_state_dict(old.state_dict())))
    found.append(rounded(new.weight - old.weight))
    square = u.parametrizations.orthogonal(nn.Linear(3, 3))
    square.weight = torch.eye(3) * 5
    return [*found, rounded(square.weight),
            raises(lambda: u.parametrizations.orthogonal(nn.Linear(3, 3), "bias"))[0],
            raises(lambda: u.parametrizations.orthogonal(nn.Linear(3, 3), orthogonal_map="x"))[0],
            raises(lambda: u.parametrizations.spectral_norm(nn.Linear(3, 3), dim=5))[0]]


PROGRAMS = [lazily, hooks_of_all_modules, parametrized, weights_computed, names,
            attributes, states, conversions, forward_hooks,
            backward_hooks, second_order,
            containers, utilities, packed, initial, masks, extra_state, misused, files, *REST]
