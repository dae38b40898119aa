"""The plan of a project: how many queries or votes are needed, a sample of queries, and what to judge next."""

from __future__ import annotations

from starlette.responses import Response as PlainResponse

from idealist.base.wording import percent, signed
from idealist.errors import InputError
from idealist.show.view import rows_view
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.result_cache import PATIENCE, StillComputing
from idealist.web.planning.project_plan import draw_queries, plan_next, plan_queries, plan_votes
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import judgments_of, list_sources
from idealist.web.studies.task_answers import list_studies
from idealist.web.texts import DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.show.view import View
    from idealist.web.access.pages import Visit

DEFAULTS = {
    "measure": "nDCG@10",
    "effect": "0.02",
    "power": "0.8",
    "gsb": "0.05",
    "sample": "20",
    "seed": "0",
    "from": "all",
    "k": "10",
    "documents": "20",
}
# The fields of each of the page's forms; the others travel along.
FORMS = {
    "queries": ("first", "second", "measure", "effect", "power"),
    "votes": ("study", "gsb", "power"),
    "sample": ("sample", "seed", "from"),
    "next": ("first", "second", "k", "documents"),
}


def show_plan(visit: Visit) -> Response:
    project = this_project(visit)
    runs = [run.name for run in list_sources(visit.database, project.id, "run")]
    studies = [study for study in list_studies(visit.database, project.id) if study.votes]
    asked = _asked(visit, runs, [str(study.id) for study in studies])
    shown: dict[str, Any] = {"project": project, "tab": "plan", "runs": runs, "asked": asked, "forms": FORMS}
    judgments = judgments_of(visit.database, project.id)
    if not studies and (judgments is None or not runs):
        return visit.show("plan_empty.html", **shown)
    comparable = judgments is not None and len(runs) > 1
    there = {"queries": comparable, "votes": bool(studies), "sample": bool(runs), "next": comparable}
    answers = {part: _answer(visit, project.id, part, asked) for part in PARTS if there[part]}
    return visit.show(
        "plan.html",
        **shown,
        answers=answers,
        words=plan_words,
        studies=studies,
        address=visit.request.url.query,
    )


def show_part(visit: Visit) -> Response:
    """One of the answers, which the page asks for while it is worked out."""
    project, part = this_project(visit), str(visit.request.path_params["part"])
    if part not in PARTS:
        raise PageNotFound
    runs = [run.name for run in list_sources(visit.database, project.id, "run")]
    studies = [str(study.id) for study in list_studies(visit.database, project.id) if study.votes]
    asked = _asked(visit, runs, studies)
    return visit.show(
        "_plan_part.html",
        project=project,
        asked=asked,
        part=part,
        answer=_answer(visit, project.id, part, asked),
        words=plan_words,
        address=visit.request.url.query,
    )


def download_sample(visit: Visit) -> Response:
    """The sample as a table for `--weights`, or for a study."""
    project = this_project(visit)
    view = _sample_view(visit, project.id, _asked(visit, [], []), None)
    headers = {"Content-Disposition": 'attachment; filename="queries.csv"'}
    return PlainResponse(view.to_csv(), media_type="text/csv", headers=headers)


def _asked(visit: Visit, runs: list[str], studies: list[str]) -> dict[str, str]:
    chosen = {name: visit.query(name, default) for name, default in DEFAULTS.items()}
    chosen["first"] = visit.query("first") or next(iter(runs), "")
    chosen["second"] = visit.query("second") or next((run for run in runs if run != chosen["first"]), "")
    chosen["study"] = visit.query("study") or next(iter(studies), "")
    return chosen


def _answer(
    visit: Visit, project: int, part: str, asked: dict[str, str]
) -> tuple[View | None, InputError | None]:
    """A part of the page, or what is wrong with it: the others are shown all the same. Neither is there while it is
    worked out."""
    try:
        return PARTS[part](visit, project, asked, PATIENCE / len(PARTS)), None
    except StillComputing:
        return None, None
    except InputError as error:
        return None, error


def _queries_view(visit: Visit, project: int, asked: dict[str, str], patience: float | None) -> View:
    return plan_queries(
        visit.workbench,
        project,
        systems=(asked["first"], asked["second"]),
        measure=asked["measure"],
        effect=_number(asked, "effect"),
        power=_number(asked, "power"),
        patience=patience,
    )


def _votes_view(visit: Visit, project: int, asked: dict[str, str], patience: float | None) -> View:
    studies = list_studies(visit.database, project, _count(asked, "study"))
    if not studies:
        raise InputError(f"there is no study {asked['study']}", hint="choose one of the list")
    return plan_votes(visit.workbench, studies[0], gsb=_number(asked, "gsb"), power=_number(asked, "power"))


def _sample_view(visit: Visit, project: int, asked: dict[str, str], patience: float | None) -> View:
    sample = draw_queries(
        visit.workbench,
        project,
        n=_count(asked, "sample"),
        seed=_count(asked, "seed"),
        unjudged=asked["from"] == "unjudged",
        patience=patience,
    )
    return rows_view(sample)


def _next_view(visit: Visit, project: int, asked: dict[str, str], patience: float | None) -> View:
    return plan_next(
        visit.workbench,
        project,
        systems=(asked["first"], asked["second"]),
        k=_count(asked, "k"),
        n=_count(asked, "documents"),
        patience=patience,
    )


def plan_words(visit: Visit, part: str, view: View) -> list[str]:
    """An answer in the words of the reader; nothing on English pages, where `reporting` says it, nor of a sample."""
    if visit.language == DEFAULT or part == "sample":
        return []
    found = view.record()
    if part == "next":
        if not found["open"]:
            return [visit.text("plan.next.none", k=found["k"])]
        known = {"k": found["k"], "open": f"{found['open']:,}", "count": len(found["documents"])}
        return [visit.text("plan.next.answer", **known)]
    risks = {"power": percent(found["power"]), "alpha": percent(found["alpha"])}
    if part == "votes":
        known = {"count": f"{found['judgments']:,}", "gsb": percent(abs(found["gsb"]))}
        return [visit.text("plan.votes.answer", same=percent(found["same"]), **known, **risks)]
    known = {
        "count": f"{found['queries']:,}",
        "effect": signed(abs(found["effect"])),
        "sd": signed(found["sd"]),
    }
    words = [visit.text("plan.queries.answer", **known, **risks)]
    if "between" in found:
        low, high = (f"{end:,}" for end in found["between"])
        words.append(visit.text("plan.queries.between", n=f"{found['pilot']['n']:,}", low=low, high=high))
    return words


def _number(asked: dict[str, str], name: str) -> float:
    try:
        return float(asked[name].strip().replace("−", "-"))
    except ValueError:
        raise InputError(
            f"{asked[name]!r} is not a number", hint=f"such as {DEFAULTS[name]}", code="not-a-number"
        ) from None


def _count(asked: dict[str, str], name: str) -> int:
    try:
        return int(asked[name])
    except ValueError:
        raise InputError(
            f"{asked[name]!r} is not a whole number", hint="such as 20", code="not-a-number"
        ) from None


# What the page answers, in the order in which it stands there.
PARTS = {"queries": _queries_view, "votes": _votes_view, "sample": _sample_view, "next": _next_view}
PLAN = "/projects/{project:int}/plan"
SCREENS = (
    Screen("GET", PLAN, show_plan),
    Screen("GET", f"{PLAN}/parts/{{part}}", show_part),
    Screen("GET", f"{PLAN}/queries.csv", download_sample),
)
