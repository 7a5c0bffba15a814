"""Programs that are ill, and some that are not, for the clinic."""

import autodidact as torch


def again(x):
    w = torch.tensor(x, requires_grad=True)
    shared = w * w
    one = shared * 3
    two = shared * shared
    one.backward()
    two.backward()
    return w.grad.item()


def changed(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 2
    z = y * y
    y += 1
    total = z + y
    total.backward()
    return w.grad.item()


def cut(x):
    w = torch.tensor(x, requires_grad=True)
    y = w.detach() * 3
    loss = y * y
    loss.backward()
    return w.grad.item()


def switched_off(x):
    w = torch.tensor(x, requires_grad=True)
    with torch.no_grad():
        y = w * 3
    loss = y * y
    loss.backward()
    return w.grad.item()


def many(numbers):
    w = torch.tensor(numbers, requires_grad=True)
    loss = w ** 2
    loss.backward()
    return w.grad.tolist()


def unused(x):
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    s = w * x
    grads = torch.autograd.grad(s * s, [w, b])
    return [grad if grad is None else grad.item() for grad in grads]


def descend(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    w -= 0.5 * w.grad
    return w.item()


def forgetful(x):
    w = torch.tensor(x, requires_grad=True)
    for _ in range(2):
        loss = (w - 3.0) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 1.5 * w.grad
    return w.item()


def sly(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = w * 3
    loss = y * y
    y.data += 1.0
    loss.backward()
    return w.grad.item()


def cube(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w):
            ctx.save_for_backward(w)
            return w ** 3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad):
            (w,) = ctx.saved_tensors
            return grad * 3 * w ** 2

    return Cube


Cube = cube(torch)


def shortened(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    total = Cube.apply(w) + w ** 2
    (slope,) = torch.autograd.grad(total, w, create_graph=True)
    slope.backward()
    return w.grad.item()


# ---- healthy -------------------------------------------------------------------------------------


def healthy(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    return w.grad.item()


def micro_batches(x):
    w = torch.tensor(x, requires_grad=True)
    for part in (1.0, 2.0):
        (w * part).backward()
    return w.grad.item()


def trained(x):
    w = torch.tensor(x, requires_grad=True)
    for _ in range(3):
        w.grad = None
        loss = (w - 3.0) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w.item()


def zeroed(x):
    w = torch.tensor(x, requires_grad=True)
    for _ in range(3):
        loss = (w - 3.0) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w.item()


def divides(x):
    w = torch.tensor(x, requires_grad=True)
    return w.item() / 0
