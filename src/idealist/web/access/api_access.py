"""Who calls: a token, or the browser of somebody who is logged in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

from idealist.web.access.accounts import Person
from idealist.web.access.members import may_in, role_in
from idealist.web.access.sessions import SESSION_COOKIE, person_behind, person_of_token, sent_by_our_page
from idealist.web.workbench import Workbench

bearer = HTTPBearer(auto_error=False, description="A token that was made on the page Account.")
LARGEST_NUMBER = 2**63 - 1  # that either database has
FORM_HEADER = "x-form-token"


def workbench_of(request: Request) -> Workbench:
    found: Workbench = request.app.state.workbench
    return found


def caller(
    request: Request, token: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> Person:
    """The person behind a call. What changes something takes a token, or the form token of a page in a header."""
    workbench = workbench_of(request)
    if token is not None:
        person = person_of_token(workbench.database, token.credentials)
        if person is None:
            raise HTTPException(401, "this token is not valid: it was revoked, or is incomplete")
        return person
    session = request.cookies.get(SESSION_COOKIE, "")
    person = person_behind(workbench, session)
    if person is None:
        raise HTTPException(401, "send a token: Authorization: Bearer idl_…")
    if request.method not in ("GET", "HEAD"):
        known = session if workbench.settings.login else ""
        if not sent_by_our_page(workbench, known, request.headers, request.headers.get(FORM_HEADER, "")):
            raise HTTPException(403, "send a token: Authorization: Bearer idl_…; the page Account makes one")
    return person


def with_role(role: str, member: str = "analyst") -> Callable[..., Person]:
    """A dependency: the caller, who must have a role; and where the path names a project, one there, too."""

    def require(request: Request, person: Annotated[Person, Depends(caller)]) -> Person:
        if not person.may(role):
            raise HTTPException(403, f"this takes the role {role}, and {person.name} is {person.role}")
        if (project := request.path_params.get("project")) is not None:
            _require_member(workbench_of(request), str(project), person, member)
        return person

    return require


def _require_member(workbench: Workbench, project: str, person: Person, needed: str) -> None:
    """Who is not in a project does not learn that there is one."""
    is_number = project.isascii() and project.isdigit() and int(project) <= LARGEST_NUMBER
    found = role_in(workbench.database, int(project), person.id) if is_number else None
    if found is None:
        raise HTTPException(404, f"there is no project {project}")
    if not may_in(found, needed):
        raise HTTPException(
            403, f"this takes the role {needed} in the project, and {person.name} is {found} there"
        )


Bench = Annotated[Workbench, Depends(workbench_of)]
Rater = Annotated[Person, Depends(with_role("rater"))]
Analyst = Annotated[Person, Depends(with_role("analyst"))]
Owner = Annotated[Person, Depends(with_role("analyst", member="owner"))]
Admin = Annotated[Person, Depends(with_role("admin"))]


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
