"""Faults that other libraries had, or their users ran into; several facts each."""

from tests.autograd.kit import dtype, err, leaf, quiet, val, warned


def c003_gan_fake_not_detached(torch):
    """GAN loop: the discriminator loss is computed on the generator's output without detach; the
    generator's own backward then meets a freed graph, and the discriminator's pass has already
    put gradients into the generator.
    """
    g, d, z = (leaf(torch, 2.0), leaf(torch, 3.0), torch.tensor(0.5, dtype=torch.float64))
    fake = torch.tanh(g * z)
    d_loss = (d * fake) ** 2
    d_loss.backward()
    leaked = val(g.grad)
    g_loss = -(d * fake)
    bad = err(g_loss.backward, "second time")
    g2, d2 = (leaf(torch, 2.0), leaf(torch, 3.0))
    fake2 = torch.tanh(g2 * z)
    ((d2 * fake2.detach()) ** 2).backward()
    clean = g2.grad is None
    (-(d2 * fake2)).backward()
    return {
        "leaked_into_generator": leaked,
        "generator_step": bad,
        "detached_leaves_generator_alone": clean,
        "g_grad": val(g2.grad),
        "d_grad_sum_of_both": val(d2.grad),
    }


def c006_rnn_hidden_state_kept(torch):
    """A recurrent loop keeps the hidden state from the previous batch; the second backward walks
    into the first batch's freed graph. Detaching the state at the batch border repairs it.
    """

    def loop(cut):
        w = leaf(torch, 0.5)
        h = torch.tensor(1.0, dtype=torch.float64)
        grads = []
        for x in (1.0, -1.0, 2.0):
            if cut:
                h = h.detach()
            h = torch.tanh(w * h + x)
            (h * h).backward()
            grads.append(val(w.grad))
            w.grad = None
        return grads

    return {"kept": err(lambda: loop(False), "second time"), "detached": loop(True)}


def c009_version_counters(torch):
    """Which tensors share the counter that autograd uses to notice in-place writes: views and
    detach() share it, clone() and .data do not.
    """
    t = torch.zeros(3)
    v, d, c, raw = (t[:2], t.detach(), t.clone(), t.data)
    t.add_(1)
    after_base = [t._version, v._version, d._version, c._version, raw._version]
    v.mul_(2)
    d.mul_(2)
    raw.mul_(2)
    t[0] = 5.0
    return {
        "after_base_write": after_base,
        "after_all": [t._version, v._version, d._version, c._version, raw._version],
        "values": val(t),
    }


def c012_data_write_gives_wrong_gradient(torch):
    """Writing through .data goes unnoticed and the gradient comes out silently wrong; the same
    write through detach() is caught. Better: a teaching tool should warn when saved memory
    changed behind the counter.
    """

    def go(get):
        a = leaf(torch, [1.0, 2.0, 3.0])
        out = a.sigmoid()
        get(out).zero_()
        e = err(lambda: out.sum().backward())
        return val(a.grad) if e["raises"] is None else e

    return {"wart": True, "via_data": go(lambda t: t.data), "via_detach": go(lambda t: t.detach())}


def c014_view_of_leaf_in_place(torch):
    """Filling a slice of a parameter (position table, weight editing) is refused because the slice
    is a view of a leaf.
    """
    w = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])

    def assign():
        w[:, 0] = torch.zeros(2, dtype=torch.float64)

    def iadd():
        w[:, 1] += 1.0

    res = {
        "assign": err(assign, "view of a leaf variable that requires grad"),
        "iadd": err(iadd, "view of a leaf variable that requires grad"),
        "kept": val(w),
    }
    with torch.no_grad():
        w[:, 1] += 1.0
    (w * w).sum().backward()
    res["edited"], res["grad"] = (val(w), val(w.grad))
    return res


def c015_refused_write_leaves_value(torch):
    """When an in-place write is refused the data must not have changed already (an early version
    raised only afterwards).
    """
    res = {}
    for name, f in {
        "add_": lambda t: t.add_(1),
        "zero_": lambda t: t.zero_(),
        "copy_": lambda t: t.copy_(t.detach() * 9),
        "setitem": lambda t: t.__setitem__(0, 7.0),
        "relu_": lambda t: torch.relu_(t),
    }.items():
        a = leaf(torch, [-1.0, 2.0])
        e = err(lambda: f(a))
        res[name] = [e["raises"], val(a), a._version]
    return res


def c019_inplace_may_not_grow(torch):
    """`a *= b` where b would broadcast a to a larger shape is an error, while `a * b` is fine."""
    a, b = (torch.tensor([[1, 2, 3]]), torch.tensor([[4], [5]]))

    def bad():
        nonlocal a
        a *= b

    return {
        "out_of_place": val(a * b),
        "in_place": err(bad, "[1, 3]", "broadcast shape [2, 3]"),
        "a_kept": val(a),
        "smaller_ok": val(torch.ones(2, 3).mul_(torch.tensor([[2.0], [3.0]]))),
    }


def c021_write_through_a_view_reaches_base(torch):
    """Changing a view changes the base's history too, also when the base is used through another
    view.
    """
    w = leaf(torch, [1.0, 2.0, 3.0])
    base = w * 1.0
    v, other = (base[1:], base[:2])
    v.mul_(10)
    other_val = val(other)
    (base.sum() + 100 * other.sum()).backward()
    return {
        "base": val(base),
        "other_view": other_val,
        "grad": val(w.grad),
        "v_is_view_of_base": v._base is base,
    }


def c022_retain_grad_versus_hook_after_write(torch):
    """After an in-place change, retain_grad follows the tensor to its new value while an earlier
    hook stays with the old one.
    """
    w = leaf(torch, [1.0])
    a = w.clone()
    got = {}
    a.register_hook(lambda g: got.update(hook_before=val(g)))
    a.retain_grad()
    a.mul_(2)
    a.register_hook(lambda g: got.update(hook_after=val(g)))
    (a * 3).sum().backward()
    return {**got, "retained": val(a.grad), "leaf": val(w.grad)}


def c030_nonleaf_grad_is_none(torch):
    """Asking an intermediate for .grad gives None and a warning that names retain_grad; with
    retain_grad it is filled; on a leaf retain_grad changes nothing; without requires_grad it is
    an error.
    """
    x = leaf(torch, 2.0)
    y = x * 3
    w = warned(lambda: y.grad, "not a leaf tensor", "retain_grad")
    (y * y).backward()
    none = quiet(lambda: y.grad) is None
    x2 = leaf(torch, 2.0)
    y2 = x2 * 3
    y2.retain_grad()
    x2.retain_grad()
    (y2 * y2).backward()
    return {
        "warns": w,
        "none": none,
        "retained": val(y2.grad),
        "quiet_when_retained": warned(lambda: y2.grad),
        "flags": [x.is_leaf, y.is_leaf, x2.retains_grad, y2.retains_grad],
        "no_grad_tensor": err(lambda: torch.ones(1).retain_grad(), "requires_grad=False"),
    }


def c034_non_scalar_output(torch):
    """backward on a vector needs a gradient argument of the same shape; weights in it scale rows
    of the Jacobian.
    """
    x = leaf(torch, [5.0, 6.0])
    a = x * x
    e = err(a.backward, "grad can be implicitly created only for scalar outputs")
    bad = err(lambda: a.backward(torch.ones(3, dtype=torch.float64)), "Mismatch in shape")
    a.backward(torch.tensor([1.0, 0.1], dtype=torch.float64))
    y = leaf(torch, [5.0])
    (y * y).backward()
    return {
        "error": e,
        "bad_shape": bad,
        "weighted": val(x.grad),
        "one_element_vector_ok": val(y.grad),
        "grad_call": err(lambda: torch.autograd.grad(x * 2, x), "scalar outputs"),
    }


def c037_integers_cannot_require_grad(torch):
    """torch.tensor([1, 2, 3], requires_grad=True) fails: the list makes an integer tensor."""
    msg = ("only tensors of floating point", "can require gradients")
    return {
        "factory": err(lambda: torch.tensor([1, 2, 3], requires_grad=True), *msg),
        "method": err(lambda: torch.tensor([1, 2]).requires_grad_(), "floating point"),
        "bool": err(lambda: torch.tensor([True], requires_grad=True), *msg),
        "one_dot": val(torch.tensor([1, 2, 3.0], requires_grad=True)),
        "dtypes": [
            dtype(torch.tensor([1, 2])),
            dtype(torch.tensor([1, 2.0])),
            dtype(torch.tensor([True])),
        ],
    }


def c039_requires_grad_flag_on_result(torch):
    """Switching requires_grad off on a computed tensor is refused and the message points to
    detach; switching it on is fine.
    """
    x = leaf(torch, [1.0])
    y = x * 2

    def off():
        y.requires_grad = False

    d = y.detach()
    d.requires_grad_()
    (d * 5).sum().backward()
    return {
        "off": err(off, "change requires_grad flags of leaf variables", "detach"),
        "on_again": y.requires_grad_().requires_grad,
        "detached_is_new_leaf": [d.is_leaf, val(d.grad)],
        "x_untouched": x.grad is None,
    }


def c041_zero_gradient_is_not_no_gradient(torch):
    """A parameter whose gradient is zero still moves under momentum or weight decay; one whose
    gradient is None is skipped. That is what set_to_none changes.
    """

    def run(set_none, **kw):
        w = leaf(torch, 1.0)
        opt = torch.optim.SGD([w], lr=0.1, **kw)
        (w * w).backward()
        opt.step()
        one = val(w)
        opt.zero_grad(set_to_none=set_none)
        g = val(w.grad)
        opt.step()
        return [one, g, val(w)]

    w = leaf(torch, 1.0)
    opt = torch.optim.SGD([w], lr=0.1)
    (w * w).backward()
    opt.zero_grad()
    return {
        "default_is_none": w.grad is None,
        "momentum_zero": run(False, momentum=0.9),
        "momentum_none": run(True, momentum=0.9),
        "decay_zero": run(False, weight_decay=0.5),
        "decay_none": run(True, weight_decay=0.5),
    }


def c044_reused_value_needs_topological_order(torch):
    """A value used twice along paths of different length. Depth-first recursion without ordering
    gives a wrong answer.
    """
    a, b = (leaf(torch, 2.0), leaf(torch, 3.0))
    c, d = (a + b, a * b)
    e, f = (c + d, c * d)
    order = []
    for n, t in (("c", c), ("d", d), ("e", e), ("f", f)):
        t.register_hook(lambda g, n=n: order.append(n))
    (e + f).backward()
    x = leaf(torch, 1.0)
    y = x + x
    z = y + y
    for _ in range(8):
        z = z + z
    z.backward()
    return {
        "a": val(a.grad),
        "b": val(b.grad),
        "each_node_once": sorted(order),
        "before": order.index("e") < order.index("c"),
        "doubling": val(x.grad),
    }


def c050_mark_dirty_returns_same_object(torch):
    """An in-place Function marked dirty: is the returned tensor the very object passed in?"""

    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(3)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    w = leaf(torch, [1.0, 2.0])
    x = w * 1
    y = Triple.apply(x)
    same_tracked = y is x
    y.sum().backward()
    p = torch.ones(2)
    q = Triple.apply(p)
    return {
        "same_when_tracked": same_tracked,
        "grad": val(w.grad),
        "same_when_plain": q is p,
        "plain_value": val(p),
        "leaf": err(lambda: Triple.apply(leaf(torch, [1.0])), "leaf variable that requires grad"),
    }


def c052_custom_function_plain_arguments(torch):
    """Numbers, strings and None as arguments need one slot each in backward, also when they came
    as keywords (torch 2.13 accepts keywords in apply); defaults that were not passed need none.
    """

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k, mode, extra=None):
            ctx.k = k
            ctx.needs = list(ctx.needs_input_grad)
            return x * k

        @staticmethod
        def backward(ctx, g):
            seen.append([ctx.needs, list(ctx.needs_input_grad)])
            return (g * ctx.k, None, None)

    seen = []
    x = leaf(torch, [1.0, 2.0])
    Scale.apply(x, 5, "up").sum().backward()
    first = val(x.grad)
    kw = err(lambda: Scale.apply(x, 5, mode="up").sum().backward())["raises"]
    return {
        "grad": first,
        "needs": seen[:1],
        "keyword": [kw, val(x.grad)],
        "missing_mode": err(lambda: Scale.apply(x, 5))["raises"],
    }


def c054_once_differentiable(torch):
    """A backward marked once_differentiable gives first derivatives. A second one is refused with
    a clear message only if the incoming gradient was itself tracked and the call is
    .backward(); if it was a constant the result simply has no history. Better: the clear
    message in every case.
    """
    from importlib import import_module

    once = import_module(torch.__name__ + ".autograd.function").once_differentiable

    class Sq(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(torch, 3.0)
    (g,) = torch.autograd.grad(Sq.apply(x), x, create_graph=True)
    (h,) = torch.autograd.grad(Sq.apply(x) ** 2, x, create_graph=True)
    return {
        "wart": True,
        "first": val(g),
        "tracked": [g.requires_grad, h.requires_grad],
        "second_of_constant": err(lambda: torch.autograd.grad(g, x))["raises"],
        "second_by_grad": err(lambda: torch.autograd.grad(h, x, retain_graph=True))["raises"],
        "second_by_backward": err(h.backward, "once_differentiable"),
        "first_of_composite": val(h),
    }


def c058_gradient_of_wrong_shape(torch):
    """A backward that returns a gradient of another shape is named as invalid; one that can be
    summed down is accepted.
    """

    def make(back):

        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return back(g)

        return F

    x = leaf(torch, [1.0, 2.0])
    bad = err(
        lambda: make(lambda g: torch.ones(3, dtype=torch.float64)).apply(x).sum().backward(),
        "invalid gradient at index 0",
        "[3]",
        "[2]",
    )
    y = leaf(torch, [1.0, 2.0])
    wide = err(
        lambda: make(lambda g: torch.ones(4, 2, dtype=torch.float64)).apply(y).sum().backward()
    )
    z = leaf(torch, [1.0, 2.0])
    half = err(lambda: make(lambda g: g.float()).apply(z).sum().backward())
    return {
        "bad": bad,
        "summed_down": [wide["raises"], val(y.grad)],
        "cast_back": [half["raises"], dtype(z.grad)],
        "not_a_tensor": err(lambda: make(lambda g: 1.0).apply(leaf(torch, [1.0])).sum().backward())[
            "raises"
        ]
        is not None,
    }
