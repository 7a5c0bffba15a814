"""Complex tensors and their real views, written to inside transforms."""

import warnings


def _functions(torch):
    def whole_then_part(x):
        c = x * (1 + 1j)
        part = torch.view_as_real(c)[..., 1]
        c.mul_(2j)
        return (part * part).sum()

    def real_part_written(x):
        c = x * (1 + 1j)
        c.real.mul_(x)
        return (c * c.conj()).real.sum()

    def imaginary_part_overwritten(x):
        c = x * (1 + 2j)
        c.imag[1:] = x[:2] * 3
        return (c * c).real.sum() + c.imag.sum()

    def both_parts_written(x):
        c = x * (1 + 2j)
        torch.view_as_real(c)[1:].mul_(2)
        return (c * c.conj()).real.sum()

    def complex_view_of_a_view(x):
        c = (x * (1 + 2j)).reshape(3, 1)
        c[1:].mul_(1j)
        c.t()[:, 0].real.zero_()
        return (c * c.conj()).real.sum()

    def real_seen_as_complex(x):
        y = torch.stack([x, x * 2], -1)
        c = torch.view_as_complex(y)
        part = c[1:]
        y.mul_(3)
        part.mul_(x[1:] * 1j)
        return (part * part).real.sum() + c.abs().sum() + y.sum()

    def remade_by_its_own_steps(x):
        y = x * 1
        with torch.autograd._force_original_view_tracking(True):
            v = y[1:]
        y.mul_(x)
        return (v * v).sum()

    return [whole_then_part, real_part_written, imaginary_part_overwritten, both_parts_written,
            complex_view_of_a_view, real_seen_as_complex, remade_by_its_own_steps]


def _each(torch, transformed):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [transformed(f, x) for f in _functions(torch)]


def gradients(torch):
    return _each(torch, lambda f, x: torch.func.grad(f)(x))


def gradients_of_every_lane(torch):
    return _each(torch, lambda f, x: torch.vmap(torch.func.grad(f))(torch.stack([x, x * 2])))


def second_derivatives_in_reverse(torch):
    return _each(torch, lambda f, x: torch.func.jacrev(torch.func.grad(f))(x))


def forward_over_reverse(torch):
    return _each(torch, lambda f, x: torch.func.jacfwd(torch.func.grad(f))(x))


def forward(torch):
    return _each(torch, lambda f, x: torch.func.jvp(f, (x,), (x * x,)))


def batched_gradients(torch):
    def transformed(f, x):
        x = x.clone().requires_grad_()
        y = torch.stack([f(x), f(2 * x)])
        return torch.autograd.grad(y, x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)
    return _each(torch, transformed)
