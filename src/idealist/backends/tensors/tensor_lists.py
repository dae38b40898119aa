"""Grades in ranked order as tensors, with the operations that measures ask of lists."""

from __future__ import annotations

import torch

from idealist.backends.tensors.tensor_places import Places, Ranks, TiedGroups
from idealist.backends.tensors.tensor_sums import SMALL_GRADES, Sums, gains_of
from idealist.backends.tensors.tensor_values import NAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.kernels import Gain


FEW = 4096


class WholeGrades:
    """The grades of a batch as they were given, and what was asked of them."""

    __slots__ = ("_ends", "_reaching", "grades")

    def __init__(self, grades: torch.Tensor) -> None:
        self.grades = grades
        self._reaching: dict[int, torch.Tensor] = {}
        self._ends: tuple[int, int] | None = None

    def reaching(self, level: int) -> torch.Tensor:
        """How many grades of each row are at least `level`."""
        if level not in self._reaching:
            # In 32 bits: PyTorch would make numbers of 64 bits of all cells first.
            self._reaching[level] = (self.grades >= level).sum(1, dtype=torch.int32)
        return self._reaching[level]

    def ends(self) -> tuple[int, int]:
        """The lowest grade and the highest; 0 and -1 of none."""
        if self._ends is None:
            lowest, highest = self.grades.aminmax() if self.grades.numel() else (0, -1)
            self._ends = int(lowest), int(highest)
        return self._ends

    def levels(self, most: int) -> list[float] | None:
        """The grades that occur, lowest first, if they are not too far apart to be counted."""
        lowest, highest = self.ends()
        if highest - lowest >= most:
            return None
        for cells in (self.grades.flatten()[:FEW], self.grades.flatten()):
            counts = (cells - lowest).bincount()
            if int((counts > 0).sum()) == highest - lowest + 1:
                break  # the first few cells have all there can be
        return [float(lowest + at) for at in counts.nonzero().flatten().tolist()]


INFINITY = float("inf")


class Lists(Sums):
    """`kernels.Rankings` on tensors: the lists of a batch.

    `by_rank[q, r]` is the grade of query q's document at rank r + 1, nan where that is unjudged or there is none;
    `judged[q]` are the grades of all its judged documents, in no order, nan where there is none (made when asked for, if it is
    a function). `sizes` says how many documents were retrieved, `absent` which queries had none to begin with; `number` gives
    a row's query. Where ties are averaged and there are any, there are `groups`. `whole`, if given, are the grades as whole
    numbers, of lists of which every document is judged; `all_found` says that all judged documents were retrieved. Sums are computed in the type of the grades, and places and values in 64 bits.
    """

    backend = "tensors"

    def __init__(
        self,
        by_rank: torch.Tensor,
        judged: torch.Tensor | Callable[[], torch.Tensor],
        sizes: torch.Tensor,
        *,
        absent: torch.Tensor,
        number: Callable[[int], int] = int,
        groups: TiedGroups | None = None,
        whole: WholeGrades | None = None,
        all_found: bool = False,
    ) -> None:
        self.by_rank = by_rank
        self._judged = judged
        self.sizes = sizes
        self.absent = absent
        self.number = number
        self.groups = groups
        self._whole = whole
        self._all_found = all_found
        self._made: dict[Any, Any] = {}

    def _once(self, name: Any, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @property
    def judged(self) -> torch.Tensor:
        if not isinstance(self._judged, torch.Tensor):
            self._judged = self._judged()
        return self._judged

    def __len__(self) -> int:
        return len(self.by_rank)

    # What messages, conventions and gains ask.

    def name(self, query: int) -> int:
        """The number of a row's query, which is its name."""
        return self.number(query)

    def queries(self) -> list[int]:
        return [self.number(row) for row in range(len(self))]

    def query(self, row: int) -> tuple[int, list[int], list[float], list[float]]:
        """How many were retrieved, the ranks and the grades of those that were judged, and all judged grades, highest first."""
        found = (~self.by_rank[row].isnan()).nonzero().flatten()
        ranks = found if self.groups is None else self.groups.before[row][found]
        judged = self.judged[row][~self.judged[row].isnan()]
        grades = self.by_rank[row][found].tolist()
        return (
            int(self.sizes[row]),
            (ranks + 1).tolist(),
            grades,
            judged.sort(descending=True).values.tolist(),
        )

    def missing(self) -> list[int]:
        return _rows(self.absent)

    def none_relevant(self) -> torch.Tensor:
        """Which queries have no judged document of a grade above 0."""
        return ~(self.judged > 0).any(1)

    def empty(self) -> list[int]:
        return _rows(self.none_relevant())

    def longest(self) -> int:
        """The most documents that a query has, retrieved or judged."""
        return self._once("longest", self._longest)  # type: ignore[no-any-return]

    def _longest(self) -> int:
        if not len(self):
            return 0
        found = int(self.sizes.max())
        return found if self._all_found else max(found, int((~self.judged.isnan()).sum(1).max()))

    def levels(self) -> list[float]:
        """The grades that occur, lowest first."""
        return self._once("levels", self._levels)  # type: ignore[no-any-return]

    def _levels(self) -> list[float]:
        if self._whole is not None and (levels := self._whole.levels(SMALL_GRADES)) is not None:
            return levels
        judged, known = self.judged, ~self.judged.isnan()
        small = (judged >= 0) & (judged < SMALL_GRADES) & (judged == judged.floor())
        if not judged.numel() or not bool((small | ~known).all()):
            return [float(level) for level in judged[known].unique().tolist()]
        counts = judged.nan_to_num(nan=SMALL_GRADES).long().flatten().bincount()
        return [float(level) for level in counts[:SMALL_GRADES].nonzero().flatten().tolist()]

    def highest_grade(self) -> float:
        return self._once("highest", self._highest)  # type: ignore[no-any-return]

    def _highest(self) -> float:
        if self._whole is not None:
            return float(self._whole.ends()[1])
        if not self.judged.numel():
            return -INFINITY
        highest = float(self.judged.amax())  # nan if one of them is
        if highest != highest:
            highest = float(self.judged.nan_to_num(nan=-INFINITY, posinf=INFINITY, neginf=-INFINITY).amax())
        return highest

    # Numbers along the lists.

    def _places(self, numbers: torch.Tensor) -> Places:
        return Places(numbers, self._once("there", self._there))

    def _there(self) -> torch.Tensor | None:
        return None if self.plain else ~self.by_rank.isnan()

    def grades(self) -> Places:
        return self._places(self.by_rank)

    def ranks(self) -> Places:
        """The rank of each document; tied ones have the first of theirs."""
        ranks = 1 + (self._rank_numbers() - 1 if self.groups is None else self.groups.before).double()
        return Ranks(ranks.expand(self.by_rank.shape), self._once("there", self._there), self.groups)

    def gains(self, gain: Gain) -> Places:
        return self._places(gains_of(gain, self.by_rank.double(), self.levels, plain=self.plain))

    def ideal_ranks(self) -> Places:
        """The rank of each document in the ideal order, equals in that of the list."""
        grades = self.by_rank.nan_to_num(nan=-INFINITY).contiguous()
        above = torch.searchsorted((-self.best_first()).nan_to_num(nan=INFINITY), -grades)
        ordered, order = grades.sort(dim=1, stable=True)
        alike = torch.arange(grades.shape[1], device=grades.device) - TiedGroups(ordered).before
        return self._places(above + torch.empty_like(above).scatter_(1, order, alike) + 1)

    # Lists seen another way.

    def _as(
        self,
        grades: torch.Tensor,
        judged: torch.Tensor | Callable[[], torch.Tensor],
        sizes: torch.Tensor,
        groups: TiedGroups | None = None,
    ) -> Lists:
        return Lists(grades, judged, sizes, absent=self.absent, number=self.number, groups=groups)

    def ideal_order(self) -> Lists:
        """The judged documents, best first."""
        return self._once("ideal", self._ideal)  # type: ignore[no-any-return]

    def _ideal(self) -> Lists:
        falling = self.best_first()
        sizes = self.sizes if self._whole is not None else (~falling.isnan()).sum(1)
        lists = self._as(falling, falling, sizes)
        lists.absent, lists._whole = torch.zeros_like(self.absent), self._whole
        return lists

    def condensed(self) -> Lists:
        """The lists without their unjudged documents."""
        unjudged = self.by_rank.isnan()
        order = unjudged.to(torch.int8).sort(dim=1, stable=True).indices
        groups = None
        if self.groups is not None:
            starts = self.groups.before.double().where(~unjudged, NAN)
            groups = TiedGroups(starts.gather(1, order))
        return self._as(self.by_rank.gather(1, order), lambda: self.judged, (~unjudged).sum(1), groups)

    def cut_short(self, depth: int) -> Lists:
        """The first ranks of the lists."""
        return self._as(self.by_rank[:, :depth], lambda: self.judged, self.sizes.clamp(max=depth))

    def filled(self, grade: float, depth: int | None, padded: bool) -> Lists:
        """Every unjudged document with a grade, down to a depth, and every rank below the list if `padded`."""
        ranks = self.by_rank.shape[1]
        last = depth if padded and depth is not None else min(ranks, ranks if depth is None else depth)
        grades = self.by_rank[:, :last]
        if last > ranks:
            grades = torch.nn.functional.pad(grades, (0, last - ranks), value=NAN)
        added = grades.isnan()
        if not padded:
            added = added & (torch.arange(last, device=grades.device) < self.sizes[:, None])
        lists = self._as(
            grades.masked_fill(added, grade),
            lambda: torch.cat([self.judged, torch.where(added, grade, NAN).to(grades.dtype)], 1),
            torch.full_like(self.sizes, last) if padded else self.sizes,
        )
        lists._made["levels"] = sorted({*self.levels(), grade} if bool(added.any()) else self.levels())
        return lists

    def regraded(self, gain: Gain) -> Lists:
        """The gains in the place of the grades."""
        by_rank, judged = (
            gains_of(gain, numbers, self.levels).where(~numbers.isnan(), NAN)
            for numbers in (self.by_rank.double(), self.judged.double())
        )
        return self._as(by_rank, judged, self.sizes, self.groups)

    def part(self, begin: int, end: int) -> Lists:
        """Some queries, one behind the other."""
        if begin == 0 and end == len(self):
            return self
        return self._some(slice(begin, end), lambda row: self.number(begin + row))

    def chosen(self, queries: Sequence[int]) -> Lists:
        numbers = list(queries)
        return self._some(
            torch.tensor(numbers, dtype=torch.int64, device=self.by_rank.device),
            lambda row: self.number(numbers[row]),
        )

    def _some(self, rows: Any, number: Callable[[int], int]) -> Lists:
        return Lists(
            self.by_rank[rows],
            lambda: self.judged[rows],
            self.sizes[rows],
            absent=self.absent[rows],
            number=number,
            groups=None if self.groups is None else self.groups.part(rows),
            whole=None if self._whole is None else WholeGrades(self._whole.grades[rows]),
            all_found=self._all_found,
        )

    def tied(self) -> list[int]:
        """The queries of whose judged documents some share a score."""
        if self.groups is None:
            return []
        return _rows(((self.groups.size > 1) & ~self.by_rank.isnan()).any(1))


def _rows(which: torch.Tensor) -> list[int]:
    """The rows of which something holds."""
    return [int(row) for row in which.nonzero().flatten().tolist()]
