"""Special functions with arguments: polygamma, mvlgamma, polar; the names of `torch.special`."""

import math
from typing import Any

from autodidact.autograd.grad_mode import mode
from autodidact.functions.arguments import need_tensor
from autodidact.inplace import write
from autodidact.ops import special as rows
from autodidact.ops.op import TABLE
from autodidact.public import FUNCTIONS, both, function, method
from autodidact.tensor import Tensor

__all__ = ["SPECIAL", "mvlgamma", "polygamma"]


def polygamma(n: int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of digamma.

    Example:
        >>> torch.polygamma(1, torch.tensor([1.0]))
        tensor([1.6449])
    """
    need_tensor(input, "polygamma", "input", 2)
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return rows.polygamma.call(input, n)


function(polygamma)


@method
def polygamma_(self: Tensor, n: int) -> Tensor:
    """`polygamma`, in place."""
    return write(rows.polygamma, self, (), (n,))


method(lambda self, n: polygamma(n, self), "polygamma")


@both
def mvlgamma(input: Tensor, p: int, *, out: Any = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    input = input if input._array.dtype.kind == "f" else input.float()
    total = math.log(math.pi) * p * (p - 1) / 4
    for j in range(p):
        total = rows.lgamma.call(input - j / 2) + total
    return total


@method
def mvlgamma_(self: Tensor, p: int) -> Tensor:
    """`mvlgamma`, in place."""
    return self.copy_(mvlgamma(self.clone(), p))


@function
def polar(abs: Tensor, angle: Tensor, *, out: Any = None) -> Tensor:
    """The complex numbers of these lengths and angles."""
    if abs._array.dtype != angle._array.dtype:
        raise RuntimeError("Expected object of scalar type "
                           f"{abs.dtype} but got scalar type {angle.dtype} for second argument")
    return FUNCTIONS["complex"](abs * angle.cos(), abs * angle.sin())


def of_other(name: str, row: Any, doc: str) -> Any:
    """A function that has a derivative in its second input only."""
    def f(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
        if mode.grad and isinstance(input, Tensor) and input.requires_grad:
            raise NotImplementedError(f"the derivative for '{name}: input' is not implemented.")
        return row.call(input, other)
    f.__name__, f.__doc__ = name, doc
    return f


igamma = both(of_other("igamma", rows.igamma, "The lower incomplete gamma function, over gamma."))
igammac = both(of_other("igammac", rows.igammac, "The upper one."))

for _f in (igamma, igammac):
    method(lambda self, other, f=_f: self.copy_(f(self.clone(), other)), f"{_f.__name__}_")

# torch.special's names, and ours.
SPECIAL = {name.removeprefix("special_"): op.call for name, op in TABLE.items()
           if name.startswith("special_")}
SPECIAL |= {theirs: FUNCTIONS[ours] for theirs, ours in {
    "digamma": "digamma", "psi": "digamma", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv",
    "exp2": "exp2", "expit": "sigmoid", "expm1": "expm1", "gammaln": "lgamma", "i0": "i0",
    "gammainc": "igamma", "gammaincc": "igammac", "log1p": "log1p", "logit": "logit",
    "logsumexp": "logsumexp", "multigammaln": "mvlgamma", "polygamma": "polygamma",
    "round": "round", "sinc": "sinc", "softmax": "softmax", "log_softmax": "log_softmax",
    "xlogy": "xlogy"}.items()}
SPECIAL["zeta"] = of_other("zeta", rows.special_zeta, "Hurwitz' zeta function.")
