"""Strides and memory of gradients."""

from tests.autograd.observe import f64, leaf, plain, raises


def _leaf(torch, base, cut):
    return cut(base).detach().requires_grad_()


def new_gradients_follow_a_dense_leaf(torch):
    z = torch.zeros
    k = {"dtype": torch.float64}
    found = {}
    for name, x in {
        "contiguous": _leaf(torch, z(3, 4, **k), lambda t: t),
        "transposed": _leaf(torch, z(3, 4, **k), lambda t: t.t()),
        "permuted": _leaf(torch, z(2, 3, 4, **k), lambda t: t.permute(1, 2, 0)),
        "sliced": _leaf(torch, z(8, **k), lambda t: t[::2]),
        "columns": _leaf(torch, z(2, 6, **k), lambda t: t[:, ::2]),
        "expanded": _leaf(torch, z(1, **k), lambda t: t.expand(4)),
        "row": _leaf(torch, z(3, 4, **k), lambda t: t[1]),
        "number": _leaf(torch, z((), **k), lambda t: t),
    }.items():
        g = torch.ones(x.shape, dtype=torch.float64)
        (x * 2).backward(g)
        first = list(x.grad.stride())
        x.grad = None
        if x.dim() == 2:
            (x * 2).backward(torch.ones(x.shape[::-1], dtype=torch.float64).t())
            found[name] = [list(x.stride()), first, list(x.grad.stride())]
        else:
            x.sum().backward()
            found[name] = [list(x.stride()), first, list(x.grad.stride())]
    return found


def existing_gradients_keep_theirs(torch):
    found = []
    for create in (False, True):
        x = leaf(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        given = torch.zeros(2, 3, dtype=torch.float64).t()
        x.grad = given
        (x * x).sum().backward(create_graph=create)
        found.append([x.grad is given, list(x.grad.stride()), plain(x.grad)])
        x.grad = None
    return found


def stealing(torch):
    """The pass gives its own buffer away, but never one buffer to two, and never the caller's."""
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    (x + y).sum().backward()
    a = x.grad.data_ptr() == y.grad.data_ptr()
    g = f64(torch, [1.0, 1.0])
    v = leaf(torch, [1.0, 2.0])
    v.view_as(v).backward(g)
    seen = []
    w = leaf(torch, [1.0, 2.0])
    w.register_hook(lambda t: seen.append(t))
    (w * 1).backward(g)
    seen[0].mul_(100)
    u = leaf(torch, [1.0, 2.0])
    (u * 2 + u * 3).backward(g)
    return [a, plain(w.grad), plain(u.grad), plain(g)]


def result_may_be_what_was_given(torch):
    v = leaf(torch, [1.0, 2.0])
    g = f64(torch, [1.0, 1.0])
    return torch.autograd.grad(v.view_as(v), v, g)[0].data_ptr() == g.data_ptr()


def sum_of_broadcast_gradients(torch):
    """Several expanded gradients meet at one tensor: none is written into."""
    x = leaf(torch, [1.0, 2.0, 3.0])
    m = x * 1
    (m.sum() * 2 + m.sum() * 3 + m.mean()).backward()
    first = plain(x.grad)
    (x.sum() + x.sum()).backward()
    return [first, x.grad]


def gradient_is_writable_and_separate(torch):
    x = leaf(torch, [1.0, 2.0])
    x.sum().backward()
    x.grad.mul_(5)
    y = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y.sum(0).sum().backward()
    y.grad[0, 0] = 9.0
    z = leaf(torch)
    (z * 3).backward()
    z.grad.add_(1)
    return plain([x.grad, y.grad, z.grad])


def zeroing(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * x).sum().backward()
    first = x.grad
    x.grad.zero_()
    (x * x).sum().backward()
    return [x.grad is first, plain(first)]


def as_strided_of_a_view_of_a_view(torch):
    """However many views lie between, the memory is that of the first."""
    x = f64(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    wide = x.t().expand(2, 2, 3).expand(2, 2, 2, 3)
    return plain([wide.as_strided((4,), (1,)), wide.expand(3, 2, 2, 2, 3).as_strided((2,), (2,), 1),
                  wide.storage_offset(), list(wide.stride())])


def gradients_of_leaves_with_gaps(torch):
    """A leaf that is not dense gets a row-major gradient, however its dimensions are ordered."""
    found = []
    base = torch.arange(24.0).reshape(2, 3, 4)
    for look in (lambda t: t[:, :, ::2], lambda t: t.transpose(0, 2)[::2], lambda t: t[:, ::2].mT,
                 lambda t: t.permute(2, 0, 1), lambda t: t[0].t()[1:]):
        leaf = look(base.clone()).detach().requires_grad_()
        (leaf * leaf).sum().backward()
        found.append([list(leaf.stride()), list(leaf.grad.stride())])
        leaf.grad = None
        (leaf.transpose(0, 1) * 2).sum().backward()
        found.append(list(leaf.grad.stride()))
    return found


def joined_tensors_are_row_major(torch):
    """However the parts lie in memory; so a view of the result is possible."""
    a = torch.arange(6.0).reshape(2, 3).t()
    b = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    joined = [torch.cat([a, a]), torch.cat([a, a], 1), torch.stack([a, a]), torch.stack([a, a], 2),
              torch.cat([b, b], 1), torch.stack([b, b], 1), torch.vmap(
                  lambda x: torch.stack([x, x]).view(-1), in_dims=2)(b)]
    return [list(t.stride()) for t in joined]


def laid_out_by_hand(torch):
    """A tensor with strides of one's own is no view; what is written into it lies as they say."""
    found = []
    for size, stride in (((2, 3), (1, 2)), ((2, 3), (7, 2)), ((), ()), ((2,), (3,))):
        t = torch.empty_strided(size, stride, dtype=torch.float64, requires_grad=True)
        with torch.no_grad():
            t.copy_(torch.arange(1, t.numel() + 1).reshape(size))
        (t * t).sum().backward()
        block = t.detach().as_strided((t.untyped_storage().nbytes() // 8,), (1,))
        found.append([list(t.stride()), t.is_contiguous(), t._is_view(), t.is_leaf, t._version,
                      len(block), t, t.grad, list(t.grad.stride())])
    repeated = torch.empty_strided((2, 3), (0, 1))
    new = torch.ones(2, dtype=torch.int32).new_empty_strided((2, 3), (1, 2))
    for t in (repeated, new, new.new_empty_strided((2,), (2,), dtype=torch.float32)):
        found.append([list(t.stride()), str(t.dtype), t.untyped_storage().nbytes()])
    return [*found, raises(lambda: repeated.mul_(2), "more than one element")]
