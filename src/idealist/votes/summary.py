"""The whole result of votes: GSB, its uncertainty, raters, sides, segments, and the verdict."""

from __future__ import annotations

from math import ceil

from idealist.decision.verdict import decide
from idealist.statistics.interval import Interval
from idealist.statistics.sequential import SEQUENCE
from idealist.votes.estimates import METHODS, VoteEstimate
from idealist.votes.folding import VotedItems
from idealist.votes.raters import anchor_accuracy, rater_agreement, share_of_votes_below
from idealist.votes.remarks import (
    guards_of,
    remark_tests,
    remarks,
    sequential_remarks,
    sign_remark,
    significant_loss,
)
from idealist.votes.result import GSB, Rates, Severity, VoteSegment, whole
from idealist.votes.sequential import look
from idealist.votes.sides import find_side_bias
from idealist.votes.tests import sign_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.data.votes import Votes
    from idealist.decision.verdict import Guard
    from idealist.votes.sequential import Sequential
    from idealist.votes.settings import VoteSettings

NAN, INFINITE = float("nan"), float("inf")
EVERY_LOOK = f"the interval is a {SEQUENCE}: this verdict is valid at every look"


def summarise(
    votes: Votes,
    settings: VoteSettings,
    notes: Sequence[str] = (),
    measure: str | None = None,
    further_guards: Sequence[Guard] = (),
) -> GSB:
    """GSB of votes, or of a measure that voted; `further_guards` are guards that the votes do not know of."""
    items = VotedItems(votes, settings.fold)
    estimate = VoteEstimate(items, settings.shares)
    sequential = _sequential(votes, estimate, settings) if measure is None else None
    interval = (
        estimate.interval(settings) if not settings.sequential or sequential is None else sequential.interval
    )
    method = SEQUENCE if settings.sequential else estimate.method(settings)
    side_bias = find_side_bias(votes, rounds=settings.rounds, seed=settings.seed)
    # Counts do not say who voted.
    agreement = rater_agreement(votes, confidence=settings.confidence) if votes.ordered else None
    anchors = anchor_accuracy(votes, floor=settings.anchor_floor, confidence=settings.confidence)
    segments = _segments(items, settings)
    effective = estimate.effective_n(settings.confidence)
    errors = sign_errors(max(1, round(effective)), estimate.decided, margin=settings.margin.size)
    p_value = estimate.p_value(settings)
    single_votes = estimate.plain and items.votes.max() == 1
    # How many more an interval that shrinks otherwise would need is not known.
    needed = None if settings.sequential else estimate.needed(settings.margin.size, settings.confidence)
    per_query = float(items.votes.sum()) / items.queries
    share_below = share_of_votes_below(votes, anchors)
    verdict = decide(
        estimate.value,
        interval,
        margin=settings.margin,
        policy=settings.policy,
        guards=(*guards_of(agreement, side_bias, segments, anchors, share_below, settings), *further_guards),
        needed=needed,
        needed_votes=None if needed is None or per_query <= 1 else ceil(needed * per_query),
        unit="judgments" if single_votes and not measure else "queries",
        remark=sign_remark(errors) if settings.policy == "sign" else EVERY_LOOK * settings.sequential,
        method="" if interval is None else METHODS.get(method, f"a {method}"),
        loss="" if settings.sequential else significant_loss(estimate.value, p_value, settings),
    )
    return GSB(
        value=estimate.value,
        interval=interval,
        method=method,
        good=whole(items.good.sum()),
        same=whole(items.same.sum()),
        bad=whole(items.bad.sum()),
        n=items.n,
        votes=int(items.votes.sum()),
        queries=items.queries,
        raters=len(set(votes.raters or ())),
        effective_n=effective,
        p_value=p_value,
        test="exact binomial" if estimate.plain else "sign flips of queries",
        rates=_rates(estimate, interval, settings),
        severity=_severity(votes, items, settings),
        sequential=sequential,
        side_bias=side_bias,
        agreement=agreement,
        anchors=anchors,
        segments=segments,
        strata=estimate.strata(),
        sign_errors=errors,
        notes=(
            *notes,
            *votes.notes,
            *remarks(items, estimate, side_bias, anchors, settings),
            *(() if settings.sequential else remark_tests(estimate, interval, p_value, settings)),
            *(() if sequential is None else sequential_remarks(sequential, settings)),
        ),
        verdict=verdict,
        measure=measure,
    )


def _sequential(votes: Votes, estimate: VoteEstimate, settings: VoteSettings) -> Sequential | None:
    """The test that one may look at while votes come in; counts have no order, so they have none."""
    if not votes.ordered:
        if settings.sequential:
            raise votes.wrong(
                "a sequential test needs the order of votes, and counts have none",
                hint="leave sequential out",
            )
        return None
    sequential = look(
        votes,
        fold=settings.fold,
        votes_per_query=settings.votes_per_query,
        confidence=settings.confidence,
    )
    return sequential.holding(estimate.value)


def _rates(estimate: VoteEstimate, interval: Interval | None, settings: VoteSettings) -> Rates:
    """With a confidence sequence only the rate that is GSB's own has an interval: the others are for one look."""
    confidence = settings.confidence
    good, same, bad = estimate.good, estimate.same, estimate.bad
    n = good + same + bad
    items = estimate.items
    win_rate, not_worse = None, None
    if interval is not None and not settings.sequential:
        not_worse = estimate.ratio(items.good + items.same).interval(confidence)
        if good + bad:
            win_rate = estimate.ratio(items.good, items.good + items.bad).interval(confidence)
    return Rates(
        win_rate=good / (good + bad) if good + bad else NAN,
        win_rate_half_ties=(good + same / 2) / n,
        ratio=(good + same) / (bad + same) if bad + same else INFINITE,
        not_worse_rate=(good + same) / n,
        win_rate_interval=win_rate,
        win_rate_half_ties_interval=None
        if interval is None
        else interval.replace(low=(1 + interval.low) / 2, high=(1 + interval.high) / 2),
        not_worse_rate_interval=not_worse,
    )


def _severity(votes: Votes, items: VotedItems, settings: VoteSettings) -> Severity | None:
    if votes.scale == 1:
        return None
    import numpy as np

    severity_items = items.chosen(np.ones(items.n, dtype=bool))
    severity_items.x = items.severity / votes.scale
    estimate = VoteEstimate(severity_items, settings.shares)
    method = "inversion" if settings.shares is None else "linearised"
    interval = None
    if estimate.variance == estimate.variance:
        interval = (
            estimate.bounded.interval(settings.confidence)
            if estimate.degenerate
            else estimate.interval(settings.replace(interval=method))
        )
    return Severity(estimate.value, interval, votes.scale)


def _segments(items: VotedItems, settings: VoteSettings) -> tuple[VoteSegment, ...]:
    segments = []
    for number, name in enumerate(items.segment_names):
        segment_items = items.chosen(items.segment == number)
        estimate = VoteEstimate(segment_items)
        segments.append(
            VoteSegment(
                name=name,
                value=estimate.value,
                interval=estimate.interval(settings),
                good=whole(segment_items.good.sum()),
                same=whole(segment_items.same.sum()),
                bad=whole(segment_items.bad.sum()),
                n=segment_items.n,
                p_value=estimate.p_value(settings),
            )
        )
    return tuple(segments)
