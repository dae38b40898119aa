"""fuse: several runs become one."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.data import Run, UnreadRun, as_run
from idealist.data.columns import is_frame
from idealist.data.run import runs_by_name
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.evaluation.inputs import PATHS, measurable
from idealist.fusion.normalization import NORMALIZATIONS, normalization_named
from idealist.fusion.registry import parse_method
from idealist.fusion.united import parts, refuse_undefined, unite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.run import RunLike
    from idealist.fusion.base import Method


def fuse(
    runs: Sequence[RunLike] | Mapping[str, RunLike],
    method: str | Method = "rrf",
    *,
    normalize: str | None = None,
    name: str | None = None,
    depth: int | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> Run:
    """Several runs combined into one, which has every document of each of them, best first, or with `depth` the
    first so many of each query.

    `method` is a name with its `parameters`, or a method as an object, such as a fitted one; `normalize` makes
    scores comparable first, as is usual for the method unless it is said: `methods` and NORMALIZATIONS list both.
    A query that only some runs have is fused from those. Ranks, and the order of the result, put equal scores by
    document id, descending.

    >>> bm25, dense = {"q": {"a": 12.5, "b": 11.0}}, {"q": {"b": 0.9, "c": 0.4}}
    >>> fuse([bm25, dense])
    <Run 'rrf(k=60)': 1 query, 3 documents>
    >>> fuse([bm25, dense], "combsum")["q"]
    {'b': 1.0, 'a': 1.0, 'c': 0.0}
    >>> fuse([bm25, dense], "wsum", weights=(0.7, 0.3)).ranking("q")
    ['a', 'b', 'c']
    """
    chosen = parse_method(method, **parameters)
    together = several_runs(runs)
    chosen.require(len(together))
    normalization = normalization_for(chosen, normalize)
    count = kernels.thread_count(threads)
    united = unite(together, count)
    return cut(fused(united, together, chosen, normalization, name=name, threads=count), depth)


def cut(run: Run, depth: int | None) -> Run:
    """The first `depth` documents of each query; all without one.

    >>> cut(Run({"q": {"a": 1.0, "b": 3.0, "c": 2.0}}), 2)["q"]
    {'b': 3.0, 'c': 2.0}
    """
    if depth is None:
        return run
    depth = as_count(depth, "the depth")
    first = {}
    for query, documents in run.items():
        first[query] = {document: documents[document] for document in run.ranking(query)[:depth]}
    return Run(first, name=run.name)


def fused(
    united: kernels.Union,
    runs: Sequence[Run],
    method: Method,
    normalization: str,
    *,
    name: str | None = None,
    threads: int,
) -> Run:
    """The run that a method makes of united runs."""
    import numpy as np

    scores = np.empty(len(united))
    # Formulas go over documents that a run lacks too; what they make of those is not used.
    with np.errstate(all="ignore"):
        for part in parts(united, [run.name for run in runs], threads):
            if normalization != "none":
                part.normalized(NORMALIZATIONS[normalization])
            scores[part.rows] = found = method.scores(part)
            refuse_undefined(part, found, method)
    return Run.from_rows(united.rows(scores, threads), name=name or str(method))


def several_runs(runs: Any) -> list[Run]:
    """At least two runs, in memory; dicts are called run 1, run 2 … in messages."""
    if not isinstance(runs, Run) and (is_frame(runs) or isinstance(runs, UnreadRun)):
        runs = dict(_by_system(runs, "run"))
    if isinstance(runs, (Run, *PATHS)) or not hasattr(runs, "__iter__"):
        raise InputError(f"runs to fuse are a list of runs, not {runs!r}", hint="give two or more")
    if isinstance(runs, Mapping):
        if not all(_is_run(one) for one in runs.values()):
            raise InputError("one run cannot be fused", hint="give a list of two or more")
        runs = [
            _called(system, name) for key, one in runs.items() for name, system in _by_system(one, str(key))
        ]
    together = [
        _called(one, name)
        for number, given in enumerate(runs, 1)
        for name, one in _by_system(given, _name(given, f"run {number}"))
    ]
    if len(together) < 2:
        raise InputError(
            "there is no run to fuse" if not together else "one run cannot be fused", hint="give two or more"
        )
    return together


def _by_system(run: Any, name: str) -> list[tuple[str, Any]]:
    """A run by its name, or the runs of the systems that are told apart in it."""
    return list(runs_by_name({name: measurable(run, name)}).items())


def _name(run: Any, otherwise: str) -> str:
    """What a run that was given without a name is called."""
    named = measurable(run, None) if isinstance(run, PATHS) else run
    return named.name if isinstance(named, (Run, UnreadRun)) else otherwise


def _called(run: RunLike, name: str) -> Run:
    read = as_run(run)
    return read if read.name == name else Run.from_rows(read.rows, name=name, source=read.source)


def _is_run(value: Any) -> bool:
    """Whether the value of a mapping is a run, and not the documents of a query."""
    if isinstance(value, (Run, UnreadRun, *PATHS)) or is_frame(value):
        return True
    return isinstance(value, Mapping) and all(isinstance(one, Mapping) for one in value.values())


def normalization_for(method: Method, normalize: str | None) -> str:
    """How scores are normalised: as asked for, or as is usual for the method."""
    if normalize is None:
        return method.normalize
    named = normalization_named(normalize)
    if method.looks_at == "ranks" and named != "none":
        raise InputError(
            f"{method.name} looks at ranks alone: normalize={normalize!r} changes nothing",
            hint="leave it out",
        )
    if method.looks_at == "both" and named == "min-max-inverted":
        raise InputError(
            f"{method.name} looks at ranks too, which are by descending score",
            hint="negate the scores instead",
        )
    return named
