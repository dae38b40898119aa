"""The baseline of a comparison: by its name, its file, or as the run itself."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data import Run
from idealist.errors import InputError
from idealist.evaluation.inputs import PATHS, name_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.evaluation import Evaluation

AMONG = "give the baseline among the runs too"


def baseline_of(systems: Sequence[str], baseline: str | None) -> str:
    """The system that the others are compared with."""
    if len(systems) < 2:
        raise InputError(
            f"only one system, {systems[0]!r}: there is nothing to compare it with",
            hint="give at least two runs, besides the judgments",
        )
    if baseline is None:
        return systems[0]
    if baseline not in systems:
        raise InputError(
            f"the baseline {baseline!r} is not among the runs", hint=f"name one of: {', '.join(systems)}"
        )
    return baseline


def baseline_named(stated: str | None, systems: Sequence[str], files: Mapping[str, str]) -> str:
    """The system that a text means: by its name, its path or the name of its file; the first without a text.
    `files` are the names of runs by path.

    >>> baseline_named("runs/b.run", ["a", "b"], {"runs/a.run": "a", "runs/b.run": "b"})
    'b'
    """
    if stated is None or stated in systems:
        return baseline_of(systems, stated)
    by_path = {os.path.abspath(path): name for path, name in files.items() if name in systems}
    by_file = [name for path, name in by_path.items() if os.path.basename(path) == stated]
    name = by_path.get(os.path.abspath(stated), by_file[0] if len(by_file) == 1 else stated)
    return baseline_of(systems, name)


def name_among(baseline: Any, *given: Any) -> Any:
    """The name of the run that the baseline is, where that very object is among the `given` ones; else as it is.

    >>> old, new = {"q": {"a": 1.0}}, {"q": {"b": 1.0}}
    >>> name_among(new, {"old": old, "new": new}), name_among(new, [old, new]), name_among("old", [old, new])
    ('new', 'run 2', 'old')
    """
    if baseline is None or isinstance(baseline, PATHS):
        return baseline
    for runs in given:
        if isinstance(runs, Mapping):
            names = (str(name) for name, run in runs.items() if run is baseline)
        elif isinstance(runs, (list, tuple)):
            names = (name_at(run, position) for position, run in enumerate(runs, 1) if run is baseline)
        else:
            continue
        if (name := next(names, None)) is not None:
            return name
    return baseline


def baseline_in(evaluation: Evaluation, baseline: Any) -> str:
    """The system of an evaluation that the baseline means: by its name, its file, or a Run of the same name and
    content."""
    systems = evaluation.systems
    runs = {} if evaluation.provenance is None else dict(evaluation.provenance.runs)
    if baseline is None or isinstance(baseline, PATHS):
        sources = [run.source for run in runs.values()]
        files = {run.source: name for name, run in runs.items() if sources.count(run.source) == 1}
        stated = None if baseline is None else os.fspath(baseline)
        return baseline_named(stated, systems, {path: name for path, name in files.items() if path})
    baseline_of(systems, None)
    if not isinstance(baseline, Run):
        raise InputError(f"the baseline, a {type(baseline).__name__}, is not one of the runs", hint=AMONG)
    if baseline.name not in systems:
        return baseline_of(systems, baseline.name)
    measured = runs.get(baseline.name)
    if measured is not None and measured.affordable_sha256 not in (None, baseline.sha256):
        raise InputError(
            f"the baseline {baseline.name!r} has other documents or scores than the run of this name",
            hint=AMONG,
        )
    return baseline.name
