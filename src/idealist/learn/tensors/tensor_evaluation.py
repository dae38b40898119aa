"""Measures of scores and grades that are tensors: a measure, asked for the values of ranked lists."""

from __future__ import annotations

from math import ceil, isfinite

import torch

from idealist.backends.tensors.tensor_values import Values
from idealist.base.named import other_names
from idealist.conventions import DEFAULT, as_conventions, other_choices
from idealist.data.needs import GRADES, QUERIES, REFERENCE
from idealist.errors import InputError
from idealist.evaluation.aggregates import LEAST
from idealist.learn.tensors.fused import fused_values
from idealist.learn.tensors.ranking import has_whole_grades, ranked
from idealist.learn.tensors.tensor_batches import batches, first_row
from idealist.measures import Measure, parse, parse_all
from idealist.measures.cwl import Fixed
from idealist.measures.families.binary import AP, RR, F, Hits, Judged, P, R, Rprec, Success, Unjudged
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG
from idealist.measures.families.recall_levels import RelP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.tensors.ranking import RankedBatch
    from idealist.learn.tensors.tensor_batches import Batch


# They ask the lists for sums alone, which are made of all lists at once.
OF_SUMS = (CG, DCG, IDCG, NDCG, NCG, P, R, F, AP, RR, Rprec, RelP, Success, Hits, Judged, Unjudged, Fixed)


def refuse(measure: Measure) -> None:
    """Raises for a measure of more than scores and grades."""
    if measure.needs not in (GRADES, QUERIES, REFERENCE) or measure.given:
        raise InputError(
            f"{measure} cannot be measured on tensors: it needs {measure.needs_in_words()}",
            hint="on tensors are measures that need one grade per document",
        )
    if measure.aggregate == "pooled":
        raise InputError(
            f"{measure} cannot be measured on tensors: it is one number of all queries together",
            hint="measure with idealist.evaluate",
        )


def _numbers(measure: Measure, batch: RankedBatch) -> torch.Tensor:
    values: Any = measure.measured(batch.rankings)
    if isinstance(values, Values):
        return values.numbers
    # Made elsewhere, of what was asked of the lists.
    return torch.tensor(list(values), dtype=torch.float64, device=batch.lists.by_rank.device)


def measured(measure: Measure, batch: RankedBatch) -> torch.Tensor:
    """The values of a measure, nan where it is undefined; an error where it is not for these lists."""
    parts = [batch] if isinstance(measure, OF_SUMS) else batch.parts()
    numbers = torch.cat([_numbers(measure, part) for part in parts]).to(batch.value_dtype)
    if bool((infinite := numbers.isinf()).any()):
        raise InputError(
            f"{measure} is infinite for query {batch.lists.name(int(infinite.nonzero()[0]))}",
            hint="use smaller grades, a gain that grows less, or scores of 64 bits, in which values then are",
        )
    return numbers


class TensorEvaluation:
    """The values of every measure and query, on the device of the scores.

    Values are of 64 bits where the scores are, or are whole numbers, and of 32 otherwise. A query that the conventions leave out has nan.
    """

    __slots__ = ("_values", "conventions", "measures")

    def __init__(self, values: dict[Measure, torch.Tensor], conventions: Conventions) -> None:
        self._values = values
        self.measures = tuple(values)
        self.conventions = conventions

    def values(self, measure: str | Measure) -> torch.Tensor:
        """The value of every query, in the order they were given."""
        parsed = parse(measure, defaults=self.conventions.parameters)
        if parsed not in self._values:
            there = ", ".join(map(str, self.measures))
            raise InputError(f"{parsed} was not measured", hint=f"these were: {there}")
        return self._values[parsed]

    def mean(self, measure: str | Measure) -> torch.Tensor:
        """The mean over queries, as a tensor of one number, nan over none; an error for measures that have another number in
        its place, which `aggregate` gives."""
        parsed = parse(measure, defaults=self.conventions.parameters)
        if parsed.aggregate != "mean":
            raise InputError(
                f"{parsed} has no mean over queries", hint=f"aggregate({str(parsed)!r}) gives what it has"
            )
        return self.aggregate(parsed)

    def aggregate(self, measure: str | Measure) -> torch.Tensor:
        """The number of all queries: their mean, their sum for a count, or their geometric mean."""
        parsed = parse(measure, defaults=self.conventions.parameters)
        total, count = summed(parsed, self.values(parsed))
        return concluded(parsed, total, count)

    def aggregates(self) -> dict[str, float]:
        """The number of all queries for every measure, by its text."""
        return {str(measure): float(self.aggregate(measure)) for measure in self.measures}

    def __len__(self) -> int:
        return len(next(iter(self._values.values())))

    def __repr__(self) -> str:
        means = ", ".join(f"{measure} {value:.4f}" for measure, value in self.aggregates().items())
        return f"<TensorEvaluation: {len(self):,} queries, {means}>"


def summed(measure: Measure, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What queries add to the mean, and how many they are: sums of 64 bits, which may be added to others."""
    wide = values.double()
    if measure.aggregate == "geometric":
        wide = wide.clamp(min=LEAST).log()
    return wide.nansum(), (~values.isnan()).sum().double()


def concluded(measure: Measure, total: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """The mean from such sums, as the measure has it."""
    if measure.aggregate == "sum":
        return total
    mean = total / count  # 0/0 is nan: no query has a value
    return mean.exp() if measure.aggregate == "geometric" else mean


OTHER_NAMES = {
    "labels": "grades",
    "target": "grades",
    "preds": "scores",
    "measure": "measures",
    "metric": "measures",
    "metrics": "measures",
}


@other_names(**OTHER_NAMES)
def evaluate_tensors(
    grades: Any,
    scores: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    mask: Any = None,
    sizes: Any = None,
    conventions: Conventions | str = DEFAULT,
) -> TensorEvaluation:
    """Measures scores with grades, both tensors, on their device and without a loop over queries.

    `grades` and `scores` are queries × documents, or one list; with `sizes`, which says how many documents each query has,
    they may be the lists of all queries one behind the other. In a matrix, `sizes` are the documents at the beginning of each
    row, or `mask` is true where there is one. A grade of nan is an unjudged document. A row without a document is a
    query that is missing from the run. Where ties go by id, a document's id is its number within its list, as text, of
    which the greater comes first: 2 before 10. The values are those of `evaluate`.

    >>> scores = torch.tensor([[0.9, 0.1, 0.5], [0.2, 0.8, 0.0]])
    >>> grades = torch.tensor([[0, 2, 1], [1, 0, 0]])
    >>> result = evaluate_tensors(grades, scores, ["RR", "P@1"], sizes=torch.tensor([3, 2]))
    >>> result.values("RR")
    tensor([0.5000, 0.5000])
    >>> result.aggregates()
    {'RR': 0.5, 'P@1': 0.0}
    """
    _refuse_swapped(grades, scores)
    rules = as_conventions(conventions)
    parsed = measures_of(measures, rules)
    parts: dict[Measure, list[torch.Tensor]] = {measure: [] for measure in parsed}
    rows: list[torch.Tensor] = []
    for batch in batches(scores, grades, mask, sizes):
        for measure, values in batch_values(batch, parsed, rules).items():
            parts[measure].append(values)
        if batch.numbers is not None:
            rows.append(batch.numbers)
    joined = {
        measure: values[0] if len(values) == 1 else torch.cat(values) for measure, values in parts.items()
    }
    if rows:  # lists of like length were measured together
        places = torch.cat(rows).argsort()
        joined = {measure: values[places] for measure, values in joined.items()}
    return TensorEvaluation(joined, rules)


def _refuse_swapped(grades: Any, scores: Any) -> None:
    """Raises for fractions among the grades where all scores are of a type of whole numbers: they are in each other's place."""
    if not (isinstance(grades, torch.Tensor) and isinstance(scores, torch.Tensor)):
        return
    if scores.is_floating_point() or not grades.is_floating_point():
        return
    if bool((grades.nan_to_num() % 1 != 0).any()):
        raise InputError(
            "grades have fractions and scores are whole numbers: they are in each other's place",
            hint="evaluate_tensors(grades, scores, measures); scores.float() where this is meant",
        )


def measures_of(
    measures: str | Measure | Iterable[str | Measure], conventions: Conventions
) -> tuple[Measure, ...]:
    """The measures that were asked for, each of which can be measured on tensors."""
    parsed = parse_all(measures, defaults=conventions.parameters)
    for measure in parsed:
        refuse(measure)
    return parsed


def batch_values(
    batch: Batch, measures: tuple[Measure, ...], conventions: Conventions
) -> dict[Measure, torch.Tensor]:
    """The values of a batch under the conventions, in the order of the measures."""
    fused = {measure: fused_values(measure, batch, conventions) for measure in measures}
    others = [measure for measure in measures if fused[measure] is None]
    if not others:
        return {measure: values for measure, values in fused.items() if values is not None}
    depths = [_depth_of(measure, batch, conventions) for measure in others]
    depth = None if None in depths else max(depths)  # type: ignore[type-var]
    whole = ranked(batch, conventions, depth)
    by_measure = {measure: list_values(whole, measure) for measure in others}
    if whole.tied is not None:
        tied = ranked(batch.part(whole.tied), conventions, depth)
        by_measure = {
            measure: values.index_copy(0, whole.tied, list_values(tied, measure))
            for measure, values in by_measure.items()
        }
    return {measure: by_measure[measure] if values is None else values for measure, values in fused.items()}


def _depth_of(measure: Measure, batch: Batch, conventions: Conventions) -> int | None:
    """How far lists have to be ranked for a measure; None for all of them."""
    if type(measure) is not Rprec or not has_whole_grades(batch, batch.mask(), conventions):
        return measure.depth
    if not isfinite(measure.level) or not len(batch.grades):
        return None
    # No list is looked at beyond its number of relevant documents; without a rank there would be no list to look at.
    return max(1, int(batch.whole().reaching(ceil(measure.level)).max()))


def list_values(batch: RankedBatch, measure: Measure) -> torch.Tensor:
    """The values of ranked lists under their conventions; nan marks a query that is left out."""
    values, lists, conventions = measured(measure, batch), batch.lists, batch.rankings.conventions
    if conventions.empty in ("zero", "one"):
        values = values.nan_to_num(nan=float(conventions.empty == "one"))
    elif conventions.empty == "skip":
        values = (
            values.masked_fill(lists.none_relevant(), float("nan"))
            if measure.needs.empty_by_grade
            else values
        )
    elif (row := first_row(values.isnan())) is not None:
        raise InputError(
            f"{measure} is undefined for query {lists.name(row)}",
            hint=other_choices("empty"),
        )
    return values.masked_fill(lists.absent, float("nan")) if conventions.missing == "skip" else values
