"""How a learner gets autodidact, tried: the lab's server, Binder's steps, the built wheel.

The first needs JupyterLab; the others install everything anew (about two minutes, a download),
and run only where AUTODIDACT_REQUIRE names `delivery`.
"""

import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.test_floors import committed

pytest.importorskip("jupyterlab")
pytest.importorskip("playwright")

from tests.widgets.browser.jupyter import Server, free_port, stop_group, wait_for

ROOT = Path(__file__).parent.parent
LESSON = "notebooks/00-start-here.ipynb"


def refuses_strangers(server):
    """Whether the server answers 403 to a request without its token."""
    with pytest.raises(OSError, match="403"):
        Server(server.url, "", server.root).get("/api/contents")
    return True


def test_the_lab_answers_with_a_token_and_names_the_lesson(script, tmp_path, monkeypatch):
    (tmp_path / LESSON).parent.mkdir()
    shutil.copy(ROOT / LESSON, tmp_path / LESSON)
    port = free_port()
    command = script.lab_command(["--no-browser", f"--port={port}", "--ServerApp.port_retries=0"])
    monkeypatch.setenv("JUPYTER_TOKEN", "")             # the trap: "no token, please"
    for name in ("CONFIG", "RUNTIME", "DATA"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / name.lower()))
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, env=script.environment(), stdout=file, stderr=file, start_new_session=True
        )
    try:
        link = rf"http://127\.0\.0\.1:{port}/lab/tree/{re.escape(LESSON)}\?token=([0-9a-f]{{32,}})"
        server = Server(f"http://127.0.0.1:{port}", token_in(log, link, process), tmp_path)
        wait_for(server, process, log)
        assert server.get(f"/api/contents/{LESSON}")["type"] == "notebook"
        assert refuses_strangers(server)
    finally:
        stop_group(process)


def token_in(log, link, process):
    """Wait until the log shows the link that a learner clicks; return the token in it."""
    for _ in range(600):
        if found := re.search(link, log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()[-3000:]
        time.sleep(0.1)
    raise AssertionError(f"no link {link} in:\n{log.read_text()[-3000:]}")


# --- Binder's steps, in its order, without its image -----------------------------------------


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """What a fresh clone holds, and nothing that lies about here."""
    folder = tmp_path_factory.mktemp("clone")
    for name in committed(ROOT):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def image(clone, tmp_path_factory):
    """The environment that binder/ describes: its Python's stand-in, requirements, postBuild."""
    folder = tmp_path_factory.mktemp("image")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {"PATH": f"{folder}/bin:{env['PATH']}", "VIRTUAL_ENV": str(folder), "HOME": str(folder)}
    install = ["pip", "install", "-q", "-r", "binder/requirements.txt"]
    for command in (install, ["binder/postBuild"]):
        subprocess.run(command, cwd=clone, env=env, check=True)
    return env


@pytest.mark.delivery
def test_binder_serves_the_first_lesson(clone, image, tmp_path):
    port, token = free_port(), secrets.token_hex(16)
    server = Server(f"http://127.0.0.1:{port}", token, clone)
    command = ["binder/start", "jupyter", "lab", "--no-browser", "--allow-root",
               "--ip=127.0.0.1", f"--port={port}"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=clone, env=image | {"JUPYTER_TOKEN": token},
                                   stdout=log, stderr=log, start_new_session=True)
    try:
        wait_for(server, process, tmp_path / "log")
        assert refuses_strangers(server)
        assert server.get(f"/api/contents/{LESSON}")["type"] == "notebook"
    finally:
        stop_group(process)


@pytest.mark.delivery
def test_binder_runs_the_first_lesson(clone, image):
    subprocess.run(["jupyter", "execute", LESSON], cwd=clone, env=image, check=True)


@pytest.mark.delivery
def test_the_wheel_holds_everything(clone, tmp_path):
    """Both packages with their data: an editable installation would not notice a missing file."""
    wanted = {
        path.relative_to(folder.parent).as_posix()
        for folder in (clone / "autodidact", clone / "widgets" / "autodidact_widgets")
        for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__"
    }
    wheel = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", ".", "-w", str(tmp_path)]
    subprocess.run(wheel, cwd=clone, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        assert wanted - set(archive.namelist()) == set()
