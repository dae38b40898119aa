"""Evaluation in Polars: lazy frames sorted by query by its streaming engine, through the kernel."""

from __future__ import annotations

from idealist.base.annotations import read_late
from idealist.base.named import OF_RUNS, other_names
from idealist.base.wording import type_name
from idealist.conventions import DEFAULT
from idealist.engines.engine_request import make_request
from idealist.engines.sorted_rows import BATCH_ROWS, SortedEvaluation
from idealist.errors import InputError
from idealist.evaluation.measuring import MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from polars import DataFrame, Expr, LazyFrame

    from idealist.conventions import Conventions
    from idealist.engines.engine_request import Side
    from idealist.measures import Measure


@other_names(**OF_RUNS, resamples="rounds")
def evaluate(
    judgments: LazyFrame | DataFrame,
    runs: LazyFrame | DataFrame | Mapping[str, LazyFrame | DataFrame],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    items: Any = None,
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> PolarsEvaluation:
    """Measures one run, or several by name, with judgments, all of them lazy frames of Polars, or frames.

    Rows are (query, document, score) and (query, document, grade). The arguments are those of `idealist.engines.spark`.
    Polars' streaming engine reads and sorts the rows by query; they are measured as they come, and only the values are
    kept. Values and means equal those of `idealist.evaluate` to the last bit.

    >>> import polars as pl
    >>> run = pl.LazyFrame({"query": [7, 7], "document": ["a", "b"], "score": [0.5, 0.9]})
    >>> judged = pl.LazyFrame({"query": [7], "document": ["a"], "grade": [1]})
    >>> evaluate(judged, run, "RR").values.collect().rows()
    [(7, 'run', 0.5)]
    """
    request = make_request(
        judgments,
        runs,
        measures,
        _schema,
        conventions=conventions,
        columns=columns,
        by=by,
        items=items,
        rounds=rounds,
        seed=seed,
        confidence=confidence,
    )
    return PolarsEvaluation(request)


class PolarsEvaluation(SortedEvaluation):
    """An evaluation whose `values` are a lazy frame."""

    @property
    def values(self) -> LazyFrame:
        """One row per system and query, as a lazy frame of what is in memory."""
        import polars as pl

        frame = pl.from_arrow(self.values_table())
        assert isinstance(frame, pl.DataFrame)
        return frame.lazy()

    def _batches(self) -> Generator[Any]:
        import polars as pl

        rows = [
            frame.lazy().select(_columns(number, side, self.request.judged, pl))
            for number, (frame, side) in enumerate(zip(self.request.frames, self.request.sides, strict=True))
        ]
        schema = rows[0].collect_schema()
        together = pl.concat([rows[0], *(part.cast(dict(schema)) for part in rows[1:])])
        for part in _collected(together.sort("query")):
            yield from part.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()


def _collected(frame: LazyFrame) -> Iterator[DataFrame]:
    """The rows in parts, as they come; versions that have no such function give them all at once."""
    if hasattr(frame, "collect_batches"):
        return iter(frame.collect_batches(chunk_size=BATCH_ROWS, engine="streaming"))
    return frame.collect(engine="streaming").iter_slices(BATCH_ROWS)


def _schema(frame: Any, kind: str) -> Any:
    if not hasattr(frame, "lazy") or not hasattr(frame, "collect_schema"):
        raise InputError(
            f"{kind}: a frame of Polars, lazy or not, is expected, not {type_name(frame)}",
            hint="polars.scan_parquet makes one; idealist.evaluate takes files and local frames",
        )
    import polars as pl

    empty = frame.lazy().limit(0).collect()
    return empty.to_arrow(compat_level=pl.CompatLevel.oldest()).schema


def _columns(number: int, side: Side, judged: Side, pl: Any) -> list[Expr]:
    """The columns of a side as expressions; a run has nulls where judgments have segments and their own ids."""
    value = pl.col(side.number).cast(pl.Float64)
    further = judged.further_columns.items()
    return [
        pl.lit(number, pl.Int32).alias("side"),
        pl.col(side.query).cast(pl.String).alias("query"),
        pl.col(side.document).cast(pl.String).alias("document"),
        (value if side.sign > 0 else -value).alias("number"),
        *((pl.lit(None) if number else pl.col(name)).alias(own) for own, name in further),
    ]


read_late(PolarsEvaluation)
