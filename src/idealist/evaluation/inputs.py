"""The runs and judgments that verbs take: objects, files, frames, dicts, lists and arrays, in either order where their
content says which is which."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data import Judgments, RichJudgments, Run, UnreadRun
from idealist.data.columns import is_frame
from idealist.data.lists import refuse_records
from idealist.data.matching import measurable_run
from idealist.data.run import as_run, runs_by_name
from idealist.errors import InputError
from idealist.evaluation.needed import needed_columns, read_needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.data.drawn import DrawnJudgments
    from idealist.data.run import ArrowTable, KnownRun, Lists, RunLike
    from idealist.measures import Measure

    # A path, and whatever else can be given as a run or as judgments.
    Path = str | os.PathLike[str]
    GivenRun = RunLike | Path
    GivenRuns = GivenRun | Sequence[GivenRun] | Mapping[str, GivenRun]
    GivenJudgments = (
        Judgments
        | RichJudgments
        | DrawnJudgments
        | Mapping[Any, Mapping[Any, Any]]
        | ArrowTable
        | Lists
        | Path
    )

PATHS = (str, os.PathLike)


def recognise_inputs(run: Any, judgments: Any, columns: Mapping[str, str] | None = None) -> tuple[Any, Any]:
    """Runs and judgments in that order: swapped where their content shows that judgments came first.

    >>> judged = Judgments({"q": {"a": 1}})
    >>> recognise_inputs(judged, {"q": {"a": 0.5}}) == ({"q": {"a": 0.5}}, judged)
    True
    """
    refuse_records(run)
    refuse_records(judgments)
    first, second = _kind(run, columns), _kind(judgments, columns)
    swapped = second != "judgments" if first == "judgments" else first is None and second == "run"
    return (judgments, run) if swapped else (run, judgments)


def _kind(source: Any, columns: Mapping[str, str] | None) -> str | None:
    """ "run" for a run or several, "judgments" for judgments; None where the content does not show it."""
    if type(source) is dict and type(next(iter(source.values()), None)) is dict:
        # Runs by name, else scores or grades: asked first because it is the quickest to answer.
        return "run" if holds_runs(source) else None
    if isinstance(source, (Judgments, RichJudgments)):
        return "judgments"
    if isinstance(source, (Run, UnreadRun)):
        return "run"
    if isinstance(source, PATHS):
        from idealist.io.kinds import kind_of_source

        return kind_of_source(os.fspath(source), columns)
    if is_frame(source):
        from idealist.data.frame_systems import column_names
        from idealist.io.kinds import kind_of_names

        return kind_of_names(column_names(source), columns)
    members: Iterable[Any] = source.values() if isinstance(source, Mapping) else source
    if isinstance(source, (Mapping, list, tuple)):
        first = next(iter(members), None)
        if isinstance(first, (*PATHS, Run, UnreadRun)) or is_frame(first):
            return _kind(first, columns)
        # Several runs in a list or by name; judgments are one mapping.
        if isinstance(first, Mapping) and (not isinstance(source, Mapping) or holds_runs(source)):
            return "run"
    return None


def read_judged(
    source: Any, measures: Sequence[Measure] = (), columns: Mapping[str, str] | None = None
) -> Judgments | RichJudgments:
    """Judgments, whatever they were given as; a file in the layout that the measures need."""
    if isinstance(source, (Judgments, RichJudgments)):
        return source
    if not isinstance(source, PATHS):
        return Judgments(source, columns=columns if is_frame(source) else None)
    needs = dict.fromkeys(measure.needs for measure in measures if measure.needs.given_as == "judgments")
    if needs:
        need = next(iter(needs))
        judgments: RichJudgments = read_needed(need, source, columns=needed_columns(need, columns))
        return judgments
    from idealist.io import read_judgments

    return read_judgments(source, columns=columns)


def read_plain(source: Any, columns: Mapping[str, str] | None = None) -> Judgments:
    """Judgments of one grade per document, whatever they were given as."""
    judged = read_judged(source, columns=columns)
    return judged if isinstance(judged, Judgments) else judged.plain()


def named_runs(run: Any, columns: Mapping[str, str] | None = None) -> dict[str, RunLike]:
    """Every run by name, no name twice; a file by its own, without its folder and ending."""
    run = measurable(run, None, columns)
    if isinstance(run, (Run, UnreadRun)):
        return runs_by_name({run.name: run})
    if isinstance(run, Mapping):
        if not holds_runs(run):
            return {"run": run}
        return runs_by_name(
            {str(name): measurable(run_read, str(name), columns) for name, run_read in run.items()}
        )
    if not hasattr(run, "__iter__"):
        raise InputError(
            f"a run must be a file, a Run, a frame, a dict of dicts or lists, or a matrix, not {run!r}",
            hint="read_run reads one from a file",
        )
    runs: dict[str, KnownRun] = {}
    for position, given_run in enumerate(run, 1):
        run_read = measurable(given_run, None if isinstance(given_run, PATHS) else f"run {position}", columns)
        name = name_at(run_read, position)
        if name in runs:
            raise InputError(
                f"two runs are called {name!r}", hint="give them as a mapping from names to runs"
            )
        runs[name] = run_read
    if not runs:
        raise InputError("no run was given", hint="give a run, or several in a list")
    return runs_by_name(runs)


def runs_in_memory(run: Any, columns: Mapping[str, str] | None = None) -> dict[str, Run]:
    """Every run by name, read: for whoever looks at one more than once, as a pipe can be read once only."""
    return {name: as_run(named_run) for name, named_run in named_runs(run, columns).items()}


def name_at(run: Any, position: int) -> str:
    """The name of a run in a list: its own, or else by its position there, from 1."""
    return run.name if isinstance(run, (Run, UnreadRun)) else f"run {position}"


def one_run(run: Any, columns: Mapping[str, str] | None = None) -> RunLike:
    """The one run that was given; several are an error."""
    runs = named_runs(run, columns)
    if len(runs) > 1:
        raise InputError(
            f"{len(runs)} runs were given, but this takes one: {', '.join(runs)}", hint="give one of them"
        )
    return next(iter(runs.values()))


def measurable(run: Any, name: str | None = None, columns: Mapping[str, str] | None = None) -> Any:
    """A run in a form that can be matched, a file or a frame not read yet; a mapping stays what it is."""
    if isinstance(run, PATHS):
        from idealist.io import RunFile

        return RunFile(run, name=name, columns=columns)
    if is_frame(run) and not isinstance(run, (Run, UnreadRun)):
        from idealist.data.frame_runs import FrameRun

        return FrameRun(run, name=name or "run", columns=columns)
    return measurable_run(run, name or "run")


def holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to runs, and not itself a run."""
    for value in mapping.values():
        if isinstance(value, (Run, UnreadRun, *PATHS)) or is_frame(value):
            return True
        from idealist.data.lists import holds_rows, is_row

        if isinstance(value, Mapping) and value:
            first = next(iter(value.values()))
            return isinstance(first, Mapping) or is_row(first)
        if not isinstance(value, Mapping) and holds_rows(value) and not is_row(value):
            return True
    return False
