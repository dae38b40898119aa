"""A measure as a function of scores: what `evaluate` gives for them, many candidates at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from idealist.conventions import DEFAULT, as_conventions
from idealist.data import Rankings
from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.evaluation.aggregates import aggregated
from idealist.kernels import Values, available_threads
from idealist.measures import parse_all
from idealist.measures.gains import HIGHEST_EXPONENT, hint_of_table, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.measures import Measure

CELLS = 1 << 21  # scores that are ranked at a time: they bound the memory
BY_ID = {"id-descending": True, "id-ascending": False}


class Objective:
    """The value of a measure on graded features, for scores of their rows; equal to `evaluate`'s to the last bit, with the
    weights of queries that the features have.

    Queries of equal size are ranked together as matrices in the native core, many candidates in one call.

    >>> from idealist.data.features import Features
    >>> features = Features([[0.0]] * 3, sizes=[2, 1], grades=[1, 0, 1])
    >>> Objective(features, "RR").value([1.0, 2.0, 3.0])
    0.75
    """

    def __init__(
        self,
        features: Features,
        measure: str | Measure,
        conventions: Conventions | str = DEFAULT,
        *,
        threads: int | None = None,
    ) -> None:
        import numpy as np

        grades = grades_of(features)
        if not len(features.sizes):
            raise InputError(
                "there are no queries in these features",
                source=features.source,
                hint="give one query at least",
            )
        self.conventions = as_conventions(conventions)
        self.measure = trainable(measure, self.conventions)
        self.sign = -1.0 if self.measure.better == "lower" else 1.0
        self._features = features
        self._threads = available_threads() if threads is None else threads
        by_id = BY_ID.get(self.conventions.ties)
        # Documents in the order of their ids, so that columns in their order are ties by id.
        self._ranked_as = self.conventions if by_id is None else self.conventions.replace(ties="input-order")
        order = _order_by_id(features, by_id) if by_id is not None else np.arange(len(features))
        starts = features.starts
        self._groups = []
        for size in np.unique(features.sizes):
            queries = np.flatnonzero(features.sizes == size)
            rows = order[starts[queries][:, None] + np.arange(size)[None, :]]
            self._groups.append((queries, rows, grades[rows]))
        ids = [query.encode("utf-8", "surrogateescape") for query in features.queries]
        self._query_order = sorted(range(len(ids)), key=ids.__getitem__)
        self._weights = (
            None if features.weights is None else Values(features.weights[self._query_order].tolist())
        )

    def value(self, scores: Any) -> float:
        """The mean of scores of all rows, or whatever the measure makes of the values of all queries."""
        import numpy as np

        numbers = np.ascontiguousarray(scores, np.float64)
        return self.along(numbers, None, np.zeros(1))[0]

    def query_values(self, scores: Any) -> ndarray:
        """The value of each query, nan for one that the conventions leave out."""
        import numpy as np

        numbers = np.ascontiguousarray(scores, np.float64)
        return np.asarray(self._values(numbers, None, np.zeros(1))[0])

    def along(self, scores: ndarray, direction: ndarray | None, steps: ndarray) -> list[float]:
        """The values of scores + step · direction, for all steps."""
        values = self._values(scores, direction, steps)
        return [
            aggregated(self.measure, Values(row[self._query_order].tolist()), self._weights) for row in values
        ]

    def _values(self, scores: ndarray, direction: ndarray | None, steps: ndarray) -> ndarray:
        import numpy as np

        refuse_scores(self._features, scores)
        of_queries = np.empty((len(steps), len(self._features.sizes)))
        depth = self.measure.depth or None
        for queries, rows, grades in self._parts(len(steps)):
            base = scores[rows]
            if direction is None:
                candidates = np.broadcast_to(base, (len(steps), *base.shape))
            else:
                candidates = base[None] + steps[:, None, None] * direction[rows][None]
            matrix = candidates.reshape(-1, rows.shape[1])
            labels = np.broadcast_to(grades, candidates.shape).reshape(matrix.shape)
            ranked = Rankings.from_arrays(labels, matrix, self._ranked_as, depth=depth, threads=self._threads)
            values = np.asarray(memoryview(self.measure.values_with_conventions(ranked)))
            of_queries[:, queries] = values.reshape(len(steps), len(queries))
        return of_queries

    def _parts(self, candidates: int) -> Iterator[tuple[ndarray, ndarray, ndarray]]:
        for queries, rows, grades in self._groups:
            at_once = max(1, CELLS // (rows.shape[1] * candidates))
            for begin in range(0, len(queries), at_once):
                some = slice(begin, begin + at_once)
                yield queries[some], rows[some], grades[some]

    def better(self, value: float, than: float | None) -> bool:
        """Whether a value is better than another; any is better than none, and any number better than nan."""
        return than is None or (than != than and value == value) or self.sign * value > self.sign * than


def trainable(measure: str | Measure, conventions: Conventions = DEFAULT) -> Measure:
    """The measure, if a model can be chosen by it: it has a better side, and needs grades alone."""
    (parsed,) = parse_all([measure], defaults=conventions.parameters)
    if parsed.better == "neither":
        raise InputError(
            f"no value of {parsed} is better than another", hint="choose by nDCG@10, for example"
        )
    if parsed.needs.given_apart or parsed.aggregate == "pooled":
        raise InputError(
            f"{parsed} cannot be computed from grades of single queries alone",
            hint="choose models by a measure such as nDCG@10 or AP",
        )
    return parsed


def refuse_grades(features: Features, measure: str | Measure, conventions: Conventions = DEFAULT) -> None:
    """An InputError for the first grade that the measure has no gain for, with its query and document.

    >>> from idealist.data.features import Features
    >>> refuse_grades(Features([[1.0]], sizes=[1], grades=[3]), "nDCG(gain={0:0,1:1})")
    Traceback (most recent call last):
    idealist.errors.InputError: query '0', document '0': the grade is 3, which the gain table lacks
    hint: add it: the table has 0, 1
    """
    import numpy as np

    if features.grades is None:
        return
    rules = as_conventions(conventions)
    gain = getattr(trainable(measure, rules), "gain", None)
    grades = features.grades
    counted = (grades >= 0) | (rules.negative == "keep")
    if isinstance(gain, Mapping):
        wrong = counted & ~np.isin(grades, np.fromiter(gain, np.float64))
        why, hint = "which the gain table lacks", hint_of_table(gain)
    elif gain == "exp":
        wrong = counted & (grades > HIGHEST_EXPONENT)
        why, hint = "too high for gain=exp: 2^grade is infinite", "use gain=linear or a table"
    else:
        return
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"query {features.query_of(row)!r}, document {features.documents[row]!r}: the grade is "
            f"{number_text(float(grades[row]))}, {why}",
            source=features.source,
            hint=hint,
        )


def refuse_scores(features: Features, scores: ndarray) -> None:
    """An InputError unless every row has a score that is a finite number."""
    import numpy as np

    if scores.shape != (len(features),):
        raise InputError(
            f"scores have the shape {scores.shape}, but there are {len(features):,} rows of features",
            hint="one score for each row",
        )
    if not np.isfinite(scores).all():
        row = int((~np.isfinite(scores)).argmax())
        raise InputError(
            f"query {features.query_of(row)!r}: the score of document {features.documents[row]!r} is {scores[row]}",
            hint="scores are finite: look for very large features, or lower the learning rate",
        )


def _order_by_id(features: Features, descending: bool) -> ndarray:
    """The rows of each query in the order of their documents' ids, bytewise."""
    import numpy as np

    starts = features.starts.tolist()
    ids = [document.encode("utf-8", "surrogateescape") for document in features.documents]
    order = [
        row
        for begin, end in pairwise(starts)
        for row in sorted(range(begin, end), key=ids.__getitem__, reverse=descending)
    ]
    return np.asarray(order, dtype=np.int64)
