"""scikit-learn's ranking metrics, by its names and with its values; scikit-learn need not be installed.

    from idealist.drop_ins.sklearn import ndcg_score      # was: from sklearn.metrics import ndcg_score

A row is a query, a column a document. What scikit-learn refuses as bad input is an `InputError` here, which is a
`ValueError` too. What differs:

- Rows may differ in length, as lists of lists do; a row may have one document, or none.
- Scores of unsigned integers, such as uint8, are ranked as the numbers they are. scikit-learn negates them, which
  puts 0 first. Boolean scores are 0 and 1.
- A label of -1 is refused where labels are 0 and 1. scikit-learn counts it as relevant.
- Weights that add up to 0 are refused everywhere. scikit-learn raises ZeroDivisionError or gives nan.
- Sparse matrices are taken everywhere; masked arrays nowhere.
- Scores are compared as 64-bit floating point numbers: integers beyond 2^53 may be equal then.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import log2

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.values import as_within
from idealist.conventions import Conventions
from idealist.data import Rankings
from idealist.errors import InputError
from idealist.measures import DCG, NDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.kernels import Values
    from idealist.measures import Measure

__all__ = [
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
]

BINARY = "labels are 0 and 1"


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """The mean DCG of rows of grades, ranked by rows of scores.

    Σ y_r / log_b(r + 1) over ranks r = 1..k, where b is `log_base`. Documents of equal score share the mean of
    their grades. With `ignore_ties` they stand in the order that NumPy's unstable sort leaves them in, which is
    nobody's choice: another machine may have another one.

    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    9.4995
    >>> dcg_score([[10, 0, 0, 1, 5]], [[1, 0, 0, 0, 1]], k=1)  # the mean of 10 and 5
    7.5
    """
    base = as_within(log_base, "log_base", 0, ends="(]")
    measure = DCG(k=k)
    tables = _tables(y_true, y_score)
    return _mean(tables, lambda table: _by_rank(measure, table, ignore_ties), sample_weight) * log2(base)


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """The mean nDCG of rows of grades, ranked by rows of scores; 0 where no grade is above 0.

    Ties are as in `dcg_score`. A row of one document has the value 1 if its grade is above 0; scikit-learn
    refuses it.

    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    >>> ndcg_score([[3, 2], [1], [0, 0, 1]], [[0.9, 0.1], [0.5], [0.1, 0.2, 0.9]])  # rows of any length
    1.0
    """
    measure = NDCG(k=k)
    tables = _tables(y_true, y_score)
    for table in tables:
        if table.grades.size and table.grades.min() < 0:
            raise InputError(
                f"y_true: {table.cell_text(table.grades < 0)} is negative, and nDCG is of gains that are not",
                hint="replace negative grades by 0",
            )
    return _mean(tables, lambda table: _by_rank(measure, table, ignore_ties), sample_weight)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Label ranking average precision: for each relevant document, the share of relevant ones among all that
    score as high or higher; the mean over them, and over the rows.

    Without ties it is AP. A row in which all or none is relevant counts 1.

    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    return _mean(_labelled(y_true, y_score), lambda table: _Standing(table).precision(), sample_weight)


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """How far down one has to go to see every relevant document, the mean over rows; 0 where none is relevant.

    Of documents with equal scores the relevant ones come last: `CoverageError` with ties=pessimistic.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    return _mean(_labelled(y_true, y_score), _coverage, sample_weight)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The share of pairs of a relevant and another document that are out of order, the mean over rows.

    A pair of equal scores is out of order: `RankingLoss` with ties=pessimistic. A row in which all or none is relevant counts 0.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    return _mean(_labelled(y_true, y_score), lambda table: _Standing(table).loss(), sample_weight)


class _Table(Frozen):
    """Rows of one length: which they are, their grades and their scores."""

    rows: Any
    grades: Any
    scores: Any

    def cell_text(self, wrong: Any) -> str:
        """Where the first cell is of which a matrix says that it is wrong."""
        row, column = divmod(int(wrong.argmax()), wrong.shape[1])
        return f"row {self.rows[row]}, column {column}"


def _by_rank(measure: Measure, table: _Table, ignore_ties: bool) -> Any:
    """The values of rows; those for which ties matter are ranked by NumPy if they are to be ignored."""
    import numpy as np

    if not isinstance(ignore_ties, (bool, np.bool_)):
        raise InputError(f"ignore_ties must be True or False, not {ignore_ties!r}")
    if not ignore_ties:
        return _values(measure, table.scores, table.grades, "averaged")
    values = _values(measure, table.scores, table.grades, "optimistic")
    tied = values != _values(measure, table.scores, table.grades, "pessimistic")
    if tied.any():
        order = np.argsort(table.scores[tied])[:, ::-1]
        grades = np.take_along_axis(table.grades[tied], order, axis=1)
        ranks_as_scores = np.broadcast_to(np.arange(grades.shape[1], 0.0, -1.0), grades.shape)
        values[tied] = _values(measure, ranks_as_scores, grades, "input-order")
    return values


def _values(measure: Measure, scores: Any, grades: Any, ties: str) -> Any:
    import numpy as np

    conventions = Conventions(ties=ties, negative="keep")
    rankings = Rankings.from_arrays(grades, scores, conventions, depth=measure.depth)
    return np.array(measure.values_with_conventions(rankings))


class _Standing:
    """The relevant documents of rows of labels: how many documents, and how many relevant ones, score as high as
    each of them or higher, itself included."""

    def __init__(self, table: _Table) -> None:
        import numpy as np

        # From the worst on, tied documents have one rank: the first behind all that score lower. Only relevant
        # documents have places.
        upside_down = Conventions(ties="averaged", negative="unjudged")
        scores = -table.scores.astype(np.float64, copy=False)
        rankings = Rankings.from_arrays(np.where(table.grades > 0, 1.0, -1.0), scores, upside_down).native
        ranks = kernels.ranks(rankings)
        self.columns = float(table.grades.shape[1])
        self.relevant = kernels.relevant(rankings, 1.0)
        self.all_here = self.columns + 1.0 - ranks
        self.relevant_here = self.relevant - ranks.earlier_less(ranks * 0.0 + 1.0)

    def precision(self) -> Values:
        values = (self.relevant_here / self.all_here).sum() / self.relevant
        return values.where_positive(self.columns - self.relevant).filled(1.0)

    def loss(self) -> Values:
        out_of_order = (self.all_here - self.relevant_here).sum()
        return (out_of_order / (self.relevant * (self.columns - self.relevant))).filled(0.0)


def _coverage(table: _Table) -> Any:
    import numpy as np

    lowest = np.where(table.grades > 0, table.scores, np.inf).min(axis=1, initial=np.inf)
    return (table.scores >= lowest[:, None]).sum(axis=1)


def _mean(tables: list[_Table], values_of: Callable[[_Table], Any], sample_weight: Any) -> float:
    import numpy as np

    values = np.zeros(sum(len(table.rows) for table in tables))
    weights = None if sample_weight is None else _weights(sample_weight, len(values))
    for table in tables:
        values[table.rows] = values_of(table)
    return float(np.average(values, weights=weights))


def _weights(sample_weight: Any, rows: int) -> Any:
    import numpy as np

    weights = _numbers(sample_weight, "sample_weight")
    if weights.shape != (rows,):
        raise InputError(
            f"sample_weight must have {rows} entries, one per row, not shape {weights.shape}",
            hint="one weight for each row",
        )
    if not np.isfinite(weights).all():
        raise InputError(
            f"sample_weight: that of row {(~np.isfinite(weights)).argmax()} is not finite",
            hint="weights are finite numbers",
        )
    if weights.sum() == 0:
        raise InputError("the weights add up to 0", hint="give some row a weight")
    return weights


def _labelled(y_true: Any, y_score: Any) -> list[_Table]:
    """Tables of labels: 0, and one other number, which says relevant."""
    import numpy as np

    tables = _tables(y_true, y_score)
    filled = [table for table in tables if table.grades.size]
    highest = max((table.grades.max() for table in filled), default=0)
    lowest = min((table.grades.min() for table in filled), default=0)
    if lowest < 0:
        cell_text = next(table.cell_text(table.grades < 0) for table in filled if table.grades.min() < 0)
        raise InputError(f"y_true: {cell_text} is negative", hint=BINARY)
    for table in filled:
        if table.grades.dtype.kind == "b" or (table.grades.dtype.kind in "iu" and highest <= 1):
            continue
        not_binary = (table.grades != highest) & (table.grades != lowest) | (
            table.grades != np.floor(table.grades)
        )
        if not_binary.any():
            other_labels = (table.grades != 0) & (table.grades != 1)
            cell = table.grades.flat[other_labels.argmax()]
            raise InputError(
                f"y_true: {table.cell_text(other_labels)} is {cell:g}, and so not binary", hint=BINARY
            )
    return tables


def _tables(y_true: Any, y_score: Any) -> list[_Table]:
    """Both as matrices: one if all rows are of one length, or one for each length there is."""
    import numpy as np

    grades, scores = _rows(y_true, "y_true"), _rows(y_score, "y_score")
    if len(grades) != len(scores):
        raise InputError(f"y_true has {len(grades)} rows and y_score {len(scores)}", hint="a row is a query")
    if len(grades) == 0:
        raise InputError("y_true has no rows", hint="a row is a query")
    if not isinstance(grades, list) and not isinstance(scores, list):
        if grades.shape != scores.shape:
            raise InputError(
                f"y_true has {grades.shape[1]} columns and y_score {scores.shape[1]}",
                hint="a column is a document",
            )
        if grades.shape[1] == 0:
            raise InputError("y_true has no columns", hint="a column is a document")
        return [_checked(_Table(np.arange(len(grades)), grades, scores))]
    lengths: dict[int, list[int]] = {}
    for row, (true, score) in enumerate(zip(grades, scores, strict=True)):
        if len(true) != len(score):
            raise InputError(
                f"row {row} of y_true has {len(true)} documents, and of y_score {len(score)}",
                hint="give every document of a row its grade and its score",
            )
        lengths.setdefault(len(true), []).append(row)
    return [
        _checked(
            _Table(
                np.array(rows),
                np.array([grades[row] for row in rows]),
                np.array([scores[row] for row in rows]),
            )
        )
        for rows in lengths.values()
    ]


def _checked(table: _Table) -> _Table:
    import numpy as np

    for title, cells in (("y_true", table.grades), ("y_score", table.scores)):
        # A sum is quicker than a look at every cell; it may be too large where every cell is finite.
        if cells.dtype.kind == "f" and not np.isfinite(cells.sum()) and not np.isfinite(cells).all():
            raise InputError(
                f"{title}: {table.cell_text(~np.isfinite(cells))} is nan or infinite",
                hint="give finite numbers",
            )
    return table


def _rows(cells: Any, title: str) -> Any:
    """A matrix, or a list of arrays if the rows are of different length."""
    import numpy as np

    if hasattr(cells, "toarray"):  # a sparse matrix
        cells = cells.toarray()
    if isinstance(cells, (str, bytes, Mapping, Set)) or not hasattr(cells, "__len__"):
        raise InputError(f"{title} is {type(cells).__name__}, not rows of numbers", hint="a row is a query")
    try:
        matrix = np.asarray(cells)
    except ValueError:  # rows of different length
        return [_row(row, f"row {at} of {title}") for at, row in enumerate(cells)]
    if matrix.dtype.kind == "O" and matrix.ndim == 1 and all(hasattr(row, "__len__") for row in matrix):
        return [_row(row, f"row {at} of {title}") for at, row in enumerate(matrix)]
    matrix = _numbers(cells, title)
    if matrix.ndim != 2:
        raise InputError(f"{title} has shape {matrix.shape}", hint="it is queries × documents")
    return matrix


def _row(cells: Any, title: str) -> Any:
    row = _numbers(cells, title)
    if row.ndim != 1:
        raise InputError(f"{title} is not a list of numbers", hint="a row is a query, an entry a document")
    return row


def _numbers(cells: Any, title: str) -> Any:
    """An array of numbers, of the type NumPy finds for them."""
    import numpy as np

    if isinstance(cells, np.ma.MaskedArray):
        raise InputError(f"{title} is a masked array", hint="give rows of different length as lists")
    try:
        array = np.asarray(cells)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{title} does not hold numbers alone") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{title} is of type {array.dtype}, not of numbers")
    return array
