"""How a learner gets autodidact, as far as it can be read: the files of `binder/`, README, run.py.

`test_installation.py` tries the same for real.
"""

import ast
import doctest
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.floors import python_files
from tests.test_floors import committed

ROOT = Path(__file__).parent.parent
BINDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


# --- binder/ ---------------------------------------------------------------------------------


def test_binder_says_its_python():
    """Without this file, in this folder, Binder takes a Python that is too old for us."""
    said = re.fullmatch(r"python-3\.(\d+)\n", (BINDER / "runtime.txt").read_text())
    assert said and int(said[1]) >= 11


@pytest.mark.parametrize(
    "name", ["runtime.txt", "requirements.txt", "environment.yml", "postBuild", "start", "apt.txt"]
)
def test_nothing_at_the_root_is_ignored_by_binder(name):
    """Binder reads binder/ alone once it exists; a file of that name at the root would mislead."""
    assert not (ROOT / name).exists()
    assert name != "environment.yml" or not (BINDER / name).exists(), "it hides requirements.txt"


def test_binder_installs_the_lab_under_the_constraints():
    """`-c` is relative to this file, `-e` to the root of the repository."""
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    assert lines == ["-c constraints.txt", "-e .[lab]"]
    assert "lab" in PROJECT["optional-dependencies"]


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_binder_can_run_its_scripts(name):
    path = BINDER / name
    assert os.access(path, os.X_OK), f"chmod +x binder/{name}"
    assert path.read_bytes().startswith(b"#!/bin/bash\n")
    assert b"\r" not in path.read_bytes()
    subprocess.run(["bash", "-n", path], check=True)


def test_start_hands_over_to_the_server():
    assert (BINDER / "start").read_text().splitlines()[-1] == 'exec "$@"'


# --- constraints -----------------------------------------------------------------------------

PINS = (BINDER / "constraints.txt").read_text(encoding="utf-8").splitlines()


def test_constraints_are_pins_and_nothing_else():
    """No host, no option, no path: the file must work with any registry."""
    for line in PINS:
        pin = Requirement(line)
        assert pin.url is None and re.fullmatch(r"==[\w.]+", str(pin.specifier)), line


def pinned(name):
    """The version that the constraints give on this Python, or None."""
    for pin in map(Requirement, PINS):
        if canonical(pin.name) == canonical(name) and (not pin.marker or pin.marker.evaluate()):
            return Version(str(pin.specifier)[2:])
    return None


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


EXTRAS = PROJECT["optional-dependencies"]
WANTED = [*PROJECT["dependencies"], *EXTRAS["lab"], *EXTRAS["test"]]


@pytest.mark.parametrize("wanted", WANTED)
def test_constraints_pin_what_is_wanted(wanted):
    wanted = Requirement(wanted)
    assert pinned(wanted.name) in wanted.specifier, "make binder/constraints.txt again"


NO_DISTRIBUTION = {"autodidact_widgets", "js", "pyodide"}       # ours; what Pyodide itself brings
BROUGHT_BY = {"cupy": "cupy-cuda12x"}                           # where the name is another one


def loaded_on_first_use():
    """(library, extra or None) of every `optional("...")` in the core that names its library."""
    for _, path in python_files(ROOT):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (isinstance(call, ast.Call) and getattr(call.func, "id", None) == "optional"
                    and isinstance(call.args[0], ast.Constant)
                    and call.args[0].value.partition(".")[0] not in NO_DISTRIBUTION):
                yield call.args[0].value.partition(".")[0], *(k.value.value for k in call.keywords)


@pytest.mark.parametrize(("library", "extra"), sorted({(*found, "")[:2]
                                                       for found in loaded_on_first_use()}))
def test_a_library_loaded_on_first_use_is_in_the_extra_that_is_named(library, extra):
    brings = [canonical(Requirement(wanted).name)
              for wanted in (EXTRAS[extra] if extra else PROJECT["dependencies"])]
    assert canonical(BROUGHT_BY.get(library, library)) in brings


def test_constraints_leave_the_oracle_out():
    """torch and its CUDA parts would be gigabytes; lessons do not need them."""
    assert pinned("torch") is None


def test_numpy_here_is_new_enough():
    """The engine relies on NEP 50, which came with NumPy 2."""
    assert Version(version("numpy")) >= Version("2.0")


# --- README ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["python3 run.py lab", "python3 run.py test"])
def test_readme_shows_the_two_commands(command):
    assert command in README


def test_readme_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)|<img [^>]*src=\"([^\"]+)\"", README)
    local = [link for pair in links for link in pair if link and "://" not in link]
    assert local
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_readme_example_does_what_it_shows():
    """The example is a session: its lines are run, its answers compared."""
    pytest.importorskip("autodidact_widgets")
    example = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert 4 <= len(example.examples) <= 8
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0


# --- run.py ----------------------------------------------------------------------------------


def test_a_second_start_installs_nothing(script):
    script.install({"lab"})
    assert len(script.started) == 1
    script.install({"lab"})
    assert len(script.started) == 1
    script.install({"lab", "test"})
    assert script.started[1][-1] == ".[lab,test]"
    script.install({"lab"})                     # what is there already is enough
    assert len(script.started) == 2


@pytest.mark.parametrize("change", ["pyproject.toml", "binder/constraints.txt", "moved", "python"])
def test_what_changes_the_environment_installs_again(script, change, monkeypatch):
    script.install({"lab"})
    if change == "moved":
        script.ROOT = script.ROOT / "." / ".." / script.ROOT.name
    elif change == "python":
        monkeypatch.setattr(sys, "version", "4.0 (not this one)")
        monkeypatch.setattr(script, "make_venv", lambda: script.started.append("venv"))
    else:
        with (script.ROOT / change).open("a") as file:
            file.write("# changed\n")
    script.install({"lab"})
    assert len(script.started) == (3 if change == "python" else 2)


def test_a_failed_installation_leaves_no_stamp(script, monkeypatch):
    def fails(*command):
        raise SystemExit("This step failed")

    monkeypatch.setattr(script, "run", fails)
    with pytest.raises(SystemExit):
        script.install({"lab"})
    assert script.read_stamp() is None


def test_uv_is_used_where_it_is_and_leaves_pip_behind(script, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda name: name == "uv" and "/some/uv")
    script.make_venv()
    assert "--seed" in script.started[0]
    assert script.installer() == ["/some/uv", "pip"]
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    assert script.installer()[1:3] == ["-m", "pip"]


def test_a_python_without_venv_is_told_what_to_install(script, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    monkeypatch.setattr(script.subprocess, "call", lambda command: 1)
    with pytest.raises(SystemExit, match="python3-venv"):
        script.make_venv()
    assert not script.VENV.exists()


def test_the_lab_opens_the_first_lesson_on_this_machine_only(script):
    (script.ROOT / "notebooks").mkdir()
    for name in ("00-start-here.ipynb", "04-node-by-node.ipynb"):
        (script.ROOT / "notebooks" / name).touch()
    command = script.lab_command(["--no-browser"])
    assert "--ServerApp.ip=127.0.0.1" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/00-start-here.ipynb" in command
    assert command[-1] == "--no-browser"
    assert not any("token" in word or "password" in word for word in command)


def test_an_empty_token_is_not_passed_on(script, monkeypatch):
    monkeypatch.setenv("JUPYTER_TOKEN", "")
    assert "JUPYTER_TOKEN" not in script.environment()
    monkeypatch.setenv("JUPYTER_TOKEN", "mine")
    assert script.environment()["JUPYTER_TOKEN"] == "mine"


def test_the_suite_is_three_runs(script):
    """The notebooks' cells stay on one worker, and browser tests are not run in parallel."""
    for name in ("notebooks/source/00-a.py", "tests/widgets/browser/test_a.py"):
        (script.ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (script.ROOT / name).touch()
    unit, notebooks, browser = script.suite()
    assert "--ignore=tests/widgets/browser" in unit
    assert {"--nbval", "loadfile", "notebooks/solved"} <= set(notebooks)
    assert browser[0] == "tests/widgets/browser"
    for late in (unit, browser):                     # late once is no failure; late twice is
        assert "--reruns=1" in late and any(a.startswith("--only-rerun=") for a in late)


def test_the_lesson_on_pytorch_is_compared_where_pytorch_is(script, monkeypatch):
    for name in ("notebooks/source/18-a.py", "notebooks/solved/18-a.ipynb"):
        (script.ROOT / name).parent.mkdir(parents=True)
        (script.ROOT / name).touch()
    monkeypatch.delenv("AUTODIDACT_REQUIRE", raising=False)
    left_out = f"--ignore={script.ROOT / 'notebooks/solved/18-a.ipynb'}"
    assert left_out in list(script.suite())[1]
    monkeypatch.setenv("AUTODIDACT_REQUIRE", "oracle,browser")
    assert left_out not in list(script.suite())[1]
    monkeypatch.delenv("AUTODIDACT_REQUIRE")
    (script.VENV / "lib" / "python3.11" / "site-packages" / "torch").mkdir(parents=True)
    assert left_out not in list(script.suite())[1]


def test_a_failing_run_stops_the_suite(script, monkeypatch):
    monkeypatch.setattr(script, "install", lambda extras: None)
    monkeypatch.setattr(script, "suite", lambda: [["a"], ["b"], ["c"]])
    calls = []

    def call(command, env):
        calls.append(command[-1])
        return 5 if command[-1] == "b" else 0

    monkeypatch.setattr(script.subprocess, "call", call)
    assert script.test([]) == 5
    assert calls == ["a", "b"]


@pytest.mark.parametrize(("arguments", "status"), [([], 0), (["--help"], 0), (["lba"], 2)])
def test_a_wrong_command_shows_the_right_ones(arguments, status):
    command = [sys.executable, str(ROOT / "run.py"), *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == status
    assert "python3 run.py lab" in answer.stdout


# --- the package -----------------------------------------------------------------------------


def test_the_tree_is_the_designs():
    """A newcomer sees at most this at the top level."""
    top = {path.split("/")[0] for path in committed(ROOT)}
    shown = {name for name in top if not name.startswith(".")}
    assert shown == {
        "LICENSE", "README.md", "CONTRIBUTING.md", "pyproject.toml", "run.py",
        "autodidact", "notebooks", "widgets", "tests", "binder",
    }
