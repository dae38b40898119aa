"""Every operation of the algebra on tensors gives the numbers that the core gives."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import pytest
import torch

from idealist import kernels
from idealist.backends.tensors.tensor_lists import Lists
from idealist.data import Rankings

NAN = float("nan")
GRADES = [[2.0, NAN, 0.0, 1.0, 2.0], [NAN, 0.0, 1.0], [], [-1.0, 3.0, 1.0, 0.5]]
JUDGED = [[2.0, 2.0, 1.0, 1.0, 0.0], [1.0, 0.0], [1.0], [3.0, 1.0, 0.5, -1.0]]
TABLE = kernels.Gain(
    "table", True, [(-1.0, 0.25), (0.0, 0.0), (0.5, 4.0), (1.0, 1.0), (2.0, 7.0), (3.0, 2.0)]
)


def core() -> Any:
    listed = [[None if isnan(grade) else grade for grade in one] for one in GRADES]
    return Rankings.from_grades(listed, JUDGED).native


def on_tensors() -> Any:
    sizes = torch.tensor([len(one) for one in GRADES])

    def padded(lists: list[list[float]]) -> torch.Tensor:
        return torch.tensor([[*one, *[NAN] * (5 - len(one))] for one in lists], dtype=torch.float64)

    return Lists(padded(GRADES), padded(JUDGED), sizes, absent=sizes < 0)


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "cut_short": lambda lists: kernels.grades(kernels.cut_short(lists, 2)),
    "cut_short, retrieved": lambda lists: kernels.retrieved(kernels.cut_short(lists, 2), None),
    "chosen": lambda lists: kernels.grades(kernels.chosen(lists, [3, 0])),
    "part": lambda lists: kernels.ranks(kernels.part(lists, 1, 4)),
    "regraded": lambda lists: kernels.grades(kernels.regraded(lists, TABLE)),
    "regraded, relevant": lambda lists: kernels.relevant(kernels.regraded(lists, TABLE), 2.0),
    "ideal_ranks": kernels.ideal_ranks,
    "condensed": lambda lists: kernels.ranks(kernels.condensed(lists)),
    "filled": lambda lists: kernels.grades(kernels.filled(lists, 9.0, 4, False)),
    "filled, padded": lambda lists: kernels.grades(kernels.filled(lists, 9.0, 6, True)),
    "filled, relevant": lambda lists: kernels.relevant(kernels.filled(lists, 9.0, None, False), 9.0),
    "gains": lambda lists: kernels.gains(lists, TABLE),
    "ideal gains": lambda lists: kernels.ideal_gains(
        lists, TABLE, [1.0, 0.5, 0.5, 0.25, 0.0], None, False, 1
    ),
    "ideal of the retrieved": lambda lists: kernels.ideal_gains(lists, TABLE, [1.0, 0.5], 2, True, 1),
    "following": lambda lists: kernels.grades(lists).following(7.0),
    "descending": lambda lists: kernels.grades(lists).descending(),
    "standing": lambda lists: kernels.grades(lists).standing(),
    "earlier_less": lambda lists: kernels.grades(lists).earlier_less(kernels.ranks(lists)),
    "earlier ranks": lambda lists: kernels.ranks(lists).earlier_less(kernels.grades(lists)),
    "last_up_to": lambda lists: kernels.grades(lists).last_up_to(
        kernels.ranks(lists), kernels.ranks(kernels.ideal_order(lists)), -5.0
    ),
    "highest": lambda lists: kernels.grades(lists).highest(-5.0),
    "product_before": lambda lists: kernels.grades(lists).product_before(),
    "before": lambda lists: kernels.grades(lists).before(),
    "looked_up": lambda lists: kernels.ranks(lists).looked_up([9, 8, 7, 6, 5, 4]),
    "like": lambda lists: kernels.grades(lists).like(range(len(kernels.grades(lists)))).running(),
    "of values": lambda lists: kernels.grades(lists) ** kernels.relevant(lists, 1.0) / kernels.grades(lists),
    "of the other side": lambda lists: 2.0 ** (1.0 - kernels.grades(lists)) - kernels.relevant(lists, 1.0),
    "minimum": lambda lists: kernels.grades(lists).minimum(kernels.relevant(lists, 1.0) / 0.0),
    "maximum": lambda lists: (1.0 / kernels.grades(lists)).maximum(kernels.ranks(lists)).filled(-5.0),
    "where_positive": lambda lists: kernels.ranks(lists).where_positive(kernels.grades(lists)),
    "log2": lambda lists: (kernels.ranks(lists) + 1.0).log2() * (kernels.grades(lists) < 1.0),
    "sums_of": lambda lists: kernels.relevant(lists, 0.0).sums_of([1, 0, 3]),
    "without": lambda lists: kernels.relevant(lists, 0.0).without([1]),
    "replaced": lambda lists: kernels.relevant(lists, 0.0).replaced(
        [1], kernels.relevant(kernels.part(lists, 0, 1), 0.0)
    ),
    "floored": lambda lists: (kernels.relevant(lists, 0.0) / 2.0).floored(),
    "joined": lambda lists: kernels.joined([kernels.relevant(lists, 1.0), kernels.relevant(lists, 0.0)]),
    "values looked up": lambda lists: kernels.looked_up(kernels.relevant(lists, 0.0), [9.0, 8.0, 7.0]),
    "questions": lambda lists: [
        lists.longest(),
        *lists.levels(),
        lists.highest_grade(),
        *lists.missing(),
        -1,
        *lists.empty(),
    ],
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_numbers_are_those_of_the_core(operation: str) -> None:
    expected, found = (np.asarray(OPERATIONS[operation](lists())).tolist() for lists in (core, on_tensors))
    assert found == pytest.approx(expected, abs=1e-15, nan_ok=True)
