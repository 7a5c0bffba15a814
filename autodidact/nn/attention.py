"""MultiheadAttention: every position looks at all others, in several ways at once."""

from typing import Any

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
        turned = self.batch_first and query.dim() == 3
        if turned:
            alike, one = key is value, query is key is value          # and they stay so
            query = query.transpose(0, 1)
            key = query if one else key.transpose(0, 1)
            value = key if alike else value.transpose(0, 1)
        result, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask,
            need_weights, attn_mask, not self._qkv_same_embed_dim, self.q_proj_weight,
            self.k_proj_weight, self.v_proj_weight, average_attn_weights=average_attn_weights,
            is_causal=is_causal)
        return (result.transpose(0, 1) if turned else result), weights
