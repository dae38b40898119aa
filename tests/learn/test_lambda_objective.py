"""Objectives of measures: what they take for the change by exchanging two documents is what `evaluate` gives for the exchanged
lists, and LightGBM's own gradients are among them."""

from __future__ import annotations

from itertools import combinations
from math import exp
from typing import Any

import lightgbm
import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import idealist as il
from idealist import InputError, kernels
from idealist.data import needs
from idealist.data.features import Features
from idealist.learn import LambdaObjective
from idealist.learn.trees.lambdas import MeasuredChanges, SummedChanges
from idealist.measures.naming import registry

# Those that are a sum over ranks by their own definition, as they are and with their parameters changed.
SUMS = [
    *("CG@2", "DCG", "DCG(gain=exp,discount=zipf)@3", "NCG@2", "nDCG", "nDCG@3", "XDCG", "XDCG@2"),
    *("nDCG(gain={-1:-3,0:0,1:1,2:5,3:6,4:20})@2", "nDCG(gain=exp,discount=letor,ideal=retrieved)@5"),
    *("P@2", "R@2", "R(level=2)@1", "F@3", "F(beta=2,level=2)@2", "Hits@3", "RelP@3"),
    *("RBP", "RBP(p=0.5,max_grade=4)@3", "RBP(scale=judged)", "NPV", "TBG", "TBG(total=true)", "U-measure"),
    *(
        "SDCG",
        "INSQ",
        "SET",
        "RR",
        "RR(level=3)@2",
        "Success@2",
        "ERR",
        "ERR@2",
        "nERR@3",
        "AP",
        "AP(level=2)",
    ),
    *("AP@2", "AP(divisor=reachable)@2", "Lower(of=P@2)", "Lower(of=ERR)", "ExpectedTotalUtility"),
]
# Those whose exchanged lists are measured.
MEASURED = [
    *(
        "AP(divisor=found)",
        "AP(divisor=found)@2",
        "Rprec",
        "Rprec(level=2)",
        "RprecMult",
        "IPrec@0.5",
        "IPrecAvg",
    ),
    *(
        "Bpref",
        "Bpref(level=2)",
        "infAP",
        "Accuracy",
        "Accuracy@3",
        "AUC",
        "pAUC",
        "RankingLoss",
        "CoverageError",
    ),
    *("PNR", "YAAP", "Q", "Q(divisor=found)@3", "Q(gain=exp,level=2)", "nDCGRel", "RnDCG", "G", "binG"),
    *(
        "EEL",
        "EEL@2",
        "BPM",
        "BPM(T=0.5)@3",
        "BPMDynamic",
        "INST",
        "INST(T=2)@4",
        "IFT",
        "IFTGoal",
        "IFTRate@5",
    ),
    *("NERR8", "NERR9@3", "NERR10", "NERR11@4", "Compat", "Compat(p=0.5)@3", "Condensed", "Condensed(of=AP)"),
    "Upper(of=P@2)",
]
SAME = "is the same for every order of these documents: no "
NEITHER = "no value of .* is better than another"
GEOMETRIC = "cannot be an objective: it is no mean over queries"
ALONE = "cannot be computed from grades of single queries alone"
# Those that trees do not take, with the reason; a cut-off gives the order a meaning for most of the first.
REFUSED = {
    **dict.fromkeys(("CG", "NCG", "P", "R", "F", "Success", "RelP", "Hits", "P@9", "IDCG", "IDCG@2"), SAME),
    **dict.fromkeys(("Judged", "Unjudged", "NumRelRet", "NumNonrelJudgedRet"), SAME),
    **dict.fromkeys(
        (
            "NumUnjudgedRet",
            "SetAP",
            "Fidelity",
            "Utility",
            "Gap",
            "Residual",
            "Residual(of=RBP(scale=judged))",
        ),
        SAME,
    ),
    **dict.fromkeys(
        ("NumRel", "NumQ", "NumRet", "ExpectedDepth", "ExpectedCost", "ExpectedTotalCost"), NEITHER
    ),
    **dict.fromkeys(("GMAP", "GMBpref"), GEOMETRIC),
    **dict.fromkeys(("GAUC", "alpha-nDCG@10", "nAUC", "Nuggets"), ALONE),
    "Sampled(of=RR,items=100,samples=15)": "query '0' has a list of 5",
}
GRADES = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0]), min_size=1, max_size=6)


def by_exchanging(
    features: Features, scores: Any, measure: str, conventions: str, truncation: int | None = None
) -> tuple[Any, Any]:
    """The gradients and hessians by measuring every list that exchanging two scores makes."""
    gradients, hessians = np.zeros(len(scores)), np.zeros(len(scores))
    grades = features.grades
    assert grades is not None
    better = -1.0 if il.measures.parse(measure).better == "lower" else 1.0
    for begin, end in zip(features.starts[:-1], features.starts[1:], strict=True):
        rows = list(range(begin, end))
        order = sorted(rows, key=lambda row: -scores[row])
        pairs = list(combinations(order[: len(rows)], 2))
        runs = {"-": {str(row): scores[row] for row in rows}}
        for i, j in pairs:
            runs[f"{i} {j}"] = {**runs["-"], str(i): scores[j], str(j): scores[i]}
        judged = {str(row): grades[row] for row in rows}
        result = il.evaluate(dict.fromkeys(runs, judged), runs, measure, conventions=conventions)
        value = {query: result.value(measure, query=query) for query in runs}
        for i, j in pairs:
            gained = better * (value[f"{i} {j}"] - value["-"])
            if gained == 0 or (truncation is not None and order.index(i) >= truncation):
                continue
            up, down = (j, i) if gained > 0 else (i, j)
            wrong = 1 / (1 + exp(scores[up] - scores[down]))
            gradients[up] -= abs(gained) * wrong
            gradients[down] += abs(gained) * wrong
            hessians[[up, down]] += abs(gained) * wrong * (1 - wrong)
    return gradients, hessians


def features_of(grades: list[list[float]]) -> Features:
    documents = [grade for one in grades for grade in one]
    return Features(np.zeros((len(documents), 1)), sizes=[len(one) for one in grades], grades=documents)


@pytest.mark.parametrize("measure", [*SUMS, *MEASURED])
@settings(max_examples=5)
@given(
    st.lists(GRADES, min_size=1, max_size=3),
    st.sampled_from(["idealist", "empty=one", "negative=keep", "negative=unjudged", "ties=averaged"]),
    st.sampled_from([None, 1, 3]),
    st.randoms(use_true_random=False),
)
def test_changes_are_those_of_evaluate(
    measure: str, grades: list[list[float]], rules: str, truncation: int | None, random: Any
) -> None:
    # So that a cut-off is one, and every level makes a difference.
    features = features_of([*grades, [1.0, 0.0, 2.0, 4.0, 0.0, 1.0, 3.0]])
    scores = np.array(random.sample(range(len(features)), len(features)), float)  # no two are equal
    objective = LambdaObjective(
        features, measure, conventions=rules, truncation=truncation, normalised=False, threads=1
    )
    assert isinstance(objective.changes, SummedChanges if measure in SUMS else MeasuredChanges)
    expected = by_exchanging(features, scores, measure, rules, truncation)
    for found, numbers in zip(objective(scores), expected, strict=True):
        np.testing.assert_allclose(found, numbers, rtol=1e-12, atol=1e-12 * max(1.0, abs(numbers).max()))


@pytest.mark.parametrize(
    "measure", ["nDCG@3", "RR", "ERR@2", "AP", "AP(divisor=reachable)@2", "RBP(scale=judged)"]
)
@pytest.mark.parametrize("normalised", [True, False])
def test_both_ways_to_the_changes_agree(measure: str, normalised: bool) -> None:
    rng = np.random.default_rng(0)
    features = Features(np.zeros((66, 1)), sizes=[30, 1, 5, 30], grades=rng.integers(0, 5, 66))
    scores = rng.normal(size=66).round(1)  # some are equal
    objective = LambdaObjective(features, measure, normalised=normalised, truncation=7)
    summed = objective(scores)
    objective.changes = MeasuredChanges(features, objective.measure, il.Conventions(), 2)
    for found, expected in zip(objective(scores), summed, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert expected.any()


def test_long_lists_are_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    features = Features(np.zeros((40, 1)), sizes=[10] * 4, grades=rng.integers(0, 4, 40))
    scores = rng.normal(size=40)
    whole = LambdaObjective(features, "Q")(scores)
    monkeypatch.setattr("idealist.learn.trees.lambdas.CELLS", 30)
    assert np.array_equal(LambdaObjective(features, "Q")(scores), whole)


def test_trees_take_every_measure_of_grades_or_say_why_not() -> None:
    of_grades = {
        cls.name
        for cls in registry().values()
        if cls.needs in (needs.GRADES, needs.QUERIES)
        and not cls.given
        and cls.aggregate != "pooled"
        and cls.__module__.startswith("idealist.")
    }
    taken = {il.measures.parse(text).name for text in (*SUMS, *MEASURED)}
    assert of_grades <= taken | {il.measures.parse(text).name for text in REFUSED}
    assert len(taken) == 56


def test_the_page_has_those_that_trees_take() -> None:
    page = (ROOT / "docs" / "learn-trees.md").read_text(encoding="utf-8")
    for texts in (SUMS, MEASURED):
        names = dict.fromkeys(il.measures.parse(text).name for text in texts)
        assert f"| {' '.join(f'`{name}`' for name in names)} |" in page


@pytest.mark.parametrize("measure", REFUSED)
def test_what_trees_do_not_take_says_why(measure: str) -> None:
    with pytest.raises(InputError, match=REFUSED[measure]):
        LambdaObjective(letor(3, 5), measure)


def test_a_measure_of_ones_own_is_taken() -> None:
    class Found(il.Measure):
        """By operations."""

        def values(self, rankings: il.Rankings) -> Any:
            hit = kernels.grades(rankings.native) >= 2.0
            return (hit / kernels.ranks(rankings.native)).sum()

    class Read(il.Measure):
        """By reading."""

        def values(self, rankings: il.Rankings) -> Any:
            return [
                sum((grade >= 2) / rank for rank, grade in zip(one.ranks, one.grades, strict=True))
                for one in rankings
            ]

    features = letor(3, 5)
    scores = np.random.default_rng(1).normal(size=len(features))
    summed, measured = (LambdaObjective(features, measure) for measure in (Found(), Read()))
    assert isinstance(summed.changes, SummedChanges)
    assert isinstance(measured.changes, MeasuredChanges)
    for found, expected in zip(summed(scores), measured(scores), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert expected.any()


def test_where_lower_is_better_gradients_lower_the_value() -> None:
    features = features_of([[0.0, 1.0]])
    gradients, _ = LambdaObjective(features, "RankingLoss", normalised=False)([1.0, 0.0])
    assert gradients[0] > 0 > gradients[1]


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
    cut = LambdaObjective(features, f"nDCG(gain=exp)@{k}")
    assert isinstance(objective.changes, SummedChanges)
    assert isinstance(cut.changes, SummedChanges)
    objective.changes.parts = objective.changes.parts.replace(scale=cut.changes.parts.scale)
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
        ("ERR(max_grade=1)", "above max_grade=1"),
        ("P@10", "the same for every order of these documents: no query has more than 5"),
        ("SetAP", "the same for every order of these documents: no two grades count differently"),
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
