"""`evaluate` and `compare` for Spark: values that stay on the cluster, and a summary of them."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.named import OF_RUNS, other_names
from idealist.base.values import as_count, as_share
from idealist.base.wording import type_name
from idealist.conventions import DEFAULT
from idealist.engines.engine_results import ClusterComparison, EngineEvaluation
from idealist.engines.shuffle import TOTALS, Totalling
from idealist.engines.spark.dataframes import read_side
from idealist.engines.spark.faults import as_input_errors
from idealist.engines.spark.spark_stages import Stages, collected, partition_count
from idealist.engines.task import Task, make_task, named_runs, refuse_intervals, segment_columns
from idealist.errors import InputError
from idealist.evaluation.measuring import MEASURES
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Self

    from pyspark.sql import DataFrame

    from idealist.conventions import Conventions
    from idealist.engines.totals import Totals
    from idealist.measures import Measure


class SparkEvaluation(EngineEvaluation):
    """Values of all queries as a lazy DataFrame, and their means with intervals.

    `values` has the columns query (of the type that the judgments have), system, those of segments, and one per measure, null
    where the conventions leave a query out. `summary` runs one job, when it is first asked for; `str`, `to_frame` and
    the like show it. To use both without measuring twice, `persist` before.
    """

    def __init__(self, stages: Stages, confidence: float) -> None:
        super().__init__(stages.task, confidence)
        self.stages = stages
        self._measured: DataFrame | None = None
        self._persisted = False

    @property
    def values(self) -> DataFrame:
        """One row per system and query; nothing is computed before it is used."""
        from pyspark.sql import functions

        return self._all().where(functions.col(TOTALS).isNull()).drop(TOTALS)

    def _totals(self) -> Totals:
        """The totals of all partitions: nothing else comes to the driver."""
        from pyspark.sql import functions

        with as_input_errors():
            frame = (
                self._all().where(functions.col(TOTALS).isNotNull()).select(TOTALS)
                if self._persisted
                else self.stages.totals()
            )
            return collected(frame, self.task, self.stages.partitions)

    def persist(self, level: Any = None) -> Self:
        """Keeps what is measured on the executors (in memory and on disk, or as `level` says), so that `values` and
        `summary` come from one pass; `unpersist` when done."""
        frame = self._all()
        if level is None:
            frame.persist()
        else:
            frame.persist(level)
        self._persisted = True
        return self

    def unpersist(self) -> None:
        """Lets the executors forget what `persist` kept."""
        if self._persisted and self._measured is not None:
            self._measured.unpersist()
        self._persisted = False

    def _all(self) -> DataFrame:
        if self._measured is None:
            with as_input_errors():
                self._measured = self.stages.values()
        return self._measured


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


@other_names(resamples="rounds")
def compare(
    values: SparkEvaluation | DataFrame,
    *,
    baseline: str | None = None,
    by: str | Sequence[str] = (),
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> ClusterComparison:
    """Compares systems with a baseline (by default the first), query by query: what `evaluate` gave for several runs,
    or its values as a DataFrame, such as those of several evaluations that were written and are read again.

    One pass gives the mean difference, its interval (Student's or, with `rounds`, that of the Poisson bootstrap), the
    p-value, wins, ties and losses; `gsb` of the result counts the latter as votes. Values of an evaluation are compared where they
    are; other DataFrames are shuffled by query.
    """
    by = (by,) if isinstance(by, str) else tuple(by)
    if rounds:
        as_count(rounds, "rounds")
    as_share(confidence, "confidence")
    if isinstance(values, SparkEvaluation):
        frame, task = values.values, values.task
        by = by or task.by
        _require(frame, by)
    elif not hasattr(values, "repartition"):
        raise InputError(
            f"values on Spark are expected, not {type_name(values)}",
            hint="what evaluate of idealist.engines.spark gave, or a Spark DataFrame of such values",
        )
    else:
        frame = values.repartition("query")
        task = _task_of(values, by)
    baseline = task.systems[0] if baseline is None else baseline
    if baseline not in task.systems or len(task.systems) < 2:
        raise InputError(
            f"no system is called {baseline!r}"
            if baseline not in task.systems
            else f"there is one system, {baseline!r}, and nothing to compare it with",
            hint=f"there are {', '.join(task.systems)}; evaluate(…, {{'a': …, 'b': …}}) measures several",
        )
    task = task.replace(baseline=baseline, by=by, rounds=rounds, seed=seed, items=None)
    with as_input_errors():
        # Measures of all queries together have no differences of queries to add up, and their totals stay behind.
        totals = collected(frame.mapInArrow(Totalling(task), f"{TOTALS} binary"), task, 1)
    return ClusterComparison(task, totals, confidence=confidence)


def _task_of(values: DataFrame, by: Sequence[str]) -> Task:
    """The measures and systems that a DataFrame of values has."""
    _require(values, ("query", "system", *by))
    doubles = [name for name, kind in values.dtypes if kind == "double" and name not in by]
    measures = parse_all(doubles)
    with as_input_errors():
        systems = sorted(row[0] for row in values.select("system").distinct().collect())
    return Task(measures, DEFAULT, tuple(systems), tuple(by))


def _require(values: DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in values.columns:
            raise InputError(
                f"values: there is no column {name!r}", hint=f"there are {', '.join(values.columns)}"
            )
