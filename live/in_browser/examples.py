"""A piece of Python as at a prompt: what it prints, and the value of every expression."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import traceback
from pathlib import Path

import idealist as il
from idealist.errors import IdealistError, shortened
from in_browser.absent import absent_package

NAME = "<example>"
LONGEST = 20_000  # characters of output: a page that shows more is slow
# Examples read the files of the sample shop by their names, as those of the documentation do.
SHOP = Path(__file__).parents[1] / "shop"


def example(source: str) -> dict[str, object]:
    """The output, and whether an error ended it.

    >>> example("numbers = [2, 3]\\nsum(numbers)\\nsum(numbers) / 0")["failed"]
    True
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        failed = not _ran(source)
    return {"output": shortened(printed.getvalue(), LONGEST), "failed": failed}


def _ran(source: str) -> bool:
    """Runs the statements one by one and prints what a prompt prints; False where an error stopped them."""
    try:
        tree = ast.parse(source, NAME)
        names = _public_names(tree)
        if SHOP.is_dir():
            os.chdir(SHOP)
        for statement in tree.body:
            # "single" prints the value of an expression, as a prompt does.
            exec(compile(ast.Interactive([statement]), NAME, "single"), names)
    except Exception as error:
        print(_in_words(error), file=sys.stderr)
        return False
    return True


def _public_names(tree: ast.Module) -> dict[str, object]:
    """The public names of Idealist that the code mentions: examples of measures import none."""
    mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found = {
        name: getattr(package, name)
        for package in (il.data, il.measures, il)
        for name in mentioned & set(package.__all__)
    }
    return {"__name__": "__main__", "il": il, "idealist": il, **found}


def _in_words(error: Exception) -> str:
    """A traceback through the example's own lines; of what is said on purpose, the message."""
    if sentence := absent_package(error):
        return sentence
    if isinstance(error, IdealistError):
        return f"{type(error).__name__}: {error}"
    whole = traceback.TracebackException.from_exception(error)
    own = [frame for frame in whole.stack if frame.filename == NAME]
    lines = "".join(f"line {frame.lineno}, " for frame in own[-1:])
    return lines + "".join(whole.format_exception_only()).rstrip()
