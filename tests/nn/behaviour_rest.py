"""More of what modules do: parts replaced, layers fused, old names; programs for both libraries."""

import warnings


def error_of(f):
    """The class and message of the error that `f` raises."""
    try:
        f()
    except Exception as error:
        return [type(error).__name__, str(error).replace("autodidact", "torch")]
    return None


def numbers(t):
    """In a list, to five digits."""
    return [round(x, 5) for x in t.detach().reshape(-1).tolist()]


def parts_replaced(torch):
    """set_submodule."""
    nn = torch.nn
    m = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Tanh()))
    m.set_submodule("1.0", nn.Sigmoid())
    m.set_submodule("1.new", nn.Identity())
    m.set_submodule("0", nn.Linear(2, 3), strict=True)
    return [repr(m), *(error_of(f) for f in (
        lambda: m.set_submodule("", nn.ReLU()), lambda: m.set_submodule("0", 3),
        lambda: m.set_submodule("5", nn.ReLU(), strict=True),
        lambda: m.set_submodule("0.weight", nn.ReLU()),
        lambda: m.set_submodule("7.a", nn.ReLU())))]


def layers_fused(torch):
    """A layer and its batch normalisation as one layer."""
    nn, u, found = torch.nn, torch.nn.utils, []
    for layer, bn, x, transpose in (
            (nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), torch.ones(2, 2, 4, 4), False),
            (nn.ConvTranspose1d(2, 3, 2), nn.BatchNorm1d(3), torch.ones(2, 2, 4), True),
            (nn.Linear(2, 3, bias=False), nn.BatchNorm1d(3, affine=False), torch.ones(4, 2), None)):
        torch.manual_seed(0)
        layer.reset_parameters()
        both = nn.Sequential(layer, bn)
        both(x * torch.arange(len(x)).reshape(-1, *[1] * (x.dim() - 1)))
        if transpose is None and not bn.affine:
            bn = nn.BatchNorm1d(3)
            bn.running_mean.fill_(0.25)
            both = nn.Sequential(layer, bn)
        found.append(error_of(lambda layer=layer, bn=bn: u.fuse_conv_bn_eval(layer, bn))[0])
        both.eval()
        one = u.fuse_linear_bn_eval(layer, bn) if transpose is None else u.fuse_conv_bn_eval(
            layer, bn, transpose)
        found += [type(one).__name__, numbers(one(x)), numbers(both(x) - one(x))]
    return found


def made_without_numbers(torch):
    """skip_init, and weights in another order of memory."""
    nn = torch.nn
    layer = nn.utils.skip_init(nn.Linear, 2, 3, dtype=torch.float64)
    conv = nn.Conv2d(2, 3, 2)
    last = nn.utils.convert_conv2d_weight_memory_format(conv, torch.channels_last)
    w = layer.weight
    return [repr(layer), str(w.dtype), list(w.shape), str(w.device), last is conv,
            list(conv.weight.stride()), error_of(lambda: nn.utils.skip_init(int))[0]]


def kinds_of_recurrent(torch):
    """RNNBase, RNNCellBase and `mode`."""
    nn = torch.nn
    all_of = [nn.LSTM(2, 3), nn.GRU(2, 3), nn.RNN(2, 3), nn.RNN(2, 3, nonlinearity="relu")]
    return [[m.mode, isinstance(m, nn.RNNBase)] for m in all_of] + [
        isinstance(nn.GRUCell(2, 3), nn.RNNCellBase)]


def graph_of(t):
    """The names of all nodes behind a tensor, in the order of a walk along the first edges."""
    found, stack = {}, [t.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found[node] = node.name().rpartition("::")[2]
            stack.extend(n for n, _ in reversed(node.next_functions))
    return list(found.values())


def attention_node_by_node(torch):
    """The graphs of attention: to one tensor itself, from one to another, to three."""
    torch.manual_seed(0)
    x, y = (torch.ones(2, n, 4, requires_grad=True) for n in (3, 5))
    m = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    last = torch.nn.MultiheadAttention(4, 2, bias=False, kdim=3, vdim=2)
    mask, k, v = torch.zeros(3, 3), torch.ones(5, 2, 3), torch.ones(5, 2, 2)
    return [graph_of(t) for t in (*m(x, x, x, attn_mask=mask), *m(x, y, y),
                                  m(x, x, x * 2)[0], *last(torch.ones(3, 2, 4), k, v),
                                  *last(torch.ones(3, 4), k[:, 0], v[:, 0]))]


def recurrent_node_by_node(torch):
    """One node for each layer and direction of an LSTM, where PyTorch's kernel takes it."""
    nn, found = torch.nn, []
    torch.manual_seed(0)
    x = torch.ones(3, 2, 4, requires_grad=True)
    for words in ({}, {"bias": False}, {"num_layers": 2, "bidirectional": True},
                  {"batch_first": True, "bidirectional": True}):
        y, (h, c) = nn.LSTM(4, 2, **words)(x)
        found.append([graph_of(t) for t in (y, h, c)])
    for m in (nn.LSTM(4, 2)(x[:, 0]), nn.RNN(4, 2)(x)):
        found.append(graph_of(m[0]))
    return found


def old_names_of_init(torch):
    """`nn.init.uniform` and the like: a warning, and the new one's numbers."""
    found = []
    for name, words in (("uniform", (0, 2)), ("normal", (1, 2)), ("constant", (3,)), ("eye", ()),
                        ("xavier_uniform", ()), ("xavier_normal", ()), ("kaiming_uniform", ()),
                        ("kaiming_normal", ()), ("orthogonal", ()), ("sparse", (0.5,))):
        torch.manual_seed(0)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            filled = getattr(torch.nn.init, name)(torch.empty(3, 4), *words)
        found.append([numbers(filled), [[w.category.__name__, str(w.message)] for w in seen]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*found, numbers(torch.nn.init.dirac(torch.empty(2, 2, 3)))]


def wrong_states(torch):
    """What does not fit is listed; what fits has been taken, as in PyTorch."""
    nn = torch.nn
    m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1, bias=False))
    with torch.no_grad():
        for p in m.parameters():
            p.fill_(7)
    state = {name: torch.ones_like(t) for name, t in m.state_dict().items()}
    found = []
    for name, value in (("0.weight", torch.ones(3, 2)), ("0.bias", 3), ("0.bias", torch.ones(1, 2)),
                        ("1.running_mean", torch.ones(3)), ("2.bias", torch.ones(1)),
                        ("2.weight", torch.ones(2)), ("1.num_batches_tracked", torch.ones(1))):
        found.append(error_of(lambda n=name, v=value: m.load_state_dict({**state, n: v})))
        found.append(error_of(lambda n=name, v=value: m.load_state_dict({n: v}, strict=False)))
    return [*found, numbers(m[0].weight), numbers(m[2].weight), m[1].num_batches_tracked.item()]


REST = [parts_replaced, layers_fused, made_without_numbers, kinds_of_recurrent, old_names_of_init,
        wrong_states, attention_node_by_node,
        recurrent_node_by_node]
