"""Runs in frames, measured where they lie."""

from __future__ import annotations

from idealist import kernels
from idealist.data.columns import find_system
from idealist.data.frames import Frame
from idealist.data.run import Run, UnreadRun
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.judgments import Judgments
    from idealist.data.streaming import Matched


class FrameRun(UnreadRun):
    """A run in a frame, or in anything else that can be asked for its Arrow stream again and again: measured
    without a copy of it."""

    def __init__(
        self,
        frame: Any,
        *,
        name: str = "run",
        columns: Mapping[str, str] | None = None,
        source: str | None = None,
    ) -> None:
        self.name = name
        self.source = source
        self.frame = Frame(frame, "run", columns=columns, source=source)

    def by_system(self) -> dict[str, UnreadRun] | None:
        """The run of each system, where a column `system` tells several apart."""
        if self.source is not None:
            return None  # a file, which says it itself
        frame = self.frame.frame
        names: Any = getattr(frame, "column_names", None)
        names = getattr(frame, "columns", ()) if names is None else names
        column = find_system([str(name) for name in names], self.frame.columns)
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
        views = {
            field.name for field in table.schema if str(field.type) == "string_view"
        }  # no filter takes them
        text = pyarrow.large_string()
        table = table.cast(
            pyarrow.schema([one.with_type(text) if one.name in views else one for one in table.schema])
        )
        cells = table.column(column).cast(pyarrow.string())
        if cells.null_count:
            raise InputError(f"run: the column {column!r} has nulls", hint="name the system of every row")
        return {
            system: FrameRun(
                table.filter(pyarrow.compute.equal(cells, system)).drop_columns([column]),
                name=system,
                columns=self.frame.columns,
            )
            for system in cells.unique().to_pylist()
        }

    def read(self) -> Run:
        rows = self.frame.rows(kernels.available_threads())
        return Run.from_rows(rows, name=self.name, source=self.frame.source)

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        return self.frame.match(judgments, options, threads)
