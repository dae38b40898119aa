"""Two lists side by side: moved documents linked, how far they agree, and how both values came about."""

from __future__ import annotations

from urllib.parse import urlencode

from idealist.conventions import PRESETS
from idealist.errors import InputError
from idealist.measures import registry
from idealist.reporting.cells import cell_text, difference_cell
from idealist.reporting.explanations import explanation_view
from idealist.web.comparing import comparable_runs, pairing
from idealist.web.explaining import loss_sentences
from idealist.web.listing import SHOWN, first_query, neighbours, two_lists
from idealist.web.measuring import question
from idealist.web.remembering import PATIENCE
from idealist.web.screens.evaluate import conventions_asked, measure_names
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import Screen
from idealist.web.store.contents import documents_of, query_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.listing import TwoLists
    from idealist.web.screens.visit import Visit
    from idealist.web.store.sources import Source


def show_lists(visit: Visit) -> Response:
    project = this_project(visit)
    judgments, runs = comparable_runs(visit.workbench, project.id)
    if judgments is None or len(runs) < 2:
        return visit.show("compare_empty.html", project=project, tab="compare")
    asked = {
        "baseline": visit.asked("baseline"),
        "system": visit.asked("system"),
        "query": visit.asked("query"),
        "measure": visit.asked("measure", "nDCG@10"),
        "preset": visit.asked("preset", "idealist"),
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


SCREENS = (Screen("GET", "/projects/{project:int}/lists", show_lists),)
