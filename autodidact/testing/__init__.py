"""torch.testing: tensors to try a function on, and a comparison that says where two differ."""

from autodidact.testing.comparison import assert_close
from autodidact.testing.creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
