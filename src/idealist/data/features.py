"""Documents as a learner sees them: a row of numbers each, the rows of a query together."""

from __future__ import annotations

from functools import partial

from idealist.base.wording import and_more, count_of, count_queries
from idealist.data.judgments import Judgments
from idealist.data.query_weights import QueryWeights
from idealist.data.run import Run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from numpy import ndarray

    # What is wrong with a row, which is given by its number from 0, as an error that says where it stands.
    Wrong = Callable[[str, int, str], InputError]


class Features:
    """An immutable table of query-document pairs: features, and grades where they are known.

    The rows of a query stand together. `sizes` says how many rows each of `queries` has; `documents` names every row,
    `names` every column. No query and no column has the name of another, nor a document that of another of its query.
    `weights` say what each query counts in training and in means, where not all count alike. `numbered` says that the
    queries came without ids, so that their names are their places and mean nothing beside another table. Arrays are copied.

    >>> features = Features([[0.5, 1], [0.1, 0], [0.9, 1]], sizes=[2, 1], grades=[1, 0, 2])
    >>> features
    <Features: 2 queries, 3 documents, 2 features, graded>
    >>> features.judgments().to_dict()
    {'0': {'0': 1.0, '1': 0.0}, '1': {'2': 2.0}}
    >>> features.run([3.0, 2.0, 1.0]).to_dict()
    {'0': {'0': 3.0, '1': 2.0}, '1': {'2': 1.0}}
    """

    __slots__ = (
        "documents",
        "grades",
        "matrix",
        "names",
        "numbered",
        "queries",
        "sizes",
        "source",
        "weights",
    )

    matrix: ndarray  # rows × features, float64
    sizes: ndarray  # rows of each query, int64
    grades: ndarray | None  # of the rows, float64
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    names: tuple[str, ...]
    source: str | None
    weights: ndarray | None  # of the queries, float64
    numbered: bool  # a range, or none, was given for the queries

    def __init__(
        self,
        matrix: Any,
        *,
        sizes: Any,
        grades: Any = None,
        queries: Iterable[Any] | None = None,
        documents: Iterable[Any] | None = None,
        names: Iterable[str] | None = None,
        source: str | None = None,
        weights: Any = None,
    ) -> None:
        import numpy as np

        cells = np.array(matrix, dtype=np.float64, order="C", copy=True)
        if cells.ndim != 2:
            raise InputError(f"features have the shape {cells.shape}", hint="rows × features")
        counts = _group_sizes(sizes, len(cells))
        labels = None if grades is None else _grades(grades, len(cells))
        counted = None if weights is None else _query_weights(weights, len(counts), source)
        for array in (cells, counts, labels, counted):
            if array is not None:
                array.flags.writeable = False
        self._set("matrix", cells)
        self._set("sizes", counts)
        self._set("grades", labels)
        self._set("numbered", queries is None or isinstance(queries, range))
        self._set("queries", _unlike(_ids(queries, len(counts), "queries"), "queries", source))
        self._set("documents", _ids(documents, len(cells), "documents"))
        _refuse_repeats(self.documents, self.queries, counts, source)
        columns = [str(number) for number in range(1, cells.shape[1] + 1)] if names is None else list(names)
        self._set("names", _unlike(_ids(columns, cells.shape[1], "names of features"), "features", source))
        self._set("source", source)
        self._set("weights", counted)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Features are immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self._fields()
        matrix = fields.pop("matrix")
        return partial(type(self), **fields), (matrix,)

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        graded = ", graded" if self.grades is not None else ""
        rows, columns = self.matrix.shape
        counts = [count_queries(len(self.sizes)), count_of(rows, "document"), count_of(columns, "feature")]
        return f"<Features: {', '.join(counts)}{graded}>"

    @property
    def starts(self) -> ndarray:
        """The first row of each query, and the number of rows at the end."""
        import numpy as np

        return np.concatenate([[0], np.cumsum(self.sizes)])

    def query_of(self, row: int) -> str:
        """The query that a row is of.

        >>> Features([[0.5], [0.1], [0.9]], sizes=[2, 1], queries=["a", "b"]).query_of(2)
        'b'
        """
        import numpy as np

        return self.queries[int(np.searchsorted(self.starts, row, side="right")) - 1]

    def judgments(self) -> Judgments:
        return Judgments.from_groups(
            grades_of(self), self.sizes, queries=self.queries, documents=self.documents
        )

    def run(self, scores: Any, *, name: str = "model") -> Run:
        """The ranking that scores of the rows make."""
        return Run.from_groups(scores, self.sizes, queries=self.queries, documents=self.documents, name=name)

    def weighted(self, weights: QueryWeights | None) -> Features:
        """Adds weights of queries to the features; None for all alike. Every query must have a weight.

        >>> Features([[0.5], [0.1]], sizes=[1, 1]).weighted(QueryWeights({"0": 3, "1": 1}, "given")).weights
        array([3., 1.])
        """
        found = None if weights is None else weights.of(self.queries, "in the features")
        return self._replaced(weights=found)

    def with_columns(self, matrix: Any, names: Iterable[str]) -> Features:
        """Replaces the features of the documents."""
        return self._replaced(matrix=matrix, names=names)

    def _replaced(self, **changes: Any) -> Features:
        fields = self._fields() | changes
        return Features(fields.pop("matrix"), **fields)

    def _fields(self) -> dict[str, Any]:
        """The arguments that make the same object again."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "numbered"}
        if self.numbered and len(self.queries):
            first = int(self.queries[0])
            fields["queries"] = range(first, first + len(self.queries))
        return fields

    def of_queries(self, numbers: Sequence[int]) -> Features:
        """The rows of some queries, by their numbers, in that order."""
        import numpy as np

        starts = self.starts
        parts = [np.arange(starts[number], starts[number + 1]) for number in numbers]
        rows = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return Features(
            self.matrix[rows],
            sizes=self.sizes[list(numbers)],
            grades=None if self.grades is None else self.grades[rows],
            queries=[self.queries[number] for number in numbers],
            documents=[self.documents[row] for row in rows],
            names=self.names,
            source=self.source,
            weights=None if self.weights is None else self.weights[list(numbers)],
        )


def grades_of(features: Features) -> ndarray:
    """The grades of the rows, which must be there."""
    if features.grades is None:
        raise InputError(
            "these features have no grades", source=features.source, hint="give a grade to every row"
        )
    return features.grades


def join_features(parts: Sequence[Features]) -> Features:
    """Several tables as one, one behind the other: with the same features, and no query in two of them.

    >>> join_features([Features([[1.0]], sizes=[1], queries=["a"]), Features([[2.0]], sizes=[1], queries=["b"])])
    <Features: 2 queries, 2 documents, 1 feature>
    """
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    seen: dict[str, str | None] = {}
    for part in parts:
        if part.names != first.names:
            raise InputError(
                f"the features are not those of {first.source or 'the first'}: {len(part.names)}, not {len(first.names)}"
                if len(part.names) != len(first.names)
                else f"the features are called other than in {first.source or 'the first'}",
                source=part.source,
                hint="name those that all files have (--features)",
            )
        if (part.grades is None) != (first.grades is None):
            raise InputError("some of these features have grades, and some have not", source=part.source)
        if (part.weights is None) != (first.weights is None):
            raise InputError("some of these features have weights, and some have not", source=part.source)
        for query in part.queries:
            if query in seen:
                raise InputError(
                    f"query {query!r} is in {seen[query] or 'another part'} too",
                    source=part.source,
                    hint="their rows came without ids of queries, which are numbered in each: give them ids (in LETOR, qid:)"
                    if part.numbered
                    else "each query belongs to one part",
                )
            seen[query] = part.source
    return Features(
        np.concatenate([part.matrix for part in parts]),
        sizes=np.concatenate([part.sizes for part in parts]),
        grades=None if first.grades is None else np.concatenate([part.grades for part in parts]),
        queries=[query for part in parts for query in part.queries],
        documents=[document for part in parts for document in part.documents],
        names=first.names,
        weights=None if first.weights is None else np.concatenate([part.weights for part in parts]),
    )


def _query_weights(weights: Any, queries: int, source: str | None) -> ndarray:
    import numpy as np

    counted = np.array(weights, dtype=np.float64, copy=True)
    if counted.shape != (queries,):
        raise InputError(
            f"weights have the shape {counted.shape}, but there are {queries:,} queries", source=source
        )
    if not np.isfinite(counted).all() or (counted < 0).any() or (queries and not counted.any()):
        at = int((~np.isfinite(counted) | (counted < 0)).argmax())
        raise InputError(
            f"the weight of query {at} is {counted[at]}",
            source=source,
            hint="weights are 0 or more, and above 0 for one query at least",
        )
    return counted


def _group_sizes(sizes: Any, rows: int) -> ndarray:
    import numpy as np

    counts = np.array(sizes, dtype=np.int64, copy=True)
    if counts.ndim != 1:
        raise InputError("sizes must be a list: how many rows each query has")
    if len(counts) and counts.min() < 1:
        raise InputError(
            f"query {int((counts < 1).argmax())} has {counts.min()} documents", hint="leave such a query out"
        )
    if counts.sum() != rows:
        raise InputError(f"the sizes add up to {counts.sum():,}, but there are {rows:,} rows of features")
    return counts


def _grades(grades: Any, rows: int) -> ndarray:
    import numpy as np

    labels = np.array(grades, dtype=np.float64, copy=True)
    if labels.shape != (rows,):
        raise InputError(f"grades have the shape {labels.shape}, but there are {rows:,} rows of features")
    if not np.isfinite(labels).all():
        row = int((~np.isfinite(labels)).argmax())
        raise InputError(f"the grade of row {row} is {labels[row]}", hint="grades are finite numbers")
    return labels


def _ids(ids: Iterable[Any] | None, count: int, what: str) -> tuple[str, ...]:
    texts = tuple(map(str, range(count))) if ids is None else tuple(map(str, ids))
    if len(texts) != count:
        raise InputError(f"there are {len(texts):,} {what}, not {count:,}")
    return texts


def _unlike(names: tuple[str, ...], what: str, source: str | None) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise InputError(
            f"two {what} are called {_first_repeat(names)!r}",
            source=source,
            hint="give each a name of its own",
        )
    return names


def _refuse_repeats(
    documents: tuple[str, ...], queries: tuple[str, ...], sizes: ndarray, source: str | None
) -> None:
    """An InputError for the first document that a query has twice."""
    if len(set(documents)) == len(documents):
        return
    start = 0
    for query, size in zip(queries, sizes.tolist(), strict=True):
        group = documents[start : start + size]
        if len(set(group)) < size:
            raise InputError(
                f"document {_first_repeat(group)!r} appears twice for query {query!r}",
                source=source,
                hint="keep one of the two rows",
            )
        start += size


def _first_repeat(names: tuple[str, ...]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            break
        seen.add(name)
    return name


KEEP = "keep"
MISSING_HINT = (
    "fill it in, or say what stands for it: fill=0 (--fill 0), or fill='keep' (--fill keep) for trees"
)
MOST_CELLS = 1 << 31  # numbers of a matrix, which take 16 GiB
MOST_FEATURES = 1 << 22


def gathered(
    matrix: ndarray,
    names: Sequence[str],
    queries: Sequence[str],
    documents: Sequence[str] | None,
    grades: ndarray | None,
    *,
    numbered: bool = False,
    fill: float | str | None,
    source: str | None,
    wrong: Wrong,
) -> Features:
    """The table of rows that may be in any order: those of a query are put together, queries in the order in which
    they first come. `numbered` queries have no ids, and are called 1, 2, …. `fill` is what stands for nan: None is an error,
    a number is filled in, "keep" leaves it."""
    import numpy as np

    if not len(matrix):
        raise InputError("there are no rows in it", source=source, hint="a row is a query's document")
    if not matrix.shape[1]:
        raise InputError(
            "there are no features in it",
            source=source,
            hint="numeric columns besides query, document, grade",
        )
    matrix = _filled(matrix, names, fill, wrong)
    ids = [str(row) for row in range(1, len(matrix) + 1)] if documents is None else documents
    number_of: dict[str, int] = {}
    numbers = np.array([number_of.setdefault(query, len(number_of)) for query in queries], np.int64)
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        matrix = matrix[order]
        grades = None if grades is None else grades[order]
        ids = [ids[row] for row in order]
        rows = order
    else:
        rows = np.arange(len(matrix))
    sizes = np.bincount(numbers, minlength=len(number_of))
    if documents is not None:
        _refuse_repeated_rows(ids, sizes, list(number_of), rows, wrong)
    return Features(
        matrix,
        sizes=sizes,
        grades=grades,
        queries=range(1, len(number_of) + 1) if numbered else number_of,
        documents=ids,
        names=names,
        source=source,
    )


def _filled(matrix: ndarray, names: Sequence[str], fill: float | str | None, wrong: Wrong) -> ndarray:
    import numpy as np

    if np.isfinite(matrix).all():
        return matrix
    infinite = np.isinf(matrix)
    if infinite.any():
        row, column = (int(at) for at in np.argwhere(infinite)[0])
        raise wrong(f"feature {names[column]!r} is infinite", row, "give a finite number")
    if fill is None:
        row, column = (int(at) for at in np.argwhere(np.isnan(matrix))[0])
        raise wrong(
            f"feature {names[column]!r} is missing",
            row,
            MISSING_HINT,
        )
    return matrix if fill == KEEP else np.nan_to_num(matrix, nan=float(fill))


def _refuse_repeated_rows(
    ids: Sequence[str], sizes: ndarray, queries: Sequence[str], rows: ndarray, wrong: Wrong
) -> None:
    start = 0
    for query, size in zip(queries, sizes.tolist(), strict=True):
        group = ids[start : start + size]
        if len(set(group)) < size:
            seen: set[str] = set()
            for row, document in zip(rows[start : start + size].tolist(), group, strict=True):
                if document in seen:
                    raise wrong(
                        f"document {document!r} appears twice for query {query!r}",
                        row,
                        "keep one of the two rows",
                    )
                seen.add(document)
        start += size


def chosen_columns(there: Sequence[str], chosen: Sequence[str], source: str | None) -> list[int]:
    """Where the features are that were asked for."""
    places = {name: place for place, name in enumerate(there)}
    for name in chosen:
        if name not in places:
            missing = sum(other not in places for other in chosen)
            shown = ", ".join(there[:8]) + (f", … ({len(there)} in all)" if len(there) > 8 else "")
            raise InputError(
                f"there is no feature {name!r}{and_more(missing)}",
                source=source,
                hint=f"there are {shown}; is it data of other features than were trained on or named?",
            )
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if list(chosen).count(name) > 1)
        raise InputError(f"feature {twice!r} is named twice", hint="name each once")
    return [places[name] for name in chosen]
