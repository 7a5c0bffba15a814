"""Modules as objects: parts, state, hooks, containers, errors; as in PyTorch and as recorded."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import autodidact as ad
from tests.nn.behaviour import PROGRAMS

ANSWERS = Path(__file__).parent / "behaviour.json"


def close(a, b, where=""):
    """The same, numbers to four digits."""
    if isinstance(b, list):
        assert isinstance(a, list) and len(a) == len(b), (where, a, b)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            close(x, y, f"{where}[{i}]")
    elif isinstance(b, float) and not isinstance(a, str):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-5, err_msg=where)
    else:
        assert a == b, where


def as_json(found):
    """Tuples as lists."""
    return json.loads(json.dumps(found))


def test_copies_of_a_parametrized_module_are_independent():
    """In PyTorch they share a class, and removing one's parametrization breaks the others."""
    u = ad.nn.utils
    layer = u.parametrizations.weight_norm(ad.nn.Linear(2, 2))
    twin = copy.deepcopy(layer)
    u.parametrize.remove_parametrizations(layer, "weight")
    assert u.parametrize.is_parametrized(twin) and twin.weight.tolist() == layer.weight.tolist()


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_pytorch(program, oracle):
    close(as_json(program(ad)), as_json(program(oracle)))


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_recorded(program):
    recorded = json.loads(ANSWERS.read_text(encoding="utf-8"))
    close(as_json(program(ad)), recorded[program.__name__])
