"""Weights of queries from a table, a mapping or a sample, and the weights in a mean."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import as_id, as_number
from idealist.base.wording import count_queries
from idealist.data.column_names import QUERY
from idealist.data.columns import Columns
from idealist.data.query_weights import WEIGHT, QueryWeights, effective_size, find_weight
from idealist.data.tables import holds_columns, read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.data.segments import Profiles


GIVEN = "the weights given"


def read_weights(
    source: Any,
    *,
    column: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> QueryWeights:
    """The weight of every query: from a table (a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a
    list of records), a mapping from queries to numbers, or what `sample_queries` gives. `column` says which column
    is the weight; without it find_weight does. `encoding`, `decimal` and `columns` are those of read_table.

    >>> read_weights({"q1": 2, "q2": 1}).weights
    {'q1': 2.0, 'q2': 1.0}
    >>> read_weights({"query": ["q1", "q2"], "traffic": [90, 10]}).label
    'column traffic'
    """
    if isinstance(source, QueryWeights):
        return _plain(source, column)
    if isinstance(source, Mapping) and not holds_columns(source):
        weights = _by_query(source.items())
    elif _is_sample(source):
        weights = _by_query((entry.query, entry.weight) for entry in source)
    elif isinstance(source, (list, tuple)) and not all(isinstance(entry, Mapping) for entry in source):
        raise InputError(
            f"weights must be a mapping from queries to numbers, a table or a sample, not {source!r:.60}",
            hint='{"q1": 2, "q2": 1}, or the path of a table',
        )
    else:
        table = read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of(
            "weights"
        )
        return _from_table(table, column)
    return _plain(QueryWeights(weights, GIVEN), column)


def _plain(weights: QueryWeights, column: str | None) -> QueryWeights:
    if column is not None:
        raise InputError(
            f"the column {column!r} was named, but the weights are not a table", hint="leave the column out"
        )
    return weights


def _is_sample(source: Any) -> bool:
    """Whether this is a list of objects that have a query and a weight, as those of a sample do."""
    if not isinstance(source, (list, tuple)) or not source:
        return False
    return all(hasattr(entry, "query") and hasattr(entry, "weight") for entry in source)


def _by_query(pairs: Any) -> dict[str, float]:
    weights: dict[str, float] = {}
    for query, value in pairs:
        name = as_id(query, "a weight: a query's id")
        weight = as_number(value, f"the weight of query {name!r}", finite=True)
        if weight < 0:
            raise InputError(f"the weight of query {name!r} must be 0 or more, not {weight:g}")
        if weights.setdefault(name, weight) != weight:
            raise InputError(
                f"query {name!r} has two weights: {weights[name]:g} and {weight:g}",
                hint="keep one of the two",
            )
    return weights


def _from_table(table: Columns, column: str | None) -> QueryWeights:
    queries = table.ids(table.named(*QUERY))
    weight_column = find_weight(table, column)
    if weight_column is None:
        raise table.wrong(
            "there is no column of weights",
            hint=f"it would be called {' or '.join(WEIGHT)}; name it, of {', '.join(table.names)}",
        )
    weights: dict[str, float] = {}
    for row, (query, weight) in enumerate(zip(queries, weight_column.values(table), strict=True)):
        if weights.setdefault(query, weight) != weight:
            raise table.wrong(
                f"query {query!r} has the weight {weight:g}, but {weights[query]:g} before",
                row,
                hint="keep one of the two rows",
            )
    return QueryWeights(weights, f"{weight_column} of {table.source}" if table.source else str(weight_column))


def query_weights(weights: Any, weight_by: str | None, profiles: Profiles | None) -> QueryWeights | None:
    """The weights that are given, or those of the profiles; None where there are none. `weight_by` names the column
    of the one or the other."""
    if weights is not None:
        return read_weights(weights, column=weight_by)
    if profiles is not None:
        return profiles.weights(weight_by)
    if weight_by is not None:
        raise InputError(
            f"weight_by names the column {weight_by!r}, but no table with weights was given",
            hint="give the weights, or profiles (--weights FILE, --profiles FILE)",
        )
    return None


def weighting_note(label: str, weights: Iterable[float]) -> str:
    """The note on weighted means.

    >>> weighting_note("column traffic of queries.csv", [3, 1])  # (3 + 1)² / (9 + 1)
    'weighted by column traffic of queries.csv; effective sample size 1.6 of 2 queries'
    """
    numbers = list(weights)
    size = effective_size(numbers)
    return f"weighted by {label}; effective sample size {size:,.1f} of {count_queries(len(numbers))}"
