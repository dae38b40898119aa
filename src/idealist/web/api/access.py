"""Who calls: a token, or the browser of somebody who is logged in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from idealist.web.browsers import SESSION_COOKIE, person_behind, sent_by_our_page
from idealist.web.people.roles import Person
from idealist.web.people.sessions import person_of_token
from idealist.web.workbench import Workbench

bearer = HTTPBearer(auto_error=False, description="A token that was made on the page Account.")
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


def with_role(role: str) -> Callable[..., Person]:
    """A dependency: the caller, who must have a role."""

    def require(person: Annotated[Person, Depends(caller)]) -> Person:
        if not person.may(role):
            raise HTTPException(403, f"this takes the role {role}, and {person.name} is {person.role}")
        return person

    return require


Bench = Annotated[Workbench, Depends(workbench_of)]
Rater = Annotated[Person, Depends(with_role("rater"))]
Analyst = Annotated[Person, Depends(with_role("analyst"))]
Admin = Annotated[Person, Depends(with_role("admin"))]
