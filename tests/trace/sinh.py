"""Four ways to write sinh as a custom Function; two of them lose the second derivative."""

import autodidact as torch
from autodidact.autograd.function import once_differentiable


class Inputs(torch.autograd.Function):
    """Saves its input: right."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sinh(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.cosh(x)


class Intermediates(torch.autograd.Function):
    """Saves what forward has computed, where nothing is recorded: the link to x is lost."""

    @staticmethod
    def forward(ctx, x):
        e, n = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(e, n)
        return (e - n) / 2

    @staticmethod
    def backward(ctx, grad):
        e, n = ctx.saved_tensors
        return grad * (e + n) / 2


class Returned(torch.autograd.Function):
    """Returns the intermediates as well, so that they belong to the graph: right."""

    @staticmethod
    def forward(ctx, x):
        e, n = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(e, n)
        return (e - n) / 2, e, n

    @staticmethod
    def backward(ctx, grad, grad_e, grad_n):
        e, n = ctx.saved_tensors
        return grad * (e + n) / 2 + grad_e * e - grad_n * n


class Once(torch.autograd.Function):
    """Says itself that there is no second derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sinh(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.cosh(x)


ALL = {"inputs": Inputs, "intermediates": Intermediates, "returned": Returned, "once": Once}


def leaf(value=1.0):
    """A float64 leaf."""
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def first(result):
    """The value itself, of the version that returns more."""
    return result[0] if isinstance(result, tuple) else result
