"""Attention with several heads, as one function; part of `torch.nn.functional`."""

import math
from collections.abc import Sequence
from typing import Any

from autodidact.functions.joining import cat
from autodidact.functions.linalg import baddbmm, bmm
from autodidact.nn.functional import dropout, linear, softmax
from autodidact.nn.functional_layers import pad
from autodidact.tensor import Tensor

__all__ = ["multi_head_attention_forward"]


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None,
    bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
    need_weights: bool = True, attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple:
    """What `nn.MultiheadAttention` computes, with its parameters as arguments.

    Args:
        query: shape (L, N, E), or (L, E).
        key: shape (S, N, E); with separate weights, of their size.
        value: shape (S, N, E).
        embed_dim_to_check: E.
        num_heads: into so many parts is E cut.
        in_proj_weight, in_proj_bias: of queries, keys and values, one under the other: (3 E, E).
        bias_k, bias_v: one more key and value for every example, or None.
        add_zero_attn: one more key and value, zero.
        dropout_p: of the weights, while `training`.
        out_proj_weight, out_proj_bias: of the layer that combines the heads.
        key_padding_mask: shape (N, S): True (or a number to add) where a key is padding.
        need_weights: give the weights, too.
        attn_mask: shape (L, S) or (N * heads, L, S): True where looking is forbidden, or
            numbers to add.
        use_separate_proj_weight: take q_proj_weight, k_proj_weight and v_proj_weight instead.
        static_k, static_v: ready keys and values, shape (N * heads, S, E / heads).
        average_attn_weights: over the heads.
        is_causal: a promise that attn_mask is the causal one.

    Returns:
        The result, as the query; and the weights, shape (N, L, S), or None.

    Raises:
        AssertionError: shapes that do not fit. RuntimeError: a mask of a wrong shape.
    """
    check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    check_width(query.size(-1), embed_dim_to_check, num_heads)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    batched = query.dim() == 3
    if not batched:
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    own = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = projected(query, key, value, in_proj_weight, own, in_proj_bias)
    k, v = with_biases(k, v, bias_k, bias_v, static_k, static_v)
    heads = query.size(1) * num_heads
    q, k, v = (in_heads(q, heads, None, ""), in_heads(k, heads, static_k, "static_k"),
               in_heads(v, heads, static_v, "static_v"))
    given = k.size(1)
    if add_zero_attn:
        k, v = (cat([t, t.new_zeros(heads, 1, t.size(2))], 1) for t in (k, v))
    mask = merged(attn_mask, key_padding_mask, query.size(1), q, k.size(1), given)
    weights = scores(q, k, mask, dropout_p if training else 0.0)
    result = bmm(weights, v).transpose(0, 1).reshape(-1, embed_dim_to_check)
    result = linear(result, out_proj_weight, out_proj_bias)
    result = result.view(*query.shape[:2], result.size(1))
    weights = shown(weights, num_heads, average_attn_weights) if need_weights else None
    if not batched:
        result, weights = result.squeeze(1), weights if weights is None else weights.squeeze(0)
    return result, weights


def check_shapes(query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None,
                 mask: Tensor | None, heads: int) -> None:
    """All of them batched, or none."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                             f"{dims}-D query tensor")
    kind = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(f"For {kind} `query`, expected `key` and `value` to be {dims}-D but "
                             f"found {key.dim()}-D and {value.dim()}-D tensors respectively")
    if padding is not None and padding.dim() != dims - 1:
        raise AssertionError(f"For {kind} `query`, expected `key_padding_mask` to be `None` or "
                             f"{dims - 1}-D but found {padding.dim()}-D tensor instead")
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D "
                             f"but found {mask.dim()}-D tensor instead")
    whole = (heads, query.size(0), key.size(0))
    if dims == 2 and mask is not None and mask.dim() == 3 and tuple(mask.shape) != whole:
        raise AssertionError(f"Expected `attn_mask` shape to be {whole} but got {mask.shape}")


def check_width(size: int, wanted: int, heads: int) -> None:
    """Queries are as wide as the module says, and divide into the heads."""
    if size != wanted:
        raise AssertionError(f"was expecting embedding dimension of {wanted}, but got {size}")
    if size % heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {heads}")


def projected(query: Tensor, key: Tensor, value: Tensor, packed: Tensor | None,
              own: tuple | None, bias: Tensor | None) -> Sequence:
    """Queries, keys and values through their linear maps; of one and the same tensor at once."""
    if own is None:
        if packed is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if query is key is value:
            return together(query, 3, packed, bias)
        if key is value:
            size = query.size(-1)
            first, rest = packed.split([size, 2 * size])
            biases = (None, None) if bias is None else bias.split([size, 2 * size])
            return linear(query, first, biases[0]), *together(key, 2, rest, biases[1])
        own = packed.chunk(3)
    for name, weight in zip(("q", "k", "v"), own, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                             f"{value.shape[:2]}")
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return [linear(t, w, b) for t, w, b in zip((query, key, value), own, biases, strict=True)]


def together(x: Tensor, count: int, weight: Tensor, bias: Tensor | None) -> tuple:
    """Several linear maps of the same tensor, from one product."""
    wide = linear(x, weight, bias).unflatten(-1, (count, x.size(-1)))
    each = wide.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(each[i] for i in range(count))


def with_biases(k: Tensor, v: Tensor, bias_k: Any, bias_v: Any, static_k: Any,
                static_v: Any) -> tuple:
    """Keys and values with one more, learned, for every example."""
    if bias_k is None and bias_v is None:
        return k, v
    for name, bias in (("bias_k", bias_k), ("bias_v", bias_v)):
        if bias is None:
            raise AssertionError(f"{'bias_v' if name == 'bias_k' else 'bias_k'} is set but {name} "
                                 "is None")
    if static_k is not None or static_v is not None:
        raise AssertionError("bias cannot be added to static key or static value.")
    n = k.size(1)
    return cat([k, bias_k.repeat(1, n, 1)]), cat([v, bias_v.repeat(1, n, 1)])


def in_heads(t: Tensor, heads: int, ready: Tensor | None, name: str) -> Tensor:
    """(L, N, E) -> (N * heads, L, E / heads); or the ready keys or values, where there are some."""
    width = t.size(1) * t.size(2) // heads
    if ready is None:
        return t.view(t.size(0), heads, width).transpose(0, 1)
    for dim, size in ((0, heads), (2, width)):
        if ready.size(dim) != size:
            raise AssertionError(f"expecting {name}.size({dim}) of {size}, but got "
                                 f"{ready.size(dim)}")
    return ready


def merged(mask: Tensor | None, padding: Tensor | None, n: int, q: Tensor, keys: int,
           given: int) -> Tensor | None:
    """What is added to the scores, of a shape that broadcasts to theirs, (N * heads, L, S).

    `given` of the S keys are the caller's own; the masks say nothing of the others.
    """
    heads, length, _ = q.shape
    if mask is not None:
        whole = (length, given) if mask.dim() == 2 else (heads, length, given)
        if tuple(mask.shape) != whole:
            raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but "
                               f"should be {whole}.")
        mask = numbers("attn_mask", mask, q, keys)
        mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
    if padding is None:
        return mask
    if tuple(padding.shape) != (n, given):
        raise AssertionError(f"Expected key_padding_mask.shape to be {(n, given)}, but got "
                             f"{tuple(padding.shape)}")
    padding = numbers("key_padding_mask", padding, q, keys)
    padding = padding.view(n, 1, 1, keys).expand(-1, heads // n, -1, -1).reshape(heads, 1, keys)
    return padding if mask is None else mask + padding


def scores(q: Tensor, k: Tensor, mask: Tensor | None, dropped: float) -> Tensor:
    """How much each query looks at each key: (N * heads, L, S), rows with the sum 1."""
    q, k = q * math.sqrt(1.0 / q.size(2)), k.transpose(1, 2)
    weights = softmax(bmm(q, k) if mask is None else baddbmm(mask, q, k), -1)
    return dropout(weights, dropped) if dropped > 0 else weights


def shown(weights: Tensor, heads: int, average: bool) -> Tensor:
    """The weights as they are returned: (N, heads, L, S), or their mean over the heads."""
    weights = weights.view(-1, heads, *weights.shape[1:])
    return weights.mean(1) if average else weights


def numbers(name: str, mask: Tensor, like: Tensor, keys: int) -> Tensor:
    """A mask as numbers to add: minus infinity where it is True; zeros for the added keys."""
    if mask._array.dtype.kind not in "bf":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask.size(-1) != keys:
        mask = pad(mask, (0, keys - mask.size(-1)))
    if mask._array.dtype.kind != "b":
        return mask.to(like.dtype)
    return like.detach().new_zeros(mask.shape).masked_fill(mask, -math.inf)
