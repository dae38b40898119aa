"""A measure, asked for the values of ranked lists of tensors."""

from __future__ import annotations

import torch

from idealist.backends.tensors.values import Values
from idealist.data.needs import GRADES, QUERIES, REFERENCE
from idealist.errors import InputError
from idealist.measures.cwl import Fixed
from idealist.measures.families.binary import AP, RR, F, Hits, Judged, P, R, Rprec, Success, Unjudged
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG
from idealist.measures.families.recall_levels import RelP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.tensors.ranking import RankedBatch
    from idealist.measures import Measure


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
