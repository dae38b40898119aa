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
    seen = preference_rankings(rankings)
    values = []
    for groups, place, retrieved in zip(seen.groups, seen.place, seen.retrieved, strict=True):
        added = 0.0
        for group in groups:
            found, possible = _Balanced(group, place, retrieved, retrieved_only).counts()
            added += found / possible if possible else nan
        values.append(added / len(groups) if added > 0 else 0.0)
    return values


class _Balanced:
    """One group of one query: its documents by place."""

    def __init__(self, group: Group, place: dict[str, int], retrieved: int, retrieved_only: bool) -> None:
        import numpy as np

        self.retrieved, self.retrieved_only = retrieved, retrieved_only
        ordered = sorted(group.documents, key=place.__getitem__)
        self.places = [place[document] for document in ordered]
        self.levels = [_last_level(group, document) for document in ordered]
        self.shown = bisect_left(self.places, retrieved)
        self.matrix = None
        if group.worse is not None:
            number = {document: at for at, document in enumerate(group.documents)}
            order = [number[document] for document in ordered]
            self.matrix = group.preferred()[order][:, order]
        self.order = GroupOrder(np.array(self.levels), self.matrix, self.shown)

    def counts(self) -> tuple[int, int]:
        """How many preferences are fulfilled, and how many there are."""
        shown = self.levels[: self.shown]
        relevant, relevant_shown = _relevant(self.levels), _relevant(shown)
        considered = shown if self.retrieved_only else self.levels
        wanted = relevant_shown if self.retrieved_only else relevant
        others = sum(level <= 0 if self.matrix is None else level == 0 for level in considered)
        if wanted >= others:
            tally = Tally(self.order)
            over = "retrieved" if self.retrieved_only else "all"
            added = wanted - others
            return tally.fulfilled(over) + relevant_shown * added, tally.possible(over) + relevant * added
        if self.matrix is None:
            return self._by_classes(wanted)
        return self._by_matrix(relevant)

    def _by_classes(self, wanted: int) -> tuple[int, int]:
        classes: dict[float, list[int]] = {}
        for place, level in zip(self.places, self.levels, strict=True):
            if place < self.retrieved or not self.retrieved_only:
                classes.setdefault(level, []).append(place)
        levels = sorted(set(self.levels), reverse=True)
        ordered = [classes.get(level, []) for level in levels]
        last = [place for place, level in zip(self.places, self.levels, strict=True) if level == levels[-1]]
        balanced = [place for place in last[:wanted] if place < self.retrieved or not self.retrieved_only]
        pairs = [(one, other) for at, one in enumerate(ordered) for other in ordered[at + 1 : -1]]
        pairs += [(one, balanced) for one in ordered]
        fulfilled = sum(self._above(one, other) for one, other in pairs)
        return fulfilled, sum(len(one) * len(other) for one, other in pairs)

    def _above(self, one: list[int], other: list[int]) -> int:
        """In how many pairs the first document is retrieved, and stands above the second."""
        return sum(len(other) - bisect_right(other, place) for place in one if place < self.retrieved)

    def _by_matrix(self, relevant: int) -> tuple[int, int]:
        import numpy as np

        kept, others = [], 0
        for level in self.levels:
            others += level == 0
            kept.append(level != 0 or others <= relevant)
        tally = Tally(self.order.only(np.array(kept)))
        over = "retrieved" if self.retrieved_only else "all"
        return tally.fulfilled(over), tally.possible(over)


def _relevant(levels: list[float]) -> int:
    return sum(level > 0 for level in levels)


def _last_level(group: Group, document: str) -> float:
    """The level in the last subgroup, bytewise, that has the document."""
    names = sorted(group.subgroups, key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
    return next(group.subgroups[name][document] for name in names if document in group.subgroups[name])
