"""Adjudication, of votes and of grades alike: what raters disagree on, a decision on it, and the decision taken back."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.clock import now
from idealist.web.store.events import add_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.web.store.database import Database


class Disagreement(Frozen):
    """An item on which raters differ, its votes or grades, and the decision on it if there is one. `settled` is whether
    more than half of them are alike."""

    item: Any
    answers: tuple[Any, ...]
    adjudication: Any
    settled: bool

    @property
    def open(self) -> bool:
        return self.adjudication is None


def items_to_adjudicate(
    items: Iterable[Any],
    answers: Iterable[Any],
    decisions: Iterable[Any],
    value: Callable[[Any], int],
    class_of: Callable[[int], int] = lambda value: value,
) -> list[Disagreement]:
    """Items whose answers are not all of one class, or that are decided: open ones first, among them those without a
    majority, then those whose values lie farthest apart."""
    by_item: dict[int, list[Any]] = {}
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    decided = {answer.item: answer for answer in decisions}
    listed: list[tuple[Disagreement, int]] = []
    for item in items:
        given = by_item[item.id]
        values = [value(answer) for answer in given]
        classes = list(map(class_of, values))
        if len(set(classes)) > 1 or item.id in decided:
            settled = 2 * max(map(classes.count, classes)) > len(classes)
            entry = Disagreement(item, tuple(given), decided.get(item.id), settled)
            listed.append((entry, max(values) - min(values)))
    listed.sort(key=lambda pair: (not pair[0].open, pair[0].settled, -pair[1]))
    return [entry for entry, _ in listed]


def last_answer(answers: Sequence[Any], item: int, noun: str) -> str:
    """The event of the last answer on an item, which a decision is about."""
    given = [answer for answer in answers if answer.item == item]
    if not given:
        raise InputError(f"item {item} has no {noun} to decide between", hint="reload the page")
    return str(given[-1].event)


def add_decision(
    database: Database, item: int, *, id: str, content: dict[str, Any], about: str, user: int
) -> bool:
    """Decides an item, by an event that names the last answer on it. False where this was sent before."""
    return add_event(
        database, id=id, item=item, user=user, kind="adjudicate", content=content, about=about, made=now()
    )


def withdraw_decision(database: Database, decisions: Iterable[Any], item: int, *, id: str, user: int) -> bool:
    """Takes back one's own decision on an item: the answers of raters count again."""
    decision = next((answer for answer in decisions if answer.item == item), None)
    if decision is None:
        raise InputError(f"item {item} is not adjudicated", hint="reload the page")
    return add_event(
        database, id=id, item=item, user=user, kind="undo", content={}, about=decision.event, made=now()
    )
