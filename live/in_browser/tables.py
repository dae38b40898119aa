"""Judgments and runs that were pasted into the page, and what it shows of them, as HTML."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import idealist as il
from idealist.conventions import PRESETS
from idealist.errors import IdealistError, InputError
from idealist.measures.naming import registry
from idealist.show.cells import difference_cell
from idealist.show.table import Table

if TYPE_CHECKING:
    from idealist.evaluation import ToolDifference
    from idealist.show.table import Cell

FOLDER = Path("/tmp/pasted")
JUDGMENTS = "judgments"
UNSEEN = 5e-5  # what four decimals do not show
DEFAULT = "idealist"


def choices() -> dict[str, Any]:
    """What can be chosen: tools, each with what it is, and the names of measures."""
    return {
        "tools": {name: preset.about for name, preset in PRESETS.items()},
        "measures": sorted((cls.name for cls in registry().values()), key=str.casefold),
    }


def measured(judgments: str, runs: dict[str, str], measure: str) -> dict[str, Any]:
    """Every tool's number for every run, why it differs, and the queries that were judged."""
    keep({JUDGMENTS: judgments, **runs})
    il.measures.parse(measure)  # one that does not exist is an error of the page, not of every tool
    return {
        "tools": tools_table(list(runs), measure).to_html(),
        "queries": list(il.read_judgments(JUDGMENTS)),
    }


def keep(texts: dict[str, str]) -> None:
    """Writes the texts as files, which the readers recognise and check, and name in errors as the page does."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(FOLDER)
    for name, text in texts.items():
        if not text.strip():
            raise InputError("nothing was pasted", source=name, hint="the sample shows what belongs there")
        Path(name).write_text(text, encoding="utf-8")


def tools_table(runs: list[str], measure: str) -> Table:
    """A row per tool: the means, their difference where there are two runs, and why it is not our default's number."""
    judgments, read = il.read_judgments(JUDGMENTS), [il.read_run(name) for name in runs]
    two = len(runs) == 2
    rows: list[list[Cell]] = []
    for tool, preset in PRESETS.items():
        try:
            results = [il.evaluate(judgments, run, measure, conventions=preset.conventions) for run in read]
        except IdealistError as error:
            if tool == DEFAULT:  # it refuses what no tool can measure
                raise
            rows.append([tool, *[None] * (len(runs) + two), "", f"no number: {error.message}"])
            continue
        means = [result.mean(measure) for result in results]
        counts = " and ".join(str(n) for n in sorted({result.n(measure) for result in results}))
        walk = il.why(judgments, read[0], measure, between=(DEFAULT, tool))
        rows.append(
            [tool, *means, *([difference_cell(means[1] - means[0])] if two else []), counts, reasons(walk)]
        )
    titles = [f"{measure}, {name}" for name in runs] + ([f"{runs[1]} − {runs[0]}"] if two else [])
    return Table(["tool", *titles, "queries", f"what moves {runs[0]} from {DEFAULT}'s number"], rows)


def reasons(walk: ToolDifference) -> str:
    """The choices that change the number, and by how much."""
    moving = [step for step in walk.steps if abs(step.change) > UNSEEN]
    return ", ".join(f"{step.choice} {step.after} {step.change:+.4f}" for step in moving)


def difference(run: str, measure: str, first: str, second: str) -> str:
    """Why two tools differ, choice by choice."""
    return il.why(JUDGMENTS, run, measure, between=(first, second)).to_html()


def build_up(run: str, measure: str, query: str, tool: str) -> str:
    """How the value of one query comes about."""
    return il.explain(JUDGMENTS, run, measure, query=query, conventions=tool).to_html()
