#!/usr/bin/env python3
"""Set up autodidact in this folder and start it. Needs nothing but Python 3.11 or newer.

    python3 run.py lab       open the lessons in JupyterLab     (--no-browser, --port=N, ...)
    python3 run.py test      run every test                     (or: test tests/ops -k matmul)
    python3 run.py lessons   make the notebooks again from notebooks/source
    python3 run.py bundle    make the stepper's JavaScript again from widgets/src (needs Node)

On Windows: py run.py lab.  Everything is installed into the folder .venv beside this file, once;
to begin afresh, delete that folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "autodidact-stamp"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
CONSTRAINTS = ROOT / "binder" / "constraints.txt"
LEAST = (3, 11)

NO_VENV = """Python's own 'venv' is not complete here, so no environment can be made.
On Debian or Ubuntu:    sudo apt-get install python3-venv
Elsewhere:              install Python from its home page, or install uv."""


def main(argv):
    """Run one command; return its exit status."""
    commands = {"lab": lab, "test": test, "lessons": lessons, "bundle": bundle}
    if sys.version_info < LEAST:
        sys.exit(f"autodidact needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if not argv or argv[0] not in commands:
        print(__doc__)
        return 0 if argv[:1] in ([], ["-h"], ["--help"]) else 2
    os.chdir(ROOT)
    return commands[argv[0]](argv[1:])


# --- the four commands -----------------------------------------------------------------------


def lab(options):
    """Open the first lesson in JupyterLab: on this machine only, and behind a token."""
    install({"lab"})
    return become(lab_command(options))


def test(options):
    """Run pytest with the given arguments; without any, the whole suite in three steps."""
    install({"lab", "test"})
    for arguments in [options] if options else suite():
        print("\n$ pytest", *arguments, flush=True)
        if status := subprocess.call([str(PYTHON), "-m", "pytest", *arguments], env=environment()):
            return status
    return 0


def lessons(options):
    """Make both editions of every notebook from notebooks/source."""
    install({"lab", "test"})
    return subprocess.call([str(PYTHON), "notebooks/build.py", *options], env=environment())


def bundle(options):
    """Check the types of widgets/src and bundle it into one JavaScript file."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("'bundle' needs Node and npm. Lessons and tests do not: the bundle is here.")
    for arguments in (["ci"], ["run", "check"], ["run", "build", *options]):
        if status := subprocess.call([npm, *arguments], cwd=ROOT / "widgets"):
            return status
    return 0


# --- what they start -------------------------------------------------------------------------


def lab_command(options):
    """The JupyterLab command: loopback, Jupyter's own random token, the first lesson open."""
    command = [str(PYTHON), "-m", "jupyterlab", "--ServerApp.ip=127.0.0.1"]
    command.append(f"--ServerApp.root_dir={ROOT}")
    if first := sorted(ROOT.glob("notebooks/00-*.ipynb")):
        # `jupyter lab FILE` prints a link without the file when there is no browser; this does not.
        command.append(f"--LabApp.default_url=/lab/tree/notebooks/{first[0].name}")
    if getattr(os, "geteuid", lambda: 1)() == 0 and "--allow-root" not in options:
        print("You are root: the lessons' code will run as root, too.", flush=True)
        command.append("--allow-root")
    return [*command, *options]


def suite():
    """The suite as pytest's arguments: unit tests, then the solved notebooks, then the browser.

    The notebooks' cells must stay on one worker (`loadfile`); the browser tests share one server
    and one browser, so they run one after the other. What a browser or a kernel did not show in
    time is asked for once more, and the summary says so: a busy machine is slow once, a fault fails
    twice.
    """
    browser, again = "tests/widgets/browser", ["--reruns=1", "-rR"]
    yield ["-n", "2", "tests", f"--ignore={browser}", *again, "--only-rerun=waited in vain"]
    if any(ROOT.glob("notebooks/source/*.py")):         # no source, no lessons: a bare skeleton
        sanitize = "--nbval-sanitize-with=tests/notebooks/nbval_sanitize.cfg"
        yield ["--nbval", sanitize, "-n", "2", "--dist", "loadfile", *not_compared(),
               "notebooks/solved"]
    if any(ROOT.glob(f"{browser}/test_*.py")):
        yield [browser, *again, "--only-rerun=Timeout", "--only-rerun=Locator expected"]


def not_compared():
    """Lesson 18 shows PyTorch's engine; without PyTorch it runs, but other words come out."""
    places = ("lib/python*/site-packages/torch", "Lib/site-packages/torch")
    if any(found for place in places for found in VENV.glob(place)):
        return []
    if "oracle" in os.environ.get("AUTODIDACT_REQUIRE", ""):
        return []                                       # the build machine: let it fail
    return [f"--ignore={path}" for path in sorted(ROOT.glob("notebooks/solved/18-*.ipynb"))]


def become(command):
    """Start `command` in this process's place, so that Ctrl-C and signals reach it alone."""
    if os.name != "nt":
        os.execve(command[0], command, environment())
    with subprocess.Popen(command, env=environment()) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:                   # Jupyter asks whether to stop; wait for it
                continue


def environment():
    """The environment of what we start: ours, as an activated .venv has it, never without token."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
    env["VIRTUAL_ENV"] = str(VENV)
    env["PATH"] = str(PYTHON.parent) + os.pathsep + env.get("PATH", "")
    if not env.get("JUPYTER_TOKEN", "x"):               # set to nothing would mean: no token
        del env["JUPYTER_TOKEN"]
    return env


# --- the environment -------------------------------------------------------------------------


def install(extras):
    """Make .venv and install this folder with `extras` into it, unless that is done already."""
    installed = read_stamp()
    if installed is not None and extras <= installed:
        return
    if installed is None and not usable(PYTHON):
        make_venv()
    wanted = ",".join(sorted(extras | (installed or set())))
    print(f"Installing autodidact with [{wanted}] into {VENV} (once) ...", flush=True)
    arguments = ["install", "-c", str(CONSTRAINTS), "-e", f".[{wanted}]"]
    run(*installer(), *arguments)
    STAMP.write_text(f"{fingerprint()} {wanted}\n", encoding="utf-8")


def make_venv():
    """A fresh .venv, by uv where it is on the PATH, else by Python itself."""
    shutil.rmtree(VENV, ignore_errors=True)
    if uv := shutil.which("uv"):
        # --seed: with pip inside, a later run on which uv is gone still works.
        run(uv, "venv", "--quiet", "--seed", "--python", sys.executable, str(VENV))
        return
    if subprocess.call([sys.executable, "-m", "venv", str(VENV)]):
        shutil.rmtree(VENV, ignore_errors=True)         # half an environment would look like one
        sys.exit(NO_VENV)


def installer():
    """The command that installs: uv's or the environment's own pip."""
    if uv := shutil.which("uv"):
        return [uv, "pip"]
    return [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]


def usable(python):
    """Whether .venv's Python starts and is the one that runs this script."""
    if not python.exists():
        return False
    ask = [str(python), "-c", "import sys; print(sys.version)"]
    answer = subprocess.run(ask, capture_output=True, text=True, check=False)
    return answer.stdout.strip() == sys.version.strip()


def fingerprint():
    """What an installation depends on: the two files, the interpreter, and where the clone lies."""
    parts = [sys.version, str(ROOT)]
    parts += [path.read_text(encoding="utf-8") for path in (ROOT / "pyproject.toml", CONSTRAINTS)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp():
    """The extras that are installed, or None where anything they depend on has changed."""
    try:
        mark, extras = STAMP.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return None
    return set(extras.split(",")) if mark == fingerprint() and usable(PYTHON) else None


def run(*command):
    """Run a step of the installation; stop with a sentence, not a traceback, if it fails."""
    if status := subprocess.call(command, env=environment()):
        sys.exit(f"This step failed (status {status}): {' '.join(map(str, command))}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
