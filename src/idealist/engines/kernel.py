"""The kernel of all engines: rows of some queries, as Arrow, to one value per query and totals that can be merged.

What an engine must give it:

- `measure` takes an Arrow table of judgments (query, document, grade, and the task's columns of segments) and one of each
  system's run (query, document, score), in any order of rows. **All rows of a query, of every side, are in the same call**;
  which other queries are there changes nothing.
- `measure_grouped` takes a stream of batches of both sides: `side` (0 for judgments, 1 for the run of the first system, 2
  for the second, …), `query`, `document`, `number` (the grade or score) and the columns of segments, null on the runs' side.
  **The rows of a query lie together**, its sides in any order; the last query of a batch is carried over to the next. Memory
  is that of `CHUNK_ROWS` rows, or of the largest query.

Ids are text or whole numbers, compared as text, as `evaluate` does. Where queries have another type, the judgments have
their own in a column `id`, and the ids in the column `query` as text: the result has the type of `id`. Nulls are refused.

A query's value is computed from its rows alone, in rank order, so values equal those of `evaluate` to the last bit however the rows
are distributed; totals are whole numbers, so means do too. Only `ties=input-order` needs the order of rows, which a cluster
does not keep: with it, a query whose tied documents could change a value is an error.
"""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.wording import and_more
from idealist.conventions import match_options
from idealist.data import Judgments, Rankings, Run
from idealist.data.frames import Frame
from idealist.data.needs import ITEMS
from idealist.engines.totals import AFTER, BEFORE, DIFFERENCES, VALUES, Moments, Totals, draws, summed_columns
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.engines.task import Task


class PartFrame(Frame):
    """Some of the rows of a run or of judgments."""

    def refuse(self, rows: kernels.Rows | kernels.Partitions, *, duplicates: bool = False) -> None:
        """Raises what is wrong with rows, by the query and the document."""
        if rows.problem is not None:
            kind, row, _, text, count = rows.problem
            number = "score" if self.kind == "run" else "grade"
            role = number if kind != "empty" or text == "number" else text
            what = "null" if kind == "empty" else text
            raise InputError(
                f"{self.kind}{self._key(row - 1, role)}: the {role} is {what}{and_more(count, 'row')}",
                hint="fill it in, or leave the row out",
            )
        if isinstance(rows, kernels.Rows) and rows.duplicate is not None and not duplicates:
            query, document, *_, count = rows.duplicate
            raise InputError(
                f"{self.kind}: document {document!r} appears twice for query {query!r}{and_more(count)}",
                hint="keep one of the two rows",
            )

    def _key(self, row: int, wrong: str) -> str:
        """Where a row is: its query and document, but for the one that is wrong."""
        keys = [(role, self.frame.column(role)[row].as_py()) for role in ("query", "document")]
        return "".join(f", {role} {key!r}" for role, key in keys if role != wrong and key is not None)


def refuse_nulls(table: Any, kind: str) -> None:
    """Raises for the first null id or number of an Arrow table with the columns query, document and a number; its
    message has the keys of that row."""
    for role in table.column_names[:3]:
        column = table.column(role)
        if column.null_count:
            import pyarrow.compute as pc

            row = pc.index(column.is_null(), True).as_py()
            frame = PartFrame(table, kind)
            raise InputError(
                f"{kind}{frame._key(row, role)}: the {role} is null{and_more(column.null_count, 'row')}",
                hint="fill it in, or leave the row out",
            )


def refuse_nulls_of_sides(batch: Any) -> None:
    """The same for an Arrow batch of both sides, with the columns side, query, document and number."""
    columns = batch.select(["query", "document", "number"])
    if any(column.null_count for column in columns.columns):
        import pyarrow as pa
        import pyarrow.compute as pc

        rows, judged = pa.Table.from_batches([columns]), pc.equal(batch.column("side"), 0)
        refuse_nulls(rows.filter(judged).rename_columns(["query", "document", "grade"]), "judgments")
        refuse_nulls(rows.filter(pc.invert(judged)).rename_columns(["query", "document", "score"]), "run")


class SegmentColumns:
    """For `queries`, in their order: `ids` in the type that the judgments have, and `columns` of segments, as Arrow
    arrays. Rows of one query that name different segments are an error."""

    def __init__(self, by: Sequence[str], judgments: Any, queries: list[str]) -> None:
        import pyarrow as pa

        self.columns: dict[str, Any] = {}
        query_type = judgments.schema.field("query").type
        own = [name for name in ("id",) if name in judgments.column_names]
        if not own and not by:
            self.ids = pa.array(queries).cast(query_type)
            return
        names = [*own, *by]
        distinct = judgments.select(["query", *names]).group_by(["query", *names]).aggregate([])
        row_of: dict[str, int] = {}
        for row, query in enumerate(distinct.column("query").cast(pa.string()).to_pylist()):
            if query in row_of:
                raise _several(distinct, by, query, row_of[query], row)
            row_of[query] = row
        rows = [row_of[query] for query in queries]
        self.ids = distinct.column("id").take(rows) if own else pa.array(queries).cast(query_type)
        self.columns = {name: distinct.column(name).take(rows) for name in by}

    def members(self) -> Iterator[tuple[tuple[Any, ...], ndarray]]:
        """Each segment, and the positions of its queries."""
        if not self.columns:
            return
        import numpy as np

        positions: dict[tuple[Any, ...], list[int]] = {}
        cells = zip(*(column.to_pylist() for column in self.columns.values()), strict=True)
        for position, segment in enumerate(cells):
            positions.setdefault(segment, []).append(position)
        for segment, rows in positions.items():
            yield segment, np.array(rows)


def _several(distinct: Any, by: Sequence[str], query: str, first: int, second: int) -> InputError:
    for name in by:
        before, after = (distinct.column(name)[row].as_py() for row in (first, second))
        if before != after:
            return InputError(
                f"judgments, query {query!r}: {name} is {before!r} in one row and {after!r} in another",
                hint="a query is in one segment: give all its rows the same",
            )
    return InputError(
        f"judgments: two ids are both written {query!r}", hint="ids are compared as text: rename one of them"
    )


# How many rows are measured together: enough that what a call costs does not show.
CHUNK_ROWS = 1 << 18


class Measured(Frozen):
    """The values of some queries: an Arrow table with the columns query, system, those of segments, and one per measure
    (null where a query is left out); and their totals."""

    values: Any
    totals: Totals


def measure(task: Task, judgments: Any, runs: Sequence[Any]) -> Measured:
    """Measures the runs, one Arrow table for each of `task.systems`, with the judgments of the same queries.

    >>> import pyarrow as pa
    >>> from idealist.engines.task import make_task
    >>> judgments = pa.table({"query": [7, 7], "document": ["a", "b"], "grade": [1, 0]})
    >>> run = pa.table({"query": [7, 7], "document": ["a", "b"], "score": [0.5, 0.9]})
    >>> measured = measure(make_task("RR"), judgments, [run])
    >>> measured.values.to_pylist()
    [{'query': 7, 'system': 'run', 'RR': 0.5}]
    """
    import numpy as np
    import pyarrow as pa

    totals = Totals(task.systems)
    judged = Judgments.from_rows(PartFrame(judgments, "judgments").rows(1), name="judgments")
    tables: list[Any] = []
    matrices: dict[str, ndarray] = {}
    segments: SegmentColumns | None = None
    drawn: ndarray | None = None
    for system, run in zip(task.systems, runs, strict=True):
        totals.rows[system] = len(run)
        if not len(judged):
            totals.unjudged[system] = PartFrame(run, "run").rows(1).query_count()
            continue
        rankings = _ranked(task, run, judged)
        queries = rankings.native.queries()
        if segments is None:
            segments = SegmentColumns(task.by, judgments, queries)
            drawn = draws(queries, task.rounds, task.seed) if task.rounds else None
        _count(totals, system, rankings)
        values = np.column_stack(
            [np.asarray(measure.values_with_conventions(rankings)) for measure in task.measures]
        )
        matrices[system] = values
        for measure_ in task.measures:
            if measure_.aggregate == "pooled":
                totals.add_shown(system, measure_.k, measure_.item_counts(rankings))  # type: ignore[attr-defined]
        columns = {"query": segments.ids, "system": pa.array([system] * len(queries))} | segments.columns
        for name, numbers in zip(task.columns, values.T, strict=True):
            columns[name] = pa.array(numbers, mask=np.isnan(numbers))
        tables.append(pa.table(columns))
    if segments is None:
        return Measured(empty_values(task, judgments), totals)
    totals.judged = len(judged)
    _total(task, totals, matrices, segments, drawn)
    return Measured(pa.concat_tables(tables), totals)


def measure_grouped(task: Task, batches: Iterable[Any]) -> Iterator[Measured]:
    """Measures a stream of batches in which the rows of a query lie together; see the top of this module.

    >>> import pyarrow as pa
    >>> from idealist.engines.task import make_task
    >>> rows = {"side": [0, 1, 1, 0], "query": ["p", "p", "q", "q"], "document": ["a"] * 4, "number": [1.0] * 4}
    >>> batches = pa.table(rows).to_batches(max_chunksize=1)
    >>> [row for part in measure_grouped(make_task("RR"), batches) for row in part.values.to_pylist()]
    [{'query': 'p', 'system': 'run', 'RR': 1.0}, {'query': 'q', 'system': 'run', 'RR': 1.0}]
    """
    import pyarrow as pa

    pending: list[Any] = []
    size = 0
    for batch in batches:
        pending.append(batch)
        size += len(batch)
        if size < CHUNK_ROWS:
            continue
        table = pa.Table.from_batches(pending)
        end = _last_query_begins(table)
        if end:
            yield _measure_sides(task, table.slice(0, end))
            table = table.slice(end).combine_chunks()  # what was measured is not kept in memory
        pending, size = table.to_batches(), len(table)
    if size:
        yield _measure_sides(task, pa.Table.from_batches(pending))


def _last_query_begins(table: Any) -> int:
    """The row at which the last query's rows begin."""
    import pyarrow.compute as pc

    column = table.column("query")
    row = len(column)
    for chunk in reversed(column.chunks):
        differs = pc.not_equal(chunk, column[-1]).to_numpy(zero_copy_only=False).nonzero()[0]
        row -= len(chunk)
        if len(differs):
            return int(row + differs[-1] + 1)
    return 0


def _measure_sides(task: Task, table: Any) -> Measured:
    import pyarrow.compute as pc

    side = table.column("side")
    judgments = table.filter(pc.equal(side, 0)).drop_columns("side")
    names = ["grade" if name == "number" else name for name in judgments.column_names]
    runs = [
        table.filter(pc.equal(side, at)).select(["query", "document", "number"])
        for at in range(1, len(task.systems) + 1)
    ]
    return measure(
        task,
        judgments.rename_columns(names),
        [run.rename_columns(["query", "document", "score"]) for run in runs],
    )


def empty_values(task: Task, judgments: Any) -> Any:
    """The table of values of no query, with the types that it would have."""
    import pyarrow as pa

    types = {field.name: field.type for field in judgments.schema}
    columns = {"query": types.get("id", types["query"]), "system": pa.string()}
    columns |= {name: types[name] for name in task.by}
    columns |= dict.fromkeys(task.columns, pa.float64())
    return pa.schema(list(columns.items())).empty_table()


def _ranked(task: Task, run: Any, judged: Judgments) -> Rankings:
    frame = PartFrame(run, "run")
    options = match_options(task.conventions)
    if task.by_document:
        rows = frame.rows(1)
        native = kernels.match(rows, judged.rows, options, 1)
        run_queries, given = rows.query_count(), Run.from_rows(rows, name="run")
    else:
        matched = frame.match(judged, options, 1)
        native, run_queries, given = matched.rankings, matched.queries, None
    if task.conventions.ties == "input-order" and (tied := kernels.tied(native)):
        raise InputError(
            f"query {native.name(tied[0])!r} has documents with equal scores, and ties=input-order needs the rows in their "
            "order, which engines do not keep",
            hint="give lists without scores, or choose another rule for ties, such as ties=id-descending",
        )
    rankings = Rankings(
        native, task.conventions, threads=1, run_queries=run_queries, run=given, judgments=judged
    )
    rankings.tables = {} if task.items is None else {ITEMS: task.items}
    return rankings


def _count(totals: Totals, system: str, rankings: Rankings) -> None:
    missing = len(rankings.native.missing())
    totals.missing[system] = missing
    totals.unjudged[system] = rankings.run_queries - (len(rankings) - missing)
    totals.empty = len(rankings.native.empty())


def _total(
    task: Task,
    totals: Totals,
    matrices: Mapping[str, ndarray],
    segments: SegmentColumns,
    drawn: ndarray | None,
) -> None:
    """Adds the moments of values, and those of pairs with the baseline, over all queries and by segment."""
    import numpy as np

    groups: list[tuple[str, str, ndarray]] = [
        (system, VALUES, summed_columns(task.measures, values)) for system, values in matrices.items()
    ]
    if task.baseline is not None:
        before = matrices[task.baseline]
        for system, values in matrices.items():
            if system != task.baseline:
                differences = values - before
                unpaired = np.isnan(differences)
                groups += [
                    (system, DIFFERENCES, differences),
                    (system, AFTER, np.where(unpaired, np.nan, values)),
                    (system, BEFORE, np.where(unpaired, np.nan, before)),
                ]
    for system, kind, values in groups:
        sampled = drawn if kind in (VALUES, DIFFERENCES) else None
        totals.add(((), system, kind), Moments.of(values, sampled))
        for segment, rows in segments.members():
            part = None if sampled is None else sampled[rows]
            totals.add((segment, system, kind), Moments.of(values[rows], part))


def total_values(task: Task, table: Any) -> Totals:
    """The totals of values that were measured before: rows of query, system, segments and measures, as `Measured.values`
    has them, in any order, all rows of a query among them. A system without a value for a query has none to compare."""
    import numpy as np
    import pyarrow as pa

    totals = Totals(task.systems)
    texts = table.column("query").cast(pa.string())
    queries = sorted(set(texts.to_pylist()), key=lambda name: name.encode("utf-8", "surrogateescape"))
    position = {query: at for at, query in enumerate(queries)}
    rows = np.array([position[query] for query in texts.to_pylist()])
    cells = np.column_stack([table.column(name).to_numpy() for name in task.columns]).astype(float)
    systems = table.column("system").to_numpy(zero_copy_only=False)
    matrices = {system: np.full((len(queries), len(task.measures)), np.nan) for system in task.systems}
    for system, matrix in matrices.items():
        of_system = np.flatnonzero(systems == system)
        _refuse_twice(rows[of_system], queries, system)
        matrix[rows[of_system]] = cells[of_system]
        totals.rows[system] = len(of_system)
    totals.judged = len(queries)
    drawn = draws(queries, task.rounds, task.seed) if task.rounds else None
    _total(task, totals, matrices, SegmentColumns(task.by, table, queries), drawn)
    return totals


def _refuse_twice(rows: ndarray, queries: list[str], system: str) -> None:
    import numpy as np

    if (twice := np.flatnonzero(np.bincount(rows, minlength=1) > 1)).size:
        raise InputError(
            f"values: query {queries[int(twice[0])]!r} of {system!r} appears twice",
            hint="keep one of its rows",
        )
