"""Tables of features."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from idealist import InputError
from idealist.data.features import Features


def test_rows_of_some_queries() -> None:
    features = Features(
        [[1.0], [2.0], [3.0]],
        sizes=[2, 1],
        grades=[0, 1, 2],
        queries=["q", "r"],
        documents="abc",
        names=["x"],
    )
    chosen = features.of_queries([1, 0])
    assert chosen.queries == ("r", "q")
    assert chosen.documents == ("c", "a", "b")
    assert chosen.matrix.ravel().tolist() == [3, 1, 2]
    assert chosen.judgments().to_dict() == {"r": {"c": 2}, "q": {"a": 0, "b": 1}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": [1, 1]}, "the sizes add up to 2, but there are 3 rows"),
        ({"sizes": [3, 0]}, "query 1 has 0 documents"),
        ({"sizes": [3], "grades": [1, 2]}, r"grades have the shape \(2,\)"),
        ({"sizes": [3], "grades": [1, np.nan, 2]}, "the grade of row 1 is nan"),
        ({"sizes": [3], "names": ["a"]}, "there are 1 names of features, not 2"),
        ({"sizes": [3], "names": ["a", "a"]}, "two features are called 'a'"),
        ({"sizes": [2, 1], "queries": ["q", "q"]}, "two queries are called 'q'"),
        ({"sizes": [1, 1, 1], "queries": [1, 2, "1"]}, "two queries are called '1'"),
        ({"sizes": [1, 2], "queries": "qr", "documents": "abb"}, "document 'b' appears twice for query 'r'"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Features(np.zeros((3, 2)), **arguments)  # type: ignore[arg-type]


def test_two_queries_may_have_the_same_document() -> None:
    features = Features(np.zeros((3, 1)), sizes=[1, 2], queries="qr", documents="aab", grades=[2, 1, 0])
    assert features.judgments().to_dict() == {"q": {"a": 2}, "r": {"a": 1, "b": 0}}


def test_the_callers_array_stays_the_callers() -> None:
    matrix = np.array([[1.0], [2.0]])
    features = Features(matrix, sizes=[2])
    matrix[0, 0] = 5.0
    assert features.matrix.tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="read-only"):
        features.matrix[0, 0] = 5.0


def test_copies_are_the_same() -> None:
    features = Features([[1.0, 2.0], [3.0, 4.0]], sizes=[1, 1], grades=[0, 1], queries="ab", names=["x", "y"])
    for other in (copy.deepcopy(features), pickle.loads(pickle.dumps(features))):
        assert other.numbered == features.numbered
        assert (other.matrix == features.matrix).all()
        assert other.grades is not None
        assert other.grades.tolist() == [0, 1]
        assert (other.queries, other.names, other.documents) == (("a", "b"), ("x", "y"), ("0", "1"))
