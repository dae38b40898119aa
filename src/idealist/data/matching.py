"""A run, in whatever form it was given, matched with judgments."""

from __future__ import annotations

from idealist import kernels
from idealist.data.columns import is_frame
from idealist.data.run import Run, UnreadRun
from idealist.data.streaming import Matched, match_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.judgments import Judgments
    from idealist.data.run import KnownRun, RunLike


def measurable_run(run: RunLike, name: str = "run") -> KnownRun:
    """A run in a form that can be matched: a frame as a run that is not read yet, lists or a matrix as a
    run; a mapping stays what it is."""
    if isinstance(run, (Run, UnreadRun)):
        return run
    if not is_frame(run):
        from idealist.data.lists import holds_lists, holds_rows

        return Run(run, name=name) if holds_lists(run) or holds_rows(run) else run  # type: ignore[return-value]
    from idealist.data.frame_runs import FrameRun

    return FrameRun(run, name=name)


def match_run(judgments: Judgments, run: RunLike, options: kernels.MatchOptions, threads: int) -> Matched:
    """The native rankings of the judged queries, and how large the run was."""
    run = measurable_run(run)
    if isinstance(run, UnreadRun):
        return run.rankings(judgments, options, threads)
    if isinstance(run, dict):  # walked where it is; anything else becomes a Run first
        native = kernels.match_dict(run, judgments.rows, options)
        if native is not None:
            return Matched(native, len(run), -1)
    if isinstance(run, Run):
        return match_rows(run.rows, judgments, options, threads)
    return match_rows(Run(run).rows, judgments, options, threads).replace(rows=-1)
