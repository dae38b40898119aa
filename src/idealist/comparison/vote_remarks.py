"""What is said beside GSB: guards of the verdict, and notes."""

from __future__ import annotations

from idealist.comparison.verdict import Guard
from idealist.comparison.vote_estimates import METHODS
from idealist.comparison.vote_result import p_text
from idealist.comparison.wording import signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.comparison.intervals import Interval
    from idealist.comparison.raters import Agreement, AnchorRecord
    from idealist.comparison.vote_estimates import VoteEstimate
    from idealist.comparison.vote_folding import Items
    from idealist.comparison.vote_result import SideBias, VoteSegment
    from idealist.comparison.vote_settings import VoteSettings
    from idealist.comparison.vote_tests import SignErrors

FEW = 30  # queries; drawing fewer again says too little


def guards_of(
    agreement: Agreement | None,
    sides: SideBias | None,
    segments: tuple[VoteSegment, ...],
    settings: VoteSettings,
) -> Iterator[Guard]:
    """Only for what the votes can tell: agreement, sides and segments."""
    floor, level = settings.agreement_floor, 1 - settings.confidence
    agreement = agreement if "agreement" in settings.guards else None
    sides = sides if "sides" in settings.guards else None
    if agreement is not None:
        alpha = agreement.alpha.value
        if alpha != alpha:
            yield Guard("agreement of raters", True, "all votes are the same")
        else:
            told = f"α {signed(alpha)}, at least {signed(floor)} is asked for"
            yield Guard("agreement of raters", alpha >= floor, told)
    if sides is not None and sides.confounded:
        where = "left" if sides.shown_left else "right"
        yield Guard("sides", False, f"the candidate was always shown {where}")
    elif sides is not None:
        told = f"left won {sides.left_wins:,} of {sides.decided:,} decided, p {p_text(sides.p_value)}"
        yield Guard("sides", sides.p_value >= level, told)
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
            f"{items.n:,} items of {items.queries:,} queries: interval and test keep those of a query together; "
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
            "what looks like a side's advantage may be its own"
        )
    if anchors:
        number = sum(one.n for one in anchors)
        yield f"{number:,} votes on items with a known answer check the raters, and do not count"
        below = [f"{one.rater} ({one.right}/{one.n})" for one in anchors if one.below]
        if below:
            yield f"below the floor on known answers: {', '.join(below)}"
