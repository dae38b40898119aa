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
    ranked = preference_rankings(rankings)
    return [
        _share(_counts(groups, position_of), retrieved, base)
        for groups, position_of, retrieved in zip(
            ranked.groups, ranked.position, ranked.retrieved, strict=True
        )
    ]


def _counts(groups: list[Group], position_of: dict[str, int]) -> Any:
    """How many groups prefer the document of the row to that of the column, by place."""
    import numpy as np

    counts = np.zeros((len(position_of), len(position_of)), dtype=np.int32)
    for group in groups:
        positions = np.array([position_of[document] for document in group.documents])
        counts[positions[:, None], positions] += group.preferred()
    return counts


def _share(counts: Any, retrieved: int, base: str) -> float:
    import numpy as np

    right, stated = np.triu(counts), np.triu(counts + counts.T, 1)
    shares = np.divide(right, stated, out=np.zeros(stated.shape), where=stated > 0)
    parts = (
        [slice(None, retrieved)]
        if base.endswith("_ret")
        else [slice(None, retrieved), slice(retrieved, None)]
    )
    ordered = [shares[:retrieved, part].ravel() for part in parts]
    pairs = sum(int(np.count_nonzero(stated[:retrieved, part])) for part in parts)
    if base == "prefs_pair":
        pairs += int(np.count_nonzero(stated[retrieved:]))
    # One after the other; a plain sum would add them up in halves.
    added = np.add.accumulate(np.concatenate([np.zeros(1), *ordered]))[-1]
    return float(added) / pairs if pairs else 0.0
