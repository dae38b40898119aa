"""Scores and grades of many queries as tensors: padded, one behind the other, or one list; checked and put into one form."""

from __future__ import annotations

import torch

from idealist.backends.tensors.tensor_lists import WholeGrades
from idealist.base.values import EXACT, INEXACT
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CELLS = 1 << 27  # ranked at a time; a longer list is ranked by itself
LONGEST_LIST = 2**31 - 1  # a document's number has 32 bits
SHAPES = (
    "both are queries × documents, or one list; lists of different length, one behind the other, need sizes"
)


class Batch:
    """Lists of documents in the rows of matrices. `there` says which cells hold one, None if all do; `sizes` how many a
    row has, where they stand at its beginning. `numbers` are those of the rows' queries, None where `first` is that of the first row."""

    __slots__ = ("_whole", "first", "grades", "numbers", "scores", "sizes", "there")

    def __init__(
        self,
        scores: torch.Tensor,
        grades: torch.Tensor,
        *,
        there: torch.Tensor | None = None,
        sizes: torch.Tensor | None = None,
        numbers: torch.Tensor | None = None,
        first: int = 0,
    ) -> None:
        self.scores = scores
        self.grades = grades
        self.there = there
        self.sizes = sizes
        self.numbers = numbers
        self.first = first
        self._whole: WholeGrades | None = None

    def whole(self) -> WholeGrades:
        """The grades, of which every cell is a whole number."""
        if self._whole is None:
            self._whole = WholeGrades(self.grades)
        return self._whole

    def query(self, row: int) -> int:
        """The number of a row's query in what was given."""
        return self.first + row if self.numbers is None else int(self.numbers[row])

    def part(self, rows: torch.Tensor) -> Batch:
        """Some of the lists."""
        return Batch(
            self.scores[rows],
            self.grades[rows],
            there=None if self.there is None else self.there[rows],
            sizes=None if self.sizes is None else self.sizes[rows],
            numbers=self.first + rows if self.numbers is None else self.numbers[rows],
        )

    def mask(self) -> torch.Tensor | None:
        """Which cells hold a document; None if all do."""
        if self.there is None and self.sizes is not None:
            self.there = _before(self.sizes, self.scores.shape[1])
        return self.there


def batches(scores: Any, grades: Any, mask: Any, sizes: Any) -> Iterator[Batch]:
    """What was given, in parts that can be ranked at once."""
    score_tensor, grade_tensor = _tensor(scores, "scores"), _tensor(grades, "grades")
    _refuse_types(score_tensor, grade_tensor)
    if score_tensor.shape != grade_tensor.shape or score_tensor.ndim not in (1, 2):
        raise InputError(
            f"scores have shape {tuple(score_tensor.shape)} and grades {tuple(grade_tensor.shape)}",
            hint=SHAPES,
        )
    if mask is not None and sizes is not None:
        raise InputError("mask and sizes both say which documents there are", hint="give one of them")
    there = None if mask is None else _mask(mask, score_tensor)
    counts = None if sizes is None else _sizes(sizes, score_tensor)
    if score_tensor.ndim == 1 and counts is not None:
        yield from _ragged(score_tensor, grade_tensor, counts)
        return
    if score_tensor.ndim == 1:
        score_tensor, grade_tensor = score_tensor[None], grade_tensor[None]
        there = None if there is None else there[None]
    if there is not None:
        counts = _at_the_beginning(there)
    yield from _padded(score_tensor, grade_tensor, there, counts)


def first_row(which: torch.Tensor) -> int | None:
    """The first row of which something holds."""
    rows = which if which.ndim == 1 else which.any(1)
    return int(rows.nonzero()[0]) if bool(rows.any()) else None


def _padded(
    scores: torch.Tensor, grades: torch.Tensor, there: torch.Tensor | None, sizes: torch.Tensor | None
) -> Iterator[Batch]:
    rows, columns = scores.shape
    _refuse_long(columns)
    step = max(1, CELLS // max(1, columns))
    if rows <= step:
        yield Batch(scores, grades, there=there, sizes=sizes)
        return
    for first in range(0, rows, step):
        part = slice(first, first + step)
        yield Batch(
            scores[part],
            grades[part],
            there=None if there is None else there[part],
            sizes=None if sizes is None else sizes[part],
            first=first,
        )


def _ragged(scores: torch.Tensor, grades: torch.Tensor, sizes: torch.Tensor) -> Iterator[Batch]:
    """Lists of like length together, so that padding at most doubles them."""
    starts = sizes.cumsum(0) - sizes
    _refuse_long(int(sizes.max()) if len(sizes) else 0)
    if len(sizes) == 0 or len(sizes) * int(sizes.max()) <= min(CELLS, 2 * len(scores)):
        yield _filled(scores, grades, starts, sizes, torch.arange(len(sizes), device=scores.device))
        return
    # The least power of two that holds a list.
    widths = torch.ceil(torch.log2(sizes.clamp(min=1).double())).long()
    for width in widths.unique().tolist():
        alike = (widths == width).nonzero().flatten()
        for rows in alike.split(max(1, CELLS >> width)):
            yield _filled(scores, grades, starts, sizes, rows)


def _filled(
    scores: torch.Tensor,
    grades: torch.Tensor,
    starts: torch.Tensor,
    sizes: torch.Tensor,
    rows: torch.Tensor,
) -> Batch:
    """The lists of these queries in the rows of a matrix."""
    counts = sizes[rows]
    columns = int(counts.max()) if len(counts) else 0
    there = _before(counts, columns)
    at = (starts[rows][:, None] + torch.arange(columns, device=scores.device)).where(there, 0)
    if len(scores):
        return Batch(scores[at], grades[at], there=there, sizes=counts, numbers=rows)
    empty = (len(rows), 0)
    return Batch(scores.new_empty(empty), grades.new_empty(empty), there=there, sizes=counts, numbers=rows)


def _at_the_beginning(there: torch.Tensor) -> torch.Tensor | None:
    """The sizes of lists that stand at the beginning of their rows, as most masks say; None if some has a gap."""
    sizes = there.sum(1)
    return sizes if torch.equal(there, _before(sizes, there.shape[1])) else None


def _before(sizes: torch.Tensor, columns: int) -> torch.Tensor:
    return torch.arange(columns, device=sizes.device) < sizes[:, None]


def _tensor(given: Any, what: str) -> torch.Tensor:
    """A tensor as it is; numbers in lists as those of 64 bits that Python's are."""
    if isinstance(given, torch.Tensor):
        return given.detach() if given.requires_grad else given
    try:
        exact = None if hasattr(given, "dtype") else torch.float64
        return torch.as_tensor(given, dtype=exact)
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"{what} cannot be made a tensor: {given!r}", hint=SHAPES) from None


def _refuse_types(scores: torch.Tensor, grades: torch.Tensor) -> None:
    for tensor, what in ((scores, "scores"), (grades, "grades")):
        if tensor.is_complex() or tensor.is_quantized or tensor.layout != torch.strided:
            raise InputError(f"{what} are of type {tensor.dtype}, {tensor.layout}", hint="dense real numbers")
    if scores.device != grades.device:
        raise InputError(
            f"scores are on {scores.device}, grades on {grades.device}",
            hint="bring both to one device, as by grades.to(scores.device)",
        )


def compared(batch: Batch, *, single: bool) -> torch.Tensor:
    """Scores as floats that compare as the given numbers do, or as those of 32 bits do."""
    scores = batch.scores
    if single:
        return scores.float()
    if scores.is_floating_point():
        return scores if scores.dtype in (torch.float32, torch.float64) else scores.float()
    if scores.dtype == torch.int64:
        inexact = (scores.abs() >= EXACT) & (scores.double().long() != scores)
        if bool(inexact.any()):
            row, column = (int(at) for at in inexact.nonzero()[0])
            raise InputError(
                f"query {batch.query(row)}: the score of document {column} is {int(scores[row, column])}, {INEXACT}",
                hint="give ranks, or numbers below 2**53",
            )
    return scores.double()


def _mask(given: Any, scores: torch.Tensor) -> torch.Tensor:
    mask = given if isinstance(given, torch.Tensor) else torch.as_tensor(given)
    if mask.dtype != torch.bool:
        raise InputError(
            f"mask is of type {mask.dtype}, not bool", hint="true where there is a document: mask.bool()"
        )
    if mask.shape != scores.shape:
        raise InputError(
            f"mask has shape {tuple(mask.shape)}, scores {tuple(scores.shape)}",
            hint="one of them for each score",
        )
    return mask.to(scores.device)


def _sizes(given: Any, scores: torch.Tensor) -> torch.Tensor:
    sizes = given if isinstance(given, torch.Tensor) else torch.as_tensor(given)
    if sizes.ndim != 1 or ((sizes.is_floating_point() or sizes.dtype == torch.bool) and len(sizes)):
        raise InputError("sizes must be a list of whole numbers: how many documents each query has")
    sizes = sizes.to(scores.device, torch.int64)
    if len(sizes) and int(sizes.min()) < 0:
        raise InputError(
            f"the size of query {int((sizes < 0).nonzero()[0])} is negative", hint="sizes are 0 or more"
        )
    if scores.ndim == 1:
        total = int(sizes.sum())
        if total != len(scores):
            raise InputError(
                f"the sizes add up to {total:,}, but there are {len(scores):,} scores",
                hint="sizes holds one number per query: how many documents it has",
            )
    elif len(sizes) != len(scores):
        raise InputError(
            f"there are {len(sizes):,} sizes, but {len(scores):,} rows of scores",
            hint="one size for each row",
        )
    elif len(sizes) and int(sizes.max()) > scores.shape[1]:
        query = int((sizes > scores.shape[1]).nonzero()[0])
        raise InputError(
            f"query {query} has {int(sizes[query]):,} documents, but a row has {scores.shape[1]:,} scores",
            hint="a size is the number of documents at the beginning of a row",
        )
    return sizes


def _refuse_long(columns: int) -> None:
    if columns > LONGEST_LIST:
        raise InputError(
            f"a list of {columns:,} documents is longer than {LONGEST_LIST:,}",
            hint="rank the first of them: idealist.learn.top_items does it in parts",
        )
