"""In the place of `rank_metrics.py`, the much-copied gist by Brandyn White: its names, values and errors.

    from idealist.drop_ins.rank_metrics import ndcg_at_k      # was: from rank_metrics import ndcg_at_k

Each function takes the grades of one result list in ranked order, or several such lists. Nothing else is known of the
query, and that is where its numbers differ from those of other tools; the conventions `rank_metrics` say how, and
`idealist why` shows by how much:

- `ndcg_at_k` and `average_precision` compare with the documents of the list alone: a relevant document that was not
  retrieved costs nothing.
- `dcg_at_k` does not discount the second rank, unless method=1 is asked for.
- `r_precision` is the precision at the last relevant document of the list, not that at rank R.

What differs here: numbers are Python's floats; nan is refused; the gist's `dcg_at_k` fails with NumPy 2.
"""

from __future__ import annotations

from idealist.base.values import as_count
from idealist.conventions import Conventions
from idealist.data import Rankings
from idealist.errors import InputError
from idealist.measures import AP, DCG, RR, P

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.measures import Measure

__all__ = [
    "average_precision",
    "dcg_at_k",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "precision_at_k",
    "r_precision",
]

AS_GIVEN = Conventions(ties="input-order", negative="keep")
DISCOUNTS = ("jarvelin(2)", "log2")  # of method 0 and 1


class CutoffError(InputError, AssertionError):
    """A cut-off below 1. The gist has an `assert` for it, so that it is an AssertionError too."""


def mean_reciprocal_rank(rs: Iterable[Any]) -> float:
    """One over the rank of the first grade that is not 0, averaged over lists; nan over no list.

    >>> round(mean_reciprocal_rank([[0, 0, 1], [0, 1, 0], [1, 0, 0]]), 4)  # 1/3, 1/2 and 1
    0.6111
    """
    return _mean(_value(RR(), _relevant(r)) for r in rs)


def r_precision(r: Any) -> float:
    """Precision down to the last relevant document of the list; 0 without one.

    >>> r_precision([0, 1, 0])
    0.5
    """
    relevant = _relevant(r)
    if 1.0 not in relevant:
        return 0.0
    while relevant[-1] == 0.0:
        relevant.pop()
    return _value(P(k=len(relevant)), relevant)


def precision_at_k(r: Any, k: int) -> float:
    """The share of the first k grades that are not 0. A list shorter than k is an error.

    >>> round(precision_at_k([0, 0, 1], 3), 4)
    0.3333
    """
    if k < 1:
        raise CutoffError(f"k must be 1 or more, not {k!r}")
    relevant = _relevant(r)
    if len(relevant) < k:
        raise InputError(
            f"Relevance score length < k: the list has {len(relevant)} grades, and k is {k}",
            hint="fill the list with 0, or take a smaller k",
        )
    return _value(P(k=as_count(k, "k")), relevant)


def average_precision(r: Any) -> float:
    """The mean precision at the ranks of the relevant documents of the list; 0 without one.

    >>> round(average_precision([1, 1, 0, 1, 0, 1, 0, 0, 0, 1]), 4)  # (1 + 1 + 3/4 + 4/6 + 5/10)/5
    0.7833
    """
    return _value(AP(), _relevant(r))


def mean_average_precision(rs: Iterable[Any]) -> float:
    """`average_precision`, averaged over lists; nan over no list.

    >>> mean_average_precision([[1, 0], [0, 1]])
    0.75
    """
    return _mean(average_precision(r) for r in rs)


def dcg_at_k(r: Any, k: int, method: int = 0) -> float:
    """The sum of grades, discounted by rank.

    Method 0 divides by 1, 1, log2(3), log2(4) …; method 1 by 1, log2(3), log2(4) …

    >>> dcg_at_k([3, 2, 3], 2), round(dcg_at_k([3, 2, 3], 2, method=1), 4)
    (5.0, 4.2619)
    """
    grades = _grades(r)[:k]
    if not grades:
        return 0.0
    if method not in (0, 1):
        raise InputError("method must be 0 or 1.")
    return _value(DCG(discount=DISCOUNTS[int(method)]), grades)


def ndcg_at_k(r: Any, k: int, method: int = 0) -> float:
    """`dcg_at_k` as a share of that of the same list in its best order; 0 where that is 0.

    >>> round(ndcg_at_k([2, 1, 2, 0], 4), 4), round(ndcg_at_k([2, 1, 2, 0], 4, method=1), 4)
    (0.9203, 0.9652)
    """
    best = dcg_at_k(sorted(_grades(r), reverse=True), k, method)
    return dcg_at_k(r, k, method) / best if best else 0.0


def _value(measure: Measure, grades: list[float]) -> float:
    if not grades:
        return 0.0
    import numpy as np

    falling = np.arange(len(grades), 0.0, -1.0)[None, :]
    (value,) = measure.values_with_conventions(Rankings.from_arrays(np.array([grades]), falling, AS_GIVEN))
    return float(value)


def _relevant(r: Any) -> list[float]:
    return [float(grade != 0) for grade in _grades(r)]


def _grades(r: Any) -> list[float]:
    import numpy as np

    try:
        grades = np.asarray(r, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{r!r} is not a list of grades", hint="numbers in ranked order, such as [3, 0, 1]"
        ) from None
    if grades.ndim != 1:
        raise InputError(
            f"a list of grades has one dimension, not {grades.ndim}", hint="give one list, such as [3, 0, 1]"
        )
    if not np.isfinite(grades).all():
        raise InputError(
            f"the grade at place {(~np.isfinite(grades)).argmax()} is nan or infinite",
            hint="grades are finite numbers",
        )
    return [float(grade) for grade in grades]


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else float("nan")
