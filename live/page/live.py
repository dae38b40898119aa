"""What the page asks for: texts that were pasted in, tables as HTML out."""

from __future__ import annotations

from pathlib import Path

import idealist as il
from idealist.conventions import PRESETS
from idealist.errors import IdealistError
from idealist.reporting.table import Table

FOLDER = Path("/pasted")
JUDGMENTS, RUN = FOLDER / "judgments.qrels", FOLDER / "run.run"


def pasted(judgments: str, run: str) -> None:
    """Keeps the two texts as files, which the readers then recognise and check."""
    FOLDER.mkdir(exist_ok=True)
    JUDGMENTS.write_text(judgments, encoding="utf-8")
    RUN.write_text(run, encoding="utf-8")


def tool_names() -> list[str]:
    """The tools whose conventions are known."""
    return list(PRESETS)


def queries() -> list[str]:
    """The judged queries."""
    return list(il.read_judgments(JUDGMENTS))


def tools(measure: str) -> str:
    """The number of every tool, or what it says instead of one."""
    il.parse(measure)  # one that does not exist is an error of the page, not of every tool
    rows: list[list[str | float | None]] = []
    for name, preset in PRESETS.items():
        try:
            result = il.evaluate(RUN, JUDGMENTS, measure, conventions=preset.conventions)
            rows.append([name, result.mean(measure), str(result.n(measure)), ""])
        except IdealistError as error:
            rows.append([name, None, "", error.message])
    return Table(["tool", measure, "queries", "instead of a number"], rows).to_html()


def difference(measure: str, first: str, second: str) -> str:
    """Why two tools differ, choice by choice."""
    return il.why(RUN, JUDGMENTS, measure, between=(first, second)).to_html()


def build_up(measure: str, query: str, conventions: str) -> str:
    """How the value of one query comes about."""
    return il.explain(RUN, JUDGMENTS, measure, query=query, conventions=conventions).to_html()


def example(source: str) -> str:
    """What a piece of Python prints, and the value of its last line, as at a prompt."""
    import ast
    import contextlib
    import io

    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    names: dict[str, object] = {"il": il, "idealist": il}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<example>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<example>", "eval"), names)
            if value is not None:
                print(value if isinstance(value, il.results.Result) else repr(value))
    return printed.getvalue()
