"""The whole result of votes: GSB, its uncertainty, raters, side bias, segments, and the verdict."""

from __future__ import annotations

from math import ceil

from idealist.base.wording import signed
from idealist.comparison.guard_rules import SegmentGains, judge_segments
from idealist.comparison.verdict import decide, with_guards
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.sequential_testing import SEQUENCE
from idealist.votes.agreement_of_raters import anchor_accuracy, rater_agreement, share_of_votes_below
from idealist.votes.folded_votes import FOLDS, FoldedVotes, anchored
from idealist.votes.gsb_result import GSB, OtherTest, Rates, Refolded, Severity, SideBias, VoteSegment, whole
from idealist.votes.vote_estimates import METHODS, VoteEstimate
from idealist.votes.vote_guards import guards_of, remarks, sequential_remarks, sign_remark
from idealist.votes.vote_tests import flip_p, look, sign_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.verdict import Guard, Verdict
    from idealist.votes.vote_table import Votes
    from idealist.votes.vote_tests import Sequential
    from idealist.votes.voting import VoteSettings


def find_side_bias(votes: Votes, *, rounds: int = 10_000, seed: int = 0) -> SideBias | None:
    """GSB of the votes given when the candidate was shown left, and right, but for items with a known answer.

    The test asks whether votes depend on the side at all: every query's sum of (left − share of left)·(vote − mean)
    has either sign as often if it does not. How good the candidate is, and how often it was left, change nothing.
    """
    import numpy as np

    if votes.sides is None or not any(votes.sides):
        return None
    rows = np.nonzero(~anchored(votes)[np.asarray(votes.items)] & (np.asarray(votes.sides) != ""))[0]
    if not len(rows):
        return None
    left = np.asarray(votes.sides)[rows] == "left"
    vote = np.asarray(votes.values, dtype=float)[rows]
    _, query = np.unique(np.asarray(votes.queries)[rows], return_inverse=True)
    p = flip_p(
        np.bincount(query, (left - left.mean()) * (vote - vote.mean())),
        rounds=rounds,
        seed=seed,
    )
    gsb_left, gsb_right = (float(vote[side].mean()) if side.any() else float("nan") for side in (left, ~left))
    left_wins = int((vote[left] > 0).sum() + (vote[~left] < 0).sum())
    decided = int((vote != 0).sum())
    return SideBias(
        gsb_left,
        gsb_right,
        gsb_left - gsb_right,
        p,
        left_wins,
        decided,
        int(left.sum()),
        len(rows),
    )


NAN, INFINITE = float("nan"), float("inf")
SAYING = {"ship": "ship", "block": "block", "undecided": "leave it undecided"}
LARGE_LOSS = 0.1  # a GSB of a segment below −0.1 is a large loss
EVERY_LOOK = f"the interval is a {SEQUENCE}: this verdict is valid at every look"


def summarise(
    votes: Votes,
    settings: VoteSettings,
    notes: Sequence[str] = (),
    measure: str | None = None,
    further_guards: Sequence[Guard] = (),
) -> GSB:
    """GSB of votes, or of a measure that voted; `further_guards` are guards that the votes do not know of."""
    folded = FoldedVotes(votes, settings.fold)
    estimate = VoteEstimate(folded, settings.shares)
    sequential = _sequential(votes, estimate, settings) if measure is None else None
    interval = (
        estimate.interval(settings) if not settings.sequential or sequential is None else sequential.interval
    )
    method = SEQUENCE if settings.sequential else estimate.method(settings)
    side_bias = find_side_bias(votes, rounds=settings.rounds, seed=settings.seed)
    # Counts do not say who voted.
    agreement = rater_agreement(votes, confidence=settings.confidence) if votes.ordered else None
    anchors = anchor_accuracy(votes, floor=settings.anchor_floor, confidence=settings.confidence)
    segments, segment_answers = _segments(folded, settings)
    effective = estimate.effective_n(settings.confidence)
    errors = sign_errors(max(1, round(effective)), estimate.decided, margin=settings.margin.size)
    # How many more an interval that shrinks otherwise would need is not known.
    needed = None if settings.sequential else estimate.needed(settings.margin.size, settings.confidence)
    per_query = folded.votes / folded.queries
    share_below = share_of_votes_below(votes, anchors)
    by_numbers = decide(
        estimate.value,
        interval,
        margin=settings.margin,
        policy=settings.policy,
        needed=needed,
        needed_votes=None if needed is None or per_query <= 1 else ceil(needed * per_query),
        unit="judgments" if estimate.plain and folded.votes == folded.n and not measure else "queries",
        remark=sign_remark(errors) if settings.policy == "sign" else EVERY_LOOK * settings.sequential,
        method="" if interval is None else _method_text(estimate, settings, "a "),
    )
    refolded = _refolded(votes, folded, settings)
    conflict = _conflict(estimate.value, by_numbers, refolded, settings)
    if conflict:
        by_numbers = by_numbers.replace(reason=f"{by_numbers.reason}, but {conflict}")
    verdict = with_guards(
        by_numbers,
        (*guards_of(agreement, side_bias, segment_answers, anchors, share_below, settings), *further_guards),
    )
    return GSB(
        value=estimate.value,
        interval=interval,
        method=method,
        **_counts(folded),
        fold=settings.fold,
        votes=folded.votes,
        items=folded.items,
        queries=folded.queries,
        raters=len(set(votes.raters or ())),
        effective_n=effective,
        p_value=_p_value(estimate, sequential, settings),
        test=_method_text(estimate, settings),
        other_tests=(
            OtherTest(
                "exact binomial" if estimate.plain else "sign flips of queries", estimate.flip_p(settings)
            ),
        ),
        rates=_rates(estimate, interval, settings),
        severity=_severity(votes, folded, settings),
        refolded=refolded,
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
            *remarks(folded, estimate, side_bias, anchors, settings),
            *(() if sequential is None else sequential_remarks(sequential, settings)),
        ),
        verdict=verdict,
        measure=measure,
        conflict=conflict,
    )


def _method_text(estimate: VoteEstimate, settings: VoteSettings, article: str = "") -> str:
    """The method of the interval and its test in words; a confidence sequence bets on queries alone."""
    if settings.sequential:
        return f"{article}{SEQUENCE}"
    return f"{METHODS[estimate.method(settings)]}{estimate.clusters}"


def _counts(folded: FoldedVotes) -> dict[str, float]:
    """How many votes, or items, are good, same and bad, and their sum."""
    counts = {name: whole((folded.count * getattr(folded, name)).sum()) for name in ("good", "same", "bad")}
    return {**counts, "n": whole(folded.total)}


def _p_value(estimate: VoteEstimate, sequential: Sequential | None, settings: VoteSettings) -> float:
    """The p-value of the interval that the verdict goes by."""
    return sequential.p_value if settings.sequential and sequential else estimate.p_value(settings)


def _refolded(votes: Votes, folded: FoldedVotes, settings: VoteSettings) -> Refolded | None:
    """What majorities say of the same votes; where they decide, what all votes say."""
    if folded.votes == folded.items:
        return None
    other = FoldedVotes(votes, "votes" if settings.fold == "majority" else "majority")
    estimate = VoteEstimate(other, settings.shares)
    interval = estimate.interval(settings)
    return Refolded(
        fold=other.fold,
        value=estimate.value,
        interval=interval,
        **{name: count for name, count in _counts(other).items() if name != "n"},
        p_value=estimate.p_value(settings),
        outcome=decide(estimate.value, interval, margin=settings.margin, policy=settings.policy).outcome,
        unsettled=other.unsettled,
    )


def _conflict(value: float, verdict: Verdict, other: Refolded | None, settings: VoteSettings) -> str:
    """What the other fold says, where its sign differs, or its verdict; that of a sequential test is of its own."""
    if other is None:
        return ""
    opposite = value * other.value < 0
    if not opposite and (settings.sequential or verdict.outcome == other.outcome):
        return ""
    differs = not settings.sequential and verdict.outcome != other.outcome
    outcome = f", which would {SAYING[other.outcome]}" if differs else ""
    return f"GSB by {FOLDS[other.fold]} is {signed(other.value)}{outcome}"


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
    votes = estimate.votes
    win_rate, not_worse = None, None
    if interval is not None and not settings.sequential:
        not_worse = estimate.ratio(votes.good + votes.same).interval(confidence)
        if good + bad:
            win_rate = estimate.ratio(votes.good, votes.good + votes.bad).interval(confidence)
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


def _severity(votes: Votes, folded: FoldedVotes, settings: VoteSettings) -> Severity | None:
    if votes.scale == 1:
        return None
    import numpy as np

    severe = folded.chosen(np.ones(folded.n, dtype=bool))
    severe.x = folded.severity / votes.scale
    estimate = VoteEstimate(severe, settings.shares)
    method = "inversion" if settings.shares is None else "linearised"
    interval = None
    if estimate.variance == estimate.variance:
        interval = (
            estimate.bounded.interval(settings.confidence)
            if estimate.degenerate
            else estimate.interval(settings.replace(interval=method))
        )
    return Severity(estimate.value, interval, votes.scale)


def _segments(folded: FoldedVotes, settings: VoteSettings) -> tuple[tuple[VoteSegment, ...], list[Guard]]:
    """GSB of every segment, and the answer of each to whether the candidate is worse there."""
    import numpy as np

    segments, gains = [], []
    for number, name in enumerate(folded.segment_names):
        part = folded.chosen(folded.segment == number)
        estimate = VoteEstimate(part)
        found = VoteSegment(
            name=name,
            value=estimate.value,
            interval=estimate.interval(settings),
            **_counts(part),
            p_value=estimate.p_value(settings),
        )
        segments.append(found)
        sums = np.bincount(part.query, part.weight * part.x).tolist()
        weights = np.bincount(part.query, part.weight).tolist()
        large = max(settings.margin.size, LARGE_LOSS)
        gains.append(SegmentGains(name, found.value, sums, weights, found.interval, found.p_value, large))
    return tuple(segments), judge_segments(gains, 1 - settings.confidence) if gains else []
