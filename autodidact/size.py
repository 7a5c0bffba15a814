"""torch.Size: the shape of a tensor."""

from typing import Any

__all__ = ["Size"]


class Size(tuple):
    """The shape of a tensor: a tuple printed as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple) -> "Size":
        return Size(tuple.__add__(self, tuple(other)))
