"""What is asked of an engine: the frames by name, what is measured, and how sure the intervals are."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.frozen import Frozen
from idealist.conventions import DEFAULT
from idealist.data.column_names import split_role
from idealist.engines.arrow_sides import OWN_COLUMNS, find_side
from idealist.engines.kernel import empty_values
from idealist.engines.task import make_task, named_runs, refuse_intervals, segment_columns
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.engines.arrow_sides import Side
    from idealist.engines.task import Task
    from idealist.measures import Measure


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
