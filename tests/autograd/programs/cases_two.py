"""Faults that other libraries had, or their users ran into; several facts each."""

from tests.autograd.kit import dtype, err, leaf, quiet, shape, val


def c062_second_backward_pollutes_grad(torch):
    """Taking the second derivative with x.grad.backward() adds it on top of the first derivative
    in the same field.
    """
    x = leaf(torch, 2.0)
    quiet(lambda: (x**3).backward(create_graph=True))
    g = x.grad
    first = val(g)
    x.grad.backward()
    mixed = val(x.grad)
    y = leaf(torch, 2.0)
    quiet(lambda: (y**3).backward(create_graph=True))
    g2 = y.grad
    y.grad = None
    g2.backward()
    out = {"first": first, "mixed": mixed, "clean_second": val(y.grad), "g_still_first": val(g2)}
    x.grad = y.grad = None
    return out


def c066_jacobian_inside_vmap(torch):
    """A Jacobian per row through vmap(jacrev) agrees with the loop, forward and reverse agree."""
    f = torch.func
    g = lambda x: torch.stack([x.prod(), x.sin().sum()])
    X = torch.tensor([[1.0, 2.0], [0.5, -1.0]], dtype=torch.float64)
    rev = f.vmap(f.jacrev(g))(X)
    fwd = f.vmap(f.jacfwd(g))(X)
    loop = torch.stack([torch.autograd.functional.jacobian(g, r) for r in X])
    h = f.hessian(lambda x: (x**3).sum())(X[0])
    return {
        "rev": val(rev),
        "fwd_same": val(fwd) == val(rev),
        "loop_same": val(loop) == val(rev),
        "hessian": val(h),
    }


def c067_hessian_vector_product(torch):
    """hvp, vhp and the double-backward trick agree; a constant first derivative gives zeros, or an
    error under strict.
    """
    A = torch.autograd.functional
    s = lambda x: (x**3).sum() + x[0] * x[1]
    x, v = (
        torch.tensor([1.0, 2.0], dtype=torch.float64),
        torch.tensor([1.0, -1.0], dtype=torch.float64),
    )
    p = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(s(p), p, create_graph=True)
    (byhand,) = torch.autograd.grad((g * v).sum(), p)
    lin = lambda x: (3 * x).sum()
    return {
        "hvp": val(A.hvp(s, x, v)[1]),
        "vhp": val(A.vhp(s, x, v)[1]),
        "by_hand": val(byhand),
        "linear": val(A.hvp(lin, x, v)[1]),
        "linear_strict": err(lambda: A.hvp(lin, x, v, strict=True))["raises"],
    }


def c069_tensor_hook_changes_gradient(torch):
    """A hook that returns a value replaces the gradient, one that returns None does not; order is
    order of registration; removing the handle ends it.
    """
    x = leaf(torch, [1.0, 2.0])
    y = x * 3
    seen = []
    y.register_hook(lambda g: seen.append(("a", val(g))))
    y.register_hook(lambda g: g * 10)
    h = y.register_hook(lambda g: seen.append(("b", val(g))))
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    one = [val(x.grad), val(y.grad), list(seen)]
    h.remove()
    seen.clear()
    y.sum().backward()
    return {
        "one": one,
        "after_remove": seen,
        "x_total": val(x.grad),
        "plain": err(lambda: torch.ones(1).register_hook(print), "doesn't require gradient"),
    }


def c073_saved_tensor_hooks(torch):
    """What is packed for a*a, a quantising pack hook that changes the gradient, and a pack hook
    that writes into the tensor.
    """
    H = torch.autograd.graph.saved_tensors_hooks
    a = leaf(torch, [1.26, 2.74])
    n = {"pack": 0, "unpack": 0}

    def pack(t):
        n["pack"] += 1
        return ("q", (t.detach() * 2).round() / 2)

    def unpack(p):
        n["unpack"] += 1
        return p[1]

    with H(pack, unpack):
        y = (a * a).sum()
    packed = n["pack"]
    y.backward()
    b = leaf(torch, [1.0, 2.0])

    def rude(t):
        t.add_(1)
        return t

    with H(rude, lambda t: t):
        e = err(lambda: b.exp())
    with torch.autograd.graph.save_on_cpu():
        c = leaf(torch, [3.0])
        (c * c).sum().backward()
    return {
        "packs": packed,
        "unpacks": n["unpack"],
        "grad": val(a.grad),
        "writing_pack": e["raises"],
        "save_on_cpu": val(c.grad),
        "disabled": err(lambda: _c073_disabled(torch, a), "no hooks here"),
    }


def _c073_disabled(torch, a):
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            a * a


def c074_when_saved_values_are_freed(torch):
    """The saved values live until backward, until the result is dropped, or as long as
    retain_graph keeps them. Seen through weak references to packed objects.
    """
    import gc
    import weakref

    class Box:
        def __init__(self, t):
            self.t = t

    def build():
        refs = []

        def pack(t):
            b = Box(t.detach().clone())
            refs.append(weakref.ref(b))
            return b

        x = leaf(torch, [1.0, 2.0])
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
            y = (x.exp() * x).sum()
        return (x, y, refs)

    def alive(refs):
        gc.collect()
        return sum(r() is not None for r in refs)

    x, y, r = build()
    start = [len(r), alive(r)]
    y.backward(retain_graph=True)
    kept = alive(r)
    y.backward()
    freed = alive(r)
    _x2, y2, r2 = build()
    del y2
    return {
        "start": start,
        "after_retained_backward": kept,
        "after_backward": freed,
        "after_dropping_result": alive(r2),
        "grad": val(x.grad),
    }


def c076_where_and_the_branch_not_taken(torch):
    """torch.where picks the safe branch, but the other one still multiplies zero by infinity in
    backward and the gradient is NaN. Better: a tool that points at the node where 0 * inf
    happened. The cure is a second where on the input.
    """
    x = leaf(torch, [-1.0, 0.0, 4.0])
    torch.where(x > 0, torch.sqrt(x), x).sum().backward()
    y = leaf(torch, [-1.0, 0.0, 4.0])
    safe = torch.where(y > 0, y, torch.ones_like(y))
    torch.where(y > 0, torch.sqrt(safe), y).sum().backward()
    n = torch.tensor([0.0, 2.0], dtype=torch.float64)
    z = leaf(torch, [0.0, 1.0])
    q = z / n
    torch.where(n == 0, torch.zeros_like(q), q).sum().backward()
    return {
        "wart": True,
        "naive": val(x.grad),
        "double_where": val(y.grad),
        "division": val(z.grad),
    }


def c080_ties_in_max(torch):
    """Where several entries are the largest: full max and amax share the gradient, max over a
    dimension picks one.
    """

    def g(f, data):
        x = leaf(torch, data)
        f(x).sum().backward()
        return val(x.grad)

    d = [2.0, 5.0, 5.0]
    return {
        "max": g(lambda x: x.max(), d),
        "amax": g(lambda x: x.amax(), d),
        "max_dim": g(lambda x: x.max(0).values, d),
        "min_dim": g(lambda x: (-x).min(0).values, d),
        "median_two": g(lambda x: x.median(), [5.0, 5.0, 1.0]),
        "topk": g(lambda x: x.topk(1).values, [7.0, 5.0, 5.0]),
        "amin_rows": g(lambda x: x.amin(1), [[1.0, 1.0], [3.0, 2.0]]),
    }


def c085_log_of_softmax(torch):
    """log(softmax(x)) for large scores gives -inf and NaN gradients where log_softmax and
    logsumexp stay exact; the same for sigmoid and its logits loss.
    """
    F = torch.nn.functional

    def g(f, data=(0.0, 1000.0)):
        x = leaf(torch, list(data))
        y = f(x)
        y.backward()
        return [val(y), val(x.grad)]

    one = lambda x: torch.ones(2, dtype=torch.float64)
    return {
        "naive": g(lambda x: torch.log(torch.softmax(x, 0))[0]),
        "stable": g(lambda x: torch.log_softmax(x, 0)[0]),
        "lse": g(lambda x: torch.logsumexp(x, 0)),
        "naive_lse": g(lambda x: x.exp().sum().log()),
        "bce_logits": g(lambda x: F.binary_cross_entropy_with_logits(x, one(x)), (-800.0, 3.0)),
        "log_sigmoid": g(lambda x: F.logsigmoid(x).sum(), (-800.0, 3.0)),
        "softplus_big": g(lambda x: F.softplus(x).sum(), (100.0, -100.0)),
    }


def c086_pow_with_tensor_exponent(torch):
    """x ** y with both tracked: negative base gives a NaN gradient for the exponent only; 0 ** y
    is special-cased; a plain number as exponent never touches the logarithm.
    """
    x, y = (leaf(torch, [2.0, -2.0, 0.0, 0.0]), leaf(torch, [3.0, 3.0, 2.0, 0.0]))
    (x**y).sum().backward()
    z = leaf(torch, [-2.0, 0.0])
    (z**3).sum().backward()
    k = leaf(torch, [2.0])
    (3.0**k).sum().backward()
    return {
        "dx": val(x.grad),
        "dy": val(y.grad),
        "number_exponent": val(z.grad),
        "number_base": val(k.grad),
    }


def c092_mixed_dtypes(torch):
    """The gradient has its own tensor's dtype, whatever it was multiplied with; a Python number
    does not promote; matmul refuses a mix.
    """
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    i = torch.tensor([5, 6])
    y = a * b * i
    y.sum().backward()
    p = torch.ones(2, requires_grad=True)
    loss = torch.nn.functional.mse_loss(p, torch.zeros(2, dtype=torch.float64))
    e = err(loss.backward)
    return {
        "mse_mixed": [dtype(loss), e["raises"], val(p.grad), dtype(p.grad)],
        "result": dtype(y),
        "a": [dtype(a.grad), val(a.grad)],
        "b": [dtype(b.grad), val(b.grad)],
        "python_number": dtype(a * 2.5),
        "int_div": dtype(i / 2),
        "int_plus_float": dtype(i + 0.5),
        "zero_dim_double": dtype(a * torch.tensor(2.0, dtype=torch.float64)),
        "matmul": err(lambda: a @ b, "dtype")["raises"],
        "bool_sum": dtype((a > 1).sum()),
        "mean_int": err(lambda: i.mean())["raises"],
    }


def c094_truth_value_of_a_tensor(torch):
    """`if tensor:` with several elements is ambiguous; often it means a loss class was called
    instead of constructed.
    """
    t = torch.tensor([1.0, 0.0])
    msg = ("Boolean value of Tensor with more than one value is ambiguous",)
    return {
        "two": err(lambda: bool(t), *msg),
        "chained": err(lambda: 0 < t < 1, *msg),
        "one": bool(torch.tensor([0.5])),
        "empty": err(lambda: bool(torch.tensor([])))["raises"],
        "in_list": err(lambda: t in [torch.tensor([1.0, 1.0])], *msg)["raises"],
        "contains": 1.0 in t,
        "loss_class_misused": err(lambda: torch.nn.CrossEntropyLoss(t, t), *msg),
    }


def c097_deepcopy(torch):
    """A leaf can be deep-copied with its .grad, an intermediate cannot, so a model that stores an
    activation on itself cannot either. Pickling does work and yields a leaf without .grad.
    """
    import copy
    import pickle

    w = leaf(torch, [1.0, 2.0])
    (w * w).sum().backward()
    k = copy.deepcopy(w)
    with torch.no_grad():
        k += 1
    m = torch.nn.Linear(2, 1)
    n = copy.deepcopy(m)
    m.last = m(torch.ones(1, 2))
    r, s = (pickle.loads(pickle.dumps(t)) for t in (w, w * 2))
    return {
        "leaf": [val(k), k.requires_grad, k.is_leaf, val(k.grad)],
        "original": val(w),
        "pickled": [val(r), r.requires_grad, val(r.grad), s.is_leaf, val(s)],
        "nonleaf": err(lambda: copy.deepcopy(w * 2), "graph leaves", "deepcopy"),
        "module": [n.weight is m.weight, val(n.weight) == val(m.weight)],
        "module_with_activation": err(lambda: copy.deepcopy(m), "deepcopy"),
    }


def c098_inference_mode(torch):
    """A tensor made under inference_mode may not be saved for backward or written to later; a
    clone may.
    """
    w = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        t = torch.tensor([3.0, 4.0], dtype=torch.float64) * 2
        y = w * 2
    c = t.clone()
    (w * c).sum().backward()
    return {
        "flags": [t.is_inference(), y.requires_grad, c.is_inference()],
        "save": err(lambda: w * t, "inference tensors cannot be saved for backward", "clone"),
        "write": err(lambda: t.add_(1), "inference tensor")["raises"],
        "no_saving_ok": err(lambda: (w + t).sum().backward())["raises"],
        "grad": val(w.grad),
        "flag_inside": _c098_flag(torch),
    }


def _c098_flag(torch):
    with torch.inference_mode():
        return [torch.is_inference_mode_enabled(), torch.is_grad_enabled()]


def c102_data_replaced_after_creation(torch):
    """`x.data = new` on a leaf: the same object with other numbers; the graph still leads to that
    object. Done between forward and backward it goes unnoticed and the gradient is silently
    that of the new numbers. Better: notice it.
    """
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    x.data = torch.tensor([3.0, 4.0], dtype=torch.float64)
    y = (x * x).sum()
    same = y.grad_fn.next_functions[0][0].next_functions[0][0].variable is x
    y.backward()
    z = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    q = z * z
    z.data = torch.ones(2, dtype=torch.float64) * 7
    e = err(lambda: q.sum().backward())
    return {
        "wart": True,
        "same_object": same,
        "grad": val(x.grad),
        "version": x._version,
        "late_swap": [e["raises"], val(z.grad)],
    }


def c103_grad_object_is_updated_in_place(torch):
    """A remembered `g = x.grad` changes at the next backward because accumulation writes into the
    same tensor; with None in between it does not.
    """
    x = leaf(torch, [1.0, 2.0])
    (x * x).sum().backward()
    g = x.grad
    before = val(g)
    (x * x).sum().backward()
    after = [val(g), x.grad is g]
    x.grad = None
    (x * x).sum().backward()
    return {
        "before": before,
        "after": after,
        "kept_when_cleared": val(g),
        "new_object": x.grad is not g,
        "tracked": x.grad.requires_grad,
    }


def c104_target_not_detached(torch):
    """Bellman target computed from the same weights: without detach the gradient also flows into
    the target and can even change sign.
    """

    def run(cut):
        w = leaf(torch, 1.0)
        q, nxt = (w * 1.0, w * 2.0)
        target = 0.5 + 0.9 * (nxt.detach() if cut else nxt)
        loss = (q - target) ** 2
        loss.backward()
        return [val(loss), val(w.grad)]

    return {"flows": run(False), "cut": run(True)}


def c105_straight_through(torch):
    """Rounding kills the gradient (zeros, not None); the detach trick passes it on."""

    def g(f):
        x = leaf(torch, [0.4, 1.6])
        y = f(x)
        (y * y).sum().backward()
        return [val(y), val(x.grad)]

    return {
        "round": g(torch.round),
        "floor": g(torch.floor),
        "ceil": g(torch.ceil),
        "trick": g(lambda x: x + (x.round() - x).detach()),
        "frac_like": g(lambda x: x - x.floor()),
    }


def c109_zero_dim_intermediate(torch):
    """A mean in the middle makes a zero-dimensional intermediate; the backward pass and a recorder
    must accept it.
    """
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    h = x.mean()
    h.retain_grad()
    out = (h + 3.0) ** 2
    out.backward(torch.tensor(0.5, dtype=torch.float64))
    return {"h": [shape(h), val(h.grad)], "x": val(x.grad), "item": out.item()}
