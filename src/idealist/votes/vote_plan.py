"""The number of side-by-side judgments that a comparison needs, and what a given number can show.

It follows from the share of "same" among the votes and from how much the votes of one query resemble each other, both by
a pilot or by assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, fsum, sqrt

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count, as_id, as_number, as_share, as_within
from idealist.base.wording import count_of, percent
from idealist.errors import InputError
from idealist.statistics.power import FEW, MANY, MOST, check_risks, effect_size, normal_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.types import GivenTable
    from idealist.votes.vote_table import Votes


FAR = 9.0  # standard deviations: no more votes than that are decided, nor fewer


class VotePilot(Result, Frozen):
    """A forecast of further votes from votes: the share of "same", votes per query, and their correlation within a query."""

    n: int
    queries: int
    value: float
    same: float
    per_query: float
    icc: float

    def _gist(self) -> str:
        return f"{percent(self.same)} same, ICC {self.icc:.3g}; {count_of(self.n, 'vote')}"


def needed_judgments(
    gsb: float,
    same: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    per_query: float = 1,
    icc: float = 0.0,
) -> int:
    """How many judgments show a GSB, when the share `same` of them says "same".

    With ψ = 1 − same and δ = |gsb|, (z(1−α/2)·√ψ + z(power)·√(ψ − δ²))² / δ², times the design effect
    1 + (per_query − 1)·icc, rounded up. Connor, Biometrics 1987. Where fewer than 50 of them would be decided, or (nearly)
    all, as many as give the exact sign test that power: of a known number of votes it cannot use all of alpha.

    >>> needed_judgments(0.05, 0.7)
    940
    >>> needed_judgments(0.9, 0.0)  # 9, of which 1 may be bad (2 · 10/2⁹ = 0.04); 8 must all be good (0.95⁸ = 0.66)
    9
    >>> needed_judgments(0.3, 0.0)  # 85 by the formula, of which 53 must be good: 74 %
    90
    >>> needed_judgments(0.05, 0.7, per_query=10, icc=0.1)  # 1.9 times as many
    1786
    """
    delta, decided = _shown_by(gsb, same)
    check_risks(power, alpha)
    effect = design_effect(per_query, icc)
    judgments = _connor(delta, decided, power, alpha)
    if not judgments * effect < MOST:
        raise InputError(
            f"a GSB of {delta:g} is too small for any number of judgments to show",
            hint="plan for a larger GSB",
        )
    if not _by_sign_test(judgments, decided):
        return ceil(round(judgments * effect, 9))
    n = ceil(round(judgments, 9))
    while _sign_power(n, delta, decided, alpha) < power:  # it rises in steps, and falls a little between them
        n += 1
    return ceil(round(n * effect, 9))


def judgments_power(
    n: int, gsb: float, same: float, *, alpha: float = 0.05, per_query: float = 1, icc: float = 0.0
) -> float:
    """How probable it is that n judgments show a true GSB: `needed_judgments` solved for the power; that of the
    exact sign test where fewer than 50 of them are decided, or (nearly) all.

    >>> round(judgments_power(940, 0.05, 0.7), 2)
    0.8
    """
    delta, decided = _shown_by(gsb, same)
    as_share(alpha, "alpha")
    effective = as_count(n, "the number of judgments") / design_effect(per_query, icc)
    if _by_sign_test(effective, decided):
        return _sign_power(int(effective + 1e-9), delta, decided, alpha)
    from scipy.special import ndtr

    above = delta * sqrt(effective) - normal_quantile(1 - alpha / 2) * sqrt(decided)
    spread = sqrt(max(0.0, decided - delta**2))
    return float(ndtr(above / spread)) if spread else float(above >= 0)


def detectable_gsb(
    n: int,
    same: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    per_query: float = 1,
    icc: float = 0.0,
) -> float | None:
    """The smallest GSB that n judgments show; None when they would show none, though all decided votes agreed.

    >>> round(detectable_gsb(940, 0.7), 4)
    0.05
    """
    decided = _decided(same)
    check_risks(power, alpha)
    effective = as_count(n, "the number of judgments") / design_effect(per_query, icc)
    from scipy.optimize import brentq

    low = decided * 1e-9
    if _by_sign_test(effective, decided):
        few = int(effective + 1e-9)
        if _sign_power(few, decided, decided, alpha) < power:
            return None
        return float(
            brentq(lambda delta: _sign_power(few, delta, decided, alpha) - power, low, decided, xtol=1e-9)
        )
    if _connor(decided, decided, power, alpha) > effective:
        return None
    return float(brentq(lambda delta: _connor(delta, decided, power, alpha) - effective, low, decided))


def design_effect(per_query: float, icc: float) -> float:
    """How many times as many judgments are needed because those of one query resemble each other."""
    per_query = as_within(per_query, "the number of judgments per query", 1)
    icc = as_within(icc, "the ICC", 0, 1, hint="0: votes of a query are unlike; 1: they are all alike")
    return 1 + (per_query - 1) * icc


def pilot_votes(votes: Votes | GivenTable) -> VotePilot:
    """The pilot of votes: Votes, or by query a number per judged item, above 0 good, below 0 bad.

    Every vote counts once; those on items with a known answer, and those of weight 0, do not.
    The ICC is that of a one-way analysis of variance, not below 0; with unlike numbers of votes a query,
    `per_query` is Σm²/Σm, which is what the design effect goes by.

    >>> pilot = pilot_votes({"q1": [1, 1], "q2": [0, 0], "q3": [0, -1]})
    >>> pilot.n, pilot.same, round(pilot.value, 4), pilot.per_query, round(pilot.icc, 4)
    (6, 0.5, 0.1667, 2.0, 0.75)
    """
    by_query = votes if isinstance(votes, Mapping) else _folded(votes)
    by_query_votes: list[list[float]] = []
    for query, votes_of_query in by_query.items():
        name = as_id(query, "a query's id")
        numbers = [as_number(vote, f"a vote of query {name!r}", finite=True) for vote in votes_of_query]
        if numbers:
            by_query_votes.append([float((x > 0) - (x < 0)) for x in numbers])
    all_votes = [x for query_votes in by_query_votes for x in query_votes]
    n = len(all_votes)
    if n == 0:
        raise InputError(
            "there are no votes to plan from", hint="give votes, or state the share of same votes and the ICC"
        )
    same, value = all_votes.count(0.0) / n, fsum(all_votes) / n
    per_query = sum(len(query_votes) ** 2 for query_votes in by_query_votes) / n
    return VotePilot(n, len(by_query_votes), value, same, per_query, _icc(by_query_votes, value))


def _folded(votes: Any) -> dict[str, list[float]]:
    """The votes that count, by query."""
    from idealist.votes.folded_votes import FoldedVotes

    folded = FoldedVotes(votes)
    by_query: dict[str, list[float]] = {}
    for query, x in zip(folded.query.tolist(), folded.x.tolist(), strict=True):
        by_query.setdefault(folded.query_names[query], []).append(x)
    return by_query


def _icc(by_query: list[list[float]], mean: float) -> float:
    k, n = len(by_query), sum(map(len, by_query))
    if k < 2 or n <= k:
        return 0.0
    means = [fsum(votes) / len(votes) for votes in by_query]
    between = fsum(len(g) * (m - mean) ** 2 for g, m in zip(by_query, means, strict=True)) / (k - 1)
    within = fsum((x - m) ** 2 for g, m in zip(by_query, means, strict=True) for x in g) / (n - k)
    size = (n - sum(len(votes) ** 2 for votes in by_query) / n) / (k - 1)
    total = between + (size - 1) * within
    return max(0.0, (between - within) / total) if total else 0.0


def _connor(delta: float, decided: float, power: float, alpha: float) -> float:
    root = normal_quantile(1 - alpha / 2) * sqrt(decided) + normal_quantile(power) * sqrt(
        max(0.0, decided - delta**2)
    )
    return (root / delta) * (root / delta)


def _by_sign_test(judgments: float, decided: float) -> bool:
    """Whether power is that of the exact sign test: few are decided, or how many are is known to about one."""
    known = judgments * decided * (1 - decided) < 1 and judgments < MANY
    return judgments * decided < FEW or known


def _sign_power(n: int, delta: float, decided: float, alpha: float) -> float:
    """The power of the exact sign test on n judgments: over how many are decided, and how many of those are
    good."""
    import numpy as np
    from scipy.stats import binom

    reach = FAR * sqrt(n * decided * (1 - decided))
    counts = np.arange(max(0, int(n * decided - reach)), min(n, int(n * decided + reach) + 1) + 1)
    good = (decided + delta) / (2 * decided)
    # The most bad votes that are still significant: P(at most so many of D tosses) ≤ α/2; below 0 where none is.
    most = binom.ppf(alpha / 2, counts, 0.5)
    most = np.where(binom.cdf(most, counts, 0.5) <= alpha / 2, most, most - 1)
    power = binom.cdf(most, counts, 1 - good) + binom.cdf(most, counts, good)
    return float((binom.pmf(counts, n, decided) * np.where(most >= 0, power, 0.0)).sum())


def _shown_by(gsb: Any, same: Any) -> tuple[float, float]:
    """The size of a GSB, and the share of votes that could show it."""
    delta, decided = effect_size(gsb, "the GSB"), _decided(same)
    if delta > decided:
        raise InputError(
            f"the GSB cannot be {delta:g} when {100 * same:g} % of the votes are same",
            hint=f"then it is at most {decided:g}",
        )
    return delta, decided


def _decided(same: Any) -> float:
    """The share of votes that are not "same"."""
    return 1 - as_within(same, 'the share of "same"', 0, 1, "[)", hint="such as 0.7")
