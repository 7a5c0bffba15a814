"""A real JupyterLab and a real Chromium for tests, in a handful of functions.

With the fixtures of `conftest.py` a test of a widget in a lesson reads:

    def test_steps(page, server):
        open_notebook(page, server.copy("notebooks/04-node-by-node.ipynb"))
        run_all(page)
        page.get_by_role("button", name="Step").first.click()
        expect(page.get_by_text("AddBackward0")).to_be_visible()
        set_theme(page, "JupyterLab Dark")
        screenshot(page, "lesson04-dark")
        assert console_errors(page) == []

    open_notebook(page, path)     open a notebook of the server's folder, wait for its kernel;
                                  with app="notebooks" in Notebook 7, with "lab/tree" in JupyterLab
    run_all(page)                 run every cell, wait until the last has answered
    run_cell(page, index)         run one cell, wait for it
    cell_text(page, index)        the text of a cell's outputs, as the kernel sent it
    set_theme(page, name)         "JupyterLab Light" or "JupyterLab Dark", wait for the new style
    screenshot(page, name)        a picture in `artefacts/` (ignored by git); returns its path
    console_errors(page)          errors in the browser's console so far, but for Jupyter's own

Nothing here sleeps: every function waits for what it has caused.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import sync_playwright

from tests import requirement

ROOT = Path(__file__).resolve().parents[3]
ARTEFACTS = Path(__file__).parent / "artefacts"
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"

# Offline, as root, without a screen; playwright itself adds --headless and a fresh profile.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
]
# Errors that Jupyter's own pages log, with no widget on them.
JUPYTERS_OWN = ("favicon", "reading 'schema'", "Command 'filebrowser:open-path' not registered")


# --- the server ------------------------------------------------------------------------------


@dataclass
class Server:
    """A running JupyterLab: its address, its token, and the temporary folder that it serves."""

    url: str
    token: str
    root: Path

    def copy(self, path):
        """Copy a notebook of the clone into the served folder; return its path there.

        A copy, because JupyterLab saves what it runs.
        """
        return shutil.copy(ROOT / path, self.root) and Path(path).name

    def write(self, name, *cells):
        """Write a notebook of these cells (source text; one that starts with # is Markdown)."""
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = new_notebook(metadata={"kernelspec": spec})
        notebook.cells = [
            (new_markdown_cell if cell.startswith("# ") else new_code_cell)(cell) for cell in cells
        ]
        nbformat.write(notebook, self.root / name)
        return name

    def get(self, path, method="GET"):
        """Ask the server's REST interface; the answer as plain data, or None if it is empty."""
        headers = {"Authorization": f"token {self.token}"}
        question = urllib.request.Request(self.url + path, headers=headers, method=method)
        with urllib.request.urlopen(question, timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def stop_kernels(self):
        """End all kernels, so that a test leaves none behind for the next."""
        for session in self.get("/api/sessions"):
            with contextlib.suppress(OSError):
                self.get(f"/api/sessions/{session['id']}", method="DELETE")


@contextlib.contextmanager
def run_server():
    """A JupyterLab on a free port, with settings, kernels and files of its own.

    Its whole process group is stopped at the end, kernels included.
    """
    with tempfile.TemporaryDirectory(prefix="jupyter-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        server = Server(f"http://127.0.0.1:{free_port()}", secrets.token_hex(16), home / "root")
        server.root.mkdir()
        quiet_settings(home / "settings")
        with (home / "log").open("w") as log:
            process = subprocess.Popen(
                server_command(server), stdout=log, stderr=log, start_new_session=True,
                env=server_environment(server, home), cwd=server.root,
            )
            try:
                wait_for(server, process, home / "log")
                yield server
            finally:
                stop_group(process)


def free_port():
    """A port of the loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def quiet_settings(folder):
    """User settings without the news pop-up, which would lie over every screenshot."""
    path = folder / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text('{"fetchNews": "false", "checkForUpdates": false}')


def server_command(server):
    """JupyterLab's command line: loopback only, and the page shows its `jupyterapp` to us."""
    return [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", f"--port={server.url.rpartition(':')[2]}",
        "--ServerApp.port_retries=0", f"--ServerApp.root_dir={server.root}",
        "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True",
        "--ServerApp.terminals_enabled=False",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]


def server_environment(server, home):
    """The environment: nothing of the user's Jupyter, our packages importable in its kernels."""
    paths = [str(ROOT), str(ROOT / "widgets"), os.environ.get("PYTHONPATH", "")]
    folders = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "run",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython", "XDG_DATA_HOME": "progress",
    }
    return {
        **os.environ,
        **{name: str(home / folder) for name, folder in folders.items()},
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_TOKEN": server.token,
    }


def wait_for(server, process, log):
    """Return when the server answers; raise with the end of its log if it dies or never does."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            return server.get("/api/status")
        if process.poll() is not None:
            break
        time.sleep(0.1)                             # the one poll: there is no event to wait on
    raise RuntimeError(f"JupyterLab did not come up:\n{log.read_text()[-3000:]}")


def stop_group(process):
    """End a process and all that it started: first politely, then not."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
            return


# --- the browser -----------------------------------------------------------------------------


@contextlib.contextmanager
def run_browser():
    """The system's Chromium, headless."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=requirement.chromium(), headless=True, args=FLAGS
        )
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def run_page(browser, server=None, **options):
    """A page in a context of its own, that collects the errors of its console.

    `server` gives relative addresses their meaning; `options` are playwright's (`viewport`, ...).
    """
    options = {"viewport": {"width": 1200, "height": 900}} | options
    context = browser.new_context(base_url=server and server.url, **options)
    try:
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.server, page.errors = server, []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda line: line.type == "error" and page.errors.append(line.text))
        yield page
    finally:
        context.close()


def console_errors(page):
    """Errors in the console since the page was made, without those of Jupyter itself."""
    return [text for text in page.errors if not any(own in text for own in JUPYTERS_OWN)]


def screenshot(page, name, locator=None):
    """Save a picture of the page (or of one element) as `artefacts/<name>.png`; return its path."""
    ARTEFACTS.mkdir(exist_ok=True)
    path = ARTEFACTS / f"{name}.png"
    (locator or page).screenshot(path=path)
    return path


# --- a notebook on a page --------------------------------------------------------------------

WIDGET = "window.jupyterapp && window.jupyterapp.shell.currentWidget"
READY = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.ready; await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
}"""
COMMAND = """async ([name, options]) => {
  await window.jupyterapp.commands.execute(name, options);
}"""
SELECT = """index => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.deselectAll(); notebook.activeCellIndex = index;
}"""
OUTPUTS = """index => {
  const cell = window.jupyterapp.shell.currentWidget.content.model.cells.get(index);
  return cell.outputs ? cell.outputs.toJSON() : [];
}"""


def command(page, name, **options):
    """Run one of JupyterLab's own commands and wait until it has finished."""
    page.evaluate(COMMAND, [name, options])


def open_notebook(page, path, app="lab/tree"):
    """Open a notebook of the served folder; return when its kernel is ready."""
    page.goto(f"/{app}/{path}?reset&token={page.server.token}")
    page.wait_for_function(f"{WIDGET} && {WIDGET}.sessionContext")
    page.evaluate(READY)


def run_all(page):
    """Run every cell; return when the last one has answered. A failing cell stops the run."""
    command(page, "notebook:run-all-cells")


def run_cell(page, index):
    """Run the cell of this number (Markdown cells count, from 0); return when it has answered."""
    page.evaluate(SELECT, index)
    command(page, "notebook:run-cell")


def cell_text(page, index):
    """The outputs of a cell as text: what was printed, then the result's text form."""
    texts = []
    for output in page.evaluate(OUTPUTS, index):
        if output["output_type"] == "error":
            texts.append(f"{output['ename']}: {output['evalue']}")
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        texts.append("".join(text))
    return "\n".join(filter(None, texts))


def set_theme(page, name):
    """Switch JupyterLab's theme in place, and wait until the page wears it."""
    command(page, "apputils:change-theme", theme=name)
    light = str(name != DARK).lower()
    page.wait_for_function(
        f"document.body.dataset.jpThemeLight === '{light}'"
        " && !document.getElementById('jupyterlab-splash')"
    )
