"""Guards over two measured systems: the same queries, and what unjudged documents could change."""

from __future__ import annotations

from math import ceil

from idealist.decision.verdict import CANNOT_TELL, Guard
from idealist.evaluation.unjudged import only_relevant_judged, unjudged_documents
from idealist.wording import count_queries, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.evaluation import Evaluation
    from idealist.evaluation.unjudged import ValuesAtRate
    from idealist.measures import Measure

JUDGED_GAP = 0.02  # shares of judged documents that differ by less are the same
LOW_SHARE = 0.5  # of judged documents: with less, most of what is compared is not judged
DECIDED = ("ship", "block")
STEPS = 5  # halvings of the rate at which a verdict turns
WHAT_TO_JUDGE = "`idealist plan next` says what to judge"


def judged_depths(evaluation: Evaluation) -> list[int | None]:
    """The cut-offs where shares of judged documents are compared, the least first: those of the
    measures; all ranks, where few documents are judged anyway, only if no measure has one."""
    stated: list[int | None] = [k for k in evaluation.judged if k is not None]
    return stated or list(evaluation.judged)


def judged_at(k: int | None) -> str:
    """The label of the share of judged documents.

    >>> judged_at(10), judged_at(None)
    ('judged@10', 'judged (all ranks)')
    """
    return "judged (all ranks)" if k is None else f"judged@{k}"


def equally_judged(
    evaluation: Evaluation,
    measure: Measure,
    baseline: str,
    system: str,
    outcome: Callable[[ValuesAtRate | None], str] | None = None,
    *,
    rate: float | None = None,
) -> list[Guard]:
    """Whether what is not judged could turn the verdict.

    Where the two systems have equal shares of judged documents, and not low ones, it could not. Otherwise `outcome` is asked
    for the verdict if the unjudged documents above the cut-off were relevant as often as judged ones are there, or at the
    `rate` that is stated. Without `outcome` the shares must be equal. There is no guard where no measure needs judgments, or
    where relevant documents alone are judged: the share then rises as the system gets better.
    """
    depths = judged_depths(evaluation)
    systems = (baseline, system)
    if not depths or only_relevant_judged(evaluation, systems):
        return []
    k = measure.depth if measure.depth in depths else depths[0]
    before, after = (evaluation.judged[k][name] for name in systems)
    gap = abs(after - before)
    passed = not gap > JUDGED_GAP + 1e-9  # shares are sums of floats
    digits = next((d for d in (2, 3, 4, 6) if (round(gap, d) <= JUDGED_GAP) == passed), 9)
    shares = f"{judged_at(k)} {before:.{digits}f} and {after:.{digits}f}: {gap:.{digits}f} apart"
    low = max(before, after) < LOW_SHARE
    if outcome is None or (passed and not low):
        told = f"{shares}, at most {JUDGED_GAP:g} is allowed"
        return [Guard.of("equally judged", passed, told + ("" if passed else f"; {WHAT_TO_JUDGE}"))]
    shares += ", low for both" if low else ""
    as_measured = outcome(None)
    if as_measured not in DECIDED:
        return [Guard("equally judged", CANNOT_TELL, f"{shares}; nothing is decided that they could turn")]
    documents = unjudged_documents(evaluation, measure, systems, k)
    if documents is None:
        unknown = f"{shares}; whether that matters cannot be computed for {measure} here; {WHAT_TO_JUDGE}"
        return [Guard("equally judged", CANNOT_TELL, unknown)]

    def turned(share: float) -> bool:
        return outcome(documents.values(share)) != as_measured

    assumed = documents.rate if rate is None else rate
    beside = "of the judged ones there are" if rate is None else "is the rate that was stated"
    down_to = f"unjudged documents down to rank {documents.k}"
    if turned(assumed):
        turn = min(_turning(turned, 0.0, assumed), assumed)
        told = (
            f"the verdict turns if {percent(turn)} of the {down_to} are relevant; {percent(assumed)} {beside}"
        )
        return [Guard.of("equally judged", False, f"{shares}; {told}; {WHAT_TO_JUDGE}")]
    if not turned(1.0):
        told = f"the verdict would not turn if all {down_to} were relevant"
    else:
        turn = _turning(turned, assumed, 1.0)
        told = f"the verdict would turn if {percent(turn)} of the {down_to} were relevant; {percent(assumed)} {beside}"
    return [Guard.of("equally judged", True, f"{shares}; {told}")]


def _turning(turned: Callable[[float], bool], low: float, high: float) -> float:
    """About where the verdict turns, from a share at which it does not to one at which it does; to a whole percent."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if turned(middle) else (middle, high)
    return ceil(100 * high - 1e-9) / 100


def same_queries(evaluation: Evaluation, baseline: str, system: str) -> list[Guard]:
    """Whether the system answers every query that the baseline answers: what it lacks may be left out of the
    means, or count as a value that is not its own."""
    missing_queries = set(evaluation.missing.get(system, ())) - set(evaluation.missing.get(baseline, ()))
    if not missing_queries:
        return []
    example = min(missing_queries)
    message = (
        f"{count_queries(len(missing_queries))} of {baseline} missing from {system}, such as {example!r}"
    )
    return [Guard.of("same queries", False, message)]
