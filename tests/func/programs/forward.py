"""Forward mode: dual tensors."""

import weakref

from tests.autograd.observe import collector_off, f64, leaf, raises


def _dual(torch, x, t):
    return torch.autograd.forward_ad.make_dual(f64(torch, x), f64(torch, t))


def _tangent(torch, t):
    found = torch.autograd.forward_ad.unpack_dual(t).tangent
    return None if found is None else found + 0


def levels(torch):
    fw = torch.autograd.forward_ad
    found = [fw._current_level]
    with fw.dual_level() as level:
        found += [level, fw._current_level]
        found += raises(
            fw.enter_dual_level, "Nested forward mode AD is not supported at the moment"
        )
    number = fw.enter_dual_level()
    fw.exit_dual_level(level=number)
    return [
        *found,
        fw._current_level,
        raises(fw.exit_dual_level),
        raises(lambda: _dual(torch, 1.0, 1.0), "no level exists"),
    ]


def refusals(torch):
    fw = torch.autograd.forward_ad
    x = f64(torch, [1.0, 2.0])
    with fw.dual_level():
        return [
            raises(
                lambda: fw.make_dual(x, f64(torch, [1.0])),
                "Trying to set a forward gradient that has a different size",
            ),
            raises(
                lambda: fw.make_dual(torch.tensor([1, 2]), x),
                "Expected primal to be floating point or complex",
            ),
            raises(
                lambda: fw.make_dual(x, torch.tensor([1, 2])),
                "Expected tangent to be floating point or complex",
            ),
            raises(
                lambda: fw.make_dual(x, fw.make_dual(x, x)),
                "has a forward gradient at the same level",
            ),
        ]


def unpacking(torch):
    fw = torch.autograd.forward_ad
    x, t = f64(torch, [1.0, 2.0]), f64(torch, [3.0, 4.0])
    with fw.dual_level():
        d = fw.make_dual(x, t)
        a, b = fw.unpack_dual(d), fw.unpack_dual(d)
        x.mul_(2)
        return [
            a.primal,
            a.tangent,
            a.tangent is t,
            a.tangent is b.tangent,
            a.primal is b.primal,
            d._version == x._version,
            fw.unpack_dual(x).tangent,
            fw.unpack_dual(a.primal).tangent,
        ]


def after_the_level(torch):
    fw = torch.autograd.forward_ad
    with collector_off():
        t = f64(torch, [3.0])
        with fw.dual_level():
            d = fw.make_dual(f64(torch, [2.0]), t)
            y = d.exp() * d
            gone = weakref.ref(t)
        del t
        first = gone() is None
        return [first, fw.unpack_dual(d).tangent, fw.unpack_dual(y).tangent, y]


def words_of_rows(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = _dual(torch, [[0.5, -1.0], [2.0, 0.3]], [[1.0, 2.0], [3.0, -1.0]])
        y = _dual(torch, [1.5, 0.2], [0.5, -2.0])
        results = [
            x.sin(),
            x * y,
            x + y,
            x @ y,
            x @ x,
            x.sum(0),
            x.t(),
            x[:, 1],
            x.softmax(1),
            x.abs(),
            x.clamp(0, 1),
            torch.cat([x, x * 2]),
            torch.stack([y, y]),
            x.prod(),
            x.amax(1),
            x.logsumexp(0),
            x.index_select(0, torch.tensor([1, 1])),
            x.masked_fill(x > 1, 0.0),
            torch.where(x > 0, x, x * 3),
            x.cumsum(1),
            x.relu(),
            x**3,
            x / y,
            2.0**y,
            x.reshape(4).flip(0),
            x.var(0),
            x.norm(),
            torch.maximum(x, x * 0.5),
            x.max(1).values,
            x.sort(1).values,
            x.expand(2, 2, 2),
            x.diagonal(),
            x.tril(),
        ]
        return [_tangent(torch, r) for r in results]


def complex_words(torch):
    fw = torch.autograd.forward_ad
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128)
    t = torch.tensor([0.5 - 1j, 2 + 0.1j], dtype=torch.complex128)
    with fw.dual_level():
        d = fw.make_dual(z, t)
        return [
            _tangent(torch, r)
            for r in (
                d * d,
                d.exp(),
                d.abs(),
                d.conj() * d,
                d.real,
                d.imag,
                1 / d,
                d.sqrt(),
                d.sgn(),
            )
        ]


def in_place_and_views(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        base = f64(torch, [[1.0, 2.0], [3.0, 4.0]])
        d = _dual(torch, [5.0, 6.0], [1.0, -1.0])
        before = base[1]
        base[0] = d
        plain = f64(torch, [1.0, 2.0, 3.0])
        plain[1:].mul_(d)
        x = fw.make_dual(
            f64(torch, [[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2, dtype=torch.float64)
        )
        view = x.t()
        view.mul_(d)
        z = x.clone()
        z.mul_(z)
        z.add_(1)
        z.sin_()
        return [_tangent(torch, v) for v in (base, before, base[0], plain, x, view, z)]


def what_does_not_take_part(torch):
    fw = torch.autograd.forward_ad
    x, t = f64(torch, [1.0, 2.0]), f64(torch, [1.0, 1.0])
    with fw.dual_level():
        d = fw.make_dual(x, t)
        with torch.no_grad():
            quiet = d * 2
        copy = d.clone()
        copy.detach_()
        same = fw.make_dual(x, t)
        same.eq_(same)
        return [_tangent(torch, v) for v in (d.detach(), quiet, copy, x, d > 1, same)]


def switched_off(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = _dual(torch, [1.0], [1.0])
        with fw._set_fwd_grad_enabled(False):
            off = [fw._is_fwd_grad_enabled(), _tangent(torch, d * 2)]
        return [*off, fw._is_fwd_grad_enabled(), _tangent(torch, d * 2)]


def reverse_and_forward(torch):
    fw = torch.autograd.forward_ad
    x, t = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, -1.0])
    with fw.dual_level():
        d = fw.make_dual(x, t)
        y = (d**3).sum()
        value, tangent = fw.unpack_dual(y)
        to_x, to_t = torch.autograd.grad(tangent, (x, t), retain_graph=True)
        (g,) = torch.autograd.grad(y, d, create_graph=True)
        return [value, tangent, to_x, to_t, g, fw.unpack_dual(g).tangent]


def saved_results_keep_their_tangent(torch):
    fw = torch.autograd.forward_ad
    x = leaf(torch, [0.3, 0.7])
    with fw.dual_level():
        d = fw.make_dual(x, f64(torch, [1.0, 2.0]))
        (g,) = torch.autograd.grad(d.exp().tanh().softmax(0)[0], d, create_graph=True)
        return fw.unpack_dual(g).tangent


def func_jvp_inside(torch):
    fw = torch.autograd.forward_ad
    x = f64(torch, 1.0)
    with fw.dual_level():
        return raises(
            lambda: torch.func.jvp(torch.sin, (x,), (x,)), "Nested forward mode AD is not supported"
        )


def printing(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return repr(_dual(torch, [1.0, 2.0], [3.0, 4.0]))


def copying_between_plain_and_dual(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = _dual(torch, [1.0, 2.0], [3.0, 4.0])
        wide = torch.zeros(3, 2, dtype=torch.float64)
        wide.copy_(d)
        d2 = _dual(torch, [[1.0, 2.0]], [[5.0, 6.0]])
        d2.copy_(torch.ones(2, dtype=torch.float64))
        single = torch.zeros(2)
        single.copy_(d)
        return [_tangent(torch, wide), _tangent(torch, d2), _tangent(torch, single)]


def custom_function(torch):
    fw = torch.autograd.forward_ad
    seen = []

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.factor = factor
            ctx.save_for_forward(x, y)
            seen.append(fw._is_fwd_grad_enabled())
            return x * factor * y

        @staticmethod
        def jvp(ctx, x_t, none, y_t):
            x, y = ctx.saved_tensors
            seen.extend([none, y_t is None, x.tolist()])
            return x_t * ctx.factor * y + x * ctx.factor * y_t

    with fw.dual_level():
        d = _dual(torch, [1.0, 2.0], [3.0, 4.0])
        r = Scaled.apply(d, 5.0, f64(torch, [1.0, 1.0]))
        return [_tangent(torch, r), seen]


def custom_function_saving_for_backward_only(torch):
    fw = torch.autograd.forward_ad

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def jvp(ctx, t):
            return t * 2 + len(ctx.saved_tensors)

    with fw.dual_level():
        return _tangent(torch, F.apply(_dual(torch, [1.0], [1.0])))


def _function(torch, forward, jvp):
    return type(
        "F",
        (torch.autograd.Function,),
        {"forward": staticmethod(forward), "jvp": staticmethod(jvp)},
    ).apply


def custom_views_and_writes(torch):
    fw = torch.autograd.forward_ad
    kept = torch.ones(2, dtype=torch.float64)

    def dirty(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    cases = [
        (lambda ctx, x: x.view(2), lambda ctx, t: t.clone(), "jvp is not returning a view"),
        (lambda ctx, x: x.view(2), lambda ctx, t: kept.view(2), "of the given"),
        (lambda ctx, x: x, lambda ctx, t: t, "A custom Function's forward is returning a view"),
        (dirty, lambda ctx, t: t * 2, "inplace custom Function is not modifying the forward mode"),
    ]
    found = []
    with fw.dual_level():
        for forward, jvp, phrase in cases:
            found.append(
                raises(
                    lambda f=forward, j=jvp: _function(torch, f, j)(
                        _dual(torch, [1.0, 2.0], [3.0, 4.0])
                    ),
                    phrase,
                )
            )
        good = [
            (lambda ctx, x: x.view(2), lambda ctx, t: t.view(2)),
            (lambda ctx, x: x, lambda ctx, t: t.view_as(t)),
            (dirty, lambda ctx, t: t.mul_(2)),
        ]
        for forward, jvp in good:
            d = _dual(torch, [1.0, 2.0], [3.0, 4.0]) * 1
            found.append(_tangent(torch, _function(torch, forward, jvp)(d)))
    return found


def custom_outputs_without_gradient(torch):
    fw = torch.autograd.forward_ad

    def forward(ctx, x):
        two = x * 2
        ctx.mark_non_differentiable(two)
        return x * 3, two

    with fw.dual_level():
        d = _dual(torch, [1.0], [1.0])
        a, b = _function(torch, forward, lambda ctx, t: (t * 3, None))(d)
        return [
            _tangent(torch, a),
            _tangent(torch, b),
            raises(
                lambda: _function(torch, forward, lambda ctx, t: (t * 3, t * 2))(d),
                "You should return None at that position instead",
            ),
        ]


def forward_over_backward_of_a_sort(torch):
    """The saved indices have no tangent; those of the values go on."""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = fw.make_dual(leaf(torch, [3.0, 1.0, 2.0]), f64(torch, [1.0, 2.0, 3.0]))
        (g,) = torch.autograd.grad((x.sort().values * x).sum() ** 2, x, create_graph=True)
        return _tangent(torch, g)


def logsumexp_of_large_numbers(torch):
    """Its weights sum to 1, though the numbers are too large for their last digits."""
    x, t = f64(torch, [1e9, 1e9 + 1, 1e9 + 1.5]), f64(torch, [1.0, 1.0, 1.0])
    return abs(torch.func.jvp(lambda x: x.logsumexp(0), (x,), (t,))[1].item() - 1) < 1e-12
