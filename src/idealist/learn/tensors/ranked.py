"""Grades in ranked order as tensors: all that a measure's tensor form may look at."""

from __future__ import annotations

from math import ceil, isfinite

import torch

from idealist.conventions import other_choices
from idealist.errors import InputError
from idealist.learn.tensors.ordering import sorted_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from idealist.conventions import Conventions
    from idealist.learn.tensors.batches import Batch

NAN = float("nan")
INFINITY = float("inf")
SMALL_GRADES = 256  # whole grades below this are looked up in a table


class TiedGroups:
    """Averaged ties: at every rank the number of ranks before its group of equal scores, and the group's size."""

    __slots__ = ("before", "size")

    def __init__(self, scores: torch.Tensor) -> None:
        """Of scores in ranked order."""
        rows, ranks = scores.shape
        ends = torch.ones(rows, ranks, dtype=torch.bool, device=scores.device)
        ends[:, :-1] = scores[:, 1:] != scores[:, :-1]
        begins = torch.ones_like(ends)
        begins[:, 1:] = ends[:, :-1]
        places = torch.arange(ranks, device=scores.device)
        self.before = places.where(begins, 0).cummax(1).values
        after = (places + 1).where(ends, ranks).flip(1).cummin(1).values.flip(1)
        self.size = after - self.before


class RankedLists:
    """The lists of a batch under stated conventions.

    `grades[q, r]` is the grade of query q's document at rank r + 1, nan where that is unjudged or there is none;
    `judged[q]` are the grades of all its judged documents, in no order, nan where there is none (made when asked for, if it is
    a function); `whole`, if given, is the batch, whose grades are whole numbers of documents that are all judged. `sizes` says how many
    documents were retrieved, `missing` which queries had none to begin with. Where ties are averaged and there are any,
    there are `groups`, or, if few lists have some, `tied`: the numbers of those lists, which are to be ranked by themselves.
    Values are computed in `dtype`, that of the grades, and given in `value_dtype`.
    """

    def __init__(
        self,
        grades: torch.Tensor,
        judged: torch.Tensor | Callable[[], torch.Tensor],
        sizes: torch.Tensor,
        conventions: Conventions,
        query: Callable[[int], int],
        *,
        missing: torch.Tensor,
        groups: TiedGroups | None = None,
        tied: torch.Tensor | None = None,
        whole: Batch | None = None,
        value_dtype: torch.dtype | None = None,
    ) -> None:
        self.grades = grades
        self._judged = judged
        self._whole = whole
        self.sizes = sizes
        self.missing = missing
        self.conventions = conventions
        self.query = query
        self.groups = groups
        self.tied = tied
        self.dtype = grades.dtype
        self.value_dtype = value_dtype or grades.dtype
        self._falling: torch.Tensor | None = None
        self._plain: bool | None = None
        self._refuse()

    @property
    def judged(self) -> torch.Tensor:
        if not isinstance(self._judged, torch.Tensor):
            self._judged = self._judged()
        return self._judged

    @property
    def ranks(self) -> int:
        """The last rank looked at."""
        return int(self.grades.shape[1])

    @property
    def keeps_negative(self) -> bool:
        return self.conventions.negative == "keep"

    def best_first(self, k: int | None = None) -> torch.Tensor:
        """The first k of the judged grades, highest first, nan at the end."""
        if self._falling is None:
            self._falling = sorted_rows(-self.judged)
        return -self._falling[:, : self._falling.shape[1] if k is None else k]

    @property
    def plain(self) -> bool:
        """Whether every rank has a judged document, and all grades are 0 or more."""
        if self._plain is None:
            # The lowest of numbers of which one is nan is nan, which is not 0 or more.
            self._plain = all(
                bool(grades.numel()) and bool(grades.amin() >= 0) for grades in (self.judged, self.grades)
            )
        return self._plain

    def empty(self) -> torch.Tensor:
        """Which queries have no judged document of a grade above 0."""
        return ~(self.judged > 0).any(1)

    def longest(self) -> int:
        """The most documents that a query has, retrieved or judged."""
        judged = (~self.judged.isnan()).sum(1)
        return int(torch.maximum(self.sizes, judged).max()) if len(judged) else 0

    def hits(self, level: float) -> torch.Tensor:
        """1 at ranks whose document reaches a grade, else 0."""
        return self.reaching(self.grades, level).to(self.dtype)

    def relevant(self, level: float) -> torch.Tensor:
        """How many judged documents reach a grade."""
        if self._whole is not None and isfinite(level):
            return self._whole.reaching(ceil(level)).to(self.dtype)
        return count_of(self.reaching(self.judged, level)).to(self.dtype)

    def retrieved(self, k: int | None = None) -> torch.Tensor:
        return (self.sizes if k is None else self.sizes.clamp(max=k)).to(self.dtype)

    def reaching(self, grades: torch.Tensor, level: float) -> torch.Tensor:
        """Where a grade is at least `level`, a number of 64 bits whatever the grades are."""
        least = torch.tensor(level, dtype=self.dtype)
        if float(least) < level:
            least = torch.nextafter(least, torch.tensor(INFINITY, dtype=self.dtype))
        return grades >= float(least)

    def by_rank(self) -> torch.Tensor:
        """1, 2, …"""
        return torch.arange(1, self.ranks + 1, device=self.grades.device, dtype=self.dtype)

    def averaged(self, table: Sequence[float]) -> torch.Tensor:
        """What a table says of the ranks from 1 on, 0 beyond its end; over tied documents its mean."""
        numbers = torch.tensor(list(table)[: self.ranks], dtype=torch.float64)
        numbers = torch.cat([numbers, numbers.new_zeros(self.ranks - len(numbers))])
        if self.groups is None:
            return numbers.to(self.grades.device, self.dtype)
        sums = torch.cat([numbers.new_zeros(1), numbers.cumsum(0)]).to(self.grades.device)
        before, size = self.groups.before, self.groups.size
        # One document has its own number, whatever rounding the sums have.
        mean = ((sums[before + size] - sums[before]) / size).to(self.dtype)
        return mean.where(size > 1, numbers.to(self.grades.device, self.dtype))

    def within(self, cut: torch.Tensor | int | None) -> torch.Tensor:
        """The chance that the document at a rank is among the first `cut`: 1 or 0 where there is no tie."""
        if cut is None:
            return self.grades.new_ones(self.ranks)
        limit = cut[:, None] if isinstance(cut, torch.Tensor) else cut
        if self.groups is None:
            return (self.by_rank() <= limit).to(self.dtype)
        before, size = self.groups.before.to(self.dtype), self.groups.size.to(self.dtype)
        return torch.minimum((limit - before).clamp(min=0), size) / size

    def in_group(self, numbers: torch.Tensor) -> torch.Tensor:
        """The sum of numbers over the documents tied with that at a rank."""
        assert self.groups is not None, "there are no ties"
        sums = torch.nn.functional.pad(numbers.cumsum(1), (1, 0))
        before, size = self.groups.before, self.groups.size
        return sums.gather(1, before + size) - sums.gather(1, before)

    def looked_up(self, grades: torch.Tensor, function: Callable[[float], float]) -> torch.Tensor:
        """A function of the grades, asked once for each grade that occurs; 0 for nan."""
        judged = ~grades.isnan()
        small = (grades >= 0) & (grades < SMALL_GRADES) & (grades == grades.floor())
        if grades.numel() and bool((small | ~judged).all()):
            places = grades.nan_to_num(nan=SMALL_GRADES).long()  # its last place is that of nan
            table = torch.zeros(SMALL_GRADES + 1, dtype=self.dtype)
            for level in places.flatten().bincount()[:SMALL_GRADES].nonzero().flatten().tolist():
                table[level] = function(float(level))
            return table.to(grades.device)[places]
        unique, places = grades[judged].unique(return_inverse=True)
        worth = [function(level) for level in unique.tolist()]
        numbers = torch.zeros(grades.shape, dtype=self.dtype, device=grades.device)
        numbers[judged] = torch.tensor(worth, dtype=self.dtype, device=grades.device)[places]
        return numbers

    def refuse_grades_above(self, max_grade: float) -> None:
        """For measures whose scale of grades is stated: a grade beyond it has no place there."""
        if (row := first_row(self.judged > max_grade)) is not None:
            grade = float(self.judged[row].nan_to_num(nan=-INFINITY).max())
            raise InputError(
                f"query {self.query(row)} has grade {grade:g}, above max_grade={max_grade:g}",
                hint=f"state the highest grade of the scale, such as max_grade={grade:g}",
            )

    def _refuse(self) -> None:
        """Raises what the conventions call an error."""
        conventions = self.conventions
        if conventions.missing == "error" and (row := first_row(self.missing)) is not None:
            raise InputError(
                f"query {self.query(row)} has no document",
                hint=other_choices("missing"),
            )
        counted = ~self.missing | (conventions.missing != "skip")
        if conventions.empty == "error" and (row := first_row(self.empty() & counted)) is not None:
            raise InputError(
                f"query {self.query(row)} has nothing relevant",
                hint=other_choices("empty"),
            )
        negative = conventions.negative == "error"
        if negative and (row := first_row((self.judged < 0).any(1) & counted)) is not None:
            raise InputError(
                f"query {self.query(row)} has a negative grade",
                hint=other_choices("negative"),
            )


def count_of(which: torch.Tensor) -> torch.Tensor:
    """How many of each row. In 32 bits: PyTorch would make numbers of 64 bits of all cells first."""
    return which.sum(1, dtype=torch.int32)


def first_row(which: torch.Tensor) -> int | None:
    """The first row of which something holds."""
    rows = which if which.ndim == 1 else which.any(1)
    return int(rows.nonzero()[0]) if bool(rows.any()) else None
