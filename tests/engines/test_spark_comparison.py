"""Comparisons and GSB from values on the cluster."""

from __future__ import annotations

from typing import Any

import pytest
from support.arrow_tasks import judgments_table, run_table

import idealist as il
from idealist.engines import spark as spark_engine
from idealist.engines.spark.spark_stages import exchanges

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)
RUNS = {"old": run_table(seed=1), "new": run_table(seed=3)}
JUDGMENTS = judgments_table(seed=2)


def test_systems_are_compared_query_by_query(spark: Any) -> None:
    judgments = spark.createDataFrame(JUDGMENTS)
    frames = {name: spark.createDataFrame(run) for name, run in RUNS.items()}
    evaluation = spark_engine.evaluate(judgments, frames, ["nDCG@5", "AP"], partitions=3).persist()
    assert exchanges(evaluation.values) == 1
    comparison = spark_engine.compare(evaluation, rounds=200)
    local = il.compare(JUDGMENTS, RUNS, ["nDCG@5", "AP"], baseline="old")
    for name in ("nDCG@5", "AP"):
        ours, theirs = comparison["new", name], local["new", name]
        assert (ours.wins, ours.ties, ours.losses) == (theirs.wins, theirs.ties, theirs.losses)
        assert ours.difference == pytest.approx(theirs.difference, rel=1e-12)
        assert ours.p_value == pytest.approx(theirs.significance("t").p_value, rel=1e-9)
        assert ours.interval is not None
        assert ours.interval.method == "Poisson bootstrap"
        assert ours.difference in ours.interval
    gsb = il.votes.gsb_from(il.evaluate(JUDGMENTS, RUNS, "AP"), "AP")
    assert comparison.gsb("AP").value == gsb.value
    # The same from values of two occasions, read again: rows of a query come together by a shuffle.
    parts = [evaluation.values.where(f"system = '{name}'") for name in RUNS]
    again = spark_engine.compare(parts[1].unionByName(parts[0]), baseline="old", rounds=200)
    assert list(again) == list(comparison)
    with pytest.raises(il.InputError, match="no system is called 'x'"):
        spark_engine.compare(evaluation, baseline="x")
    evaluation.unpersist()


def test_one_system_has_nothing_to_be_compared_with(spark: Any) -> None:
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(JUDGMENTS), spark.createDataFrame(RUNS["old"]), "AP"
    )
    with pytest.raises(il.InputError, match="there is one system, 'run', and nothing to compare it with"):
        spark_engine.compare(evaluation)


def test_resampled_intervals_do_not_depend_on_partitions(spark: Any) -> None:
    frames = spark.createDataFrame(JUDGMENTS), spark.createDataFrame(RUNS["old"])
    intervals = [
        spark_engine.evaluate(*frames, "AP", partitions=partitions, rounds=50, seed=7).interval("AP")
        for partitions in (1, 4)
    ]
    assert intervals[0] == intervals[1]
    assert intervals[0] is not None
