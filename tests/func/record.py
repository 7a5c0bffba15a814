"""Ask real torch every program and write its answers: `python -m tests.func.record [topic ...]`."""

import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path

from tests.autograd.record import answer
from tests.func import programs

ANSWERS = Path(__file__).parent / "data" / "answers.json"


def topics():
    """Names of the topic files."""
    return sorted(m.name for m in pkgutil.iter_modules(programs.__path__))


def programs_of(topic):
    """The programs of a topic, by name."""
    module = importlib.import_module(f"{programs.__name__}.{topic}")
    return {
        name: f
        for name, f in vars(module).items()
        if inspect.isfunction(f) and f.__module__ == module.__name__ and name[0] != "_"
    }


def main():
    import torch

    answers = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    for topic in sys.argv[1:] or topics():
        answers[topic] = {name: answer(f, torch) for name, f in programs_of(topic).items()}
        for name, found in answers[topic].items():
            if isinstance(found, str) and found.startswith("!"):
                print(f"{topic}.{name}: {found[:300]}")
    lines = ",\n".join(
        json.dumps(t)
        + ": {\n"
        + ",\n".join(
            f"  {json.dumps(n)}: {json.dumps(a, ensure_ascii=False)}"
            for n, a in sorted(answers[t].items())
        )
        + "\n}"
        for t in topics()
    )
    ANSWERS.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
