"""Votes by item: what the raters of an item say together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data.votes import Votes

FOLDS = ("majority", "mean")


class Items:
    """One entry per item that counts: its query's number, its shares of good, same and bad votes (1 and 0 after
    a majority), its mean severity, its weight and its segment's number. Anchors and items without weight do
    not count.

    `unsettled` is the number of items without a majority. `among` says which votes there are, when not all.
    """

    def __init__(self, votes: Votes, fold: str = "majority", among: ndarray | None = None) -> None:
        import numpy as np

        rows = np.asarray(votes.items)
        counting = counted(votes)
        self.weightless = int((~counting & ~anchored(votes)[rows]).sum())
        if among is not None:
            counting &= among
        if not counting.any():
            raise votes.wrong(
                "no vote counts: each has the weight 0, or is on an item with a known answer",
                hint="GSB is of items with a weight and without a known answer",
            )
        rows = rows[counting]
        kept, at = np.unique(rows, return_inverse=True)
        values = np.asarray(votes.values)[counting]
        counts = np.stack([np.bincount(at, values == one, len(kept)) for one in (1, 0, -1)])
        self.votes = counts.sum(axis=0)
        self.n = len(kept)
        self.unsettled = 0
        if fold == "majority":
            largest = counts.max(axis=0)
            settled = 2 * largest > self.votes
            self.unsettled = int((~settled).sum())
            winner = np.where(settled, counts.argmax(axis=0), 1)
            self.good, self.same, self.bad = (1.0 * (winner == which) for which in range(3))
        else:
            self.good, self.same, self.bad = counts / self.votes
        self.x = self.good - self.bad
        severities = np.asarray(votes.severities, dtype=float)[counting]
        self.severity = np.bincount(at, severities, len(kept)) / self.votes
        numbers = np.nonzero(counting)[0]
        first = np.full(len(kept), len(votes))
        np.minimum.at(first, at, numbers)
        self.query_names, self.query = _numbered(votes.queries, first)
        self.segment_names, self.segment = (
            _numbered(votes.segments, first) if votes.segments else ([], np.zeros(self.n, dtype=int))
        )
        self.weight = np.ones(self.n) if votes.weights is None else np.asarray(votes.weights)[first]
        self.weighted = bool(np.ptp(self.weight) > 0)
        self.weighed_by = votes.weighed_by

    @property
    def queries(self) -> int:
        return len(self.query_names)

    def chosen(self, which: ndarray) -> Items:
        """Some of the items, as if there were no others."""
        import numpy as np

        some = object.__new__(Items)
        some.__dict__.update(self.__dict__)
        for name in ("votes", "good", "same", "bad", "x", "severity", "segment", "weight"):
            setattr(some, name, getattr(self, name)[which])
        kept, some.query = np.unique(self.query[which], return_inverse=True)
        some.query_names = [self.query_names[number] for number in kept]
        some.n = int(which.sum())
        return some


def counted(votes: Votes) -> ndarray:
    """Which votes count: those with a weight, on items without a known answer."""
    import numpy as np

    counting: ndarray = ~anchored(votes)[np.asarray(votes.items)]
    if votes.weights is not None:
        counting &= np.asarray(votes.weights) > 0
    return counting


def anchored(votes: Votes) -> ndarray:
    """Which items have a known answer."""
    import numpy as np

    known = np.zeros(max(votes.items) + 1, dtype=bool)
    for item, answer in zip(votes.items, votes.anchors or (), strict=bool(votes.anchors)):
        known[item] |= answer is not None
    return known


def _numbered(names: list[str], rows: ndarray) -> tuple[list[str], ndarray]:
    import numpy as np

    numbers: dict[str, int] = {}
    at = [numbers.setdefault(names[row], len(numbers)) for row in rows]
    return list(numbers), np.asarray(at)
