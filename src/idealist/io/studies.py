"""Votes of a side-by-side study of the workbench: what is stored of them, and the table that they make."""

from __future__ import annotations

from idealist.data.vote_words import NUMBERS, WORDS, normal
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Answer(Frozen):
    """A vote that stands, from the candidate's side; `side` is where the candidate was shown to this rater, `seconds`
    how long they looked, where that is known."""

    event: str
    item: int
    rater: str
    vote: int
    side: str
    made: int
    seconds: float | None = None


class StudyItem(Frozen):
    """What was voted on: the two lists as they are stored, and what raters do not see."""

    id: int
    query: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    candidate_side: str
    segment: str | None
    weight: float | None
    expected: int | None


class StudyData(Frozen):
    """The items of a study that have votes, the votes, the adjudications, and how many votes most queries will have."""

    items: tuple[StudyItem, ...]
    answers: tuple[Answer, ...]
    adjudications: tuple[Answer, ...]
    votes_per_query: int | None = None


def vote_columns(data: StudyData) -> dict[str, list[Any]]:
    """The votes of a study as the columns of a table, in the order in which they came. `vote` is what counts: the
    decision on an item, where there is one, in the place of every vote on it; `given` is what the rater said."""
    known = {item.id: item for item in data.items}
    decided = {answer.item: answer.vote for answer in data.adjudications}
    rows = [(answer, known[answer.item]) for answer in data.answers]
    columns: dict[str, list[Any]] = {
        "query": [item.query for _, item in rows],
        "item": [str(item.id) for _, item in rows],
        "rater": [answer.rater for answer, _ in rows],
        "vote": [decided.get(item.id, answer.vote) for answer, item in rows],
        "given": [answer.vote for answer, _ in rows],
        "side": [answer.side for answer, _ in rows],
        "time": [answer.made for answer, _ in rows],
    }
    if any(item.segment is not None for item in data.items):
        columns["segment"] = [item.segment or "–" for _, item in rows]
    if any(item.weight is not None for item in data.items):
        columns["weight"] = [1.0 if item.weight is None else item.weight for _, item in rows]
    if any(item.expected is not None for item in data.items):
        columns["expected"] = [item.expected for _, item in rows]
    return columns


def votes_text(data: StudyData) -> str:
    """The same as CSV."""
    import csv
    import io

    columns = vote_columns(data)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def known_vote(word: object) -> int:
    """A stored vote, from the candidate's side, as a number from −3 to 3.

    >>> known_vote("good"), known_vote(-2)
    (1, -2)
    """
    vote = {**WORDS, **NUMBERS}.get(normal(word))
    if vote is None:
        raise InputError(f"{word!r} is not a vote", hint="good, same or bad, or a number from −3 to 3")
    return vote


def item_of(id: int, content: Mapping[str, Any], hidden: Mapping[str, Any], candidate: str) -> StudyItem:
    """An item as it is stored: what raters see, and what they do not."""
    expected, weight = hidden.get("expected"), hidden.get("weight")
    return StudyItem(
        id,
        str(content["query"]),
        tuple(content.get("left") or ()),
        tuple(content.get("right") or ()),
        "left" if hidden.get("left") == candidate else "right",
        hidden.get("segment") or None,
        None if weight is None else float(weight),
        None if expected in (None, "") else known_vote(expected),
    )


def answer_of(
    item: StudyItem, *, event: str, rater: str, content: Mapping[str, Any], side: str | None, made: int
) -> Answer:
    """A vote or an adjudication as it is stored; `side` is that of the rater's assignment."""
    shown = content.get("side") or side or item.candidate_side
    return Answer(event, item.id, rater, known_vote(content.get("vote")), shown, made, content.get("seconds"))
