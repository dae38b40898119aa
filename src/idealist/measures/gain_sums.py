"""Sums of discounted gains, rank by rank: of a ranking, and of its ideal list."""

from __future__ import annotations

from itertools import chain, repeat

from idealist.measures.contributions import IdealList
from idealist.measures.discounts import discount_table
from idealist.measures.gains import native_gain
from idealist.measures.grade_lists import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures.contributions import Contributions
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain
    from idealist.measures.grade_lists import GradeList


class GainSums:
    """What a ranking and its ideal list add up to, down to the cut-off k."""

    def __init__(self, listed: GradeList, gain: Gain, discount: Discount, k: int | None, ideal: str) -> None:
        self.listed, self.shown = listed, listed.down_to(k)
        self.retrieved_only = ideal == "retrieved"
        self.gain_of = listed.gains(native_gain(gain, listed.rankings))
        longest = listed.rankings.native.longest()
        self.discounts = discount_table(discount, longest if k is None else min(k, longest))
        # Without discounts the gains are what is added, unless tied documents stand on both sides of the cut-off.
        tied = len(self.shown.tie_groups) < len(self.shown.grades)
        self.plain = discount == "none" and not tied

    def ideal(self, name: str, retrieved_only: bool) -> IdealList:
        """All documents that have a gain, those with the highest first, down to the cut-off."""
        counts, gain_of = self.listed.counts(retrieved=retrieved_only), self.gain_of
        by_gain = sorted((grade for grade in counts if gain_of[grade] > 0), key=lambda grade: -gain_of[grade])
        best_first = chain.from_iterable(repeat(grade, counts[grade]) for grade in by_gain)
        pairs = list(zip(best_first, self.discounts, strict=False))
        added = [gain_of[grade] * discount for grade, discount in pairs]
        return IdealList([grade for grade, _ in pairs], added, name, retrieved_only)

    def contributions(self, name: str, ideal_name: str, value: str = "sum") -> Contributions:
        """Those of the ranking's sum, of the ideal list's (value="ideal"), or of one by the other ("share")."""
        gains = [self.gain_of[grade] for grade in self.shown.grades]
        weights = self.shown.over_ties(self.discounts)
        added = [gain * weight for gain, weight in zip(gains, weights, strict=True)]
        ideal = self.ideal(ideal_name, self.retrieved_only)
        best = (ideal_name, sum(ideal.contributions))
        # With ideal=retrieved, what was retrieved may have no gain: the value is 0 if something judged has one.
        undefined = value == "share" and not sum(self.ideal(ideal_name, False).contributions) > 0
        return self.listed.contributions(
            {} if self.plain else {"gain": gains, "discount": weights},
            [whole(gain) for gain in gains] if self.plain else added,
            title="gain" if self.plain else "gain×discount",
            running_title=name,
            total=best if value == "ideal" else (name, sum(added)),
            divisor=best if value == "share" else None,
            ideal=ideal,
            undefined=self.listed.NO_GAIN if undefined else "",
        )
