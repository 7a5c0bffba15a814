"""Ask real torch every program and keep its answers: `python -m tests.autograd.record [topic]`."""

import importlib
import inspect
import json
import pkgutil
import sys
import warnings
from pathlib import Path

from tests.autograd import programs
from tests.autograd.observe import plain

ANSWERS = Path(__file__).parent / "data" / "answers.json"


def topics():
    """Names of the topic files."""
    return sorted(m.name for m in pkgutil.iter_modules(programs.__path__))


def programs_of(topic):
    """The programs of a topic, by name."""
    module = importlib.import_module(f"{programs.__name__}.{topic}")
    return {name: f for name, f in vars(module).items()
            if inspect.isfunction(f) and f.__module__ == module.__name__ and name[0] != "_"}


def answer(program, torch):
    """What a program observes; an exception that it does not expect is an answer, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(program(torch))
        except Exception as error:
            return f"!{type(error).__name__}: {error}"


def main():
    import torch

    answers = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    for topic in sys.argv[1:] or topics():
        answers[topic] = {name: answer(f, torch) for name, f in programs_of(topic).items()}
        for name, found in answers[topic].items():
            if isinstance(found, str) and found.startswith("!"):
                print(f"{topic}.{name}: {found[:300]}")
    kept = {t: answers[t] for t in topics()}
    lines = ",\n".join(
        json.dumps(t) + ": {\n" + ",\n".join(
            f"  {json.dumps(n)}: {json.dumps(a, ensure_ascii=False)}"
            for n, a in sorted(found.items()))
        + "\n}" for t, found in sorted(kept.items()))
    ANSWERS.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
