"""The garbage collector rests while the package is loaded.

What is made then stays: looking through it for garbage, forty times, was a tenth of the import.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["resting"]


@contextmanager
def resting() -> Iterator[None]:
    """Nothing is collected inside; afterwards the collector is as it was, an error or not.

    What there is counts as old from then on: to freeze all objects and to thaw them puts them among
    the oldest without a look at each. Where somebody has frozen objects already, they stay frozen.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        if was_on and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
    finally:
        if was_on:
            gc.enable()
