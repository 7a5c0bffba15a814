"""In IPython every cell is recorded: lines, names and values are there when `show` is called.

Each cell gets a recording of its own, which stops by itself after 2,000 nodes, so that a training
loop pays for its first steps only.
"""

import sys
from typing import Any

from autodidact.trace import notes

__all__ = ["watch_cells"]

_open: list = []


def watch_cells() -> bool:
    """Record every cell from now on, this one included; False where there is no IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return False
    notes.cell_number = lambda file: cell_of(shell, file)
    shell.events.register("pre_run_cell", begin)
    shell.events.register("post_run_cell", end)
    begin()
    return True


def begin(info: Any = None) -> None:
    """A cell starts."""
    end()
    recording = notes.recording()
    recording.__enter__()
    _open.append(recording)


def end(result: Any = None) -> None:
    """A cell is over."""
    while _open:
        _open.pop().__exit__(None, None, None)


def cell_of(shell: Any, file: str) -> int | None:
    """The number of the cell whose code has this file name; None for code that is no cell."""
    known = getattr(shell.compile, "_filename_map", {})
    if file in known:
        return known[file]
    return shell.execution_count if "ipython-input" in file or "ipykernel_" in file else None
