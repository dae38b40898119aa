"""scikit-learn's ranking metrics beside ours."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idealist import AP, Conventions, InputError, Rankings
from idealist.drop_ins import sklearn as ours
from idealist.measures import parse
from idealist.measures.families.pairs import CoverageError, RankingLoss

GAINS = ("dcg_score", "ndcg_score")
LABELS = ("label_ranking_average_precision_score", "coverage_error", "label_ranking_loss")
SHAPES = st.tuples(st.integers(1, 5), st.integers(2, 30))


def theirs(name: str) -> Callable[..., float]:
    function: Callable[..., float] = getattr(sklearn.metrics, name)
    return function


def mine(name: str) -> Callable[..., float]:
    function: Callable[..., float] = getattr(ours, name)
    return function


def scores_of(shape: tuple[int, int]) -> st.SearchStrategy[Any]:
    few = st.sampled_from([-1.0, 0.0, -0.0, 0.5])
    any_number = st.floats(-5, 5, width=32, allow_subnormal=False)
    return st.one_of(
        hnp.arrays(np.float64, shape, elements=few | any_number),
        hnp.arrays(np.float32, shape, elements=few | any_number),
        hnp.arrays(np.int64, shape, elements=st.integers(-3, 3)),
        st.just(np.zeros(shape)),
        st.permutations(range(shape[1])).map(lambda row: np.array([row] * shape[0])),
    )


def weights_of(rows: int) -> st.SearchStrategy[Any]:
    weight = st.sampled_from([0.0, 1.0, 0.3]) | st.floats(0.01, 10)
    some = st.lists(weight, min_size=rows, max_size=rows).filter(lambda weights: sum(weights) > 0)
    return st.none() | some | some.map(np.array)


@st.composite
def graded(draw: st.DrawFn, *, negative: bool) -> tuple[Any, Any, Any]:
    shape = draw(SHAPES)
    grades = draw(
        hnp.arrays(np.int64, shape, elements=st.integers(-2 if negative else 0, 4))
        | hnp.arrays(np.float64, shape, elements=st.floats(-5 if negative else 0, 10, width=16))
        | hnp.arrays(np.float32, shape, elements=st.floats(0, 1, width=16))
        | hnp.arrays(np.bool_, shape)
    )
    return grades, draw(scores_of(shape)), draw(weights_of(shape[0]))


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    shape = draw(SHAPES)
    kind = draw(st.sampled_from([np.int64, np.float64, np.bool_, np.uint8]))
    labels: Any = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1))).astype(kind)
    if draw(st.booleans()):
        labels[0] = draw(st.integers(0, 1))  # all or none
    return labels, draw(scores_of(shape)), draw(weights_of(shape[0]))


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-12, rel=1e-12)


@given(
    graded(negative=True),
    st.sampled_from([None, 1, 2, 5, 100]),
    st.sampled_from([2, 10, 0.5, 1, 2.718281828459045]),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_dcg_score(task: Any, k: int | None, log_base: float, ignore_ties: bool) -> None:
    grades, scores, weights = task
    options = {"k": k, "log_base": log_base, "ignore_ties": ignore_ties, "sample_weight": weights}
    expected = theirs("dcg_score")(grades, scores, **options)
    assert ours.dcg_score(grades, scores, **options) == close(expected)
    assert ours.dcg_score(grades.tolist(), scores.tolist(), **options) == close(expected)


@given(graded(negative=False), st.sampled_from([None, 1, 2, 5, 100]), st.booleans())
def test_ndcg_score(task: Any, k: int | None, ignore_ties: bool) -> None:
    grades, scores, weights = task
    options = {"k": k, "ignore_ties": ignore_ties, "sample_weight": weights}
    assert ours.ndcg_score(grades, scores, **options) == close(
        theirs("ndcg_score")(grades, scores, **options)
    )


@pytest.mark.parametrize("name", LABELS)
@given(labelled())
def test_labels(name: str, task: Any) -> None:
    labels, scores, weights = task
    doubles = scores.astype(float)  # of single precision it may give a mean in single precision
    expected = theirs(name)(labels, doubles, sample_weight=weights)
    assert mine(name)(labels, scores, sample_weight=weights) == close(expected)
    assert mine(name)(labels * 2.0, scores, sample_weight=weights) == close(expected)
    if name != "coverage_error":
        sparse = scipy.sparse.csr_array(labels)
        assert theirs(name)(sparse, doubles, sample_weight=weights) == close(expected)
    assert mine(name)(scipy.sparse.csr_array(labels), scores, sample_weight=weights) == close(expected)


@pytest.mark.parametrize("name", GAINS + LABELS)
@given(st.lists(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0, 2.0]))), min_size=1))
def test_rows_of_any_length_are_each_what_they_are_alone(name: str, rows: Any) -> None:
    grades = [[grade for grade, _ in row] for row in rows]
    scores = [[score for _, score in row] for row in rows]
    empty = 1.0 if name.endswith("precision_score") else 0.0
    alone = []
    for true, score in zip(grades, scores, strict=True):
        if len(true) > 1:
            alone.append(theirs(name)([true], [score]))
        elif (
            len(true) == 1
            and name != "label_ranking_loss"
            and name != "label_ranking_average_precision_score"
        ):
            alone.append(float(true[0]))  # gained, ideal and first
        else:
            alone.append(empty)
    if not any(grades):
        grades.append([1, 0])
        scores.append([1.0, 0.0])
        alone.append(theirs(name)([[1, 0]], [[1.0, 0.0]]))
    assert mine(name)(grades, scores) == close(np.mean(alone))
    assert mine(name)([np.array(row) for row in grades], map_to_objects(scores)) == close(np.mean(alone))
    weights = [float(at) for at in range(1, len(alone) + 1)]
    assert mine(name)(grades, scores, sample_weight=weights) == close(np.average(alone, weights=weights))


def map_to_objects(rows: list[list[float]]) -> Any:
    """The array of lists that pandas makes of a column of lists."""
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


@pytest.mark.parametrize("k", [None, 10, 400])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_ignored_ties_stand_where_the_sort_leaves_them(k: int | None, kind: Any) -> None:
    random = np.random.default_rng(7)
    grades = random.integers(0, 5, (40, 700))
    for scores in (random.integers(0, 30, (40, 700)), random.integers(0, 10**6, (40, 700))):
        scores = scores.astype(kind)
        scores[::2] = np.arange(700)  # half the rows have no ties
        for name in GAINS:
            expected = theirs(name)(grades, scores, k=k, ignore_ties=True)
            assert mine(name)(grades, scores, k=k, ignore_ties=True) == close(expected)
            assert mine(name)(grades, np.asfortranarray(scores), k=k, ignore_ties=True) == close(expected)


@given(labelled())
def test_without_ties_label_precision_is_average_precision(task: Any) -> None:
    labels, scores, _ = task
    scores = np.argsort(np.argsort(scores, axis=1, kind="stable"), axis=1)
    labels[:, 0], labels[:, 1] = 0, 1
    rankings = Rankings.from_arrays(labels.astype(int), scores, Conventions(ties="pessimistic"))
    expected = np.asarray(AP().values_with_conventions(rankings)).mean()
    assert ours.label_ranking_average_precision_score(labels, scores) == close(expected)


@given(labelled())
def test_coverage_and_loss_are_measures(task: Any) -> None:
    labels, scores, _ = task
    rankings = Rankings.from_arrays(labels.astype(int), scores, Conventions(ties="pessimistic"))
    for name, measure in (("coverage_error", CoverageError()), ("label_ranking_loss", RankingLoss())):
        expected = np.asarray(measure.values_with_conventions(rankings)).mean()
        assert mine(name)(labels, scores) == close(expected)
        assert parse(name) == measure


def test_the_signatures_are_the_same() -> None:
    assert set(ours.__all__) == {*GAINS, *LABELS}
    for name in ours.__all__:
        expected = inspect.signature(inspect.unwrap(theirs(name))).parameters
        found = inspect.signature(mine(name)).parameters
        assert {n: (p.kind, p.default) for n, p in found.items()} == {
            n: (p.kind, p.default) for n, p in expected.items()
        }


def test_frames_and_lists_are_matrices() -> None:
    import pandas as pd
    import polars as pl

    grades, scores = [[3, 2, 0], [0, 1, 2]], [[0.3, 0.1, 0.2], [0.5, 0.5, 0.1]]
    expected = theirs("ndcg_score")(grades, scores)
    assert ours.ndcg_score(pd.DataFrame(grades), pd.DataFrame(scores)) == close(expected)
    assert ours.ndcg_score(pl.DataFrame(grades, orient="row"), pl.DataFrame(scores, orient="row")) == close(
        expected
    )
    assert ours.ndcg_score(np.array(grades, dtype=object), scores) == close(expected)


def test_scores_of_unsigned_integers() -> None:
    # It negates them: -1 is 255, -2 is 254, and -0 is 0, the smallest, which it puts first.
    scores = np.array([[2, 1, 0]], dtype=np.uint8)
    assert theirs("dcg_score")([[0, 0, 3]], scores) == 3.0
    assert ours.dcg_score([[0, 0, 3]], scores) == close(3 / 2)  # at rank 3, 1 / log2(4)
    assert theirs("label_ranking_average_precision_score")([[0, 0, 1]], scores) == 1.0
    assert ours.label_ranking_average_precision_score([[0, 0, 1]], scores) == close(1 / 3)


def test_boolean_scores() -> None:
    with pytest.raises(TypeError):
        theirs("ndcg_score")([[0, 1]], np.array([[False, True]]))
    assert ours.ndcg_score([[0, 1]], np.array([[False, True]])) == 1.0


def test_one_document() -> None:
    with pytest.raises(ValueError, match="more than 1 document"):
        theirs("ndcg_score")([[1]], [[0.5]])
    assert ours.ndcg_score([[1], [0]], [[0.5], [0.5]]) == 0.5
    with pytest.raises(ValueError, match="not supported"):
        theirs("coverage_error")([[1], [0]], [[0.5], [0.5]])
    assert ours.coverage_error([[1], [0]], [[0.5], [0.5]]) == 0.5


def test_a_label_below_0_is_not_relevant() -> None:
    assert theirs("label_ranking_average_precision_score")([[-1, -1, 1]], [[3, 2, 1]]) == 1.0
    with pytest.raises(InputError, match="y_true: row 0, column 0 is negative"):
        ours.label_ranking_average_precision_score([[-1, -1, 1]], [[3, 2, 1]])


def test_weights_that_add_up_to_0() -> None:
    with pytest.raises(ZeroDivisionError):
        theirs("dcg_score")([[1, 2]], [[1, 2]], sample_weight=[0])
    for name in GAINS + LABELS:
        with pytest.raises(InputError, match="add up to 0"):
            mine(name)([[1, 0]], [[1, 2]], sample_weight=[0])


TWO = [[1, 0], [0, 1]]
BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    (TWO, [[1, 2]], {}, "y_true has 2 rows and y_score 1"),
    (TWO, [[1, 2, 3], [1, 2, 3]], {}, "y_true has 2 columns and y_score 3"),
    ([1, 0], [1, 2], {}, r"y_true has shape \(2,\)"),
    ([[[1, 0]]], [[[1, 2]]], {}, r"y_true has shape \(1, 1, 2\)"),
    ([], [], {}, "y_true has no|y_true has shape"),
    (np.zeros((2, 0)), np.zeros((2, 0)), {}, "y_true has no columns"),
    ([[1, float("nan")]], [[1, 2]], {}, "y_true: row 0, column 1 is nan or infinite"),
    (TWO, [[1, 2], [float("inf"), 0]], {}, "y_score: row 1, column 0 is nan or infinite"),
    (TWO, [["1", "2"], ["3", "4"]], {}, "y_score is of type <U1"),
    (TWO, [[1, None], [1, 2]], {}, "y_score: row 0, column 1 is nan or infinite"),
    (TWO, [[1, {}], [1, 2]], {}, "y_score does not hold numbers alone"),
    (
        TWO,
        [[1, 2], [3, 4]],
        {"sample_weight": [1]},
        r"sample_weight must have 2 entries, one per row, not shape \(1,\)",
    ),
    (TWO, [[1, 2], [3, 4]], {"sample_weight": [[1, 2]]}, "sample_weight must have 2 entries"),
    (TWO, [[1, 2], [3, 4]], {"sample_weight": ["a", "b"]}, "sample_weight is of type <U1"),
]
RAGGED: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([[1, 0], [1]], [[1, 2], [3, 4]], {}, "row 1 of y_true has 1 documents, and of y_score 2"),
    ([[1, 0], [1]], [[1, 2], [float("nan")]], {}, "y_score: row 1, column 0 is nan or infinite"),
    ([[1, 0], [1]], [[1, 2], ["x"]], {}, "row 1 of y_score is of type <U1"),
    ([[1, 0], [[1]]], [[1, 2], [1]], {}, "row 1 of y_true is not a list of numbers"),
    (TWO, [[1, 2], [3, 4]], {"sample_weight": [1, float("nan")]}, "that of row 1 is not finite"),
    ("ab", [[1, 2]], {}, "y_true is str, not rows of numbers"),
    ({0: [1, 2]}, [[1, 2]], {}, "y_true is dict, not rows of numbers"),
    (np.ma.masked_array(np.array(TWO), mask=True), [[1, 2], [3, 4]], {}, "y_true is a masked array"),
]


@pytest.mark.parametrize(("true", "score", "options", "message"), BAD + RAGGED)
@pytest.mark.parametrize("name", GAINS + LABELS)
def test_bad_input_is_named(name: str, true: Any, score: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mine(name)(true, score, **options)


@pytest.mark.parametrize(("true", "score", "options", "message"), BAD)
@pytest.mark.parametrize("name", GAINS + LABELS)
def test_scikit_learn_refuses_it_too(name: str, true: Any, score: Any, options: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError)):  # some of it by accident
        theirs(name)(true, score, **options)


@pytest.mark.parametrize(
    ("name", "true", "options", "message"),
    [
        ("ndcg_score", [[1, -1]], {}, "y_true: row 0, column 1 is negative"),
        ("ndcg_score", [[1, 0]], {"k": 0}, "the cut-off k must be a whole number, 1 or more, not 0"),
        ("dcg_score", [[1, 0]], {"k": 1.5}, "the cut-off k must be a whole number, 1 or more, not 1.5"),
        ("dcg_score", [[1, 0]], {"log_base": 0}, "log_base must be above 0, not 0"),
        ("dcg_score", [[1, 0]], {"log_base": float("inf")}, "log_base must be finite, not inf"),
        ("dcg_score", [[1, 0]], {"ignore_ties": 1}, "ignore_ties must be True or False, not 1"),
        *((name, [[0.5, 0]], {}, "y_true: row 0, column 0 is 0.5, and so not binary") for name in LABELS),
        *((name, [[2, 0], [0, 1]], {}, "y_true: row 0, column 0 is 2, and so not binary") for name in LABELS),
    ],
)
def test_bad_parameters_are_named(name: str, true: Any, options: Any, message: str) -> None:
    score = [[1, 2]] * len(true)
    with pytest.raises(ValueError):  # noqa: PT011
        theirs(name)(true, score, **options)
    with pytest.raises(InputError, match=message):
        mine(name)(true, score, **options)


def test_it_works_without_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from idealist.drop_ins.sklearn import ndcg_score\n"
        "print(ndcg_score([[1, 0]], [[2, 1]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "1.0\n"
