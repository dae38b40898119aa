"""Values and means of every engine equal those of `evaluate` to the last bit, however the rows are distributed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.arrow_tasks import MEASURES, judgments_table, run_table, shuffled
from support.engine_frames import ENGINES, QUICK, Engine, start

import idealist as il

# Ray and Spark warn of what they themselves use, and of each other's libraries.
pytestmark = [
    pytest.mark.filterwarnings(f"default::{kind}")
    for kind in ("DeprecationWarning", "FutureWarning", "ResourceWarning", "UserWarning")
]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    yield from start(request.param, request)


@pytest.fixture(scope="module", params=QUICK)
def quick_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    yield from start(request.param, request)


def refuse_difference(result: Any, rows: list[dict[str, Any]], local: il.evaluation.Evaluation) -> None:
    """Every value, every mean and every count, bit for bit."""
    values = {
        (row["system"], str(row["query"]), str(measure)): row[str(measure)]
        for row in rows
        for measure in local.measures
        if row[str(measure)] is not None
    }
    assert values == {(value.system, value.query, str(value.measure)): value.value for value in local}
    for measure in local.measures:
        for system in local.systems:
            assert result.mean(measure, system) == local.aggregate(measure, system)
            assert result.n(measure, system) == local.n(measure, system)


def with_one_large(table: pa.Table, large: pa.Table) -> pa.Table:
    return pa.concat_tables([table, large])


# How many parts, whether ids are text, and how many documents one of the queries has.
CASES = {
    "one part": (1, True, 20),
    "whole numbers in 3 parts": (3, False, 20),
    "skewed, in 8 parts": (8, True, 20_000),
}


@pytest.mark.parametrize("case", CASES)
def test_parts_order_and_skew_change_nothing(engine: Engine, case: str) -> None:
    parts, text, documents = CASES[case]
    run = with_one_large(
        run_table(seed=1, queries=range(3, 50), text=text),
        run_table(seed=2, queries=[1000], documents=documents, text=text),
    )
    judgments = with_one_large(
        judgments_table(seed=3, text=text),
        judgments_table(seed=4, queries=[1000], documents=documents // 2, text=text),
    )
    local = il.evaluate(judgments, run, MEASURES, conventions="ties=id-ascending,negative=unjudged")
    result = engine.measure(
        shuffled(run, parts),
        shuffled(judgments, parts + 1),
        MEASURES,
        parts,
        conventions="ties=id-ascending,negative=unjudged",
    )
    rows = engine.rows(result.values)
    refuse_difference(result, rows, local)
    assert all(isinstance(row["query"], str if text else int) for row in rows)


@settings(max_examples=6)
@given(
    parts=st.integers(1, 6),
    seed=st.integers(0, 1000),
    text=st.booleans(),
    ties=st.sampled_from(["id-descending", "id-ascending", "optimistic", "pessimistic"]),
    missing=st.sampled_from(["zero", "skip"]),
    chunk=st.sampled_from([1, 7, 1 << 18]),
)
def test_any_parts(
    quick_engine: Engine, parts: int, seed: int, text: bool, ties: str, missing: str, chunk: int
) -> None:
    """Two systems, the second without some of the queries; and chunks that end within a query."""
    runs = {
        "a": run_table(seed=seed, text=text),
        "b": run_table(seed=seed + 1, queries=range(7, 45), text=text),
    }
    judgments = judgments_table(seed=seed + 2, documents=9, text=text)
    chosen = f"ties={ties},missing={missing}"
    local = il.evaluate(judgments, runs, MEASURES, conventions=chosen)
    frames = {name: quick_engine.frame(shuffled(run, seed), parts) for name, run in runs.items()}
    judged = quick_engine.frame(shuffled(judgments, seed), parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idealist.engines.kernel.CHUNK_ROWS", chunk)
        result = quick_engine.evaluate(judged, frames, MEASURES, conventions=chosen)
        refuse_difference(result, quick_engine.rows(result.values), local)


def test_segments(engine: Engine) -> None:
    """Two halves, of which each has the mean of its queries."""
    run, judgments = run_table(seed=5), judgments_table(seed=6)
    half = pa.array([query % 2 for query in judgments.column("query").to_pylist()])
    result = engine.measure(run, judgments.append_column("half", half), "AP", 2, by="half")
    local = il.evaluate(judgments, run, "AP").by_query("AP")
    means = {row.segment: row.value for row in result.summary}
    assert means["half=1"] == pytest.approx(
        sum(local[str(query)] for query in range(1, 40, 2)) / 20, rel=1e-14
    )
    assert {row["half"] for row in engine.rows(result.values)} == {0, 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": None}, "the score is null"),
        ({"document": None}, "the document is null"),
        ({"query": None}, "the query is null"),
        ({}, "document '17' appears twice for query '3'"),
    ],
)
def test_rows_that_cannot_be_right(engine: Engine, change: dict[str, None], message: str) -> None:
    run = run_table(seed=7)
    row = {"query": 3, "document": 17, "score": 0.5} | change
    wrong = pa.Table.from_pylist([row] * 2, run.schema)
    with pytest.raises(il.InputError, match=message) as caught:
        _ = engine.measure(
            pa.concat_tables([run.filter(pc.not_equal(run["query"], 3)), wrong]),
            judgments_table(seed=8),
            "AP",
            2,
        ).summary
    assert "Traceback" not in str(caught.value)
