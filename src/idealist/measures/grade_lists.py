"""One query's ranking written out, for measures to say what each of its documents adds to their value.

Where ties are averaged, a document's numbers are means over all orders of its tie group.
"""

from __future__ import annotations

from itertools import chain, islice, repeat

from idealist import kernels
from idealist.data.options import match_options
from idealist.frozen import Frozen
from idealist.measures.contributions import Contributions, IdealList, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from idealist.data import Rankings

    # A number with its name, such as ("all relevant", 7).
    Named = tuple[str, float]


class GradeList(Frozen):
    """The grade at each rank as the conventions see it, None for an unjudged document.

    `tie_groups` are the ranks that documents share, one rank each unless ties are averaged; `rankings` hold the
    same query as measures see it.
    """

    grades: tuple[float | None, ...]
    tie_groups: tuple[range, ...]
    rankings: Rankings
    # Why a measure of gains is undefined.
    NO_GAIN = "nothing judged has a gain"

    def down_to(self, k: int | None) -> GradeList:
        """The same list without the documents that cannot stand at rank k or above it."""
        if k is None or k >= len(self.grades):
            return self
        tie_groups = tuple(group for group in self.tie_groups if group.start <= k)
        last = tie_groups[-1].stop - 1 if tie_groups else 0
        return self.replace(grades=self.grades[:last], tie_groups=tie_groups)

    def over_ties(self, by_rank: Sequence[float]) -> list[float]:
        """For each document the number of its rank, 0 where they end; in a tie group the mean over its ranks."""
        numbers: list[float] = []
        for group in self.tie_groups:
            numbers_there = by_rank[group.start - 1 : group.stop - 1]
            if len(group) == 1:
                numbers.append(numbers_there[0] if numbers_there else 0)
            else:
                numbers += [sum(numbers_there) / len(group)] * len(group)
        return numbers

    def within(self, k: int | None) -> list[float]:
        """For each document 1 if it is among the first k, else 0; the chance of it where its rank is open."""
        return self.over_ties([1] * (len(self.grades) if k is None else min(k, len(self.grades))))

    def reaching(self, level: float) -> list[int]:
        """For each document 1 if its grade reaches the level, else 0."""
        return [int(grade is not None and grade >= level) for grade in self.grades]

    def gains(self, gain: kernels.Gain) -> dict[float | None, float]:
        """The gain of every grade that occurs among the query's judgments, and of unjudged documents: 0."""
        levels = self.rankings.native.levels()
        listed = kernels.rank_lists([levels], [levels], match_options(self.rankings.conventions))
        return {None: 0.0, **dict(zip(levels, memoryview(kernels.gains(listed, gain)), strict=True))}

    def counts(self, *, retrieved: bool = False) -> dict[float, int]:
        """How many judged documents of the query have each grade, highest first; those retrieved, if asked for."""
        native, threads = self.rankings.native, self.rankings.threads
        counts: dict[float, int] = {}
        above = 0
        for level in reversed(native.levels()):
            reach = (
                kernels.hits(native, level, None, threads) if retrieved else kernels.relevant(native, level)
            )
            counts[level] = round(reach[0]) - above
            above += counts[level]
        return counts

    def judged(self, k: int | None = None) -> list[float]:
        """The grades of all judged documents of the query, highest first, down to rank k."""
        each = chain.from_iterable(repeat(grade, count) for grade, count in self.counts().items())
        return list(islice(each, k))

    def retrieved(self, k: int | None = None) -> Named:
        """How many documents were retrieved, counting no more than k."""
        return "retrieved", int(kernels.retrieved(self.rankings.native, k)[0])

    def shown(self, k: int | None) -> Named:
        """What precision divides by: k, or without it all that were retrieved."""
        return self.retrieved() if k is None else ("k", k)

    def relevant(self, level: float) -> Named:
        """What recall divides by: how many judged documents of the query are relevant, retrieved or not."""
        return "all relevant", int(kernels.relevant(self.rankings.native, level)[0])

    def averaged_over(self, divisor: str, level: float, k: int | None) -> Named:
        """What an average over relevant documents divides by, by the parameter `divisor`."""
        name, relevant = self.relevant(level)
        if divisor == "reachable" and k is not None:
            return "relevant within reach", min(relevant, k)
        if divisor == "found":
            top = self.down_to(k)
            pairs = zip(top.reaching(level), top.within(k), strict=True)
            return "relevant found", sum(hit * chance for hit, chance in pairs)
        return name, relevant

    def nothing_relevant(self, level: float) -> str:
        """Why a measure of relevant documents is undefined; nothing if it is not."""
        return "" if self.relevant(level)[1] else "nothing is relevant"

    def precisions(self, hits: Sequence[int], k: int | None) -> tuple[list[float], list[float]]:
        """For each document, how many relevant ones stand down to it, and precision there, 0 below rank k."""
        hits_so_far: list[float] = []
        precision: list[float] = []
        hits_above = 0
        for group in self.tie_groups:
            group_hits = hits[group.start - 1 : group.stop - 1]
            size, relevant = len(group), sum(group_hits)
            ranks = range(group.start, group.stop if k is None else min(group.stop, k + 1))
            means: dict[int, tuple[float, float]] = {}
            for hit in set(group_hits):
                # At any rank of its group a document has its share of the group's other relevant ones above it.
                share = (relevant - hit) / (size - 1) if size > 1 else 0
                counts = (hits_above + hit + share * position for position in range(size))
                total = sum(count / rank for count, rank in zip(counts, ranks, strict=False))
                means[hit] = hits_above + hit + (share * (size - 1) / 2 if size > 1 else 0), total / size
            hits_so_far += [means[hit][0] for hit in group_hits]
            precision += [means[hit][1] for hit in group_hits]
            hits_above += relevant
        return hits_so_far, precision

    def at_first_relevant(self, hits: Sequence[int], by_rank: Sequence[float]) -> list[float]:
        """For each document the number of its rank if it is the first relevant one, else 0; the mean of that over
        the orders of tied documents. `by_rank` ends at the cut-off."""
        added = [0.0] * len(hits)
        for group in self.tie_groups:
            group_slice = slice(group.start - 1, group.stop - 1)
            if relevant := sum(hits[group_slice]):
                numbers = by_rank[group_slice]
                chances = _chances_of_first(len(group), relevant, len(numbers))
                expected = sum(chance * number for chance, number in zip(chances, numbers, strict=True))
                added[group_slice] = [hit * expected / relevant for hit in hits[group_slice]]
                break
        return added

    def contributions(
        self,
        columns: Mapping[str, Sequence[float]],
        added: Sequence[float],
        *,
        title: str = "contribution",
        running_title: str = "",
        total: Named | None = None,
        divisor: Named | None = None,
        ideal: IdealList | None = None,
        undefined: str = "",
    ) -> Contributions:
        """What each document adds; the total is the sum of that, unless another is given."""
        name, value = total or (running_title or "sum", sum(added))
        # Gains are shown as grades are: without decimals where they have none.
        printed = {t: list(map(whole, cells)) if "gain" in t else cells for t, cells in columns.items()}
        return Contributions(
            printed,
            added,
            title,
            running_title,
            Term(name, value),
            Term(*divisor) if divisor else None,
            ideal,
            undefined,
        )

    def counted(
        self,
        k: int | None,
        counts: Sequence[int],
        name: str,
        divisor: Named | None = None,
        undefined: str = "",
        total: Named | None = None,
    ) -> Contributions:
        """The contributions of a measure that counts documents among the first k: `counts` says 1 or 0 for each."""
        added = [count * chance for count, chance in zip(counts, self.within(k), strict=True)]
        return self.contributions(
            {},
            added,
            title=name,
            running_title=f"{name} so far",
            total=total or (name, sum(added)),
            divisor=divisor,
            undefined=undefined,
        )


def _chances_of_first(size: int, relevant: int, ranks: int) -> Iterator[float]:
    """For each of the first ranks of a tie group, the chance that its first relevant document stands there."""
    chance = relevant / size
    for position in range(ranks):
        yield chance
        remaining = size - position - 1
        chance = chance * (remaining - relevant + 1) / remaining if remaining > 0 else 0.0


def whole(number: float) -> float:
    """A number without decimals as an int, so that it is shown without them."""
    return int(number) if number == int(number) else number
