"""Ranges of queries: every query is in one of them, with all row groups that may have it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idealist as il
from idealist.engines.parquet_workers import (
    RANGE_ROWS,
    FileColumn,
    FileSide,
    QueryRange,
    RowGroup,
    query_ranges,
    read_footers,
    row_shares,
)


def group(least: object, greatest: object, rows: int = 100, index: int = 0) -> RowGroup:
    return RowGroup("file", 1000, index, rows, least, greatest)


groups = st.lists(
    st.builds(
        lambda least, length, rows: group(least, least + length, rows),
        st.integers(0, 30),
        st.integers(0, 8),
        st.integers(1, 50),
    ),
    min_size=1,
    max_size=12,
)


@given(judged=groups, ranked=groups, cores=st.integers(1, 4))
def test_every_query_is_in_one_range_with_all_its_row_groups(
    judged: list[RowGroup], ranked: list[RowGroup], cores: int
) -> None:
    ranges = query_ranges([judged, ranked], cores)
    if ranges is None:
        return
    for query in range(-1, 45):
        (own,) = (
            each
            for each in ranges
            if (each.least is None or query >= each.least) and (each.end is None or query < each.end)
        )
        for side, all_groups in enumerate((judged, ranked)):
            may_have_it = [each for each in all_groups if each.least <= query <= each.greatest]
            assert all(each in own.sides[side] for each in may_have_it)
    read = sum(each.rows for range_ in ranges for side in range_.sides for each in side)
    assert read <= 2 * sum(each.rows for each in (*judged, *ranked))


def test_files_that_are_not_sorted_have_no_ranges() -> None:
    everywhere = [group(0, 1000, RANGE_ROWS) for _ in range(6)]
    assert query_ranges([everywhere], 2) is None
    assert query_ranges([[group(None, None)]], 2) is None
    assert query_ranges([[group(1, 9)], [group("1", "9")]], 2) is None
    assert query_ranges([[], []], 2) is None
    assert (
        query_ranges([[group(0, 9, 5 * RANGE_ROWS)]], 1) is None
    )  # more than a worker should have in memory


def test_one_user_with_many_row_groups_is_in_one_range() -> None:
    ranges = query_ranges([[group(1, 7), *(group(7, 7) for _ in range(5)), group(7, 12)]], 1)
    assert ranges is not None
    assert [(each.least, each.end, len(each.sides[0])) for each in ranges] == [(None, 7, 1), (7, None, 7)]


@given(st.lists(st.integers(1, 100), min_size=1), st.integers(1, 5))
def test_shares_have_all_row_groups_in_their_order(rows: list[int], cores: int) -> None:
    all_groups = [RowGroup("file", 1, index, count) for index, count in enumerate(rows)]
    shares = row_shares(all_groups, cores)
    assert [each for share in shares for each in share] == all_groups
    assert all(shares)


def test_rows_of_a_range_and_footers_that_are_wrong(tmp_path: Path) -> None:
    path = str(tmp_path / "run.parquet")
    pq.write_table(
        pa.table({"user": [1, 2, 2, 3], "item": [7, 8, 9, 7], "score": [0.5, 1.0, 0.25, 2.0]}), path
    )
    columns = (
        FileColumn("user", "query", pa.int64()),
        FileColumn("item", "document", pa.int64()),
        FileColumn("score", "number", pa.float64()),
    )
    (found,) = read_footers([path], columns) or ()
    assert (found.rows, found.least, found.greatest) == (4, 1, 3)
    side = FileSide("run", columns, lists=False, numbers=True)
    rows = side.rows(QueryRange(2, 3, ()), [found])
    assert rows.to_pydict() == {"query": [2, 2], "document": [8, 9], "score": [1.0, 0.25]}
    assert side.rows(QueryRange(4, None, ()), [found]).schema.names == ["query", "document", "score"]
    with pytest.raises(il.InputError, match="row group 0 are from 1 to 2, but they are from 1 to 3"):
        side.rows(QueryRange(2, 3, ()), [found.replace(greatest=2)])
    assert read_footers([path], (FileColumn("user", "query", pa.string()),)) is None
    assert read_footers([str(tmp_path / "absent.parquet")], columns) is None
