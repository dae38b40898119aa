"""The kernel gives the values of `evaluate` for any cut of the rows into parts, batches and orders."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.arrow_tasks import ITEMS, MEASURES, judgments_table, run_table, shuffled

import idealist as il
from idealist.engines import kernel
from idealist.engines.engine_results import ClusterComparison, ClusterSummary, refuse_strangers
from idealist.engines.kernel import measure, measure_grouped, total_values
from idealist.engines.task import Task, make_task
from idealist.engines.totals import Totals

RUN, JUDGMENTS = run_table(seed=1, queries=range(4, 44)), judgments_table(seed=2)
OTHER = run_table(seed=3)
OF_ITEMS = ["Coverage@5", "Gini@5", "Entropy@3", "Popularity@5", "Novelty@5", "ILD(distance=jaccard)@5", "Calibration@5", "EPC@5", "CategoryEntropy@5"]  # fmt: skip


def tagged(side: int, table: pa.Table) -> pa.Table:
    return pa.table(
        {
            "side": pa.array([side] * len(table), pa.int32()),
            **dict(zip(("query", "document", "number"), table.columns, strict=True)),
        }
    )


def merged(parts: list[kernel.Measured]) -> tuple[list[dict[str, Any]], Totals]:
    totals = Totals.from_bytes(parts[0].totals.to_bytes())
    for part in parts[1:]:
        totals.merge(part.totals)
    return pa.concat_tables([part.values for part in parts]).to_pylist(), totals


def same(rows: list[dict[str, Any]], task: Task, totals: Totals, local: il.evaluation.Evaluation) -> None:
    values = {
        (row["system"], str(row["query"]), name): row[name]
        for row in rows
        for name in task.columns
        if row[name] is not None
    }
    assert values == {(value.system, value.query, str(value.measure)): value.value for value in local}
    summary = ClusterSummary(task, totals)
    for at in local.measures:
        for system in local.systems:
            assert summary.value(at, system) == local.aggregate(at, system)
            assert summary.n(at, system) == local.n(at, system)


def part_of(table: pa.Table, part: int, parts: int) -> pa.Table:
    return table.filter(pa.array(table.column("query").to_numpy() % parts == part))


@given(st.integers(1, 7), st.integers(0, 1000))
@settings(max_examples=8)
def test_parts_of_the_queries(parts: int, seed: int) -> None:
    task = make_task(MEASURES)
    rows, totals = merged(
        [
            measure(task, part_of(JUDGMENTS, part, parts), [shuffled(part_of(RUN, part, parts), seed)])
            for part in range(parts)
        ]
    )
    same(rows, task, totals, il.evaluate(JUDGMENTS, RUN, MEASURES))


@given(st.integers(1, 400), st.integers(1, 300), st.booleans())
@settings(max_examples=8)
def test_batches_of_rows_whose_queries_lie_together(chunk: int, batch: int, runs_first: bool) -> None:
    """The last query of a batch is carried over, though it may be in many of them."""
    task = make_task(MEASURES)
    both = pa.concat_tables([tagged(0, JUDGMENTS), tagged(1, RUN)])
    order = [("query", "ascending"), ("side", "descending" if runs_first else "ascending")]
    original = kernel.CHUNK_ROWS
    kernel.CHUNK_ROWS = chunk
    try:
        parts = list(measure_grouped(task, both.sort_by(order).to_batches(max_chunksize=batch)))
    finally:
        kernel.CHUNK_ROWS = original
    rows, totals = merged(parts)
    same(rows, task, totals, il.evaluate(JUDGMENTS, RUN, MEASURES))
    assert totals.missing == totals.unjudged == {"run": 4}


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_measures_of_items(empty: str) -> None:
    task = make_task(OF_ITEMS, items=ITEMS, conventions=il.Conventions(empty=empty))
    rows, totals = merged(
        [
            measure(
                pickle.loads(pickle.dumps(task)),  # as a worker has it
                part_of(JUDGMENTS, part, 3),
                [part_of(RUN, part, 3)],
            )
            for part in range(3)
        ]
    )
    same(rows, task, totals, il.evaluate(JUDGMENTS, RUN, OF_ITEMS, items=ITEMS, conventions=task.conventions))


def test_differences_are_those_of_compare() -> None:
    task = make_task(["nDCG@5", "AP"], systems=("a", "b"), baseline="a")
    totals = measure(task, JUDGMENTS, [RUN, OTHER]).totals
    comparison = ClusterComparison(task, totals)
    local = il.compare(JUDGMENTS, {"a": RUN, "b": OTHER}, ["nDCG@5", "AP"], baseline="a")
    for name in ("nDCG@5", "AP"):
        ours, theirs = comparison["b", name], local["b", name]
        assert (ours.n, ours.wins, ours.ties, ours.losses) == (
            theirs.n,
            theirs.wins,
            theirs.ties,
            theirs.losses,
        )
        assert ours.difference == pytest.approx(theirs.difference, rel=1e-12)
        assert (ours.baseline_value, ours.value) == (theirs.baseline_value, theirs.value)
        assert ours.p_value == pytest.approx(theirs.significance("t").p_value, rel=1e-9)
        assert theirs.student is not None
        assert list(ours.interval or ()) == pytest.approx(list(theirs.student), rel=1e-9)
        gsb = il.votes.gsb_from(il.evaluate(JUDGMENTS, {"a": RUN, "b": OTHER}, name), name)
        assert (comparison.gsb(name).good, comparison.gsb(name).bad) == (gsb.good, gsb.bad)


def test_totals_of_values_are_those_of_rows() -> None:
    task = make_task(["nDCG@5", "GMAP"], systems=("a", "b"), baseline="a", rounds=20, seed=3)
    measured = measure(task, JUDGMENTS, [RUN, OTHER])
    again = total_values(task, shuffled(measured.values, 5))
    assert list(ClusterComparison(task, again)) == list(ClusterComparison(task, measured.totals))
    twice = pa.concat_tables([measured.values, measured.values])
    with pytest.raises(il.InputError, match="query '0' of 'a' appears twice"):
        total_values(task, twice)


def test_segments_must_agree() -> None:
    table = JUDGMENTS.append_column("country", pa.array(["de", "fr"] * (len(JUDGMENTS) // 2)))
    with pytest.raises(il.InputError, match=r"query '\d+': country is '..' in one row and '..' in another"):
        measure(make_task("AP", by=["country"]), table, [RUN])


def test_errors_name_keys() -> None:
    task = make_task("AP")
    doubled = pa.concat_tables([RUN, RUN.slice(0, 1)])
    query, document = (str(RUN.column(name)[0]) for name in ("query", "document"))
    with pytest.raises(il.InputError, match=f"run: document '{document}' appears twice for query '{query}'"):
        measure(task, JUDGMENTS, [doubled])
    scores = RUN.column("score").to_numpy().copy()
    scores[7] = np.nan
    broken = RUN.set_column(2, "score", pa.array(scores))
    with pytest.raises(il.InputError, match=r"run, query 4, document \d+: the score is nan"):
        measure(task, JUDGMENTS, [broken])


def test_parts_without_judgments_or_without_rows() -> None:
    task = make_task("AP")
    lonely = measure(task, JUDGMENTS.slice(0, 0), [RUN])
    assert (len(lonely.values), lonely.totals.unjudged["run"], lonely.totals.judged) == (0, 40, 0)
    assert lonely.values.schema == measure(task, JUDGMENTS, [RUN]).values.schema
    with pytest.raises(il.InputError, match="the judgments have no queries"):
        refuse_strangers(task, lonely.totals)
    without_run = measure(task, JUDGMENTS, [RUN.slice(0, 0)])
    assert without_run.totals.missing["run"] == 40
    with pytest.raises(il.InputError, match="the run has no queries"):
        refuse_strangers(task, without_run.totals)
    strangers = measure(task, JUDGMENTS, [run_table(seed=1, queries=range(100, 110))])
    with pytest.raises(il.InputError, match="no query in common"):
        refuse_strangers(task, strangers.totals)


def test_the_order_of_rows_cannot_break_ties() -> None:
    task = make_task("AP", conventions=il.Conventions(ties="input-order"))
    with pytest.raises(il.InputError, match="has documents with equal scores, and ties=input-order"):
        measure(task, JUDGMENTS, [RUN])
    distinct = RUN.set_column(2, "score", pa.array(np.arange(len(RUN), dtype=float)))
    rows, totals = merged([measure(task, JUDGMENTS, [distinct])])
    same(rows, task, totals, il.evaluate(JUDGMENTS, distinct, "AP", conventions=task.conventions))


def test_tasks_refuse_what_engines_cannot_give() -> None:
    for measures, message in (
        ("pNDCG@10", "needs a table of user profiles, which engines do not take"),
        ("Coverage@5", "needs a table of items"),
        ("Personalisation@5", "is computed over all queries together"),
        ("GAUC", "is computed over all queries together"),
    ):
        with pytest.raises(il.InputError, match=message):
            make_task(measures)
    with pytest.raises(il.InputError, match="no system is called 'x'"):
        make_task("AP", baseline="x")


def test_results_have_the_usual_face() -> None:
    task = make_task(["AP", "NumRel"], by=["half"])
    table = JUDGMENTS.append_column("half", pa.array((JUDGMENTS.column("query").to_numpy() // 20).tolist()))
    summary = ClusterSummary(task, measure(task, table, [RUN]).totals)
    assert repr(summary) == "<ClusterSummary: run; AP, NumRel; 40 queries>"
    assert str(summary).splitlines()[0].split() == [
        "system",
        "measure",
        "value",
        "n",
        "95",
        "%",
        "interval",
        "aggregate",
        "segment",
    ]
    assert [row.segment for row in summary] == ["", "", "half=0", "half=0", "half=1", "half=1"]
    assert list(summary.to_frame("pandas")["n"]) == [40, 40, 20, 20, 20, 20]
    assert "<table" in summary._repr_html_()
    with pytest.raises(il.InputError, match="RR of 'run' was not measured"):
        summary.value("RR")
