"""What is said beside GSB: guards of the verdict, and notes."""

from __future__ import annotations

from idealist.decision.verdict import Guard
from idealist.votes.estimates import METHODS
from idealist.wording import count_of, count_queries, p_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.statistics.interval import Interval
    from idealist.votes.estimates import VoteEstimate
    from idealist.votes.folding import Items
    from idealist.votes.raters import Agreement, AnchorRecord
    from idealist.votes.result import SideBias, VoteSegment
    from idealist.votes.sequential import Sequential
    from idealist.votes.settings import VoteSettings
    from idealist.votes.tests import SignErrors

HABIT = 0.1  # an α that is certainly below this is next to none
MOST_BELOW = 0.1  # the share of votes that raters below the floor may have given
FEW = 30  # queries; drawing fewer again says too little


def guards_of(
    agreement: Agreement | None,
    sides: SideBias | None,
    segments: tuple[VoteSegment, ...],
    anchors: tuple[AnchorRecord, ...],
    share_below: float,
    settings: VoteSettings,
) -> Iterator[Guard]:
    """Only for what the votes can tell: agreement, sides, known answers and segments. `share_below` is the share
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
        worse = [one for one in segments if _harmed(one, level)]
        told = ", ".join(f"{one.name} {signed(one.value)}, p {p_text(one.p_value)}" for one in worse)
        yield Guard("segments", not worse, told or f"none of {len(segments)} is significantly worse")


def _harmed(one: VoteSegment, level: float) -> bool:
    below = one.interval is not None and one.interval.high < 0
    return one.value < 0 and (below or one.p_value < level)


def significant_loss(value: float, p: float, settings: VoteSettings) -> str:
    """What to say of votes that a test finds significantly worse."""
    return f"the test finds a loss, p {p_text(p)}" if value < 0 and p < 1 - settings.confidence else ""


def remark_tests(
    estimate: VoteEstimate, interval: Interval | None, p: float, settings: VoteSettings
) -> Iterator[str]:
    """Why the interval and the printed test may fall on different sides of significance."""
    if interval is None or (interval.low > 0 or interval.high < 0) == (p < 1 - settings.confidence):
        return
    own = estimate.own_p(settings)
    by = "" if own is None else f"; its own test has p {p_text(own)}"
    test = "the exact test" if estimate.plain else "the test by sign flips"
    yield (
        f"the interval and the p-value disagree on 0: {test} (p {p_text(p)}) looks at decided votes alone and is "
        f"cautious where they are few, the interval looks at all votes{by}"
    )


def _agreement_guard(agreement: Agreement, floor: float) -> Guard:
    """By AC1, which many "same" do not pull down; and α, where it is known well, must not be next to nothing:
    raters who guess by habit have a high AC1 too."""
    ac1, alpha = agreement.ac1.value, agreement.alpha
    message = f"AC1 {signed(ac1)}, at least {signed(floor)} is asked for"
    habit = alpha.reliable and alpha.interval is not None and alpha.interval.high < HABIT
    if ac1 >= floor > -1 and habit and alpha.interval is not None:
        message += f"; but α is below {signed(alpha.interval.high)}: votes look drawn by habit, not by item"
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
    right, n = sum(one.right for one in anchors), sum(one.n for one in anchors)
    asked = f"at least {100 * floor:g} % is asked for"
    named = ", ".join(f"{one.rater} {one.right} of {one.n}" for one in anchors if one.below)
    if right >= floor * n and share_below < MOST_BELOW:
        return Guard("known answers", True, f"{right:,} of {n:,} right, {asked}")
    return Guard(
        "known answers",
        False,
        f"{named} right, {asked}; {100 * share_below:.0f} % of the votes are theirs: leave those out, or have "
        "the queries voted on again",
    )


def sign_remark(errors: SignErrors) -> str:
    return (
        f"the sign rule at {errors.n:,} votes with these ties blocks a candidate that is as good "
        f"{100 * errors.blocks_neutral:.0f} % of the time, and passes one that is worse by "
        f"{signed(errors.margin)} {100 * errors.passes_worse:.0f} % of the time"
    )


def remarks(
    items: Items,
    estimate: VoteEstimate,
    sides: SideBias | None,
    anchors: tuple[AnchorRecord, ...],
    settings: VoteSettings,
) -> Iterator[str]:
    """What a reader should know before trusting the numbers."""
    if items.queries < items.n:
        yield (
            f"{count_of(items.n, 'item')} of {count_queries(items.queries)}: interval and test keep those of a query together; "
            f"they tell as much as {estimate.effective_n(settings.confidence):,.1f} independent ones"
            if estimate.variance == estimate.variance
            else "a single query: how sure its value is cannot be told, so there is no interval"
        )
    elif estimate.variance != estimate.variance and not estimate.plain:
        yield "a segment with a single query: how sure its value is cannot be told, so there is no interval"
    if items.unsettled:
        yield f"{items.unsettled:,} of {items.n:,} items have no majority, and count as same"
    if items.weightless:
        yield f"{items.weightless:,} votes have the weight 0, and do not count"
    if items.weighted:
        plain = float(items.x.mean())
        yield f"weighted by {items.weighed_by}; without weights GSB is {signed(plain)}"
    elif items.weighed_by:
        yield f"weighted by {items.weighed_by}, which is the same for all"
    if settings.method in ("linearised", "bootstrap") and estimate.degenerate:
        yield f"all queries say the same, so the interval is by {METHODS[estimate.method(settings)]}"
    elif settings.method == "bootstrap" and items.queries < FEW:
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
        number = sum(one.n for one in anchors)
        yield f"{number:,} votes on items with a known answer check the raters, and do not count"
        below = [f"{one.rater} ({one.right}/{one.n})" for one in anchors if one.below]
        if below:
            yield f"below the floor on known answers: {', '.join(below)}"


def sequential_remarks(found: Sequential, settings: VoteSettings) -> Iterator[str]:
    """What the sequential line leaves out, and whether votes changed while they came in."""
    if found.left_out:
        why = (
            "their queries came back after others had begun; --votes-per-query N takes the first N votes of "
            "every query"
            if settings.votes_per_query is None
            else f"only the first {settings.votes_per_query:,} of a query enter it"
        )
        yield f"{found.left_out:,} votes are not in the sequential line: {why}"
    if found.waiting:
        why = (
            "more may follow on its query; it enters when the next query begins, or with --votes-per-query N at "
            "its Nth vote"
            if settings.votes_per_query is None
            else f"their queries have fewer than {settings.votes_per_query:,} votes yet"
        )
        yield f"{found.waiting:,} of the votes wait to enter the sequential line: {why}"
    if found.halves is not None:
        first, second = found.halves
        yield (
            f"votes changed while they came in: GSB {signed(first)} in the first half of the queries, "
            f"{signed(second)} in the second; the sequential line takes GSB to be the same all the time, and cannot "
            "be trusted then"
        )
