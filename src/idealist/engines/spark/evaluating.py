"""`evaluate` for Spark DataFrames."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.named import OF_RUNS, other_names
from idealist.conventions import DEFAULT
from idealist.engines.spark.inputs import read_side
from idealist.engines.spark.result import SparkEvaluation
from idealist.engines.spark.stages import Stages, partition_count
from idealist.engines.task import make_task, named_runs, refuse_intervals, segment_columns
from idealist.evaluation.measuring import MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from idealist.conventions import Conventions
    from idealist.measures import Measure

# The names that values have besides those of measures and segments.
OWN_COLUMNS = ("query", "system", "document", "number", "grade", "score", "side", "place", "part", "id")


@other_names(**OF_RUNS, resamples="rounds")
def evaluate(
    judgments: DataFrame,
    runs: DataFrame | Mapping[str, DataFrame],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    items: Any = None,
    partitions: int | None = None,
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> SparkEvaluation:
    """Measures one run, or several by name, with judgments, all of them Spark DataFrames. Nothing is computed yet.

    Rows are (query, document, score) and (query, document, grade), or one per query with arrays of documents and of scores or
    grades; without those, documents of a run stand best first, and judged ones have grade 1. Columns are recognised as
    `idealist.evaluate` does, or named by `columns`. `by` names columns of the judgments that say which segment a query is in;
    `items` is a local table for measures of items. There is one shuffle, into `partitions` (by default about
    two million rows each), and none where Spark has the rows of every query together already. Intervals are Student's, or with
    `rounds` those of so many resamples of the Poisson bootstrap, which depend on `seed` and on the queries' ids alone.

    Values and means equal those of `idealist.evaluate` to the last bit, for any partitioning and order of rows.
    """
    by = segment_columns(by, OWN_COLUMNS, hint="rename it: withColumnRenamed")
    runs_by_name = named_runs(runs, "DataFrame")
    refuse_intervals(rounds, confidence)
    judged = read_side(judgments, "judgments", columns=columns, by=by)
    sides = tuple(read_side(frame, "run", columns=columns) for frame in runs_by_name.values())
    task = make_task(
        measures,
        conventions=conventions,
        systems=tuple(map(str, runs_by_name)),
        by=by,
        items=items,
        rounds=rounds,
        seed=seed,
    )
    stages = Stages(
        task, judged, sides, partition_count((judged, *sides), partitions), partitions is not None
    )
    return SparkEvaluation(stages, confidence)
