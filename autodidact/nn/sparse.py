"""Embedding: rows of a table, chosen by integers; EmbeddingBag: sums or means of several."""

from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.linear import new_parameter
from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """A learned vector for each of `num_embeddings` integers.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of each.
        padding_idx: a row that begins as zeros and gets no gradient.
        max_norm: rows that are looked up and longer are first shortened, in the table.
        norm_type: which norm `max_norm` means.
        scale_grad_by_freq: divide each row's gradient by how often it was used.
        sparse: accepted; gradients are dense.
        device: "cpu".
        dtype: of the table.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, sparse: bool = False,
                 _weight: Tensor | None = None, _freeze: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and "
                                     "embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Normal numbers; zeros in the padding row."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """The rows that the integers name: shape (*, embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        """The sizes and options."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("padding_idx", None), ("max_norm", None), ("norm_type", 2),
                            ("scale_grad_by_freq", False), ("sparse", False)):
            value = getattr(self, name)
            if value != usual:
                text += f", {name}={value}"
        return text

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True,
                        **options: Any) -> "Embedding":
        """A module on a given table."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(*embeddings.shape, _weight=embeddings, _freeze=freeze, **options)


class EmbeddingBag(Module):
    """Sums, means or maxima of learned vectors, one for each bag of integers.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of each.
        max_norm: rows that are looked up and longer are first shortened, in the table.
        norm_type: which norm `max_norm` means.
        scale_grad_by_freq: divide each row's gradient by how often it was used.
        mode: "sum", "mean" or "max".
        sparse: accepted; gradients are dense.
        include_last_offset: the offsets end with the number of all integers.
        padding_idx: a row that does not count.
        device: "cpu".
        dtype: of the table.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
                 sparse: bool = False, _weight: Tensor | None = None,
                 include_last_offset: bool = False, padding_idx: int | None = None,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.mode, self.sparse = scale_grad_by_freq, mode, sparse
        self.include_last_offset = include_last_offset
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Normal numbers; zeros in the padding row."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor, offsets: Tensor | None = None,
                per_sample_weights: Tensor | None = None) -> Tensor:
        """One vector for each bag: rows of `input`, or, with `offsets`, parts of it."""
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type,
                               self.scale_grad_by_freq, self.mode, self.sparse,
                               per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self) -> str:
        """The sizes and options."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False),
                            ("mode", None), ("padding_idx", None)):
            value = getattr(self, name)
            if value != usual:
                text += f", {name}={value!r}"
        return text
