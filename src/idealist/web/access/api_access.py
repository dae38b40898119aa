"""Who calls: a token, or the browser of somebody who is logged in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

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
        if not person.has_role(role):
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


def record_of(model: Any, result: Any) -> Any:
    """A result of the store as the API gives it: the fields that both have."""
    return model(**{name: getattr(result, name) for name in model.model_fields})
