"""Guards over two measured systems: the same queries, and equal shares of judged documents."""

from __future__ import annotations

from idealist.decision.verdict import Guard
from idealist.wording import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

JUDGED_GAP = 0.02  # shares of judged documents that differ by less are the same


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


def equally_judged(evaluation: Evaluation, measure: Measure, baseline: str, system: str) -> list[Guard]:
    """Whether the two systems have equal shares of judged documents; no guard where no measure needs judgments."""
    depths = judged_depths(evaluation)
    if not depths:
        return []
    k = measure.depth if measure.depth in depths else depths[0]
    before, after = evaluation.judged[k][baseline], evaluation.judged[k][system]
    gap = abs(after - before)
    passed = not gap > JUDGED_GAP + 1e-9  # shares are sums of floats
    digits = next((d for d in (2, 3, 4, 6) if (round(gap, d) <= JUDGED_GAP) == passed), 9)
    message = (
        f"{judged_at(k)} {before:.{digits}f} and {after:.{digits}f}: {gap:.{digits}f} apart, "
        f"at most {JUDGED_GAP:g} is allowed"
    )
    return [
        Guard(
            "equally judged",
            passed,
            message + ("" if passed else "; `idealist plan next` says what to judge"),
        )
    ]


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
    return [Guard("same queries", False, message)]
