"""prefs_avgjg_Rnonrel as trec_eval's program has it, which is not what its description says: where documents that
are not relevant outnumber the relevant ones, they are held against each other too."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import nan

from idealist.data.preferences import preference_rankings
from idealist.measures.families.preferences import GroupOrder, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.data.preferences import Group


def balanced_values(rankings: Rankings, retrieved_only: bool) -> list[float]:
    """One number for each query."""
    ranked = preference_rankings(rankings)
    values = []
    for groups, position_of, retrieved in zip(ranked.groups, ranked.position, ranked.retrieved, strict=True):
        added = 0.0
        for group in groups:
            fulfilled, possible = _Balanced(group, position_of, retrieved, retrieved_only).counts()
            added += fulfilled / possible if possible else nan
        values.append(added / len(groups) if added > 0 else 0.0)
    return values


class _Balanced:
    """One group of one query: its documents by place."""

    def __init__(
        self, group: Group, position_of: dict[str, int], retrieved: int, retrieved_only: bool
    ) -> None:
        import numpy as np

        self.retrieved, self.retrieved_only = retrieved, retrieved_only
        ordered = sorted(group.documents, key=position_of.__getitem__)
        self.places = [position_of[document] for document in ordered]
        self.levels = [_last_level(group, document) for document in ordered]
        self.shown = bisect_left(self.places, retrieved)
        self.matrix = None
        if group.worse is not None:
            number = {document: index for index, document in enumerate(group.documents)}
            order = [number[document] for document in ordered]
            self.matrix = group.preferred()[order][:, order]
        self.order = GroupOrder(np.array(self.levels), self.matrix, self.shown)

    def counts(self) -> tuple[int, int]:
        """How many preferences are fulfilled, and how many there are."""
        retrieved_levels = self.levels[: self.shown]
        relevant, relevant_retrieved = _relevant(self.levels), _relevant(retrieved_levels)
        considered = retrieved_levels if self.retrieved_only else self.levels
        needed = relevant_retrieved if self.retrieved_only else relevant
        others = sum(level <= 0 if self.matrix is None else level == 0 for level in considered)
        if needed >= others:
            tally = Tally(self.order)
            over = "retrieved" if self.retrieved_only else "all"
            added = needed - others
            return tally.fulfilled(over) + relevant_retrieved * added, tally.possible(over) + relevant * added
        if self.matrix is None:
            return self._by_classes(needed)
        return self._by_matrix(relevant)

    def _by_classes(self, needed: int) -> tuple[int, int]:
        classes: dict[float, list[int]] = {}
        for position, level in zip(self.places, self.levels, strict=True):
            if position < self.retrieved or not self.retrieved_only:
                classes.setdefault(level, []).append(position)
        levels = sorted(set(self.levels), reverse=True)
        ordered = [classes.get(level, []) for level in levels]
        last = [
            position for position, level in zip(self.places, self.levels, strict=True) if level == levels[-1]
        ]
        balanced = [
            position for position in last[:needed] if position < self.retrieved or not self.retrieved_only
        ]
        pairs = [(better, worse) for index, better in enumerate(ordered) for worse in ordered[index + 1 : -1]]
        pairs += [(better, balanced) for better in ordered]
        fulfilled = sum(self._above(better, worse) for better, worse in pairs)
        return fulfilled, sum(len(better) * len(worse) for better, worse in pairs)

    def _above(self, better: list[int], worse: list[int]) -> int:
        """In how many pairs the first document is retrieved, and stands above the second."""
        return sum(
            len(worse) - bisect_right(worse, position) for position in better if position < self.retrieved
        )

    def _by_matrix(self, relevant: int) -> tuple[int, int]:
        import numpy as np

        mask, others = [], 0
        for level in self.levels:
            others += level == 0
            mask.append(level != 0 or others <= relevant)
        tally = Tally(self.order.only(np.array(mask)))
        over = "retrieved" if self.retrieved_only else "all"
        return tally.fulfilled(over), tally.possible(over)


def _relevant(levels: list[float]) -> int:
    return sum(level > 0 for level in levels)


def _last_level(group: Group, document: str) -> float:
    """The level in the last subgroup, bytewise, that has the document."""
    names = sorted(group.subgroups, key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
    return next(group.subgroups[name][document] for name in names if document in group.subgroups[name])
