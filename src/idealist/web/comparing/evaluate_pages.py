"""Runs × measures with intervals, under conventions that can be switched, and why two of them differ."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.conventions import CHOICES, DEFAULT, PRESETS, parse_conventions
from idealist.errors import InputError
from idealist.evaluation import why
from idealist.evaluation.measuring import MEASURES
from idealist.measures import parse_all, registry
from idealist.show.cells import cell_text
from idealist.show.convention_tables import difference_view
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.jobs import ended_within
from idealist.web.base.result_cache import PATIENCE, ResultCache, StillComputing
from idealist.web.comparing.run_values import (
    CONFIDENCE,
    Question,
    question,
    start_measuring,
    stored_judgments,
    summaries,
)
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import judgments_of, list_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from starlette.responses import Response

    from idealist.conventions import Conventions
    from idealist.measures import Measure
    from idealist.show.view import View
    from idealist.web.access.pages import Visit
    from idealist.web.comparing.run_values import Summary
    from idealist.web.projects.project_sources import Source

_walks = ResultCache(32)  # from one tool's conventions to another's


class Row(Frozen):
    """A run and its cells; a cell is None while it is measured."""

    source: Source
    cells: tuple[Summary | None, ...]
    notes: tuple[str, ...]


class Walk(Frozen):
    """Why two conventions differ, if that is asked for: the answer, or what is wrong with the question."""

    view: View | None = None
    problem: InputError | None = None
    pending: bool = False


def show_evaluation(visit: Visit) -> Response:
    return _show(visit, "evaluate.html")


def show_table(visit: Visit) -> Response:
    """The table alone, which the page asks for while runs are measured."""
    return _show(visit, "_evaluation.html")


def show_why(visit: Visit) -> Response:
    """Why two conventions differ alone, which the page asks for while it is computed."""
    project = this_project(visit)
    judgments = judgments_of(visit.database, project.id)
    runs = list_sources(visit.database, project.id, "run")
    if judgments is None:
        raise PageNotFound
    walk = walk_asked(visit, judgments, runs)
    return visit.show("_why.html", project=project, walk=walk, address=visit.request.url.query)


def _show(visit: Visit, template: str) -> Response:
    project = this_project(visit)
    judgments = judgments_of(visit.database, project.id)
    runs = list_sources(visit.database, project.id, "run")
    shown: dict[str, Any] = {
        "project": project,
        "tab": "evaluate",
        "judgments": judgments,
        "runs": runs,
        "asked": _asked(visit),
    }
    if judgments is None or not runs:
        return visit.show("evaluate_empty.html", **shown)
    problem, rows, asked, walk = None, list[Row](), None, Walk()
    try:
        asked = question_of(visit, judgments)
        rows = measured_rows(visit, asked, runs)
        walk = Walk() if template == "_evaluation.html" else walk_asked(visit, judgments, runs)
    except InputError as error:
        problem = visit.problem = error
    pending = problem is None and any(cell is None for row in rows for cell in row.cells)
    return visit.show(
        template,
        **shown,
        rows=rows,
        measures=[] if asked is None else asked.measures,
        best=best_cells(rows, asked.measures) if asked and not pending else set(),
        pending=pending,
        done=sum(None not in row.cells for row in rows),
        conventions=DEFAULT if asked is None else asked.conventions,
        choices=CHOICES,
        stated=any(map(visit.query, CHOICES)),
        presets=PRESETS,
        known_measures=sorted(registry(), key=str.lower),
        confidence=f"{100 * CONFIDENCE:g}",
        cell_text=cell_text,
        walk=walk,
        address=visit.request.url.query,
    )


def _asked(visit: Visit) -> dict[str, str]:
    """What the form says, as it was sent."""
    return {
        "measures": visit.query("measures", ", ".join(MEASURES)),
        "preset": visit.query("preset", "idealist"),
        **{field: visit.query(field) for field in CHOICES},
        "run": visit.query("run"),
        "measure": visit.query("measure"),
        "other": visit.query("other"),
    }


def conventions_asked(visit: Visit) -> Conventions:
    """The conventions of the tool that was chosen, but for what is stated."""
    tool = parse_conventions(visit.query("preset", "idealist"))
    return tool.replace(**{field: choice for field in CHOICES if (choice := visit.query(field))})


def question_of(visit: Visit, judgments: Source) -> Question:
    names = measure_names(visit.query("measures", ", ".join(MEASURES)))
    return question(judgments.stored, names, conventions_asked(visit))


def measure_names(text: str) -> list[str]:
    """Measures as people write them in one line; commas within parentheses belong to a measure.

    >>> measure_names("nDCG(gain=exp,discount=zipf)@10, AP RR")
    ['nDCG(gain=exp,discount=zipf)@10', 'AP', 'RR']
    """
    names, depth, name = list[str](), 0, ""
    for character in f"{text},":
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and (character in ",;" or character.isspace()):
            names += [name] if name else []
            name = ""
        else:
            name += character
    if not names or depth:
        raise InputError(
            "name the measures, such as nDCG@10, AP", hint="`idealist measures` lists them", code="no-measure"
        )
    return list(dict.fromkeys(names))


def measured_rows(visit: Visit, asked: Question, runs: Sequence[Source]) -> list[Row]:
    """A row for each run, with what is known by now; the rest is being measured."""
    stored = [run.stored for run in runs]
    ended_within(start_measuring(visit.workbench, asked, stored), PATIENCE)
    known = summaries(visit.workbench, asked, stored)
    rows = []
    for run in runs:
        cells = tuple(known.get((run.stored, name)) for name in asked.names())
        notes = next((cell.notes for cell in cells if cell is not None), ())
        rows.append(Row(run, cells, notes))
    return rows


def best_cells(rows: Sequence[Row], measures: Sequence[Measure]) -> set[tuple[int, int]]:
    """The places of the best values, where a measure says which is better."""
    best: set[tuple[int, int]] = set()
    for column, measure in enumerate(measures):
        values = {at: cell.value for at, row in enumerate(rows) if (cell := row.cells[column]) is not None}
        numbers = {at: value for at, value in values.items() if value is not None}
        if len(numbers) < 2 or measure.better == "neither" or measure.aggregate == "sum":
            continue
        chosen = min(numbers.values()) if measure.better == "lower" else max(numbers.values())
        best |= {(at, column) for at, value in numbers.items() if value == chosen}
    return best


def walk_asked(visit: Visit, judgments: Source, runs: Sequence[Source]) -> Walk:
    """The walk from these conventions to another tool's, of one run and one measure, if it is asked for."""
    other = visit.query("other")
    run = next((run for run in runs if run.name == visit.query("run")), None)
    if not other or run is None:
        return Walk()
    start = visit.query("preset", "idealist")
    stated = [f"{field}={choice}" for field in CHOICES if (choice := visit.query(field))]
    graded, path = (visit.workbench.files.path(source.stored) for source in (judgments, run))
    between = (",".join([start, *stated]), other)
    try:
        (measure,) = parse_all([visit.query("measure") or MEASURES[0]])
        key = ("why", path, graded, measure, between)
        view = _walks.computed(
            visit.workbench,
            key,
            lambda: difference_view(why(stored_judgments(graded), path, measure, between=between)),
            PATIENCE,
        )
    except StillComputing:
        return Walk(pending=True)
    except InputError as error:
        return Walk(problem=error)
    return Walk(view)


SCREENS = (
    Screen("GET", "/projects/{project:int}/evaluate", show_evaluation),
    Screen("GET", "/projects/{project:int}/evaluate/table", show_table),
    Screen("GET", "/projects/{project:int}/evaluate/why", show_why),
)
