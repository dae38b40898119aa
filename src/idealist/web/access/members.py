"""The members of projects: who may do what in which."""

from __future__ import annotations

from sqlalchemy import and_, delete, exists, or_, select, update

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.base.audit import record
from idealist.web.base.database import insert_new, now
from idealist.web.base.schema import members, projects, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection

    from idealist.web.base.database import Database

# A rater judges tasks of the project, an analyst works in it, an owner decides who does, and whether it stays.
MEMBER_ROLES = ("rater", "analyst", "owner")


class Member(Frozen):
    """A person who is in a project."""

    id: int
    name: str
    role: str
    since: int


def role_in(database: Database, project: int, user: int, *, removed: bool = False) -> str | None:
    """What a person may do in a project: an admin what its owners may, and nobody more than their role in the workbench
    allows. None for who is not in it, and where it does not exist, or was `removed`."""
    mine = and_(members.c.project_id == projects.c.id, members.c.user_id == user)
    wanted = (
        select(users.c.role, members.c.role.label("member"))
        .select_from(projects)
        .join(users, users.c.id == user)
        .outerjoin(members, mine)
        .where(projects.c.id == project)
    )
    if not removed:
        wanted = wanted.where(projects.c.removed.is_(None))
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    if row is None or row.role == "admin":
        return None if row is None else "owner"
    return "rater" if row.member is not None and row.role == "rater" else row.member


def may_in(role: str, needed: str) -> bool:
    """Whether a member's role is one, or above it.

    >>> may_in("owner", "analyst"), may_in("rater", "analyst")
    (True, False)
    """
    return MEMBER_ROLES.index(role) >= MEMBER_ROLES.index(needed)


def task_is_reached(user: int) -> Any:
    """Whether a person is in the project of a task, which was not removed."""
    mine = select(members.c.user_id).where(
        members.c.project_id == tasks.c.project_id, members.c.user_id == user
    )
    admin = select(users.c.id).where(users.c.id == user, users.c.role == "admin")
    there = select(projects.c.id).where(projects.c.id == tasks.c.project_id, projects.c.removed.is_(None))
    return and_(exists(there), or_(exists(mine), exists(admin)))


def list_members(database: Database, project: int) -> list[Member]:
    wanted = (
        select(users.c.id, users.c.name, members.c.role, members.c.since)
        .join(members, members.c.user_id == users.c.id)
        .where(members.c.project_id == project)
        .order_by(users.c.name)
    )
    with database.reading() as connection:
        return [Member(*row) for row in connection.execute(wanted)]


def set_member(database: Database, project: int, user: int, role: str, *, by: int) -> None:
    """Lets a person into a project, or gives them another role there."""
    if role not in MEMBER_ROLES:
        raise InputError(f"{role!r} is not a role", hint=f"name one of: {', '.join(MEMBER_ROLES)}")
    with database.writing() as connection:
        person = connection.execute(
            select(users).where(users.c.id == user, users.c.disabled.is_(None))
        ).first()
        if person is None:
            raise InputError(f"there is no user {user}, or they were disabled", hint="choose one of the list")
        if person.role == "rater" and role != "rater":
            raise InputError(
                f"{person.name} is a rater of this workbench, and can be nothing more in a project",
                hint="an admin can give them another role",
            )
        if role != "owner":
            _refuse_last_owner(connection, project, user)
        row = {"project_id": project, "user_id": user, "role": role, "since": now()}
        insert_new(connection, members, row)  # unless they are in it already
        connection.execute(update(members).where(_of(project, user)).values(role=role))
        content = {"rater": person.name, "role": role}
        record(connection, "member set", content, project=project, user=by)


def add_raters(connection: Connection, project: int, raters: list[int]) -> None:
    """Lets who is to judge a task into its project, within the transaction that assigns it."""
    for rater in raters:
        row = {"project_id": project, "user_id": rater, "role": "rater", "since": now()}
        insert_new(connection, members, row)


def remove_member(database: Database, project: int, user: int, *, by: int) -> None:
    """Takes a person out of a project; what they did stays theirs."""
    with database.writing() as connection:
        _refuse_last_owner(connection, project, user)
        if not connection.execute(delete(members).where(_of(project, user))).rowcount:
            raise InputError(f"user {user} is not in this project", hint="reload the page")
        name = connection.execute(select(users.c.name).where(users.c.id == user)).scalar_one()
        record(connection, "member removed", {"rater": name}, project=project, user=by)


def _of(project: int, user: int) -> Any:
    return and_(members.c.project_id == project, members.c.user_id == user)


def _refuse_last_owner(connection: Connection, project: int, user: int) -> None:
    # Two owners who go at the same time: the second waits, and is then the only one.
    connection.execute(select(projects.c.id).where(projects.c.id == project).with_for_update())
    owners = select(members.c.user_id).where(members.c.project_id == project, members.c.role == "owner")
    if set(connection.execute(owners).scalars()) == {user}:
        raise InputError("this is the only owner of the project", hint="make somebody else an owner first")
