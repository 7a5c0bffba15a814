"""One step of a recurrent network: RNNCell, LSTMCell, GRUCell, and the mathematics of a step."""

import math
from typing import Any

from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.linear import new_parameter
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


# ---- the mathematics ----------------------------------------------------------------------------
# `x` is the input, already times its weight and with the bias; `state` what is passed on.


def tanh_step(x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
    """h' = tanh(x + W h)."""
    return (F.linear(state[0], weight, bias).add(x).tanh(),)


def relu_step(x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
    """h' = max(x + W h, 0)."""
    return (F.relu(F.linear(state[0], weight, bias) + x),)


def lstm_step(x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
    """c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c')."""
    h, c = state
    i, f, g, o = (F.linear(h, weight, bias) + x).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
    """n = tanh(x_n + σ(r) (W_n h)), h' = n + σ(z) (h - n)."""
    (h,) = state
    x_r, x_z, x_n = x.chunk(3, 1)
    h_r, h_z, h_n = F.linear(h, weight, bias).chunk(3, 1)
    n = (x_n + (x_r + h_r).sigmoid() * h_n).tanh()
    return (n + (x_z + h_z).sigmoid() * (h - n),)


# ---- cells --------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What cells share.

    Attributes:
        gates: how many hidden sizes the weights are high.
        step: the mathematics.
        states: how many tensors are passed on.
    """

    gates = 1
    states = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        words, height = {"dtype": dtype, "device": device}, self.gates * hidden_size
        self.weight_ih = new_parameter(height, input_size, **words)
        self.weight_hh = new_parameter(height, hidden_size, **words)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, new_parameter(height, **words) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all of [-1/sqrt(hidden), 1/sqrt(hidden))."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def step(self, x: Tensor, state: tuple) -> tuple:
        """The next state."""
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """One step.

        Args:
            input: shape (N, in) or (in).
            hx: the state, shape (N, hidden) or (hidden), a pair of them for LSTM; zeros if None.

        Returns:
            The next state.
        """
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got "
                             f"{input.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            state = (x.new_zeros(x.size(0), self.hidden_size),) * self.states
        else:
            state = hx if self.states > 1 else (hx,)
            state = state if batched else tuple(s.unsqueeze(0) for s in state)
        state = self.step(F.linear(x, self.weight_ih, self.bias_ih), state)
        state = state if batched else tuple(s.squeeze(0) for s in state)
        return state if self.states > 1 else state[0]

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """One step of a simple recurrent network."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 nonlinearity: str = "tanh", device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
        self.nonlinearity = nonlinearity

    def step(self, x: Tensor, state: tuple) -> tuple:
        """The next state."""
        step = tanh_step if self.nonlinearity == "tanh" else relu_step
        return step(x, state, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = super().extra_repr()
        if self.nonlinearity == "tanh":
            return text
        return f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    gates, states = 4, 2

    def step(self, x: Tensor, state: tuple) -> tuple:
        """The next state."""
        return lstm_step(x, state, self.weight_hh, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    gates = 3

    def step(self, x: Tensor, state: tuple) -> tuple:
        """The next state."""
        return gru_step(x, state, self.weight_hh, self.bias_hh)
