"""Guards of the verdict on GSB, and notes."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries, p_text, signed
from idealist.comparison.guard_rules import segment_guard
from idealist.comparison.verdict import Guard
from idealist.votes.folded_votes import FOLDS
from idealist.votes.vote_estimates import FEW_DECIDED, FEW_RATERS, METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.votes.agreement_of_raters import Agreement, AnchorRecord
    from idealist.votes.folded_votes import FoldedVotes
    from idealist.votes.gsb_result import SideBias
    from idealist.votes.vote_estimates import VoteEstimate
    from idealist.votes.vote_tests import Sequential, SignErrors
    from idealist.votes.voting import VoteSettings

HABIT = 0.1  # an α whose whole interval is below this is close to no agreement
MOST_BELOW = 0.1  # the share of votes that raters below the floor may have given
FEW = 30  # queries: too few to be resampled


def guards_of(
    agreement: Agreement | None,
    sides: SideBias | None,
    segments: Sequence[Guard],
    anchors: tuple[AnchorRecord, ...],
    share_below: float,
    settings: VoteSettings,
) -> Iterator[Guard]:
    """The guards that the votes allow: agreement, sides, known answers and segments, each of which has its answer
    already. `share_below` is the share of the votes that raters below the floor on known answers gave."""
    level = 1 - settings.confidence
    if agreement is not None and "agreement" in settings.guards:
        yield _agreement_guard(agreement, settings.agreement_floor)
    if sides is not None and "sides" in settings.guards:
        yield _sides_guard(sides, level)
    if anchors and "anchors" in settings.guards:
        yield _anchors_guard(anchors, share_below, settings.anchor_floor)
    if "segments" in settings.guards:
        yield from segment_guard(segments)


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
        return Guard.of("agreement of raters", False, message)
    return Guard.of("agreement of raters", ac1 >= floor, message)


def _sides_guard(sides: SideBias, level: float) -> Guard:
    if sides.confounded:
        where = "left" if sides.shown_left else "right"
        return Guard.of("sides", False, f"the candidate was always shown {where}")
    message = (
        f"GSB {signed(sides.gsb_left)} where the candidate was shown left, {signed(sides.gsb_right)} right, "
        f"p {p_text(sides.p_value)}"
    )
    return Guard.of("sides", sides.p_value >= level, message)


def _anchors_guard(anchors: tuple[AnchorRecord, ...], share_below: float, floor: float) -> Guard:
    """Fails when all answers together are below the floor, or raters below it gave too many of the votes."""
    right, n = sum(record.right for record in anchors), sum(record.n for record in anchors)
    floor_text = f"at least {100 * floor:g} % is needed"
    below_texts = ", ".join(
        f"{record.rater} {record.right} of {record.n}" for record in anchors if record.below
    )
    if right >= floor * n and share_below < MOST_BELOW:
        return Guard.of("known answers", True, f"{right:,} of {n:,} right, {floor_text}")
    return Guard.of(
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
    folded: FoldedVotes,
    estimate: VoteEstimate,
    sides: SideBias | None,
    anchors: tuple[AnchorRecord, ...],
    settings: VoteSettings,
) -> Iterator[str]:
    """Notes on what to know before trusting the numbers."""
    if folded.fold != "votes":
        yield f"every item counts once, by {FOLDS[folded.fold]}"
    elif folded.of_item.min() < folded.of_item.max():
        few, many = int(folded.of_item.min()), int(folded.of_item.max())
        yield f"items have {few:,} to {many:,} votes, and every vote counts once; --fold mean counts every item once"
    yield from _remarks_on_clusters(folded, estimate, settings)
    if folded.unsettled:
        count = "has no majority, and counts" if folded.unsettled == 1 else "have no majority, and count"
        yield f"{folded.unsettled:,} of {count_of(folded.items, 'item')} {count} as same"
    if folded.weightless:
        yield f"{count_of(folded.weightless, 'vote')} of weight 0 left out"
    if folded.weighted:
        plain = float((folded.count * folded.x).sum()) / folded.total
        yield f"weighted by {folded.weighed_by}; without weights GSB is {signed(plain)}"
    elif folded.weighed_by:
        yield f"weighted by {folded.weighed_by}, which is the same for all"
    if settings.interval in ("linearised", "bootstrap") and estimate.degenerate:
        yield f"all queries vote alike, so the interval is by {METHODS['inversion']}"
    elif settings.interval not in ("auto", "inversion") and estimate.few_decided(settings.confidence):
        yield (
            f"fewer than {FEW_DECIDED} votes are decided: by {METHODS[settings.interval]} the interval would be too narrow, "
            f"so it is by {METHODS['inversion']}"
        )
    elif settings.interval == "bootstrap" and folded.queries < FEW:
        yield f"with {folded.queries:,} queries a bootstrap interval is too narrow; --interval auto is not"
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
        check = (
            "checks the raters, and does not count" if number == 1 else "check the raters, and do not count"
        )
        yield f"{count_of(number, 'vote')} on items with a known answer {check}"
        below = [f"{record.rater} ({record.right}/{record.n})" for record in anchors if record.below]
        if below:
            yield f"below the floor on known answers: {', '.join(below)}"


def _remarks_on_clusters(
    folded: FoldedVotes, estimate: VoteEstimate, settings: VoteSettings
) -> Iterator[str]:
    """Remarks on the effect of votes that belong together on the interval."""
    of_raters = estimate.effects is not None
    if estimate.variance != estimate.variance:
        if folded.queries == 1 < folded.n:
            yield "a single query: its uncertainty cannot be estimated, so there is no interval"
        elif folded.queries > 1:
            yield "a segment with a single query: its uncertainty cannot be estimated, so there is no interval"
    elif folded.queries < folded.n or of_raters:
        entries = (
            count_of(folded.votes, "vote") if folded.fold != "majority" else count_of(folded.items, "item")
        )
        raters = " and those of a rater" if of_raters else ""
        yield (
            f"{entries} on {count_queries(folded.queries)}: interval and test keep those of a query{raters} together; "
            f"they are worth {estimate.effective_n(settings.confidence):,.1f} independent ones"
        )
    if folded.rater is not None:
        number = int(folded.rater.max()) + 1
        if number == 1:
            yield "one rater: the votes cannot say how others would vote"
        elif number < FEW_RATERS:
            yield (
                f"{number} raters say little about how others would vote: where raters differ much, the interval contains "
                "the true GSB less often than it says"
            )


def sequential_remarks(sequential: Sequential, settings: VoteSettings) -> Iterator[str]:
    """Notes on votes that the sequential test leaves out, and on votes that changed over time."""
    if sequential.left_out:
        are, whose = ("is", "its query") if sequential.left_out == 1 else ("are", "their queries")
        reason = (
            f"{whose} came back after others had begun; --votes-per-query N takes the first N votes of every query"
            if settings.votes_per_query is None
            else f"only the first {settings.votes_per_query:,} of a query enter it"
        )
        yield f"{count_of(sequential.left_out, 'vote')} {are} not in the sequential test: {reason}"
    if sequential.waiting:
        reason = (
            "more may follow on its query; it enters when the next query begins, or with --votes-per-query N at "
            "its Nth vote"
            if settings.votes_per_query is None
            else f"fewer than {settings.votes_per_query:,} votes are there on its query yet"
        )
        wait = "waits" if sequential.waiting == 1 else "wait"
        yield f"{sequential.waiting:,} of the votes {wait} to enter the sequential test: {reason}"
    if sequential.halves is not None:
        first, second = sequential.halves
        yield (
            f"votes changed while they came in: GSB {signed(first)} in the first half of the queries, "
            f"{signed(second)} in the second; the sequential test assumes the same GSB all the time, and cannot "
            "be trusted then"
        )
