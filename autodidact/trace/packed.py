"""What a record says of a saved tensor that a pack hook has turned into something else."""

from typing import Any

import numpy as np

from autodidact.autograd.saved_tensors import Packed
from autodidact.tensor_base import TensorBase
from autodidact.trace.plain import shape_text
from autodidact.trace.summary import number

__all__ = ["described", "packed_state", "reads_of"]

LONGEST = 40           # characters of a description
MOST_PARTS = 3         # of a tuple or list
PLAIN = (str, bytes, bool, type(None))


def reads_of(item: Packed) -> int:
    """How often an entry has been read; of several index tensors, saved as one, the most read."""
    parts = getattr(item, "parts", None)
    return item.reads if parts is None else max((p.reads for p in parts if p), default=0)


def packed_state(item: Packed) -> dict:
    """What is kept, which hook gives it back, and how often it has been read so far."""
    parts = getattr(item, "parts", None)
    if parts is not None:
        whole = [packed_state(part) for part in parts if part is not None]
        return {"what": shortened(", ".join(each["what"] for each in whole)),
                "hook": whole[0]["hook"] if whole else "-", "reads": reads_of(item)}
    hook = item.unpack
    name = str(getattr(hook, "__name__", None) or type(hook).__name__)
    return {"what": described(item.packed), "hook": name, "reads": item.reads}


def described(thing: Any) -> str:
    """A packed object in a few words. Nothing of the learner's own is called: no `__repr__`."""
    kind = type(thing)
    if isinstance(thing, TensorBase):
        return f"tensor {shape_text(thing._array.shape)} {thing._array.dtype.name}"
    if kind is np.ndarray:
        return f"array {shape_text(thing.shape)} {thing.dtype.name}"
    if kind in (int, float, complex) or isinstance(thing, np.generic):
        return f"{kind.__name__} {number(thing.item() if hasattr(thing, 'item') else thing)}"
    if kind in PLAIN:
        return shortened(f"{kind.__name__} {thing!r}" if thing is not None else "None")
    if kind in (tuple, list):
        parts = [described(each) for each in thing[:MOST_PARTS]]
        more = ", …" if len(thing) > MOST_PARTS else ""
        return shortened(f"{kind.__name__} ({', '.join(parts)}{more})")
    return shortened(kind.__name__)


def shortened(text: str) -> str:
    """At most `LONGEST` characters."""
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"
