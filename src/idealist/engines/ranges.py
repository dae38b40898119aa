"""Ranges of queries that can be measured one after the other: where files are sorted by query, nothing has to be moved."""

from __future__ import annotations

from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.engines.parquet import RowGroup

# About what a worker measures at once: two million rows of whole numbers take it 190 MB.
RANGE_ROWS = 2 << 20
# Row groups at the ends of ranges are read more than once; in a file that is not sorted, all of them would be.
MOST_READ = 2.0


class QueryRange(Frozen):
    """The queries from `least` on, below `end` (None: without a limit), and the row groups of every side that may have them."""

    least: Any
    end: Any
    sides: tuple[tuple[RowGroup, ...], ...]

    def holds(self, group: RowGroup) -> bool:
        """Whether all queries of a row group are in the range."""
        return (self.least is None or group.least >= self.least) and (
            self.end is None or group.greatest < self.end
        )


def query_ranges(sides: Sequence[Sequence[RowGroup]], cores: int) -> list[QueryRange] | None:
    """Ranges of queries with about as many rows each, from the least and greatest query of each row group; None where
    those are not known, or where the files are not sorted by query well enough.

    >>> from idealist.engines.parquet import RowGroup
    >>> run = [RowGroup("run", 9000, 0, 500, 1, 5), RowGroup("run", 9000, 1, 500, 5, 9)]
    >>> judgments = [RowGroup("judgments", 800, 0, 90, 1, 9)]
    >>> [(each.least, each.end, len(each.sides[1])) for each in query_ranges([judgments, run], cores=1)]
    [(None, 5, 1), (5, None, 2)]
    """
    groups = [(group, side) for side, each in enumerate(sides) for group in each if group.rows]
    if not groups or any(group.least is None for group, _ in groups):
        return None
    if len({isinstance(group.least, str) for group, _ in groups}) > 1:
        return None  # text and numbers are in different orders
    groups.sort(key=lambda pair: pair[0].least)
    total = sum(group.rows for group, _ in groups)
    ranges = _filled(groups, _cuts(groups, min(RANGE_ROWS, total // (2 * cores))), len(sides))
    sizes = [sum(group.rows for side in each.sides for group in side) for each in ranges]
    too_few = len(ranges) < min(cores, total // RANGE_ROWS)
    if too_few or sum(sizes) > MOST_READ * total or max(sizes) > 4 * RANGE_ROWS:
        return None
    return ranges


def row_shares(groups: Sequence[RowGroup], cores: int) -> list[list[RowGroup]]:
    """Row groups in shares of about as many rows each, in their order: what one task reads.

    >>> from idealist.engines.parquet import RowGroup
    >>> groups = [RowGroup("run", 9000, index, 500) for index in range(5)]
    >>> [len(share) for share in row_shares(groups, cores=1)]
    [3, 2]
    """
    enough = min(RANGE_ROWS, sum(group.rows for group in groups) // (2 * cores))
    shares: list[list[RowGroup]] = [[]]
    rows = 0
    for group in groups:
        if rows >= enough and shares[-1]:
            shares.append([])
            rows = 0
        shares[-1].append(group)
        rows += group.rows
    return shares


def _cuts(groups: Sequence[tuple[RowGroup, int]], enough: int) -> list[Any]:
    """Where ranges end: at the least query of a row group, when those before it have `enough` rows."""
    cuts: list[Any] = []
    rows, before = 0, groups[0][0].least
    for group, _ in groups:
        if rows >= enough and group.least > before:
            cuts.append(group.least)
            rows, before = 0, group.least
        rows += group.rows
    return cuts


def _filled(groups: Sequence[tuple[RowGroup, int]], cuts: Sequence[Any], sides: int) -> list[QueryRange]:
    ranges: list[QueryRange] = []
    reaching: list[tuple[RowGroup, int]] = []  # row groups with queries that are not below the range
    following = iter([*groups, None])
    upcoming = next(following)
    for least, end in zip([None, *cuts], [*cuts, None], strict=True):
        reaching = [pair for pair in reaching if pair[0].greatest >= least]
        while upcoming is not None and (end is None or upcoming[0].least < end):
            reaching.append(upcoming)
            upcoming = next(following)
        parts = tuple(tuple(group for group, at in reaching if at == side) for side in range(sides))
        ranges.append(QueryRange(least, end, parts))
    return ranges
