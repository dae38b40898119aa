"""Parquet files are read without Spark's rows, and not shuffled where they are sorted by query; values stay the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arrow_tasks import MEASURES, judgments_table, run_table, shuffled
from support.spark_values import same

import idealist as il
from idealist.engines import spark as spark_engine
from idealist.engines.spark.spark_stages import exchanges, plan_text

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)
RUN = run_table(seed=1)
JUDGMENTS = judgments_table(seed=2, queries=range(5, 50))


def written(spark: Any, folder: Path, table: pa.Table, files: int = 2, **options: Any) -> Any:
    """The table in so many files, in row groups that cut queries apart."""
    folder.mkdir()
    rows = -(-len(table) // files)
    for part in range(files):
        path = folder / f"part {part}.parquet"  # a path with a space has another form as an address
        pq.write_table(table.slice(part * rows, rows), path, row_group_size=max(rows // 5, 1), **options)
    return spark.read.parquet(str(folder))


def by_query(table: pa.Table) -> pa.Table:
    return table.sort_by("query")


def read_by_python(evaluation: Any) -> tuple[bool, bool]:
    """Whether files are measured as ranges of queries, and whether they are packed, both without rows of Spark."""
    plan = str(plan_text(evaluation.values))
    return "MapInArrow MeasuringFiles" in plan, "MapInArrow PackingFiles" in plan


@pytest.mark.parametrize("text", [False, True])
def test_files_sorted_by_query_are_not_shuffled(spark: Any, tmp_path: Path, text: bool) -> None:
    run, judgments = run_table(seed=1, text=text), judgments_table(seed=2, queries=range(5, 50), text=text)
    evaluation = spark_engine.evaluate(
        written(spark, tmp_path / "judgments", by_query(judgments)),
        written(spark, tmp_path / "run", by_query(run)),
        MEASURES,
    )
    assert exchanges(evaluation.values) == 0
    assert read_by_python(evaluation) == (True, False)
    same(evaluation, il.evaluate(judgments, run, MEASURES), str if text else int)
    assert "note: run: 10 queries judged but not in the run, counted as empty rankings" in str(evaluation)
    assert "note: run: 5 queries in the run but not judged, not measured" in str(evaluation)


@pytest.mark.parametrize("text", [False, True])
def test_files_in_any_order_are_shuffled_once(spark: Any, tmp_path: Path, text: bool) -> None:
    run, judgments = run_table(seed=1, text=text), judgments_table(seed=2, text=text)
    evaluation = spark_engine.evaluate(
        written(spark, tmp_path / "judgments", by_query(judgments)),
        written(spark, tmp_path / "run", shuffled(run, 3)),
        MEASURES,
    )
    assert exchanges(evaluation.values) == 1
    assert read_by_python(evaluation) == (False, True)
    same(evaluation, il.evaluate(judgments, run, MEASURES), str if text else int)


def test_so_many_partitions_as_are_asked_for(spark: Any, tmp_path: Path) -> None:
    run = written(spark, tmp_path / "run", by_query(RUN))
    judgments = written(spark, tmp_path / "judgments", by_query(JUDGMENTS))
    evaluation = spark_engine.evaluate(judgments, run, "AP", partitions=3)
    assert evaluation.values.rdd.getNumPartitions() == 3
    assert read_by_python(evaluation) == (False, True)
    same(evaluation, il.evaluate(JUDGMENTS, RUN, "AP"), int)


def test_several_runs_segments_and_renamed_columns(spark: Any, tmp_path: Path) -> None:
    other = run_table(seed=9)
    countries = pa.array([("de", "fr")[query % 2] for query in JUDGMENTS.column("query").to_pylist()])
    judged = JUDGMENTS.append_column("country", countries).rename_columns(
        ["user", "item", "rating", "country"]
    )
    judgments = written(spark, tmp_path / "judgments", judged.sort_by("user"))
    runs = {
        "a": written(spark, tmp_path / "a", by_query(RUN)),
        "b": written(spark, tmp_path / "b", by_query(other)).withColumnRenamed("score", "sim"),
    }
    evaluation = spark_engine.evaluate(
        judgments.select("country", "user", "item", "rating"),
        {**runs, "b": runs["b"].select("sim", "query", "document").withColumnRenamed("sim", "score")},
        ["AP", "nDCG@5"],
        by="country",
    )
    assert read_by_python(evaluation) == (True, False)
    local = il.evaluate(JUDGMENTS, {"a": RUN, "b": other}, ["AP", "nDCG@5"])
    same(evaluation, local, int)
    german = JUDGMENTS.filter(pa.array([country == "de" for country in countries.to_pylist()]))
    (row,) = (
        row
        for row in evaluation.summary
        if (row.segment, row.system, row.measure) == ("country=de", "a", "AP")
    )
    assert row.value == il.evaluate(german, RUN, "AP").mean("AP")


def test_arrays_and_numbers_of_other_types(spark: Any, tmp_path: Path) -> None:
    users = list(range(30))
    lists = [[f"d{(user * 7 + at) % 40}" for at in range(10)] for user in users]
    scores = [[float(10 - at) for at in range(10)] for _ in users]
    run = pa.table(
        {
            "user": pa.array(users, pa.int32()),
            "documents": lists,
            "scores": pa.array(scores, pa.list_(pa.float32())),
        }
    )
    judgments = pa.table({"user": users, "items": [["d1", "d5"] for _ in users]})
    evaluation = spark_engine.evaluate(
        written(spark, tmp_path / "judgments", judgments), written(spark, tmp_path / "run", run), ["AP", "RR"]
    )
    assert read_by_python(evaluation) == (True, False)
    local = il.evaluate(
        {user: ["d1", "d5"] for user in users}, dict(zip(users, lists, strict=True)), ["AP", "RR"]
    )
    same(evaluation, local, int)
    graded = JUDGMENTS.set_column(2, "grade", JUDGMENTS.column("grade").cast(pa.int8()))
    whole = spark_engine.evaluate(
        written(spark, tmp_path / "graded", by_query(graded)),
        written(spark, tmp_path / "long", by_query(RUN)),
        "nDCG@5",
    )
    assert read_by_python(whole) == (True, False)
    same(whole, il.evaluate(JUDGMENTS, RUN, "nDCG@5"), int)


def test_what_is_more_than_files_is_left_to_spark(spark: Any, tmp_path: Path) -> None:
    run = written(spark, tmp_path / "run", by_query(RUN))
    judgments = written(spark, tmp_path / "judgments", by_query(JUDGMENTS))
    run.write.partitionBy("query").parquet(str(tmp_path / "folders"))
    cached = spark.read.parquet(str(tmp_path / "run")).cache()
    frames = {
        "filtered": run.where("query >= 0"),
        "computed": run.selectExpr("query", "document", "score + 0 AS score"),
        "as text": run.selectExpr("cast(query AS string) AS query", "document", "score"),
        "partitioned": spark.read.parquet(str(tmp_path / "folders")),
        "lenient": spark.read.option("ignoreCorruptFiles", "true").parquet(str(tmp_path / "run")),
        "cached": cached,
        "in another type": spark.read.schema("query long, document long, score double").parquet(
            str(written_as(tmp_path / "narrow", RUN))
        ),
        "by rank": spark.createDataFrame(RUN),
    }
    local = il.evaluate(JUDGMENTS, RUN, "AP")
    for name, frame in frames.items():
        evaluation = spark_engine.evaluate(judgments, frame, "AP")
        measured_by_range, _ = read_by_python(evaluation)
        assert not measured_by_range, name
        assert "Scan" in str(plan_text(evaluation.values)), name
        assert evaluation.mean("AP") == local.mean("AP"), name
    cached.unpersist()


def written_as(folder: Path, table: pa.Table) -> Path:
    """The same with documents of 32 bits, which Spark widens."""
    folder.mkdir()
    narrow = table.set_column(1, "document", table.column("document").cast(pa.int32()))
    pq.write_table(narrow, folder / "part.parquet")
    return folder


def refused(evaluation: Any) -> str:
    with pytest.raises(il.InputError) as caught:
        str(evaluation)
    return str(caught.value)


def test_what_is_wrong_is_named(spark: Any, tmp_path: Path) -> None:
    judgments = written(spark, tmp_path / "judgments", by_query(JUDGMENTS))
    damaged = written(spark, tmp_path / "damaged", by_query(RUN))
    path = tmp_path / "damaged" / "part 1.parquet"
    content = bytearray(path.read_bytes())
    content[40 : len(content) // 2] = b"x" * (len(content) // 2 - 40)  # the footer is at the end
    path.write_bytes(content)
    message = refused(spark_engine.evaluate(judgments, damaged, "AP"))
    assert message.startswith(f"{path}: cannot be read: ")
    assert "hint: write it again, or leave it out" in message

    changed = written(spark, tmp_path / "changed", by_query(RUN))
    evaluation = spark_engine.evaluate(judgments, changed, "AP").persist()
    pq.write_table(RUN.slice(0, 10), tmp_path / "changed" / "part 0.parquet")
    assert "part 0.parquet: the file has changed since its DataFrame was made" in refused(evaluation)

    nameless = RUN.set_column(0, "query", pa.array([None, *RUN.column("query").to_pylist()[1:]]))
    message = refused(spark_engine.evaluate(judgments, written(spark, tmp_path / "null", nameless), "AP"))
    assert f"run, document {RUN.column('document')[0].as_py()}: the query is null" in message

    twice = by_query(pa.concat_tables([RUN, RUN.slice(5, 1)]))
    message = refused(spark_engine.evaluate(judgments, written(spark, tmp_path / "twice", twice), "AP"))
    query, document = (RUN.column(role)[5].as_py() for role in ("query", "document"))
    assert f"run: document '{document}' appears twice for query '{query}'" in message
