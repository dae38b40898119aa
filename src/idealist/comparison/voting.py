"""GSB: is the candidate better, by the votes of people who saw both, or by the differences of a measure?"""

from __future__ import annotations

from idealist.comparison.guards import equally_judged, same_queries
from idealist.comparison.raters import (
    ANCHOR_FLOOR,
    anchor_accuracy,
    rater_agreement,
    share_of_votes_below,
)
from idealist.comparison.sequential import look
from idealist.comparison.verdict import decide
from idealist.comparison.vote_estimates import VoteEstimate
from idealist.comparison.vote_folding import Items
from idealist.comparison.vote_remarks import guards_of, remarks, sequential_remarks, sign_remark
from idealist.comparison.vote_result import GSB, Rates, Severity, VoteSegment, whole
from idealist.comparison.vote_settings import AGREEMENT_FLOOR, GUARDS, VoteSettings
from idealist.comparison.vote_sides import find_side_bias
from idealist.comparison.vote_tests import sign_errors
from idealist.data.columns import Columns
from idealist.data.numbers import as_number
from idealist.data.votes import Votes
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
EVERY_LOOK = "the interval is a confidence sequence: this verdict is valid at every look"


def gsb(
    votes: Any,
    *,
    fold: str = "majority",
    method: str = "tango",
    confidence: float = 0.95,
    shares: Mapping[str, float] | None = None,
    margin: float = 0.02,
    policy: str = "interval",
    agreement_floor: float = AGREEMENT_FLOOR,
    anchor_floor: float = ANCHOR_FLOOR,
    rounds: int = 10_000,
    seed: int = 0,
    guards: Sequence[str] = GUARDS,
    sequential: bool = False,
    votes_per_query: int | None = None,
) -> GSB:
    """GSB of votes: what read_votes gives, or anything that it reads.

    Several votes on an item are folded by their majority (none: same) or their mean; items of one query are
    kept together in the interval (`method`: tango, agresti-min, linearised or bootstrap) and the test. `shares` are
    the segments' shares of the traffic. `margin` and `policy` are the verdict's; `agreement_floor` is the
    least AC1 of raters that it trusts, and `guards` are what it watches. `sequential` makes its interval the
    confidence sequence, so that one may look while votes come in and stop at any time; a query enters that
    when it has `votes_per_query` votes, or, without that, when the next query begins.

    >>> result = gsb(["good", "same", "bad", "bad"])
    >>> result.value, result.good, result.same, result.bad, result.p_value
    (-0.25, 1, 1, 2, 1.0)
    """
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
        sequential,
        votes_per_query,
    )
    return _found(read_votes(votes), settings)


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
    weights = dict(zip(ours, evaluation.weights_of(wanted, system), strict=True))
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
    if len({weights[query] for query in both}) > 1:
        table["weight"] = [weights[query] for query in both]
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
    if chosen.sequential:
        raise InputError(
            "a measure has all its values at once, so there is nothing to look at early",
            hint="sequential is for votes",
        )
    beside = equally_judged(evaluation, wanted, baseline, system) if "judged" in chosen.guards else []
    beside += same_queries(evaluation, baseline, system) if "queries" in chosen.guards else []
    return _found(Votes(Columns(table)), chosen, notes=notes, measure=str(wanted), beside=beside)


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
    sequential = look(
        votes,
        fold=settings.fold,
        votes_per_query=settings.votes_per_query,
        confidence=settings.confidence,
    ).holding(estimate.value)
    interval = sequential.interval if settings.sequential else estimate.interval(settings)
    side_bias = find_side_bias(votes, rounds=settings.rounds, seed=settings.seed)
    agreement = rater_agreement(votes, confidence=settings.confidence)
    anchors = anchor_accuracy(votes, floor=settings.anchor_floor, confidence=settings.confidence)
    segments = _segments(items, settings)
    effective = estimate.effective_n(settings.confidence)
    errors = sign_errors(max(1, round(effective)), estimate.decided, margin=settings.margin)
    alone = estimate.plain and items.votes.max() == 1
    verdict = decide(
        estimate.value,
        interval,
        margin=settings.margin,
        policy=settings.policy,
        guards=(
            *guards_of(
                agreement, side_bias, segments, anchors, share_of_votes_below(votes, anchors), settings
            ),
            *beside,
        ),
        # How many more an interval that shrinks otherwise would need is not known.
        needed=None if settings.sequential else estimate.needed(settings.margin, settings.confidence),
        unit="judgments" if alone and not measure else "queries",
        remark=sign_remark(errors) if settings.policy == "sign" else EVERY_LOOK * settings.sequential,
    )
    return GSB(
        value=estimate.value,
        interval=interval,
        method="confidence sequence" if settings.sequential else settings.method,
        good=whole(items.good.sum()),
        same=whole(items.same.sum()),
        bad=whole(items.bad.sum()),
        n=items.n,
        votes=int(items.votes.sum()),
        queries=items.queries,
        raters=len(set(votes.raters or ())),
        effective_n=effective,
        p_value=estimate.p_value(settings),
        test="exact binomial" if estimate.plain else "sign flips of queries",
        rates=_rates(estimate),
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
            *remarks(items, estimate, side_bias, anchors, settings),
            *(() if measure else sequential_remarks(sequential, settings)),
        ),
        verdict=verdict,
        measure=measure,
    )


def _rates(estimate: VoteEstimate) -> Rates:
    good, same, bad = estimate.good, estimate.same, estimate.bad
    n = good + same + bad
    return Rates(
        good / (good + bad) if good + bad else NAN,
        (good + same / 2) / n,
        (good + same) / (bad + same) if bad + same else INFINITE,
        (good + same) / n,
    )


def _severity(votes: Votes, items: Items, settings: VoteSettings) -> Severity | None:
    if votes.scale == 1:
        return None
    import numpy as np

    weighed = items.chosen(np.ones(items.n, dtype=bool))
    weighed.x = items.severity / votes.scale
    estimate = VoteEstimate(weighed, settings.shares)
    return Severity(estimate.value, estimate.interval(settings.replace(method="linearised")), votes.scale)


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
