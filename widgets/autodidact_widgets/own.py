"""show_own(): the stepper on a learner's own engine, whose objects have three methods.

`parents()` gives the objects that an object was made from, `value()` its number, and `rule(grad)`
one gradient for each parent. `show_own(L)` steps them in the right order, and
`show_own(L, order=my_order)` in the learner's: a wrong one shows as a wrong number.
"""

import sys
from collections.abc import Callable
from typing import Any

from autodidact.trace.own_engine import OwnEngine, names_of
from autodidact_widgets.notice import Notice
from autodidact_widgets.show import Driver, Stepper

__all__ = ["OwnDriver", "show_own"]


class OwnDriver(Driver):
    """A `Driver` whose pass is a learner's own."""

    def make(self) -> OwnEngine:
        """The pass, not yet begun."""
        return OwnEngine(self.loss, names=self.found, **self.options)

    def set_option(self, name: str, value: bool) -> list:
        """The switches of the package's engine are not here."""
        return [{"id": "refused.own", "args": {}}]


def show_own(root: Any, *, order: list | Callable | None = None,
             names: dict[str, Any] | None = None,
             expected: dict[str, Any] | None = None) -> Stepper | Notice:
    """Step a backward pass over a graph of the learner's own objects, in the same widget.

    The objects are of any class with three methods: `parents()`, the objects that it was made from
    (plain numbers among them are passed over; `()` for a leaf); `value()`, its number or array; and
    `rule(grad)`, which gives one gradient for each parent, in their order. `parents` and `value`
    may be attributes instead. Optional are the attributes `name` (else the caller's variables are
    looked up) and `op`, such as "*" or "tanh": from it the card's line `c = a * b` is made.

    Handing on, and summing where several gradients meet, is done by the stepper. `rule` is called
    once for each object, when the object is next (and once more for each where the order is wrong,
    to find the right numbers); nothing is written into the objects.

    Args:
        root: the last object; the pass starts there with 1.
        order: the objects in the order of running, from the root to the leaves: a list, or a
            function of `root` that returns one. Without it the right order is used. A node that
            runs before all of its gradients have arrived sends on a wrong number: it is shown in
            red with the number that was expected, and so are the leaves that end wrong.
        names: name -> object, instead of the caller's variables.
        expected: name -> the gradient that a leaf should end with; another number is shown in red.

    Returns:
        The stepper, with the methods of `show`'s: `.step()`, `.back()`, `.finish()`, `.text()`,
        `.record`. `.record.state(-1)["grads"]` holds the leaves' gradients, `["wrong"]` the marks.
        Where there is nothing to step (an object without the three methods, a circle, an order with
        a stranger), a `Notice` that says why.

    Example:
        >>> class Value:
        ...     def __init__(self, number, parents=(), slopes=()):
        ...         self.value, self.parents, self.slopes = number, parents, slopes
        ...     def rule(self, grad):
        ...         return [grad * slope for slope in self.slopes]
        >>> p, q = Value(2.0), Value(3.0)
        >>> L = Value(6.0, (p, q), (3.0, 2.0))          # L = p * q
        >>> show_own(L, order=lambda root: [root, p, q]).finish()
    """
    found = names_of(sys._getframe(1)) | {id(each): name for name, each in (names or {}).items()}
    try:
        return Stepper(OwnDriver(root, found, {"order": order, "expected": expected}))
    except (TypeError, ValueError) as error:
        return Notice("error.own", why=str(error))
