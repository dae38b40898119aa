"""The plan of a project: how many queries or votes are needed, a sample of queries, and what to judge next."""

from __future__ import annotations

from starlette.responses import Response as PlainResponse

from idealist.errors import InputError
from idealist.reporting.rows import rows_view
from idealist.web.planning import draw_queries, plan_next, plan_queries, plan_votes
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import Screen
from idealist.web.store.sources import judgments_of, list_sources
from idealist.web.store.studies import list_studies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.responses import Response

    from idealist.reporting.view import View
    from idealist.web.screens.visit import Visit

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
    parts: dict[str, Any] = {}
    if judgments is not None and len(runs) > 1:
        parts["queries"] = _answer(lambda: _queries_view(visit, project.id, asked))
    if studies:
        parts["votes"] = _answer(lambda: _votes_view(visit, project.id, asked))
    if runs:
        parts["sample"] = _answer(lambda: _sample_view(visit, project.id, asked))
    return visit.show(
        "plan.html",
        **shown,
        parts_of_plan=parts,
        studies=studies,
        judged=judgments is not None and len(runs) > 1,
        address=visit.request.url.query,
    )


def show_next(visit: Visit) -> Response:
    """What to judge next, which the page asks for by itself: long runs take a while."""
    project = this_project(visit)
    runs = [run.name for run in list_sources(visit.database, project.id, "run")]
    asked = _asked(visit, runs, [])
    view, problem = _answer(
        lambda: plan_next(
            visit.workbench,
            project.id,
            systems=(asked["first"], asked["second"]),
            k=_count(asked, "k"),
            n=_count(asked, "documents"),
        )
    )
    return visit.show("_plan_next.html", view=view, wrong=problem)


def download_sample(visit: Visit) -> Response:
    """The sample as a table for `--weights`, or for a study."""
    project = this_project(visit)
    view = _sample_view(visit, project.id, _asked(visit, [], []))
    headers = {"Content-Disposition": 'attachment; filename="queries.csv"'}
    return PlainResponse(view.to_csv(), media_type="text/csv", headers=headers)


def _asked(visit: Visit, runs: list[str], studies: list[str]) -> dict[str, str]:
    chosen = {name: visit.asked(name, default) for name, default in DEFAULTS.items()}
    chosen["first"] = visit.asked("first") or next(iter(runs), "")
    chosen["second"] = visit.asked("second") or next((run for run in runs if run != chosen["first"]), "")
    chosen["study"] = visit.asked("study") or next(iter(studies), "")
    return chosen


def _answer(work: Callable[[], View]) -> tuple[View | None, InputError | None]:
    """A part of the page, or what is wrong with it: the others are shown all the same."""
    try:
        return work(), None
    except InputError as error:
        return None, error


def _queries_view(visit: Visit, project: int, asked: dict[str, str]) -> View:
    return plan_queries(
        visit.workbench,
        project,
        systems=(asked["first"], asked["second"]),
        measure=asked["measure"],
        effect=_number(asked, "effect"),
        power=_number(asked, "power"),
    )


def _votes_view(visit: Visit, project: int, asked: dict[str, str]) -> View:
    studies = list_studies(visit.database, project, _count(asked, "study"))
    if not studies:
        raise InputError(f"there is no study {asked['study']}", hint="choose one of the list")
    return plan_votes(visit.workbench, studies[0], gsb=_number(asked, "gsb"), power=_number(asked, "power"))


def _sample_view(visit: Visit, project: int, asked: dict[str, str]) -> View:
    sample = draw_queries(
        visit.workbench,
        project,
        n=_count(asked, "sample"),
        seed=_count(asked, "seed"),
        unjudged=asked["from"] == "unjudged",
    )
    return rows_view(sample)


def _number(asked: dict[str, str], name: str) -> float:
    try:
        return float(asked[name].strip().replace("−", "-"))
    except ValueError:
        raise InputError(f"{asked[name]!r} is not a number", hint=f"such as {DEFAULTS[name]}") from None


def _count(asked: dict[str, str], name: str) -> int:
    try:
        return int(asked[name])
    except ValueError:
        raise InputError(f"{asked[name]!r} is not a whole number", hint="such as 20") from None


PLAN = "/projects/{project:int}/plan"
SCREENS = (
    Screen("GET", PLAN, show_plan),
    Screen("GET", f"{PLAN}/next", show_next),
    Screen("GET", f"{PLAN}/queries.csv", download_sample),
)
