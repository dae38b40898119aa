"""Frames whose rows are of several systems: a column says whose each row is."""

from __future__ import annotations

from idealist.data.column_names import find_system
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any


def column_names(frame: Any) -> list[str]:
    """What the columns of a frame are called; none of a lazy one, which is refused wherever it is read."""
    if hasattr(frame, "collect"):
        return []
    names: Any = getattr(frame, "column_names", None)  # of pyarrow, whose `columns` are the cells
    if names is None:
        names = getattr(getattr(frame, "schema", None), "names", None)
    if names is None or callable(names):
        names = getattr(frame, "columns", ())
    return [str(name) for name in names]


def system_column(frame: Any, columns: Mapping[str, str] | None) -> str | None:
    """The frame's column of systems, if it has one."""
    return find_system(column_names(frame), columns)


def tables_by_system(frame: Any, columns: Mapping[str, str] | None) -> dict[str, Any] | None:
    """The rows of each system, as tables of pyarrow without that column; None where no column names systems."""
    column = system_column(frame, columns)
    if column is None:
        return None
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise MissingDependency(
            "run: a frame of several systems needs pyarrow", hint="pip install 'idealist[tables]'"
        ) from None
    table = pyarrow.table(frame)
    views = {field.name for field in table.schema if str(field.type) == "string_view"}  # no filter takes them
    text = pyarrow.large_string()
    table = table.cast(
        pyarrow.schema(
            [field_of.with_type(text) if field_of.name in views else field_of for field_of in table.schema]
        )
    )
    cells = table.column(column).cast(pyarrow.string())
    if cells.null_count:
        raise InputError(f"run: the column {column!r} has nulls", hint="name the system of every row")
    return {
        system: table.filter(pyarrow.compute.equal(cells, system)).drop_columns([column])
        for system in cells.unique().to_pylist()
    }


def refuse_several(systems: Collection[str], source: str | None) -> None:
    """Raises where one run is meant and there are several."""
    if len(systems) > 1:
        raise InputError(
            f"this holds {len(systems)} systems: {listed_systems(systems)}",
            source=source,
            hint="choose one: --system NAME, or read_run(…, system=NAME) in Python, where read_runs gives all; "
            "evaluate, compare, report and fuse take all of them",
        )


def chosen_system(runs: Mapping[str, Any], system: str, source: str | None) -> Any:
    """The run of one system, of those by name."""
    if system not in runs:
        raise InputError(
            f"no system is called {system!r}", source=source, hint=f"name one of: {listed_systems(runs)}"
        )
    return runs[system]


def listed_systems(systems: Collection[str]) -> str:
    return ", ".join(list(systems)[:5]) + ", …" * (len(systems) > 5)
