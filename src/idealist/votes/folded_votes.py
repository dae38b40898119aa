"""Votes as they count for GSB: each by itself, or an item's votes as one."""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.votes.vote_table import Votes

# What GSB can be taken over.
FOLDS = {
    "votes": "all votes",
    "mean": "the mean of each item's votes",
    "majority": "the majority of each item's votes",
}


class FoldedVotes:
    """What counts, an entry each: a vote, or under "majority" an item. Of every entry 1 for what it is of good, same
    and bad (else 0), its severity, how many it counts for (`count`: 1; under "mean" 1 over the votes of its item), its
    weight (`count` times that of its item), and the numbers of its query, segment and rater (None where majorities
    count, or nobody is named).

    Votes on items with a known answer, and those without weight, do not count. `n` is the number of entries,
    `votes` that of votes, `items` that of items, and `unsettled` that of items without a majority (none: same).
    `among` masks the votes to use (default: all).
    """

    def __init__(self, votes: Votes, fold: str = "votes", among: ndarray | None = None) -> None:
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
        self.fold = fold
        numbers = np.nonzero(counting)[0]
        item_ids, first, self.item = np.unique(rows[counting], return_index=True, return_inverse=True)
        values = np.asarray(votes.values)[counting]
        severities = np.asarray(votes.severities, dtype=float)[counting]
        self.of_item = np.bincount(self.item)
        self.votes, self.items = len(numbers), len(item_ids)
        self.severity = severities
        self.unsettled = 0
        kinds = np.stack([values == kind for kind in (1, 0, -1)])
        if fold == "majority":
            counts = np.stack([np.bincount(self.item, kind, self.items) for kind in kinds])
            settled = 2 * counts.max(axis=0) > self.of_item
            self.unsettled = int((~settled).sum())
            winner = np.where(settled, counts.argmax(axis=0), 1)
            kinds = np.stack([winner == code for code in range(3)])
            self.severity = np.bincount(self.item, severities, self.items) / self.of_item
            numbers, self.item = numbers[first], np.arange(self.items)
        self.good, self.same, self.bad = kinds.astype(float)
        self.x = self.good - self.bad
        self.n = len(numbers)
        self.query_names, self.query = _numbered(votes.queries, numbers)
        self.segment_names, self.segment = (
            _numbered(votes.segments, numbers) if votes.segments else ([], np.zeros(self.n, dtype=int))
        )
        by_majority = fold == "majority"
        self.rater = None if by_majority or not votes.raters else _numbered(votes.raters, numbers)[1]
        self.count = 1 / self.of_item[self.item] if fold == "mean" else np.ones(self.n)
        traffic = np.ones(self.n) if votes.weights is None else np.asarray(votes.weights)[numbers]
        self.weight = self.count * traffic
        self.weighted = bool(np.ptp(traffic) > 0)
        self.weighed_by = votes.weighed_by

    @property
    def queries(self) -> int:
        return len(self.query_names)

    @property
    def total(self) -> float:
        """How many votes, or items, there are in the formula (G − B)/N."""
        return float(self.count.sum())

    @cached_property
    def cells(self) -> tuple[ndarray, ndarray, ndarray] | None:
        """The votes of one rater on one query, as a cell: the query and the rater of every cell, and the cell of
        every entry. None where no rater voted on two queries, so that queries have all that votes share."""
        import numpy as np

        if self.rater is None:
            return None
        raters = int(self.rater.max()) + 1
        pairs, cell = np.unique(self.query * raters + self.rater, return_inverse=True)
        query, rater = pairs // raters, pairs % raters
        return None if np.bincount(rater).max() < 2 else (query, rater, cell)

    def chosen(self, mask: ndarray) -> FoldedVotes:
        """The entries of a mask, as if there were no others."""
        import numpy as np

        subset = object.__new__(FoldedVotes)
        subset.__dict__.update(self.__dict__)
        subset.__dict__.pop("cells", None)
        for name in ("good", "same", "bad", "x", "severity", "count", "weight", "segment"):
            setattr(subset, name, getattr(self, name)[mask])
        query_numbers, subset.query = np.unique(self.query[mask], return_inverse=True)
        subset.query_names = [self.query_names[number] for number in query_numbers]
        subset.rater = None if self.rater is None else np.unique(self.rater[mask], return_inverse=True)[1]
        item_numbers, subset.item = np.unique(self.item[mask], return_inverse=True)
        subset.of_item = self.of_item[item_numbers]
        subset.n, subset.items, subset.votes = int(mask.sum()), len(item_numbers), int(subset.of_item.sum())
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
    codes = [numbers.setdefault(names[row], len(numbers)) for row in rows.tolist()]
    return list(numbers), np.asarray(codes)
