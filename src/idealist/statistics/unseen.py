"""Queries that lose much, and the mean of differences between two systems, allowing for failures that the queries happen not to show.

Queries that lose more than half of their value, beside what two equal systems of the same spread would show.

Two systems that are equally good may be exchanged: of the queries where one has less than half of the other's value, each
has its turn in half. So the number that is expected is half of all such queries, whichever system has the less; and more
than that is tested by the binomial distribution. Losses count as more than expected, too, if they are larger: those that
are at least as large as their median are compared with gains as large as that.

The mean of differences between two systems, allowing for failures that the queries happen not to show.

A query cannot lose more than the baseline has there. So an unseen failure costs what a good query is worth, and not
the whole range: the mean of the best third of the baseline's values and of a perfect query, in case the best was not
drawn. What an unseen win is worth is the same of the system's values, so that to exchange the systems turns
the interval. docs/decisions.md has the simulations.
"""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.statistics.intervals import STUDENT
from idealist.statistics.inversion import INVERSION, BoundedMean, bounded_mean, usual_weight
from idealist.statistics.sequential_testing import SEQUENCE, OrderedMean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


HALF = 0.5


class LargeLosses(Frozen):
    """Of `n` queries, how many `lost` more than half of their value, and how many `gained` so that the baseline has less
    than half of theirs. `p_value` is how often equal systems show as many large losses, or as many as large as these.

    >>> losses = large_losses([0.8] * 10 + [0.5] * 90, [0.0] * 10 + [0.7] * 90)
    >>> losses.share, losses.expected, losses.p_value == 2 * 0.5**10
    (0.1, 0.05, True)
    """

    n: int
    lost: int
    gained: int
    p_value: float

    @property
    def share(self) -> float:
        """The share of queries that lose more than half of their value."""
        return self.lost / self.n if self.n else 0.0

    @property
    def excess(self) -> float:
        """By how much the share passes what is expected."""
        return self.share - self.expected

    @property
    def expected(self) -> float:
        """The share that two equal systems of the same spread would show."""
        return (self.lost + self.gained) / (2 * self.n) if self.n else 0.0


def large_losses(before: Any, after: Any) -> LargeLosses:
    """The large losses of values that are 0 or more, and the better the higher."""
    import numpy as np
    from scipy.special import bdtrc

    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    losing, gaining = new < HALF * old, old < HALF * new
    lost, gained = int(losing.sum()), int(gaining.sum())
    if not lost:
        return LargeLosses(len(old), lost, gained, 1.0)
    losses, gains = (old - new)[losing], (new - old)[gaining]
    typical = float(np.median(losses))
    as_large, gains_as_large = int((losses >= typical).sum()), int((gains >= typical).sum())
    p_values = [
        float(bdtrc(count - 1, count + other, HALF))
        for count, other in ((lost, gained), (as_large, gains_as_large))
    ]
    return LargeLosses(len(old), lost, gained, min(1.0, 2 * min(p_values)))


BEST_THIRD, CAUTIOUS, BY_STUDENT = "best-third", "cautious", "student"
INTERVALS = (BEST_THIRD, CAUTIOUS, BY_STUDENT)
IN_ORDER = "sequence"  # at all looks together, of queries in the order in which they came
# So many effective queries, or such a share of all, and an unseen query need be no heavier than usual; so few, and it is heaviest.
ENOUGH, FEW = 100, 50
EVEN, UNEVEN = 0.45, 0.25
HEAVIEST = 6.0  # times the largest weight
CHANCE = 1.0  # standard errors of the number of queries of a stratum, which chance may have made small
BEST = 1 / 3  # the share of queries whose mean an unseen failure may cost
BY_BEST_THIRD = f"{INVERSION}, best third"
METHODS = {BEST_THIRD: BY_BEST_THIRD, CAUTIOUS: INVERSION, BY_STUDENT: STUDENT, IN_ORDER: SEQUENCE}


def best_third(values: Any, weights: Any = None, *, best: float = 1.0) -> float:
    """The weighted mean of the best third of the values and of one perfect query, of average weight.

    >>> best_third([0.9, 0.6, 0.3, 0.0, 0.0])  # the best two of 1, 0.9, 0.6, …
    0.95
    >>> best_third([0.0] * 29)  # ten queries, one of them perfect
    0.1
    """
    import numpy as np

    x = np.append(np.asarray(values, dtype=float), best)
    w = np.ones(len(x) - 1) if weights is None else np.asarray(weights, dtype=float)
    w = np.append(w, w.mean())
    order = np.argsort(-x, kind="stable")
    x, w = x[order], w[order]
    total = max(BEST * float(w.sum()), float(w[0]))  # one query at least
    taken = np.clip(total - (np.cumsum(w) - w), 0, w)
    return float((taken * x).sum() / taken.sum())


def expected_best_third(n: int, good: float, best: float = 1.0) -> float:
    """What `best_third` is of n queries whose best third has this mean.

    >>> round(expected_best_third(29, 0.4), 9)  # nine of them, and a perfect one
    0.46
    """
    third = (n + 1) * BEST
    return best if third <= 1 else (best + (third - 1) * good) / third


def unseen_weight(weights: Any) -> float:
    """The weight of a query that was not seen. Where few queries have most of the weight, the heaviest of all may not have
    been drawn: up to 6 times the largest weight then, the smaller the effective number of queries or its share of all is.

    >>> unseen_weight([2.0] * 30)
    2.0
    >>> round(unseen_weight([1.0] * 99 + [100.0]), 6)  # 4 of 100 queries are effective
    600.0
    """
    import numpy as np

    w = np.asarray(weights, dtype=float)
    w = w[w > 0]
    effective = float(w.sum() ** 2 / (w**2).sum())
    share = effective / len(w)
    few, uneven = (ENOUGH - effective) / (ENOUGH - FEW), (EVEN - share) / (EVEN - UNEVEN)
    doubt = min(1.0, max(0.0, few, uneven)) * min(1.0, (1 - share) / (1 - UNEVEN))
    usual = usual_weight(w)
    return float(usual * (HEAVIEST * w.max() / usual) ** doubt)


def unseen_in_strata(weights: Any, strata: Any) -> float:
    """The weight of a query that was not seen, of strata whose known shares the weights are: that of the stratum with
    the most weight a query, as if it had one standard error more queries: chance alone makes some strata small. None is missing;
    a heavier query may be where weights differ within one.

    >>> unseen_in_strata([1.0] * 16 + [1.0] * 16, ["a"] * 16 + ["b"] * 16)
    1.0
    >>> unseen_in_strata([1.0] * 16 + [4.0] * 16, ["a"] * 16 + ["b"] * 16)  # 64 of 80 on 16 + √16 queries
    3.2
    """
    import numpy as np

    w, names = np.asarray(weights, dtype=float), np.asarray(strata)
    w, names = w[w > 0], names[w > 0]
    average, heaviest = float(w.mean()), 0.0
    for name in np.unique(names):
        part = w[names == name]
        plausible = max(average, float(part.sum()) / (len(part) + CHANCE * len(part) ** 0.5))
        heaviest = max(heaviest, plausible * unseen_weight(part) / float(part.mean()))
    return heaviest


def mean_difference(
    before: Any,
    after: Any,
    weights: Any = None,
    *,
    gains: Any = None,
    best: float = 1.0,
    interval: str = BEST_THIRD,
    strata: Any = None,
) -> BoundedMean:
    """The mean of `gains`, after − before, of values that lie between 0 and `best`, higher being better. With `strata`, the
    stratum of every query, the weights are known shares of these, and `gains` are levelled.

    >>> round(mean_difference([0.2] * 29, [0.2] * 29).largest_loss, 9)  # ten of 30: (1 + 9 · 0.2)/10
    0.28
    """
    import numpy as np

    x, y = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    gains = y - x if gains is None else gains
    if interval == IN_ORDER:
        return OrderedMean(gains, best, weights)
    heavy = None if weights is None else unseen_weight(weights)
    if strata is not None and weights is not None:
        heavy = unseen_in_strata(weights, strata)
    if interval == CAUTIOUS:
        return bounded_mean(gains, weights, -best, best, unseen_weight=heavy)
    low, high = -best_third(x, weights, best=best), best_third(y, weights, best=best)
    return bounded_mean(gains, weights, low, high, method=BY_BEST_THIRD, unseen_weight=heavy)


class UnseenFailure(Frozen):
    """What a failure that the sample lacks could cost: the largest share of queries it may have, its cost where it
    hits any queries, and where it hits good ones."""

    share: float
    cost: float
    cost_of_good: float


def unseen_failure(n: float, mean: float, good: float, confidence: float = 0.95) -> UnseenFailure:
    """A failure of more than 1 − ((1 − confidence)/2)^(1/n) of the queries would have been among n of them.

    >>> failure = unseen_failure(50, 0.2, 0.5)  # 1 − 0.025^(1/50)
    >>> round(failure.share, 4), round(failure.cost, 4), round(failure.cost_of_good, 4)
    (0.0711, 0.0142, 0.0356)
    """
    share = 1 - ((1 - confidence) / 2) ** (1 / n)
    return UnseenFailure(share, share * mean, share * good)
