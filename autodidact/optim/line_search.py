"""A line search: how far to go along a direction so that Wolfe's strong conditions hold.

They ask for enough descent (Armijo) and for a slope that is flat enough.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["strong_wolfe"]

DESCENT, FLATTENING, NARROW = 1e-4, 0.9, 1e-9


@dataclass
class Point:
    """A place on the line."""

    t: float
    loss: float
    grad: np.ndarray
    slope: float


def cubic_minimum(a: Point, b: Point, bounds: tuple | None = None) -> float:
    """Where the cubic through two points with their slopes is lowest, within bounds."""
    low, high = bounds or (min(a.t, b.t), max(a.t, b.t))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    left, right = (a, b) if a.t <= b.t else (b, a)
    d2 = square**0.5
    place = right.t - (right.t - left.t) * (
        (right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(place, low), high)


class Search:
    """One search: the function along the line, where it started, how often it was evaluated."""

    def __init__(self, evaluate: Callable, direction: np.ndarray, start: Point,
                 limit: int) -> None:
        self.evaluate, self.direction, self.start, self.limit = evaluate, direction, start, limit
        self.evaluations, self.rounds = 0, 0

    def at(self, t: float) -> Point:
        """Evaluate one place."""
        loss, grad = self.evaluate(t)
        self.evaluations += 1
        return Point(t, loss, grad, float(grad @ self.direction))

    def too_high(self, point: Point) -> bool:
        """Whether the descent is too small for the way."""
        return point.loss > self.start.loss + DESCENT * point.t * self.start.slope

    def flat(self, point: Point) -> bool:
        """Whether the slope is flat enough."""
        return abs(point.slope) <= -FLATTENING * self.start.slope

    def bracket(self, t: float) -> list:
        """Go out until a good point lies between two; the two, or the good one alone."""
        before, point = self.start, self.at(t)
        while self.rounds < self.limit:
            if self.too_high(point) or (self.rounds > 1 and point.loss >= before.loss):
                return [before, point]
            if self.flat(point):
                return [point]
            if point.slope >= 0:
                return [before, point]
            bounds = point.t + 0.01 * (point.t - before.t), point.t * 10
            t = cubic_minimum(before, point, bounds)
            before, point = point, self.at(t)
            self.rounds += 1
        return [self.start, point]

    def narrow(self, ends: list) -> Point:
        """Shrink the bracket until a point is good."""
        longest, stuck = float(np.abs(self.direction).max()), False
        low, high = sorted(ends, key=lambda p: p.loss)
        while self.rounds < self.limit and abs(high.t - low.t) * longest >= NARROW:
            t, stuck = self.next_place(low, high, stuck)
            point = self.at(t)
            self.rounds += 1
            if self.too_high(point) or point.loss >= low.loss:
                low, high = (low, point) if low.loss <= point.loss else (point, low)
                continue
            if self.flat(point):
                return point
            if point.slope * (high.t - low.t) >= 0:
                high = low
            low = point
        return low

    def next_place(self, low: Point, high: Point, stuck: bool) -> tuple:
        """The cubic's minimum; away from an end where it would stick there twice."""
        t = cubic_minimum(low, high) if low.t != high.t else low.t
        left, right = sorted((low.t, high.t))
        margin = 0.1 * (right - left)
        if min(right - t, t - left) >= margin:
            return t, False
        if not stuck and left < t < right:
            return t, True
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False


def strong_wolfe(evaluate: Callable, t: float, direction: np.ndarray, loss: float,
                 grad: np.ndarray, slope: float, limit: int = 25) -> tuple:
    """Search along a direction.

    Args:
        evaluate: (t) -> loss and gradient at the place t along the direction.
        t: the first place to try.
        direction: the direction.
        loss: at the start.
        grad: at the start.
        slope: of the loss along the direction at the start.
        limit: so many rounds at most.

    Returns:
        Loss and gradient at the place found, the place, and the number of evaluations.
    """
    search = Search(evaluate, direction, Point(0, loss, grad, slope), limit)
    ends = search.bracket(t)
    best = ends[0] if len(ends) == 1 else search.narrow(ends)
    return best.loss, best.grad, best.t, search.evaluations
