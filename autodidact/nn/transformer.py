"""Transformers: layers of attention and small networks, with shortcuts around both."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.functions.creation import fresh
from autodidact.nn import init
from autodidact.nn.attention import MultiheadAttention
from autodidact.nn.containers import ModuleList
from autodidact.nn.dropout import Dropout
from autodidact.nn.functional_all import F
from autodidact.nn.linear import Linear
from autodidact.nn.module import Module
from autodidact.nn.normalization import LayerNorm
from autodidact.tensor import Tensor

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
           "TransformerEncoderLayer"]


def function_of(activation: Any) -> Callable:
    """An activation by name, or itself."""
    if activation in ("relu", "gelu"):
        return getattr(F, activation)
    if isinstance(activation, str):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return activation


class Layer(Module):
    """What the two kinds of layers share."""

    norms = 2

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        words = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "bias": bias, "batch_first": batch_first, **words}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        if self.norms == 3:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **words)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **words)
        self.norm_first = norm_first
        for i in range(1, self.norms + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias, **words))
        for i in range(1, self.norms + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = function_of(activation)

    def _beside(self, x: Tensor, norm: Module, block: Callable) -> Tensor:
        """A block and the way around it, normalised before the block or after both."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _network(self, x: Tensor) -> Tensor:
        """The small network of each position."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(Layer):
    """Attention to itself, then a small network.

    Args:
        d_model: size of each position.
        nhead: heads of the attention.
        dim_feedforward: width of the network.
        dropout: everywhere, while training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: of the normalisations.
        batch_first: tensors are (N, L, E), not (L, N, E).
        norm_first: normalise before each block.
        bias: whether layers add something.
        device: "cpu".
        dtype: of the parameters.
    """

    def forward(self, src: Tensor, src_mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        """The layer's output, as `src`."""
        def attend(x: Tensor) -> Tensor:
            found, _ = self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)
            return self.dropout1(found)
        x = self._beside(src, self.norm1, attend)
        return self._beside(x, self.norm2, lambda x: self.dropout2(self._network(x)))


class TransformerDecoderLayer(Layer):
    """Attention to itself, attention to the encoder's output, then a small network."""

    norms = 3

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Tensor:
        """The layer's output, as `tgt`."""
        def attend(x: Tensor) -> Tensor:
            found, _ = self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)
            return self.dropout1(found)

        def look(x: Tensor) -> Tensor:
            found, _ = self.multihead_attn(x, memory, memory, memory_key_padding_mask, False,
                                           memory_mask)
            return self.dropout2(found)
        x = self._beside(tgt, self.norm1, attend)
        x = self._beside(x, self.norm2, look)
        return self._beside(x, self.norm3, lambda x: self.dropout3(self._network(x)))


class TransformerEncoder(Module):
    """Several encoder layers, copies of one."""

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src: Tensor, mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Tensor:
        """All layers in turn."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Several decoder layers, copies of one."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(decoder_layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None,
                memory_is_causal: bool = False) -> Tensor:
        """All layers in turn."""
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                        memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encoder and decoder."""

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
                 num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, custom_encoder: Module | None = None,
                 custom_decoder: Module | None = None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        words = {"bias": bias, "device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
                   batch_first, norm_first)
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*options, **words), num_encoder_layers,
            LayerNorm(d_model, layer_norm_eps, **words))
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*options, **words), num_decoder_layers,
            LayerNorm(d_model, layer_norm_eps, **words))
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None,
                tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, **causal: Any) -> Tensor:
        """The decoder's output for `tgt`, looking at the encoder's for `src`."""
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                            memory_key_padding_mask)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Minus infinity above the diagonal: no position looks at later ones."""
        kind = dt.get_default_dtype() if dtype is None else dtype
        return fresh(np.triu(np.full((sz, sz), -np.inf, kind.numpy), 1))
