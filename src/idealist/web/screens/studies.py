"""Side-by-side studies: the report of one, printable; its raters; and the decisions on what they disagree about."""

from __future__ import annotations

from uuid import uuid4

from starlette.responses import JSONResponse

from idealist.errors import InputError
from idealist.reporting.raters import agreement_line
from idealist.reporting.verdicts import VerdictBlock
from idealist.reporting.votes import breakdown_tables, rate_table, sequential_line, vote_lines
from idealist.votes.folding import FOLDS
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.contents import documents_of, query_texts
from idealist.web.store.studies import list_studies, study_data, study_of
from idealist.web.studies import (
    PREFERENCES,
    adjudicate,
    disagreements,
    rater_report,
    report_settings,
    study_result,
    withdraw_adjudication,
)
from idealist.web.studies import sequential_line as sequential_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.votes.result import GSB
    from idealist.web.screens.visit import Visit
    from idealist.web.store.studies import Study
    from idealist.web.studies import Disagreement

PAGE = 20  # items of the list to adjudicate


def show_studies(visit: Visit) -> Response:
    project = this_project(visit)
    studies = list_studies(visit.database, project.id)
    return visit.show("studies.html", project=project, tab="studies", studies=studies)


def show_report(visit: Visit) -> Response:
    project, study = this_project(visit), this_study(visit)
    asked = {
        "fold": visit.asked("fold", FOLDS[0]),
        "margin": visit.asked("margin"),
        "sequential": visit.asked("sequential"),
    }
    shown: dict[str, Any] = {"project": project, "tab": "studies", "study": study, "asked": asked}
    shown |= {"page": "report", "folds": FOLDS, "result": None}
    data = study_data(visit.database, study)
    if not data.answers:
        return visit.show("study_empty.html", **shown)
    try:
        settings = report_settings(
            fold=asked["fold"], margin=asked["margin"], sequential=bool(asked["sequential"])
        )
        result = study_result(data, settings)
    except InputError as error:
        visit.problem = error
        return visit.show("study.html", **shown)
    shown |= {
        "result": result,
        "bar": bar_parts(result),
        "verdict": VerdictBlock(result.verdict),
        "rates": rate_table(result),
        "lines": [line for line in vote_lines(result) if line.startswith("note: ")],
        "tables": list(breakdown_tables(result)),
        "agreement": None if result.agreement is None else agreement_line(result.agreement),
        "sequential": None if result.sequential is None else sequential_line(result.sequential),
        "address": visit.request.url.query,
    }
    return visit.show("study.html", **shown)


def show_line(visit: Visit) -> Response:
    """The points of the sequential chart, which the page asks for by itself: with many votes they take a while."""
    data = study_data(visit.database, this_study(visit))
    settings = report_settings(fold=visit.asked("fold", FOLDS[0]))
    return JSONResponse(sequential_points(data, settings) if data.answers else [])


def bar_parts(result: GSB) -> list[dict[str, Any]]:
    """Good, same and bad as parts of a bar: where each begins and how wide it is, in per cent."""
    total = result.good + result.same + result.bad
    parts, begin = [], 0.0
    for name in ("good", "same", "bad"):
        width = 100 * getattr(result, name) / total
        parts.append({"name": name, "count": getattr(result, name), "begin": begin, "width": width})
        begin += width
    return parts


def show_raters(visit: Visit) -> Response:
    project, study = this_project(visit), this_study(visit)
    data = study_data(visit.database, study)
    shown: dict[str, Any] = {"project": project, "tab": "studies", "study": study, "page": "raters"}
    if not data.answers:
        return visit.show("study_empty.html", **shown)
    report = rater_report(data)
    listed = disagreements(data)
    page = listed[:PAGE]
    documents = [id for entry in page for id in (*entry.item.left, *entry.item.right)]
    return visit.show(
        "study_raters.html",
        **shown,
        report=report,
        agreement=None if report.agreement is None else agreement_line(report.agreement),
        listed=page,
        all_listed=len(listed),
        waiting=sum(entry.open for entry in listed),
        said=as_shown,
        queries=query_texts(visit.database, project.id, [entry.item.query for entry in page]),
        documents=documents_of(visit.database, project.id, list(dict.fromkeys(documents))),
        preferences=tuple(PREFERENCES),
        new_id=lambda: str(uuid4()),
    )


def as_shown(entry: Disagreement, vote: int) -> str:
    """A vote in the terms of the two sides as the item has them, so that who decides does not learn the systems."""
    better = vote if entry.item.candidate_side == "right" else -vote
    return "same" if better == 0 else "right" if better > 0 else "left"


def send_decision(visit: Visit) -> Response:
    study = this_study(visit)
    adjudicate(
        visit.database,
        study,
        visit.number("item"),
        id=visit.sent("id"),
        preference=visit.sent("preference"),
        user=visit.person.id,
    )
    return visit.go(f"/projects/{visit.number('project')}/studies/{study.id}/raters#adjudicate")


def take_back(visit: Visit) -> Response:
    study = this_study(visit)
    withdraw_adjudication(
        visit.database, study, visit.number("item"), id=visit.sent("id"), user=visit.person.id
    )
    return visit.go(f"/projects/{visit.number('project')}/studies/{study.id}/raters#adjudicate")


def this_study(visit: Visit) -> Study:
    """The study of the path."""
    study = study_of(visit.database, visit.number("project"), visit.number("study"))
    if study is None:
        raise PageNotFound
    return study


STUDY = "/projects/{project:int}/studies/{study:int}"
SCREENS = (
    Screen("GET", "/projects/{project:int}/studies", show_studies),
    Screen("GET", STUDY, show_report),
    Screen("GET", f"{STUDY}/line", show_line),
    Screen("GET", f"{STUDY}/raters", show_raters),
    Screen("POST", f"{STUDY}/items/{{item:int}}/adjudicate", send_decision, again=show_raters),
    Screen("POST", f"{STUDY}/items/{{item:int}}/undo", take_back, again=show_raters),
)
