"""One user with a million rows: the same values on Spark, whether rows are shuffled by us or lie together already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arrow_tasks import MEASURES, judgments_table, run_table, shuffled

import idealist as il
from idealist.engines import spark as spark_engine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
    ),
]
LARGE, ROWS = 1000, 1_000_000


def test_a_user_with_a_million_rows(spark: Any, tmp_path: Path) -> None:
    run = pa.concat_tables([run_table(seed=1), run_table(seed=2, queries=[LARGE], documents=ROWS)])
    judgments = pa.concat_tables(
        [judgments_table(seed=3), judgments_table(seed=4, queries=[LARGE], documents=1000)]
    )
    run = shuffled(run, 5)
    for name, table in (("run", run), ("judgments", judgments)):
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=100_000)
    local = il.evaluate(judgments, run, MEASURES)
    frames = [spark.read.parquet(str(tmp_path / f"{name}.parquet")) for name in ("run", "judgments")]
    together = [frame.repartition(4, "query") for frame in frames]
    assert local.n("AP") == 41
    for run_frame, judged_frame in (frames, together):
        evaluation = spark_engine.evaluate(judged_frame, run_frame, MEASURES, partitions=4).persist()
        for measure in local.measures:
            assert evaluation.mean(measure) == local.aggregate(measure)
        rows = {row["query"]: row for row in evaluation.values.collect()}
        assert len(rows) == 41
        for value in local:
            assert rows[int(value.query)][str(value.measure)] == value.value
        evaluation.unpersist()
