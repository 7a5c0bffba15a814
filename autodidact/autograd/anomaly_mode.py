"""Anomaly mode: which forward line made the node that fails, and where did the first NaN arise?

While it is on, every node keeps the stack of the line that made it, and every gradient is looked at
for NaN. A failing backward then warns with the forward line first, and raises after that.

Example:
    >>> with torch.autograd.detect_anomaly():
    ...     loss = model(x).sum()
    ...     loss.backward()
"""

import importlib
import os
import sys
import warnings
from typing import Any

import numpy as np

from autodidact.autograd import engine
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, dressed

__all__ = ["detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
           "set_anomaly_enabled", "set_detect_anomaly"]

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep     # this package


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return mode.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return mode.check_nan


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off in this thread."""
    watch = mode.watch
    if enabled and not isinstance(watch, Witness):
        watch = Witness(watch)
    elif not enabled and isinstance(watch, Witness):
        watch = watch.then
    mode.set(anomaly=bool(enabled), check_nan=bool(check_nan), watch=watch)


class set_detect_anomaly:
    """Switch anomaly mode on or off: as a plain call or for a `with` block.

    Args:
        mode: on or off.
        check_nan: raise at the first gradient that holds a NaN.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        set_anomaly_enabled(*self._before)


class detect_anomaly:
    """Anomaly mode for a `with` block; it slows everything down, and says so.

    Args:
        check_nan: raise at the first gradient that holds a NaN.

    Raises:
        RuntimeError: in backward: "Function 'LogBackward0' returned nan values in its 0th output."
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self._check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and "
                      "should only be enabled for debugging.", UserWarning, stacklevel=2)

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self._check_nan)

    def __exit__(self, *error: object) -> None:
        set_anomaly_enabled(*self._before)


# ---- forward: where was this node made? -------------------------------------------------------


class Witness:
    """The watcher of new nodes: notes the stack, then lets an earlier watcher (a recording) see."""

    def __init__(self, then: Any) -> None:
        self.then = then

    def __call__(self, op: Any, tensors: tuple, args: tuple, results: tuple, node: Any) -> None:
        if node is not None:
            traceback = importlib.import_module("traceback")
            stack = traceback.extract_stack()
            while stack and stack[-1].filename.startswith(OURS):
                stack.pop()
            node.metadata["traceback_"] = traceback.format_list(stack)
            if mode.node is not None:
                node.metadata["parent_"] = dressed(mode.node)
        if self.then is not None:
            self.then(op, tensors, args, results, node)


# ---- backward: report it ----------------------------------------------------------------------

CLASSES: dict[type, type] = {}


def task_class() -> type:
    """The class of the next pass: the usual one, or the same with its nodes watched."""
    usual = engine.task_class
    if not mode.anomaly:
        return usual
    if usual not in CLASSES:
        CLASSES[usual] = type(f"Watched{usual.__name__}", (Watched, usual), {})
    return CLASSES[usual]


class Watched:
    """What anomaly mode adds to a `GraphTask`."""

    def apply(self, node: Node, grads: list) -> Any:
        """Run the node; where that fails or gives a NaN, show the forward line first."""
        before, mode.node = mode.node, node
        try:
            results = super().apply(node, grads)
            if mode.check_nan:
                refuse_nan(node, results)
        except Exception:
            report(node)
            raise
        finally:
            mode.node = before
        return results


def refuse_nan(node: Node, results: Any) -> None:
    """Raise when the node has made a gradient with a NaN."""
    for i, result in enumerate(results):
        array = getattr(result, "_array", result)
        if array is not None and array.dtype.kind in "fc" and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def report(node: Node) -> None:
    """Warn with the node's forward line, then with those of the nodes whose backward made it."""
    told = node.metadata.get("traceback_")
    show(f"Error detected in {node.name()}. " + (
        "No forward pass information available. Enable detect anomaly during forward pass for "
        "more information." if told is None else
        "Traceback of forward call that caused the error:\n" + "".join(told)))
    while (node := node.metadata.get("parent_")) is not None:
        told = node.metadata.get("traceback_")
        show("\n\nPrevious calculation was induced by " + node.name() + ". " + (
            "No forward pass information available." if told is None else
            "Traceback of forward call that induced the previous calculation:\n" + "".join(told)))


def show(text: str) -> None:
    """As a warning; on sys.stderr where warnings are errors, so that the error is not lost."""
    try:
        warnings.warn(text, UserWarning, stacklevel=2)
    except UserWarning:
        print(text, file=sys.stderr)
