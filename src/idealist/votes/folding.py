"""Votes folded by item: one value from all raters of an item."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data.votes import Votes

FOLDS = ("majority", "mean")


class VotedItems:
    """The items that count, one entry each: its query's number, its shares of good, same and bad votes (1 and 0 after
    a majority), its mean severity, its weight and its segment's number. Anchors and items without weight do
    not count.

    `unsettled` is the number of items without a majority. `among` masks the votes to use (default: all).
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
                "no vote counts: each has weight 0 or is on an item with a known answer",
                hint="GSB needs items with a weight above 0 and without a known answer",
            )
        rows = rows[counting]
        item_ids, item = np.unique(rows, return_inverse=True)
        values = np.asarray(votes.values)[counting]
        counts = np.stack([np.bincount(item, values == vote, len(item_ids)) for vote in (1, 0, -1)])
        self.votes = counts.sum(axis=0)
        self.n = len(item_ids)
        self.unsettled = 0
        if fold == "majority":
            largest = counts.max(axis=0)
            settled = 2 * largest > self.votes
            self.unsettled = int((~settled).sum())
            winner = np.where(settled, counts.argmax(axis=0), 1)
            self.good, self.same, self.bad = (1.0 * (winner == winner_code) for winner_code in range(3))
        else:
            self.good, self.same, self.bad = counts / self.votes
        self.x = self.good - self.bad
        severities = np.asarray(votes.severities, dtype=float)[counting]
        self.severity = np.bincount(item, severities, len(item_ids)) / self.votes
        numbers = np.nonzero(counting)[0]
        first = np.full(len(item_ids), len(votes))
        np.minimum.at(first, item, numbers)
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

    def chosen(self, mask: ndarray) -> VotedItems:
        """The items of a mask, as if there were no others."""
        import numpy as np

        subset = object.__new__(VotedItems)
        subset.__dict__.update(self.__dict__)
        for name in ("votes", "good", "same", "bad", "x", "severity", "segment", "weight"):
            setattr(subset, name, getattr(self, name)[mask])
        query_numbers, subset.query = np.unique(self.query[mask], return_inverse=True)
        subset.query_names = [self.query_names[number] for number in query_numbers]
        subset.n = int(mask.sum())
        return subset


def counted(votes: Votes) -> ndarray:
    """A mask of the votes that count: those with a weight, on items without a known answer."""
    import numpy as np

    counting: ndarray = ~anchored(votes)[np.asarray(votes.items)]
    if votes.weights is not None:
        counting &= np.asarray(votes.weights) > 0
    return counting


def anchored(votes: Votes) -> ndarray:
    """A mask of the items with a known answer."""
    import numpy as np

    has_answer = np.zeros(max(votes.items) + 1, dtype=bool)
    for item, answer in zip(votes.items, votes.anchors or (), strict=bool(votes.anchors)):
        has_answer[item] |= answer is not None
    return has_answer


def _numbered(names: list[str], rows: ndarray) -> tuple[list[str], ndarray]:
    import numpy as np

    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(names[row], len(numbers)) for row in rows]
    return list(numbers), np.asarray(codes)
