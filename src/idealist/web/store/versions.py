"""What a project had before: every version of its runs and judgments, notes on them, and what was done."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.clock import now
from idealist.web.store.projects import record
from idealist.web.store.tables import history, project_annotations, sources, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.web.store.database import Database

LONGEST_NOTE = 2_000


class Version(Frozen):
    """A run or judgments as they were from `created` until they were `replaced` or removed (None: they are current)."""

    id: int
    kind: str
    name: str
    rows: int
    content_sha256: str
    stored_sha256: str
    created: int
    replaced: int | None

    @property
    def current(self) -> bool:
        return self.replaced is None


class Annotation(Frozen):
    """A note on a run, or with an empty subject on the whole project."""

    id: int
    subject: str
    text: str
    created: int
    author: str | None


class HistoryLine(Frozen):
    """Something that was done to a project."""

    action: str
    content: dict[str, Any]
    at: int
    person: str | None


VERSION_COLUMNS = [getattr(sources.c, field) for field in Version.fields]


def versions_of(database: Database, project: int, kind: str, name: str | None = None) -> list[Version]:
    """Every version, in the order in which they came; of the source of a name, where one is given."""
    wanted = select(*VERSION_COLUMNS).where(sources.c.project_id == project, sources.c.kind == kind)
    if name is not None:
        wanted = wanted.where(sources.c.name == name)
    with database.reading() as connection:
        return [Version(*row) for row in connection.execute(wanted.order_by(sources.c.id))]


def annotations_of(database: Database, project: int) -> list[Annotation]:
    """The notes of a project, the newest first."""
    notes = project_annotations
    wanted = (
        select(notes.c.id, notes.c.subject, notes.c.text, notes.c.created, users.c.name)
        .outerjoin(users, users.c.id == notes.c.created_by)
        .where(notes.c.project_id == project)
        .order_by(notes.c.id.desc())
    )
    with database.reading() as connection:
        return [Annotation(*row) for row in connection.execute(wanted)]


def add_annotation(database: Database, project: int, subject: str, text: str, *, user: int | None) -> int:
    """Adds a note, on a run that the project has or had, or on the project."""
    text = text.strip()
    if not text or len(text) > LONGEST_NOTE:
        raise InputError(
            "a note needs a text" if not text else f"the note has {len(text):,} characters",
            hint=f"1 to {LONGEST_NOTE:,} characters",
        )
    if subject and not versions_of(database, project, "run", subject):
        raise InputError(f"there is no run {subject!r}", hint="name a run, or leave it empty")
    with database.writing() as connection:
        added = insert(project_annotations).values(
            project_id=project, subject=subject, text=text, created=now(), created_by=user
        )
        number = int(connection.execute(added.returning(project_annotations.c.id)).scalar_one())
        record(connection, "note added", {"name": subject, "text": text}, project=project, user=user)
    return number


def remove_annotation(database: Database, project: int, number: int, *, user: int | None) -> bool:
    """Takes a note away; what it said stays in the history. False where there is none."""
    mine = (project_annotations.c.id == number) & (project_annotations.c.project_id == project)
    with database.writing() as connection:
        row = connection.execute(select(project_annotations).where(mine)).first()
        if row is None:
            return False
        connection.execute(delete(project_annotations).where(mine))
        content = {"name": row.subject, "text": row.text}
        record(connection, "note removed", content, project=project, user=user)
    return True


def history_of(database: Database, project: int, most: int = 50) -> list[HistoryLine]:
    """What was done last, the newest first."""
    wanted = (
        select(history.c.action, history.c.content, history.c.at, users.c.name)
        .outerjoin(users, users.c.id == history.c.user_id)
        .where(history.c.project_id == project)
        .order_by(history.c.id.desc())
        .limit(most)
    )
    with database.reading() as connection:
        return [HistoryLine(*row) for row in connection.execute(wanted)]
