"""NumPy arrays as runs and judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pytest import approx
from sklearn.metrics import ndcg_score

from idealist import InputError, Judgments, Run, evaluate


@given(st.integers(1, 6), st.integers(2, 8), st.data())
def test_matrices_beside_scikit_learn(rows: int, columns: int, data: Any) -> None:
    scores = data.draw(arrays.arrays(float, (rows, columns), elements=st.integers(0, 1000), unique=True))
    grades = data.draw(arrays.arrays(int, (rows, columns), elements=st.integers(0, 3)))
    result = evaluate(Judgments.from_matrix(grades), Run.from_matrix(scores), "nDCG@5")
    assert result.mean("nDCG@5") == approx(ndcg_score(grades, scores, k=5))


def test_matrices_with_names() -> None:
    run = Run.from_matrix([[1, 2], [4, 3]], queries=["u", "v"], documents=["a", "b"], name="mf")
    assert run.to_dict() == {"u": {"a": 1.0, "b": 2.0}, "v": {"a": 4.0, "b": 3.0}}
    assert run.name == "mf"
    assert Run.from_matrix(np.array([[0.5]], np.float32), queries=np.array([7])).to_dict() == {
        "7": {"0": 0.5}
    }


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.data())
def test_groups_are_the_rows_cut(sizes: list[int], data: Any) -> None:
    scores = data.draw(st.lists(st.floats(-5, 5), min_size=sum(sizes), max_size=sum(sizes)))
    run = Run.from_groups(np.array(scores), np.array(sizes))
    expected, at = {}, 0
    for query, size in enumerate(sizes):
        expected[str(query)] = {str(row): scores[row] for row in range(at, at + size)}
        at += size
    assert run.to_dict() == expected


def test_the_top_of_each_row() -> None:
    """As FAISS gives it: indices, best first, and −1 where nothing was found."""
    indices, scores = [[4, 1, 9], [2, -1, -1]], [[0.9, 0.8, 0.7], [0.5, np.nan, np.nan]]
    run = Run.from_top(np.array(indices), np.array(scores))
    assert run.to_dict() == {"0": {"4": 0.9, "1": 0.8, "9": 0.7}, "1": {"2": 0.5}}
    assert Run.from_top(indices).ranking("0") == ["4", "1", "9"]
    relevant = Judgments.from_sets([{1}, {3}])
    assert evaluate(relevant, run, "RR").by_query("RR") == {"0": 1 / 2, "1": 0.0}
    names = Run.from_top([[1, 0]], documents=["a", "b"], queries=["u"])
    assert names.ranking("u") == ["b", "a"]


def test_sets() -> None:
    sets: dict[Any, Any] = {"u": ["a"], 7: np.array([1, 2])}
    assert Judgments.from_sets(sets).to_dict() == {
        "7": {"1": 1.0, "2": 1.0},
        "u": {"a": 1.0},
    }
    assert Judgments.from_sets([{1}], queries=["x"], grade=2.0)["x"] == {"1": 2.0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Run.from_matrix([[1.0, np.nan]]), "row 0, column 1: the score is nan"),
        (lambda: Judgments.from_matrix([[np.inf]]), "row 0, column 0: the grade is inf"),
        (lambda: Run.from_matrix([1.0, 2.0]), r"scores must be a matrix, not of shape \(2,\)"),
        (lambda: Run.from_matrix([[1.0], [1.0, 2.0]]), "scores have rows of different length"),
        (lambda: Run.from_matrix([["a"]]), "scores are of type <U1, not numbers"),
        (lambda: Run.from_matrix([[1.0]], queries=["a", "b"]), "1 rows, but 2 queries"),
        (lambda: Run.from_matrix([[1.0]], documents=[]), "document 0 has no name"),
        (lambda: Run.from_matrix([[1.0, 2.0]], documents=["a", "a"]), "documents: 'a' appears twice"),
        (lambda: Run.from_groups([1.0, 2.0], [3]), "the sizes add up to 3, but there are 2 scores"),
        (lambda: Run.from_groups([1.0, 2.0], [3, -1]), "size 1 must be 0 or more, not -1"),
        (lambda: Run.from_groups([1.0], [1.0]), "sizes are of type float64, not whole numbers"),
        (lambda: Run.from_top([[1, -1, 2]]), "row 0, column 2: the index is 2 behind a −1"),
        (lambda: Run.from_top([[1, -2]]), "row 0, column 1: the index is -2"),
        (lambda: Run.from_top([[3, 1]], [[0.1, 0.9]]), "row 0: the scores rise from column 0 to the next"),
        (lambda: Run.from_groups([1.0], [2**62, 2**62, 2**62, 2**62]), "the sizes add up to 18,446,744"),
        (lambda: Run.from_top([[1, 1]]), "document '1' appears twice for query '0'"),
        (lambda: Run.from_top([[1, 2]], [[0.5]]), r"indices have the shape \(1, 2\), scores \(1, 1\)"),
        (lambda: Judgments.from_sets(["abc"]), "query '0': expected a set of documents, found 'abc'"),
        (
            lambda: Judgments.from_sets([{1}], grade=float("nan")),
            "the grade must be a finite number, not nan",
        ),
        (lambda: Judgments.from_sets([{1}, {2}], queries=["a"]), "2 sets, but 1 queries"),
        (lambda: Run.from_matrix(np.ma.masked_array([[1.0]])), "scores are a masked array"),
    ],
)
def test_bad_arrays(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
