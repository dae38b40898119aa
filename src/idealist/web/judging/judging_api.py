"""The paths of the API for tasks: made and watched by analysts, answered by raters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Query, UploadFile
from pydantic import BaseModel, Field

from idealist.web.access.api_access import PROBLEMS, Analyst, Bench, Rater, record_of
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
    tasks_of_rater,
    withdraw_item,
)
from idealist.web.projects.project_api import known_project
from idealist.web.workbench import Workbench

router = APIRouter(
    prefix="/api",
    responses=PROBLEMS,
)


class TaskRecord(BaseModel):
    id: int
    kind: str
    name: str
    done: int
    items: int


class ProgressRecord(BaseModel):
    id: int
    name: str
    done: int
    items: int


class ProjectTaskRecord(BaseModel):
    id: int
    kind: str
    name: str
    guidelines: str
    settings: dict[str, Any]
    open: bool
    created: int
    raters: list[ProgressRecord]


class NewGradeTask(BaseModel):
    """The first documents of some runs, to be graded."""

    name: str
    runs: list[str]
    raters: list[int] = Field(description="ids of users")
    depth: int = 10
    overlap: int = Field(1, description="raters for each query")
    highest: int = Field(4, description="the highest grade")
    again: bool = Field(False, description="also documents that are judged already")
    labels: dict[str, dict[str, float]] | None = Field(None, description="grades by a language model")
    show_labels: str = Field("hidden", description="hidden, shown, or order (the best first)")
    guidelines: str = ""
    seed: int | None = None


class NewSideTask(BaseModel):
    """Two runs side by side."""

    name: str
    baseline: str
    candidate: str
    raters: list[int] = Field(description="ids of users")
    unit: str = Field("lists", description="lists or documents")
    depth: int = 5
    overlap: int = Field(1, description="raters for each query")
    queries: int | None = Field(None, description="draws so many; by default all on which the runs differ")
    known: int = Field(0, description="items with a known answer, for every rater")
    reasons: list[str] = []
    guidelines: str = ""
    seed: int | None = None


class NewRater(BaseModel):
    """Somebody who judges a task from now on."""

    rater: int = Field(description="the id of a user")
    share: str = Field(
        "all", description="all items, or rest: an equal share of what the others have not done"
    )


class ShownDocument(BaseModel):
    title: str = ""
    text: str = ""
    url: str = ""
    image: str = ""


class ItemRecord(BaseModel):
    """An item as its rater sees it: a document to grade, or two sides."""

    id: int
    place: int = Field(description="in the caller's queue")
    query: str
    documents: list[ShownDocument] | None = None
    left: list[ShownDocument] | None = None
    right: list[ShownDocument] | None = None
    label: float | None = Field(None, description="by a language model, where the task shows it")


class LastAnswer(BaseModel):
    id: str = Field(description="of the event, for an undo")
    item: ItemRecord


class NewEvent(BaseModel):
    """A grade, a vote, a skip, or the undo of one; sent again under the same id it changes nothing."""

    id: str = Field(description="a UUID made by the sender")
    kind: str = Field(description="grade, vote, skip or undo")
    content: dict[str, Any] = Field(
        {},
        description="grade: a whole number; or choice: −3 (left much better) to 3 (right), both-good or both-bad; "
        "note, reasons and seconds may be with it",
    )
    about: str | None = Field(None, description="of an undo: the id of the event that is taken back")
    made: int = Field(description="milliseconds since 1970, by the sender's clock")


class EventAnswer(BaseModel):
    added: bool = Field(description="false where it was there already")


class Postponed(BaseModel):
    place: int


class PacketRecord(BaseModel):
    packet: str
    key: str = Field(description="in hexadecimal: HMAC-SHA256 of the answers with it is the seal of a ballot")
    items: list[ItemRecord]


class BallotRecord(BaseModel):
    added: int
    known: int = Field(description="answers that were there before")
    refused: list[str] = Field(description="what is wrong with the others, such as items that were withdrawn")


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
    return _task_record(bench, known_task(bench, project, number))


@router.post("/projects/{project}/tasks/sides", status_code=201)
def post_side_task(bench: Bench, person: Analyst, project: int, new: NewSideTask) -> ProjectTaskRecord:
    """Makes a task of two runs side by side."""
    known_project(bench, project)
    number = make_side_task(bench, project, user=person.id, **new.model_dump())
    return _task_record(bench, known_task(bench, project, number))


@router.put("/projects/{project}/tasks/{task}/open")
def put_open(bench: Bench, person: Analyst, project: int, task: int, open: bool) -> ProjectTaskRecord:
    """Closes a task, so that it takes no more answers, or opens it again."""
    known_task(bench, project, task)
    set_open(bench.database, task, open, user=person.id)
    return _task_record(bench, known_task(bench, project, task))


@router.delete("/projects/{project}/tasks/{task}/items/{item}", status_code=204)
def delete_item(bench: Bench, person: Analyst, project: int, task: int, item: int) -> None:
    """Withdraws an item: nobody is asked for it any more, and what was answered stays."""
    known_task(bench, project, task)
    withdraw_item(bench.database, task, item, user=person.id)


@router.post("/projects/{project}/tasks/{task}/raters", status_code=201)
def post_rater(bench: Bench, person: Analyst, project: int, task: int, new: NewRater) -> ProjectTaskRecord:
    """Adds a rater to a task."""
    known = known_task(bench, project, task)
    add_rater(bench, known, new.rater, share=new.share, user=person.id)
    return _task_record(bench, known)


@router.delete("/projects/{project}/tasks/{task}/raters/{rater}")
def delete_rater(bench: Bench, person: Analyst, project: int, task: int, rater: int) -> ProjectTaskRecord:
    """Takes a rater off a task: what is left goes to the others, and what was answered stays."""
    known = known_task(bench, project, task)
    remove_rater(bench, known, rater, user=person.id)
    return _task_record(bench, known)


@router.get("/projects/{project}/tasks/{task}/packets/{rater}")
def get_packet(bench: Bench, person: Analyst, project: int, task: int, rater: int) -> PacketRecord:
    """What a packet holds for a rater without access: the items as they are shown, and the key that seals the ballot."""
    return PacketRecord(**packet_data(bench, known_task(bench, project, task), rater))


@router.post("/projects/{project}/tasks/{task}/ballots")
def post_ballot(
    bench: Bench, person: Analyst, project: int, task: int, file: Annotated[UploadFile, File()]
) -> BallotRecord:
    """Imports a ballot; sent again it adds nothing."""
    imported = import_ballot(bench, known_task(bench, project, task), file.file.read())
    return BallotRecord(added=imported.added, known=imported.known, refused=list(imported.refused))


@router.get("/tasks")
def get_tasks(bench: Bench, person: Rater) -> list[TaskRecord]:
    """The tasks that are assigned to the caller."""
    return [record_of(TaskRecord, task) for task in tasks_of_rater(bench.database, person.id)]


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
    if favours_unseen(new.kind, new.content) and not person.has_role("analyst"):
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


def known_task(bench: Workbench, project: int, number: int) -> Task:
    task = task_of(bench.database, number)
    if task is None or task.project_id != project:
        known_project(bench, project)
        raise HTTPException(404, f"project {project} has no task {number}")
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
