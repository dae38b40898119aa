"""Arrow tables as frames of every engine, cut into parts, and results of engines as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

ENGINES = ("duckdb", "polars", "dask", "ray", "spark")
# Those that start in no time.
QUICK = ("duckdb", "polars", "dask")


def slices(table: pa.Table, parts: int) -> list[pa.Table]:
    """The table in parts of different sizes; the first are empty where it has fewer rows."""
    ends = [len(table) * part * part // (parts * parts) for part in range(parts + 1)]
    return [table.slice(start, end - start) for start, end in pairwise(ends)]


class Engine:
    """An engine by its name: `evaluate`, `frame`, which gives a table in parts, and `rows`, which gives values."""

    def __init__(
        self,
        name: str,
        evaluate: Callable[..., Any],
        frame: Callable[[pa.Table, int], Any],
        rows: Callable[[Any], list[dict[str, Any]]],
    ) -> None:
        self.name = name
        self.evaluate = evaluate
        self.frame = frame
        self.rows = rows

    def measure(self, run: pa.Table, judgments: pa.Table, measures: Any, parts: int, **options: Any) -> Any:
        """Evaluates both in so many parts, and keeps what is measured, so that values and summary take one pass."""
        if self.name not in ("duckdb", "polars"):
            options["partitions"] = parts
        result = self.evaluate(self.frame(judgments, parts), self.frame(run, parts), measures, **options)
        if self.name == "ray":
            return result.materialize()
        return result.persist() if self.name in ("dask", "spark") else result


def start(name: str, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The engine, or a skip where its library is not installed."""
    if name == "spark":
        pytest.importorskip("pyspark")
        yield _spark(request.getfixturevalue("spark"))
        return
    pytest.importorskip(name)
    yield from {"duckdb": _duckdb, "polars": _polars, "dask": _dask, "ray": _ray}[name]()


def _duckdb() -> Iterator[Engine]:
    import duckdb

    from idealist.engines.duckdb import evaluate

    with duckdb.connect() as connection:

        def frame(table: pa.Table, parts: int) -> Any:
            relations = [connection.from_arrow(part) for part in slices(table, parts)]
            together = relations[0]
            for relation in relations[1:]:
                together = together.union(relation)
            return together

        yield Engine("duckdb", evaluate, frame, lambda values: values.to_arrow_table().to_pylist())


def _polars() -> Iterator[Engine]:
    import polars as pl

    from idealist.engines.polars import evaluate

    def frame(table: pa.Table, parts: int) -> Any:
        return pl.concat([pl.DataFrame(part).lazy() for part in slices(table, parts)])

    yield Engine("polars", evaluate, frame, lambda values: values.collect().to_dicts())


def _dask() -> Iterator[Engine]:
    import dask.dataframe as dd

    from idealist.engines.dask import as_pandas, evaluate

    def frame(table: pa.Table, parts: int) -> Any:
        return dd.concat([dd.from_pandas(as_pandas(part), npartitions=1) for part in slices(table, parts)])

    def rows(values: Any) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = pa.Table.from_pandas(
            values.compute(), preserve_index=False
        ).to_pylist()
        return listed

    yield Engine("dask", evaluate, frame, rows)


def _ray() -> Iterator[Engine]:
    import ray

    from idealist.engines.ray import evaluate

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield Engine(
        "ray",
        evaluate,
        lambda table, parts: ray.data.from_arrow(slices(table, parts)),
        lambda v: v.take_all(),
    )
    ray.shutdown()


def _spark(session: Any) -> Engine:
    from idealist.engines.spark import evaluate

    def frame(table: pa.Table, parts: int) -> Any:
        return session.createDataFrame(table).repartition(parts)

    return Engine("spark", evaluate, frame, lambda values: [row.asDict() for row in values.collect()])
