"""Helpers of the programs `seed_*.py`: tensors, Functions and errors in few words."""

import importlib

from tests.autograd.observe import plain

__all__ = ["H", "error_of"]

# Of a message only these words are compared, as far as the message has them.
FRAGMENTS = (
    "second time", "inplace operation", "does not require grad", "only for scalar outputs",
    "real scalar", "not to have been used", "once_differentiable", "cannot be empty",
    "must be a dict", "Mismatch in shape", "Mismatch in dtype", "can only save", "allow_unused",
    "is_grads_batched", "vmap", "Tensors or None", "GradientEdge", "retain_grad",
    "gradient of size", "grad_dtype", "own grad", "expected device", "modifying its input",
    "unpack_hook", "no hooks here", "only_inputs", "grad_variables", "tensors and", "not iterable",
    "Tensor or None", "Jacobian mismatch", "Batching rule", "leaf", "in_dim", "layout contract",
    "reference cycle", "number of gradients")


def error_of(act):
    """The result of `act()`; of an exception its class and the FRAGMENTS that its message has."""
    try:
        return plain(act())
    except Exception as error:
        return "!" + type(error).__name__ + "".join(f" ~{f}" for f in FRAGMENTS if f in str(error))


class H:
    """One library, in short forms."""

    def __init__(self, torch):
        self.T = torch
        self.F = torch.autograd.Function
        self.grad = torch.autograd.grad
        self.graph = torch.autograd.graph
        function = importlib.import_module(f"{torch.__name__}.autograd.function")
        self.once = function.once_differentiable

    def t(self, values, rg=True, dtype=None):
        """A float64 leaf."""
        return self.T.tensor(values, dtype=dtype or self.T.double, requires_grad=rg)

    def ones(self, *size, **kw):
        """Ones of float64."""
        return self.T.ones(*size, dtype=self.T.double, **kw)

    def fn(self, forward, backward=None, name="Fn"):
        """A Function; its backward doubles the gradient when none is given."""
        return type(name, (self.F,), {"forward": staticmethod(forward),
                                      "backward": staticmethod(backward or (lambda ctx, g: g * 2))})

    def square(self, log=None):
        """x * x; each run of its backward is noted in `log`."""
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            if log is not None:
                log.append("called")
            return g * 2 * x
        return self.fn(forward, backward, "Square")

    def blend(self):
        """k * x * x, which saves an input, an intermediate and the output; once differentiable."""
        def forward(ctx, x, k):
            m = x * k
            out = m * x
            ctx.save_for_backward(x, m, out)
            ctx.k = k
            return out

        def backward(ctx, g):
            x, m, _ = ctx.saved_tensors
            return g * (m + ctx.k * x), None
        return type("Blend", (self.F,), {"forward": staticmethod(forward),
                                         "backward": staticmethod(self.once(backward))})

    def example(self):
        """The example of the page on save_for_backward: three saved tensors and a number."""
        class Func(self.F):
            @staticmethod
            def forward(ctx, x, y, z):
                w = x * z
                out = x * y + y * z + w * y
                ctx.save_for_backward(x, y, w, out)
                ctx.z = z
                return out

            @staticmethod
            @self.once
            def backward(ctx, grad_out):
                x, y, w, _ = ctx.saved_tensors
                z = ctx.z
                return grad_out * (y + y * z), grad_out * (x + z + w), None
        a, b = self.t(1.0), self.t(2.0)
        return {"a": a, "b": b, "d": Func.apply(a, b, 4)}
