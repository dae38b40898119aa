"""The sources of a project: files that were brought in, the current one under each name, and the texts of its queries and documents."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.base.audit import record
from idealist.web.base.database import in_parts, now
from idealist.web.base.schema import documents, projects, queries, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sqlalchemy import Connection, Table

    from idealist.web.base.database import Database


KINDS = ("judgments", "run", "documents", "queries")
BATCH = 1_000  # rows of one statement
PARTS = ("title", "text", "url", "image")


class Source(Frozen):
    """A source as pages and the API show it; `findings` is what `check` said, as its JSON."""

    id: int
    project_id: int
    kind: str
    name: str
    filename: str
    size: int
    rows: int
    queries: int | None
    content_sha256: str
    stored_sha256: str | None
    findings: dict[str, Any]
    created: int
    replaced: int | None = None
    removed: int | None = None

    @property
    def current(self) -> bool:
        """Whether it is what the project has now: not replaced by another one, and not removed."""
        return self.replaced is None

    @property
    def stored(self) -> str:
        """The name of the stored file, which runs and judgments have."""
        assert self.stored_sha256 is not None, self.kind
        return self.stored_sha256

    @property
    def worst(self) -> str | None:
        """error, warning, note, or None."""
        return self.findings.get("worst")


COLUMNS = [getattr(sources.c, field) for field in Source.fields]


def add_source(connection: Connection, project: int, *, user: int | None = None, **facts: Any) -> int:
    """Adds a source, in the place of the current one of its name; of judgments, documents and queries a project has one."""
    moment = now()
    # Of two that are added at once, one waits for the other: PostgreSQL would keep both as current.
    connection.execute(select(projects.c.id).where(projects.c.id == project).with_for_update())
    current = update(sources).where(
        sources.c.project_id == project, sources.c.kind == facts["kind"], sources.c.replaced.is_(None)
    )
    if facts["kind"] == "run":
        current = current.where(sources.c.name == facts["name"])
    connection.execute(current.values(replaced=moment))
    added = insert(sources).values(project_id=project, created=moment, created_by=user, **facts)
    number = int(connection.execute(added.returning(sources.c.id)).scalar_one())
    summary = {key: facts[key] for key in ("kind", "name", "rows", "content_sha256")}
    record(connection, "source added", summary, project=project, user=user)
    return number


def remove_source(database: Database, number: int, *, user: int | None = None) -> None:
    """Takes a source out of its project. Its row and its file stay for a while, so that it can be brought back; one that is
    not current any more is left as it is."""
    current = (sources.c.id == number) & sources.c.replaced.is_(None)
    moment = now()
    removed = update(sources).where(current).values(replaced=moment, removed=moment)
    with database.writing() as connection:
        row = connection.execute(removed.returning(*COLUMNS)).first()
        if row is not None:
            content = {"kind": row.kind, "name": row.name}
            record(connection, "source removed", content, project=row.project_id, user=user)


def list_sources(database: Database, project: int, kind: str | None = None) -> list[Source]:
    """The current sources, by kind and name."""
    wanted = select(*COLUMNS).where(sources.c.project_id == project, sources.c.replaced.is_(None))
    if kind is not None:
        wanted = wanted.where(sources.c.kind == kind)
    with database.reading() as connection:
        rows = [Source(*row) for row in connection.execute(wanted)]
    return sorted(rows, key=lambda source: (KINDS.index(source.kind), source.name))


def source_of(database: Database, number: int) -> Source | None:
    with database.reading() as connection:
        row = connection.execute(select(*COLUMNS).where(sources.c.id == number)).first()
    return None if row is None else Source(*row)


def replaced_by(database: Database, source: Source) -> Source | None:
    """The source whose place another one took when it was added."""
    wanted = select(*COLUMNS).where(
        sources.c.project_id == source.project_id,
        sources.c.kind == source.kind,
        sources.c.replaced == source.created,
        sources.c.id < source.id,
    )
    if source.kind == "run":
        wanted = wanted.where(sources.c.name == source.name)
    with database.reading() as connection:
        row = connection.execute(wanted.order_by(sources.c.id.desc())).first()
    return None if row is None else Source(*row)


def judgments_of(database: Database, project: int) -> Source | None:
    return next(iter(list_sources(database, project, "judgments")), None)


def required_judgments(database: Database, project: int) -> Source:
    """The current judgments, of what cannot do without."""
    judgments = judgments_of(database, project)
    if judgments is None:
        raise InputError("the project has no judgments", hint="add some")
    return judgments


def required_runs(database: Database, project: int, names: Sequence[str] = ()) -> list[Source]:
    """The current runs of these names, each once and in this order; without names, all of them."""
    known = {run.name: run for run in list_sources(database, project, "run")}
    if not known:
        raise InputError("the project has no runs", hint="add some")
    for name in names:
        if name not in known:
            raise InputError(f"there is no run {name!r}", hint=f"the runs are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names or known)]


def replace_contents(
    connection: Connection, table: Table, project: int, rows: Iterable[dict[str, Any]]
) -> None:
    """Puts rows in the place of what the project has in `queries` or `documents`."""
    connection.execute(delete(table).where(table.c.project_id == project))
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append({"project_id": project, **row})
        if len(batch) == BATCH:
            connection.execute(insert(table), batch)
            batch = []
    if batch:
        connection.execute(insert(table), batch)


def documents_of(database: Database, project: int, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Title, text, URL and image of those of the documents that are known."""
    known: dict[str, dict[str, str]] = {}
    with database.reading() as connection:
        for part in in_parts(ids):
            wanted = select(documents).where(
                documents.c.project_id == project, documents.c.document.in_(part)
            )
            for row in connection.execute(wanted):
                known[row.document] = {name: getattr(row, name) for name in PARTS}
    return known


def query_texts(database: Database, project: int, ids: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    with database.reading() as connection:
        for part in in_parts(ids):
            wanted = select(queries.c.query, queries.c.text).where(
                queries.c.project_id == project, queries.c.query.in_(part)
            )
            texts |= {row.query: row.text for row in connection.execute(wanted)}
    return texts


def segments_of(database: Database, project: int) -> dict[str, str]:
    """The segment of every query that has one."""
    wanted = select(queries.c.query, queries.c.segment).where(
        queries.c.project_id == project, queries.c.segment.is_not(None), queries.c.segment != ""
    )
    with database.reading() as connection:
        return {row.query: row.segment for row in connection.execute(wanted)}
