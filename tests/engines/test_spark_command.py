"""`idealist evaluate --engine spark` prints what `idealist evaluate` measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support.arrow_tasks import judgments_table, run_table

import idealist as il
from idealist.cli import main

RUN, JUDGMENTS = run_table(seed=1), judgments_table(seed=2)


def test_tables_are_measured_by_spark(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, judgments = tmp_path / "dense.parquet", tmp_path / "qrels.parquet"
    pq.write_table(RUN, run)
    pq.write_table(JUDGMENTS, judgments)
    command = ["evaluate", "--engine", "spark", "--partitions", "2", "-m", "nDCG@5", "-m", "AP"]
    assert main([*command, str(judgments), str(run), "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    local = il.evaluate(JUDGMENTS, RUN, ["nDCG@5", "AP"])
    assert {row["measure"]: row["value"] for row in record["rows"]} == {
        name: local.mean(name) for name in ("nDCG@5", "AP")
    }
    assert {row["system"] for row in record["rows"]} == {"dense"}
    # The session of whoever called is still there.
    assert spark.range(3).count() == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--by-query"], "--by-query cannot be used with --engine spark"),
        (["--ties", "bounds"], "--ties bounds cannot be used with --engine spark"),
        (["--format", "jsonl"], "--format jsonl cannot be used with --engine spark"),
        ([], "absent.parquet"),
    ],
)
def test_what_spark_cannot_do_is_said(
    spark: Any, words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = str(tmp_path / "absent.parquet")
    assert main(["evaluate", "--engine", "spark", absent, absent + "2", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) <= 3
