"""People by the API: passwords, the members of a project, and who did what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from idealist.web.access.api_access import PROBLEMS, Admin, Analyst, Bench, Owner, Rater
from idealist.web.access.members import list_members, remove_member, set_member
from idealist.web.access.sessions import SESSION_COOKIE, change_password, client_address, reset_token
from idealist.web.base.audit import PAGE, audit_lines

router = APIRouter(
    prefix="/api",
    responses=PROBLEMS,
)


class NewPassword(BaseModel):
    current: str
    new: str = Field(description="10 to 200 characters")


class PasswordLink(BaseModel):
    path: str = Field(description="where the user sets a new password, for two days and once")


class MemberRecord(BaseModel):
    id: int = Field(description="the number of the user")
    name: str
    role: str = Field(description="rater, analyst or owner")
    since: int = Field(description="milliseconds since 1970, UTC")


class NewRole(BaseModel):
    role: str = Field(description="rater, analyst or owner")


class AuditRecord(BaseModel):
    id: int
    action: str
    content: dict[str, Any]
    at: int = Field(description="milliseconds since 1970, UTC")
    person: str | None
    project: str | None


@router.put("/account/password", status_code=204)
def put_password(bench: Bench, person: Rater, request: Request, new: NewPassword) -> None:
    """Changes the caller's password, and ends their other sessions."""
    change_password(
        bench.database,
        person,
        new.current,
        new.new,
        address=client_address(request),
        session=request.cookies.get(SESSION_COOKIE, ""),
    )


@router.post("/users/{user}/password-link", status_code=201)
def post_password_link(bench: Bench, person: Admin, user: int) -> PasswordLink:
    """A link by which a user sets a new password."""
    return PasswordLink(path=f"/passwords/{reset_token(bench.secret, bench.database, user, by=person.id)}")


@router.get("/projects/{project}/members")
def get_members(bench: Bench, person: Analyst, project: int) -> list[MemberRecord]:
    """Who is in a project, and as what."""
    listed = list_members(bench.database, project)
    return [MemberRecord(**{name: getattr(member, name) for name in member.fields}) for member in listed]


@router.put("/projects/{project}/members/{user}", status_code=204)
def put_member(bench: Bench, person: Owner, project: int, user: int, new: NewRole) -> None:
    """Lets a user into a project, or gives them another role there."""
    set_member(bench.database, project, user, new.role, by=person.id)


@router.delete("/projects/{project}/members/{user}", status_code=204)
def delete_member(bench: Bench, person: Owner, project: int, user: int) -> None:
    """Takes a user out of a project; what they did stays."""
    remove_member(bench.database, project, user, by=person.id)


@router.get("/audit")
def get_audit(
    bench: Bench,
    person: Admin,
    user: Annotated[int | None, Query(description="only what this user did")] = None,
    project: Annotated[int | None, Query(description="only what was done in this project")] = None,
    before: Annotated[int | None, Query(description="only lines before this one, to go on")] = None,
) -> list[AuditRecord]:
    """Who did what, the newest first, 100 at a time."""
    lines = audit_lines(bench.database, person=user, project=project, before=before, count=PAGE)
    return [AuditRecord(**{name: getattr(line, name) for name in line.fields}) for line in lines]
