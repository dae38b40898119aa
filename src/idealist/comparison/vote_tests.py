"""Tests of votes: is the candidate better or worse than nothing but chance would make it look?"""

from __future__ import annotations

from math import exp, log

from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray

ENUMERATED = 16  # totals whose 2^n signs are all tried
BLOCK = 2_000_000  # numbers held at once


def exact_p(good: float, bad: float) -> float:
    """The exact binomial test of good against bad (= exact McNemar): how often a fair coin is as uneven.

    >>> exact_p(1, 7)  # 2 · (1 + 8)/2⁸
    0.0703125
    """
    from scipy.stats import binomtest

    decided = int(good + bad)
    return float(binomtest(int(good), decided).pvalue) if decided else 1.0


def flip_p(totals: Sequence[float] | ndarray, *, rounds: int = 10_000, seed: int = 0) -> float:
    """The test by sign flips: how often the sum is as far from 0 when every total might as well have had the
    other sign. Totals are those of queries, so that votes of one query stay together.

    Totals of one size are the exact binomial test; few are tried in full; else (1 + as extreme)/(rounds + 1).

    >>> flip_p([3, 2, 1])  # of 8 ways, +++ and −−− are as extreme
    0.25
    """
    import numpy as np

    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InputError(f"{rounds!r} rounds", hint="a whole number, such as 10000")
    found = np.asarray(totals, dtype=float)
    found = found[found != 0]
    if not len(found):
        return 1.0
    sizes = np.abs(found)
    if np.allclose(sizes, sizes[0], rtol=1e-12, atol=0):
        return exact_p(int((found > 0).sum()), int((found < 0).sum()))
    observed = abs(found.sum()) - 1e-9 * sizes.sum()
    if len(found) <= ENUMERATED:
        signs = 1 - 2 * ((np.arange(1 << len(found))[:, None] >> np.arange(len(found))) & 1)
        return float((np.abs(signs @ sizes) >= observed).mean())
    rng = np.random.Generator(np.random.PCG64(seed))
    extreme, block = 0, max(1, BLOCK // len(found))
    for begin in range(0, rounds, block):
        flips = rng.integers(0, 2, size=(min(block, rounds - begin), len(found)), dtype=np.int8)
        extreme += int((np.abs((2.0 * flips - 1.0) @ sizes) >= observed).sum())
    return (1 + extreme) / (rounds + 1)


class Early(Frozen):
    """What may be said however often one looked: the evidence now, its largest so far, and the p-value."""

    e_value: float
    largest: float
    p_value: float


def look_early(signs: Any, *, a: float = 10.0) -> Early:
    """The evidence against "as often good as bad", vote by vote: E = 2^(G+B) · Beta(a+G, a+B)/Beta(a, a).

    One may stop whenever E ≥ 1/α: under the null E passes 1/α, ever, with probability α at most. p is
    min(1, 1/largest E). Signs are in the order of the votes; 0 is same, and changes nothing.

    >>> round(look_early([1, 1, 0, 1], a=1).e_value, 6)  # 2³ · Beta(4, 1)/Beta(1, 1) = 8/4
    2.0
    """
    import numpy as np
    from scipy.special import betaln

    if not as_number(a, "a", finite=True) > 0:
        raise InputError(f"a is {a:g}", hint="it is above 0; 10 expects small differences")
    decided = np.asarray(signs, dtype=float)
    decided = decided[decided != 0]
    good = np.cumsum(decided > 0)
    bad = np.cumsum(decided < 0)
    logs = np.concatenate([[0.0], (good + bad) * log(2) + betaln(a + good, a + bad) - betaln(a, a)])
    largest = float(logs.max())
    return Early(_exp(float(logs[-1])), _exp(largest), exp(-largest))


def _exp(power: float) -> float:
    return exp(min(power, 700.0))


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
    from scipy.stats import binom

    share = min(max(decided, 0.0), 1.0)
    counts = np.arange(n + 1)
    chances = binom.pmf(counts, n, share)
    below = binom.cdf(np.ceil(counts / 2) - 1, counts, 0.5)  # good < bad
    worse = min(margin, share)
    good = (share - worse) / (2 * share) if share else 0.0
    passes = 1 - binom.cdf(np.ceil(counts / 2) - 1, counts, good)
    return SignErrors(n, float((chances * below).sum()), float((chances * passes).sum()), margin)
