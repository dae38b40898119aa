"""prefs_pair, its shares added up in trec_eval's order: pairs of two retrieved documents by their ranks, then pairs
of a retrieved and another one."""

from __future__ import annotations

from idealist.data.preferences import preference_rankings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Rankings
    from idealist.data.preferences import Group


def pair_values(rankings: Rankings, base: str) -> list[float]:
    """One number for each query; `base` is trec_eval's name of the measure."""
    seen = preference_rankings(rankings)
    return [
        _share(_counts(groups, place), retrieved, base)
        for groups, place, retrieved in zip(seen.groups, seen.place, seen.retrieved, strict=True)
    ]


def _counts(groups: list[Group], place: dict[str, int]) -> Any:
    """How many groups prefer the document of the row to that of the column, by place."""
    import numpy as np

    counts = np.zeros((len(place), len(place)), dtype=np.int32)
    for group in groups:
        places = np.array([place[document] for document in group.documents])
        counts[places[:, None], places] += group.preferred()
    return counts


def _share(counts: Any, retrieved: int, base: str) -> float:
    import numpy as np

    right, known = np.triu(counts), np.triu(counts + counts.T, 1)
    shares = np.divide(right, known, out=np.zeros(known.shape), where=known > 0)
    parts = (
        [slice(None, retrieved)]
        if base.endswith("_ret")
        else [slice(None, retrieved), slice(retrieved, None)]
    )
    ordered = [shares[:retrieved, part].ravel() for part in parts]
    pairs = sum(int(np.count_nonzero(known[:retrieved, part])) for part in parts)
    if base == "prefs_pair":
        pairs += int(np.count_nonzero(known[retrieved:]))
    # One after the other; a plain sum would add them up in halves.
    added = np.add.accumulate(np.concatenate([np.zeros(1), *ordered]))[-1]
    return float(added) / pairs if pairs else 0.0
