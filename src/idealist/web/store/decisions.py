"""Decisions of gates that were recorded elsewhere and are kept with a project: lines of its history, which nothing takes away."""

from __future__ import annotations

from sqlalchemy import select

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.projects import record
from idealist.web.store.tables import history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from idealist.decision.records import DecisionRecord
    from idealist.web.store.database import Database

KEPT = "decision recorded"


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
