"""The runs of several systems in one source, by name."""

from __future__ import annotations

import os

from idealist.data.columns import is_frame
from idealist.data.frame_runs import FrameRun
from idealist.io.reading import RunFile, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Run, UnreadRun
    from idealist.types import GivenRun


def read_runs(source: GivenRun, **options: Any) -> dict[str, Run]:
    """The runs in a table or frame of several systems, by what its column `system` says (or the column that `columns`
    names as such); one run, by the name of its file, where there is none. The other arguments are those of read_run."""
    unread: UnreadRun | None = None
    if is_frame(source):
        unread = FrameRun(source, columns=options.get("columns"))
    elif isinstance(source, (str, os.PathLike)):
        unread = RunFile(source, **options)
    runs = None if unread is None else unread.by_system()
    if runs is not None:
        return {name: run.read() for name, run in runs.items()}
    run = read_run(source, **options)
    return {run.name: run}
