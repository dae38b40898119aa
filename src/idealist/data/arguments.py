"""The judgments and runs that verbs take, in this order: objects, files, frames, dicts, lists and arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice

from idealist.data import Judgments, RichJudgments, Run, UnreadRun
from idealist.data.arrays import refuse_records
from idealist.data.columns import is_frame
from idealist.data.needs import needed_columns, read_needed
from idealist.data.rankings import measurable_run
from idealist.data.run import as_run, runs_by_name
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.run import ArrowTable, KnownRun, LazyTable, Lists, RunLike
    from idealist.data.sampled import DrawnJudgments
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
        | LazyTable
        | Lists
        | Path
    )

PATHS = (str, os.PathLike)


def require_order(
    judgments: Any, runs: Any, measures: Any = None, *, verb: str = "evaluate(judgments, runs, measures)"
) -> None:
    """Raises where judgments and runs clearly stand in each other's place, or one of them in that of the measures: by
    what kind of object they are, and by numbers that only the other has. Columns and lines of files are looked at when they are read.

    >>> require_order(Run({"q": {"a": 0.5}}), {"q": {"a": 1}})
    Traceback (most recent call last):
    idealist.errors.InputError: <Run 'run': 1 query, 1 document> is a run, and stands where the judgments should
    hint: judgments come first: evaluate(judgments, runs, measures)
    """
    order = f"judgments come first: {verb}"
    refuse_records(runs)
    refuse_records(judgments)
    if _is_run(judgments):
        raise InputError(f"{judgments!r} is a run, and stands where the judgments should", hint=order)
    if type(judgments) is not dict and not is_frame(judgments):
        if isinstance(judgments, (list, tuple)) and any(map(_is_one, judgments)):
            raise InputError(
                "several runs or files stand where the judgments should, which are one", hint=order
            )
    elif type(judgments) is dict and holds_runs(judgments):
        raise InputError("runs by name stand where the judgments should", hint=order)
    members = (
        runs.values() if isinstance(runs, Mapping) else runs if isinstance(runs, (list, tuple)) else (runs,)
    )
    for run in members:
        if is_judgments(run):
            raise InputError(f"{run!r} are judgments, and stand where a run should", hint=order)
    if is_judgments(measures) or _is_one(measures) or type(measures) is dict:
        raise InputError(
            "runs or judgments stand where the measures should",
            hint=f"{verb}: several runs are given as one argument, a list or a dict from names to runs",
        )
    if _swapped_numbers(judgments, runs) == "surely":
        raise InputError(
            "the judgments have fractions, and the runs small whole numbers that many documents share: these are scores "
            "and grades in each other's place",
            hint=f"{order}; Judgments(…) and Run(…) say which is which where this is meant",
        )


def is_judgments(candidate: object) -> bool:
    """Whether this is an object of judgments, of whatever kind."""
    return isinstance(candidate, (Judgments, RichJudgments)) or type(candidate).__name__ == "DrawnJudgments"


def _is_run(candidate: object) -> bool:
    return isinstance(candidate, (Run, UnreadRun))


def _is_one(candidate: object) -> bool:
    """Whether this is one run or one file of them, and no list of documents."""
    return _is_run(candidate) or isinstance(candidate, os.PathLike) or is_frame(candidate)


# How many queries, and documents of each, are looked at; the highest grade that is usual.
QUERIES, DOCUMENTS, HIGHEST = 5, 50, 10


def note_places(judgments: Any, runs: Any) -> list[str]:
    """A note on numbers that may be in each other's place, and need not be."""
    if _swapped_numbers(judgments, runs) != "perhaps":
        return []
    return [
        "grades have fractions and scores are small whole numbers: judgments come first, evaluate(judgments, runs, …)"
    ]


def _swapped_numbers(judgments: Any, runs: Any) -> str:
    """Whether numbers in dicts and matrices are in each other's place: "surely" if there are fractions among the grades,
    and nothing but small whole numbers for scores, some of which documents share, in dicts; "perhaps" if there are
    fractions and whole scores. Real-valued grades are allowed, and so are whole scores: to be sure takes all of this.

    >>> graded, scored = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 0.9, "b": 12.5}}
    >>> _swapped_numbers(scored, graded), _swapped_numbers(scored, {"q": {"a": 2, "b": 1}}), _swapped_numbers(graded, scored)
    ('surely', 'perhaps', '')
    """
    if not any(
        isinstance(grade, float) and grade % 1 > 0 for grades in _sampled(judgments) for grade in grades
    ):
        return ""
    several = isinstance(runs, Mapping) and holds_runs(runs)
    scores = _sampled(next(iter(runs.values())) if several else runs)
    if not scores or any(score % 1 or not 0 <= score <= HIGHEST for query in scores for score in query):
        return ""
    shared = any(len(set(query)) < len(query) for query in scores)
    return (
        "surely" if shared and all(type(score) is int for query in scores for score in query) else "perhaps"
    )


def _sampled(numbers: Any) -> list[list[Any]]:
    """The numbers of the first documents of the first queries; none where this is no dict of dicts of numbers, and no matrix."""
    if type(numbers) is dict:
        queries = [query for query in islice(numbers.values(), QUERIES) if type(query) is dict]
        sample = [list(islice(query.values(), DOCUMENTS)) for query in queries]
    elif getattr(numbers, "ndim", 0) == 2 and hasattr(numbers, "tolist"):
        sample = numbers[:QUERIES, :DOCUMENTS].tolist()
    else:
        return []
    plain = all(type(number) in (int, float) for query in sample for number in query)
    return sample if plain else []


def require_both(judgments: Any, runs: Any) -> None:
    """Raises where there are runs and no judgments, or the other way round."""
    if runs is not None and judgments is not None:
        return
    missing, hint = "no judgments", "evaluate(judgments, runs, …)"
    if judgments is not None:
        missing = "judgments, and no runs to measure with them"
        hint = f"{hint}; a table of numbers per query is given as numbers=…"
    raise InputError(f"there are {missing}", hint=hint)


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
    from idealist.data import read_judgments

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
        from idealist.data import RunFile

        return RunFile(run, name=name, columns=columns)
    if is_frame(run) and not isinstance(run, (Run, UnreadRun)):
        from idealist.data.run import FrameRun

        return FrameRun(run, name=name or "run", columns=columns)
    return measurable_run(run, name or "run")


def holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to runs, and not itself a run."""
    for value in mapping.values():
        if isinstance(value, (Run, UnreadRun, *PATHS)) or is_frame(value):
            return True
        from idealist.data.arrays import holds_rows, is_row

        if isinstance(value, Mapping) and value:
            first = next(iter(value.values()))
            return isinstance(first, Mapping) or is_row(first)
        if not isinstance(value, Mapping) and holds_rows(value) and not is_row(value):
            return True
    return False
