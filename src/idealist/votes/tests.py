"""Tests of votes: whether the candidate differs from the baseline by more than chance."""

from __future__ import annotations

from math import log

from idealist.data.values import as_count
from idealist.frozen import Frozen
from idealist.statistics.randomness import generator
from idealist.statistics.tests.base import ROUNDS
from idealist.statistics.tests.randomisation import flip_signs
from idealist.statistics.tests.sign import coin_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray

MANY = 1_000_000
MANY_TOTALS, FEW_SIZES = 1000, 50


def flip_p(totals: Sequence[float] | ndarray, *, rounds: int = ROUNDS, seed: int = 0) -> float:
    """The test by sign flips: how often the sum is as far from 0 when every total might as well have had the
    other sign. Totals are those of queries, so that votes of one query stay together.

    Totals of one size are the exact binomial test (= exact McNemar); few are tried in full; else the p-value is
    (1 + as extreme)/(rounds + 1).

    >>> flip_p([3, 2, 1])  # of 8 ways, +++ and −−− are as extreme
    0.25
    >>> flip_p([1, -1, -1, -1, -1, -1, -1, -1])  # 2 · (1 + 8)/2⁸
    0.0703125
    """
    import numpy as np

    as_count(rounds, "rounds")
    nonzero = np.asarray(totals, dtype=float)
    sizes = np.abs(nonzero)
    nonzero = nonzero[sizes > 1e-12 * sizes.max(initial=0.0)]  # what adds up to nothing but rounding is a tie
    if not len(nonzero):
        return 1.0
    if np.allclose(np.abs(nonzero), abs(nonzero[0]), rtol=1e-12, atol=0):
        return coin_p(int((nonzero > 0).sum()), int((nonzero < 0).sum()))
    if len(nonzero) > MANY_TOTALS:
        kinds, of_each = np.unique(np.abs(nonzero), return_counts=True)
        if len(kinds) <= FEW_SIZES:
            return _flipped_by_size(kinds, of_each, abs(float(nonzero.sum())), rounds, seed)
    return float(flip_signs(nonzero[:, None], rounds=rounds, seed=seed)[0])


def _flipped_by_size(sizes: ndarray, of_each: ndarray, observed: float, rounds: int, seed: int) -> float:
    """The same of many totals of few sizes: of each size, how many signs are positive is drawn at once."""
    sums = generator(seed).binomial(of_each, 0.5, (rounds, len(sizes))) * 2 - of_each
    as_far = abs(sums @ sizes) >= observed * (1 - 1e-12)
    return (1 + int(as_far.sum())) / (rounds + 1)


class SignErrors(Frozen):
    """How often the plain rule "below 0 does not launch" is wrong: `blocks_neutral` is how often a candidate
    as good as the baseline is blocked, `passes_worse` how often one that is worse by `margin` is let through."""

    n: int
    blocks_neutral: float
    passes_worse: float
    margin: float


def sign_errors(n: int, decided: float, *, margin: float = 0.02) -> SignErrors:
    """The errors of the sign rule at n votes, when a share `decided` of them is not same: exact sums over how
    many are decided, and how many of those are good.

    >>> errors = sign_errors(300, 0.3)
    >>> round(errors.blocks_neutral, 2), round(errors.passes_worse, 2)
    (0.48, 0.28)
    """
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    share = min(max(decided, 0.0), 1.0)
    # Numbers of decided votes that are further from the mean have no probability that counts (Bernstein's inequality).
    reach = 9 * (n * share * (1 - share)) ** 0.5 + 50
    counts = np.arange(max(0, int(n * share - reach)), min(n, int(n * share + reach)) + 1)
    logs = xlogy(counts, share) + xlog1py(n - counts, -share) - gammaln(counts + 1) - gammaln(n - counts + 1)
    probabilities = np.exp(logs - logs.max())
    probabilities /= probabilities.sum()
    ties = np.where(
        counts % 2 == 0, np.exp(gammaln(counts + 1) - 2 * gammaln(counts / 2 + 1) - counts * log(2)), 0.0
    )
    loss = min(margin, share)
    good = (share - loss) / (2 * share) if share else 0.0
    pass_chances = _at_least_half(counts, good) if loss else (1 + ties) / 2
    return SignErrors(
        n, float((probabilities * (1 - ties)).sum()) / 2, float((probabilities * pass_chances).sum()), margin
    )


def _at_least_half(counts: ndarray, good: float) -> ndarray:
    """How probable it is that at least half of so many votes are good, each with this probability."""
    import numpy as np
    from scipy.special import bdtrc, ndtr

    most = np.ceil(counts / 2) - 1  # so many are fewer than half
    exact = bdtrc(np.maximum(most, 0), np.maximum(counts, 1), good)
    # scipy's sums of millions are less exact than the normal distribution is there.
    normal = ndtr((counts * good - most - 0.5) / np.sqrt(np.maximum(counts * good * (1 - good), 1e-300)))
    probabilities: ndarray = np.where(counts > MANY, normal, np.where(counts > 0, exact, 1.0))
    return probabilities
