"""A side-by-side study: its GSB, its raters, the items that they disagree on, and decisions on those."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from idealist.base.frozen import Frozen
from idealist.base.wording import count_of
from idealist.data.columns import Columns
from idealist.data.workbench_files import vote_columns
from idealist.errors import InputError
from idealist.statistics.sequential_testing import EProcess
from idealist.votes.agreement_of_raters import anchor_accuracy, rater_agreement, share_of_votes_below
from idealist.votes.vote_guards import guards_of
from idealist.votes.vote_summary import find_side_bias, summarise
from idealist.votes.vote_table import Votes
from idealist.votes.vote_tests import complete_queries, query_sums
from idealist.votes.voting import GUARDS, VoteSettings
from idealist.web.base.database import now
from idealist.web.judging.tasks import add_event
from idealist.web.studies.task_answers import study_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.data.workbench_files import Answer, StudyData
    from idealist.votes.agreement_of_raters import AnchorRecord
    from idealist.votes.gsb_result import GSB
    from idealist.web.base.database import Database
    from idealist.web.studies.task_answers import GradeAnswer, Study

PREFERENCES = {"left": -1, "same": 0, "right": 1}
LOOKS = 30  # of the sequential line
BREAK = 600  # seconds: a longer time for one answer is a pause, not work
# What concerns raters is asked of their own votes, whatever was adjudicated.
OF_RATERS = ("agreement", "sides", "anchors")


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


def study_votes(data: StudyData, *, adjudicated: bool = True) -> Votes:
    """The votes of a study in the order in which they came. With `adjudicated`, the decision on an item stands in the
    place of every vote on it."""
    columns = vote_columns(data)
    return Votes(Columns(columns), columns={"document": "item", "vote": "vote" if adjudicated else "given"})


def study_result(data: StudyData, settings: VoteSettings) -> GSB:
    """GSB of a study. Adjudications change what counts; agreement, side bias and known answers stay those of the
    raters, in the result and in the guards of its verdict."""
    settings = _as_planned(data, settings)
    if not data.adjudications:
        return summarise(study_votes(data), settings)
    own = study_votes(data, adjudicated=False)
    agreement = rater_agreement(own, confidence=settings.confidence)
    sides = find_side_bias(own, rounds=settings.rounds, seed=settings.seed)
    anchors = anchor_accuracy(own, floor=settings.anchor_floor, confidence=settings.confidence)
    below = share_of_votes_below(own, anchors)
    result = summarise(
        study_votes(data),
        settings.replace(guards=tuple(guard for guard in settings.guards if guard not in OF_RATERS)),
        notes=[f"{len(data.adjudications):,} of {count_of(len(data.items), 'item')} adjudicated"],
        further_guards=list(guards_of(agreement, sides, (), anchors, below, settings)),
    )
    return result.replace(agreement=agreement, side_bias=sides, anchors=anchors)


def report_settings(
    *, fold: str = VoteSettings.fold, margin: str = "", sequential: bool = False
) -> VoteSettings:
    """The settings of `gsb`, as pages and the API take them."""
    return VoteSettings(fold=fold, margin=margin or None, sequential=sequential, guards=GUARDS)


def sequential_line(data: StudyData, settings: VoteSettings) -> list[dict[str, float]]:
    """GSB and its confidence sequence after so many complete queries, at LOOKS of them at most."""
    settings, votes = _as_planned(data, settings), study_votes(data)
    complete, _ = complete_queries(votes, settings.votes_per_query)
    totals, weights = query_sums(votes, complete, settings.fold)
    n = len(complete)
    looks = sorted({max(1, round(n * at / LOOKS)) for at in range(1, LOOKS + 1)}) if n else []
    points = []
    for look in looks:
        interval = EProcess(totals[:look], weights[:look]).interval(settings.confidence)
        value = float(totals[:look].sum() / weights[:look].sum())
        # As `gsb` has it: the interval of a look holds the value of that look.
        low, high = min(interval.low, value), max(interval.high, value)
        points.append({"queries": look, "value": value, "low": low, "high": high})
    return points


def _as_planned(data: StudyData, settings: VoteSettings) -> VoteSettings:
    """A query enters the sequential test when all who are assigned to it have voted."""
    return settings.replace(votes_per_query=data.votes_per_query)


class RaterRow(Frozen):
    """A rater of a study or of a task of grades: how many votes or grades, how many seconds each took (the median, without
    pauses), and the share of right votes on known answers, where there are any."""

    rater: str
    votes: int
    seconds: float | None
    anchors: AnchorRecord | None


class RaterReport(Frozen):
    """The raters of a study or of a task of grades; `agreement` is None where no item has two answers."""

    raters: tuple[RaterRow, ...]
    agreement: Any

    def pair(self, first: str, second: str) -> Any:
        """Two raters on the items that both answered; None where there are none."""
        if self.agreement is None:
            return None
        wanted = {first, second}
        return next((pair for pair in self.agreement.pairs if {pair.first, pair.second} == wanted), None)


def rater_report(data: StudyData) -> RaterReport:
    """Who votes how: by what the raters themselves said, before adjudication."""
    votes = study_votes(data, adjudicated=False)
    anchors = {record.rater: record for record in anchor_accuracy(votes)}
    by_rater: dict[str, list[Answer]] = {}
    for answer in data.answers:
        by_rater.setdefault(answer.rater, []).append(answer)
    rows = tuple(
        RaterRow(rater, len(answers), seconds_per_answer(answers), anchors.get(rater))
        for rater, answers in sorted(by_rater.items())
    )
    return RaterReport(rows, rater_agreement(votes))


def seconds_per_answer(answers: Sequence[Answer | GradeAnswer]) -> float | None:
    """The median of how long a rater looked at an item; where that was not stored, of the time between two answers.
    Pauses of more than ten minutes do not count."""
    ordered = sorted(answer.made for answer in answers)
    gaps = [(after - before) / 1000 for before, after in pairwise(ordered)]
    stated = [answer.seconds for answer in answers if answer.seconds is not None]
    working = [seconds for seconds in stated or gaps if seconds <= BREAK]
    return median(working) if working else None


def disagreements(data: StudyData) -> list[Disagreement]:
    """What to adjudicate: open items first, and among them those without a majority; then those whose votes lie
    farthest apart. Items with a known answer need no decision."""
    to_decide = [item for item in data.items if item.expected is None]
    return items_to_adjudicate(
        to_decide,
        data.answers,
        data.adjudications,
        lambda answer: answer.vote,
        lambda vote: (vote > 0) - (vote < 0),
    )


def adjudicate(database: Database, study: Study, item: int, *, id: str, preference: str, user: int) -> bool:
    """Decides an item, by an event that names the last vote on it. `preference` is what was said of the two sides as
    the item has them, blind to the systems: left, same or right. False where this was sent before."""
    if preference not in PREFERENCES:
        raise InputError(f"{preference!r} is not a decision", hint=f"name one of: {', '.join(PREFERENCES)}")
    data = study_data(database, study)
    about = last_answer(data.answers, item, "votes")
    (shown,) = (entry for entry in data.items if entry.id == item)
    towards_right = PREFERENCES[preference]
    content = {"vote": towards_right if shown.candidate_side == "right" else -towards_right}
    return add_decision(database, item, id=id, content=content, about=about, user=user)


def withdraw_adjudication(database: Database, study: Study, item: int, *, id: str, user: int) -> bool:
    """Takes back one's own decision on an item: the votes count again."""
    decisions = study_data(database, study).adjudications
    return withdraw_decision(database, decisions, item, id=id, user=user)
