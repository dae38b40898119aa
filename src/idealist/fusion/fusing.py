"""The verb `fuse`: several runs combined into one, their scores made comparable.

Each takes the united documents and gives scores of the same shape; a document that a run lacks has none (nan), and
adds nothing to a sum, unless a normalisation says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import as_count
from idealist.data import Run, UnreadRun, as_run
from idealist.data.arguments import PATHS, holds_runs, measurable
from idealist.data.collection import whole_number_columns
from idealist.data.columns import is_frame
from idealist.data.run import runs_by_name
from idealist.errors import InputError
from idealist.fusion.methods import Method
from idealist.fusion.united import parts, refuse_undefined, unite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.run import RunLike
    from idealist.fusion.united import Array, United


def none(united: United) -> Array:
    """The scores as they are."""
    return united.scores


def min_max(united: United) -> Array:
    """(s - min) / (max - min): the best document has 1, the worst 0.

    Where all scores are equal, 1: each is the best."""
    low, high = _extremes(united)
    return _divided(united.scores - united.spread(low), united.spread(high - low), otherwise=1.0)


def min_max_inverted(united: United) -> Array:
    """(max - s) / (max - min), for distances: the lowest score is the best.

    Where all are equal, 1."""
    low, high = _extremes(united)
    return _divided(united.spread(high) - united.scores, united.spread(high - low), otherwise=1.0)


def maximum(united: United) -> Array:
    """s / max, for scores of 0 or more.

    Where all are 0, 0."""
    low, high = _extremes(united)
    if ((high <= 0) & (low < 0)).any():
        raise InputError(
            f"{united.where((high <= 0) & (low < 0))} has no score above 0 to divide by",
            hint="max is for scores of 0 or more; min-max takes any",
        )
    return _divided(united.scores, united.spread(high), otherwise=0.0)


def total(united: United) -> Array:
    """(s - min) / Σ(s - min): the scores of a list add up to 1.

    Where all are equal, each has the same share."""
    import numpy as np

    low, _ = _extremes(united)
    above = united.scores - united.spread(low)
    share = 1 / united.spread(np.maximum(united.retrieved, 1))
    return _divided(above, united.spread(united.by_query(np.add, np.nan_to_num(above))), otherwise=share)


def z_score(united: United) -> Array:
    """(s - mean) / standard deviation, of the list and so divided by n.

    Where all are equal, 0. A document that a run lacks then counts as an average one: worse ones fall below it."""
    import numpy as np

    low, high = _extremes(united)
    size = np.maximum(united.retrieved, 1)
    # From 0 to 1 first, which changes nothing but keeps squares of any scores within what numbers hold.
    scaled = _divided(united.scores - united.spread(low), united.spread(high - low), otherwise=0.0)
    mean = united.by_query(np.add, np.where(united.has, scaled, 0.0)) / size
    deviations = scaled - united.spread(mean)
    squares = united.by_query(np.add, np.where(united.has, deviations * deviations, 0.0)) / size
    return _divided(deviations, united.spread(np.sqrt(squares)), otherwise=0.0)


def rank(united: United) -> Array:
    """1 - (rank - 1) / n, with n documents in the run's list: 1, then evenly down."""
    import numpy as np

    positions = (united.ranks.astype(np.float64) - 1) / united.spread(np.maximum(united.retrieved, 1))
    return np.where(united.has, 1 - positions, np.nan)


def borda(united: United) -> Array:
    """1 - (rank - 1) / c, with c documents in all runs together.

    Those that a run of n lacks share what is left: each has 1/2 - (n - 1) / 2c, and counts as if the run had it."""
    import numpy as np

    candidates = united.spread(np.repeat(united.sizes[:, None], united.runs, axis=1))
    listed = 1 - (united.ranks.astype(np.float64) - 1) / candidates
    retrieved = united.spread(united.retrieved.astype(np.float64))
    unlisted = np.where(retrieved > 0, 0.5 - (retrieved - 1) / (2 * candidates), np.nan)
    return np.where(united.has, listed, unlisted)


NORMALISATIONS = {
    "none": none,
    "min-max": min_max,
    "min-max-inverted": min_max_inverted,
    "max": maximum,
    "sum": total,
    "z-score": z_score,
    "rank": rank,
    "borda": borda,
}


def normalisation_named(name: str) -> str:
    """The canonical name of a normalisation: `min_max` is min-max, `zmuv` is z-score."""
    aliases = {"zmuv": "z-score", "zscore": "z-score", "minmax": "min-max"}
    text = str(name).strip().lower().replace("_", "-")
    text = aliases.get(text, text)
    if text not in NORMALISATIONS:
        raise InputError(
            f"there is no normalisation {name!r}", hint=f"name one of: {', '.join(NORMALISATIONS)}"
        )
    return text


def _extremes(united: United) -> tuple[Array, Array]:
    """By query and run the lowest and the highest score, which must be finite; nan where the run lacks the query."""
    import numpy as np

    low = united.by_query(np.fmin, united.scores)
    high = united.by_query(np.fmax, united.scores)
    if (wrong := np.isinf(low) | np.isinf(high)).any():
        raise InputError(
            f"{united.where(wrong)} has an infinite score",
            hint="replace it, or fuse by rank: normalisation='rank', or a method such as rrf",
        )
    if (wrong := np.isinf(high - low)).any():
        raise InputError(
            f"{united.where(wrong)} has scores too far apart for a 64-bit number",
            hint="fuse by rank: normalisation='rank', or a method such as rrf",
        )
    return low, high


def _divided(values: Array, by: Array, *, otherwise: float | Array) -> Array:
    """The quotient; `otherwise` where the divisor is 0, and nan, of a document that is not there, stays nan."""
    import numpy as np

    return np.where(by > 0, values / by, np.where(np.isnan(values), np.nan, otherwise))


def fuse(
    runs: Sequence[RunLike] | Mapping[str, RunLike],
    method: str | Method = "rrf",
    *,
    normalisation: str | None = None,
    name: str | None = None,
    depth: int | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> Run:
    """Several runs combined into one, which has every document of each of them, best first, or with `depth` the
    first so many of each query.

    `method` is a name with its `parameters`, or a method as an object, such as a fitted one; `normalisation` makes
    scores comparable first, as is usual for the method by default: `methods` and NORMALISATIONS list both.
    A query that only some runs have is fused from those. Ranks, and the order of the result, put equal scores by
    document id, descending.

    >>> bm25, dense = {"q": {"a": 12.5, "b": 11.0}}, {"q": {"b": 0.9, "c": 0.4}}
    >>> fuse([bm25, dense])
    <Run 'rrf(k=60)': 1 query, 3 documents>
    >>> fuse([bm25, dense], "combsum")["q"]
    {'b': 1.0, 'a': 1.0, 'c': 0.0}
    >>> fuse([bm25, dense], "wsum", run_weights=(0.7, 0.3)).ranking("q")
    ['a', 'b', 'c']
    """
    parsed_method = Method.parse(method, **parameters)
    run_list = several_runs(runs)
    parsed_method.require(len(run_list))
    normalisation = normalisation_for(parsed_method, normalisation)
    count = kernels.thread_count(threads)
    united = unite(run_list, count)
    return cut(fused(united, run_list, parsed_method, normalisation, name=name, threads=count), depth)


def cut(run: Run, depth: int | None) -> Run:
    """The first `depth` documents of each query; all without one.

    >>> cut(Run({"q": {"a": 1.0, "b": 3.0, "c": 2.0}}), 2)["q"]
    {'b': 3.0, 'c': 2.0}
    """
    if depth is None:
        return run
    depth = as_count(depth, "the depth")
    top = {}
    for query, documents in run.items():
        top[query] = {document: documents[document] for document in run.ranking(query)[:depth]}
    return run.with_rows(Run(top).rows)


def fused(
    united: kernels.Union,
    runs: Sequence[Run],
    method: Method,
    normalisation: str,
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
            if normalisation != "none":
                part.normalised(NORMALISATIONS[normalisation])
            scores[part.rows] = part_scores = method.scores(part)
            refuse_undefined(part, part_scores, method)
    whole = whole_number_columns(*runs)
    return Run.from_rows(
        united.rows(scores, threads),
        name=name or str(method),
        whole_ids="query" in whole,
        whole_documents="document" in whole,
    )


def several_runs(runs: Any) -> list[Run]:
    """At least two runs, in memory; dicts are called run 1, run 2 … in messages."""
    if not isinstance(runs, Run) and (is_frame(runs) or isinstance(runs, UnreadRun)):
        runs = dict(_by_system(runs, "run"))
    if isinstance(runs, (Run, *PATHS)) or not hasattr(runs, "__iter__"):
        raise InputError(f"the runs to fuse must be a list of runs, not {runs!r}", hint="give two or more")
    if isinstance(runs, Mapping):
        if not holds_runs(runs):
            raise InputError("a single run cannot be fused", hint="give a list of two or more")
        runs = [
            _called(system, name) for key, run in runs.items() for name, system in _by_system(run, str(key))
        ]
    run_list = [
        _called(run, name)
        for number, given_run in enumerate(runs, 1)
        for name, run in _by_system(given_run, _name(given_run, f"run {number}"))
    ]
    if len(run_list) < 2:
        raise InputError(
            "no run was given" if not run_list else "a single run cannot be fused", hint="give two or more"
        )
    return run_list


def _by_system(run: Any, name: str) -> list[tuple[str, Any]]:
    """A run by its name, or the runs of the several systems in it."""
    return list(runs_by_name({name: measurable(run, name)}).items())


def _name(run: Any, otherwise: str) -> str:
    """The name of a run that was given without one."""
    run_file = measurable(run, None) if isinstance(run, PATHS) else run
    return run_file.name if isinstance(run_file, (Run, UnreadRun)) else otherwise


def _called(run: RunLike, name: str) -> Run:
    run_read = as_run(run)
    return run_read if run_read.name == name else run_read.with_rows(run_read.rows, name=name)


def normalisation_for(method: Method, normalisation: str | None) -> str:
    """The normalisation of scores: as requested, or as is usual for the method."""
    if normalisation is None:
        return method.normalisation
    normalisation = normalisation_named(normalisation)
    if method.looks_at == "ranks" and normalisation != "none":
        raise InputError(
            f"{method.name} uses ranks alone: normalisation={normalisation!r} changes nothing",
            hint="leave it out",
        )
    if method.looks_at == "both" and normalisation == "min-max-inverted":
        raise InputError(
            f"{method.name} uses ranks too, which are by descending score",
            hint="negate the scores instead",
        )
    return normalisation
