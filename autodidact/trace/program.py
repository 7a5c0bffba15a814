"""A learner's program as text that can be changed line by line and run again."""

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

__all__ = ["Program"]


class Program:
    """A function and its text.

    Attributes:
        function: what is called. name: what it is called.
        first: the number of its first line; lines: its text, without the common indent.
        file: the file name that Python gives its code.
    """

    def __init__(self, function: Callable, lines: list, first: int, space: dict) -> None:
        self.function, self.lines, self.first, self.space = function, lines, first, space
        self.name, self.file = function.__name__, function.__code__.co_filename

    @classmethod
    def of(cls, function: Any) -> "Program":
        """The program of a function written in Python.

        Raises:
            TypeError: something that is no function.
        """
        if not inspect.isfunction(function):
            raise TypeError("clinic() takes a function, the program to be looked at; it was given "
                            f"{type(function).__name__}")
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            lines, first = [], function.__code__.co_firstlineno     # runs, but is not listed
        text = textwrap.dedent("".join(lines)).split("\n")
        while text and not text[-1].strip():
            text.pop()
        outer = dict(zip(function.__code__.co_freevars,
                         [cell.cell_contents for cell in function.__closure__ or ()], strict=True))
        return cls(function, text, first, function.__globals__ | outer)

    def line(self, number: int) -> str:
        """A line's text without its indent."""
        at = number - self.first
        return self.lines[at].strip() if 0 <= at < len(self.lines) else ""

    def changed(self, edits: dict) -> "Program":
        """The same with some lines replaced (number -> new text; None takes the line away)."""
        lines = list(self.lines)
        for number, new in edits.items():
            old = lines[number - self.first]
            indent = old[:len(old) - len(old.lstrip())]
            lines[number - self.first] = indent + ("pass" if new is None else new)
        file = f"<{self.name}, repaired>"
        text = "\n" * (self.first - 1) + "\n".join(lines) + "\n"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        space = dict(self.space)
        exec(compile(text, file, "exec"), space)
        return Program(space[self.name], lines, self.first, space)

    def names_in(self, number: int) -> list:
        """The variables that a line reads."""
        tree = parsed(self.line(number))
        return [] if tree is None else [
            node.id for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]

    def lines_with(self, name: str) -> list:
        """The numbers of the lines that read a variable."""
        return [n for n in range(self.first, self.first + len(self.lines))
                if name in self.names_in(n)]


def parsed(line: str) -> Any:
    """A line as a tree; None where it is a part of something larger."""
    text = line if not line.endswith(":") else line + " pass"
    try:
        return ast.parse(text)
    except SyntaxError:
        return None
