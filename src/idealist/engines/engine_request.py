"""What is asked of an engine: frames as runs and judgments, which column is which, what is measured, and how sure the intervals are."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.frozen import Frozen
from idealist.conventions import DEFAULT
from idealist.data.column_names import columns_of, find_roles, find_system, split_role
from idealist.engines.kernel import empty_values
from idealist.engines.task import make_task, named_runs, refuse_intervals, segment_columns
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.engines.task import Task
    from idealist.measures import Measure


# The names that rows and values have besides those of measures and segments.
OWN_COLUMNS = ("query", "system", "document", "number", "grade", "score", "side", "part", "rows", "id")


class Side(Frozen):
    """The columns of a run or of judgments: their names, and the number `sign`, −1 where the lowest rank is the best.

    `query_type` and `segment_types` are Arrow's.
    """

    kind: str
    query: str
    document: str
    number: str
    sign: int
    query_type: Any
    segment_types: Mapping[str, Any]

    @property
    def own_ids(self) -> bool:
        """Whether queries are no text, so that their own values are kept beside their text."""
        import pyarrow as pa

        return not pa.types.is_string(self.query_type)

    @property
    def further_columns(self) -> dict[str, str]:
        """Of judgments, the columns besides query, document and grade, by the names that the kernel has for them: those of
        segments and, where queries are no text, `id`."""
        segments = {name: name for name in self.segment_types}
        return segments | {"id": self.query} if self.own_ids else segments

    def rows(self, table: Any) -> Any:
        """The columns query (text), document, number, those of segments and, of judgments whose queries are no text,
        `id`, as an Arrow table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        query, document, number = (table.column(name) for name in (self.query, self.document, self.number))
        try:
            number = number.cast(pa.float64())
        except pa.ArrowInvalid as error:  # a whole number beyond 2^53
            raise InputError(f"{self.kind}: {error}", hint="give numbers that a double can hold") from None
        columns = {
            "query": query.cast(pa.string()),
            "document": document if pa.types.is_integer(document.type) else document.cast(pa.string()),
            "number": number if self.sign > 0 else pc.negate(number),
        }
        if self.kind == "judgments":
            columns |= {name: table.column(name).cast(kind) for name, kind in self.segment_types.items()}
            columns |= {"id": query.cast(self.query_type)} if self.own_ids else {}
        return pa.table(columns)

    def judged_schema(self) -> Any:
        """The schema of judgments as the kernel takes them, for parts that have none."""
        import pyarrow as pa

        fields = [("query", pa.string()), ("document", pa.string()), ("grade", pa.float64())]
        fields += list(self.segment_types.items())
        return pa.schema([*fields, *([("id", self.query_type)] if self.own_ids else [])])


def find_side(
    schema: Any, kind: str, *, columns: Mapping[str, str] | None = None, by: Sequence[str] = ()
) -> Side:
    """Which column of a frame is which, by its Arrow schema: by the names that `idealist.evaluate` knows, or `columns`.

    >>> import pyarrow as pa
    >>> side = find_side(pa.schema({"user_id": pa.int64(), "sku": pa.string(), "rating": pa.int8()}), "judgments")
    >>> side.query, side.document, side.number
    ('user_id', 'sku', 'rating')
    """
    names = list(schema.names)
    for name in by:
        if name not in names:
            raise InputError(
                f"{kind}: there is no column {name!r}, by which to tell segments apart",
                hint=f"there are {', '.join(names)}",
            )
    own = {role: name for role, name in columns_of(columns, kind).items() if name in names} or None
    if kind == "run" and (system := find_system(names, own)) is not None:
        raise InputError(
            f"run: the column {system!r} tells several systems apart",
            hint="give the rows of each by its name: {'a': …, 'b': …}, without that column",
        )
    found = find_roles(names, kind, own, source=kind)
    number = next(role for role in ("score", "grade", "rank") if role in found)
    for role in ("query", "document"):
        _refuse_type(schema.field(found[role]).type, kind, role)
    _refuse_numbers(schema.field(found[number]).type, kind, number)
    return Side(
        kind,
        names[found["query"]],
        names[found["document"]],
        names[found[number]],
        -1 if number == "rank" else 1,
        _plain(schema.field(found["query"]).type),
        {name: _plain(schema.field(name).type) for name in by},
    )


def _plain(kind: Any) -> Any:
    """One type for all ways in which Arrow has text."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.string() if pa.types.is_large_string(kind) or kind == pa.string_view() else kind


def _refuse_type(kind: Any, side: str, role: str) -> None:
    import pyarrow as pa

    kind = _plain(kind)
    types = pa.types
    if types.is_nested(kind):
        raise InputError(
            f"{side}: the {role} is of type {kind}, and a row is expected for each document",
            hint="explode or unnest the lists first",
        )
    if not (types.is_string(kind) or types.is_integer(kind) or types.is_temporal(kind)):
        raise InputError(
            f"{side}: the {role} is of type {kind}, and ids are text, whole numbers or dates",
            hint="cast it to a string",
        )


def _refuse_numbers(kind: Any, side: str, role: str) -> None:
    import pyarrow as pa

    types = pa.types
    if not (
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_boolean(kind)
    ):
        raise InputError(
            f"{side}: the {role} is of type {kind}, and a number is expected", hint="cast it to a number"
        )


class Request(Frozen):
    """The frames, judgments first, each with its columns; the task; and the confidence of intervals."""

    task: Task
    frames: tuple[Any, ...]
    sides: tuple[Side, ...]
    confidence: float

    @property
    def judged(self) -> Side:
        return self.sides[0]

    def values_schema(self) -> Any:
        """The Arrow schema of the values: query in its own type, system, segments and measures."""
        return empty_values(self.task, self.judged.judged_schema().empty_table()).schema


def make_request(
    judgments: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    schema_of: Callable[[Any, str], Any],
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    items: Any = None,
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> Request:
    """A request from the arguments of an engine's `evaluate`. `schema_of` gives the Arrow schema of a frame of that engine,
    or an error where it is no such frame."""
    by = segment_columns(by, OWN_COLUMNS)
    runs_by_name = named_runs(runs, "frame")
    refuse_intervals(rounds, confidence)
    frames = (judgments, *runs_by_name.values())
    kinds = ("judgments", *("run" for _ in runs_by_name))
    schemas = [schema_of(frame, kind) for frame, kind in zip(frames, kinds, strict=True)]
    _refuse_columns(columns or {}, schemas, kinds)
    sides = tuple(
        find_side(schema, kind, columns=columns, by=by if kind == "judgments" else ())
        for schema, kind in zip(schemas, kinds, strict=True)
    )
    task = make_task(
        measures,
        conventions=conventions,
        systems=tuple(map(str, runs_by_name)),
        by=by,
        items=items,
        rounds=rounds,
        seed=seed,
    )
    return Request(task, frames, sides, confidence)


def _refuse_columns(columns: Mapping[str, str], schemas: Sequence[Any], kinds: Sequence[str]) -> None:
    """One mapping serves all frames: a name may be missing from some of those that it is said of, but not from all."""
    for key, name in columns.items():
        whose, role = split_role(key)
        names = dict.fromkeys(
            name
            for schema, kind in zip(schemas, kinds, strict=True)
            if whose in ("", kind)
            for name in schema.names
        )
        if name not in names:
            raise InputError(
                f"there is no column {name!r}, which columns names as the {role}",
                hint=f"there are {', '.join(names)}",
            )
