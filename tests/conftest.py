"""Fixtures that every test may use, and the rule that a required check is never skipped.

* `oracle`: real torch, or a skip.
* `require("browser")`: the same question for any kind, asked inside a test.
* `script`: run.py as a module, held in an empty folder.
* `held`: the threads that hold a pass of PyTorch's, checked to be none when the test ends.
* Every test starts with the same random numbers; see `seeded`.

The browser's fixtures are in `tests/widgets/browser/conftest.py`.
"""

import gc
import importlib.util
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests import requirement

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def oracle():
    """Real torch, the reference; skips where it is not installed (fails if required)."""
    requirement.require("oracle")
    import torch

    return torch


@pytest.fixture(scope="session")
def require():
    """The function `requirement.require`: skip, or fail where AUTODIDACT_REQUIRE says so."""
    return requirement.require


@pytest.fixture(autouse=True)
def seeded():
    """The same random numbers for every test, whatever ran before it."""
    random.seed(0)
    np.random.seed(0)
    for name in ("torch", "autodidact"):
        library = sys.modules.get(name)
        if hasattr(library, "manual_seed"):
            library.manual_seed(0)


@pytest.fixture
def held():
    """A function: the threads that hold a pass of this test's. When the test ends there are none.

    Not counted are older ones: a lesson that another test of this process has left half way.
    """
    def of_this_test():
        now = threading.enumerate()
        return [t for t in now if t.name.startswith("autodidact") and t not in older]

    older = ()
    older = of_this_test()
    yield of_this_test
    gc.collect()
    assert of_this_test() == []


@pytest.fixture
def script(tmp_path, monkeypatch):
    """run.py as a module that believes it lies in an empty folder and cannot start anything."""
    spec = importlib.util.spec_from_file_location("run", ROOT / "run.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    (tmp_path / "binder").mkdir()
    for name in ("pyproject.toml", "binder/constraints.txt"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    paths = {
        "ROOT": tmp_path, "VENV": tmp_path / ".venv", "STAMP": tmp_path / ".venv" / "stamp",
        "PYTHON": Path(sys.executable), "CONSTRAINTS": tmp_path / "binder" / "constraints.txt",
    }
    for name, value in paths.items():
        monkeypatch.setattr(script, name, value)
    script.started = []
    monkeypatch.setattr(script, "run", lambda *command: script.started.append(command))
    script.VENV.mkdir()
    return script


def pytest_configure(config):
    """Check AUTODIDACT_REQUIRE once, and make hypothesis repeatable on a build machine."""
    requirement.required()
    from hypothesis import settings

    settings.register_profile("learner", deadline=None)
    settings.register_profile("build", deadline=None, derandomize=True, database=None)
    settings.load_profile("build" if os.environ.get("CI") else "learner")


def pytest_runtest_setup(item):
    """A test marked `oracle`, `browser` or `delivery` asks for it before anything else."""
    for kind in requirement.WORDS:
        if item.get_closest_marker(kind):
            requirement.require(kind)


def _fail_if_required(report, item):
    """Turn the skip of something required into a failure that names the rule."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if kinds := requirement.kinds_of(item, reason) & requirement.required():
        report.outcome = "failed"
        report.longrepr = f"AUTODIDACT_REQUIRE={','.join(sorted(kinds))}, but: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Skips inside a test, its fixtures or its marks."""
    report = yield
    _fail_if_required(report, item)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Skips of a whole module, as `pytest.importorskip` at its top makes them."""
    report = yield
    _fail_if_required(report, collector)
    return report
