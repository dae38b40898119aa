"""Fairness: how exposure is shared out among groups of documents."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import graded, item_rankings
from idealist.data.needs import ITEMS
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.gains import native_gain
from idealist.measures.item_lists import (
    as_values,
    divergences,
    divide,
    group_position,
    groups_hint,
    row_sums,
    shares,
)
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


def exposures(rankings: Rankings, discount: Discount, k: int | None) -> ndarray:
    """The exposure of every rank that may occur, which is its discount: none below k."""
    import numpy as np

    longest = rankings.native.longest()
    by_rank = discount_table(discount, min(k or longest, longest))
    return np.array(by_rank + [0.0] * (longest - len(by_rank)))


def group_exposures(rankings: Rankings, column: str, discount: Discount, k: int | None) -> Iterator[ndarray]:
    """The exposure of every group in the first k ranks, a row for each query, part by part."""
    members = rankings.table(ITEMS).groups(column)
    table = exposures(rankings, discount, k)
    for part in item_rankings(rankings, k).lists.parts(5 * len(members.names), 2):
        yield part.sums(members, table[part.rank - 1])


def target_shares(rankings: Rankings, column: str, target: Mapping[str, float] | None) -> ndarray:
    """The share of exposure that every group should have: what is given, or its share of the items."""
    import numpy as np

    members = rankings.table(ITEMS).groups(column)
    if target is None:
        item_shares: ndarray = members.shares()
        return item_shares
    unknown = [name for name in target if name not in members.names]
    if unknown:
        raise InputError(
            f"the target names group {unknown[0]!r}, which no item is in",
            hint=groups_hint(column, members.names),
        )
    return np.array([target.get(name, 0.0) for name in members.names])


def target_exposure(
    rankings: Rankings, discount: Discount, level: float, k: int | None
) -> tuple[Values, Values]:
    """What relevant documents deserve: the mean exposure over the ranks their grade has in the ideal order. For every
    query, the sum of twice exposure times deserved over those retrieved, and the sum of deserved squared over all."""
    import numpy as np

    by_rank = exposures(rankings, discount, k)
    cumulated = np.concatenate([np.zeros(1), np.cumsum(by_rank)])
    ideal = kernels.ideal_order(rankings.native)
    query, rank, grade = _relevant_entries(ideal, level)
    levels = np.unique(grade)
    key = query * len(levels) + _levels_above(levels, grade)  # rises along the ideal order
    first = np.flatnonzero(np.diff(key, prepend=-1))
    size = np.diff(first, append=len(key))
    above = rank[first] - 1
    deserved = (cumulated[above + size] - cumulated[above]) / size
    queries = len(rankings)
    squares = np.bincount(query[first], weights=size * deserved**2, minlength=queries)

    query, rank, grade = _relevant_entries(rankings.native, level)
    block = np.searchsorted(key[first], query * len(levels) + _levels_above(levels, grade))
    cross = np.bincount(query, weights=2.0 * by_rank[rank - 1] * deserved[block], minlength=queries)
    return kernels.Values(cross.tolist()), kernels.Values(squares.tolist())


def _relevant_entries(native: kernels.Rankings, level: float) -> tuple[ndarray, ndarray, ndarray]:
    """The query, rank and grade of every place of grade `level` or more."""
    import numpy as np

    grades = kernels.grades(native)
    counts = np.asarray((grades >= float("-inf")).sum()).astype(np.intp)
    grade = np.asarray(grades)
    is_relevant = grade >= level
    query = np.repeat(np.arange(len(counts)), counts)
    rank = np.asarray(kernels.ranks(native)).astype(np.intp)
    return query[is_relevant], rank[is_relevant], grade[is_relevant]


def _levels_above(levels: ndarray, grade: ndarray) -> ndarray:
    """How many of the levels are above a grade."""
    import numpy as np

    return len(levels) - 1 - np.searchsorted(levels, grade)


class _OfGroups(Measure):
    """What the measures of groups have in common: `column` of the items says which group a document is in. One
    of several groups counts for each in part."""

    k: int | None = None
    column: str = "group"
    needs = ITEMS
    averages_ties = False
    favours_better = False


class GroupExposure(_OfGroups, name="GroupExposure"):
    """Share of the exposure in the first k documents that goes to the documents of one group.

    Σ d(r) over the group's documents by Σ d(r) over all, ranks r = 1..k. `group` must be named. Undefined for
    an empty list. Singh and Joachims, KDD 2018.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y", "z"], "group": ["a", "b", "a"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}
    >>> measure = "GroupExposure(group=b,discount=zipf)@2"
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # 1/2 of 1 + 1/2
    0.3333
    """

    group: str | None = None
    discount: Discount = "log2"
    better = "neither"

    def values(self, rankings: Rankings) -> Values:
        names = rankings.table(ITEMS).groups(self.column).names
        group_index = group_position(self, self.group, self.column, names)
        parts = group_exposures(rankings, self.column, self.discount, self.k)
        return as_values([divide(exposure[:, group_index], row_sums(exposure)) for exposure in parts])


class ExposureParity(_OfGroups, name="ExposureParity"):
    """Demographic parity: the mean exposure of the worst off group by that of the best off.

    A group's mean exposure is Σ d(r) over its documents in the list, those below rank k counting 0, by how many
    it has there. Groups without a document in the list are left out; 1 if there is only one. Undefined for an
    empty list. Singh and Joachims, KDD 2018.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y", "z"], "group": ["a", "b", "a"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}
    >>> measure = "ExposureParity(discount=zipf)"
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # b 1/2, a (1 + 1/3)/2
    0.75
    """

    discount: Discount = "log2"

    @property
    def depth(self) -> int | None:
        return None

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        return _even(self, rankings, lambda part: np.ones(len(part.number)))


class ExposureToUtility(_OfGroups, name="ExposureToUtility", aliases={"DTR": {}}):
    """Disparate treatment: exposure by utility of the worst off group, by that of the best off.

    A group's exposure is Σ d(r) over its documents in the list, those below rank k counting 0; its utility is
    Σ g(y) over the same documents, a negative gain counting 0. Groups without utility are left out; 1 if there
    is only one. Undefined when nothing retrieved has a gain, or no such group is exposed. Singh and Joachims,
    KDD 2018.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y", "z"], "group": ["a", "b", "a"]}
    >>> judged, run = {"q": {"x": 2, "y": 1}}, {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}
    >>> measure = "ExposureToUtility(discount=zipf)"
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # b (1/2)/1, a (1 + 1/3)/2
    0.75
    """

    discount: Discount = "log2"
    gain: Gain = "linear"

    @property
    def depth(self) -> int | None:
        return None

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        worth = kernels.gains(graded(rankings, None), native_gain(self.gain, rankings)).maximum(0.0)
        gains = np.asarray(worth)
        return _even(self, rankings, lambda part: gains[part.slice])


class AWRF(_OfGroups, name="AWRF"):
    """Attention-weighted rank fairness: how near the groups' shares of exposure are to a target.

    1 − JS(p, t), where p are the groups' shares of Σ d(r) over ranks r = 1..k, t the target, and JS the
    Jensen-Shannon divergence in bits. The target is the share of every group in the table of items, or given;
    groups it does not name have 0. Undefined for an empty list. Sapiezynski, Zeng, Robertson, Mislove and
    Wilson, WWW 2019; Raj and Ekstrand, SIGIR 2022.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y"], "group": ["a", "b"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0}}
    >>> evaluate(judged, run, "AWRF(target={a:0,b:1})@1", items=items).mean("AWRF(target={a:0,b:1})@1")
    0.0
    """

    discount: Discount = "log2"
    target: Mapping[str, float] | None = None

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        target = target_shares(rankings, self.column, self.target)
        values = []
        for exposure in group_exposures(rankings, self.column, self.discount, self.k):
            p = shares(exposure)
            t = np.broadcast_to(target, p.shape)
            middle = (p + t) / 2.0
            divergence = (divergences(p, middle) + divergences(t, middle)) / (2.0 * np.log(2.0))
            closeness = 1.0 - np.minimum(divergence, 1.0)
            values.append(np.where(row_sums(exposure) > 0, closeness, np.nan))
        return as_values(values)


class NDKL(_OfGroups, name="NDKL"):
    """Normalised discounted Kullback-Leibler divergence of the groups' shares from a target; 0 is best.

    Σ d(r)·KL(p_r, t) / Σ d(r) over ranks r = 1..k, where p_r are the groups' shares of the first r documents
    and KL = Σ p·ln(p/t). The target is as in AWRF, but not 0 for a group in the list. Undefined for an empty
    list. Takes time that grows with documents times groups. Geyik, Ambler and Kenthapadi, KDD 2019.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y"], "group": ["a", "b"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0}}
    >>> measure = "NDKL(discount=zipf)@2"
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # ln(2)·1/(1 + 1/2)
    0.4621
    """

    discount: Discount = "log2"
    target: Mapping[str, float] | None = None
    bounds = (0.0, float("inf"))
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        target = target_shares(rankings, self.column, self.target)
        members = rankings.table(ITEMS).groups(self.column)
        rankings_of_items = item_rankings(rankings, self.k)
        table = exposures(rankings, self.discount, self.k)
        values, first_query = [], 0
        for part in rankings_of_items.lists.parts(6 * len(target)):
            group_totals = part.sums(members, np.ones(len(part.number)))
            _refuse_zero(self, rankings, group_totals, target, members.names, first_query)
            counts = np.zeros(group_totals.shape)
            total, weight = np.zeros(part.queries), np.zeros(part.queries)
            for rank, rank_part in part.by_rank():
                counts += rank_part.sums(members, np.ones(len(rank_part.number)))
                reaches = part.counts >= rank
                divergence = divergences(counts / rank, np.broadcast_to(target, counts.shape))
                total += np.where(reaches, table[rank - 1] * divergence, 0.0)
                weight += np.where(reaches, table[rank - 1], 0.0)
            values.append(divide(total, weight))
            first_query += part.queries
        return as_values(values)


class _Skew(_OfGroups):
    """ln of the groups' shares of the first k documents by their shares in the target."""

    target: Mapping[str, float] | None = None
    smoothing: float = 0.0

    def _skews(self, rankings: Rankings) -> list[ndarray]:
        import numpy as np

        target = target_shares(rankings, self.column, self.target)
        members = rankings.table(ITEMS).groups(self.column)
        has_target, first_query, parts = target > 0, 0, []
        for part in item_rankings(rankings, self.k).lists.parts(4 * len(target), 2):
            counts = part.sums(members, np.ones(len(part.number)))
            _refuse_zero(self, rankings, counts, target, members.names, first_query)
            counts = counts[:, has_target] + self.smoothing
            p = shares(np.where(part.counts[:, None] > 0, counts, 0.0))
            with np.errstate(divide="ignore"):
                parts.append(np.where(part.counts[:, None] > 0, np.log(p / target[has_target]), np.nan))
            first_query += part.queries
        return parts


class MaxSkew(_Skew, name="MaxSkew"):
    """How far the most favoured group is above its target in the first k documents; 0 is best.

    The highest ln(p/t) of any group, where p is its share of the first k documents and t its share in the
    target, which is as in AWRF; `smoothing` is added to every group's count. Undefined for an empty list. Geyik,
    Ambler and Kenthapadi, KDD 2019.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y"], "group": ["a", "b"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0}}
    >>> round(evaluate(judged, run, "MaxSkew@1", items=items).mean("MaxSkew@1"), 4)  # ln(1 / (1/2))
    0.6931
    """

    bounds = (0.0, float("inf"))
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        return as_values([np.maximum(part.max(axis=1), 0.0) for part in self._skews(rankings)])


class MinSkew(_Skew, name="MinSkew"):
    """How far the least favoured group is below its target in the first k documents; 0 is best.

    The lowest ln(p/t) of any group, as in MaxSkew. A group without a document there would make it infinite, and
    needs smoothing. Undefined for an empty list. Geyik, Ambler and Kenthapadi, KDD 2019.

    >>> from idealist import evaluate
    >>> items = {"item": ["x", "y"], "group": ["a", "b"]}
    >>> judged, run = {"q": {"x": 1}}, {"q": {"x": 3.0, "y": 2.0}}
    >>> measure = "MinSkew(smoothing=1)@1"
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # ln((1/3) / (1/2))
    -0.4055
    """

    bounds = (float("-inf"), 0.0)

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        values = as_values([np.minimum(part.min(axis=1), 0.0) for part in self._skews(rankings)])
        if (query := values.first_infinite()) is not None:
            raise InputError(
                f"{self} is infinite for query {rankings.native.name(query)!r}: a group has no document there",
                hint="add to every group's count with smoothing=1",
            )
        return values


class EEL(Measure, name="EEL"):
    """Expected-exposure loss: how far the documents' exposure is from what they deserve; 0 is best.

    Σ (d(rank) − e)² over all documents, where a document below rank k or not retrieved has no exposure, and e is
    what it has on average when the relevant documents stand first, by grade, in random order within a grade:
    the mean d(r) over the ranks of its grade; 0 for documents below `level`, of which there are as good as
    infinitely many. Diaz, Mitra, Ekstrand, Biega and Carterette, CIKM 2020, for one ranking per query.

    >>> EEL(discount="zipf")([0, 1], judged=[1, 1, 0])  # (1 − 0)² + (1/2 − 3/4)² + (0 − 3/4)²
    1.625
    """

    k: int | None = None
    discount: Discount = "rbp(0.5)"
    level: float = 1.0
    bounds = (0.0, float("inf"))
    averages_ties = False
    favours_better = False
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        cross, deserved = target_exposure(rankings, self.discount, self.level, self.k)
        limit = self.k or rankings.native.longest()
        by_rank = discount_table(self.discount, min(limit, rankings.native.longest()))
        squares = [0.0]
        for exposure in by_rank:
            squares.append(squares[-1] + exposure**2)
        exposure_squares = kernels.Values(
            [squares[int(n)] for n in kernels.retrieved(rankings.native, limit)]
        )
        return (exposure_squares - cross + deserved).maximum(0.0)


def _refuse_zero(
    measure: Measure, rankings: Rankings, counts: ndarray, target: ndarray, names: list[str], first: int
) -> None:
    """A group in a list, where the target has none, is infinitely far from it."""
    strange = (counts > 0) & (target == 0)
    if strange.any():
        query, group = (int(at[0]) for at in strange.nonzero())
        raise InputError(
            f"query {rankings.native.name(first + query)!r} has a document of group {names[group]!r}, for "
            f"which the target of {measure} is 0",
            hint="give every group of the list a share above 0",
        )


def _even(
    measure: ExposureParity | ExposureToUtility, rankings: Rankings, merits: Callable[[Any], Any]
) -> Values:
    """Exposure by merit of the worst off group, by that of the best off."""
    members = rankings.table(ITEMS).groups(measure.column)
    table = exposures(rankings, measure.discount, measure.k)
    values = []
    for part in item_rankings(rankings, None).lists.parts(3 * len(members.names), 2):
        group_sums = part.sums(members, table[part.rank - 1])
        values.append(_worst_by_best(divide(group_sums, part.sums(members, merits(part)))))
    return as_values(values)


def _worst_by_best(each: ndarray) -> ndarray:
    """The lowest of a row by its highest, undefined entries left out."""
    import numpy as np

    lowest = np.where(np.isnan(each), np.inf, each).min(axis=1)
    highest = np.where(np.isnan(each), 0.0, each).max(axis=1)
    return divide(np.where(highest > 0, lowest, 0.0), highest)
