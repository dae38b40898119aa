"""Evaluation in DuckDB: relations sorted by query, on disk where they do not fit in memory, through the kernel."""

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
    from collections.abc import Generator, Iterable, Mapping, Sequence
    from typing import Any

    from duckdb import DuckDBPyRelation

    from idealist.conventions import Conventions
    from idealist.engines.engine_request import Side
    from idealist.measures import Measure


@other_names(**OF_RUNS, resamples="rounds")
def evaluate(
    judgments: DuckDBPyRelation,
    runs: DuckDBPyRelation | Mapping[str, DuckDBPyRelation],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    items: Any = None,
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> DuckDBEvaluation:
    """Measures one run, or several by name, with judgments, all of them relations of one connection of DuckDB.

    Rows are (query, document, score) and (query, document, grade). The arguments are those of `idealist.engines.spark`.
    DuckDB sorts the rows by query, with its threads and within its memory limit; they are measured as they come, and only
    the values are kept. Values and means equal those of `idealist.evaluate` to the last bit.

    >>> import duckdb
    >>> database = duckdb.connect()
    >>> run = database.sql("SELECT 7 AS query, unnest(['a', 'b']) AS document, unnest([0.5, 0.9]) AS score")
    >>> judged = database.sql("SELECT 7 AS query, 'a' AS document, 1 AS grade")
    >>> evaluate(judged, run, "RR").values.fetchall()
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
    return DuckDBEvaluation(request)


class DuckDBEvaluation(SortedEvaluation):
    """An evaluation whose `values` are a relation."""

    @property
    def values(self) -> DuckDBPyRelation:
        """One row per system and query, as a relation of the judgments' connection, which can join it with its tables; of
        DuckDB's default connection where that one is closed, or does not read what Python holds."""
        import duckdb

        values_table = self.values_table()
        if self.request.frames:  # they stay behind where the evaluation went to another process
            try:
                # A relation does not give its connection away, but has its connection read what is called so here.
                values: DuckDBPyRelation = self.request.frames[0].query(
                    "idealist_judgments", "FROM values_table"
                )
                return values
            except duckdb.Error:
                pass
        return duckdb.from_arrow(values_table)

    def _batches(self) -> Generator[Any]:
        import duckdb

        try:
            together = None
            for number, (frame, side) in enumerate(zip(self.request.frames, self.request.sides, strict=True)):
                rows = frame.project(", ".join(_columns(number, side, self.request.judged)))
                together = rows if together is None else together.union(rows)
            assert together is not None
            with _reader(together.order("query")) as reader:
                yield from reader
        except duckdb.Error as error:
            raise InputError(
                f"DuckDB: {error}", hint="give relations of one connection, which a query of it can read"
            ) from None


def _schema(frame: Any, kind: str) -> Any:
    if not hasattr(frame, "project") or not hasattr(frame, "to_arrow_table"):
        raise InputError(
            f"{kind}: a relation of DuckDB is expected, not {type_name(frame)}",
            hint="connection.sql('FROM my_table') makes one; idealist.evaluate takes files and local frames",
        )
    return frame.limit(0).to_arrow_table().schema


def _reader(relation: Any) -> Any:
    """Arrow batches, as they come."""
    read = (
        getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    )  # its name in older versions
    return read(BATCH_ROWS)


def _columns(number: int, side: Side, judged: Side) -> list[str]:
    """The columns of a side as expressions; a run has nulls where judgments have segments and their own ids."""
    query, document, value = (_quoted(name) for name in (side.query, side.document, side.number))
    written = [
        f"{number} AS side",
        f"CAST({query} AS VARCHAR) AS query",
        f"CAST({document} AS VARCHAR) AS document",
        f"{'' if side.sign > 0 else '-'}CAST({value} AS DOUBLE) AS number",
    ]
    further = judged.further_columns.items()
    return [*written, *(f"{'NULL' if number else _quoted(name)} AS {_quoted(own)}" for own, name in further)]


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


read_late(DuckDBEvaluation)
