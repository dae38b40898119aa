"""What was removed: it can be brought back for thirty days, and is then gone, with its files."""

from __future__ import annotations

import time

from sqlalchemy import and_, delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.base.audit import record
from idealist.web.base.database import DAY, now
from idealist.web.base.schema import (
    documents,
    evaluations,
    history,
    members,
    metadata,
    projects,
    queries,
    sources,
    tasks,
)
from idealist.web.base.stored_files import ABANDONED, ENDING
from idealist.web.projects.project_sources import COLUMNS, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlalchemy import Connection

    from idealist.web.base.database import Database
    from idealist.web.base.stored_files import StoredFiles

KEPT_FOR = 30 * DAY
# Of these the project has the texts of one source, the last that came.
TEXTS = {"documents": documents, "queries": queries}


class RemovedProject(Frozen):
    """A project that was removed, and when it is gone for good."""

    id: int
    name: str
    removed: int

    @property
    def gone(self) -> int:
        return self.removed + KEPT_FOR


def remove_project(database: Database, number: int, *, user: int | None = None) -> None:
    """Takes a project away, with all that is in it."""
    there = and_(projects.c.id == number, projects.c.removed.is_(None))
    with database.writing() as connection:
        taken = update(projects).where(there).values(removed=now()).returning(projects.c.name)
        name = connection.execute(taken).scalar()
        if name is not None:
            record(connection, "project removed", {"name": name}, project=number, user=user)


def removed_projects(database: Database, user: int, *, every: bool) -> list[RemovedProject]:
    """The projects that a person can bring back: those that they own, or `every` one."""
    wanted = select(projects.c.id, projects.c.name, projects.c.removed).where(
        projects.c.removed > now() - KEPT_FOR
    )
    if not every:
        own = select(members.c.project_id).where(members.c.user_id == user, members.c.role == "owner")
        wanted = wanted.where(projects.c.id.in_(own))
    with database.reading() as connection:
        return [
            RemovedProject(*row) for row in connection.execute(wanted.order_by(projects.c.removed.desc()))
        ]


def restore_project(database: Database, number: int, *, user: int | None = None) -> None:
    removed = and_(projects.c.id == number, projects.c.removed > now() - KEPT_FOR)
    try:
        with database.writing() as connection:
            back = update(projects).where(removed).values(removed=None).returning(projects.c.name)
            name = connection.execute(back).scalar()
            if name is None:
                raise InputError(
                    f"there is no project {number} to bring back", hint="after thirty days it is gone"
                )
            record(connection, "project restored", {"name": name}, project=number, user=user)
    except IntegrityError:
        raise InputError(
            "another project has its name by now", hint="give that one another name, and try again"
        ) from None


def removed_sources(database: Database, project: int) -> list[Source]:
    """The sources of a project that can be brought back, the last removed first."""
    wanted = select(*COLUMNS).where(sources.c.project_id == project, sources.c.removed > now() - KEPT_FOR)
    with database.reading() as connection:
        return [Source(*row) for row in connection.execute(wanted.order_by(sources.c.removed.desc()))]


def restore_source(database: Database, project: int, number: int, *, user: int | None = None) -> Source:
    """Brings back a source, unless another one has its place by now."""
    with database.writing() as connection:
        connection.execute(select(projects.c.id).where(projects.c.id == project).with_for_update())
        wanted = select(*COLUMNS).where(
            sources.c.id == number, sources.c.project_id == project, sources.c.removed > now() - KEPT_FOR
        )
        row = connection.execute(wanted).first()
        if row is None:
            raise InputError(
                f"there is no source {number} to bring back", hint="after thirty days it is gone"
            )
        source = Source(*row)
        taken = select(sources.c.id).where(sources.c.project_id == project, sources.c.kind == source.kind)
        if source.kind in TEXTS:
            taken = taken.where(sources.c.id > number)
        else:
            taken = taken.where(sources.c.replaced.is_(None))
            if source.kind == "run":
                taken = taken.where(sources.c.name == source.name)
        if connection.execute(taken).first() is not None:
            raise InputError(
                f"something else has the place of {source.name!r} by now",
                hint="remove that first, or upload the file again",
            )
        back = update(sources).where(sources.c.id == number).values(replaced=None, removed=None)
        connection.execute(back)
        content = {"kind": source.kind, "name": source.name}
        record(connection, "source restored", content, project=project, user=user)
    return source


def purge(database: Database, files: StoredFiles) -> None:
    """Takes away for good what was removed more than thirty days ago. That it was there stays in the history."""
    old = now() - KEPT_FOR
    with database.writing() as connection:
        for row in connection.execute(select(*COLUMNS).where(sources.c.removed < old)).all():
            _purge_source(connection, Source(*row))
        for number in (
            connection.execute(select(projects.c.id).where(projects.c.removed < old)).scalars().all()
        ):
            _purge_project(connection, number)
        unused = _unused_files(connection, files)
        for sha256 in unused:
            used = or_(evaluations.c.run_sha256 == sha256, evaluations.c.judgments_sha256 == sha256)
            connection.execute(delete(evaluations).where(used))
    for sha256 in unused:
        files.path(sha256).unlink(missing_ok=True)


def _purge_source(connection: Connection, source: Source) -> None:
    connection.execute(delete(sources).where(sources.c.id == source.id))
    table = TEXTS.get(source.kind)
    later = select(sources.c.id).where(
        sources.c.project_id == source.project_id, sources.c.kind == source.kind, sources.c.id > source.id
    )
    if table is not None and connection.execute(later).first() is None:
        connection.execute(delete(table).where(table.c.project_id == source.project_id))
    record(
        connection,
        "source purged",
        {"kind": source.kind, "name": source.name},
        project=source.project_id,
    )


def _purge_project(connection: Connection, number: int) -> None:
    """Every row of a project, in an order in which no row refers to one that is gone."""
    name = connection.execute(select(projects.c.name).where(projects.c.id == number)).scalar_one()
    of_project = select(tasks.c.id).where(tasks.c.project_id == number)
    connection.execute(update(history).where(history.c.project_id == number).values(project_id=None))
    for table in reversed(metadata.sorted_tables):
        if table is history:
            continue
        if "task_id" in table.c:
            connection.execute(delete(table).where(table.c.task_id.in_(of_project)))
        elif "project_id" in table.c:
            connection.execute(delete(table).where(table.c.project_id == number))
    connection.execute(delete(projects).where(projects.c.id == number))
    record(connection, "project purged", {"name": name})


def _unused_files(connection: Connection, files: StoredFiles) -> list[str]:
    """Stored files that no source names. One that came within a day may be of an upload that is not done yet."""
    named = set(connection.execute(select(sources.c.stored_sha256).distinct()).scalars())
    young = time.time() - ABANDONED
    return [
        path.stem
        for path in files.folder.glob(f"??/*{ENDING}")
        if path.stem not in named and path.stat().st_mtime < young
    ]
