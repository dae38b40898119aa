"""What goes wrong on a cluster changes nothing, or is named at the driver in words of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arrow_tasks import judgments_table, run_table

import idealist as il
from idealist.engines import spark as spark_engine
from idealist.engines.spark.faults import understand
from idealist.engines.spark.spark_evaluation import SparkEvaluation

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)
RUN, JUDGMENTS = run_table(seed=1), judgments_table(seed=2)


def refused(evaluation: Any) -> str:
    """The message of the error at the driver, in which there is nothing of Java."""
    with pytest.raises(il.InputError) as caught:
        str(evaluation)
    message = str(caught.value)
    assert not any(line.lstrip().startswith("at ") for line in message.splitlines())
    assert "Traceback" not in message
    assert "Exception" not in message
    assert len(message.splitlines()) <= 2
    return message


def test_a_killed_executor_changes_nothing(spark: Any, tmp_path: Path) -> None:
    marker = tmp_path / "killed"

    def kill_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import signal

        for batch in batches:
            yield batch
            try:
                marker.touch(exist_ok=False)
            except FileExistsError:
                continue
            # This worker is a child of PySpark's daemon, whose parent is the executor.
            stat = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)

    frame = spark.createDataFrame(RUN).repartition(2)
    evaluation = spark_engine.evaluate(
        spark.createDataFrame(JUDGMENTS), frame.mapInArrow(kill_once, frame.schema), ["AP", "nDCG@5"]
    )
    local = il.evaluate(JUDGMENTS, RUN, ["AP", "nDCG@5"])
    assert [evaluation.mean(name) for name in ("AP", "nDCG@5")] == [
        local.mean(name) for name in ("AP", "nDCG@5")
    ]
    assert marker.exists()


def test_a_damaged_file_is_named(spark: Any, tmp_path: Path) -> None:
    for part in range(2):
        pq.write_table(RUN.slice(part * 400, 400), tmp_path / f"part-{part}.parquet")
    damaged = tmp_path / "part-1.parquet"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2 :] = b"x" * (len(content) - len(content) // 2)
    damaged.write_bytes(content)
    frame = spark.read.schema("query long, document long, score double").parquet(str(tmp_path))
    message = refused(spark_engine.evaluate(spark.createDataFrame(JUDGMENTS), frame, "AP"))
    assert "part-1.parquet" in message
    assert "not a Parquet file" in message


def test_bad_rows_are_named_by_their_keys(spark: Any) -> None:
    judgments = spark.createDataFrame([("q", "a", 1.0)], "query string, document string, grade double")
    schema = "query string, document string, score double"
    rows = {
        "run, document 'a': the query is null": [(None, "a", 1.0)],
        "run, query 'q': the document is null": [("q", None, 1.0)],
        "run, query 'q', document 'b': the score is null": [("q", "b", None)],
        "run, query 'q', document 'b': the score is nan": [("q", "b", float("nan"))],
        "run: document 'a' appears twice for query 'q'": [("q", "a", 1.0), ("q", "a", 2.0)],
        "run: the run and the judgments have no query in common": [("p", "a", 1.0)],
    }
    for message, bad in rows.items():
        assert message in refused(
            spark_engine.evaluate(judgments, spark.createDataFrame(bad, schema), "AP", partitions=1)
        )
    together = spark.createDataFrame([("q", None, 1.0)], schema).repartition(2, "query")
    assert "run, query 'q': the document is null" in refused(
        spark_engine.evaluate(judgments.repartition(2, "query"), together, "AP")
    )
    arrays = spark.createDataFrame(
        [("q", ["a", "b"], [1.0])], "query string, documents array<string>, scores array<double>"
    )
    assert "run, query 'q': 2 documents, but 1 scores" in refused(
        spark_engine.evaluate(judgments, arrays, "AP", partitions=1)
    )
    judged = judgments.repartition(2, "query")
    assert "run, query 'q', document 'a': the score is null" in refused(
        spark_engine.evaluate(judged, arrays.repartition(2, "query"), "AP")
    )
    absent = spark.createDataFrame([("q", None)], "query string, documents array<string>")
    assert "run, query 'q': the document is null" in refused(
        spark_engine.evaluate(judged, absent.repartition(2, "query"), "AP")
    )


@pytest.mark.parametrize("field", ["idealist", "python"])
def test_other_versions_on_executors_are_named(spark: Any, field: str) -> None:
    evaluation = spark_engine.evaluate(spark.createDataFrame(JUDGMENTS), spark.createDataFrame(RUN), "AP")
    task = evaluation.task.replace(**{field: "2.9.9"})
    other = SparkEvaluation(evaluation.stages.replace(task=task), 0.95)
    name = {"idealist": "Idealist", "python": "Python"}[field]
    message = refused(other)
    assert message.startswith(f"an executor has {name} ")
    assert "the driver has 2.9.9" in message


def test_what_cannot_be_measured_is_refused_at_once(spark: Any) -> None:
    run, judgments = spark.createDataFrame(RUN), spark.createDataFrame(JUDGMENTS)
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (spark.readStream.format("rate").load(), judgments, {}, "run: a stream never ends"),
        (RUN, judgments, {}, "run: a Spark DataFrame is expected, not pyarrow.Table"),
        (run.drop("score"), judgments, {}, "run: there is no column 'score' or 'rank'"),
        (run, judgments.withColumnRenamed("grade", "x"), {}, "judgments: there is no column 'grade'"),
        (run, judgments, {"by": "country"}, "judgments: there is no column 'country'"),
        (run, judgments, {"by": "document"}, "a column of segments is called 'document'"),
        (run, judgments, {"partitions": 0}, "partitions must be a whole number from 1"),
        (run.selectExpr("query * 0.5D AS query", "document", "score"), judgments, {}, "run: the query is of type double"),
        (run.selectExpr("*", "'a' AS system"), judgments, {}, "run: the column 'system' tells several systems apart"),
        ({}, judgments, {}, "no run was given"),
    ]  # fmt: skip
    for given_run, given_judgments, options, message in cases:
        with pytest.raises(il.InputError, match=message.replace("(", "\\(").replace("*", "\\*")):
            spark_engine.evaluate(given_judgments, given_run, "AP", **options)


def test_errors_of_pyspark_are_understood() -> None:
    from pyspark.errors import PySparkRuntimeError

    other = PySparkRuntimeError(
        errorClass="PYTHON_VERSION_MISMATCH",
        messageParameters={"worker_version": "3.12", "driver_version": "3.11"},
    )
    understood = understand(other)
    assert understood is not None
    assert understood.message == "the executors have Python 3.12, the driver has 3.11"
    absent = RuntimeError("Traceback …\nModuleNotFoundError: No module named 'idealist'\n")
    understood = understand(absent)
    assert understood is not None
    assert understood.message == "the executors cannot import idealist"
    assert "os.environ['PYSPARK_PYTHON'] = sys.executable" in understood.hint
    older = RuntimeError("Traceback …\nModuleNotFoundError: No module named 'idealist.engines.shuffle'\n")
    understood = understand(older)
    assert understood is not None
    assert understood.message == (
        f"the executors have another Idealist than the driver, which has {il.__version__}: "
        "theirs has no idealist.engines.shuffle"
    )
    assert understand(RuntimeError("something else")) is None


def test_values_of_another_engine_are_not_compared_on_spark() -> None:
    from idealist.engines.spark import compare

    with pytest.raises(il.InputError, match="values on Spark are expected, not dict"):
        compare({})
