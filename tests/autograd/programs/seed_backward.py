"""What the reference page of Tensor.backward says, and what a reader meets there.

One program for each statement; `../seeds.py` has the helpers.
"""

import collections
import threading
import types

from tests.autograd.seeds import H, error_of


def _vv(h):
    return h.t([1.0, 2.0])


def _sq(h):
    x = h.t([1.0, 2.0, 3.0])
    return (x, x * x)


def _st(q):
    return list(q.stride())


def _lay(h, x, go=None):
    (x * 2).sum().backward() if go is None else x.backward(go)
    return [_st(x), _st(x.grad)]


def _keep(h, cg):
    x = h.T.zeros(3, 4).requires_grad_()
    x.grad = h.T.zeros(4, 3).t()
    g = x.grad
    (x * 2).sum().backward(create_graph=cg)
    return [x.grad is g, _st(x.grad)]


def _assign(h, v):
    x = h.T.zeros(3, 4).requires_grad_()

    def f():
        x.grad = v(x)

    return error_of(f)


def _cube(h):
    x = h.t(2.0)
    return (x, x * x * x)


def _rg(h, kw, kw2=None):
    x, y = _cube(h)
    y.backward(**kw)
    r = error_of(lambda: y.backward(**(kw2 or {})))
    return [r, float(x.grad.detach())]


def _shared(h, **k):
    x = h.t(2.0)
    s = x * x
    a, b = (s * 1, s * 2)
    a.backward(**k)
    r = error_of(lambda: b.backward())
    return [r, x.grad]


def _xy(h):
    return (h.t(2.0), h.t(3.0))


def _inp(h, f):
    x, y = _xy(h)
    z = x * y
    r = error_of(lambda: z.backward(inputs=f(x, y)))
    return [r, x.grad, y.grad]


def b01(torch):
    """B01: Gradients of the tensor w.r.t. the graph's leaves, by the chain rule."""
    h = H(torch)
    x = h.t([1.0, 2.0])
    ((x * 3) ** 2).sum().backward()
    return x.grad


def b02(torch):
    """B02: Non-scalar without gradient: RuntimeError; 'scalar' means exactly one element, any
    rank; an empty tensor is refused.
    """
    h = H(torch)
    return [
        error_of(lambda: _sq(h)[1].backward()),
        error_of(lambda: (h.t([[2.0]]) * 3).backward()),
        error_of(lambda: (h.T.zeros(0, requires_grad=True) * 3).backward()),
    ]


def b03(torch):
    """B03: gradient must have the tensor's exact shape: no broadcasting, (1,) is refused for ()."""
    h = H(torch)
    return [
        error_of(lambda: _sq(h)[1].backward(h.ones(2))),
        error_of(lambda: _sq(h)[1].backward(h.ones(1, 3))),
        error_of(lambda: (h.t(2.0) * 3).backward(h.ones(1))),
    ]


def b04(torch):
    """B04: 'Matching type' is not required: float32 and int64 gradients for a float64 tensor are
    accepted and cast; .grad is float64.

    The page differs: page says matching type.
    """
    h = H(torch)
    return [
        (
            lambda p: (
                p[1].backward(h.T.ones(3, dtype=d)),
                p[0].grad,
                str(p[0].grad.dtype).split(".")[-1],
            )[1:]
        )(_sq(h))
        for d in (h.T.float32, h.T.int64)
    ]


def b05(torch):
    """B05: A complex gradient for a real tensor is a RuntimeError."""
    h = H(torch)
    return error_of(lambda: _sq(h)[1].backward(h.T.ones(3, dtype=h.T.complex64)))


def b06(torch):
    """B06: Not a tensor: list of floats TypeError, a float TypeError; a one-element list holding a
    tensor is accepted.
    """
    h = H(torch)
    return [
        error_of(lambda: _sq(h)[1].backward([1.0, 1.0, 1.0])),
        error_of(lambda: _sq(h)[1].sum().backward(1.0)),
        (lambda p: (p[1].backward([h.ones(3)]), p[0].grad)[1])(_sq(h)),
    ]


def b07(torch):
    """B07: gradient weights the result (vector-Jacobian product)."""
    h = H(torch)
    p = _sq(h)
    p[1].backward(h.t([1.0, 10.0, 100.0], rg=False))
    return p[0].grad


def b08(torch):
    """B08: A tensor that does not require grad: RuntimeError."""
    h = H(torch)
    return error_of(lambda: h.T.ones(1).backward())


def b09(torch):
    """B09: backward on a leaf itself adds ones to its own .grad, any number of times."""
    h = H(torch)
    z = h.t(5.0)
    z.backward()
    z.backward()
    return z.grad


def b10(torch):
    """B10: Leaves accumulate over calls; .grad=None or zero_() resets."""
    h = H(torch)
    x = h.t(2.0)
    return [
        ((x * x).backward(), float(x.grad))[1],
        ((x * x).backward(), float(x.grad))[1],
        (setattr(x, "grad", None), (x * x).backward(), float(x.grad))[2],
        (x.grad.zero_(), (x * x).backward(), float(x.grad))[2],
    ]


def b11(torch):
    """B11: Accumulation without create_graph is in place: the same .grad object changes; after
    None a new object appears.
    """
    h = H(torch)
    x = h.t(2.0)
    (x * x).backward()
    g = x.grad
    (x * x).backward()
    a = x.grad is g
    v = float(g)
    x.grad = None
    (x * x).backward()
    return [a, v, x.grad is g]


def b12(torch):
    """B12: Accumulation with create_graph is out of place: .grad is a new object with a graph, the
    old one is untouched; a warning about a reference cycle appears.
    """
    h = H(torch)
    x = h.t(2.0)
    (x * x).backward()
    g = x.grad
    (x**3).backward(create_graph=True)
    return [x.grad is g, float(g), float(x.grad.detach()), x.grad.requires_grad]


def b13(torch):
    """B13: The first gradient may be stolen, not copied: .grad can share memory with the gradient
    passed in.
    """
    h = H(torch)
    x = h.t([1.0, 2.0, 3.0])
    go = h.ones(3)
    x.view_as(x).backward(go)
    return [x.grad is go, x.grad.data_ptr() == go.data_ptr()]


def b14(torch):
    """B14: New .grad follows the leaf's strides when the leaf is dense without overlap (a
    transposed leaf gets a transposed .grad).
    """
    h = H(torch)
    return [
        _lay(h, h.T.zeros(3, 4).t().requires_grad_()),
        _lay(h, h.T.zeros(3, 4).t().requires_grad_(), h.T.ones(4, 3)),
    ]


def b15(torch):
    """B15: Otherwise .grad is row-major contiguous (strided slice, expanded leaf)."""
    h = H(torch)
    return [
        _lay(h, h.T.zeros(8)[::2].requires_grad_()),
        _lay(h, h.T.zeros(2, 6)[:, ::2].requires_grad_(), h.T.ones(3, 2).t()),
        _lay(h, h.T.zeros(1, 4).expand(3, 4).requires_grad_()),
    ]


def b16(torch):
    """B16: An existing .grad keeps its strides when accumulated in place (identity kept); with
    create_graph a new tensor is made.
    """
    h = H(torch)
    return [_keep(h, False), _keep(h, True)]


def b17(torch):
    """B17: Assigning .grad checks shape, dtype, type and self-reference; None is fine."""
    h = H(torch)
    return [
        _assign(h, lambda x: h.T.zeros(4, 3)),
        _assign(h, lambda x: h.ones(3, 4)),
        _assign(h, lambda x: 3.0),
        _assign(h, lambda x: x),
        _assign(h, lambda x: None),
    ]


def b18(torch):
    """B18: Non-leaves get no .grad (None, with a warning) unless retain_grad() was called."""
    h = H(torch)
    return (lambda x: (lambda m: ((m * 3).backward(), [m.grad, x.grad])[1])(x * x))(h.t(2.0)) + (
        lambda x: (lambda m: (m.retain_grad(), (m * 3).backward(), [m.grad, m.retains_grad])[2])(
            x * x
        )
    )(h.t(2.0))


def b19(torch):
    """B19: retain_graph omitted or False: the graph is freed, a second backward raises
    RuntimeError; nothing more is accumulated.
    """
    h = H(torch)
    return [_rg(h, {}), _rg(h, {"retain_graph": False})]


def b20(torch):
    """B20: retain_graph=True keeps it: second backward accumulates (24)."""
    h = H(torch)
    return _rg(h, {"retain_graph": True})


def b21(torch):
    """B21: retain_graph=None takes the value of create_graph: create_graph=True alone retains."""
    h = H(torch)
    return _rg(h, {"create_graph": True})


def b22(torch):
    """B22: create_graph=True with retain_graph=False frees the forward graph."""
    h = H(torch)
    return _rg(h, {"create_graph": True, "retain_graph": False})


def b23(torch):
    """B23: Freeing concerns saved tensors: a graph of additions only can be run again although
    nothing was retained.

    The page differs: 'the graph will be freed' is only visible through saved tensors.
    """
    h = H(torch)
    x = h.t(2.0)
    y = x + x
    y.backward()
    error_of(lambda: y.backward())
    return [x.grad]


def b24(torch):
    """B24: Two losses over a shared part: the second fails unless the first retained."""
    h = H(torch)
    return [_shared(h), _shared(h, retain_graph=True)]


def b25(torch):
    """B25: A backward that fails half way has already freed the nodes it ran: z cannot be rerun, y
    can.
    """
    h = H(torch)
    x = h.t(2.0)
    y = x * x
    z = y * y
    hd = y.register_hook(lambda g: 1 / 0)
    a = error_of(lambda: z.backward())
    hd.remove()
    return [a, error_of(lambda: z.backward()), error_of(lambda: y.backward()), x.grad]


def b26(torch):
    """B26: inputs as list, single tensor or generator: only these get .grad."""
    h = H(torch)
    return [
        _inp(h, lambda x, y: [x]),
        _inp(h, lambda x, y: x),
        _inp(h, lambda x, y: (q for q in [x])),
    ]


def b27(torch):
    """B27: inputs as dict: the values are used."""
    h = H(torch)
    return _inp(h, lambda x, y: {"w": y})


def b28(torch):
    """B28: Only an exact dict: OrderedDict and other mappings are TypeError.

    The page differs: an OrderedDict is a dict, torch refuses it.
    """
    h = H(torch)
    return [
        _inp(h, lambda x, y: collections.OrderedDict(w=y)),
        _inp(h, lambda x, y: types.MappingProxyType({"w": y})),
    ]


def b29(torch):
    """B29: Empty inputs ([] or {}) is RuntimeError; non-tensors are errors."""
    h = H(torch)
    return [
        _inp(h, lambda x, y: []),
        _inp(h, lambda x, y: {}),
        _inp(h, lambda x, y: 3),
        _inp(h, lambda x, y: [None]),
    ]


def b30(torch):
    """B30: An unused input is allowed: its .grad stays None."""
    h = H(torch)
    u = h.t(1.0)
    return [*_inp(h, lambda x, y: [u]), u.grad]


def b31(torch):
    """B31: An input without requires_grad: RuntimeError."""
    h = H(torch)
    return _inp(h, lambda x, y: [h.T.ones(1)])


def b32(torch):
    """B32: A non-leaf input gets .grad although retain_grad was not called, and its own grad_fn IS
    called (and freed): the user's backward runs, x.grad stays None, m.backward() then fails.
    """
    h = H(torch)
    log = []
    x = h.t(2.0)
    m = h.square(log).apply(x)
    z = m * 3
    z.backward(inputs=[m])
    return [m.grad, x.grad, log, error_of(lambda: m.backward())]


def b33(torch):
    """B33: A non-leaf and a leaf together: both get .grad, grad_fn called once."""
    h = H(torch)
    log = []
    x = h.t(2.0)
    m = h.square(log).apply(x)
    (m * 3).backward(inputs=[m, x])
    return [m.grad, x.grad, log]


def b34(torch):
    """B34: The root itself as input gets ones."""
    h = H(torch)
    x = h.t(2.0)
    z = x * x
    z.backward(inputs=[z])
    return [z.grad, x.grad]


def b35(torch):
    """B35: A leaf listed twice is accumulated once."""
    h = H(torch)
    x = h.t(2.0)
    (x * x).backward(inputs=[x, x])
    return x.grad


def b36(torch):
    """B36: Positional order: gradient, retain_graph, create_graph, inputs."""
    h = H(torch)
    x = h.t(2.0)
    (x * x).backward(None, None, False, [x])
    return x.grad


def b37(torch):
    """B37: backward works under no_grad; create_graph still builds a graph there."""
    h = H(torch)
    x = h.t(2.0)
    y = x * x
    with h.T.no_grad():
        y.backward(retain_graph=True)
        (g,) = h.grad(y, x, create_graph=True)
    return [x.grad, g.requires_grad]


def b38(torch):
    """B38: Depth is not limited by recursion: 20 000 chained additions, also when the graph is
    destroyed.
    """
    h = H(torch)
    x = h.t(1.0)
    y = x
    for _ in range(20000):
        y = y + 1
    y.backward()
    r = float(x.grad)
    del y
    return r


def b39(torch):
    """B39: A gradient on another device is refused (meta device stands in for a GPU)."""
    h = H(torch)
    return error_of(lambda: _sq(h)[1].backward(h.T.ones(3, dtype=h.T.double, device="meta")))


def b40(torch):
    """B40: Streams: on CPU there are none and backward runs in the calling thread (a null stream
    context is accepted). Stream rules need a GPU: unchecked here.
    """
    h = H(torch)
    log = []
    x = h.t(2.0)
    y = x * x
    y.register_hook(lambda g: log.append(threading.current_thread() is threading.main_thread()))
    y.backward()
    return log


def b41(torch):
    """B41: Leaf hooks: tensor hook runs in grad() and backward(); the post-accumulate hook only
    when .grad is written.
    """
    h = H(torch)
    ev = []
    v = h.t([1.0, 2.0])
    v.register_hook(lambda g: ev.append("hook"))
    v.register_post_accumulate_grad_hook(lambda p: ev.append("post"))
    h.grad((v * v).sum(), v)
    n = list(ev)
    (v * v).sum().backward()
    return [n, ev[len(n) :]]


def b42(torch):
    """B42: Hook order on one non-leaf: tensor hook first, then the node's own hooks."""
    h = H(torch)
    ev = []
    x = h.t(2.0)
    m = x * x
    m.grad_fn.register_hook(lambda a, b: ev.append("node post"))
    m.grad_fn.register_prehook(lambda a: ev.append("node pre"))
    m.register_hook(lambda g: ev.append("tensor"))
    (m * 3).backward()
    return ev


def b43(torch):
    """B43: Which single operations can be run twice without retain_graph: exactly those that saved
    no tensor (a Python scalar factor does count as saved).
    """
    h = H(torch)
    ops = {
        "x+x": lambda x: x + x,
        "x*3": lambda x: x * 3,
        "x/2": lambda x: x / 2,
        "x-1": lambda x: x - 1,
        "-x": lambda x: -x,
        "sum": lambda x: x.sum(),
        "mean": lambda x: x.mean(),
        "reshape": lambda x: x.reshape(2, 1),
        "x[0]": lambda x: x[0],
        "exp": lambda x: x.exp(),
        "relu": lambda x: x.relu(),
        "x**2": lambda x: x**2,
        "x*x": lambda x: x * x,
        "cat": lambda x: h.T.cat([x, x]),
        "clone": lambda x: x.clone(),
        "t@t": lambda x: x @ x,
    }
    out = {}
    for k, f in ops.items():
        y = f(_vv(h))
        go = h.T.ones_like(y)
        y.backward(go)
        r = error_of(lambda: y.backward(go))
        out[k] = "again" if r is None else "freed"
    return out
