"""What `test_floors.py` enforces, as functions of a folder, so that they can be tried on a bad one.

Every check takes the root of a source tree and returns a list of complaints, one line each:
`path:line: what is wrong`.  An empty list is a pass.
"""

import ast
import re
import sys
from pathlib import Path

# The floor of a module is that of the longest of these names that begins its own.  Imports may
# only go down or stay on the floor.  A module without a floor is a complaint: give it one.
FLOORS = {
    "autodidact._garbage": 0,
    "autodidact._optional": 0,
    "autodidact.arrays": 0,
    "autodidact.ops": 1,
    "autodidact.tensor_base": 2,
    "autodidact.autograd": 2,
    "autodidact.dispatch": 3,
    "autodidact.levels": 3,
    "autodidact.inplace": 3,
    "autodidact.nodes": 3,
    "autodidact.usual": 3,
    "autodidact.view_ops": 3,
    "autodidact._C": 3,
    "autodidact.public": 3,
    "autodidact.functions": 3,
    "autodidact.tensor": 3,
    "autodidact.size": 3,
    "autodidact._tensor_str": 3,
    "autodidact.autograd.forward_ad": 3,
    "autodidact.cuda": 4,
    "autodidact.linalg": 4,
    "autodidact.fft": 4,
    "autodidact.special": 4,
    "autodidact.signal": 4,
    "autodidact.func": 4,
    "autodidact.autograd.differences": 5,
    "autodidact.autograd.gradcheck": 5,
    "autodidact.autograd.gradcheck_forward": 5,
    "autodidact.autograd.gradcheck_parts": 5,
    "autodidact.autograd.functional": 5,
    "autodidact.autograd.functional_jacobian": 5,
    "autodidact.autograd.functional_parts": 5,
    "autodidact.nn": 5,
    "autodidact.optim": 5,
    "autodidact.utils": 5,
    "autodidact.testing": 5,
    "autodidact.serialization": 5,
    "autodidact.trace": 6,
    "autodidact.check": 6,
    "autodidact.checking": 6,
    "autodidact_widgets": 7,
}
FACADE = "autodidact"           # the package itself collects floors 0 to 5 and is seen from 6 on
FACADE_FLOOR = 5.5

# Import statements inside functions, where they must be: file, function, reason.  None so far:
# `autodidact.__getattr__` loads what lives above by its name.
LOCAL_IMPORTS = {}

# These run in Pyodide without NumPy, by file path: they, and whatever of ours they import, import
# nothing else but the standard library.
NUMPY_FREE = {f"autodidact.trace.{name}" for name in ("layout", "text", "svg")}
NUMPY_FREE_REACH = ("autodidact.trace.", "autodidact._optional")

# What the core may import beside itself when it is imported; all else is loaded on first use.
CORE_IMPORTS = {"numpy"}

LONGEST_FILE = 400
LONGEST_FUNCTION = 40
LONG_FILES = {}                 # path: reason
LONG_FUNCTIONS = {              # (path, name): reason
    ("autodidact/dispatch.py", "call"):
        "the short path of every operation: one more call in it costs 5 % of a small operation",
}

# Joined here so that this file does not contain what it forbids.
FORBIDDEN = {
    "a registry's host": re.compile(
        "|".join((r"pypi\." + "org", r"python" + r"hosted\.", r"registry\." + "npmjs",
                  r"npmjs\." + r"(?:com|org)/", r"deb\." + r"debian\.", r"download\." + "pytorch",
                  r"jsdel" + "ivr", r"unp" + r"kg\.com"))
    ),
    "a path of one machine": re.compile(
        "|".join((r"/wo" + r"rk/(?:main|shared|spec)", r"/op" + r"t/adenv", r"/ro" + r"ot/\.",
                  r"/tmp/bash" + "_jobs", r"/ho" + r"me/[a-z]+/"))
    ),
    "an installation under a name that belongs to another project": re.compile(
        r"(?:pip|uv)\s+(?:add|install)\s+(?:-\S+\s+)*['\"]?auto" + r"didact(?![-\w])"
    ),
}


def floor_of(module):
    """The floor of a module's full name, or None where the table does not know it."""
    if module == FACADE:
        return FACADE_FLOOR
    names = module.split(".")
    for length in range(len(names), 0, -1):
        if (floor := FLOORS.get(".".join(names[:length]))) is not None:
            return floor
    return None


def python_files(root):
    """Our own Python: pairs of full module name and path."""
    for package in (root / "autodidact", root / "widgets" / "autodidact_widgets"):
        for path in sorted(package.rglob("*.py")):
            names = path.relative_to(package.parent).with_suffix("").parts
            yield ".".join(names[:-1] if names[-1] == "__init__" else names), path


def typescript_files(root):
    """The hand-written front end."""
    return sorted((root / "widgets" / "src").rglob("*.ts"))


def imports(module, path, known):
    """Every module imported by `path`: (line, full name, enclosing function or None)."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node, outer in walk(ast.parse(path.read_text(encoding="utf-8"))):
        function = outer and outer.name
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, function) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            for alias in node.names:            # `from package import module` names a module
                full = f"{source}.{alias.name}"
                yield node.lineno, full if full in known else source, function


def walk(tree, function=None):
    """Every node below `tree` with the function it stands in (or None), without recursion."""
    stack = [(tree, function)]
    while stack:
        node, function = stack.pop()
        yield node, function
        inner = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]


def ours(name):
    """Whether a module is part of this project."""
    return name.split(".")[0] in ("autodidact", "autodidact_widgets")


def upward_imports(root):
    """Imports that go up a floor, and modules that have none."""
    files = dict(python_files(root))
    for module, path in files.items():
        here, where = floor_of(module), path.relative_to(root).as_posix()
        if here is None:
            yield f"{where}:1: no floor is known for {module}; add it to tests/floors.py"
            continue
        for line, name, function in imports(module, path, files):
            allowed = (where, function) in LOCAL_IMPORTS
            if ours(name) and not allowed and (floor_of(name) or 0) > here:
                yield f"{where}:{line}: floor {here} imports {name} of floor {floor_of(name)}"


def import_circles(root):
    """Modules that import each other, directly or around a corner, as Python would load them."""
    files = dict(python_files(root))
    edges = {
        module: {name for _, name, function in imports(module, path, files)
                 if function is None and name in files and name != module and name != FACADE}
        for module, path in files.items() if module != FACADE
    }
    while free := [module for module, below in edges.items() if not below & edges.keys()]:
        for module in free:
            del edges[module]
    for module, below in edges.items():
        around = ", ".join(sorted(below & edges.keys()))
        yield f"{files[module].relative_to(root).as_posix()}:1: in an import circle with {around}"


def local_imports(root):
    """Import statements inside functions, but for the listed ones."""
    files = dict(python_files(root))
    for module, path in files.items():
        where = path.relative_to(root).as_posix()
        for line, name, function in imports(module, path, files):
            if function is not None and (where, function) not in LOCAL_IMPORTS:
                yield f"{where}:{line}: {function} imports {name}; import at the top of the file"


def foreign_imports(root):
    """Libraries that the core, or its NumPy-free part, imports when it is imported."""
    files = dict(python_files(root))
    pure = reached(NUMPY_FREE, files)
    for module, path in files.items():
        where = path.relative_to(root).as_posix()
        for line, name, function in dict.fromkeys(imports(module, path, files)):
            top = name.split(".")[0]
            if top in sys.stdlib_module_names or function is not None:
                continue
            if module in pure and not name.startswith(NUMPY_FREE_REACH):
                yield f"{where}:{line}: the NumPy-free part imports {name}"
            elif module.startswith("autodidact.") and not ours(name) and top not in CORE_IMPORTS:
                yield f"{where}:{line}: the core imports {top}; load it on first use"


def reached(start, files):
    """The modules of `start` and all of ours that they import, directly or through others."""
    found, todo = set(), [module for module in start if module in files]
    while todo:
        module = todo.pop()
        found.add(module)
        names = {name for _, name, _ in imports(module, files[module], files)}
        todo += [name for name in names & files.keys() if name not in found]
    return found


def long_files(root):
    """Files of more lines than a reader takes in."""
    for path in [path for _, path in python_files(root)] + typescript_files(root):
        where = path.relative_to(root).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE and where not in LONG_FILES:
            yield f"{where}:{lines}: {lines} lines; at most {LONGEST_FILE}"


def long_functions(root):
    """Functions of more lines than a screen holds.

    Their docstring is the contract and is not counted; a function inside counts for itself.
    """
    found = [(path, *measured) for _, path in python_files(root) for measured in measure(path)]
    found += [(path, *measured) for path in typescript_files(root) for measured in braces(path)]
    for path, line, name, lines in found:
        where = path.relative_to(root).as_posix()
        if lines > LONGEST_FUNCTION and (where, name) not in LONG_FUNCTIONS:
            yield f"{where}:{line}: {name} has {lines} lines; at most {LONGEST_FUNCTION}"


def measure(path):
    """(line, name, own lines) of every function in a Python file."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    lengths = {}
    for node, outer in walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, functions):
            lines = node.end_lineno - node.lineno + 1
            lengths[node] = lengths.get(node, 0) + lines
            if outer is not None:
                lengths[outer] = lengths.get(outer, 0) - lines
            if ast.get_docstring(node, clean=False) is not None:
                lengths[node] -= node.body[0].end_lineno - node.body[0].lineno + 1
    return [(node.lineno, node.name, lines) for node, lines in lengths.items()]


# What opens a function's body in TypeScript: `=> {`, or `name(...) {` with an optional result type.
# Names that look like a call but open another kind of block are control flow.
_LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_OPENS = re.compile(r"(=>|\)(?:\s*:\s*[\w<>\[\]|., \"'{}?:;]+?)?)\s*$")
_NAME = re.compile(r"(\w+)\s*(?:=\s*(?:async\s*)?|<[^<>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*$")
_CONTROL = {"if", "for", "while", "switch", "catch", "with"}


def braces(path):
    """(line, name, lines) of every function in a TypeScript file, by matching its braces."""
    text = _LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]),
                        path.read_text(encoding="utf-8"))
    opened = []
    for at, sign in ((found.start(), found[0]) for found in re.finditer(r"[{}]", text)):
        if sign == "{":
            opened.append(at)
        elif opened:
            start = opened.pop()
            head = text[max(text.rfind(";", 0, start), text.rfind("}", 0, start), 0):start]
            name = _NAME.search(head)
            if _OPENS.search(head) and not (name and name[1] in _CONTROL):
                line = text.count("\n", 0, start) + 1
                yield line, name[1] if name else "=>", text.count("\n", start, at) + 1


def forbidden_strings(root, paths):
    """Hosts, machine paths and wrong instructions in any text file of the project."""
    for path in paths:
        try:
            text = Path(root, path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        for what, pattern in FORBIDDEN.items():
            for found in pattern.finditer(text):
                yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {what}: {found[0]}"


# What would turn a learner's name into markup or code, or fetch a part of the page from elsewhere.
# Namespaces are names that look like addresses; nothing is fetched from them.
_SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc"
    r"|\beval\(|new Function\(|ipywidgets\.HTML\b|\b(?:W|widgets)\.HTML\("
    r"|https?://(?!www\.w3\.org/)"
)


def markup_sinks(root):
    """Lines of the widgets, the built bundle included, by which a name could become markup."""
    for pattern in ("src/**/*.ts", "autodidact_widgets/**/*.py", "autodidact_widgets/static/*"):
        for path in sorted((root / "widgets").glob(pattern)):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if found := _SINKS.search(line):
                    yield f"{path.relative_to(root).as_posix()}:{number}: {found[0]}"
