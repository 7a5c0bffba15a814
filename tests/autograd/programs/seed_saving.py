"""What the reference page of FunctionCtx.save_for_backward says, and what a reader meets there.

One program for each statement; `../seeds.py` has the helpers.
"""

import gc
import weakref

from tests.autograd.seeds import H, error_of


def _expcls(h):
    return h.fn(
        lambda ctx, x: (lambda r: (ctx.save_for_backward(r), r)[1])(x.exp()),
        lambda ctx, g: g * ctx.saved_tensors[0],
        "MyExp",
    )


def _leak(h, attr):
    if attr:
        K = h.fn(
            lambda ctx, x: (lambda r: (setattr(ctx, "r", r), r)[1])(x.exp()),
            lambda ctx, g: g * ctx.r,
        )
    else:
        K = _expcls(h)
    gc.collect()
    gc.disable()
    try:
        o = K.apply(h.t([1.0] * 4))
        weakref.ref(o)
        node = weakref.ref(o.grad_fn)
        del o
        first = node() is not None
    finally:
        gc.enable()
    gc.collect()
    return [first, node() is not None]


def _inpl(h, how):
    x = h.t(3.0)
    y = x * 1
    o = h.square().apply(y)
    how(x, y, o)
    return [error_of(lambda: o.backward()), x.grad]


def _sinh(h, mode):

    def fwd(ctx, x):
        p, n = (x.exp(), (-x).exp())
        if mode == "inter":
            ctx.save_for_backward(p, n)
            return (p - n) / 2
        if mode == "re":
            ctx.save_for_backward(x)
            return (p - n) / 2
        ctx.save_for_backward(p, n)
        return ((p - n) / 2, p, n)

    def bwd(ctx, g, *more):
        if mode == "re":
            (x,) = ctx.saved_tensors
            p, n = (x.exp(), (-x).exp())
        else:
            p, n = ctx.saved_tensors
        r = g * (p + n) / 2
        return r + more[0] * p - more[1] * n if more else r

    K = h.fn(fwd, bwd)
    return (lambda x: K.apply(x)[0]) if mode == "out" else K.apply


def _hooks(h, K, *extra):
    ev = []
    with h.graph.saved_tensors_hooks(
        lambda q: (ev.append("pack"), q.detach())[1], lambda q: (ev.append("unpack"), q)[1]
    ):
        o = K.apply(h.t(2.0), *extra)
    n = len(ev)
    o.backward()
    return [n, len(ev) - n]


def _hookver(h, f):
    with h.graph.saved_tensors_hooks(f, lambda q: q):
        x = h.t(2.0)
        w = x * 1
        y = w * w
    w.add_(1)
    y.backward()
    return x.grad


def _badunpack(h):
    with h.graph.saved_tensors_hooks(lambda q: 1, lambda q: q):
        x = h.t(2.0)
        y = x * x
    y.backward()


def _disabled(h):
    with h.graph.disable_saved_tensors_hooks("no hooks here"):
        with h.graph.saved_tensors_hooks(lambda q: q, lambda q: q):
            pass


def s01(torch):
    """S01: The page's example runs unmodified; the output node is named after the class, is a
    leaf-reaching graph and gives the closed-form gradients.
    """
    h = H(torch)
    e = h.example()
    d = e["d"]
    saved = [x for x in d.grad_fn.saved_tensors]
    name = d.grad_fn.name()
    d.backward()
    return [
        d.detach(),
        name,
        saved,
        e["a"].grad,
        e["b"].grad,
        error_of(lambda: d.backward()),
        error_of(lambda: d.grad_fn.saved_tensors),
    ]


def s02(torch):
    """S02: Tensors given to the call are what backward reads from saved_tensors, in order."""
    h = H(torch)
    log = []
    a = h.t(3.0)
    b = h.t(4.0)
    h.fn(
        lambda ctx, x, y: (ctx.save_for_backward(y, x), x * y)[1],
        lambda ctx, g: (log.append(ctx.saved_tensors), (g, g))[1],
    ).apply(a, b).backward()
    return [v for v in log[0]]


def s03(torch):
    """S03: At most one call: a second call is NOT an error in torch, the last one wins.

    The page differs: page says 'at most once', torch does not enforce it.
    """
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x: (ctx.save_for_backward(x), ctx.save_for_backward(x, x * 2), x * 2)[2],
        lambda ctx, g: (log.append(len(ctx.saved_tensors)), g * 2)[1],
    ).apply(h.t(3.0)).backward()
    return log


def s04(torch):
    """S04: Only inside forward: a call made in backward is silently ignored (what forward saved is
    still returned).

    The page differs: not enforced, silently ignored.
    """
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1],
        lambda ctx, g: (
            ctx.save_for_backward(g),
            log.append([v for v in ctx.saved_tensors]),
            g * 2,
        )[2],
    ).apply(h.t(3.0)).backward()
    return log


def s05(torch):
    """S05: It may also be called from setup_context when forward is written without ctx.

    The page differs: it names only forward(); torch 2.13's own text adds setup_context.
    """
    h = H(torch)

    def fwd(x, y):
        return x * y

    def setup(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def bwd(ctx, g):
        x, y = ctx.saved_tensors
        return (g * y, g * x)

    K = type(
        "SC",
        (h.F,),
        {
            "forward": staticmethod(fwd),
            "setup_context": staticmethod(setup),
            "backward": staticmethod(bwd),
        },
    )
    a, b = (h.t(3.0), h.t(4.0))
    K.apply(a, b).backward()
    return [a.grad, b.grad]


def s06(torch):
    """S06: Only tensors: an int is a TypeError, raised when apply finishes forward (not at the
    call itself).
    """
    h = H(torch)
    log = []
    return [
        error_of(
            lambda: h.fn(
                lambda ctx, x: (log.append(error_of(lambda: ctx.save_for_backward(3))), x * 2)[1]
            ).apply(h.t(3.0))
        ),
        log,
    ]


def s07(torch):
    """S07: A list of tensors is not a tensor: TypeError."""
    h = H(torch)
    F = h.fn(lambda ctx, x: (ctx.save_for_backward([x]), x * 2)[1])
    return error_of(lambda: F.apply(h.t(3.0)))


def s08(torch):
    """S08: None is allowed and comes back as None in its position."""
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x: (ctx.save_for_backward(None, x), x * 2)[1],
        lambda ctx, g: (log.append([v for v in ctx.saved_tensors]), g)[1],
    ).apply(h.t(3.0)).backward()
    return log


def s09(torch):
    """S09: Saving nothing, or never calling it, gives an empty tuple."""
    h = H(torch)
    log = []
    [
        h.fn(f, lambda ctx, g: (log.append(tuple(ctx.saved_tensors)), g)[1])
        .apply(h.t(3.0))
        .backward()
        for f in (lambda ctx, x: x * 2, lambda ctx, x: (ctx.save_for_backward(), x * 2)[1])
    ]
    return log


def s10(torch):
    """S10: saved_tensors is empty while forward is running; what was offered is in to_save."""
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x: (
            ctx.save_for_backward(x),
            log.append([len(ctx.saved_tensors), len(ctx.to_save)]),
            x * 2,
        )[2]
    ).apply(h.t(3.0))
    return log


def s11(torch):
    """S11: forward of a Function runs with grad mode off: intermediates do not require grad,
    inputs still do.
    """
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x: (
            log.append([h.T.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad]),
            x * 2,
        )[1]
    ).apply(h.t(3.0))
    return log


def s12(torch):
    """S12: backward of a Function runs with grad mode off, or on when create_graph=True."""
    h = H(torch)
    log = []
    K = h.fn(lambda ctx, x: x * 2, lambda ctx, g: (log.append(h.T.is_grad_enabled()), g * 2)[1])
    K.apply(h.t(3.0)).backward()
    h.grad(K.apply(x := h.t(3.0)), x, create_graph=True)
    return log


def s13(torch):
    """S13: A saved input is returned as the very tensor (same object, same grad_fn) in torch."""
    h = H(torch)
    x = h.t(3.0)
    y = x * 1
    return [
        h.square().apply(x).grad_fn.saved_tensors[0] is x,
        (
            lambda o: [
                o.grad_fn.saved_tensors[0] is y,
                o.grad_fn.saved_tensors[0].grad_fn is y.grad_fn,
            ]
        )(h.square().apply(y)),
    ]


def s14(torch):
    """S14: A saved output is returned as a new tensor object that carries the node as its grad_fn
    (no reference cycle).
    """
    h = H(torch)
    o = _expcls(h).apply(h.t(1.0))
    return [o.grad_fn.saved_tensors[0] is o, o.grad_fn.saved_tensors[0].grad_fn is o.grad_fn]


def s15(torch):
    """S15: Keeping an output directly on ctx leaks: the node survives until the cycle collector
    runs; via save_for_backward it dies at once.
    """
    h = H(torch)
    return [_leak(h, True), _leak(h, False)]


def s16(torch):
    """S16: Keeping an input directly on ctx skips the in-place check and yields a silently wrong
    gradient (40 instead of 4).
    """
    h = H(torch)
    K = h.fn(lambda ctx, x: (setattr(ctx, "x", x), x * x)[1], lambda ctx, g: g * 2 * ctx.x)
    x = h.t(2.0)
    y = x * 1
    o = K.apply(y)
    y.mul_(10)
    o.backward()
    return x.grad


def s17(torch):
    """S17: A node that saved nothing through save_for_backward can be run twice without
    retain_graph.
    """
    h = H(torch)
    K = h.fn(lambda ctx, x: (setattr(ctx, "x", x), x * x)[1], lambda ctx, g: g * 2 * ctx.x)
    x = h.t(2.0)
    o = K.apply(x)
    o.backward()
    r = error_of(lambda: o.backward())
    return [r, x.grad]


def s18(torch):
    """S18: On unpack in backward, a saved tensor changed in place raises RuntimeError; nothing is
    accumulated.
    """
    h = H(torch)
    return _inpl(h, lambda x, y, o: y.add_(1))


def s19(torch):
    """S19: A change through detach() is noticed too (shared version counter)."""
    h = H(torch)
    return _inpl(h, lambda x, y, o: y.detach().add_(1))


def s20(torch):
    """S20: A change through .data is NOT noticed (own counter): silently wrong gradient 8 instead
    of 6.

    The page differs: the page promises a check; .data escapes it.
    """
    h = H(torch)
    return _inpl(h, lambda x, y, o: y.data.add_(1))


def s21(torch):
    """S21: A saved leaf changed under no_grad (an optimizer step between forward and backward) is
    noticed.
    """
    h = H(torch)
    x = h.t(3.0)
    o = h.square().apply(x)
    with h.T.no_grad():
        x.add_(1)
    return [error_of(lambda: o.backward()), x._version]


def s22(torch):
    """S22: A saved output changed in place is noticed."""
    h = H(torch)
    x = h.t(1.0)
    o = _expcls(h).apply(x)
    o2 = o * 2
    o.mul_(3)
    return error_of(lambda: o2.backward())


def s23(torch):
    """S23: The check happens on access, so reading grad_fn.saved_tensors outside backward raises
    as well.
    """
    h = H(torch)
    x = h.t(3.0)
    y = x * 1
    o = h.square().apply(y)
    y.add_(1)
    return error_of(lambda: o.grad_fn.saved_tensors)


def s24(torch):
    """S24: Intermediates saved (neither input nor output): the first gradient is right, the
    gradient of it w.r.t. x is lost: a scalar root gives a gradient that does not require grad;
    gradgradcheck reports a mismatch.
    """
    h = H(torch)
    x = h.t(1.0)
    f = _sinh(h, "inter")
    return [
        h.grad(f(x), x, create_graph=True)[0].requires_grad,
        error_of(lambda: h.T.autograd.gradcheck(f, (x,))),
        error_of(lambda: h.T.autograd.gradgradcheck(f, (x,))),
    ]


def s25(torch):
    """S25: Remedy one: recompute from a saved input inside backward: double backward correct."""
    h = H(torch)
    return error_of(lambda: h.T.autograd.gradgradcheck(_sinh(h, "re"), (h.t(1.0),)))


def s26(torch):
    """S26: Remedy two: return the intermediates as outputs (and propagate their gradients): double
    backward correct.
    """
    h = H(torch)
    return error_of(lambda: h.T.autograd.gradgradcheck(_sinh(h, "out"), (h.t(1.0),)))


def s27(torch):
    """S27: Saving an output supports double backward."""
    h = H(torch)
    return error_of(lambda: h.T.autograd.gradgradcheck(_expcls(h).apply, (h.t(1.0),)))


def s28(torch):
    """S28: once_differentiable: when the incoming gradient requires grad, the results require grad
    but point at a node that raises RuntimeError naming the decorator.
    """
    h = H(torch)
    x, go = (h.t(2.0), h.t(1.0))
    (g,) = h.grad(h.blend().apply(x, 3), x, go, create_graph=True)
    return [g.detach(), g.requires_grad, g.grad_fn is None, error_of(lambda: g.backward())]


def s29(torch):
    """S29: once_differentiable with the implicit gradient of ones: the results simply do not
    require grad, so the second derivative raises the generic 'does not require grad' error
    instead.

    The page differs: an error appears, but not the decorator's own.
    """
    h = H(torch)
    x = h.t(2.0)
    (g,) = h.grad(h.blend().apply(x, 3), x, create_graph=True)
    return [g.requires_grad, error_of(lambda: h.grad(g, x))]


def s30(torch):
    """S30: once_differentiable beside another differentiable term: the second derivative is
    SILENTLY partial (2 instead of 8).

    The page differs: no error although double backward was performed.
    """
    h = H(torch)
    x = h.t(2.0)
    (g,) = h.grad(h.blend().apply(x, 3) + x**2, x, create_graph=True)
    return [g.detach(), h.grad(g, x)]


def s31(torch):
    """S31: saved_tensors_hooks: pack runs once per saved tensor in forward, unpack once per tensor
    when backward reads them.
    """
    h = H(torch)
    return _hooks(h, h.blend(), 3)


def s32(torch):
    """S32: Tensors kept on ctx are invisible to saved_tensors_hooks."""
    h = H(torch)
    return _hooks(
        h, h.fn(lambda ctx, x: (setattr(ctx, "x", x), x * x)[1], lambda ctx, g: g * 2 * ctx.x)
    )


def s33(torch):
    """S33: Nested hooks: only the innermost pair applies; x*x packs x twice."""
    h = H(torch)
    ev = []
    mk = lambda s: h.graph.saved_tensors_hooks(lambda q: (ev.append(s), q.detach())[1], lambda q: q)
    with mk("outer"):
        with mk("inner"):
            x = h.t(2.0)
            x * x
    return ev


def s34(torch):
    """S34: unpack runs at every access, including looking at grad_fn.saved_tensors."""
    h = H(torch)
    ev = []
    with h.graph.saved_tensors_hooks(lambda q: q.detach(), lambda q: (ev.append(1), q)[1]):
        y = h.square().apply(h.t(2.0))
    y.grad_fn.saved_tensors
    y.grad_fn.saved_tensors
    n = len(ev)
    y.backward(retain_graph=True)
    y.backward()
    return [n, len(ev)]


def s35(torch):
    """S35: With pack/unpack hooks the in-place check no longer applies: a detached alias gives a
    wrong value (6), a clone the right one (4).

    The page differs: 'a check is made' does not hold under hooks.
    """
    h = H(torch)
    return [
        error_of(lambda: _hookver(h, lambda q: q.detach())),
        error_of(lambda: _hookver(h, lambda q: q.detach().clone())),
    ]


def s36(torch):
    """S36: unpack must return a tensor: TypeError; pack must not change its input in place:
    RuntimeError.
    """
    h = H(torch)
    return [error_of(lambda: _badunpack(h)), error_of(lambda: _hookver(h, lambda q: q.mul_(2)))]


def s37(torch):
    """S37: Hooks can be disabled with a message."""
    h = H(torch)
    return error_of(lambda: _disabled(h))


def s38(torch):
    """S38: After a backward without retain_graph, saved_tensors is freed: access raises the
    'second time' RuntimeError.
    """
    h = H(torch)
    o = h.square().apply(h.t(3.0))
    a = [v for v in o.grad_fn.saved_tensors]
    o.backward()
    return [a, error_of(lambda: o.grad_fn.saved_tensors)]


def s39(torch):
    """S39: Non-tensor data goes on ctx; the gradient slot of a non-tensor argument is None."""
    h = H(torch)
    x = h.t(2.0)
    h.blend().apply(x, 3).backward()
    return x.grad


def s40(torch):
    """S40: A wrong number of returned gradients is a RuntimeError."""
    h = H(torch)
    return error_of(
        lambda: h.fn(lambda ctx, x, y: x * y, lambda ctx, g: g).apply(h.t(1.0), h.t(2.0)).backward()
    )


def s41(torch):
    """S41: ctx.needs_input_grad tells which gradients are wanted."""
    h = H(torch)
    log = []
    h.fn(
        lambda ctx, x, y: x * y,
        lambda ctx, g: (log.append(tuple(ctx.needs_input_grad)), (g, None))[1],
    ).apply(h.t(1.0), h.t(2.0, rg=False)).backward()
    return log
