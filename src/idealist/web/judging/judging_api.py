"""The paths of the API for tasks: made and watched by analysts, answered by raters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Query, UploadFile

from idealist.reporting.plans import plain_record
from idealist.web.access.api_access import (
    PROBLEMS,
    AddedGrades,
    Analyst,
    BallotRecord,
    Bench,
    EventAnswer,
    ItemRecord,
    LastAnswer,
    NewEvent,
    NewGradeDecision,
    NewGradeTask,
    NewRater,
    NewSideTask,
    PacketRecord,
    Postponed,
    ProgressRecord,
    ProjectTaskRecord,
    Rater,
    TakenBack,
)
from idealist.web.judging.packets import import_ballot, packet_data
from idealist.web.judging.rater_queue import (
    NotAssigned,
    answer,
    favours_unseen,
    last_item,
    next_items,
    postpone,
    queued_item,
)
from idealist.web.judging.task_making import make_grade_task, make_side_task
from idealist.web.judging.task_raters import add_rater, remove_rater
from idealist.web.judging.tasks import (
    Task,
    progress_of,
    set_open,
    task_of,
    task_of_rater,
    tasks_of_project,
    withdraw_item,
)
from idealist.web.projects.project_api import known_project
from idealist.web.studies.graded_tasks import (
    GradeAgreement,
    add_to_judgments,
    adjudicate_grade,
    grade_disagreements,
    task_grades,
    withdraw_grade_decision,
)
from idealist.web.studies.task_answers import grade_data
from idealist.web.studies.task_reports import Wanted, new_report
from idealist.web.workbench import Workbench

router = APIRouter(
    prefix="/api",
    responses=PROBLEMS,
)


@router.get("/projects/{project}/tasks")
def get_project_tasks(bench: Bench, person: Analyst, project: int) -> list[ProjectTaskRecord]:
    """All tasks of a project, with how far each rater is."""
    known_project(bench, project)
    return [_task_record(bench, task) for task in tasks_of_project(bench.database, project)]


@router.post("/projects/{project}/tasks/grades", status_code=201)
def post_grade_task(bench: Bench, person: Analyst, project: int, new: NewGradeTask) -> ProjectTaskRecord:
    """Makes a task of documents to grade."""
    known_project(bench, project)
    number = make_grade_task(bench, project, user=person.id, **new.model_dump())
    return _task_record(bench, _task(bench, project, number))


@router.post("/projects/{project}/tasks/sides", status_code=201)
def post_side_task(bench: Bench, person: Analyst, project: int, new: NewSideTask) -> ProjectTaskRecord:
    """Makes a task of two runs side by side."""
    known_project(bench, project)
    number = make_side_task(bench, project, user=person.id, **new.model_dump())
    return _task_record(bench, _task(bench, project, number))


@router.put("/projects/{project}/tasks/{task}/open")
def put_open(bench: Bench, person: Analyst, project: int, task: int, open: bool) -> ProjectTaskRecord:
    """Closes a task, so that it takes no more answers, or opens it again."""
    _task(bench, project, task)
    set_open(bench.database, task, open, user=person.id)
    return _task_record(bench, _task(bench, project, task))


@router.delete("/projects/{project}/tasks/{task}/items/{item}", status_code=204)
def delete_item(bench: Bench, person: Analyst, project: int, task: int, item: int) -> None:
    """Withdraws an item: nobody is asked for it any more, and what was answered stays."""
    _task(bench, project, task)
    withdraw_item(bench.database, task, item, user=person.id)


@router.get("/projects/{project}/tasks/{task}/grades")
def get_grades(bench: Bench, person: Analyst, project: int, task: int) -> dict[str, dict[str, float]]:
    """The grade of every document that was judged, by query: the adjudication, or the median of its raters."""
    return task_grades(bench.database, _task(bench, project, task))


@router.post("/projects/{project}/tasks/{task}/grades", status_code=201)
def post_grades(bench: Bench, person: Analyst, project: int, task: int) -> AddedGrades:
    """Puts the grades among the judgments of the project."""
    return AddedGrades(source=add_to_judgments(bench, _task(bench, project, task), user=person.id))


@router.get("/projects/{project}/tasks/{task}/raters")
def get_raters(bench: Bench, person: Analyst, project: int, task: int) -> dict[str, Any]:
    """The raters of a task of grades, their agreement, and the documents that they differ on."""
    known = _task(bench, project, task)
    report = new_report(bench, Wanted(known, "grades")).content if known.kind == "grades" else None
    if report is None:
        raise HTTPException(404, f"task {task} has no grades")
    agreement = report.agreement
    return {
        "raters": [plain_record(row) for row in report.raters],
        "agreement": None if agreement is None else _coefficients(agreement),
        "pairs": [] if agreement is None else [plain_record(pair) for pair in agreement.pairs],
        "disagreements": [
            {
                "item": entry.item.id,
                "query": entry.item.query,
                "document": entry.item.document,
                "settled": entry.settled,
                "grades": {answer.rater: answer.grade for answer in entry.answers},
                "decision": None if entry.adjudication is None else entry.adjudication.grade,
            }
            for entry in grade_disagreements(grade_data(bench.database, task))
        ],
    }


@router.post("/projects/{project}/tasks/{task}/raters", status_code=201)
def post_rater(bench: Bench, person: Analyst, project: int, task: int, new: NewRater) -> ProjectTaskRecord:
    """Adds a rater to a task."""
    known = _task(bench, project, task)
    add_rater(bench, known, new.rater, share=new.share, user=person.id)
    return _task_record(bench, known)


@router.delete("/projects/{project}/tasks/{task}/raters/{rater}")
def delete_rater(bench: Bench, person: Analyst, project: int, task: int, rater: int) -> ProjectTaskRecord:
    """Takes a rater off a task: what is left goes to the others, and what was answered stays."""
    known = _task(bench, project, task)
    remove_rater(bench, known, rater, user=person.id)
    return _task_record(bench, known)


@router.post("/projects/{project}/tasks/{task}/items/{item}/adjudication")
def post_decision(
    bench: Bench, person: Analyst, project: int, task: int, item: int, new: NewGradeDecision
) -> EventAnswer:
    """Decides the grade of a document, in the place of what its raters said."""
    known = _grade_task(bench, project, task)
    added = adjudicate_grade(bench.database, known, item, id=new.id, grade=new.grade, user=person.id)
    return EventAnswer(added=added)


@router.post("/projects/{project}/tasks/{task}/items/{item}/adjudication/undo")
def post_undo(
    bench: Bench, person: Analyst, project: int, task: int, item: int, new: TakenBack
) -> EventAnswer:
    """Takes back one's own decision on a document."""
    known = _grade_task(bench, project, task)
    return EventAnswer(added=withdraw_grade_decision(bench.database, known, item, id=new.id, user=person.id))


@router.get("/projects/{project}/tasks/{task}/packets/{rater}")
def get_packet(bench: Bench, person: Analyst, project: int, task: int, rater: int) -> PacketRecord:
    """What a packet holds for a rater without access: the items as they are shown, and the key that seals the ballot."""
    return PacketRecord(**packet_data(bench, _task(bench, project, task), rater))


@router.post("/projects/{project}/tasks/{task}/ballots")
def post_ballot(
    bench: Bench, person: Analyst, project: int, task: int, file: Annotated[UploadFile, File()]
) -> BallotRecord:
    """Imports a ballot; sent again it adds nothing."""
    imported = import_ballot(bench, _task(bench, project, task), file.file.read())
    return BallotRecord(added=imported.added, known=imported.known, refused=list(imported.refused))


@router.get("/tasks/{task}/items")
def get_items(
    bench: Bench,
    person: Rater,
    task: int,
    after: Annotated[int, Query(ge=-1, lt=2**31, description="a place of the caller's queue")] = -1,
    count: Annotated[int, Query(ge=1, le=20)] = 10,
) -> list[ItemRecord]:
    """The next items of the caller, behind a place of their queue."""
    known = _assigned(bench, task, person.id)
    return [_item(shown) for shown in next_items(bench, known, person.id, after=after, count=count)]


@router.get("/tasks/{task}/last")
def get_last(bench: Bench, person: Rater, task: int) -> LastAnswer | None:
    """The caller's last answer to a task that was not undone."""
    found = last_item(bench, _assigned(bench, task, person.id), person.id)
    return None if found is None else LastAnswer(id=found[0], item=_item(found[1]))


@router.post("/items/{item}/events")
def post_event(bench: Bench, person: Rater, item: int, new: NewEvent) -> EventAnswer:
    """Adds a grade or a vote of the caller on an item that is assigned to them."""
    if new.kind == "adjudicate":
        raise HTTPException(403, "raters do not adjudicate")
    if favours_unseen(new.kind, new.content) and not person.may("analyst"):
        raise HTTPException(403, "raters choose between left and right: send choice, from -3 to 3")
    try:
        return EventAnswer(added=answer(bench, item=item, user=person.id, **new.model_dump()))
    except NotAssigned as error:
        raise HTTPException(404, str(error)) from None


@router.post("/items/{item}/later")
def post_later(bench: Bench, person: Rater, item: int) -> Postponed:
    """Puts an item at the end of the caller's queue."""
    if queued_item(bench.database, item, person.id) is None:
        raise HTTPException(404, f"item {item} is not assigned to you")
    return Postponed(place=postpone(bench.database, item, person.id))


def _assigned(bench: Workbench, number: int, user: int) -> Task:
    task = task_of_rater(bench.database, number, user)
    if task is None:
        raise HTTPException(404, f"task {number} is not assigned to you")
    return task


def _task(bench: Workbench, project: int, number: int) -> Task:
    task = task_of(bench.database, number)
    if task is None or task.project_id != project:
        known_project(bench, project)
        raise HTTPException(404, f"project {project} has no task {number}")
    return task


def _coefficients(agreement: GradeAgreement) -> dict[str, Any]:
    return {name: value for name, value in plain_record(agreement).items() if name != "pairs"}


def _grade_task(bench: Workbench, project: int, number: int) -> Task:
    task = _task(bench, project, number)
    if task.kind != "grades":
        raise HTTPException(
            404, f"task {number} is one of votes: its decisions are those of the study {number}"
        )
    return task


def _task_record(bench: Workbench, task: Task) -> ProjectTaskRecord:
    raters = [
        ProgressRecord(id=rater.id, name=rater.name, done=rater.done, items=rater.items)
        for rater in progress_of(bench.database, task.id)
    ]
    facts = {name: getattr(task, name) for name in task.fields if name != "project_id"}
    return ProjectTaskRecord(**facts, raters=raters)


def _item(shown: dict[str, Any]) -> ItemRecord:
    return ItemRecord(**shown)
