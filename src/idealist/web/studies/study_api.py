"""Side-by-side studies by the API: their GSB, raters, disagreements and decisions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from idealist.show.plan_tables import plain_record
from idealist.votes.voting import VoteSettings
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench
from idealist.web.judging.judging_api import EventAnswer
from idealist.web.projects.project_api import known_project
from idealist.web.studies.study_results import (
    adjudicate,
    disagreements,
    report_settings,
    withdraw_adjudication,
)
from idealist.web.studies.task_answers import Study, list_studies, study_data, study_of
from idealist.web.studies.task_reports import Wanted, new_report
from idealist.web.workbench import Workbench

router = APIRouter(
    prefix="/api/projects/{project}/studies",
    responses=PROBLEMS,
)


class StudyRecord(BaseModel):
    id: int
    name: str
    systems: list[str] = Field(description="the baseline, then the candidate")
    open: bool
    created: int
    items: int
    votes: int
    assigned: int


class NewDecision(BaseModel):
    """A decision on an item; sent again under the same id it changes nothing."""

    id: str = Field(description="a UUID made by the sender")
    preference: str = Field(description="left, same or right: which of the lists of the item is better")


class TakenBack(BaseModel):
    id: str = Field(description="a UUID made by the sender")


@router.get("")
def get_studies(bench: Bench, person: Analyst, project: int) -> list[StudyRecord]:
    """The side-by-side studies of a project, the newest first."""
    known_project(bench, project)
    return [
        StudyRecord(**{name: getattr(study, name) for name in StudyRecord.model_fields})
        for study in list_studies(bench.database, project)
    ]


@router.get("/{study}")
def get_report(
    bench: Bench,
    person: Analyst,
    project: int,
    study: int,
    fold: str = VoteSettings.fold,
    margin: Annotated[str, Query(description="such as 0.02 or 2%")] = "",
    sequential: bool = False,
) -> dict[str, Any]:
    """GSB of a study with adjudications: what `idealist gsb --format json` says."""
    settings = report_settings(fold=fold, margin=margin, sequential=sequential)
    report = new_report(bench, Wanted(_study(bench, project, study), "result", settings))
    if report.content is None:
        raise HTTPException(404, f"study {study} has no votes")
    record: dict[str, Any] = report.content.to_dict()
    return record


@router.get("/{study}/raters")
def get_raters(bench: Bench, person: Analyst, project: int, study: int) -> dict[str, Any]:
    """The raters of a study, their agreement, and the items that they differ on."""
    known = _study(bench, project, study)
    report = new_report(bench, Wanted(known, "raters")).content
    if report is None:
        raise HTTPException(404, f"study {study} has no votes")
    pairs = () if report.agreement is None else report.agreement.pairs
    return {
        "raters": [plain_record(row) for row in report.raters],
        "pairs": [plain_record(pair) for pair in pairs],
        "disagreements": [
            {
                "item": entry.item.id,
                "query": entry.item.query,
                "settled": entry.settled,
                "votes": {answer.rater: answer.vote for answer in entry.answers},
                "decision": None if entry.adjudication is None else entry.adjudication.vote,
            }
            for entry in disagreements(study_data(bench.database, known))
        ],
    }


@router.post("/{study}/items/{item}/adjudication")
def post_decision(
    bench: Bench, person: Analyst, project: int, study: int, item: int, new: NewDecision
) -> EventAnswer:
    """Decides an item: from now on this counts in the place of the votes on it."""
    added = adjudicate(
        bench.database,
        _study(bench, project, study),
        item,
        id=new.id,
        preference=new.preference,
        user=person.id,
    )
    return EventAnswer(added=added)


@router.post("/{study}/items/{item}/adjudication/undo")
def post_undo(
    bench: Bench, person: Analyst, project: int, study: int, item: int, new: TakenBack
) -> EventAnswer:
    """Takes back one's own decision on an item."""
    added = withdraw_adjudication(
        bench.database, _study(bench, project, study), item, id=new.id, user=person.id
    )
    return EventAnswer(added=added)


def _study(bench: Workbench, project: int, number: int) -> Study:
    study = study_of(bench.database, project, number)
    if study is None:
        known_project(bench, project)
        raise HTTPException(404, f"project {project} has no study {number}")
    return study
