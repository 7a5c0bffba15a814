"""MultiheadAttention: every position looks at all others, in several ways at once."""

import math
from typing import Any

from autodidact.functions.joining import cat
from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.linear import Linear, new_parameter
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """Linear under the name that PyTorch prints here."""


class MultiheadAttention(Module):
    """`softmax(Q Kᵀ / sqrt(d)) V` for each head, the heads' results combined by a Linear.

    Args:
        embed_dim: size of queries and results.
        num_heads: into so many parts are they cut.
        dropout: of the weights, while training.
        bias: whether the projections add something.
        add_bias_kv: one more key and value, learned.
        add_zero_attn: one more key and value, zero.
        kdim: size of keys; default: embed_dim.
        vdim: size of values; default: embed_dim.
        batch_first: tensors are (N, L, E), not (L, N, E).
        device: "cpu".
        dtype: of the parameters.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.batch_first, self.head_dim = batch_first, embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        words = {"dtype": dtype, "device": device}
        same = self._qkv_same_embed_dim
        parts = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if same:
            self.in_proj_weight = new_parameter(3 * embed_dim, embed_dim, **words)
        for name, width in parts.items():
            self.register_parameter(name, None if same else new_parameter(
                embed_dim, width, **words))
        if not same:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", new_parameter(3 * embed_dim, **words)
                                if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **words)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, new_parameter(1, 1, embed_dim, **words)
                                    if add_bias_kv else None)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight,
                       self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query: Tensor, key: Tensor, value: Tensor,
                key_padding_mask: Tensor | None = None, need_weights: bool = True,
                attn_mask: Tensor | None = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple:
        """Attend.

        Args:
            query: shape (L, N, E), with `batch_first` (N, L, E), unbatched (L, E).
            key: shape (S, N, kdim).
            value: shape (S, N, vdim).
            key_padding_mask: shape (N, S): True (or a number to add) where a key is padding.
            need_weights: give the weights, too.
            attn_mask: shape (L, S) or (N * heads, L, S): True where looking is forbidden, or
                numbers to add.
            average_attn_weights: over the heads.
            is_causal: a promise that attn_mask is the causal one.

        Returns:
            The result, as the query; and the weights, shape (N, L, S), or None.
        """
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        batched = query.dim() == 3
        if not batched:
            query, key, value = (t.unsqueeze(1) for t in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (t.transpose(0, 1) for t in (query, key, value))
        result, weights = self._attend(query, key, value, key_padding_mask, attn_mask)
        if not need_weights:
            weights = None
        elif average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            result = result.squeeze(1)
            weights = weights if weights is None else weights.squeeze(0)
        elif self.batch_first:
            result = result.transpose(0, 1)
        return result, weights

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None,
                mask: Tensor | None) -> tuple:
        """The same on (L, N, E); the weights of all heads, shape (N, heads, L, S)."""
        length, n, _ = query.shape
        q, k, v = self._project(query, key, value)
        if self.bias_k is not None:
            k = cat([k, self.bias_k.repeat(1, n, 1)])
            v = cat([v, self.bias_v.repeat(1, n, 1)])
        if self.add_zero_attn:
            k, v = (cat([t, t.new_zeros(1, n, self.embed_dim)]) for t in (k, v))
        q, k, v = (t.reshape(t.size(0), n, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
                   for t in (q, k, v))
        scores = (q * math.sqrt(1.0 / self.head_dim)) @ k.transpose(-2, -1)
        for added in self._masks(padding, mask, scores):
            scores = scores + added
        weights = F.softmax(scores, -1)
        weights = F.dropout(weights, self.dropout, self.training)
        result = (weights @ v).permute(2, 0, 1, 3).reshape(length, n, self.embed_dim)
        return self.out_proj(result), weights

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> list:
        weights = (self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else
                   (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight))
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [F.linear(t, w, b)
                for t, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _masks(self, padding: Tensor | None, mask: Tensor | None, scores: Tensor) -> list:
        """What is added to the scores, in shapes that broadcast to (N, heads, L, S)."""
        n, heads, length, keys = scores.shape
        found = []
        if mask is not None:
            mask = numbers(mask, scores, keys)
            found.append(mask if mask.dim() == 2 else mask.reshape(n, heads, length, keys))
        if padding is not None:
            found.append(numbers(padding, scores, keys).reshape(n, 1, 1, keys))
        return found


def numbers(mask: Tensor, like: Tensor, keys: int) -> Tensor:
    """A mask as numbers to add: minus infinity where it is True; zeros for the added keys."""
    if mask.size(-1) != keys:
        mask = F.pad(mask, (0, keys - mask.size(-1)))
    if mask._array.dtype.kind != "b":
        return mask.to(like.dtype)
    return like.detach().new_zeros(mask.shape).masked_fill(mask, -math.inf)
