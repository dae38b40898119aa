"""Objectives of measures: their parts add up to the measure's values, and LightGBM's own gradients are among them."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idealist as il
from idealist import InputError
from idealist.conventions import DEFAULT
from idealist.data.features import Features
from idealist.learn import LambdaObjective
from idealist.learn.trees.value_parts import PARTS, ValueParts, value_parts

MEASURES = [
    "CG@2",
    "DCG",
    "DCG(gain=exp,discount=zipf)@3",
    "NCG@2",
    "nDCG",
    "nDCG@3",
    "nDCG(gain={0:0,1:1,2:5,3:6,4:20})@2",
    "nDCG(gain=exp,discount=letor,ideal=retrieved)@5",
    "P@2",
    "R@2",
    "R(level=2)@1",
    "Hits@3",
    "RBP",
    "RBP(p=0.5,max_grade=4)@3",
    "RR",
    "RR(level=3)@2",
    "Success@2",
    "ERR",
    "ERR@2",
    "nERR@3",
    "AP",
    "AP(level=2)",
    "AP@2",
    "AP(divisor=reachable)@2",
]


def values(parts: ValueParts, sizes: list[int], scores: list[float]) -> list[float]:
    """The values that the parts of a measure add up to, as `ValueParts` says."""
    result, begin = [], 0
    stops = parts.stops if len(parts.stops) else np.zeros(len(scores))
    for query, size in enumerate(sizes):
        order = begin + np.argsort(-np.array(scores[begin : begin + size]), kind="stable")
        total, reading, running = 0.0, 1.0, 0.0
        for discount, row in zip(parts.discounts, order, strict=False):
            running += parts.worth[row]
            factor = {"sum": 1.0, "cascade": reading, "running": running}[parts.form]
            total += discount * parts.worth[row] * factor
            reading *= 1 - stops[row]
        result.append(total * parts.scale[query])
        begin += size
    return result


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=20)
@given(
    st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0]), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    ),
    st.randoms(use_true_random=False),
)
def test_the_parts_add_up_to_what_evaluate_gives(
    measure: str, grades: list[list[float]], random: Any
) -> None:
    lists = [*grades, [1.0, 0.0, 2.0, 0.0, 1.0, 0.0]]  # so that a cut-off is one
    sizes = [len(one) for one in lists]
    features = Features(np.zeros((sum(sizes), 1)), sizes=sizes, grades=[g for one in lists for g in one])
    scores = random.sample(range(len(features)), len(features))  # no two are equal
    parts = value_parts(measure, features, DEFAULT)
    # An undefined value is 0 by convention, as a query that is left out.
    expected = il.evaluate(features.run(scores), features.judgments(), measure)
    for query, found in zip(features.queries, values(parts, sizes, scores), strict=True):
        assert found == pytest.approx(expected.value(measure, query=query), abs=1e-12)


def test_every_measure_with_an_objective_is_tested() -> None:
    assert {il.parse(measure).name for measure in MEASURES} == set(PARTS)


def letor(queries: int, size: int, seed: int = 0) -> Features:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(queries * size, 5))
    grades = np.clip(np.round(matrix[:, 0] + 0.5 * matrix[:, 1] + rng.normal(size=len(matrix))), 0, 4)
    return Features(matrix, sizes=[size] * queries, grades=grades)


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("k", [5, 30])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gradients_are_those_of_lightgbm(normalised: bool, k: int, seed: int) -> None:
    """A leaf of a first tree is −Σ gradients / Σ hessians of its documents. LightGBM counts pairs with a document above
    its truncation level, discounts all ranks, and divides by the ideal down to that level."""
    features = letor(4, 25, seed)
    start = np.random.default_rng(seed).normal(size=len(features))
    booster = lightgbm.train(
        {
            "objective": "lambdarank",
            "lambdarank_truncation_level": k,
            "lambdarank_norm": normalised,
            "learning_rate": 1.0,
            "num_leaves": 12,
            "min_data_in_leaf": 2,
            "verbosity": -1,
            "num_threads": 1,
        },
        lightgbm.Dataset(features.matrix, features.grades, group=features.sizes, init_score=start),
        1,
    )
    leaf = booster.predict(features.matrix, pred_leaf=True)[:, 0]
    value = booster.predict(features.matrix, raw_score=True)
    objective = LambdaObjective(features, "nDCG(gain=exp)", truncation=k, normalised=normalised)
    ideal = value_parts(f"nDCG(gain=exp)@{k}", features, DEFAULT).scale
    objective.parts = objective.parts.replace(scale=ideal)
    gradients, hessians = objective(start)
    assert len(set(leaf)) > 5
    for number in set(leaf):
        here = leaf == number
        # Its sigmoid is a table, and its numbers are float32.
        assert value[here][0] == pytest.approx(
            -gradients[here].sum() / hessians[here].sum(), rel=1e-3, abs=1e-5
        )


def test_objectives_that_make_no_sense_are_refused() -> None:
    features = letor(3, 5)
    for measure, message in [
        ("nDCG(gain={0:0,1:1})", "grade 2, which the gain table lacks"),
        ("bpref", "no objective of its own"),
        ("AP(divisor=found)@2", "no objective of its own"),
        ("RBP(scale=judged)", "no objective of its own"),
        ("ERR(max_grade=1)", "above max_grade=1"),
        ("P@10", "the same for every order"),
        ("CG", "the same for every order"),
        ("Success", "the same for every order"),
    ]:
        with pytest.raises(InputError, match=message):
            LambdaObjective(features, measure)
    with pytest.raises(InputError, match="no grades"):
        LambdaObjective(Features([[1.0]], sizes=[1]), "nDCG")
    with pytest.raises(InputError, match="truncation must be a whole number, 1 or more, not 0"):
        LambdaObjective(features, "nDCG", truncation=0)
    with pytest.raises(InputError, match="sigmoid"):
        LambdaObjective(features, "nDCG", sigmoid=0)
    table = Features(np.zeros((2, 1)), sizes=[1, 1], grades=[1, -1], queries=["a", "b"])
    with pytest.raises(InputError, match="query 'b' has a negative grade"):
        LambdaObjective(table, "nDCG", conventions="negative=error")


def test_scores_that_are_none_are_named() -> None:
    features = Features(np.zeros((3, 1)), sizes=[1, 2], grades=[1, 0, 1], queries=["a", "b"], documents="xyz")
    objective = LambdaObjective(features, "RR")
    with pytest.raises(InputError, match="query 'b': the score of document 'y' is nan"):
        objective([0.0, float("nan"), 1.0])
    with pytest.raises(InputError, match=r"shape \(2,\), but there are 3 rows"):
        objective([0.0, 1.0])


def test_conventions_say_what_a_measure_leaves_open() -> None:
    features = Features(np.zeros((6, 1)), sizes=[6], grades=[0, 1, 3, 2, 0, 3])
    scores = np.arange(6.0)
    by_convention = LambdaObjective(features, "nDCG@3", conventions="lightgbm")(scores)
    assert np.array_equal(by_convention, LambdaObjective(features, "nDCG(gain=exp)@3")(scores))
    assert not np.array_equal(by_convention, LambdaObjective(features, "nDCG@3")(scores))


@pytest.mark.parametrize("measure", ["nDCG@2", "RR", "AP", "P@1"])
def test_documents_taken_out_of_the_ranking_pull_nothing(measure: str) -> None:
    """Where negative grades are unjudged and those are removed, the others rank as if they had never been there."""
    rules = "unjudged=removed,negative=unjudged"
    features = Features(np.zeros((7, 1)), sizes=[4, 1, 2], grades=[-1, 0, -2, 1, -1, 0, 2])
    others = [1, 3, 5, 6]
    alone = Features(np.zeros((4, 1)), sizes=[2, 2], grades=[0, 1, 0, 2])
    scores = np.array([9.0, 3.0, 2.5, 2.0, 1.0, 0.5, 0.0])
    for found, expected in zip(
        LambdaObjective(features, measure, conventions=rules)(scores),
        LambdaObjective(alone, measure, conventions=rules)(scores[others]),
        strict=True,
    ):
        assert found[others].tolist() == expected.tolist()
        assert expected.any()
        assert not found[[0, 2, 4]].any()
    nothing = Features(np.zeros((2, 1)), sizes=[2], grades=[-1, -1])
    gradients, hessians = LambdaObjective(nothing, "nDCG@1", conventions=rules)([1.0, 2.0])
    assert not gradients.any()
    assert not hessians.any()
