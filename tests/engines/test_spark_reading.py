"""What `read_frame` reads, and what it says of what it cannot read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import idealist as il
from idealist.engines import spark as spark_engine

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)


@pytest.mark.parametrize("kind", ["parquet", "orc", "csv", "json"])
def test_files_are_read_by_their_ending(spark: Any, tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / f"run.{kind}")
    rows = spark.createDataFrame([(1, "a", 0.5), (1, "b", 0.9)], "query int, document string, score double")
    rows.coalesce(1).write.format(kind).option("header", True).save(path)
    frame = spark_engine.read_frame(spark, path)
    assert sorted((row["query"], row["document"], row["score"]) for row in frame.collect()) == [
        (1, "a", 0.5),
        (1, "b", 0.9),
    ]


def test_tables_are_read_by_their_name(spark: Any) -> None:
    spark.range(3).createOrReplaceTempView("three")
    assert spark_engine.read_frame(spark, "three").count() == 3
    spark.catalog.dropTempView("three")
    with pytest.raises(il.InputError, match="`three` cannot be found"):
        spark_engine.read_frame(spark, "three")


def test_delta_without_its_library_is_said(spark: Any, tmp_path: Path) -> None:
    table = tmp_path / "judgments"
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / "00000000000000000000.json").write_text('{"protocol":{"minReaderVersion":1}}\n')
    with pytest.raises(il.InputError) as caught:
        spark_engine.read_frame(spark, table)
    message = str(caught.value)
    assert f"{table} is a Delta table, and this Spark has no Delta" in message
    assert "--packages io.delta:delta-spark_2.13:VERSION" in message
