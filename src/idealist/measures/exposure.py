"""How much a rank is seen, and how that is shared out."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import item_rankings
from idealist.data.needs import ITEMS
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.item_groups import groups_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount


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
