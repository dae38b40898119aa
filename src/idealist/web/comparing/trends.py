"""A project over time: every version of its data, notes, recorded decisions, and the values of runs."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.base.audit import record
from idealist.web.base.database import now
from idealist.web.base.schema import history, project_annotations, sources, users
from idealist.web.comparing.run_values import question, start_measuring, summaries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future
    from datetime import datetime
    from typing import Any

    from idealist.comparison.decision_records import DecisionRecord
    from idealist.conventions import Conventions
    from idealist.web.base.database import Database
    from idealist.web.comparing.run_values import Summary
    from idealist.web.workbench import Workbench


LONGEST_NOTE = 2_000
KEPT = "decision recorded"
MOST_RUNS = 8  # lines of a chart that can be told apart
MOST_POINTS = 200  # of a page, the newest


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


class KeptDecision(Frozen):
    """A decision as the workbench keeps it: `content` is what the record says, `at` when it was brought in."""

    content: Any
    at: datetime


def keep_decision(database: Database, project: int, decision: DecisionRecord, *, user: int | None) -> None:
    """Adds a recorded decision. One that was changed after it was written, or is kept already, is refused."""
    if decision.changed:
        raise InputError(
            "this record was changed after it was written",
            hint="bring in the file that idealist gate --record wrote",
        )
    facts = decision.facts
    content = {
        "name": facts["gate"],
        "outcome": decision.outcome,
        "text": facts["verdict"]["reason"],
        "by": decision.by,
        "written": decision.written,
        "locked": decision.locked,
        "record": dict(facts),
    }
    if any(kept.content["record"] == content["record"] for kept in decisions_of(database, project)):
        raise InputError("this decision is kept already", hint="it is in the list")
    with database.writing() as connection:
        record(connection, KEPT, content, project=project, user=user)


def decisions_of(database: Database, project: int) -> list[KeptDecision]:
    """The decisions of a project, the newest first."""
    wanted = (
        select(history.c.content, history.c.at)
        .where((history.c.project_id == project) & (history.c.action == KEPT))
        .order_by(history.c.id.desc())
    )
    with database.reading() as connection:
        return [KeptDecision(*row) for row in connection.execute(wanted)]


class Moment(Frozen):
    """A run and the judgments that it stood beside, from `at` on; `summary` is None while it is measured. `stale` names
    which of the two have another content now: what was measured is not what the project holds."""

    at: int
    run: Version
    judgments: Version
    stale: tuple[str, ...] = ()
    summary: Summary | None = None


def moments(
    workbench: Workbench, project: int, measure: str, conventions: Conventions, run: str = ""
) -> tuple[list[Moment], list[Future[None]]]:
    """Every run with the judgments of its time, in order of time, with what is known of its value; and the measuring that
    was started. Of a project with many runs, those that changed last, unless one is named."""
    pairs = overlapping(
        _latest(versions_of(workbench.database, project, "run", run or None)),
        versions_of(workbench.database, project, "judgments"),
    )[-MOST_POINTS:]
    started: list[Future[None]] = []
    known: dict[tuple[str, str], Summary] = {}
    for judgments in dict.fromkeys(pair.judgments.stored_sha256 for pair in pairs):
        asked = question(judgments, [measure], conventions)
        stored = [pair.run.stored_sha256 for pair in pairs if pair.judgments.stored_sha256 == judgments]
        started += start_measuring(workbench, asked, stored)
        known |= {
            (stored_run, judgments): summary
            for (stored_run, _), summary in summaries(workbench, asked, stored).items()
        }
    measured = [
        pair.replace(summary=known.get((pair.run.stored_sha256, pair.judgments.stored_sha256)))
        for pair in pairs
    ]
    return measured, started


def overlapping(runs: list[Version], judgments: list[Version]) -> list[Moment]:
    """Every run with every judgments that were current at the same time, from when both were there."""
    current = {_content(version) for version in (*runs, *judgments) if version.current}
    found = []
    for run in runs:
        for judged in judgments:
            begins = max(run.created, judged.created)
            ends = [version.replaced for version in (run, judged) if version.replaced is not None]
            if all(begins < end for end in ends):
                stale = (version.kind for version in (run, judged) if _content(version) not in current)
                found.append(Moment(begins, run, judged, tuple(stale)))
    return sorted(found, key=lambda moment: (moment.at, moment.run.name))


def _content(version: Version) -> tuple[str, str, str]:
    """What makes two versions the same: their content under one name; a project has one judgments, whatever its name."""
    return version.kind, version.name if version.kind == "run" else "", version.content_sha256


def _latest(versions: list[Version]) -> list[Version]:
    """The versions of the MOST_RUNS names that changed last."""
    names = dict.fromkeys(version.name for version in reversed(versions))
    chosen = set(list(names)[:MOST_RUNS])
    return [version for version in versions if version.name in chosen]


def trend_record(measured: list[Moment]) -> list[dict[str, Any]]:
    """The moments for programs."""
    return [
        {
            "at": moment.at,
            "run": moment.run.name,
            "run_sha256": moment.run.content_sha256,
            "judgments_sha256": moment.judgments.content_sha256,
            "stale": list(moment.stale),
            **{
                field: getattr(moment.summary, field)
                for field in ("value", "low", "high", "n")
                if moment.summary is not None
            },
        }
        for moment in measured
    ]
