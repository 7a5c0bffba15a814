"""Views that are older than what their base has become; views made under no_grad."""

from tests.autograd.observe import leaf, plain, raises


def _tripling(torch):
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(3)

        @staticmethod
        def backward(ctx, g):
            return g * 3

    return Triple.apply


def older_than_the_history_of_their_base(torch):
    """A view taken before its base required grad counts as a leaf until its grad_fn is read."""
    found = []
    for act in (
        lambda v, x: v.mul_(2), lambda v, x: v.add_(x[1:]), lambda v, x: v.copy_(x[1:]),
        lambda v, x: v.zero_(), lambda v, x: v.relu_(), lambda v, x: v.t_(),
        lambda v, x: v[0:1].mul_(2), lambda v, x: v.__setitem__(0, 1.0), lambda v, x: v * 2,
        lambda v, x: _tripling(torch)(v), lambda v, x: v.detach_(),
    ):
        for read in (False, True):
            x = leaf(torch, [1.0, 2.0, 3.0])
            base = torch.ones(3, dtype=torch.float64)
            view = base[1:]
            base.mul_(x)
            if read:
                view.grad_fn
            found.append(raises(lambda a=act, v=view, x=x: plain(a(v, x)),
                                "a leaf Variable that requires grad is being used")[:2])
            found.append(base)
    return found


def of_a_detached_leaf(torch):
    """A view keeps its history when its base, a leaf, is detached; it may still not be written."""
    x = leaf(torch, [1.0, 2.0])
    view = x.view(2)
    with torch.no_grad():
        x.detach_()
    said = "a view of a leaf Variable that requires grad is being used in an in-place operation."
    return [raises(lambda: view.mul_(2), said), raises(lambda: _tripling(torch)(view), said),
            raises(lambda: _tripling(torch)(leaf(torch, [1.0, 2.0])[1:]), said),
            x.requires_grad, view.requires_grad, view]


def made_under_no_grad_and_used(torch):
    """Its gradient leads nowhere, yet an operation on it alone saves, checks and frees."""
    found = []
    for f in (lambda v, w: v.sin(), lambda v, w: v * v, lambda v, w: v * w, lambda v, w: v.tanh(),
              lambda v, w: v * 2, lambda v, w: v.softmax(0), lambda v, w: v @ w.t(),
              lambda v, w: v.max(), lambda v, w: v / w, lambda v, w: v.sort()[0]):
        row = []
        for change in (False, True):
            a, w = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [[5.0, 6.0]])
            with torch.no_grad():
                v = a[:1]
            y = f(v, w)
            saved = sorted(n for n in dir(y.grad_fn) if n.startswith("_saved_")
                           and torch.is_tensor(getattr(y.grad_fn, n)))
            if change:
                with torch.no_grad():
                    a.mul_(2)
            row += [saved, v.requires_grad, [n is None for n, _ in y.grad_fn.next_functions],
                    raises(lambda y=y: y.sum().backward(), "A view was created in no_grad mode"),
                    raises(lambda y=y: y.sum().backward())[0], a.grad, w.grad]
        found.append(row)
    return found


def of_a_base_that_is_detached(torch):
    """Detaching the base leaves the views attached: also the one that was written to last."""
    found = []
    for write in (lambda v: v.cos_(), lambda v: v.mul_(v), lambda v: v.__setitem__(..., 2.0),
                  lambda v: v[0:1].mul_(2), lambda v: None):
        x = leaf(torch, [1.0, 2.0, 3.0])
        base = x * 2
        view, other = base[1:], base[:2]
        write(view)
        base.detach_()
        found.append([base.requires_grad, view.requires_grad, other.requires_grad])
        for v in (view, other):
            found.append(raises(lambda v=v, x=x: torch.autograd.grad(
                v.sum(), x, allow_unused=True, retain_graph=True)))
    return found


def a_base_that_gets_its_history_through_a_view(torch):
    """A plain tensor requires grad once a view of it was written to from one that does."""
    found = []
    for write in (lambda v, x: v.mul_(x), lambda v, x: v.copy_(x), lambda v, x: v.add_(x),
                  lambda v, x: v.__setitem__(slice(0, 2), x), lambda v, x: v.t_().mul_(x)):
        x = leaf(torch, [2.0, 3.0])
        base = torch.ones(3, dtype=torch.float64)
        early, view = base[:2], base[1:]
        write(view, x)
        late = base[2:]
        found.append([base.requires_grad, base.is_leaf, base.grad_fn is not None,
                      early.requires_grad, view.requires_grad, late.requires_grad,
                      early.grad_fn is not None])
        for t in (base, early, view, late):
            found.append(torch.autograd.grad(t.sum(), x, retain_graph=True))
    return found


def hooks_around_a_change_of_shape(torch):
    """A second hook, after an in-place view operation."""
    found = []
    for change in (lambda x: x.t_(), lambda x: x.unsqueeze_(0), lambda x: x.squeeze_()):
        for both in (False, True):
            log = []
            x = leaf(torch, [[1.0, 2.0, 3.0]]) * 2
            if both:
                x.register_hook(lambda g, log=log: log.append(["before", list(g.shape)]))
            change(x)
            x.register_hook(lambda g, log=log: log.append(["after", list(g.shape)]))
            (x * x).sum().backward()
            found.append(log)
    return found


def hooks_of_a_leaf_moved_into_the_interior(torch):
    """The pass is refused; which hooks have run by then?"""
    a, log = leaf(torch, [1.0, 2.0]), []
    x = a * 2
    a.detach_()
    a.sub_(x)
    a.register_hook(log.append)
    return [raises(lambda: (a * a).sum().backward(), "moved into the graph interior"), log]


def a_leaf_reshaped_while_in_use(torch):
    """A graph from before the change, then one from after it, while the old one is alive."""
    found = []
    for again in (False, True):
        a = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        y = a * 2
        with torch.no_grad():
            a.t_()
        if again:
            y = a * 2, y
        found.append(raises(lambda y=y, again=again: (y[0] if again else y).sum().backward(),
                            *([] if again else ["must match"])))
        found.append(a.grad)
    return found


def of_every_origin_and_reshaped_in_place(torch):
    """Shapes changed in place: refused at once while recording; without, by the next write."""
    def custom(x):
        class View(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x[:1]

            @staticmethod
            def backward(ctx, g):
                return g.expand(2, 3)
        return View.apply(x)

    origins = {
        "plain": lambda x: x[:1], "no_grad": torch.no_grad()(lambda x: x[:1]), "custom": custom,
        "inference": torch.inference_mode()(lambda x: x[:1]), "several": lambda x: x.split(1)[0],
        "view of no_grad": lambda x: torch.no_grad()(lambda x: x[:1])(x)[:],
    }
    changes = {
        "t_": lambda v: v.t_(), "transpose_": lambda v: v.transpose_(0, 1),
        "swapdims_": lambda v: v.swapdims_(0, 1), "swapaxes_": lambda v: v.swapaxes_(0, 1),
        "squeeze_": lambda v: v.squeeze_(), "squeeze_ one": lambda v: v.squeeze_(0),
        "unsqueeze_": lambda v: v.unsqueeze_(0),
        "as_strided_": lambda v: v.as_strided_((2,), (2,)),
    }
    said = ("is being modified inplace", "a leaf Variable")
    found = {}
    for origin, view in origins.items():
        for name, change in changes.items():
            for leafy in (False, True):
                a = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
                x = a if leafy else a * 2
                v, w = view(x), view(x)
                row = [raises(lambda v=v, change=change: list(change(v).shape), *said)]
                with torch.no_grad():
                    row.append(raises(lambda w=w, change=change: list(change(w).shape)))
                row += [w, w._version, x._version, w._base is x,
                        raises(lambda w=w: w.mul_(2).shape, *said)]
                if row[-1][0] == "nothing raised":
                    row.append(torch.autograd.grad((w * w).sum() + x.sum(), a))
                found[f"{origin} {name} {leafy}"] = row
    return found
