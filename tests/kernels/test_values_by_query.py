"""Values of many queries as dicts."""

from __future__ import annotations

import pytest

from idealist import Judgments
from idealist.kernels import Values, values_by_query

ROWS = Judgments({"b": {"d": 1}, "a": {"d": 1}, "é": {"d": 1}}).rows  # kept in the order a, b, é


def test_queries_keep_the_order_they_are_asked_in() -> None:
    given = {"é": 0, "unjudged": 0, "b": 0}
    columns = [Values([0.1, 0.2, 0.3]), Values([0.0, -0.0, 1.0])]
    result = values_by_query(given, ROWS, ["P", "R"], columns)
    assert result == {"é": {"P": 0.3, "R": 1.0}, "b": {"P": 0.2, "R": 0.0}}
    assert list(result) == ["é", "b"]
    assert next(iter(result)) is next(iter(given))


def test_dicts_are_apart() -> None:
    result = values_by_query(["a", "b"], ROWS, ["P"], [Values([0.5, 0.5, 0.5])])
    result["a"]["P"] = 1.0
    assert result["b"] == {"P": 0.5}


def test_without_names_or_queries() -> None:
    assert values_by_query(["a"], ROWS, [], []) == {"a": {}}
    assert values_by_query([], ROWS, ["P"], [Values([1.0, 2.0, 3.0])]) == {}


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="number of names differs"):
        values_by_query(["a"], ROWS, ["P"], [])
    with pytest.raises(ValueError, match="another number of queries"):
        values_by_query(["a"], ROWS, ["P"], [Values([1.0])])
    for query in (1, b"a", "\ud800", None):
        with pytest.raises(TypeError, match="text"):
            values_by_query([query], ROWS, [], [])  # type: ignore[list-item]
