"""The node that a view gets when its base was written to: its name, its number, what it passes."""

from tests.autograd.observe import f64, leaf, names, raises

VIEWS = {
    "view": lambda x: x.view(-1),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "select": lambda x: x[0],
    "slice": lambda x: x[1:],
    "all": lambda x: x[...],
    "narrow": lambda x: x.narrow(1, 0, 2),
    "diagonal": lambda x: x.diagonal(),
    "permute": lambda x: x.permute(1, 0),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "as_strided": lambda x: x.as_strided((2,), (2,)),
    "view_as": lambda x: x.view_as(x),
    "expand": lambda x: x.unsqueeze(0).expand(2, 2, 3),
    "squeeze": lambda x: x[:1].squeeze(0),
    "chain": lambda x: x.t()[1:].unsqueeze(0),
    "reshape": lambda x: x.reshape(3, 2),
}


def _base(torch):
    a = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return a, a.clone()


def _gradients(torch, v, a):
    weights = torch.arange(1, v.numel() + 1, dtype=torch.float64).reshape(v.shape)
    first, = torch.autograd.grad((v * v * weights).sum(), a, create_graph=True)
    return [first, torch.autograd.grad(first.sum(), a, retain_graph=True)[0]]


def each_kind(torch):
    """One AsStridedBackward0; under forced tracking the nodes of the view's own operations."""
    found = {}
    for name, view in VIEWS.items():
        for kept in (False, True):
            a, base = _base(torch)
            with torch.autograd._force_original_view_tracking(kept):
                v = view(base)
            base.mul_(a)
            found[f"{name} {kept}"] = [names(v.grad_fn), v, _gradients(torch, v, a)]
    return found


def after_a_write_through_the_view(torch):
    """Base and view after a write through the view, or through a view of the view."""
    found = []
    for kept in (False, True):
        for write in (lambda v: v.mul_(2), lambda v: v[0].mul_(2), lambda v: v.exp_()):
            a, base = _base(torch)
            with torch.autograd._force_original_view_tracking(kept):
                v = base.t()[1:]
            write(v)
            found.append([names(v.grad_fn), names(base.grad_fn), _gradients(torch, v, a),
                          _gradients(torch, base, a)])
    return found


def tracked_in_part(torch):
    """A step made outside is strided: together with those before it, or alone after a kept one."""
    found = []
    for pattern in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)):
        a, base = _base(torch)
        v = base
        for kept, view in zip(pattern, (lambda x: x.t(), lambda x: x[1:], lambda x: x[..., 0]),
                              strict=True):
            with torch.autograd._force_original_view_tracking(bool(kept)):
                v = view(v)
        base.mul_(a)
        found.append([names(v.grad_fn), _gradients(torch, v, a)])
    return found


def when_tracking_is_asked_for(torch):
    """It counts when the view is made, not when its node is read."""
    _, base = _base(torch)
    v = base[0]
    base.mul_(2)
    with torch.autograd._force_original_view_tracking(True):
        return names(v.grad_fn)


def the_switch(torch):
    """As context, plain call and decorator; what it was comes back."""
    autograd = torch.autograd
    found = [autograd.is_view_replay_enabled()]
    with autograd._force_original_view_tracking(True):
        found.append(autograd.is_view_replay_enabled())
        with autograd._force_original_view_tracking(False):
            found.append(autograd.is_view_replay_enabled())
        found.append(autograd.is_view_replay_enabled())
    found.append(autograd.is_view_replay_enabled())

    @autograd._force_original_view_tracking(True)
    def decorated():
        return autograd.is_view_replay_enabled()

    found += [decorated(), autograd.is_view_replay_enabled()]
    autograd._force_original_view_tracking(True)
    found.append(autograd.is_view_replay_enabled())
    autograd._force_original_view_tracking(False)
    found.append(autograd.is_view_replay_enabled())
    return found


def refused_as_ever(torch):
    """Tracking allows no write that was refused."""
    found = []
    for view in (lambda x: x.unbind(0)[0], lambda x: torch.no_grad()(lambda: x[0])()):
        _, base = _base(torch)
        with torch.autograd._force_original_view_tracking(True):
            v = view(base)
        found.append(raises(lambda v=v: v.mul_(2), "is being modified inplace"))
        base.mul_(2)
        found.append(raises(lambda v=v: v.grad_fn, "has been modified inplace"))
    return found


def of_complex_numbers(torch):
    """A view that reads the numbers as another dtype gets its own node; a stride cannot say it."""
    found = []
    for view in (torch.view_as_real, lambda c: torch.view_as_real(c)[0], lambda c: c.real,
                 lambda c: c.imag, lambda c: c.real[0], lambda c: c.t()[1:].imag,
                 lambda c: torch.view_as_complex(torch.view_as_real(c)[1:])):
        for write in (lambda c, v: c.mul_(2j), lambda c, v: v.mul_(2)):
            a = torch.tensor([[1 + 2j, 3 - 1j], [0.5j, 2.0]], requires_grad=True)
            c = a.clone()
            v = view(c)
            write(c, v)
            found.append([names(v.grad_fn), names(c.grad_fn), v, torch.autograd.grad(
                (v * v.conj()).real.sum(), a)])
    return found


def of_real_numbers_seen_as_complex(torch):
    a = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    base = a.clone()
    c = torch.view_as_complex(base)
    d = c[1:]
    base.mul_(a)
    found = [names(c.grad_fn), names(d.grad_fn), torch.autograd.grad(d.abs().sum(), a)]
    return found


def its_turn(torch):
    """The node of the view that was written to is as old as the write, whenever it is read."""
    found = []
    for read in ("at once", "later", "by an operation"):
        a, b, log = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, 3.0), []
        base = a.clone()
        v, other = base.t(), base[0]
        v.sin_()
        if read == "at once":
            v.grad_fn
        y = b.tanh()
        w = v * 1 if read == "by an operation" else v
        for name, t in (("view", v), ("tanh", y), ("other", other), ("base", base)):
            assert t.grad_fn             # torch crashes where a hook is the first to ask
            t.register_hook(lambda g, name=name, log=log: log.append(name))
        ((w * w).sum() + (other * y).sum()).backward()
        found.append([log, v.grad_fn._sequence_nr() - base.grad_fn._sequence_nr()])
    return found


def its_turn_after_two_writes(torch):
    """After a write through another view, the first view's node is as old as its reading."""
    a, b, log = leaf(torch, [1.0, 2.0, 3.0]), leaf(torch, 3.0), []
    base = a.clone()
    v, other = base[:2], base[1:]
    v.mul_(2)
    other.mul_(3)
    y = b.tanh()
    for name, t in (("view", v), ("tanh", y), ("other", other)):
        assert t.grad_fn
        t.register_hook(lambda g, name=name: log.append(name))
    ((v * v).sum() + (other * other).sum() + y).backward()
    return log


def a_leaf_seen_again(torch):
    """A view of a leaf that was written to without recording leads to its accumulator."""
    found = []
    for kept in (False, True):
        a = f64(torch, [1.0, 2.0, 3.0], True)
        with torch.autograd._force_original_view_tracking(kept):
            v = a[1:]
        with torch.no_grad():
            a.mul_(2)
        found.append([names(v.grad_fn), torch.autograd.grad((v * v).sum(), a)])
    return found


def after_its_shape_was_changed_in_place(torch):
    """The view keeps the node of that change; after a write there is a new one."""
    found = []
    for change in (lambda v: v.t_(), lambda v: v.unsqueeze_(0), lambda v: v.squeeze_(),
                   lambda v: v.transpose_(0, 1), lambda v: v.as_strided_((2,), (1,))):
        a, base = _base(torch)
        v, other = base[:1], base[0]
        change(v)
        found.append([names(v.grad_fn), names(other.grad_fn)])
        v.mul_(2)
        found.append([names(v.grad_fn), v, _gradients(torch, v, a), _gradients(torch, other, a)])
    return found


def its_turn_after_an_unrecorded_write(torch):
    """A write that is not recorded makes the node anew, and with it younger."""
    found = []
    for read in (False, True):
        for write in (lambda v, w: None, lambda v, w: v.mul_(2), lambda v, w: w.mul_(2)):
            a, b, log = leaf(torch, [1.0, 2.0, 3.0]), leaf(torch, 3.0), []
            base = a.clone()
            v, other = base[:2], base[1:]
            v.sin_()
            if read:
                assert v.grad_fn
            y = b.tanh()
            with torch.no_grad():
                write(v, other)
            for name, t in (("view", v), ("tanh", y)):
                assert t.grad_fn
                t.register_hook(lambda g, name=name, log=log: log.append(name))
            ((v * v).sum() + y).backward()
            found.append([log, names(v.grad_fn)])
    return found


def of_a_base_detached_after_an_unrecorded_write(torch):
    found = []
    for write in (lambda v, w: None, lambda v, w: v.mul_(2), lambda v, w: w.mul_(2)):
        a = leaf(torch, [1.0, 2.0, 3.0])
        base = a.clone()
        v, other = base[:2], base[1:]
        v.mul_(3)
        with torch.no_grad():
            write(v, other)
        base.detach_()
        found.append([v.requires_grad, base.requires_grad, v.grad_fn and names(v.grad_fn), v])
    return found
