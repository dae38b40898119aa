"""Passwords by the API: one's own changed, and links by which others set theirs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from idealist.web.api.access import Admin, Bench, Rater
from idealist.web.api.models import PROBLEMS
from idealist.web.browsers import SESSION_COOKIE, client_address
from idealist.web.people.passwords import change_password, reset_token

router = APIRouter(
    prefix="/api",
    responses=PROBLEMS,
)


class NewPassword(BaseModel):
    current: str
    new: str = Field(description="10 to 200 characters")


class PasswordLink(BaseModel):
    path: str = Field(description="where the user sets a new password, for two days and once")


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
