"""A measure as a function of scores is what `evaluate` says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist import evaluate
from idealist.conventions import Conventions
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.objective import Objective

MEASURES = ["nDCG@3", "nDCG(gain=exp)", "AP", "RR", "P@5", "Rprec", "RBP", "ERR@10", "bpref", "gm_map"]


@st.composite
def scored(draw: st.DrawFn) -> tuple[Features, np.ndarray]:
    """Features whose documents are in several queries, with scores that tie often."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    rows = sum(sizes)
    grades = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    scores = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    documents = [str(number) for size in sizes for number in draw(st.permutations(range(size)))]
    queries = draw(st.permutations([str(number) for number in range(len(sizes))]))
    features = Features(np.zeros((rows, 1)), sizes=sizes, grades=grades, queries=queries, documents=documents)
    return features, np.array(scores, float)


@pytest.mark.parametrize("ties", ["id-descending", "id-ascending", "input-order", "averaged", "pessimistic"])
@given(case=scored())
@settings(max_examples=20, deadline=None)
def test_the_value_is_that_of_evaluate(ties: str, case: tuple[Features, np.ndarray]) -> None:
    features, scores = case
    conventions = Conventions(ties=ties)
    for measure in MEASURES:
        if ties == "averaged" and measure in ("bpref", "ERR@10", "gm_map"):
            continue
        whole = evaluate(features.judgments(), features.run(scores), measure, conventions=conventions)
        assert Objective(features, measure, conventions).value(scores) == whole.aggregate(measure), measure


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
def test_queries_with_nothing_relevant(empty: str) -> None:
    features = Features(np.zeros((4, 1)), sizes=[2, 2], grades=[0, 0, 0, 1], documents=["a", "b", "a", "b"])
    scores = np.array([1.0, 0.0, 2.0, 1.0])
    # The first query has nothing relevant; in the second the relevant document is second.
    second = 1 / np.log2(3)
    expected = {"zero": second / 2, "one": (1 + second) / 2, "skip": second}[empty]
    assert Objective(features, "nDCG", Conventions(empty=empty)).value(scores) == pytest.approx(expected)


def test_along_a_direction() -> None:
    features = Features([[0.0]] * 2, sizes=[2], grades=[1, 0])
    # The relevant document scores 0, the other 1 − 2·step: it is overtaken where the step is above ½.
    values = Objective(features, "RR").along(
        np.array([0.0, 1.0]), np.array([0.0, -2.0]), np.array([0.0, 0.25, 0.75])
    )
    assert values == [0.5, 0.5, 1.0]


def test_a_measure_that_cannot_choose_is_refused() -> None:
    features = Features([[0.0]] * 2, sizes=[2], grades=[1, 0])
    with pytest.raises(InputError, match="no value of NumRet is better"):
        Objective(features, "NumRet")
    with pytest.raises(InputError, match="cannot be computed from grades"):
        Objective(features, "alpha_nDCG@10")


def test_scores_that_are_no_numbers_name_the_query() -> None:
    features = Features([[0.0]] * 2, sizes=[1, 1], grades=[1, 0], queries=["a", "b"], documents=["x", "y"])
    with pytest.raises(InputError, match="query 'b': the score of document 'y' is nan"):
        Objective(features, "RR").value([1.0, np.nan])
    with pytest.raises(InputError, match=r"scores have the shape \(3,\)"):
        Objective(features, "RR").value([1.0, 2.0, 3.0])


def test_grades_are_needed() -> None:
    with pytest.raises(InputError, match="have no grades"):
        Objective(Features([[0.0]], sizes=[1]), "RR")


def test_a_number_is_better_than_nan() -> None:
    nan = float("nan")
    objective = Objective(Features([[0.0]], sizes=[1], grades=[1]), "nDCG")
    assert objective.better(0.0, nan)
    assert not objective.better(nan, nan)
    assert not objective.better(nan, 0.0)
    assert objective.better(nan, None)
