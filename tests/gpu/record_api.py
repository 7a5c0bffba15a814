"""Write down which functions CuPy has, and their parameters (`python -m tests.gpu.record_api`).

CuPy can be imported, and so be asked, on a machine without a GPU. The simulated GPU of the tests
then refuses what CuPy would refuse: a function that it lacks, an argument that it does not take.
"""

import importlib
import importlib.util
import inspect
import json
import re
from pathlib import Path

import numpy as np

WHERE = Path(__file__).with_name("cupy_api.json")
MODULES = ("cupy", "cupy.linalg", "cupy.fft", "cupy.lib.stride_tricks", "cupyx.scipy.special",
           "cupyx.scipy.linalg")


def parameters(thing):
    """The names of the parameters; None where they cannot be asked, "*" for any further ones."""
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        line = (inspect.getdoc(thing) or "").partition("\n")[0]     # Cython writes it there
        inside = re.fullmatch(r"[\w.]+\((?:self(?:, )?)?(.*)\)(?: -> .*)?", line)
        if inside is None:
            return None
        words = [w.split("=")[0].split()[-1].lstrip("*")
                 for w in inside[1].split(", ") if w.strip()]
        return ["*" if "*" + w in inside[1] else w for w in words]
    return ["*" if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else p.name for p in found]


def public(name):
    """name -> parameters of a module's functions; names only where CUDA's libraries are missing."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        text = Path(importlib.util.find_spec(name).origin).read_text(encoding="utf-8")
        return dict.fromkeys(re.findall(r"^from \S+ import (\w+)", text, re.M))
    return {name: parameters(thing) for name, thing in sorted(vars(module).items())
            if callable(thing) and not name.startswith("_")}


def reductions(cupy):
    """Which methods of which ufuncs are there: found by calling them on nothing."""
    found = {}
    for name in sorted(n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)):
        ufunc = getattr(cupy, name, None)
        if not isinstance(ufunc, cupy.ufunc):
            continue
        found[name] = []
        for method, args in (("reduce", 1), ("accumulate", 1), ("reduceat", 2), ("at", 3)):
            try:
                getattr(ufunc, method)(*[None] * args)
            except NotImplementedError:
                continue
            except (AttributeError, TypeError):
                found[name].append(method)
    return found


def main():
    """Ask CuPy and write the answers."""
    cupy = importlib.import_module("cupy")
    answers = {
        "version": cupy.__version__,
        "modules": {name: public(name) for name in MODULES},
        "ndarray": {n: None if n.startswith("_") else parameters(getattr(cupy.ndarray, n))
                    for n in sorted(dir(cupy.ndarray))},
        "ufuncs": reductions(cupy)}
    WHERE.write_text(json.dumps(answers, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
