"""Inference mode."""

from tests.autograd.observe import f64, leaf, plain, raises


def spellings(torch):
    on = torch.is_inference_mode_enabled
    found = [on()]
    with torch.inference_mode():
        found.append([on(), torch.is_grad_enabled()])
        with torch.inference_mode(False):
            found.append([on(), torch.is_grad_enabled()])
        with torch.inference_mode(mode=False):
            found.append(on())
        with torch.enable_grad():
            found.append([on(), torch.is_grad_enabled()])
        found.append(on())
    with torch.inference_mode(False):
        found.append([on(), torch.is_grad_enabled()])
    with torch.no_grad(), torch.inference_mode(False):
        found.append([on(), torch.is_grad_enabled()])

    @torch.inference_mode()
    def a():
        return on()

    @torch.inference_mode
    def b():
        return on()

    @torch.inference_mode(mode=False)
    def c():
        return on()

    found.append([a(), b(), c(), torch.inference_mode(mode=on)(), on()])

    @torch.inference_mode()
    def g():
        yield on()
        yield on()

    found.append([list(g()), on()])
    return found


def what_is_made_inside(torch):
    with torch.inference_mode():
        t = torch.ones(2, dtype=torch.float64)
        u = torch.ones(2, requires_grad=True)
        f = t + 1
        v = f[:1]
        d = t.detach()
        inside = [x.is_inference() for x in (t, u, f, v, d)]
    text = "Inference tensors do not track version counter"
    g = t * 2
    w = t.view(-1)
    return {
        "inside": inside,
        "function": torch.is_inference(t),
        "leaf": [u.requires_grad, u.is_leaf],
        "results": [f.requires_grad, f.is_leaf, f.grad_fn, v._is_view()],
        "version": raises(lambda: t._version, text),
        "outside": [g.is_inference(), g.requires_grad, g.is_leaf],
        "view outside": [w.is_inference(), w._is_view(), w.data_ptr() == t.data_ptr()],
        "detach outside": t.detach().is_inference(),
        "normal": [torch.is_inference(f64(torch, 1.0))],
    }


def in_place(torch):
    with torch.inference_mode():
        t = torch.ones(2, dtype=torch.float64)
        t.mul_(2)
        t[0] = 5.0
        inside = [plain(t), t.is_inference()]
    text = "Inplace update to inference tensor outside InferenceMode"
    return [
        inside,
        raises(lambda: t.add_(1), text),
        raises(lambda: t.__setitem__(0, 1.0), text),
        raises(lambda: t.view(-1).add_(1), text),
        plain(t),
    ]


def normal_tensors_inside(torch):
    x = leaf(torch, [1.0, 2.0])
    n = x * 1
    before = n._version
    with torch.inference_mode():
        n.add_(1)
        v = n[:1]
        kept = [
            n.is_inference(),
            n.requires_grad,
            n.is_leaf,
            n._version - before,
            v.is_inference(),
            v._is_view(),
            v.requires_grad,
            v.is_leaf,
            v._base is n,
        ]
        w = x.view(-1)
        of_leaf = [w.requires_grad, w.is_leaf, w.grad_fn]
        p = x * 2
        result = [p.is_inference(), p.requires_grad]
    return [kept, of_leaf, result, plain(n)]


def views_made_inside(torch):
    x = leaf(torch, [1.0, 2.0])
    n = x * 1
    m = x * 1
    with torch.inference_mode():
        v, w = n[:1], m[:1]
    of_view = v[:]
    m.add_(1)
    return [
        raises(
            lambda: v.add_(1), "A view was created in inference mode and is being modified inplace"
        ),
        raises(
            lambda: of_view.add_(1),
            "A view was created in inference mode and is being modified inplace",
        ),
        raises(
            lambda: w.grad_fn, "A view was created in inference mode and its base or another view"
        ),
    ]


def saving(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        t = f64(torch, [3.0, 4.0])
        u = torch.ones(2, dtype=torch.float64, requires_grad=True)
    text = "Inference tensors cannot be saved for backward"
    (x + t).sum().backward()
    (u + 1).sum().backward()
    return [
        raises(lambda: x * t, text),
        raises(lambda: t.clone() * x),
        x.grad,
        u.grad,
        raises(lambda: t * t),
    ]


def requires_grad_outside(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        t.requires_grad_()
    with torch.inference_mode():
        u = torch.ones(2)
    return [
        t.requires_grad,
        raises(
            lambda: u.requires_grad_(),
            "Setting requires_grad=True on inference tensor outside InferenceMode",
        ),
    ]


def clone_is_normal(torch):
    with torch.inference_mode():
        t = f64(torch, [1.0])
        c = t.clone()
    d = t.clone()
    d.add_(1)
    return [c.is_inference(), d.is_inference(), plain(d)]


def out_into_an_inference_tensor(torch):
    with torch.inference_mode():
        t = torch.ones(2, dtype=torch.float64)
    x = leaf(torch, [1.0, 2.0])
    return [
        raises(lambda: torch.add(x, x, out=t), "out="),
        raises(lambda: torch.add(x.detach(), 1, out=t), "Inplace update to inference tensor"),
    ]


def no_record_inside(torch):
    x = leaf(torch)
    with torch.inference_mode():
        y = x * x
        with torch.inference_mode(False):
            z = x * x
    return [raises(y.backward, "does not require grad"), z.requires_grad, [z.backward(), x.grad]]


def increment_version(torch):
    bump = torch.autograd.graph.increment_version
    with torch.inference_mode():
        t = torch.ones(2)
        bump(t)
    a, b = torch.ones(2), torch.tensor([1, 2])
    bump(a)
    bump((a, b))
    bump(x for x in (b,))
    return [raises(lambda: bump(t)), a._version, b._version]


def several_views_made_inside(torch):
    """Of a normal tensor, they are normal views, which remember where they were made."""
    said = ("A view was created in inference mode and is being modified inplace",
            "A view was created in no_grad mode and is being modified inplace")
    found = []
    for views in (lambda x: x.unbind(0), lambda x: x.split(1), lambda x: x.chunk(2),
                  lambda x: x.split_with_sizes([1, 1]), lambda x: [x[:1], x.t(), x.view(-1)]):
        for mode in (torch.inference_mode, torch.no_grad):
            for leafy in (False, True):
                x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
                base = x if leafy else x * 1
                with mode():
                    made = views(base)
                    made[0].mul_(2)
                    fresh = views(base)
                v, of_view = fresh[0], fresh[1][:]
                found.append([v.is_inference(), v._is_view(), v._base is base, v.requires_grad,
                              v._version, base._version, base.is_inference(), base])
                found += [raises(lambda t=t: t.mul_(2).shape, *said) for t in (v, of_view)]
                found.append(raises(lambda made=made: made[0].grad_fn is None, "or another view"))
                with torch.no_grad():
                    found.append(fresh[1].mul_(2).tolist())
    return found


def normal_tensors_written_inside(torch):
    """They stay normal, keep requires_grad, and count the write; a leaf, too."""
    found = []
    for make in (lambda: leaf(torch, [1.0, 2.0]), lambda: leaf(torch, [1.0, 2.0]) * 1,
                 lambda: f64(torch, [1.0, 2.0])):
        x = make()
        with torch.inference_mode():
            x.mul_(2)
            x[0] = 5.0
            v = x[:1]
            v.add_(1)
            found.append([v.is_inference(), v._is_view(), v.requires_grad, v._version])
            found.append([x[1:].is_leaf, x.view(-1).is_leaf])
        found.append([x.is_inference(), x.requires_grad, x.is_leaf, x._version, x])
    return found
