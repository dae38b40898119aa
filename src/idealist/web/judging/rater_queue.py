"""The queue of a rater: what comes next, what is put off, and answers to it."""

from __future__ import annotations

from sqlalchemy import and_, func, select, update

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.access.members import task_is_reached
from idealist.web.base.schema import assignments, events, items, task_raters, tasks
from idealist.web.judging.tasks import ANSWERS, COLUMNS, Task, add_event
from idealist.web.projects.project_sources import PARTS, documents_of, query_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.web.base.database import Database
    from idealist.web.workbench import Workbench

QUEUED = (items.c.id, assignments.c.place, assignments.c.side, items.c.content, items.c.hidden)
MOST_ITEMS = 20  # of one request
STRONGEST = 3  # votes go from −3, left much better, to +3, right much better
BOTH = {"both-good": "good", "both-bad": "bad"}
WORDS = ("good", "same", "bad")
LONGEST_NOTE = 2_000
OTHER_SIDE = {"left": "right", "right": "left"}
HIGHEST_GRADE = 4


class QueuedItem(Frozen):
    """An item that is assigned to a rater; `side` is where the candidate is shown to them."""

    id: int
    place: int
    side: str | None
    content: dict[str, Any]
    hidden: dict[str, Any]


def pending(database: Database, task: int, user: int, *, after: int, count: int) -> list[QueuedItem]:
    """The next items of a rater behind a place of their queue; those withdrawn are left out."""
    wanted = (
        select(*QUEUED)
        .join(items, items.c.id == assignments.c.item_id)
        .where(
            assignments.c.task_id == task,
            assignments.c.user_id == user,
            assignments.c.done.is_(False),
            assignments.c.place > after,
            items.c.withdrawn.is_(None),
        )
        .order_by(assignments.c.place)
        .limit(count)
    )
    with database.reading() as connection:
        return [QueuedItem(*row) for row in connection.execute(wanted)]


def queued_item(database: Database, item: int, user: int) -> tuple[Task, QueuedItem] | None:
    """An item that is assigned to a person, with its task."""
    wanted = (
        select(*COLUMNS, *QUEUED)
        .join(items, items.c.task_id == tasks.c.id)
        .join(assignments, assignments.c.item_id == items.c.id)
        .join(task_raters, and_(task_raters.c.task_id == tasks.c.id, task_raters.c.user_id == user))
        .where(items.c.id == item, assignments.c.user_id == user, task_is_reached(user))
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else (Task(*row[: len(COLUMNS)]), QueuedItem(*row[len(COLUMNS) :]))


def was_withdrawn(database: Database, item: int, user: int) -> bool:
    """Whether an item was withdrawn from a task of this rater."""
    assigned = and_(task_raters.c.task_id == items.c.task_id, task_raters.c.user_id == user)
    wanted = select(items.c.withdrawn).join(task_raters, assigned).where(items.c.id == item)
    with database.reading() as connection:
        return connection.execute(wanted).scalar() is not None


def postpone(database: Database, item: int, user: int) -> int:
    """Puts an item at the end of the rater's queue, and gives its new place; an item that is answered stays."""
    mine = and_(assignments.c.item_id == item, assignments.c.user_id == user)
    with database.writing() as connection:
        row = connection.execute(select(assignments).where(mine)).one()
        behind = select(func.max(assignments.c.place)).where(
            assignments.c.task_id == row.task_id, assignments.c.user_id == user, assignments.c.done.is_(False)
        )
        last = connection.execute(behind).scalar()
        if row.done or last is None or last == row.place:
            return int(row.place)
        connection.execute(update(assignments).where(mine).values(place=last + 1))
        return int(last) + 1


def last_answer(database: Database, task: int, user: int) -> tuple[str, int] | None:
    """The id and the item of the rater's last answer that was not undone; None where there is none."""
    undone = select(events.c.about).where(
        events.c.task_id == task, events.c.user_id == user, events.c.kind == "undo"
    )
    wanted = (
        select(events.c.id, events.c.item_id)
        .join(items, items.c.id == events.c.item_id)
        .where(
            events.c.task_id == task,
            events.c.user_id == user,
            events.c.kind.in_(ANSWERS),
            events.c.id.not_in(undone),
            items.c.withdrawn.is_(None),
        )
        .order_by(events.c.number.desc())
        .limit(1)
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else (row.id, row.item_id)


class NotAssigned(Exception):
    """There is no such item or task for this person."""


def next_items(
    workbench: Workbench, task: Task, user: int, *, after: int = -1, count: int = 10
) -> list[dict[str, Any]]:
    """The next items of a rater behind a place of their queue, as they are shown."""
    if not task.open:
        return []
    return shown_items(
        workbench,
        task,
        pending(workbench.database, task.id, user, after=after, count=min(max(count, 1), MOST_ITEMS)),
    )


def shown_items(workbench: Workbench, task: Task, queued: Sequence[QueuedItem]) -> list[dict[str, Any]]:
    """Items with the texts of queries and documents, as the rater sees them: no id but the item's, no name of a system."""
    lists = [_lists(item) for item in queued]
    ids = [document for parts in lists for documents in parts.values() for document in documents]
    known = documents_of(workbench.database, task.project_id, list(dict.fromkeys(ids)))
    queries = [item.content["query"] for item in queued]
    texts = query_texts(workbench.database, task.project_id, list(dict.fromkeys(queries)))
    return [
        {
            "id": item.id,
            "place": item.place,
            "query": texts.get(item.content["query"]) or item.content["query"],
            **{
                part: [_document(known, document) for document in documents]
                for part, documents in parts.items()
            },
            **({"label": item.content["label"]} if "label" in item.content else {}),
        }
        for item, parts in zip(queued, lists, strict=True)
    ]


def answer(
    workbench: Workbench,
    *,
    id: str,
    item: int,
    user: int,
    kind: str,
    content: dict[str, Any],
    made: int,
    about: str | None = None,
) -> bool:
    """Adds the answer of a rater to an item assigned to them, or the undo of one; False where it was there already.

    A vote is sent as it was seen, `choice` from −3 (left much better) to +3 (right much better), "both-good" or
    "both-bad", and stored as `vote` from the candidate's side, with the side on which the candidate was shown.
    """
    assigned = queued_item(workbench.database, item, user)
    if assigned is None:
        if was_withdrawn(workbench.database, item, user):
            raise InputError(
                "this item was withdrawn, and takes no more answers", hint="go on with the next one"
            )
        raise NotAssigned(f"item {item} is not assigned to you")
    task, queued = assigned
    checked = _checked(task, queued, kind, content)
    return add_event(
        workbench.database, id=id, item=item, user=user, kind=kind, content=checked, made=made, about=about
    )


def favours_unseen(kind: str, content: dict[str, Any]) -> bool:
    """Whether a vote does not say what was chosen of left and right: with it, a rater could favour the candidate without
    knowing which side it is on."""
    return kind == "vote" and "choice" not in content


def last_item(workbench: Workbench, task: Task, user: int) -> tuple[str, dict[str, Any]] | None:
    """The rater's last answer that was not undone, to undo it: its id, and its item as it was shown."""
    last = last_answer(workbench.database, task.id, user)
    assigned = None if last is None else queued_item(workbench.database, last[1], user)
    if last is None or assigned is None:
        return None
    return last[0], shown_items(workbench, task, [assigned[1]])[0]


def candidate_side(task: Task, item: QueuedItem) -> str:
    """Where the candidate is shown: as it was drawn for the rater, or as the item has it."""
    if item.side is not None:
        return item.side
    systems = task.settings.get("systems") or [None, None]
    return "left" if item.hidden.get("left") == systems[1] else "right"


def _lists(item: QueuedItem) -> dict[str, list[str]]:
    """The ids of the documents on each side as shown; an item whose side is drawn has the candidate's on the right."""
    content = item.content
    if "document" in content:
        return {"documents": [content["document"]]}
    sides = {"left": content["left"], "right": content["right"]}
    return {side: sides[OTHER_SIDE[side]] for side in sides} if item.side == "left" else sides


def _document(known: dict[str, dict[str, str]], document: str) -> dict[str, str]:
    """A document with those of its parts that it has; one without a text is known by its id alone."""
    parts = {part: value for part in PARTS if (value := known.get(document, {}).get(part, ""))}
    return parts if "title" in parts or "text" in parts else {**parts, "title": document}


def _checked(task: Task, item: QueuedItem, kind: str, content: dict[str, Any]) -> dict[str, Any]:
    """What is stored of what was sent; what this task does not take is refused."""
    expected = {"grades": "grade", "sides": "vote"}[task.kind]
    if kind not in (expected, "skip", "undo"):
        raise InputError(
            f"{kind!r} is not an answer to this task", hint=f"{expected}, skip (cannot judge) or undo"
        )
    checked: dict[str, Any] = {}
    if kind == "grade":
        checked["grade"] = grade_of(content.get("grade"), task.settings.get("highest", HIGHEST_GRADE))
    elif kind == "vote":
        checked |= _vote(task, item, content)
    note, reasons, seconds = content.get("note", ""), content.get("reasons", []), content.get("seconds")
    known = task.settings.get("reasons", [])
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters", hint="shorten it")
    if not isinstance(reasons, list) or any(reason not in known for reason in reasons):
        raise InputError(f"{reasons!r} are not reasons of this task", hint=f"of {', '.join(known)}")
    if note.strip():
        checked["note"] = note.strip()
    if reasons:
        checked["reasons"] = reasons
    if isinstance(seconds, int | float) and 0 <= seconds < 1e6:
        checked["seconds"] = seconds
    return checked


def grade_of(grade: Any, highest: int) -> int:
    """A grade that was sent, from 0 to the highest of the task."""
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= highest:
        raise InputError(f"{grade!r} is not a grade of this task", hint=f"a whole number from 0 to {highest}")
    return grade


def _vote(task: Task, item: QueuedItem, content: dict[str, Any]) -> dict[str, Any]:
    side = candidate_side(task, item)
    if "choice" not in content and content.get("vote") in WORDS:  # of programs that know the candidate
        return {"vote": content["vote"], "side": side}
    choice = content.get("choice")
    if isinstance(choice, str) and choice in BOTH:
        return {"vote": 0, "both": BOTH[choice], "side": side}
    if isinstance(choice, bool) or not isinstance(choice, int) or abs(choice) > STRONGEST:
        raise InputError(
            f"{choice!r} is not a vote",
            hint=f"choice: −{STRONGEST} (left) to {STRONGEST} (right), both-good or both-bad",
        )
    return {"vote": choice if side == "right" else -choice, "side": side}
