"""The examples of docstrings are true: each runs, and shows what it says.

An example may use the names of `scene` without making them. Where it shows no result, none is
compared.
"""

import ast
import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import autodidact as torch
import autodidact.autograd.forward_ad as fwAD
import autodidact.nn.functional as F
from autodidact import nn, trace
from autodidact.utils.data import TensorDataset
from tests.floors import python_files

ROOT = Path(__file__).parent.parent
PARSER = doctest.DocTestParser()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def docstrings():
    """(module, name, docstring) of everything that has an example."""
    for module, path in python_files(ROOT):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node) or ""
                if ">>>" in text:
                    yield module, getattr(node, "name", ""), text


EXAMPLES = list(docstrings())


def scene():
    """What examples take for granted: the libraries, two vectors, and a small network."""
    torch.manual_seed(0)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    layer = nn.Linear(2, 2)
    model = nn.Sequential(layer, nn.Tanh(), nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return locals() | {
        "__name__": "learner", "torch": torch, "np": np, "nn": nn, "F": F, "fwAD": fwAD,
        "trace": trace, "loss": model(x).sum(), "data": range(10), "TensorDataset": TensorDataset,
    }


class Checker(doctest.OutputChecker):
    """An example without a promised output promises none."""

    def check_output(self, want, got, flags):
        return not want or super().check_output(want, got, flags)


def complaints(text, names):
    """What is wrong with a docstring's examples, as doctest says it."""
    said = []
    example = PARSER.get_doctest(text, names, "example", None, 0)
    doctest.DocTestRunner(Checker(), verbose=False, optionflags=FLAGS).run(example, out=said.append)
    return "".join(said)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("module", "name", "text"), EXAMPLES,
                         ids=[f"{module}:{name}" for module, name, _ in EXAMPLES])
def test_example(module, name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)             # for what writes files
    said = complaints(text, vars(importlib.import_module(module)) | scene())
    assert not said, said


def test_the_walk_finds_examples():
    assert {"autodidact.autograd.backward", "autodidact_widgets"} <= {m for m, _, _ in EXAMPLES}


@pytest.mark.parametrize("text", [">>> 1 + 1\n3", ">>> unknown"])
def test_a_wrong_example_is_found(text):
    assert complaints(text, {})
