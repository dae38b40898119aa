"""Side-by-side studies: the report of one, printable; its raters; and the decisions on what they disagree about."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import uuid4

from starlette.responses import JSONResponse

from idealist.base.wording import signed
from idealist.errors import InputError
from idealist.show.verdict_tables import VerdictBlock
from idealist.show.vote_tables import (
    agreement_line,
    breakdown_tables,
    rate_table,
    sequential_line,
    vote_lines,
)
from idealist.votes.folded_votes import FOLDS
from idealist.votes.voting import VoteSettings
from idealist.web.access.page_words import agreement_words, sequential_words, verdict_words
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.jobs import ended_within
from idealist.web.base.result_cache import PATIENCE
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import documents_of, query_texts
from idealist.web.studies.study_results import (
    PREFERENCES,
    adjudicate,
    disagreements,
    report_settings,
    withdraw_adjudication,
)
from idealist.web.studies.task_answers import TaskState, list_studies, study_of, task_state
from idealist.web.studies.task_reports import Wanted, last_report, new_report, reader_of, start_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.responses import Response

    from idealist.votes.gsb_result import GSB
    from idealist.web.access.pages import Visit
    from idealist.web.studies.study_results import Disagreement
    from idealist.web.studies.task_answers import Study
    from idealist.web.studies.task_reports import Report


PAGE = 20  # items of the list to adjudicate


def awaited_report(
    visit: Visit, wanted: Wanted, asked: dict[str, str] | None = None
) -> tuple[Report | None, dict[str, Any]]:
    """The report, if there is one within a page's patience, and whether it is `pending`: the votes that were there when
    the page was asked for are not all in it. `newer` are those that are not in it by now."""
    now = task_state(visit.database, wanted.study.id)
    first = _since(visit.query("since")) or now
    report = last_report(visit.workbench, wanted)
    if report is None or not report.state.covers(first):
        ended_within([start_report(visit.workbench, wanted)], PATIENCE)
        report = last_report(visit.workbench, wanted)
    return report, {
        "pending": report is None or not report.state.covers(first),
        "newer": 0 if report is None else max(0, now.events - report.state.events),
        "address": urlencode({**(asked or {}), "since": f"{first.events}.{first.withdrawn}"}),
    }


def _since(text: str) -> TaskState | None:
    """The state of the study when the page was asked for, as the address of its part says it."""
    events, _, withdrawn = text.partition(".")
    if not (events.isdecimal() and withdrawn.isdecimal()):
        return None
    return TaskState(int(events), 0, int(withdrawn))


def raters_shown(
    visit: Visit, wanted: Wanted, disagreements: Callable[[Any], list[Disagreement]]
) -> tuple[Report | None, dict[str, Any]]:
    """The report on raters, and what the templates show of it and of the items that they disagree on, a page of them."""
    report, shown = awaited_report(visit, wanted)
    shown |= {"report": None if report is None else report.content, "listed": None, "queries": {}}
    # What there is to decide is always that of now, so that a decision is seen at once.
    reader = reader_of(visit.workbench, wanted.study)
    if reader.quick(task_state(visit.database, wanted.study.id)):
        listed = disagreements(reader.read(visit.database)[1])
        page = listed[:PAGE]
        asked = [entry.item.query for entry in page]
        shown |= {
            "listed": page,
            "all_listed": len(listed),
            "waiting": sum(entry.open for entry in listed),
            "queries": query_texts(visit.database, visit.number("project"), list(dict.fromkeys(asked))),
            "new_id": lambda: str(uuid4()),
        }
    return report, shown


def show_studies(visit: Visit) -> Response:
    project = this_project(visit)
    studies = list_studies(visit.database, project.id)
    return visit.show("studies.html", project=project, tab="studies", studies=studies)


def show_report(visit: Visit) -> Response:
    return _show_report(visit, "study.html")


def show_report_part(visit: Visit) -> Response:
    """The report alone, which the page asks for while votes are counted."""
    return _show_report(visit, "_study_report.html")


def _show_report(visit: Visit, template: str) -> Response:
    project, study = this_project(visit), this_study(visit)
    asked = {
        "fold": visit.query("fold", VoteSettings.fold),
        "margin": visit.query("margin"),
        "sequential": visit.query("sequential"),
    }
    path = f"/projects/{project.id}/studies/{study.id}"
    shown: dict[str, Any] = {"project": project, "tab": "studies", "study": study, "asked": asked}
    shown |= {"page": "report", "folds": FOLDS, "page_address": f"{path}?{urlencode(asked)}"}
    shown |= {"result": None, "pending": False, "newer": 0, "is_part": template.startswith("_")}
    try:
        settings = report_settings(
            fold=asked["fold"], margin=asked["margin"], sequential=bool(asked["sequential"])
        )
        report, shown_state = awaited_report(visit, Wanted(study, "result", settings), asked)
    except InputError as error:
        visit.problem = error
        return visit.show(template, **shown)
    shown |= shown_state
    if report is not None and report.content is None:
        return visit.show("study_empty.html", **shown)
    return visit.show(
        template, **shown | (_report_values(visit, report.content) if report is not None else {})
    )


def _report_values(visit: Visit, result: GSB) -> dict[str, Any]:
    return {
        "result": result,
        "bar": bar_parts(result),
        "verdict": VerdictBlock(result.verdict),
        "words": verdict_words(visit, result.verdict),
        "conflict": conflict_words(visit, result),
        "rates": rate_table(result),
        "lines": [line for line in vote_lines(result) if line.startswith("note: ")],
        "tables": list(breakdown_tables(result)),
        "agreement": None if result.agreement is None else agreement_line(result.agreement),
        "agreement_words": agreement_words(visit, result.agreement),
        "sequential": None if result.sequential is None else sequential_line(result.sequential),
        "sequential_words": sequential_words(visit, result.sequential),
    }


def conflict_words(visit: Visit, result: GSB) -> str:
    """That the majority of each item's votes says something else, where it does."""
    other = result.refolded
    if not result.conflict or other is None:
        return ""
    values = {
        "own": visit.text(f"study.counted.{result.fold}"),
        "value": signed(result.value),
        "outcome": visit.text(f"verdict.{result.verdict.outcome}"),
        "other": visit.text(f"study.counted.{other.fold}"),
        "other_value": signed(other.value),
        "other_outcome": visit.text(f"verdict.{other.outcome}"),
    }
    return visit.text("study.conflict", **values)


def show_line(visit: Visit) -> Response:
    """The points of the sequential chart, which the page asks for by itself: with many votes they take a while."""
    settings = report_settings(fold=visit.query("fold", VoteSettings.fold))
    report = new_report(visit.workbench, Wanted(this_study(visit), "line", settings))
    return JSONResponse(report.content or [])


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
    return _show_raters(visit, "study_raters.html")


def show_raters_part(visit: Visit) -> Response:
    """The raters alone, which the page asks for while their votes are counted."""
    return _show_raters(visit, "_raters.html")


def _show_raters(visit: Visit, template: str) -> Response:
    project, study = this_project(visit), this_study(visit)
    shown: dict[str, Any] = {"project": project, "tab": "studies", "study": study, "page": "raters"}
    shown |= {"base": f"/projects/{project.id}/studies/{study.id}", "answers": "votes"}
    report, of_raters = raters_shown(visit, Wanted(study, "raters"), disagreements)
    shown |= of_raters
    if report is not None and report.content is None:
        return visit.show("study_empty.html", **shown)
    agreement = None if report is None else report.content.agreement
    return visit.show(
        template,
        **shown,
        agreement=None if agreement is None else agreement_line(agreement),
        agreement_words=agreement_words(visit, agreement),
        said=lambda entry, answer: visit.text(f"adjudicate.said.{as_shown(entry, answer.vote)}"),
        documents=documents_of(
            visit.database,
            project.id,
            list({id for entry in shown["listed"] or () for id in (*entry.item.left, *entry.item.right)}),
        ),
        choices=[(name, visit.text(f"adjudicate.choose.{name}")) for name in PREFERENCES],
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
        id=visit.form("id"),
        preference=visit.form("decision"),
        user=visit.person.id,
    )
    return visit.go(f"/projects/{visit.number('project')}/studies/{study.id}/raters#adjudicate")


def take_back(visit: Visit) -> Response:
    study = this_study(visit)
    withdraw_adjudication(
        visit.database, study, visit.number("item"), id=visit.form("id"), user=visit.person.id
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
    Screen("GET", f"{STUDY}/part", show_report_part),
    Screen("GET", f"{STUDY}/line", show_line),
    Screen("GET", f"{STUDY}/raters", show_raters),
    Screen("GET", f"{STUDY}/raters/part", show_raters_part),
    Screen("POST", f"{STUDY}/items/{{item:int}}/adjudicate", send_decision, again=show_raters),
    Screen("POST", f"{STUDY}/items/{{item:int}}/undo", take_back, again=show_raters),
)
