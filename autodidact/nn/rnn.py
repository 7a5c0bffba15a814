"""Recurrent networks over whole sequences: RNN, LSTM, GRU.

The input's part of all steps is one product; what remains for each step is the state's part. An
LSTM of float32 is one operation for each layer and direction (`ops/recurrent.py`), as in PyTorch.
"""

import math
from typing import Any

import numpy as np

from autodidact.arrays.dtype import float32
from autodidact.autograd.grad_mode import mode
from autodidact.functions.creation import fresh
from autodidact.functions.joining import cat, stack
from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.linear import new_parameter
from autodidact.nn.module import Module
from autodidact.nn.rnn_cells import gru_step, lstm_step, relu_step, tanh_step
from autodidact.nn.utils.rnn import PackedSequence
from autodidact.ops import recurrent as rows
from autodidact.tensor import Tensor

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Module):
    """What they share; subclasses write `step`.

    Attributes:
        gates: how many hidden sizes the weights are high.
        states: how many tensors are passed on.
    """

    gates = 1
    states = 1

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 proj_size: int = 0, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the "
                             "probability of an element being zeroed")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size should be a positive integer or zero, and smaller than "
                             "hidden_size")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._names: list = []
        words = {"dtype": dtype, "device": device}
        out, height = proj_size or hidden_size, self.gates * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else out * (1 + bidirectional)
            for suffix in ("", "_reverse") if bidirectional else ("",):
                sizes = {"weight_ih": (height, width), "weight_hh": (height, out)}
                if bias:
                    sizes |= {"bias_ih": (height,), "bias_hh": (height,)}
                if proj_size:
                    sizes |= {"weight_hr": (proj_size, hidden_size)}
                names = {name: f"{name}_l{layer}{suffix}" for name in sizes}
                for name, size in sizes.items():
                    setattr(self, names[name], new_parameter(*size, **words))
                self._names.append(names)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all of [-1/sqrt(hidden), 1/sqrt(hidden))."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def mode(self) -> str:
        """PyTorch's name of the kind: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU"."""
        nonlinearity = getattr(self, "nonlinearity", None)
        return "RNN_" + nonlinearity.upper() if nonlinearity else type(self).__name__

    @property
    def all_weights(self) -> list:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names.values()] for names in self._names]

    def flatten_parameters(self) -> None:
        """Nothing: memory is as it should be."""

    def step(self, x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
        """The next state."""
        raise NotImplementedError

    # ---- over a sequence ------------------------------------------------------------------------

    def forward(self, input: Any, hx: Any = None) -> tuple:
        """Run over sequences.

        Args:
            input: shape (L, N, in), with `batch_first` (N, L, in), unbatched (L, in); or packed.
            hx: the first state, shape (layers * directions, N, hidden), a pair for LSTM; zeros if
                None.

        Returns:
            The last layer's states at all steps, and all layers' last states.
        """
        packed = isinstance(input, PackedSequence)
        if packed:
            steps, sizes = input.data, input.batch_sizes.tolist()
            batched, count = True, sizes[0]
        else:
            if input.dim() not in (2, 3):
                raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got "
                                 f"{input.dim()}D instead")
            batched = input.dim() == 3
            steps = input if batched else input.unsqueeze(1)
            steps = steps.transpose(0, 1) if self.batch_first and batched else steps
            sizes, count = None, steps.size(1)
        if steps.size(-1) != self.input_size:
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected "
                               f"{self.input_size}, got {steps.size(-1)}")
        state = self._first_state(steps, hx, count, batched)
        if packed and input.sorted_indices is not None and hx is not None:
            state = tuple(s.index_select(1, input.sorted_indices) for s in state)
        out, last = self._layers(steps, state, sizes)
        if packed:
            if input.unsorted_indices is not None:
                last = tuple(s.index_select(1, input.unsorted_indices) for s in last)
            out = input._replace(data=out)
        elif not batched:
            out, last = out.squeeze(1), tuple(s.squeeze(1) for s in last)
        elif self.batch_first:
            out = out.transpose(0, 1)
        return out, (last if self.states > 1 else last[0])

    def _first_state(self, steps: Tensor, hx: Any, count: int, batched: bool) -> tuple:
        sizes = [self.proj_size or self.hidden_size, self.hidden_size][:self.states]
        layers = self.num_layers * (1 + self.bidirectional)
        if hx is None:
            return tuple(steps.new_zeros(layers, count, size) for size in sizes)
        state = hx if self.states > 1 else (hx,)
        state = state if batched else tuple(s.unsqueeze(1) for s in state)
        for s, size in zip(state, sizes, strict=True):
            if tuple(s.shape) != (layers, count, size):
                raise RuntimeError(f"Expected hidden size {(layers, count, size)}, got "
                                   f"{list(s.shape)}")
        return state

    def _layers(self, steps: Tensor, state: tuple, sizes: list | None) -> tuple:
        """All layers, the directions of each side by side."""
        directions, lasts = 1 + self.bidirectional, []
        for layer in range(self.num_layers):
            outs = []
            for d in range(directions):
                number = layer * directions + d
                own = tuple(s[number] for s in state)
                out, last = self._run(steps, own, self._names[number], sizes, reverse=d == 1)
                outs.append(out)
                lasts.append(last)
            steps = outs[0] if directions == 1 else cat(outs, -1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                steps = F.dropout(steps, self.dropout)
        return steps, tuple(stack(part) for part in zip(*lasts, strict=True))

    def _run(self, steps: Tensor, state: tuple, names: dict, sizes: list | None,
             reverse: bool) -> tuple:
        """One layer in one direction: the states at all steps, and the last state."""
        weight = {name: getattr(self, full) for name, full in names.items()}
        x = F.linear(steps, weight["weight_ih"], weight.get("bias_ih"))
        parts = x.unbind(0) if sizes is None else x.split(sizes)
        first, outs, ended = state, [None] * len(parts), []
        if sizes is not None and reverse:
            state = tuple(s[:sizes[-1]] for s in state)
        for t in reversed(range(len(parts))) if reverse else range(len(parts)):
            have, now = state[0].size(0), parts[t].size(0)
            if now > have:                          # backwards: longer sequences begin later
                state = tuple(cat([s, f[have:now]]) for s, f in zip(state, first, strict=True))
            elif now < have:                        # forwards: the shorter ones have ended
                ended.append(tuple(s[now:] for s in state))
                state = tuple(s[:now] for s in state)
            state = self.step(parts[t], state, weight["weight_hh"], weight.get("bias_hh"))
            if self.proj_size:
                state = (F.linear(state[0], weight["weight_hr"]), *state[1:])
            outs[t] = state[0]
        for rest in reversed(ended):
            state = tuple(cat([s, r]) for s, r in zip(state, rest, strict=True))
        return (stack(outs) if sizes is None else cat(outs)), state

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("proj_size", 0), ("num_layers", 1), ("bias", True),
                            ("batch_first", False), ("dropout", 0), ("bidirectional", False)):
            value = getattr(self, name)
            text += "" if value == usual else f", {name}={value}"
        return text


class RNN(RNNBase):
    """A simple recurrent network: `h' = tanh(W x + V h + b)`.

    Args:
        input_size: size of the input at each step.
        hidden_size: size of the state.
        num_layers: so many layers, each fed by the one before.
        nonlinearity: "tanh" or "relu".
        bias: whether something is added.
        batch_first: the batch's dimension comes first.
        dropout: between layers, while training.
        bidirectional: a second network runs backwards; outputs side by side.
        device: "cpu".
        dtype: of the parameters.
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 nonlinearity: str = "tanh", bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or "
                             "'relu'.")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity

    def step(self, x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
        """The next state."""
        return (tanh_step if self.nonlinearity == "tanh" else relu_step)(x, state, weight, bias)


class LSTM(RNNBase):
    """Long short-term memory; the arguments are those of RNN, and `proj_size`."""

    gates, states = 4, 2

    def _layers(self, steps: Tensor, state: tuple, sizes: list | None) -> tuple:
        """As before; one operation wants its input row-major."""
        whole = self._at_once(steps, state, sizes)
        return super()._layers(steps.contiguous() if whole else steps, state, sizes)

    def _run(self, steps: Tensor, state: tuple, names: dict, sizes: list | None,
             reverse: bool) -> tuple:
        """One operation where PyTorch has one, else step by step."""
        if not self._at_once(steps, state, sizes):
            return super()._run(steps, state, names, sizes, reverse)
        weights = [getattr(self, name) for name in names.values()]
        if not self.bias:
            weights += [fresh(np.zeros(len(weights[0]), np.float32))] * 2
        out, *last = rows.mkldnn_rnn_layer.call(steps, *weights, *state, reverse)
        return out, tuple(last)

    def _at_once(self, steps: Tensor, state: tuple, sizes: list | None) -> bool:
        """Whether all is plain float32 in main memory, and nothing is packed or projected."""
        every = (steps, *state, *self.parameters())
        return not (sizes is not None or self.proj_size or mode.stack or mode.duals) and all(
            type(t._array) is np.ndarray and t.dtype is float32 and t.numel() for t in every)

    def step(self, x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
        """The next state."""
        return lstm_step(x, state, weight, bias)


class GRU(RNNBase):
    """Gated recurrent units; the arguments are those of RNN."""

    gates = 3

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)

    def step(self, x: Tensor, state: tuple, weight: Tensor, bias: Tensor | None) -> tuple:
        """The next state."""
        return gru_step(x, state, weight, bias)
