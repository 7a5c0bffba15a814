"""Run a lesson's code cells as a kernel would, but in this process and under either library."""

import ast
import contextlib
import io
import warnings


def text_of(outputs):
    """What a cell printed and what it showed as text, from the outputs of a notebook."""
    printed = [output.text for output in outputs if output.output_type == "stream"]
    shown = [output.data["text/plain"] for output in outputs if "data" in output]
    return "".join(printed) + "".join(shown)


def run_cells(cells, library="autodidact"):
    """Run code cells in one namespace; yield each cell's id and its text.

    `library` takes the place of autodidact in the lesson's first line, as a learner may do it.
    """
    names = {"__name__": "__main__"}
    for cell in cells:
        source = cell.source.replace("import autodidact as torch", f"import {library} as torch")
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, shown = io.StringIO(), ""
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a kernel goes on after one, too
            exec(compile(tree, cell["id"], "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
                shown = "" if value is None else repr(value)
        yield cell["id"], printed.getvalue() + shown
