"""From scores to grades in ranked order, which measures are then computed on."""

from __future__ import annotations

import torch

from idealist.backends.tensors.tensor_lists import Lists
from idealist.backends.tensors.tensor_places import TiedGroups
from idealist.data import Rankings
from idealist.data.needs import REFERENCE
from idealist.errors import InputError
from idealist.learn.tensors.ordering import by_grade, ordered, tie_order
from idealist.learn.tensors.tensor_batches import compared, first_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.tensors.tensor_batches import Batch

NAN = float("nan")
WHOLE = (torch.int64, torch.int32, torch.int16)
WIDE = (torch.float64, torch.int64, torch.int32)
CELLS_AT_ONCE = 1 << 16
EXACT_IN_32 = 2**24  # whole numbers up to this are the same in a float of 32 bits


class RankedBatch:
    """The lists of a batch as measures take them. Where ties are averaged and few lists have some, `tied` are the rows of
    these, which are to be ranked by themselves. Values are given in `value_dtype`."""

    __slots__ = ("_parts", "lists", "rankings", "tied", "value_dtype")

    def __init__(
        self,
        lists: Lists,
        conventions: Conventions,
        value_dtype: torch.dtype,
        tied: torch.Tensor | None = None,
    ) -> None:
        self.lists = lists
        native: Any = lists
        self.rankings = Rankings(native, conventions, threads=1)
        # Grades may be the ranks of another ranking, which is what measures of agreement need.
        self.rankings.tables = {REFERENCE: lists}
        self.value_dtype = value_dtype
        self.tied = tied
        self._parts: list[RankedBatch] = []

    def parts(self) -> list[RankedBatch]:
        """The lists, few at a time, so that what is computed of them stays in a processor's cache."""
        rows, ranks = self.lists.by_rank.shape
        step = max(1, CELLS_AT_ONCE // max(1, ranks))
        if rows <= 2 * step or self.lists.by_rank.device.type != "cpu":
            return [self]
        if not self._parts:
            conventions = self.rankings.conventions
            for begin in range(0, rows, step):
                part = self.lists.part(begin, min(begin + step, rows))
                self._parts.append(RankedBatch(part, conventions, self.value_dtype))
        return self._parts


def ranked(batch: Batch, conventions: Conventions, depth: int | None) -> RankedBatch:
    """The lists of a batch, ranked down to `depth` at least."""
    there = batch.mask()
    _refuse_numbers(batch, there)
    scores = compared(batch, single=conventions.precision == "single")
    missing = torch.zeros(len(scores), dtype=torch.bool, device=scores.device)
    if there is not None:
        missing = ~there.any(1)
    elif not scores.shape[1]:
        missing = ~missing
    dtype = grade_type(batch.grades, there, value_type(batch.scores))
    whole = batch.whole() if has_whole_grades(batch, there, conventions) else None
    # Where only the first few are looked at, only their grades are turned into floats.
    grades = batch.grades if whole is not None and depth else _known_grades(batch, there, conventions, dtype)
    if conventions.unjudged == "removed" and whole is None:
        judged = ~grades.isnan()
        there = judged if there is None else there & judged
    order = ordered(scores, there, _tie_order(conventions, grades, dtype), _depth(conventions, depth))
    columns = torch.full((len(scores),), scores.shape[1], device=scores.device)
    groups, tied = _groups(scores, there, order) if conventions.ties == "averaged" else (None, None)
    lists = Lists(
        _ranked_grades(grades, there, order).to(dtype),
        lambda: grades.to(dtype),
        columns if there is None else there.sum(1),
        absent=missing,
        number=batch.query,
        groups=groups,
        whole=whole,
        all_found=True,
    )
    return RankedBatch(lists, conventions, value_type(batch.scores), tied)


def has_whole_grades(batch: Batch, there: torch.Tensor | None, conventions: Conventions) -> bool:
    """Whether grades are whole numbers and every cell is a judged document."""
    return there is None and batch.grades.dtype in WHOLE and conventions.negative != "unjudged"


def _known_grades(
    batch: Batch, there: torch.Tensor | None, conventions: Conventions, dtype: torch.dtype
) -> torch.Tensor:
    """The grades, nan where there is no judged document."""
    grades = batch.grades.to(dtype)
    if there is not None:
        grades = grades.where(there, NAN)
    return grades.where(~(grades < 0), NAN) if conventions.negative == "unjudged" else grades


def value_type(scores: torch.Tensor) -> torch.dtype:
    """What values are given in: 64 bits, unless the scores have fewer."""
    narrow = scores.is_floating_point() and scores.dtype != torch.float64
    return torch.float32 if narrow else torch.float64


def grade_type(grades: torch.Tensor, there: torch.Tensor | None, dtype: torch.dtype) -> torch.dtype:
    """What values are computed in: their own type, or 64 bits if one of 32 cannot hold a grade, which levels and tables
    of gains are compared with."""
    if dtype == torch.float64 or grades.dtype not in WIDE or not grades.numel():
        return dtype
    if not grades.is_floating_point() and all(abs(int(end)) <= EXACT_IN_32 for end in grades.aminmax()):
        return dtype
    rounded = (grades.float().to(grades.dtype) != grades) & ~grades.isnan()
    return torch.float64 if bool((rounded if there is None else rounded & there).any()) else dtype


def _depth(conventions: Conventions, depth: int | None) -> int | None:
    """How far to rank: where ties are averaged, those below count too."""
    return None if conventions.ties == "averaged" else depth


def _tie_order(conventions: Conventions, grades: torch.Tensor, dtype: torch.dtype) -> torch.Tensor | None:
    if conventions.ties in ("optimistic", "pessimistic"):
        return by_grade(grades.to(dtype), best_first=conventions.ties == "optimistic")
    return tie_order(conventions.ties, grades.shape[1], grades.device)


def _ranked_grades(grades: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor) -> torch.Tensor:
    """The grades in order, nan at ranks that have no document."""
    ordered = grades.gather(1, order)
    if there is None:
        return ordered
    ranks = torch.arange(order.shape[1], device=order.device)
    return ordered.where(ranks < there.sum(1, keepdim=True), NAN)


def _groups(
    scores: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor
) -> tuple[TiedGroups | None, torch.Tensor | None]:
    """Groups of ties, if half of the lists have some; otherwise which lists have."""
    # What is not there has no score: nan equals nothing.
    in_order = (scores if there is None else scores.where(there, NAN)).gather(1, order)
    tied = (in_order[:, 1:] == in_order[:, :-1]).any(1).nonzero().flatten()
    if 2 * len(tied) > len(scores):
        return TiedGroups(in_order), None
    return None, tied if len(tied) else None


def _refuse_numbers(batch: Batch, there: torch.Tensor | None) -> None:
    """Raises for scores that are nan or infinite, and for infinite grades."""
    for numbers, what in ((batch.scores, "score"), (batch.grades, "grade")):
        if not numbers.is_floating_point() or not numbers.numel():
            continue
        if all(end.isfinite() for end in numbers.aminmax()):
            continue
        bad = ~numbers.isfinite() if what == "score" else numbers.isinf()
        if there is not None:
            bad &= there
        if (row := first_row(bad)) is None:
            continue
        column = int(bad[row].nonzero()[0])
        hint = (
            "mask a document that is not to be ranked"
            if what == "score"
            else "nan is for an unjudged document"
        )
        raise InputError(
            f"query {batch.query(row)}: the {what} of document {column} is {float(numbers[row, column])}",
            hint=f"give a finite number; {hint}",
        )
