"""The kinds of exercise: each compares, and returns what to show, or raises `Empty` or `Wrong`.

An exercise is a dict of its lesson's file in `check_data`; `kind` names the function here. One more
kind is one more function, and a line in `KINDS`.
"""

import copy
from collections.abc import Callable
from typing import Any

import autodidact
from autodidact.checking.answers import TOLERANCE, Empty, Wrong, compare, pair, plain, refuse_gaps
from autodidact.checking.words import cut, say, short

__all__ = ["KINDS"]


def _value(exercise: dict, answer: Any) -> Any:
    """One number, text or (nested) list; for an order, the list of names."""
    got = plain(answer)
    refuse_gaps(got)
    compare(exercise["expected"], got, exercise.get("tolerance", TOLERANCE))
    return got


def _cases(exercise: dict, answer: Any) -> Any:
    """A dict with one entry per case."""
    got, expected = plain(answer), exercise["expected"]
    refuse_gaps(got)
    if not isinstance(got, dict):
        raise Wrong(say("not_a_dict", names=", ".join(expected), got=short(got)))
    for number, (name, value) in enumerate(expected.items(), 1):
        if name not in got:
            raise Wrong(say("case_missing", name=name))
        try:
            compare(value, got[name], exercise.get("tolerance", TOLERANCE))
        except Wrong as wrong:
            place = say("case", number=number, of=len(expected), name=name)
            raise Wrong(say("at", place=place, difference=str(wrong))) from None
    return {name: got[name] for name in expected}


def _function(exercise: dict, answer: Any) -> Any:
    """A function, tried on every case's arguments; see `_arguments`."""
    if answer is None or answer is ...:
        raise Empty
    if not callable(answer):
        raise Wrong(say("not_callable", got=short(plain(answer))))
    cases = exercise["expected"]
    for case in cases:
        call = exercise["name"] + "(" + ", ".join(map(short, case["args"])) + ")"
        try:
            got = plain(answer(*_arguments(exercise, case, answer)))
        except (Exception, SystemExit) as error:
            if (words := exercise.get("unchanged")) and words in str(error):
                raise Empty from None
            kind = type(error).__name__
            raise Wrong(say("raised", call=call, error=kind, text=cut(error))) from None
        if got is None or got is ...:
            raise Empty if case is cases[0] else Wrong(say("returned_nothing", call=call))
        try:
            compare(case["returns"], got, exercise.get("tolerance", TOLERANCE))
        except Wrong as wrong:
            raise Wrong(say("at", place=call, difference=str(wrong))) from None
    return say("all_cases", count=len(cases))


def _functions(exercise: dict, answer: Any) -> Any:
    """A dict of functions, each tried on the cases of its name.

    `"unchanged"` says with which words a broken program stops as long as nobody has repaired it.
    """
    if answer is None or answer is ...:
        raise Empty
    expected = exercise["expected"]
    if not isinstance(answer, dict):
        raise Wrong(say("not_a_dict", names=", ".join(expected), got=short(answer)))
    done, empty = [], []
    for name, cases in expected.items():
        try:
            words = exercise.get("unchanged", {}).get(name)
            one = {**exercise, "name": name, "expected": cases, "unchanged": words}
            _function(one, answer.get(name))
            done.append(name)
        except Empty:
            empty.append(name)
    if empty:
        raise Empty(say("right_so_far", names=", ".join(done)) if done else "")
    return say("all_cases", count=sum(map(len, expected.values())))


def _arguments(exercise: dict, case: dict, function: Callable) -> list:
    """A case's arguments, new ones for each call: the function may change what it gets.

    With `"tensors": true` in the exercise, lists and numbers become tensors of the library that the
    function's own module calls `torch`, so that a lesson can be run with either; `"tensors": 2`
    makes them of the first two arguments only, and the rest stay as they are.
    """
    args = copy.deepcopy(case["args"])
    wanted = exercise.get("tensors", 0)
    most = len(args) if wanted is True else wanted
    library = getattr(function, "__globals__", {}).get("torch", autodidact)
    return [library.tensor(value) if at < most and _numbers(value) else value
            for at, value in enumerate(args)]


def _numbers(value: Any) -> bool:
    """Whether this is a number or a list of numbers: what can become a tensor."""
    if isinstance(value, list):
        return all(map(_numbers, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _within(exercise: dict, answer: Any) -> Any:
    """A number that may lie anywhere between two bounds, for example a good step size."""
    got = plain(answer)
    refuse_gaps(got)
    low, high = exercise["expected"]
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        raise Wrong(say("not_within", low=short(low), high=short(high), got=short(got)))
    if not low <= got <= high:  # so that NaN is wrong
        raise Wrong(say("not_within", low=short(low), high=short(high), got=short(got)))
    return got


def _agree(exercise: dict, answer: Any) -> Any:
    """A pair: what the learner predicted, what the learner measured."""
    got = plain(answer)
    predicted, measured = pair(got)
    if least := exercise.get("at_least"):
        if not isinstance(measured, list):
            raise Wrong(say("not_two_lists", got=short(got)))
        if len(measured) < least:
            raise Wrong(say("too_short", least=least, count=len(measured)))
    compare(measured, predicted, exercise.get("tolerance", TOLERANCE))
    return predicted


def _reordering(exercise: dict, answer: Any) -> Any:
    """A pair of lists: the same names in two different orders."""
    first, second = pair(plain(answer))
    if not (isinstance(first, list) and isinstance(second, list)):
        raise Wrong(say("not_two_lists", got=short([first, second])))
    names = [sorted(map(str, order)) for order in (first, second)]
    if names[0] != names[1]:
        raise Wrong(say("other_names", first=short(names[0]), second=short(names[1])))
    if first == second:
        raise Wrong(say("same_order", order=short(first)))
    return [first, second]


KINDS: dict[str, Callable[[dict, Any], Any]] = {
    "value": _value,
    "cases": _cases,
    "function": _function,
    "functions": _functions,
    "within": _within,
    "agree": _agree,
    "reordering": _reordering,
}
