"""`compare` for values on Spark: systems against a baseline, from totals of their differences."""

from __future__ import annotations

from idealist.base.named import other_names
from idealist.base.values import as_count, as_share
from idealist.base.wording import type_name
from idealist.conventions import DEFAULT
from idealist.engines.spark.faults import as_input_errors
from idealist.engines.spark.result import SparkEvaluation
from idealist.engines.spark.stages import collected
from idealist.engines.summary import ClusterComparison
from idealist.engines.task import Task
from idealist.engines.workers import TOTALS, Totalling
from idealist.errors import InputError
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame


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
