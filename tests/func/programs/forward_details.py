"""Forward mode, corner by corner: what shares memory, what is dropped, what is refused."""

from tests.autograd.observe import f64, leaf, raises


def _fw(torch):
    return torch.autograd.forward_ad


def _tangent(torch, t):
    found = _fw(torch).unpack_dual(t).tangent
    return None if found is None else found + 0


def _function(torch, forward, jvp):
    return type("F", (torch.autograd.Function,),
                {"forward": staticmethod(forward), "jvp": staticmethod(jvp)}).apply


def layouts_of_tangents(torch):
    """The same object where the layouts agree; else a copy in the layout of the value."""
    fw, found = _fw(torch), []
    x = f64(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with fw.dual_level():
        for t in (x + 1, (x + 1).t().contiguous().t(), f64(torch, [[1.0], [2.0]]).expand(2, 3)):
            kept = fw.unpack_dual(fw.make_dual(x, t)).tangent
            found.append([kept is t, kept.data_ptr() == t.data_ptr(), list(kept.stride()), kept])
        given = (x + 2).t()
        kept = fw.unpack_dual(fw.make_dual(x.t(), given)).tangent
        found.append([kept is given, list(kept.stride())])
    return found


def unpacked_parts_are_views(torch):
    fw = _fw(torch)
    x, t = f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])
    with fw.dual_level():
        d = fw.make_dual(x, t)
        primal, tangent = fw.unpack_dual(d)
        found = [primal._is_view(), primal._base is d._base, d._is_view(), tangent._is_view(),
                 primal.data_ptr() == x.data_ptr(), x._version]
        d.mul_(2)
        return [*found, x._version, primal._version, primal, x, fw.unpack_dual(x).tangent]


def where_gradients_flow(torch):
    """To the value and to the tangent, each by itself."""
    fw, found = _fw(torch), []
    for value_wants in (True, False):
        for tangent_wants in (True, False):
            x, t = f64(torch, [1.0, 2.0], value_wants), f64(torch, [3.0, -1.0], tangent_wants)
            with fw.dual_level():
                value, tangent = fw.unpack_dual(fw.make_dual(x, t) ** 3)
                found.append([value.requires_grad, tangent.requires_grad])
                if tangent.requires_grad:
                    tangent.sum().backward()
                found.append([x.grad, t.grad])
    return found


def aliases_do_not_move(torch):
    """Writing to a dual tensor: what was taken from it with `detach` gets no tangent."""
    fw = _fw(torch)
    x, t = f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])
    with fw.dual_level():
        before = x.detach()
        d = fw.make_dual(x, t)
        quiet, view = d.detach(), d[1:]
        d.mul_(d)
        return [_tangent(torch, v) for v in (d, view, quiet, before, x)] + [quiet, x]


def tangents_of_views_are_views(torch):
    """A write to a value's view writes to the value's tangent, whichever way the view turns."""
    fw, found = _fw(torch), []
    for write in (lambda v, o: v.mul_(o), lambda v, o: v.add_(o), lambda v, o: v.copy_(o)):
        base = fw_base = f64(torch, [[1.0, 2.0], [3.0, 4.0]])
        with fw.dual_level():
            base = fw.make_dual(fw_base, f64(torch, [[5.0, 6.0], [7.0, 8.0]])) * 1
            whole = fw.unpack_dual(base).tangent
            view = base.t()
            part = fw.unpack_dual(view).tangent
            write(view, fw.make_dual(f64(torch, [1.0, 2.0]), f64(torch, [0.5, -0.5])))
            now = fw.unpack_dual(view).tangent
            found.append([part._base is whole, now._base is fw.unpack_dual(base).tangent,
                          _tangent(torch, base), _tangent(torch, view), now.data_ptr()
                          == whole.data_ptr()])
    return found


def plain_base_and_dual_view(torch):
    """A plain tensor written to through a view, before and after views were taken of it."""
    fw = _fw(torch)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, 2.0), f64(torch, 3.0))
        base = f64(torch, [[1.0, 2.0], [3.0, 4.0]])
        early, turned = base[0], base.t()
        turned[1, 0] = d
        late = base[:, 1]
        base.mul_(d)
        return [_tangent(torch, v) for v in (base, early, turned, late)]


def duals_of_views(torch):
    """A dual tensor has a tangent of its own, though it looks into another's memory."""
    fw, found = _fw(torch), []
    with fw.dual_level():
        x = f64(torch, [[1.0, 2.0], [3.0, 4.0]])
        turned = x.t()
        d = fw.make_dual(turned, f64(torch, [[1.0, 2.0], [3.0, 4.0]]))
        found.append([_tangent(torch, t) for t in (x, turned, d, d[0])])
        d[0].mul_(2)
        found.append([_tangent(torch, t) for t in (x, turned, d, d[0])])
        y = f64(torch, [0.0, 0.0])
        e = fw.make_dual(y, f64(torch, [1.0, 1.0]))
        part = e[1:]
        y.copy_(d[0])                   # the memory is shared, the tangent is not
        found.append([_tangent(torch, t) for t in (y, e, part)] + [e])
        e.mul_(3)
        found.append([_tangent(torch, t) for t in (y, e, part)] + [y])
        found.append(raises(lambda: fw.make_dual(e, y), "Making a dual Tensor based on a Tensor",
                            "already has a forward gradient at the same level"))
    return found


def written_many_times(torch):
    """A view that looks for its tangent again and again."""
    fw = _fw(torch)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0]))
        base = f64(torch, [[0.0, 0.0], [0.0, 0.0]])
        view = base[0]
        for _ in range(3):
            base[1] = d
            view.copy_(d)
            base = base * 1
            view = base[0]
        return [_tangent(torch, base), _tangent(torch, view), _tangent(torch, view == d)]


def out_is_refused(torch):
    fw = _fw(torch)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [1.0]), f64(torch, [1.0]))
        plain = f64(torch, [0.0])
        return [
            raises(lambda: torch.sin(d, out=plain), "out= function"),
            raises(lambda: torch.add(plain, d, out=plain), "out= function"),
            raises(lambda: torch.sin(plain, out=d), "out= function"),
        ]


def out_is_refused_inside_jvp(torch):
    x = f64(torch, [1.0])
    return raises(lambda: torch.func.jvp(lambda x: torch.sin(x, out=torch.zeros(1)), (x,), (x,)),
                  "out= function")


def operations_without_a_rule(torch):
    fw = _fw(torch)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [1.0]), f64(torch, [1.0]))
        said = raises(lambda: torch.igamma(d, d), "Trying to use forward AD with",
                      "that does not support it")
        found = [said, _tangent(torch, d * 2)]
        for f in (torch.floor_divide, torch.heaviside):
            found.append(raises(lambda f=f: f(d, d.detach()), "Trying to use forward AD with"))
        return [*found, _tangent(torch, torch.special.bessel_j0(d)), _tangent(torch, d.floor())]


def in_inference_mode(torch):
    fw, found = _fw(torch), []
    normal = f64(torch, [5.0])
    with torch.inference_mode(), fw.dual_level():
        x, t = f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])
        d = fw.make_dual(x, t)
        y = d * d
        found += [d._is_view(), d.is_inference(), y.is_inference(), _tangent(torch, y)]
        primal, tangent = fw.unpack_dual(d)
        found += [primal.is_inference(), tangent is t, primal]
        n = fw.make_dual(normal, f64(torch, [1.0]))
        found += [n.is_inference(), n._is_view(), _tangent(torch, n * 3), fw._is_fwd_grad_enabled()]
        with torch.inference_mode(False):
            found.append(fw._is_fwd_grad_enabled())
        with fw._set_fwd_grad_enabled(True):
            found += [_tangent(torch, n), _tangent(torch, n * 3)]
    with fw.dual_level():
        d = fw.make_dual(x, f64(torch, [1.0, 1.0]))        # the value was made in inference mode
        with torch.inference_mode():
            hidden = _tangent(torch, d)
        e = fw.make_dual(f64(torch, [1.0]), f64(torch, [1.0]))
        with torch.inference_mode(), fw._set_fwd_grad_enabled(True):
            found += [_tangent(torch, e), _tangent(torch, e * 2)]
        found += [d.is_inference(), _tangent(torch, d), hidden, _tangent(torch, d * 2)]
    with torch.inference_mode():
        found.append(torch.func.jvp(lambda x: x * x, (normal,), (normal,)))
    return found


def switched_off_by_a_call(torch):
    fw, found = _fw(torch), []
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [1.0]), f64(torch, [1.0]))
        try:
            fw._set_fwd_grad_enabled(False)
            found += [fw._is_fwd_grad_enabled(), _tangent(torch, d * 2)]
            with fw._set_fwd_grad_enabled(True):
                found.append(_tangent(torch, d * 2))
            found.append(fw._is_fwd_grad_enabled())
        finally:
            fw._set_fwd_grad_enabled(True)
        return [*found, _tangent(torch, d * 2)]


def copying(torch):
    """`copy_` takes the tangent along; what it wrote over moves no more."""
    fw = _fw(torch)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [[1.0, 2.0]]), f64(torch, [[3.0, 4.0]]))
        same = torch.zeros(1, 2, dtype=torch.float64)
        same.copy_(d)
        e = fw.make_dual(f64(torch, [[1.0, 2.0]]), f64(torch, [[5.0, 6.0]]))
        e.copy_(d)
        back = fw.make_dual(f64(torch, [[0.0, 0.0], [0.0, 0.0]]),
                            f64(torch, [[1.0, 1.0], [1.0, 1.0]]))
        back[1].copy_(f64(torch, [9.0, 9.0]))
        kept = fw.unpack_dual(same).tangent
        d.mul_(2)
        return [_tangent(torch, t) for t in (same, e, back)] + [kept, _tangent(torch, d)]


def jvp_arguments(torch):
    """None for what is no tensor; zeros for a tensor that does not move; None for integers."""
    fw, seen = _fw(torch), []

    def jvp(ctx, *tangents):
        seen.append([None if t is None else t.tolist() for t in tangents])
        return tangents[0] * 2

    f = _function(torch, lambda ctx, x, y, i, word, flag: x * 2 + y * 0, jvp)
    with fw.dual_level():
        d = fw.make_dual(f64(torch, [1.0]), f64(torch, [3.0]))
        out = f(d, f64(torch, [7.0]), torch.tensor([1]), "word", True)
        return [_tangent(torch, out), seen]


def jvp_of_written_inputs(torch):
    fw, found = _fw(torch), []

    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    for jvp, phrases in (
        (lambda ctx, t: t * 2, ("is not modifying the forward mode gradients inplace",
                                "jvp function must modify the corresponding gradient inplace")),
        (lambda ctx, t: t.mul_(2), ()),
    ):
        with fw.dual_level():
            base = fw.make_dual(f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])) * 1
            view = base[1:]
            f = _function(torch, forward, jvp)
            found.append(raises(lambda f=f, view=view: f(view) * 1, *phrases))
            found.append([_tangent(torch, base), base])
    return found


def jvp_of_views(torch):
    fw, found = _fw(torch), []
    for jvp, phrases in (
        (lambda ctx, t: t.view(2).clone(), ("is returning a view (or an input as-is) but the jvp "
                                            "is not returning a view",)),
        (lambda ctx, t: torch.ones(2, 1, dtype=torch.float64).view(2), ("of the given",)),
        (lambda ctx, t: t.view(2), ()),
        (lambda ctx, t: t.flatten(), ()),
    ):
        with fw.dual_level():
            d = fw.make_dual(f64(torch, [[1.0], [2.0]]), f64(torch, [[3.0], [4.0]]))
            out = []

            def act(jvp=jvp, d=d, out=out):
                out.append(_function(torch, lambda ctx, x: x.view(2), jvp)(d))
                return _tangent(torch, out[0])
            found.append(raises(act, *phrases))
            if not phrases:
                found.append(fw.unpack_dual(out[0]).tangent.data_ptr()
                             == fw.unpack_dual(d).tangent.data_ptr())
    return found


def jvp_that_is_missing(torch):
    fw = _fw(torch)

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with fw.dual_level():
        d = fw.make_dual(leaf(torch, [1.0]), f64(torch, [1.0]))
        return raises(lambda: F.apply(d), "must implement the jvp function")


def jvp_inside_custom_functions(torch):
    """`func.jvp` in a Function's own forward and backward."""
    push = torch.func.jvp

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return push(lambda x: x**3, (x,), (torch.ones_like(x),))[1]

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * push(lambda x: 3 * x**2, (x,), (torch.ones_like(x),))[1]

    x = leaf(torch, [1.0, 2.0])
    y = F.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return [y, g, torch.autograd.grad(g.sum(), x)]


def conjugated_values(torch):
    """Value and tangent may be conjugated, each for itself: the numbers are right."""
    fw, found = _fw(torch), []
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128)
    t = torch.tensor([0.5 - 1j, 2 + 0.1j], dtype=torch.complex128)
    with fw.dual_level():
        for value, moving in ((z.conj(), t), (z, t.conj()), (z.conj(), t.conj()),
                              (z.conj().imag, t.conj().real)):
            d = fw.make_dual(value, moving)
            found.append([_tangent(torch, d), _tangent(torch, d * d)])
    return found


def writes_to_views_under_vmap(torch):
    """Lanes in the base, in the view, in what is written: the tangents meet all the same."""
    push, found = torch.func.jvp, []
    x, y = f64(torch, [[1.0, 2.0], [3.0, 4.0]]), f64(torch, [5.0, 6.0])

    def through_a_view(x, y):
        x = x * 1
        x[0].copy_(y)
        return x

    def view_after(x, y):
        x = x * 1
        view = x[0]
        x.mul_(y)
        return view * 2

    def view_of_a_view(x, y):
        x = x * 1
        x[0][1:].mul_(y[0])
        return x

    for f in (through_a_view, view_after, view_of_a_view):
        found.append(push(f, (x, y), (x * 2, y * 3)))
        for dims in ((0, None), (0, 0)):
            many = torch.stack([x * 2, x * 3]), (torch.stack([y, y * 2]) if dims[1] == 0 else y)
            found.append(torch.vmap(lambda a, b, f=f: push(f, (x, y), (a, b)), in_dims=dims)(*many))
            found.append(torch.vmap(lambda a, b, f=f: push(f, (a, b), (x, y)), in_dims=dims)(*many))
    return found


def views_of_what_lies_otherwise_than_its_tangent(torch):
    """The value can be looked at in the new shape, its tangent only when it has been copied."""
    rows, columns = f64(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), f64(torch, [[1.0, 3.0, 5.0],
                                                                              [2.0, 4.0, 6.0]]).t()
    jvp, shapes = torch.func.jvp, {
        "view": lambda x: x.view(6) * 2, "reshape": lambda x: x.reshape(2, 3).sin(),
        "flatten": lambda x: x.flatten() * 3,
        "in lanes": lambda x: torch.vmap(lambda k: (x * k).reshape(6).sum())(x[0]),
        "rows": lambda x: torch.vmap(lambda r: r.reshape(1, 2))(x),
    }
    return {name: jvp(f, (rows,), (columns,)) for name, f in shapes.items()}
