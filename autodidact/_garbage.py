"""The garbage collector rests while the package is loaded.

What is made then stays: looking through it for garbage, forty times, was a tenth of the import.
"""

import gc

__all__ = ["collect_again"]

_was_on = gc.isenabled()
gc.disable()


def collect_again() -> None:
    """Switch the collector on again, if it was.

    What there is counts as old from now on: to freeze all objects and to thaw them puts them among
    the oldest without a look at each. Where somebody has frozen objects already, they stay frozen.
    """
    if not _was_on:
        return
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
    gc.enable()
