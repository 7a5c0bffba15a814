"""The architecture, enforced: floors, sizes, imports, and strings that must not be committed.

The rules and their exceptions are in `tests/floors.py`.  The second half of this file builds a
small bad tree for every rule and asserts that it is found: a guard that cannot fail guards nothing.
"""

import subprocess
from pathlib import Path

import pytest

from tests import floors

ROOT = Path(__file__).parent.parent
RULES = {
    "imports only go down": floors.upward_imports,
    "no import circles": floors.import_circles,
    "no imports inside functions": floors.local_imports,
    "the core imports NumPy only": floors.foreign_imports,
    "no long files": floors.long_files,
    "no long functions": floors.long_functions,
    "names are shown as text, never as markup": floors.markup_sinks,
}


def committed(root):
    """Paths of all files that belong to the project: tracked, or new and not ignored."""
    listing = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"]
    answer = subprocess.run(listing, capture_output=True, text=True, check=False)
    if answer.returncode == 0:
        return answer.stdout.splitlines()
    hidden = (".venv", "node_modules", "__pycache__", ".git")      # a downloaded archive
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return [path.as_posix() for path in files if not set(path.parts) & set(hidden)]


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule):
    complaints = list(RULES[rule](ROOT))
    assert not complaints, "\n".join([rule, *complaints])


def test_no_forbidden_strings():
    complaints = list(floors.forbidden_strings(ROOT, committed(ROOT)))
    assert not complaints, "\n".join(complaints)


def test_the_walk_finds_the_project():
    modules = dict(floors.python_files(ROOT))
    assert "autodidact.arrays.dtype" in modules, "the rules above would pass on an empty list"
    assert "tests/test_floors.py" in committed(ROOT)


def test_exceptions_are_still_needed():
    """An exception whose reason is gone must go, too."""
    files = {path.relative_to(ROOT).as_posix(): path for _, path in floors.python_files(ROOT)}
    files |= {path.relative_to(ROOT).as_posix(): path for path in floors.typescript_files(ROOT)}
    for where in floors.LONG_FILES:
        assert len(files[where].read_text(encoding="utf-8").splitlines()) > floors.LONGEST_FILE
    for where, name in floors.LONG_FUNCTIONS:
        reader = floors.braces if where.endswith(".ts") else floors.measure
        lengths = [lines for _, found, lines in reader(files[where]) if found == name]
        assert max(lengths, default=0) > floors.LONGEST_FUNCTION, (where, name)


# --- the guard, guarded ----------------------------------------------------------------------

LONG_TS = "".join(f"  const a{i} = {i};\n" for i in range(40))
BAD = {                         # rule: files that break it, and the line that must be named
    "imports only go down": [
        ({"autodidact/ops/a.py": "from autodidact.tensor import Tensor\n"}, "a.py:1"),
        ({"autodidact/arrays/a.py": "x = 1\nfrom ..ops import op\n"}, "a.py:2"),
        ({"autodidact/autograd/engine.py": "from autodidact import trace\n"}, "engine.py:1"),
        ({"autodidact/trace/a.py": "import autodidact_widgets\n"}, "a.py:1"),
        ({"autodidact/nn/a.py": "import autodidact as torch\n"}, "a.py:1"),
        ({"autodidact/autograd/graph.py": "from .forward_ad import dual\n"}, "graph.py:1"),
        ({"autodidact/stray.py": ""}, "no floor is known for autodidact.stray"),
    ],
    "no import circles": [
        ({"autodidact/ops/a.py": "from autodidact.ops import b\n",
          "autodidact/ops/b.py": "from .c import x\n",
          "autodidact/ops/c.py": "import autodidact.ops.a\n"}, "c.py:1"),
    ],
    "no imports inside functions": [
        ({"autodidact/ops/a.py": "def f():\n    import math\n"}, "a.py:2"),
        ({"widgets/autodidact_widgets/a.py": "class A:\n def f(self):\n  from os import path\n"},
         "a.py:3"),
    ],
    "the core imports NumPy only": [
        ({"autodidact/ops/a.py": "import scipy.special\n"}, "a.py:1"),
        ({"autodidact/trace/text.py": "import numpy as np\n"}, "text.py:1"),
        ({"autodidact/trace/layout.py": "from autodidact.tensor import Tensor\n"}, "layout.py:1"),
        ({"autodidact/trace/svg.py": "from .b import c\n", "autodidact/trace/b.py": "import numpy"},
         "b.py:1"),
    ],
    "no long files": [
        ({"autodidact/ops/a.py": "x = 1\n" * 401}, "401 lines"),
        ({"widgets/src/a.ts": "const x = 1;\n" * 401}, "401 lines"),
    ],
    "no long functions": [
        ({"autodidact/ops/a.py": "def f():\n" + "    x = 1\n" * 40}, "f has 41 lines"),
        ({"autodidact/ops/a.py": "def f():\n  def g():\n" + "    x = 1\n" * 40}, "g has 41 lines"),
        ({"widgets/src/a.ts": f"function f(x: Map<string, number>): void {{\n{LONG_TS}}}\n"},
         "f has 42 lines"),
        ({"widgets/src/a.ts": f"const g = (x: number) => {{\n{LONG_TS}}};\n"}, "has 42 lines"),
        ({"widgets/src/a.ts": f"class A {{\n m(x: T): Map<string, T> {{\n{LONG_TS}}}\n}}\n"},
         "m has 42 lines"),
    ],
    "names are shown as text, never as markup": [
        ({"widgets/src/a.ts": "x\nlabel.innerHTML = name;\n"}, "a.ts:2"),
        ({"widgets/autodidact_widgets/static/a.js": "new Function('x')"}, "a.js:1"),
        ({"widgets/autodidact_widgets/static/a.css": "@import 'https://elsewhere/a.css'"}, "css:1"),
        ({"widgets/autodidact_widgets/a.py": "ipywidgets.HTML(f'<b>{name}</b>')"}, "a.py:1"),
    ],
}
GOOD = {
    "autodidact/__init__.py": "from autodidact.tensor import T\n",
    "autodidact/arrays/dtype.py": "import numpy as np\n",
    "autodidact/ops/__init__.py": "from . import a\n",
    "autodidact/ops/a.py": "import math\nfrom autodidact.arrays import dtype\n",
    "autodidact/tensor.py": "from .ops import a\nT = 1\n",
    "autodidact/trace/layout.py": "import json\nfrom autodidact.trace import text\n",
    "autodidact/trace/text.py": 'def f():\n    """' + "One line.\n" * 45 + '    """\n',
    "autodidact/nn/a.py": "from autodidact.tensor import T\n",
    "widgets/autodidact_widgets/a.py": "import autodidact\nimport anywidget\n",
    "widgets/src/b.ts": 'const SVG = "http://www.w3.org/2000/svg";\n',
    "widgets/src/a.ts": f"class A {{\n{LONG_TS}\n f() {{ return '}}' }}\n}}\n"
                        f"const data = {{\n{LONG_TS.replace('const ', '').replace(' =', ':')}}};\n",
}
HOSTS = ("files.python" + "hosted.org", "registry." + "npmjs.org", "https://pypi." + "org/x",
         "/wo" + "rk/main/x", "pip install auto" + "didact", "pip install -q auto" + "didact\n")


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("rule", "number"), [(r, i) for r in BAD for i in range(len(BAD[r]))])
def test_a_bad_tree_is_found(tmp_path, rule, number):
    files, named = BAD[rule][number]
    plant(tmp_path, GOOD | files)
    assert any(named in complaint for complaint in RULES[rule](tmp_path))


@pytest.mark.parametrize("rule", RULES)
def test_a_good_tree_passes(tmp_path, rule):
    plant(tmp_path, GOOD)
    assert list(RULES[rule](tmp_path)) == []


@pytest.mark.parametrize("text", HOSTS)
def test_a_forbidden_string_is_found(tmp_path, text):
    plant(tmp_path, {"README.md": "fine\n" + text})
    assert any("README.md:2" in line for line in floors.forbidden_strings(tmp_path, ["README.md"]))


@pytest.mark.parametrize("text", ["pip install autodidact-grad", "import autodidact", "a / work"])
def test_an_innocent_string_passes(tmp_path, text):
    plant(tmp_path, {"a.md": text})
    assert not list(floors.forbidden_strings(tmp_path, ["a.md"]))
