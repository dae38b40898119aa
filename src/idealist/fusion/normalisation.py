"""Scores of different systems made comparable: by query and run.

Each takes the united documents and gives scores of the same shape; a document that a run lacks has none (nan), and
adds nothing to a sum, unless a normalisation says otherwise.
"""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
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
