"""Folders of programs that run on either library, and PyTorch's answers to them, written down.

A folder `X/programs/` holds topic files of programs `def name(torch)` that return plain data;
`X/data/answers.json` holds what PyTorch 2.13 answers.
"""

import importlib
import inspect
import json
import pkgutil
import re
import warnings
from pathlib import Path

from tests.autograd.observe import plain


def answer(program, torch):
    """What a program observes; an exception that it does not expect is an answer, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(program(torch))
        except Exception as error:
            return f"!{type(error).__name__}: {error}"


class Programs:
    """The programs of one package, and their answers."""

    def __init__(self, package):
        self.package = package
        self.file = Path(package.__path__[0]).parent / "data" / "answers.json"

    def answers(self):
        """The recorded answers: {topic: {name: answer}}."""
        return json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}

    def topics(self):
        """Names of the topic files."""
        return sorted(m.name for m in pkgutil.iter_modules(self.package.__path__))

    def of(self, topic):
        """The programs of a topic, by name."""
        module = importlib.import_module(f"{self.package.__name__}.{topic}")
        return {name: f for name, f in vars(module).items()
                if inspect.isfunction(f) and f.__module__ == module.__name__ and name[0] != "_"}

    def all(self):
        """{"topic.name": (topic, name, program)}."""
        return {f"{topic}.{name}": (topic, name, f)
                for topic in self.topics() for name, f in self.of(topic).items()}

    def surprises(self):
        """Recorded answers that are exceptions which the program did not expect."""
        return [f"{topic}.{name}: {found[:300]}"
                for topic, answers in self.answers().items() for name, found in answers.items()
                if isinstance(found, str) and re.match(r"!\w+: ", found)]

    def record(self, torch, topics):
        """Ask torch the programs of some topics (none named: of all) and write its answers down."""
        answers = self.answers()
        for topic in topics or self.topics():
            answers[topic] = {name: answer(f, torch) for name, f in self.of(topic).items()}
        lines = ",\n".join(
            json.dumps(topic) + ": {\n" + ",\n".join(
                f"  {json.dumps(name)}: {json.dumps(found, ensure_ascii=False)}"
                for name, found in sorted(answers[topic].items()))
            + "\n}" for topic in self.topics())
        self.file.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
        print("\n".join(self.surprises()))
