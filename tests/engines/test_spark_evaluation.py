"""Spark gives the values of `evaluate`, to the last bit, however the rows lie."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from support.arrow_tasks import ITEMS, MEASURES, judgments_table, run_table, shuffled
from support.spark_values import same

import idealist as il
from idealist.engines import spark as spark_engine
from idealist.engines.spark.spark_stages import exchanges, plan_text

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("partitions", [1, 5])
def test_values_and_means_are_those_of_evaluate(spark: Any, partitions: int, text: bool) -> None:
    run, judgments = run_table(seed=1, text=text), judgments_table(seed=2, text=text)
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(shuffled(judgments, 4)),
        spark.createDataFrame(shuffled(run, 3)).repartition(4),
        MEASURES,
        partitions=partitions,
    )
    local = il.evaluate(judgments, run, MEASURES)
    same(evaluation, local, str if text else int)
    expected = "string" if text else "bigint"
    assert dict(evaluation.values.dtypes)["query"] == expected


def test_skewed_groups_and_users_of_one_side(spark: Any) -> None:
    """One user has more rows than all others, some are judged and not in the run, and some the other way round."""
    run = pa.concat_tables([run_table(seed=5), run_table(seed=6, queries=range(900, 901), documents=20_000)])
    judgments = judgments_table(seed=7, queries=range(10, 60))
    judgments = pa.concat_tables([judgments, judgments_table(seed=8, queries=range(900, 901))])
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(judgments), spark.createDataFrame(shuffled(run, 1)), MEASURES, partitions=4
    )
    same(evaluation, il.evaluate(judgments, run, MEASURES), int)
    text = str(evaluation)
    assert "note: run: 20 queries judged but not in the run, counted as empty rankings" in text
    assert "note: run: 10 queries in the run but not judged, not measured" in text


def test_nothing_is_shuffled_where_rows_of_a_query_lie_together(spark: Any) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    scattered = spark.createDataFrame(run), spark.createDataFrame(judgments)
    together = [frame.repartition(3, "query") for frame in scattered]
    shuffles = []
    for run_frame, judged_frame in (scattered, together):
        evaluation = spark_engine.evaluate(judged_frame, run_frame, MEASURES)
        shuffles.append(exchanges(evaluation.values))
        if run_frame is together[0]:
            same(evaluation, il.evaluate(judgments, run, MEASURES), int)
    # One of ours; then the two of the caller, who partitioned both sides, and none of ours.
    assert shuffles == [1, 2]
    assert "MapInArrow Packing" not in str(plan_text(evaluation.values))


def test_tables_in_buckets_of_queries_are_not_shuffled_at_all(spark: Any) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    for name, table in (("bucketed_run", run), ("bucketed_judgments", judgments)):
        spark.createDataFrame(table).write.bucketBy(3, "query").saveAsTable(name)
    try:
        evaluation = spark_engine.evaluate(
            spark.table("bucketed_judgments"), spark.table("bucketed_run"), MEASURES
        )
        assert exchanges(evaluation.values) == 0
        same(evaluation, il.evaluate(judgments, run, MEASURES), int)
    finally:
        for name in ("bucketed_run", "bucketed_judgments"):
            spark.sql(f"DROP TABLE {name}")


def test_arrays_are_rankings(spark: Any) -> None:
    """A row per user: documents with scores, best first without them, and as ALS recommends."""
    users = [(1, ["a", "b", "c"], [0.1, 0.9, 0.5]), (2, ["c", "d"], [2.0, 1.0])]
    judged = spark.createDataFrame([(1, ["b", "x"]), (2, ["d"])], "user long, items array<string>")
    ordered = {1: ["b", "c", "a"], 2: ["c", "d"]}
    expected = il.evaluate({1: ["b", "x"], 2: ["d"]}, ordered, ["AP", "nDCG@2"])
    forms = {
        "user long, documents array<string>, scores array<double>": users,
        "user long, recommendations array<string>": list(ordered.items()),
        "user long, recommendations array<struct<item:string,rating:float>>": [
            (user, [(document, score) for document, score in zip(documents, scores, strict=True)])
            for user, documents, scores in users
        ],
    }
    for schema, rows in forms.items():
        frame = spark.createDataFrame(rows, schema)
        same(spark_engine.evaluate(judged, frame, ["AP", "nDCG@2"], partitions=2), expected, int)
    together = spark_engine.evaluate(
        judged.repartition(2, "user"), frame.repartition(2, "user"), ["AP", "nDCG@2"]
    )
    assert "Packing" not in str(plan_text(together.values))
    same(together, expected, int)


def test_ids_come_back_with_their_type(spark: Any) -> None:
    from datetime import date

    days = [date(2026, 1, 1), date(2026, 1, 2)]
    run = spark.createDataFrame([(day, 1, 0.5) for day in days], "query date, document int, score double")
    judgments = spark.createDataFrame(
        [(day, "1", 1) for day in days], "query date, document string, grade int"
    )
    values = spark_engine.evaluate(judgments, run, "RR").values
    assert dict(values.dtypes)["query"] == "date"
    assert sorted(row["query"] for row in values.collect()) == days


def test_measures_of_items_add_up(spark: Any) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    measures = [
        "Coverage@5",
        "Gini@5",
        "Entropy@3",
        "Popularity@5",
        "Novelty@5",
        "ILD(distance=jaccard)@5",
        "Calibration@5",
    ]
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(judgments), spark.createDataFrame(run), measures, items=ITEMS, partitions=3
    )
    same(evaluation, il.evaluate(judgments, run, measures, items=ITEMS), int)


def test_segments_have_means_of_their_own(spark: Any) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    countries = ["de" if query % 3 else "fr" for query in judgments.column("query").to_pylist()]
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(judgments.append_column("country", pa.array(countries))),
        spark.createDataFrame(run),
        "AP",
        by="country",
    )
    local = il.evaluate(judgments, run, "AP").by_query("AP")
    for row in evaluation.summary:
        country = row.segment.removeprefix("country=")
        values = [v for q, v in local.items() if not country or ("de" if int(q) % 3 else "fr") == country]
        assert row.value == pytest.approx(sum(values) / len(values))
        assert row.n == len(values)
    assert [row.segment for row in evaluation.summary] == ["", "country=de", "country=fr"]
    assert dict(evaluation.values.dtypes)["country"] == "string"


def test_the_session_stays_as_it_was(spark: Any) -> None:
    before = dict(spark.conf.getAll)
    str(
        spark_engine.evaluate(
            spark.createDataFrame(judgments_table(seed=2)), spark.createDataFrame(run_table(seed=1))
        )
    )
    assert dict(spark.conf.getAll) == before
    assert not spark.catalog.listTables()


def test_conventions_and_presets_hold(spark: Any) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    frames = spark.createDataFrame(judgments), spark.createDataFrame(run)
    for conventions in ("trec_eval-9", il.Conventions(ties="averaged", empty="skip", missing="skip")):
        evaluation = spark_engine.evaluate(*frames, ["nDCG@5", "AP"], conventions=conventions)
        same(evaluation, il.evaluate(judgments, run, ["nDCG@5", "AP"], conventions=conventions), int)
