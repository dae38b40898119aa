"""Runs in frames, measured where they lie."""

from __future__ import annotations

from idealist import kernels
from idealist.data.frame_systems import tables_by_system
from idealist.data.frames import Frame
from idealist.data.run import Run, UnreadRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.judgments import Judgments
    from idealist.data.streaming import Matched


class FrameRun(UnreadRun):
    """A run in a frame: measured without a copy of it."""

    def __init__(self, frame: Any, *, name: str = "run", columns: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.frame = Frame(frame, "run", columns=columns)

    def by_system(self) -> dict[str, UnreadRun] | None:
        """The run of each system, where a column `system` tells several apart."""
        columns = self.frame.columns
        tables = tables_by_system(self.frame.frame, columns)
        if tables is None:
            return None
        return {system: FrameRun(table, name=system, columns=columns) for system, table in tables.items()}

    def read(self) -> Run:
        rows = self.frame.rows(kernels.available_threads())
        return Run.from_rows(
            rows,
            name=self.name,
            whole_ids=self.frame.whole_queries,
            whole_documents=self.frame.whole_documents,
        )

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        return self.frame.match(judgments, options, threads)
