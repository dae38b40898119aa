"""From ranks among a sample of items to what a measure would say of the rank among all of them."""

from __future__ import annotations

from idealist import kernels
from idealist.data import Rankings
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.measures.families.incomplete import Sampled

WORST_CONDITION = 1e12  # beyond it, what is solved for drowns in rounding
ROWS = 1 << 12  # true ranks whose chances are worked out at a time


def corrected(measure: Sampled, rankings: Rankings, grade: float) -> list[float]:
    """What stands for the measure at each sampled rank, 1 to samples + 1."""
    items, samples = measure.items, measure.samples
    assert items is not None
    if measure.estimator == "rank":
        return _at_estimated_rank(measure, rankings, grade, items)
    truth = _by_rank(measure, rankings, grade, items, range(items))
    return _least_error(truth, items, samples, measure.tradeoff, measure.replacement)


def _by_rank(
    measure: Sampled, rankings: Rankings, grade: float, items: int, above: Sequence[int]
) -> list[float]:
    """The measure of lists of all items, whose one relevant document has so many items above it."""
    numbers: list[float | None] = [None] * items
    for number, at in enumerate(above):
        numbers[at] = float(number)
    count = len(above)
    each = kernels.by_group(
        Rankings.from_grades([numbers]).native, range(count + 1), range(count), [grade] * count, [count]
    )
    return list(measure.of.values(rankings.replaced(each)))


def _at_estimated_rank(measure: Sampled, rankings: Rankings, grade: float, items: int) -> list[float]:
    samples = measure.samples
    quotients = [divmod((items - 1) * above, samples) for above in range(samples + 1)]
    needed_ranks = sorted(
        {lower for lower, _ in quotients} | {lower + 1 for lower, remainder in quotients if remainder}
    )
    truth = dict(zip(needed_ranks, _by_rank(measure, rankings, grade, items, needed_ranks), strict=True))
    estimates = []
    for lower, remainder in quotients:
        value = truth[lower]
        if remainder:
            value += (truth[lower + 1] - value) * (remainder / samples)
        estimates.append(value)
    return estimates


def _chances(rank: Any, items: int, samples: int, replacement: bool) -> Any:
    """Of every number of sampled items above the relevant one, given how many of all stand above it: binomial, or
    hypergeometric where no item is sampled twice."""
    import numpy as np

    above, before = np.arange(samples + 1), rank[:, None]
    if not replacement:
        from scipy.stats import hypergeom

        return hypergeom.pmf(above, items - 1, before, samples)
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(samples + 1) - gammaln(above + 1) - gammaln(samples - above + 1)
    better = before / (items - 1)  # the chance that a sampled item stands above
    return np.exp(ways + xlogy(above, better) + xlog1py(samples - above, -better))


def _least_error(
    truth: list[float], items: int, samples: int, tradeoff: float, replacement: bool
) -> list[float]:
    """((1 − γ)·AᵀA + γ·diag(Aᵀ1))⁻¹·Aᵀf, where A holds the chance of each sampled rank given the true one."""
    import numpy as np

    square: Any = np.zeros((samples + 1, samples + 1))
    straight: Any = np.zeros(samples + 1)
    towards: Any = np.zeros(samples + 1)
    for begin in range(0, items, ROWS):
        rank = np.arange(begin, min(begin + ROWS, items))
        chances = _chances(rank, items, samples, replacement)
        square += chances.T @ chances
        straight += chances.sum(axis=0)
        towards += chances.T @ np.asarray(truth[begin : begin + ROWS])
    system = (1 - tradeoff) * square + tradeoff * np.diag(straight)
    if not np.linalg.cond(system) < WORST_CONDITION:
        raise InputError(
            f"tradeoff={tradeoff:g} is too small to tell {samples} sampled ranks of {items} items apart",
            hint="use a larger tradeoff, such as 0.1",
        )
    estimates: list[float] = np.linalg.solve(system, towards).tolist()
    return estimates
