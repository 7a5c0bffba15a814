"""What a simulated GPU of the tests refuses: all that CuPy would refuse, by its signatures."""

import json
from pathlib import Path

import numpy as np

from autodidact.arrays.cupy import OTHERWISE, home_of, name_of

API = json.loads(Path(__file__).with_name("cupy_api.json").read_text(encoding="utf-8"))


class NotInCupy(AssertionError):
    """CuPy has no such function, or it does not take these arguments."""


def allow(function, method, args, kwargs):
    """Refuse what CuPy has not. Arguments are counted: they must have a parameter to go to."""
    if method == "part":
        if function not in API["ndarray"]:
            raise NotInCupy(f"ndarray.{function}")
    elif method == "method":
        if function not in API["ndarray"]:
            raise NotInCupy(f"ndarray.{function}")
        check(f"ndarray.{function}", API["ndarray"][function], len(args) - 1, kwargs)
    elif method != "__call__":
        if (function, method) not in OTHERWISE and method not in API["ufuncs"].get(
                function.__name__, ()):
            raise NotInCupy(f"{function.__name__}.{method}")
    elif function not in OTHERWISE:
        home = API["modules"][home_of(function)]
        if name_of(function) not in home:
            raise NotInCupy(f"{home_of(function)}.{name_of(function)}")
        if not isinstance(function, np.ufunc):
            check(function.__name__, home[function.__name__], len(args), kwargs)


def check(name, parameters, count, kwargs):
    """Whether a call fits the parameters; None: unknown, "*": any number."""
    if parameters is None or "*" in parameters:
        return
    free = parameters[count:]
    if count > len(parameters) or set(kwargs) - set(free):
        raise NotInCupy(f"{name}{tuple(parameters)} called with {count} and {list(kwargs)}")
