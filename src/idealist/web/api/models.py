"""What the API takes and gives, as OpenAPI describes it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Problem(BaseModel):
    """What is wrong, and what to do: the same text as the command's."""

    detail: str
    hint: str = ""


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
    content: dict[str, Any] = {}
    about: str | None = Field(None, description="of an undo: the id of the event that is taken back")
    made: int = Field(description="milliseconds since 1970, by the sender's clock")


class EventAnswer(BaseModel):
    added: bool = Field(description="false where it was there already")
