"""Make both editions of every lesson from its one source.

    python notebooks/build.py             write the editions; keep the outputs of solved ones
    python notebooks/build.py --execute   the same, and run the solved editions afresh
    python notebooks/build.py --check     write nothing; exit 1 if an edition on disk is stale

Source: ``source/NN-name.py``, jupytext's percent format. Learner's edition: ``NN-name.ipynb``, gaps
open, not executed. Solved edition: ``solved/NN-name.ipynb``, gaps filled, teacher's cells kept,
executed; nbval compares its outputs. A language with Markdown cells of its own (``lang="ru"``,
each right after the English cell it stands for) gets a learner's edition in a folder of that name.

``source/scenes.py`` has the text form of every scene of the stepper. It becomes
``solved/scenes.ipynb``, which nbval compares like the lessons, and nothing else.

The index, ``source/index.py``, becomes ``index.ipynb``. In it the line ``<!-- lessons: 04 05 -->``
stands for a table of these lessons: title, question and time, from the head of each.

Tags: ``exercise`` (the gap, learner's edition only), ``solution`` and ``teacher`` (solved edition
only), ``check``, ``slow``, ``gpu``, ``stepper`` (its output needs autodidact's own graphs),
``message`` (its output quotes a message; PyTorch says the same in other words).
An exercise's cells carry ``exercise="04.2"``, from which their ids are made.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

HERE = Path(__file__).resolve().parent
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
LEARNER_LEAVES_OUT = {"solution", "teacher"}
SOLVED_LEAVES_OUT = {"exercise"}
SECONDS_PER_CELL = 120


def main(arguments: list[str] | None = None) -> int:
    """Build or check; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execute", action="store_true", help="run the solved editions afresh")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")
    parser.add_argument("--folder", type=Path, default=HERE, help="where source/ lies")
    parser.add_argument("lessons", nargs="*", help="only these, for example 04")
    options = parser.parse_args(arguments)

    stale = []
    for source in sources(options.folder, options.lessons):
        for path, notebook in editions(source, options.folder, execute=options.execute):
            if is_solved(path) and not executed(notebook):
                lesson = source.name[:2]
                stale.append(f"{path.name}: the code changed; run build.py --execute {lesson}")
            elif options.check and not same(path, notebook):
                stale.append(f"{path.relative_to(options.folder)}: stale; run build.py")
            elif not options.check:
                write(path, notebook)
    stale += scenes(options)
    for path, notebook in index_editions(options.folder):
        if options.check and not same(path, notebook):
            stale.append(f"{path.relative_to(options.folder)}: stale; run build.py")
        elif not options.check:
            write(path, notebook)
    if not options.lessons:
        stale += [f"{path.name}: no source makes it" for path in orphans(options.folder)]
    print("\n".join(stale) or "every edition is up to date")
    return 1 if stale else 0


def scenes(options: argparse.Namespace) -> list[str]:
    """Build or check ``solved/scenes.ipynb``: the text form of every scene; what is stale.

    It is no lesson: it has no learner's edition, and the index does not know it.
    """
    source = options.folder / "source" / "scenes.py"
    if not source.exists() or (options.lessons and "scenes" not in options.lessons):
        return []
    path = options.folder / "solved" / "scenes.ipynb"
    made = notebook(read(source), "en", set())
    if options.execute:
        run(made, options.folder)
    elif path.exists():
        take_outputs(made, nbformat.read(path, as_version=4))
    if not executed(made):
        return ["scenes.ipynb: the code changed; run build.py --execute scenes"]
    if options.check:
        return [] if same(path, made) else ["solved/scenes.ipynb: stale; run build.py"]
    write(path, made)
    return []


def sources(folder: Path, lessons: list[str]) -> list[Path]:
    """The sources to build, in the order of the course."""
    found = sorted((folder / "source").glob("[0-9][0-9]-*.py"))
    return [path for path in found if not lessons or path.name[:2] in lessons]


def orphans(folder: Path) -> list[Path]:
    """Editions on disk whose source is gone."""
    names = {path.stem for path in sources(folder, [])}
    made = [*folder.glob("[0-9][0-9]-*.ipynb"), *folder.glob("*/[0-9][0-9]-*.ipynb")]
    return sorted(path for path in made if path.stem not in names)


def editions(source: Path, folder: Path, *, execute: bool) -> Iterator[tuple[Path, NotebookNode]]:
    """Every edition of one source, with the path it belongs to."""
    cells = read(source)
    name = source.with_suffix(".ipynb").name
    for language in languages(cells):
        place = folder if language == "en" else folder / language
        yield place / name, notebook(cells, language, LEARNER_LEAVES_OUT)
    path = folder / "solved" / name
    solved = notebook(cells, "en", SOLVED_LEAVES_OUT)
    if execute:
        run(solved, folder)
    elif path.exists():
        take_outputs(solved, nbformat.read(path, as_version=4))
    yield path, solved


# ---- from source to cells ----------------------------------------------------------------------


def read(source: Path) -> list[NotebookNode]:
    """The source's cells with stable ids; a translated cell has the id of its English twin."""
    cells = jupytext.reads(source.read_text("utf-8"), fmt="py:percent").cells
    taken: dict[str, int] = {}
    english = ""
    for cell in cells:
        if cell.metadata.get("lang", "en") != "en":
            cell["id"] = english
            continue
        wanted = cell_id(cell)
        taken[wanted] = taken.get(wanted, 0) + (0 if "solution" in tags(cell) else 1)
        again = taken[wanted] > 1
        cell["id"] = english = f"{wanted}-{taken[wanted]}" if again else wanted
    return cells


def cell_id(cell: NotebookNode) -> str:
    """An exercise's cells are named after it, so that a grader can find them; others by content.

    The gap and its solution share one id: they are the same cell in two editions.
    """
    if "exercise" in cell.metadata:
        role = "check" if "check" in tags(cell) else "exercise"
        return f"{role}-{cell.metadata['exercise'].replace('.', '-')}"
    return hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]


def tags(cell: NotebookNode) -> list[str]:
    """The cell's tags, none if it has no list of them."""
    return cell.metadata.get("tags", [])


def languages(cells: list[NotebookNode]) -> list[str]:
    """English, then every language that has a cell."""
    others = {cell.metadata["lang"] for cell in cells if "lang" in cell.metadata}
    return ["en", *sorted(others - {"en"})]


def notebook(cells: list[NotebookNode], language: str, leave_out: set[str]) -> NotebookNode:
    """One edition, not executed: the cells it keeps, with clean metadata."""
    kept: list[NotebookNode] = []
    for cell in cells:
        spoken = cell.metadata.get("lang", "en")
        if leave_out & set(tags(cell)) or spoken not in ("en", language):
            continue
        if spoken != "en":
            kept.pop()  # the English twin stands right before its translation
        metadata = {"tags": list(tags(cell))} if tags(cell) else {}
        new = getattr(nbformat.v4, f"new_{cell.cell_type}_cell")
        kept.append(new(cell.source, id=cell["id"], metadata=metadata))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.v4.new_notebook(cells=kept, metadata=metadata)


# ---- the index ---------------------------------------------------------------------------------

TABLE_OF = re.compile(r"^<!-- lessons:((?: \d\d)+) -->$", re.MULTILINE)
HEADS = {"en": "| lesson | its question | minutes |", "ru": "| урок | его вопрос | минут |"}


def index_editions(folder: Path) -> Iterator[tuple[Path, NotebookNode]]:
    """The index in every language that it speaks; nothing where there is none."""
    source = folder / "source" / "index.py"
    if not source.exists():
        return
    cells = read(source)
    for language in languages(cells):
        made = notebook(cells, language, LEARNER_LEAVES_OUT)
        for cell in made.cells:
            if found := TABLE_OF.search(cell.source):
                rows = table(folder, found[1].split(), language)
                cell.source = cell.source.replace(found[0], rows)
        place = folder if language == "en" else folder / language
        yield place / "index.ipynb", made


def table(folder: Path, lessons: list[str], language: str) -> str:
    """The lessons that there are, as rows with links; English where there is no translation."""
    rows = [HEADS.get(language, HEADS["en"]), "|---|---|---|"]
    for source in sources(folder, lessons):
        cells = read(source)
        spoken = language if language in languages(cells) else "en"
        head = next(cell.source for cell in cells if cell.metadata.get("lang", "en") == spoken)
        title = head.split("\n")[0].removeprefix("# ")
        question = re.search(r"\*\*\w+: (.*?)\*\*", head, re.DOTALL)[1].replace("\n", " ")
        minutes = re.search(r"^\w+: \w+ (\d+) \w+\.", head, re.MULTILINE)[1]
        up = "../" if spoken != language else ""
        link = f"{up}{source.with_suffix('.ipynb').name}"
        rows.append(f"| [{title}]({link}) | {question[0].upper()}{question[1:]} | {minutes} |")
    return "\n".join(rows)


# ---- running and comparing ---------------------------------------------------------------------


def run(notebook: NotebookNode, folder: Path) -> None:
    """Execute in a fresh kernel, in place; keep outputs, but no widget state and no times."""
    root = HERE.parent
    paths = [str(root), str(root / "widgets"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment["AUTODIDACT_PROGRESS"] = "off"  # no learner has solved these
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=environment)
    notebook.metadata.language_info = {"name": "python"}  # without the version of this Python
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # The number of a widget in this kernel means nothing in another one.
            output.get("data", {}).pop(WIDGET_VIEW, None)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def take_outputs(new: NotebookNode, old: NotebookNode) -> None:
    """Take the outputs over if not one line of code changed; changed words need no new run."""
    if [cell.source for cell in code(new)] == [cell.source for cell in code(old)]:
        for mine, theirs in zip(code(new), code(old), strict=True):
            mine.outputs, mine.execution_count = theirs.outputs, theirs.execution_count


def is_solved(path: Path) -> bool:
    """Whether this is the path of a solved edition."""
    return path.parent.name == "solved"


def executed(notebook: NotebookNode) -> bool:
    """Whether every code cell has been run."""
    return all(cell.execution_count for cell in code(notebook))


def same(path: Path, notebook: NotebookNode) -> bool:
    """Whether the file says the same; bytes of pictures may differ with the plotting library."""
    if not path.exists():
        return False
    old = nbformat.read(path, as_version=4)
    return text(old) == text(notebook)


def text(notebook: NotebookNode) -> str:
    """The notebook as it is written, with the outputs left out that nbval does not compare."""
    copy = nbformat.from_dict(notebook)
    for cell in code(copy):
        if "nbval-ignore-output" in tags(cell):
            cell.outputs = []
    return nbformat.writes(copy)


def write(path: Path, notebook: NotebookNode) -> None:
    """Write the file, only if something changed."""
    new = nbformat.writes(notebook) + "\n"
    if not path.exists() or path.read_text("utf-8") != new:
        path.parent.mkdir(exist_ok=True)
        path.write_text(new, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
