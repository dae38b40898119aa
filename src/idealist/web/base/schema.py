"""The tables of the database."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# Names of constraints are fixed, so that migrations can name them on both databases.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# SQLite gives out numbers by itself for INTEGER only, PostgreSQL should not end at 2³¹.
Number = BigInteger().with_variant(Integer, "sqlite")
# Times are milliseconds since 1970 in UTC: the same number in both databases, in backups and in the browser.
Time = BigInteger
SHA256 = String(64)


def _number(name: str = "id") -> Column[int]:
    return Column(name, Number, Identity(), primary_key=True)


users = Table(
    "users",
    metadata,
    _number(),
    Column("name", String(80), nullable=False, unique=True),
    Column("password", Text),  # argon2; none for whoever logs in elsewhere, or not at all
    Column("role", String(16), nullable=False),
    Column("language", String(8)),
    Column("subject", SHA256, unique=True),  # the hash of who this is to the provider of OpenID Connect
    Column("created", Time, nullable=False),
    Column("disabled", Time),
)

invitations = Table(
    "invitations",
    metadata,
    _number(),
    Column("token", SHA256, nullable=False, unique=True),  # the hash: the link itself is shown once
    Column("role", String(16), nullable=False),
    Column("created_by", ForeignKey("users.id")),
    Column("created", Time, nullable=False),
    Column("expires", Time, nullable=False),
    Column("used", Time),
    Column("used_by", ForeignKey("users.id")),
    Column("revoked", Time),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", SHA256, primary_key=True),  # the hash: a copy of the database lets nobody in
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("created", Time, nullable=False),
    Column("expires", Time, nullable=False),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    _number(),
    Column("token", SHA256, nullable=False, unique=True),
    Column("user_id", ForeignKey("users.id"), nullable=False, index=True),
    Column("name", String(80), nullable=False),
    Column("created", Time, nullable=False),
    Column("expires", Time),  # none: it does not end by itself
    Column("revoked", Time),
)

login_failures = Table(
    "login_failures",
    metadata,
    _number(),
    Column("name", String(80), nullable=False),
    Column("address", String(80), nullable=False),
    Column("at", Time, nullable=False, index=True),
)

projects = Table(
    "projects",
    metadata,
    _number(),
    Column("name", String(120), nullable=False),
    Column("about", Text, nullable=False, default=""),
    Column("created", Time, nullable=False),
    Column("created_by", ForeignKey("users.id")),
    Column("removed", Time),  # it can be brought back for a while, then everything of it goes
)
# A project that was removed does not keep its name from others.
Index(
    "ix_projects_current",
    projects.c.name,
    unique=True,
    sqlite_where=projects.c.removed.is_(None),
    postgresql_where=projects.c.removed.is_(None),
)

# Who may do what in a project; an admin may do everything in all.
members = Table(
    "members",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("user_id", ForeignKey("users.id"), primary_key=True, index=True),
    Column("role", String(16), nullable=False),  # owner, analyst, rater
    Column("since", Time, nullable=False),
)

# A file that was brought in. What replaces it under the same name is a new row; the old one stays, for history.
sources = Table(
    "sources",
    metadata,
    _number(),
    Column("project_id", ForeignKey("projects.id"), nullable=False),
    Column("kind", String(16), nullable=False),  # judgments, run, documents, queries
    Column("name", String(200), nullable=False),
    Column("filename", String(400), nullable=False),
    Column("size", BigInteger, nullable=False),  # bytes as they were uploaded
    Column("rows", BigInteger, nullable=False),
    Column("queries", BigInteger),
    Column("content_sha256", SHA256, nullable=False),  # of the rows in any order, as --provenance prints it
    Column("stored_sha256", SHA256),  # of the stored file: its name, and the key of evaluations
    Column("findings", JSON, nullable=False),  # what check found
    Column("created", Time, nullable=False),
    Column("created_by", ForeignKey("users.id")),
    Column("replaced", Time),  # when it stopped being current
    Column("removed", Time),  # the same moment, where it was taken out and nothing took its place
    Index("ix_sources_current", "project_id", "kind", "replaced"),
)

queries = Table(
    "queries",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("query", String(400), primary_key=True),
    Column("text", Text, nullable=False),
    Column("segment", Text),  # none where the file of queries has no such column
)

documents = Table(
    "documents",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("document", String(400), primary_key=True),
    Column("title", Text, nullable=False, default=""),
    Column("text", Text, nullable=False, default=""),
    Column("url", Text, nullable=False, default=""),
    Column("image", Text, nullable=False, default=""),
)

# One measure of one run, by what it was computed from, and by which Idealist: nothing is measured twice, whoever asks, and
# a measure that was corrected is measured again.
evaluations = Table(
    "evaluations",
    metadata,
    Column("run_sha256", SHA256, primary_key=True),
    Column("judgments_sha256", SHA256, primary_key=True),
    Column("conventions", String(1000), primary_key=True),
    Column("measure", String(200), primary_key=True),
    Column("version", String(40), primary_key=True),
    Column("value", Float),
    Column("low", Float),
    Column("high", Float),
    Column("n", Integer, nullable=False),
    Column("judged", Float),  # share of the documents above the measure's cut-off
    Column("notes", JSON, nullable=False),
    Column("by_query", LargeBinary, nullable=False),  # float64 in bytewise order of the judged queries, zlib
    Column("created", Time, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    _number(),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("kind", String(16), nullable=False),  # grades, sides
    Column("name", String(120), nullable=False),
    Column("guidelines", Text, nullable=False, default=""),
    Column("settings", JSON, nullable=False),
    Column("open", Boolean, nullable=False, default=True),
    Column("created", Time, nullable=False),
    Column("created_by", ForeignKey("users.id")),
)

items = Table(
    "items",
    metadata,
    _number(),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("content", JSON, nullable=False),  # what raters are shown, without the name of a system
    Column("hidden", JSON, nullable=False),  # what they are not: systems, the expected answer
    Column("withdrawn", Time),
    UniqueConstraint("task_id", "place"),
)

task_raters = Table(
    "task_raters",
    metadata,
    Column("task_id", ForeignKey("tasks.id"), primary_key=True),
    Column("user_id", ForeignKey("users.id"), primary_key=True, index=True),
)

# Who judges which item, in which order. `side` is drawn when it is assigned, and stored.
assignments = Table(
    "assignments",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("item_id", ForeignKey("items.id"), primary_key=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("side", String(8)),
    Column("done", Boolean, nullable=False, default=False),
    Index("ix_assignments_next", "task_id", "user_id", "done", "place"),
)

# Append-only. The id is made in the browser, so that sending again changes nothing; an undo or an adjudication is an
# event that names the one it is about.
events = Table(
    "events",
    metadata,
    _number("number"),
    Column("id", String(36), nullable=False, unique=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("item_id", ForeignKey("items.id"), nullable=False, index=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("content", JSON, nullable=False),
    Column("about", String(36)),
    Column("made", Time, nullable=False),  # by the browser's clock
    Column("received", Time, nullable=False),
    Index("ix_events_of_rater", "task_id", "user_id", "number"),
)

# Not `annotations`: that name is the __future__ import above.
project_annotations = Table(
    "annotations",
    metadata,
    _number(),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("subject", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("created", Time, nullable=False),
    Column("created_by", ForeignKey("users.id")),
)

history = Table(
    "history",
    metadata,
    _number(),
    Column("project_id", ForeignKey("projects.id"), index=True),
    Column("user_id", ForeignKey("users.id")),
    Column("action", String(40), nullable=False),
    Column("content", JSON, nullable=False),
    Column("at", Time, nullable=False),
)
