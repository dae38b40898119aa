"""Guards of the verdict on GSB, and notes."""

from __future__ import annotations

from idealist.decision.verdict import Guard
from idealist.votes.estimates import METHODS
from idealist.wording import count_of, count_queries, p_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.statistics.interval import Interval
    from idealist.votes.estimates import VoteEstimate
    from idealist.votes.folding import VotedItems
    from idealist.votes.raters import Agreement, AnchorRecord
    from idealist.votes.result import SideBias, VoteSegment
    from idealist.votes.sequential import Sequential
    from idealist.votes.settings import VoteSettings
    from idealist.votes.tests import SignErrors

HABIT = 0.1  # an α whose whole interval is below this is close to no agreement
MOST_BELOW = 0.1  # the share of votes that raters below the floor may have given
FEW = 30  # queries: too few to be resampled


def guards_of(
    agreement: Agreement | None,
    sides: SideBias | None,
    segments: tuple[VoteSegment, ...],
    anchors: tuple[AnchorRecord, ...],
    share_below: float,
    settings: VoteSettings,
) -> Iterator[Guard]:
    """The guards that the votes allow: agreement, sides, known answers and segments. `share_below` is the share
    of the votes that raters below the floor on known answers gave."""
    level = 1 - settings.confidence
    if agreement is not None and "agreement" in settings.guards:
        yield _agreement_guard(agreement, settings.agreement_floor)
    if sides is not None and "sides" in settings.guards:
        yield _sides_guard(sides, level)
    if anchors and "anchors" in settings.guards:
        yield _anchors_guard(anchors, share_below, settings.anchor_floor)
    if segments and "segments" in settings.guards:
        # Each by itself: a guard must not get weaker when there are more of them.
        worse = [segment for segment in segments if _harmed(segment, level)]
        worse_texts = ", ".join(
            f"{segment.name} {signed(segment.value)}, p {p_text(segment.p_value)}" for segment in worse
        )
        yield Guard("segments", not worse, worse_texts or f"none of {len(segments)} is significantly worse")


def _harmed(segment: VoteSegment, level: float) -> bool:
    below = segment.interval is not None and segment.interval.high < 0
    return segment.value < 0 and (below or segment.p_value < level)


def significant_loss(value: float, p: float, settings: VoteSettings) -> str:
    """A remark on votes that a test finds significantly worse."""
    return f"the test finds a loss, p {p_text(p)}" if value < 0 and p < 1 - settings.confidence else ""


def remark_tests(
    estimate: VoteEstimate, interval: Interval | None, p: float, settings: VoteSettings
) -> Iterator[str]:
    """Why the interval and the printed test may fall on different sides of significance."""
    if interval is None or (interval.low > 0 or interval.high < 0) == (p < 1 - settings.confidence):
        return
    own_p = estimate.own_p(settings)
    own_test_text = "" if own_p is None else f"; its own test has p {p_text(own_p)}"
    test = "the exact test" if estimate.plain else "the test by sign flips"
    yield (
        f"the interval and the p-value disagree on 0: {test} (p {p_text(p)}) uses decided votes alone and is "
        f"cautious where they are few, the interval uses all votes{own_test_text}"
    )


def _agreement_guard(agreement: Agreement, floor: float) -> Guard:
    """The guard by AC1, which many "same" do not pull down; and α, where it is reliable, must not be close to 0:
    raters who guess by habit have a high AC1 too."""
    ac1, alpha = agreement.ac1.value, agreement.alpha
    message = f"AC1 {signed(ac1)}, at least {signed(floor)} is needed"
    habit = alpha.reliable and alpha.interval is not None and alpha.interval.high < HABIT
    if ac1 >= floor > -1 and habit and alpha.interval is not None:
        message += (
            f"; but α is below {signed(alpha.interval.high)}: raters seem to vote by habit, not by item"
        )
        return Guard("agreement of raters", False, message)
    return Guard("agreement of raters", ac1 >= floor, message)


def _sides_guard(sides: SideBias, level: float) -> Guard:
    if sides.confounded:
        where = "left" if sides.shown_left else "right"
        return Guard("sides", False, f"the candidate was always shown {where}")
    message = (
        f"GSB {signed(sides.gsb_left)} where the candidate was shown left, {signed(sides.gsb_right)} right, "
        f"p {p_text(sides.p_value)}"
    )
    return Guard("sides", sides.p_value >= level, message)


def _anchors_guard(anchors: tuple[AnchorRecord, ...], share_below: float, floor: float) -> Guard:
    """Fails when all answers together are below the floor, or raters below it gave too many of the votes."""
    right, n = sum(record.right for record in anchors), sum(record.n for record in anchors)
    floor_text = f"at least {100 * floor:g} % is needed"
    below_texts = ", ".join(
        f"{record.rater} {record.right} of {record.n}" for record in anchors if record.below
    )
    if right >= floor * n and share_below < MOST_BELOW:
        return Guard("known answers", True, f"{right:,} of {n:,} right, {floor_text}")
    return Guard(
        "known answers",
        False,
        f"{below_texts} right, {floor_text}; {100 * share_below:.0f} % of the votes are theirs: leave those out, or have "
        "the queries voted on again",
    )


def sign_remark(errors: SignErrors) -> str:
    return (
        f"the sign rule at {errors.n:,} votes with these ties blocks a candidate that is as good "
        f"{100 * errors.blocks_neutral:.0f} % of the time, and passes one that is worse by "
        f"{signed(errors.margin)} {100 * errors.passes_worse:.0f} % of the time"
    )


def remarks(
    items: VotedItems,
    estimate: VoteEstimate,
    sides: SideBias | None,
    anchors: tuple[AnchorRecord, ...],
    settings: VoteSettings,
) -> Iterator[str]:
    """Notes on what to know before trusting the numbers."""
    if items.queries < items.n:
        yield (
            f"{count_of(items.n, 'item')} of {count_queries(items.queries)}: interval and test keep those of a query together; "
            f"they are worth {estimate.effective_n(settings.confidence):,.1f} independent ones"
            if estimate.variance == estimate.variance
            else "a single query: its uncertainty cannot be estimated, so there is no interval"
        )
    elif estimate.variance != estimate.variance and not estimate.plain:
        yield "a segment with a single query: its uncertainty cannot be estimated, so there is no interval"
    if items.unsettled:
        yield f"{items.unsettled:,} of {items.n:,} items have no majority, and count as same"
    if items.weightless:
        yield f"{items.weightless:,} votes have weight 0, and do not count"
    if items.weighted:
        plain = float(items.x.mean())
        yield f"weighted by {items.weighed_by}; without weights GSB is {signed(plain)}"
    elif items.weighed_by:
        yield f"weighted by {items.weighed_by}, which is the same for all"
    if settings.interval in ("linearised", "bootstrap") and estimate.degenerate:
        yield f"all queries vote alike, so the interval is by {METHODS[estimate.method(settings)]}"
    elif settings.interval == "bootstrap" and items.queries < FEW:
        yield f"with {items.queries:,} queries a bootstrap interval is too narrow; --interval auto is not"
    if (
        sides is not None
        and not sides.confounded
        and abs(2 * sides.shown_left - sides.shown) > 3 * sides.shown**0.5
    ):
        yield (
            f"the candidate was shown left {sides.shown_left:,} of {sides.shown:,} times: "
            "a side's advantage, if there is one, does not cancel"
        )
    if anchors:
        number = sum(record.n for record in anchors)
        yield f"{number:,} votes on items with a known answer check the raters, and do not count"
        below = [f"{record.rater} ({record.right}/{record.n})" for record in anchors if record.below]
        if below:
            yield f"below the floor on known answers: {', '.join(below)}"


def sequential_remarks(sequential: Sequential, settings: VoteSettings) -> Iterator[str]:
    """Notes on votes that the sequential test leaves out, and on votes that changed over time."""
    if sequential.left_out:
        reason = (
            "their queries came back after others had begun; --votes-per-query N takes the first N votes of "
            "every query"
            if settings.votes_per_query is None
            else f"only the first {settings.votes_per_query:,} of a query enter it"
        )
        yield f"{sequential.left_out:,} votes are not in the sequential test: {reason}"
    if sequential.waiting:
        reason = (
            "more may follow on its query; it enters when the next query begins, or with --votes-per-query N at "
            "its Nth vote"
            if settings.votes_per_query is None
            else f"their queries have fewer than {settings.votes_per_query:,} votes yet"
        )
        yield f"{sequential.waiting:,} of the votes wait to enter the sequential test: {reason}"
    if sequential.halves is not None:
        first, second = sequential.halves
        yield (
            f"votes changed while they came in: GSB {signed(first)} in the first half of the queries, "
            f"{signed(second)} in the second; the sequential test assumes the same GSB all the time, and cannot "
            "be trusted then"
        )
