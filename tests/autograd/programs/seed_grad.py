"""What the reference page of torch.autograd.grad says, and what a reader meets there.

One program for each statement; `../seeds.py` has the helpers.
"""

from tests.autograd.seeds import H, error_of


def _vv(h):
    return h.t([1.0, 2.0])


def _xy(h):
    return (h.t(2.0), h.t(3.0))


def _un(h, **k):
    v, u = (_vv(h), h.t(1.0))
    return error_of(lambda: h.grad((v * v).sum(), [v, u], **k))


def g01(torch):
    """G01: Returns a tuple, also for a single input, and leaves .grad alone."""
    h = H(torch)
    x, y = _xy(h)
    return [type(h.grad(x * y, x)).__name__, h.grad(x * y, [x, y]), x.grad]


def g02(torch):
    """G02: A dict of inputs gives a dict of results.

    The page differs: absent from the page's signature, present in torch 2.13.
    """
    h = H(torch)
    x, y = _xy(h)
    return [h.grad(x * y, {"a": x, "b": y}), h.grad(x * x, {"a": x, "b": y}, allow_unused=True)]


def g03(torch):
    """G03: Several outputs: the SUM of their gradients, each weighted by its grad_outputs."""
    h = H(torch)
    x, y = _xy(h)
    return [h.grad([x * y, x * x], [x]), h.grad([x * y, x * x], [x], [h.ones(()), 10 * h.ones(())])]


def g04(torch):
    """G04: grad_outputs may be a tensor for one output or a sequence."""
    h = H(torch)
    v = _vv(h)
    return [h.grad(v * v, v, h.ones(2)), h.grad([v * v], [v], [h.ones(2)])]


def g05(torch):
    """G05: Length must match: too few is RuntimeError; too MANY is silently accepted.

    The page differs: page asks for matching length.
    """
    h = H(torch)
    v = _vv(h)
    return [
        error_of(lambda: h.grad([v * v, v * 3], [v], [h.ones(2)])),
        error_of(lambda: h.grad([v * v], [v], [h.ones(2), h.ones(2)])),
    ]


def g06(torch):
    """G06: None in grad_outputs is allowed for a scalar output, refused for a non-scalar that
    requires grad.
    """
    h = H(torch)
    v = _vv(h)
    return [
        error_of(lambda: h.grad([(v * v).sum(), v * 2], [v], [None, h.ones(2)])),
        error_of(lambda: h.grad([(v * v).sum(), v * 2], [v], [None, None])),
    ]


def g07(torch):
    """G07: None for an output that does not require grad: the page allows it, the engine still
    refuses the output itself.

    The page differs: RuntimeError 'does not require grad'.
    """
    h = H(torch)
    v = _vv(h)
    return error_of(lambda: h.grad([(v * v).sum(), h.ones(2)], [v], [None, None]))


def g08(torch):
    """G08: grad_outputs optional when None would do for all."""
    h = H(torch)
    v = _vv(h)
    return h.grad([(v * v).sum(), v.sum()], [v])


def g09(torch):
    """G09: only_inputs is ignored; False gives a FutureWarning and nothing is accumulated
    elsewhere.
    """
    h = H(torch)
    v = _vv(h)
    return [h.grad((v * v).sum(), v, only_inputs=False), v.grad]


def g10(torch):
    """G10: retain_graph defaults to create_graph: freed by default, kept with create_graph, freed
    with create_graph+retain_graph=False.
    """
    h = H(torch)
    return [
        (lambda z: (h.grad(z[1], z[0], **k), error_of(lambda: h.grad(z[1], z[0])))[1])(
            (lambda v: (v, (v**3).sum()))(_vv(h))
        )
        for k in ({}, {"create_graph": True}, {"create_graph": True, "retain_graph": False})
    ]


def g11(torch):
    """G11: create_graph=True, retain_graph=False: the derivative's own graph is still usable."""
    h = H(torch)
    v = _vv(h)
    g = h.grad((v**3).sum(), v, create_graph=True, retain_graph=False)[0]
    return h.grad(g.sum(), v)


def g12(torch):
    """G12: create_graph=True returns results that can be differentiated; False returns detached
    ones.
    """
    h = H(torch)
    x = h.t(2.0)
    return [
        h.grad(x**4, x)[0].requires_grad,
        h.grad(h.grad(h.grad(x**4, x, create_graph=True)[0], x, create_graph=True)[0], x),
    ]


def g13(torch):
    """G13: A derivative that is constant does not require grad even with create_graph: grad of it
    raises.
    """
    h = H(torch)
    v = _vv(h)
    return error_of(lambda: h.grad(h.grad((3 * v).sum(), v, create_graph=True)[0].sum(), v))


def g14(torch):
    """G14: allow_unused unset or False: an unused input is RuntimeError; True gives None."""
    h = H(torch)
    return [_un(h), _un(h, allow_unused=False), _un(h, allow_unused=True)]


def g15(torch):
    """G15: allow_unused defaults to materialize_grads, so materialize_grads=True gives zeros."""
    h = H(torch)
    return [_un(h, materialize_grads=True), _un(h, materialize_grads=True, allow_unused=True)]


def g16(torch):
    """G16: materialize_grads=True with allow_unused=False is an error (ValueError), even if every
    input is used.
    """
    h = H(torch)
    v = _vv(h)
    return error_of(lambda: h.grad((v * v).sum(), [v], materialize_grads=True, allow_unused=False))


def g17(torch):
    """G17: Materialised zeros take the input's shape and dtype; with create_graph they require
    grad.
    """
    h = H(torch)
    v = _vv(h)
    u = h.T.ones(3, requires_grad=True)
    z = h.grad((v * v).sum(), [u], materialize_grads=True)[0]
    z2 = h.grad((v * v).sum(), [u], materialize_grads=True, create_graph=True)[0]
    return [z, str(z.dtype).split(".")[-1], z.requires_grad, z2.requires_grad]


def g18(torch):
    """G18: Useful for higher order: second derivative of a bilinear term is None with
    allow_unused, zeros with materialize_grads.
    """
    h = H(torch)
    v = _vv(h)
    u = h.t(3.0)
    g = h.grad((v * u).sum(), v, create_graph=True)[0]
    return [
        h.grad(g.sum(), v, allow_unused=True, retain_graph=True),
        h.grad(g.sum(), v, materialize_grads=True),
    ]


def g19(torch):
    """G19: An input that does not require grad is RuntimeError whatever allow_unused says."""
    h = H(torch)
    v = _vv(h)
    return [
        error_of(lambda: h.grad((v * v).sum(), [h.ones(1)], **k))
        for k in ({}, {"allow_unused": True}, {"materialize_grads": True})
    ]


def g20(torch):
    """G20: Inputs must be tensors (or edges): int and None are RuntimeError; empty list or dict
    too.
    """
    h = H(torch)
    v = _vv(h)
    return [error_of(lambda: h.grad((v * v).sum(), q)) for q in ([3], [v, None], [], {})]


def g21(torch):
    """G21: grad for a non-leaf returns its gradient WITHOUT calling its grad_fn (unlike
    backward(inputs=)), and without freeing it.
    """
    h = H(torch)
    log = []
    x = h.t(2.0)
    m = h.square(log).apply(x)
    return [h.grad(m * 3, m), list(log), error_of(lambda: m.backward()), x.grad]


def g22(torch):
    """G22: grad of a tensor w.r.t. itself is ones; an input listed twice is returned twice."""
    h = H(torch)
    x = h.t(2.0)
    return [(lambda z: h.grad(z, z))(x * x), h.grad(x * x, [x, x])]


def g23(torch):
    """G23: Only nodes on the way to the inputs run and are freed: the other branch survives."""
    h = H(torch)
    a, b = (h.t(2.0), h.t(3.0))
    p, q = (a * a, b * b)
    z = p + q
    h.grad(z, a)
    return [error_of(lambda: p.backward()), error_of(lambda: q.backward()), b.grad]


def g24(torch):
    """G24: is_grads_batched: first dimension of grad_outputs is the batch; identity rows give the
    Jacobian.
    """
    h = H(torch)
    v = _vv(h)
    return h.grad(v * v, v, h.T.eye(2, dtype=h.T.double), is_grads_batched=True)


def g25(torch):
    """G25: Equal to a loop over rows."""
    h = H(torch)
    v = _vv(h)
    G = h.t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], rg=False)
    return [
        h.grad([v * v, v * 3], v, [G, G], is_grads_batched=True),
        [h.grad([v * v, v * 3], v, [r, r])[0] for r in G],
    ]


def g26(torch):
    """G26: The batch is one engine call: a user backward runs once, seeing unbatched shapes."""
    h = H(torch)
    log = []
    v = _vv(h)
    h.grad(h.square(log).apply(v), v, h.ones(4, 2), is_grads_batched=True)
    return len(log)


def g27(torch):
    """G27: Shape errors: missing batch dimension or wrong remaining dimensions are RuntimeError;
    different batch sizes ValueError; None grad_outputs ValueError.
    """
    h = H(torch)
    v = _vv(h)
    return [
        error_of(lambda: h.grad(v * v, v, h.ones(2), is_grads_batched=True)),
        error_of(lambda: h.grad(v * v, v, h.ones(4, 3), is_grads_batched=True)),
        error_of(
            lambda: h.grad([v * v, v * 3], v, [h.ones(4, 2), h.ones(3, 2)], is_grads_batched=True)
        ),
        error_of(lambda: h.grad((v * v).sum(), v, None, is_grads_batched=True)),
    ]


def g28(torch):
    """G28: Scalar outputs: batch of B scalars."""
    h = H(torch)
    v = _vv(h)
    return h.grad((v * v).sum(), v, h.ones(3), is_grads_batched=True)


def g29(torch):
    """G29: Unused inputs under batching: None with allow_unused; materialize_grads gives an
    UNBATCHED zero.
    """
    h = H(torch)
    v = _vv(h)
    u = h.t(1.0)
    return [
        h.grad(v * v, [v, u], h.ones(2, 2), is_grads_batched=True, allow_unused=True)[1],
        list(
            h.grad(v * v, [v, u], h.ones(2, 2), is_grads_batched=True, materialize_grads=True)[
                1
            ].shape
        ),
    ]


def g30(torch):
    """G30: A user backward that leaves the library (item(), branch on data, NumPy) fails under
    batching with RuntimeError.
    """
    h = H(torch)
    v = _vv(h)
    return [
        error_of(
            lambda: h.grad(
                h.fn(lambda ctx, x: x * 2, b).apply(v), v, h.ones(4, 2), is_grads_batched=True
            )
        )
        for b in (
            lambda ctx, g: (g.sum().item(), g * 2)[1],
            lambda ctx, g: g * 2 if g.sum() > 0 else g,
        )
    ]


def g31(torch):
    """G31: Batching combines with create_graph."""
    h = H(torch)
    v = _vv(h)
    g = h.grad(v**3, v, h.T.eye(2, dtype=h.T.double), is_grads_batched=True, create_graph=True)[0]
    return [g.detach(), h.grad(g.sum(), v)]


def g32(torch):
    """G32: Complex: no implicit gradient for a complex scalar; a real grad_output for a complex
    output is refused.
    """
    h = H(torch)
    z = h.T.tensor([1 + 1j], requires_grad=True)
    return [error_of(lambda: (z * z).backward()), error_of(lambda: h.grad(z * z, z, h.T.ones(1)))]


def g33(torch):
    """G33: Outputs and inputs may be GradientEdges.

    The page differs: absent from the reference page, present in torch 2.13.
    """
    h = H(torch)
    v = _vv(h)
    m = v * v
    return [
        h.grad((m * 2).sum(), h.graph.get_gradient_edge(m)),
        h.grad(h.graph.get_gradient_edge((v * v).sum()), v),
    ]


def g34(torch):
    """G34: The result may alias grad_outputs."""
    h = H(torch)
    v = _vv(h)
    go = h.ones(2)
    r = h.grad(v.view_as(v), v, go)[0]
    return r.data_ptr() == go.data_ptr()


def g35(torch):
    """G35: grad may be called inside a user's backward (re-entrant engine)."""
    h = H(torch)

    def bwd(ctx, g):
        (x,) = ctx.saved_tensors
        with h.T.enable_grad():
            q = x.detach().requires_grad_()
            (r,) = h.grad(q * q, q, g)
        return r

    K = h.fn(lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], bwd)
    v = _vv(h)
    K.apply(v).sum().backward()
    return v.grad
