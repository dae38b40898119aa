"""Rows packed by the partition of their query: nothing is lost, changed or put elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idealist as il
from idealist.engines.kernel import empty_values
from idealist.engines.shuffle import TOTALS, Measuring, Packing, narrowed, partition_of
from idealist.engines.task import make_task

WHOLE = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(WHOLE, min_size=1, max_size=20), st.integers(1, 1 << 16), st.booleans())
def test_a_query_is_in_one_partition(queries: list[int], partitions: int, whole: bool) -> None:
    """The same wherever its rows stand; as text, whether it is written as a number or not."""
    column = pa.chunked_array([pa.array(queries, pa.int64())])
    parts = partition_of(column, partitions, whole=whole)
    assert all(0 <= part < partitions for part in parts)
    assert partition_of(pa.chunked_array([column.chunk(0)[::-1]]), partitions, whole=whole).tolist() == [
        *parts[::-1]
    ]
    if not whole:
        assert partition_of(column.cast(pa.string()), partitions).tolist() == parts.tolist()


def test_partitions_are_of_similar_size() -> None:
    """Ids in a row, and ids that are multiples of a power of two: 10,000 queries in 16 partitions are 625 in each; a
    random partition has a standard deviation of 24."""
    for step in (1, 2, 1024, 1 << 20):
        ids = pa.chunked_array([np.arange(10_000) * step])
        sizes = np.bincount(partition_of(ids, 16, whole=True), minlength=16)
        assert sizes.min() > 500
        assert sizes.max() < 750


@given(
    st.lists(st.one_of(WHOLE, st.integers(-5, 5)), min_size=1),
    st.lists(st.floats(allow_nan=False), min_size=1),
)
def test_narrow_numbers_are_the_same_numbers(numbers: list[int], floats: list[float]) -> None:
    for values, kind in ((numbers, pa.int64()), (floats, pa.float64())):
        table = pa.table({"number": pa.array(values, kind)})
        narrow = narrowed(table)
        assert narrow.cast(table.schema).equals(table)


@pytest.mark.parametrize("large", [7, 2**31 - 1, 2**31, 2**62])
def test_cells_of_different_widths_are_measured_together(large: int) -> None:
    """Two tasks of which one has ids and scores that need 64 bits."""
    runs = [
        pa.table({"query": [1, 1], "document": [3, 4], "number": [0.5, 0.25]}),
        pa.table({"query": [large, large], "document": [large - 1, 4], "number": [0.1, 0.7]}),
    ]
    judgments = pa.table({"query": [1, large], "document": [4, large - 1], "number": [1.0, 2.0]})
    task = make_task(["RR", "nDCG"])
    cells = [
        *Packing("judgments", 0, 1, whole=True, lists=False, numbers=True)(iter(judgments.to_batches())),
        *(cell for run in runs for cell in _packed(run)),
    ]
    judged_schema = pa.schema([("query", pa.int64()), ("document", pa.int64()), ("grade", pa.float64())])
    schema = empty_values(task, judged_schema.empty_table()).schema.append(pa.field(TOTALS, pa.binary()))
    measuring = Measuring(task, schema, grouped=False, values=True, judgments=judged_schema)
    rows = [row for batch in measuring(iter(cells)) for row in batch.to_pylist() if row["query"] is not None]
    local = il.evaluate(
        judgments.rename_columns(["query", "document", "grade"]),
        pa.concat_tables(runs).rename_columns(["query", "document", "score"]),
        ["RR", "nDCG"],
    )
    for measure in ("RR", "nDCG"):
        assert {str(row["query"]): row[measure] for row in rows} == local.by_query(measure)


def test_another_version_is_named_before_rows_are_packed() -> None:
    packing = Packing("run", 1, 1, whole=True, lists=False, numbers=True)
    packing.versions = ("2.7.18", il.__version__)
    with pytest.raises(il.InputError, match=r"an executor has Python 3\.\S+, the driver has 2\.7\.18"):
        _ = list(packing(iter([])))


def _packed(run: pa.Table) -> list[Any]:
    return list(Packing("run", 1, 1, whole=True, lists=False, numbers=True)(iter(run.to_batches())))
