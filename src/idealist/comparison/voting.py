"""GSB: is the candidate better, by the votes of people who saw both, or by the differences of a measure?"""

from __future__ import annotations

from math import ceil

from idealist.comparison.guards import equally_judged, same_queries
from idealist.comparison.intervals import Interval
from idealist.comparison.raters import ANCHOR_FLOOR, anchor_accuracy, rater_agreement
from idealist.comparison.verdict import decide
from idealist.comparison.vote_estimates import METHODS, VoteEstimate
from idealist.comparison.vote_folding import Items
from idealist.comparison.vote_remarks import guards_of, remark_tests, remarks, sign_remark, significant_loss
from idealist.comparison.vote_result import GSB, Rates, Severity, SideBias, VoteSegment, whole
from idealist.comparison.vote_settings import AGREEMENT_FLOOR, GUARDS, VoteSettings
from idealist.comparison.vote_tests import flip_p, sign_errors
from idealist.data.columns import Columns
from idealist.data.numbers import as_number
from idealist.data.vote_counts import require_counts
from idealist.data.votes import Votes
from idealist.data.weights import QueryWeights
from idealist.errors import InputError
from idealist.io.votes import read_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.comparison.verdict import Guard
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

NAN, INFINITE = float("nan"), float("inf")


def gsb(
    votes: Any = None,
    *,
    good: float | None = None,
    same: float | None = None,
    bad: float | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    fold: str = "majority",
    method: str = "auto",
    confidence: float = 0.95,
    shares: Mapping[str, float] | None = None,
    margin: float | str | None = None,
    policy: str = "interval",
    agreement_floor: float = AGREEMENT_FLOOR,
    anchor_floor: float = ANCHOR_FLOOR,
    rounds: int = 10_000,
    seed: int = 0,
    guards: Sequence[str] = GUARDS,
) -> GSB:
    """GSB of votes: what read_votes gives, or anything that it reads; or of the counts `good`, `same` and `bad`
    of independent votes, one per query.

    `weights` are those of queries (a table, a mapping, a sample), where the votes do not have them in a column;
    `weight_by` names the column of the one or the other.

    Several votes on an item are folded by their majority (none: same) or their mean; items of one query are
    kept together in the interval (`method`: tango where every query has one vote, inversion elsewhere, or one of
    METHODS) and the test. `shares` are the segments' shares of the traffic. `margin` (0.02 or "2%"; without one it
    is 0.02, and a significant loss never ships) and `policy` are the verdict's; `agreement_floor` is the
    least Krippendorff α that it trusts, and `guards` are what it watches.

    >>> result = gsb(["good", "same", "bad", "bad"])
    >>> result.value, result.good, result.same, result.bad, result.p_value
    (-0.25, 1, 1, 2, 1.0)
    >>> gsb(good=20, same=23, bad=17).value  # 3/60
    0.05
    """
    counts = any(count is not None for count in (good, same, bad))
    if votes is not None and counts:
        raise InputError("there are votes, and counts of votes", hint="give the one or the other")
    if votes is None and not counts:
        raise InputError(
            "there are no votes", hint="give a table or a list of votes, or the counts good, same and bad"
        )
    settings = VoteSettings(
        fold,
        method,
        confidence,
        shares,
        margin,
        policy,
        agreement_floor,
        anchor_floor,
        rounds,
        seed,
        tuple(guards),
    )
    source = Columns(require_counts(good, same, bad)) if counts else votes
    return _found(read_votes(source, weights=weights, weight_by=weight_by), settings)


def gsb_from(
    evaluation: Evaluation,
    measure: str | Measure,
    system: str | None = None,
    baseline: str | None = None,
    *,
    threshold: float = 0.0,
    segments: Mapping[str, str] | None = None,
    **settings: Any,
) -> GSB:
    """GSB of a measure: a query is good when `system` is better than `baseline` by more than the threshold, bad
    when it is worse by more, and same otherwise. Of two systems the first is the baseline unless it is said.
    Queries that lack a value for either are left out. `settings` are those of gsb.

    >>> from idealist import evaluate
    >>> runs = {"a": {q: {"x": 2.0, "y": 1.0} for q in "123"}, "b": {q: {"x": 1.0, "y": 2.0} for q in "123"}}
    >>> result = gsb_from(evaluate(runs, {"1": {"y": 1}, "2": {"x": 1}, "3": {"y": 1}}, "RR"), "RR")
    >>> result.good, result.same, result.bad
    (2, 0, 1)
    """
    wanted = evaluation.measure_of(measure)
    if wanted.better == "neither":
        raise InputError(f"no value of {wanted} is better than another", hint="choose another measure")
    if as_number(threshold, "the threshold", finite=True) < 0:
        raise InputError(f"a threshold of {threshold:g}", hint="it is 0 or more")
    system, baseline = _two_systems(evaluation, system, baseline)
    ours, theirs = evaluation.by_query(wanted, system), evaluation.by_query(wanted, baseline)
    known = dict(zip(ours, evaluation.weights_of(wanted, system), strict=True))
    both = [query for query in ours if query in theirs]
    if not both:
        raise InputError(f"{system} and {baseline} share no query with a value of {wanted}")
    sign = -1 if wanted.better == "lower" else 1
    edge = threshold + 1e-12  # sums of floats that should be equal
    steps = {query: sign * (ours[query] - theirs[query]) for query in both}
    table: dict[str, list[Any]] = {
        "query": both,
        "vote": [(steps[query] > edge) - (steps[query] < -edge) for query in both],
    }
    weights = None
    if evaluation.weighted:
        weights = QueryWeights({query: known[query] for query in both}, evaluation.weighted_by)
    if segments is not None:
        for query in both:
            if query not in segments:
                raise InputError(f"query {query!r} is in no segment", hint="name the segment of every query")
        table["segment"] = [segments[query] for query in both]
    notes = [
        f"{system} against {baseline} by {wanted}; differences up to {threshold:g} are same",
        f"conventions: {evaluation.conventions}",
    ]
    if lacking := len(ours.keys() ^ theirs.keys()):
        notes.append(f"{lacking:,} queries lack a value for one of the two systems, and are left out")
    chosen = VoteSettings(**settings)
    beside = equally_judged(evaluation, wanted, baseline, system) if "judged" in chosen.guards else []
    beside += same_queries(evaluation, baseline, system) if "queries" in chosen.guards else []
    return _found(
        Votes(Columns(table), weights=weights), chosen, notes=notes, measure=str(wanted), beside=beside
    )


def _two_systems(evaluation: Evaluation, system: str | None, baseline: str | None) -> tuple[str, str]:
    known = evaluation.systems
    for name in (system, baseline):
        if name is not None and name not in known:
            raise InputError(f"no system is called {name!r}", hint=f"there are {', '.join(known)}")
    if baseline is None:
        left = [name for name in known if name != system]
        if len(left) != (2 if system is None else 1):
            raise InputError("which two systems?", hint=f"name system and baseline, of {', '.join(known)}")
        baseline = left[0]
    if system is None:
        others = [name for name in known if name != baseline]
        if len(others) != 1:
            raise InputError("which system?", hint=f"one of {', '.join(others)}")
        system = others[0]
    if system == baseline:
        raise InputError(f"{system} is held against itself", hint="name two systems")
    return system, baseline


def _found(
    votes: Votes,
    settings: VoteSettings,
    notes: Sequence[str] = (),
    measure: str | None = None,
    beside: Sequence[Guard] = (),
) -> GSB:
    items = Items(votes, settings.fold)
    estimate = VoteEstimate(items, settings.shares)
    interval = estimate.interval(settings)
    side_bias = _side_bias(votes, settings)
    # Counts do not say who voted.
    agreement = (
        rater_agreement(votes, confidence=settings.confidence, seed=settings.seed) if votes.ordered else None
    )
    anchors = anchor_accuracy(votes, floor=settings.anchor_floor, confidence=settings.confidence)
    segments = _segments(items, settings)
    effective = estimate.effective_n(settings.confidence)
    errors = sign_errors(max(1, round(effective)), estimate.decided, margin=settings.margin.size)
    p_value = estimate.p_value(settings)
    alone = estimate.plain and items.votes.max() == 1
    needed = estimate.needed(settings.margin.size, settings.confidence)
    a_query = float(items.votes.sum()) / items.queries
    verdict = decide(
        estimate.value,
        interval,
        margin=settings.margin,
        policy=settings.policy,
        guards=(*guards_of(agreement, side_bias, segments, settings), *beside),
        needed=needed,
        needed_votes=None if needed is None or a_query <= 1 else ceil(needed * a_query),
        unit="judgments" if alone and not measure else "queries",
        remark=sign_remark(errors) if settings.policy == "sign" else "",
        method="" if interval is None else METHODS[estimate.method(settings)],
        loss=significant_loss(estimate.value, p_value, settings),
    )
    return GSB(
        value=estimate.value,
        interval=interval,
        method=estimate.method(settings),
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
        rates=_rates(estimate, interval, settings.confidence),
        severity=_severity(votes, items, settings),
        early=estimate.early() if votes.ordered else None,
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
            *remark_tests(estimate, interval, p_value, settings),
        ),
        verdict=verdict,
        measure=measure,
    )


def _rates(estimate: VoteEstimate, interval: Interval | None, confidence: float) -> Rates:
    good, same, bad = estimate.good, estimate.same, estimate.bad
    n = good + same + bad
    items = estimate.items
    win_rate, not_worse = None, None
    if interval is not None:
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
        else Interval((1 + interval.low) / 2, (1 + interval.high) / 2, confidence),
        not_worse_rate_interval=not_worse,
    )


def _severity(votes: Votes, items: Items, settings: VoteSettings) -> Severity | None:
    if votes.scale == 1:
        return None
    import numpy as np

    weighed = items.chosen(np.ones(items.n, dtype=bool))
    weighed.x = items.severity / votes.scale
    estimate = VoteEstimate(weighed, settings.shares)
    method = "inversion" if settings.shares is None else "linearised"
    interval = None
    if estimate.variance == estimate.variance:
        interval = (
            estimate.bounded.interval(settings.confidence)
            if estimate.degenerate
            else estimate.interval(settings.replace(method=method))
        )
    return Severity(estimate.value, interval, votes.scale)


def _side_bias(votes: Votes, settings: VoteSettings) -> SideBias | None:
    """Left wins against right wins, but for items with a known answer; those of one query are flipped together."""
    if votes.sides is None or not any(votes.sides):
        return None
    totals: dict[str, int] = {}
    left = decided = shown = shown_left = 0
    anchors = [None] * len(votes.queries) if votes.anchors is None else votes.anchors
    for query, vote, side, anchor in zip(votes.queries, votes.values, votes.sides, anchors, strict=True):
        if not side or anchor is not None:
            continue
        shown += 1
        shown_left += side == "left"
        if vote:
            winner = vote if side == "left" else -vote
            decided += 1
            left += winner > 0
            totals[query] = totals.get(query, 0) + winner
    p = flip_p(list(totals.values()), rounds=settings.rounds, seed=settings.seed)
    return SideBias(left, decided, left / decided if decided else NAN, p, shown_left, shown)


def _segments(items: Items, settings: VoteSettings) -> tuple[VoteSegment, ...]:
    found = []
    for number, name in enumerate(items.segment_names):
        chosen = items.chosen(items.segment == number)
        estimate = VoteEstimate(chosen)
        found.append(
            VoteSegment(
                name=name,
                value=estimate.value,
                interval=estimate.interval(settings),
                good=whole(chosen.good.sum()),
                same=whole(chosen.same.sum()),
                bad=whole(chosen.bad.sum()),
                n=chosen.n,
                p_value=estimate.p_value(settings),
            )
        )
    return tuple(found)
