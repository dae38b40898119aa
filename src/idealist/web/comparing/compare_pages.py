"""Two runs compared, and their lists of one query side by side."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import JSONResponse

from idealist.comparison.comparing import MEASURES
from idealist.conventions import PRESETS
from idealist.errors import InputError
from idealist.measures import registry
from idealist.show.cells import cell_text, difference_cell
from idealist.show.comparison_tables import comparison_notes, contrast_table, legend, segment_table
from idealist.show.convention_tables import conventions_line
from idealist.show.explanation_tables import explanation_view
from idealist.show.verdict_tables import VerdictBlock
from idealist.web.access.page_words import verdict_words
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.result_cache import PATIENCE, StillComputing
from idealist.web.comparing.evaluate_pages import conventions_asked, measure_names
from idealist.web.comparing.explaining import SHOWN, first_query, loss_sentences, neighbours, two_lists
from idealist.web.comparing.pairing import (
    SEGMENTS,
    Selection,
    awaited_verdict,
    comparable_runs,
    compared_queries,
    comparison_of,
    contrast_of,
    pairing,
)
from idealist.web.comparing.run_values import question
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import documents_of, query_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.comparison import Comparison
    from idealist.comparison.verdict import Verdict
    from idealist.web.access.pages import Visit
    from idealist.web.comparing.explaining import TwoLists
    from idealist.web.comparing.pairing import Pairing
    from idealist.web.projects.project_sources import Source


PAGE = 25  # queries of the list
RANGES = {"among_baseline": "baseline", "among_value": "value", "among_place": "places"}


def show_comparison(visit: Visit) -> Response:
    return _show(visit, "compare.html")


def show_part(visit: Visit) -> Response:
    """The results alone, which the page asks for while they are computed."""
    return _show(visit, "_comparison.html")


def _show(visit: Visit, template: str) -> Response:
    project = this_project(visit)
    judgments, runs = comparable_runs(visit.workbench, project.id)
    shown: dict[str, Any] = {"project": project, "tab": "compare"}
    if judgments is None or len(runs) < 2:
        return visit.show("compare_empty.html", **shown)
    shown |= {"runs": runs, "asked": _asked(visit), "presets": PRESETS, "segments": SEGMENTS}
    shown |= {"known_measures": sorted(registry(), key=str.lower), "compared": None, "pending": False}
    try:
        pair = pair_of(visit)
        shown["asked"] |= {"baseline": pair.baseline.name, "system": pair.system.name}
        comparison = comparison_of(visit.workbench, pair, PATIENCE)
        margin = shown["asked"]["margin"]
        verdict = awaited_verdict(visit.workbench, pair, comparison, margin, PATIENCE / 2)
        shown["compared"] = _compared(visit, pair, comparison, verdict)
    except StillComputing:
        shown["pending"] = True
    except InputError as error:
        visit.problem = error
    return visit.show(template, **shown, address=visit.request.url.query)


def _asked(visit: Visit) -> dict[str, str]:
    """What the form says, as it was sent."""
    return {
        "baseline": visit.query("baseline"),
        "system": visit.query("system"),
        "measures": visit.query("measures", ", ".join(MEASURES)),
        "preset": visit.query("preset", "idealist"),
        "margin": visit.query("margin"),
        "segments": visit.query("segments"),
        "measure": visit.query("measure"),
    }


def pair_of(visit: Visit) -> Pairing:
    """What the address asks to compare."""
    project = visit.number("project")
    judgments, runs = comparable_runs(visit.workbench, project)
    if judgments is None:
        raise PageNotFound
    asked = _asked(visit)
    measured = question(judgments.stored, measure_names(asked["measures"]), conventions_asked(visit))
    return pairing(
        visit.workbench, project, measured, runs, asked["baseline"], asked["system"], asked["segments"]
    )


def _compared(visit: Visit, pair: Pairing, comparison: Comparison, verdict: Verdict | None) -> dict[str, Any]:
    """The values of the template: all that is shown of a comparison."""
    asked = _asked(visit) | {"baseline": pair.baseline.name, "system": pair.system.name}
    contrast = contrast_of(comparison, asked["measure"])
    means = {
        measure: comparison.evaluation.mean(measure, comparison.baseline) for measure in comparison.measures
    }
    return {
        "verdict": None
        if verdict is None
        else VerdictBlock(verdict, about=f"{contrast.system} by {comparison.measures[0].label}"),
        "words": [] if verdict is None else verdict_words(visit, verdict),
        "table": contrast_table(comparison.contrasts, means, level=comparison.settings.level),
        "segments": segment_table(comparison) if comparison.segmented else None,
        # Segments of the file of queries have names of their own.
        "segment_labels": [] if pair.segments == "column" else [1],
        "legend": legend(comparison),
        "notes": comparison_notes(comparison),
        "conventions": conventions_line(comparison.evaluation.conventions),
        "contrast": contrast,
        "measures": comparison.measures,
        "data": f"/projects/{pair.project}/compare/data?{urlencode(asked)}",
        "report": _report_address(pair, asked),
        "chosen": asked,
        **_selected(visit, pair, comparison),
    }


def _report_address(pair: Pairing, asked: dict[str, str]) -> str:
    """Where the report on these two runs is."""
    kept = {name: asked[name] for name in ("baseline", "measures", "margin", "preset")}
    return f"/projects/{pair.project}/exports/report?{urlencode(kept | {'run': asked['system']})}"


def _selected(visit: Visit, pair: Pairing, comparison: Comparison) -> dict[str, Any]:
    """The queries that are selected, a page of them, and addresses of the other pages."""
    asked = _asked(visit) | {"baseline": pair.baseline.name, "system": pair.system.name}
    contrast = contrast_of(comparison, asked["measure"])
    selection = selection_of(visit)
    queries = compared_queries(contrast)
    selected = [query for query in queries if selection.has(query)]
    if visit.query("order") == "losses":
        selected.reverse()
    start = visit.query_number("from") or 0
    rows = selected[start : start + PAGE]
    kept = {name: visit.query(name) for name in (*RANGES, "least", "most", "order") if visit.query(name)}
    addresses = {
        name: urlencode({**asked, **kept, "from": first})
        for name, first in (("before", start - PAGE), ("after", start + PAGE))
        if -PAGE < first < len(selected)
    }
    lists = {name: asked[name] for name in ("baseline", "system", "preset")} | {
        "measure": str(contrast.measure)
    }
    return {
        "rows": rows,
        "first": start + 1,
        "count": len(selected),
        "all": len(queries),
        "mean": cell_text(difference_cell(sum(query.difference for query in selected) / len(selected)))
        if selected
        else "–",
        "selection": selection,
        "asked_selection": {name: visit.query(name) for name in (*RANGES, "least", "most", "order")},
        "pages": addresses,
        "texts": query_texts(visit.database, pair.project, [query.query for query in rows]),
        "lists": f"/projects/{pair.project}/lists?{urlencode(lists)}",
        "number": cell_text,
        "change": lambda value: cell_text(difference_cell(value)),
        "part": f"/projects/{pair.project}/compare/queries?{urlencode(asked)}",
        "whole": f"/projects/{pair.project}/compare?{urlencode(asked)}",
    }


def selection_of(visit: Visit) -> Selection:
    """The selection of the address: ranges as "low,high", and the ends of the difference."""
    ranges: dict[str, Any] = {}
    for name, field in RANGES.items():
        if text := visit.query(name):
            numbers = [_number(part, name) for part in text.split(",")]
            if len(numbers) != 2:
                raise InputError(f"{name} has two ends, not {text!r}", hint="such as 0.2,0.5")
            ranges[field] = (min(numbers), max(numbers))
    ends = {name: _number(text, name) for name in ("least", "most") if (text := visit.query(name).strip())}
    return Selection(**ranges | ends)


def _number(text: str, name: str) -> float:
    try:
        number = float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        number = float("nan")
    if number != number:
        raise InputError(f"{name} is a number, not {text!r}", hint="such as -0.05", code="not-a-number")
    return number


def show_queries(visit: Visit) -> Response:
    """The queries alone, when others are selected."""
    project = this_project(visit)
    try:
        pair = pair_of(visit)
        selected = _selected(visit, pair, comparison_of(visit.workbench, pair))
    except InputError as error:
        visit.problem = error
        return visit.show("_problem.html", 422)
    return visit.show(
        "_compared_queries.html", project=project, compared=selected | {"chosen": _asked(visit)}
    )


def give_data(visit: Visit) -> Response:
    """The values of every query for the charts, in the order of the gains."""
    this_project(visit)
    pair = pair_of(visit)
    contrast = contrast_of(comparison_of(visit.workbench, pair), visit.query("measure"))
    queries = compared_queries(contrast)
    return JSONResponse(
        {
            "queries": [query.query for query in queries],
            "baseline": [round(query.baseline, 6) for query in queries],
            "values": [round(query.value, 6) for query in queries],
            "sign": contrast.sign,
        }
    )


def show_lists(visit: Visit) -> Response:
    project = this_project(visit)
    judgments, runs = comparable_runs(visit.workbench, project.id)
    if judgments is None or len(runs) < 2:
        return visit.show("compare_empty.html", project=project, tab="compare")
    asked = {
        "baseline": visit.query("baseline"),
        "system": visit.query("system"),
        "query": visit.query("query"),
        "measure": visit.query("measure", "nDCG@10"),
        "preset": visit.query("preset", "idealist"),
    }
    shown: dict[str, Any] = {"asked": asked, "lists": None}
    try:
        shown = _lists(visit, project.id, judgments, runs, asked)
    except InputError as error:
        visit.problem = error
    measures = sorted(registry(), key=str.lower)
    return visit.show(
        "lists.html",
        project=project,
        tab="compare",
        runs=runs,
        presets=PRESETS,
        known_measures=measures,
        **shown,
    )


def _lists(
    visit: Visit, project: int, judgments: Source, runs: list[Source], asked: dict[str, str]
) -> dict[str, Any]:
    (name,) = measure_names(asked["measure"])[:1]
    measured = question(judgments.stored, [name], conventions_asked(visit))
    pair = pairing(visit.workbench, project, measured, runs, asked["baseline"], asked["system"])
    query = asked["query"] or first_query(visit.workbench, pair)
    lists = two_lists(visit.workbench, pair, query)
    asked = asked | {"baseline": pair.baseline.name, "system": pair.system.name, "query": query}
    before, after = lists.values
    explanations = [explained.explanation for explained in lists.explained]
    names = [item.document for item in (*lists.baseline, *lists.system)]
    return {
        "asked": asked,
        "lists": lists,
        "columns": (
            ("baseline", pair.baseline.name, pair.system.name, lists.baseline),
            ("system", pair.system.name, pair.baseline.name, lists.system),
        ),
        "difference": None if before != before or after != after else difference_cell(after - before),
        "measure": measured.measures[0],
        "chart": chart_rows(lists),
        "views": [explanation_view(explanation) for explanation in explanations],
        "losses": [loss_sentences(explanation, visit.text) for explanation in explanations],
        "documents": documents_of(visit.database, project, list(dict.fromkeys(names))),
        "text": query_texts(visit.database, project, [query]).get(query),
        "cell_text": cell_text,
        "neighbours": {
            place: urlencode(asked | {"query": other})
            for place, other in neighbours(visit.workbench, pair, query, PATIENCE).items()
        },
        "back": urlencode({key: asked[key] for key in ("baseline", "system", "preset")}),
    }


def chart_rows(lists: TwoLists) -> list[dict[str, object]]:
    """What each rank adds, in both lists and in the ideal one."""
    first, second = (explained.explanation for explained in lists.explained)
    named = (("baseline", first.ranking), ("system", second.ranking), ("ideal", first.ideal))
    return [
        {"list": name, "rank": row.rank, "document": row.document or "", "value": row.contribution}
        for name, documents in named
        for row in documents
        if row.rank <= SHOWN and row.contribution is not None
    ]


SCREENS = (
    Screen("GET", "/projects/{project:int}/compare", show_comparison),
    Screen("GET", "/projects/{project:int}/compare/part", show_part),
    Screen("GET", "/projects/{project:int}/compare/queries", show_queries),
    Screen("GET", "/projects/{project:int}/compare/data", give_data),
    Screen("GET", "/projects/{project:int}/lists", show_lists),
)
