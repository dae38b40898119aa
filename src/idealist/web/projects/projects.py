"""Projects, and what happened in them."""

from __future__ import annotations

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.base.audit import record
from idealist.web.base.database import now
from idealist.web.base.schema import members, projects, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.base.database import Database

LONGEST_NAME = 120


class Project(Frozen):
    """A project as pages and the API show it; `counts` are its current sources by kind."""

    id: int
    name: str
    about: str
    created: int
    counts: dict[str, int]


def create_project(database: Database, name: str, about: str = "", *, user: int | None = None) -> int:
    name = _project_name(name)
    try:
        with database.writing() as connection:
            created = insert(projects).values(name=name, about=about.strip(), created=now(), created_by=user)
            number = int(connection.execute(created.returning(projects.c.id)).scalar_one())
            if user is not None:
                owner = {"project_id": number, "user_id": user, "role": "owner", "since": now()}
                connection.execute(insert(members).values(owner))
            record(connection, "project created", {"name": name}, project=number, user=user)
            return number
    except IntegrityError:
        raise InputError(f"there is a project called {name!r}", hint="choose another name") from None


def change_project(
    database: Database, number: int, name: str, about: str, *, user: int | None = None
) -> None:
    """Gives a project another name and other words about it."""
    name = _project_name(name)
    try:
        with database.writing() as connection:
            before = connection.execute(select(projects.c.name).where(projects.c.id == number)).scalar_one()
            changed = update(projects).where(projects.c.id == number).values(name=name, about=about.strip())
            connection.execute(changed)
            record(connection, "project renamed", {"from": before, "to": name}, project=number, user=user)
    except IntegrityError:
        raise InputError(f"there is a project called {name!r}", hint="choose another name") from None


def _project_name(name: str) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise InputError(f"a project's name has 1 to {LONGEST_NAME} characters, not {len(name)}")
    return name


def list_projects(database: Database, user: int | None = None) -> list[Project]:
    """The projects, the newest first; those that a user works in, where one is given."""
    return _projects(database, None, user)


def project_of(database: Database, number: int) -> Project | None:
    return next(iter(_projects(database, number)), None)


def _projects(database: Database, number: int | None, user: int | None = None) -> list[Project]:
    wanted = select(projects).where(projects.c.removed.is_(None)).order_by(projects.c.id.desc())
    if user is not None:
        works = members.c.role.in_(("analyst", "owner"))
        mine = select(members.c.project_id).where(members.c.user_id == user, works)
        wanted = wanted.where(projects.c.id.in_(mine))
    counted = select(sources.c.project_id, sources.c.kind, func.count()).where(sources.c.replaced.is_(None))
    if number is not None:
        wanted = wanted.where(projects.c.id == number)
        counted = counted.where(sources.c.project_id == number)
    counted = counted.group_by(sources.c.project_id, sources.c.kind)
    with database.reading() as connection:
        counts: dict[int, dict[str, int]] = {}
        for project, kind, count in connection.execute(counted):
            counts.setdefault(project, {})[kind] = count
        return [
            Project(row.id, row.name, row.about, row.created, counts.get(row.id, {}))
            for row in connection.execute(wanted)
        ]
