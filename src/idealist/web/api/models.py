"""What the API takes and gives, as OpenAPI describes it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field


class Problem(BaseModel):
    """What is wrong, and what to do: the same text as the command's."""

    detail: str
    hint: str = ""


# What every path may answer, besides what it is asked for.
PROBLEMS: dict[int | str, dict[str, Any]] = {code: {"model": Problem} for code in (401, 403, 404, 422)}

Conventions = Annotated[str, Query(description="a tool, or choices: trec_eval-9, ties=averaged,gain=exp")]
RunName = Annotated[str, Query(description="the name of a run")]


class NewProject(BaseModel):
    name: str = Field(description="1 to 120 characters; no other project has it")
    about: str = ""


class ProjectRecord(BaseModel):
    id: int
    name: str
    about: str
    created: int = Field(description="milliseconds since 1970, UTC")
    counts: dict[str, int] = Field(description="current sources by kind")


class SourceRecord(BaseModel):
    id: int
    kind: str = Field(description="judgments, run, documents or queries")
    name: str
    filename: str
    size: int
    rows: int
    queries: int | None
    content_sha256: str = Field(description="of the rows, whatever their order and format")
    findings: dict[str, Any] = Field(description="what `idealist check --format json` says")
    created: int


class ValueRecord(BaseModel):
    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    judged: float | None


class EvaluationRecord(BaseModel):
    conventions: dict[str, str]
    confidence: float
    values: list[ValueRecord]
    notes: dict[str, list[str]] = Field(description="by run")


class TaskRecord(BaseModel):
    id: int
    kind: str
    name: str
    done: int
    items: int


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


class AddedGrades(BaseModel):
    source: int = Field(description="the judgments that now hold them")


class NewGradeDecision(BaseModel):
    """The grade of a document, decided; sent again under the same id it changes nothing."""

    id: str = Field(description="a UUID made by the sender")
    grade: int = Field(ge=0)


class TakenBack(BaseModel):
    id: str = Field(description="a UUID made by the sender")


class NewRater(BaseModel):
    """Somebody who judges a task from now on."""

    rater: int = Field(description="the id of a user")
    share: str = Field(
        "all", description="all items, or rest: an equal share of what the others have not done"
    )
