"""Inside LightGBM, XGBoost and CatBoost: metrics are what evaluate gives, and objectives raise the measure."""

from __future__ import annotations

import copy
from typing import Any

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose

import idealist as il
from idealist import InputError
from idealist.data.features import Features
from idealist.learn import LambdaObjective
from idealist.learn.trees import catboost as in_catboost
from idealist.learn.trees import lightgbm as in_lightgbm
from idealist.learn.trees import xgboost as in_xgboost

ROUNDS = 6


def letor(seed: int, sizes: list[int], *, fractions: bool = False) -> Features:
    """Queries of different sizes, with ids that are not in the order of the rows."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(sum(sizes), 5))
    matrix[:, 2] = np.round(matrix[:, 2])
    grades = np.clip(np.round(matrix[:, 0] + 0.5 * matrix[:, 1] + rng.normal(size=len(matrix))), 0, 4)
    return Features(
        matrix,
        sizes=sizes,
        grades=grades / 10 if fractions else grades,
        queries=[f"q{len(sizes) - at}" for at in range(len(sizes))],
        documents=[f"d{number}" for number in rng.permutation(len(matrix))],
    )


TRAIN, VALIDATION = letor(1, [12, 25, 3, 30, 18, 22]), letor(2, [9, 14, 1, 20])
MEASURES = ["nDCG@5", "AP", "nDCG(gain={0:0,1:1,2:1,3:9,4:10})", "RR(level=3)", "RankingLoss"]
LIGHTGBM = {"metric": "None", "verbosity": -1, "num_threads": 1, "num_leaves": 5, "min_data_in_leaf": 3}


def expected(
    features: Features, scores: Any, measure: str, conventions: Any = il.conventions.DEFAULT
) -> float:
    """What evaluate gives for scores in TREC form."""
    return il.evaluate(features.judgments(), features.run(scores), measure, conventions=conventions).mean(
        measure
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_lightgbm_reports_our_measure(measure: str) -> None:
    data = in_lightgbm.dataset(TRAIN)
    held_out = in_lightgbm.dataset(VALIDATION, reference=data)
    values: dict[str, Any] = {}
    booster = lightgbm.train(
        LIGHTGBM | {"objective": "lambdarank"},
        data,
        ROUNDS,
        valid_sets=[data, held_out],
        valid_names=["train", "validation"],
        feval=in_lightgbm.Metric(measure),
        callbacks=[lightgbm.record_evaluation(values)],
    )
    for name, features in (("train", TRAIN), ("validation", VALIDATION)):
        by_hand = [
            expected(features, booster.predict(features.matrix, num_iteration=done + 1), measure)
            for done in range(ROUNDS)
        ]
        assert values[name][measure] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_xgboost_reports_our_measure(measure: str) -> None:
    data, held_out = in_xgboost.dataset(TRAIN), in_xgboost.dataset(VALIDATION)
    values: dict[str, Any] = {}
    booster = xgboost.train(
        {"objective": "rank:ndcg", "max_depth": 3, "nthread": 1, "disable_default_eval_metric": 1},
        data,
        ROUNDS,
        evals=[(data, "train"), (held_out, "validation")],
        custom_metric=in_xgboost.Metric(measure),
        evals_result=values,
        verbose_eval=False,
    )
    for name, features, made in (("train", TRAIN, data), ("validation", VALIDATION, held_out)):
        by_hand = [
            expected(features, booster.predict(made, iteration_range=(0, done + 1)), measure)
            for done in range(ROUNDS)
        ]
        # XGBoost keeps six digits of what a metric gives.
        assert values[name][measure.replace(":", "=")] == pytest.approx(by_hand, abs=6e-7)


@pytest.mark.parametrize("measure", MEASURES)
def test_catboost_reports_our_measure(measure: str) -> None:
    metric = in_catboost.Metric(measure, features=(TRAIN, VALIDATION))
    model = catboost.CatBoost(
        {
            "loss_function": "YetiRank",
            "eval_metric": metric,
            "iterations": ROUNDS,
            "thread_count": 1,
            "allow_writing_files": False,
        }
    )
    held_out = in_catboost.dataset(VALIDATION)
    model.fit(in_catboost.dataset(TRAIN), eval_set=held_out, use_best_model=False, verbose=False)
    values = model.get_evals_result()
    for name, features in (("learn", TRAIN), ("validation", VALIDATION)):
        by_hand = [
            expected(features, model.predict(features.matrix, ntree_end=done + 1), measure)
            for done in range(ROUNDS)
        ]
        assert values[name]["Metric"] == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "ERR@5", "RR(level=3)"])
@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_the_objective_raises_the_measure_on_what_is_trained_on(library: str, measure: str) -> None:
    train = letor(5, [20] * 20)
    before = expected(train, np.zeros(len(train)), measure)
    if library == "lightgbm":
        settings = LIGHTGBM | {"objective": in_lightgbm.Lambdas(measure)}
        booster = lightgbm.train(settings, in_lightgbm.dataset(train), 40)
        scores = booster.predict(train.matrix)
    else:
        data = in_xgboost.dataset(train)
        settings = {"max_depth": 3, "nthread": 1, "min_child_weight": 1e-3, "lambda": 0}
        booster = xgboost.train(settings, data, 40, obj=in_xgboost.Lambdas(measure))
        scores = booster.predict(data)
    assert expected(train, scores, measure) > before + 0.2


def test_our_lambdarank_grows_the_trees_of_lightgbm() -> None:
    """Down to the cut-off that LightGBM's truncation level means, and with its gains, the first trees are the same."""
    features = letor(3, [20, 20, 20, 20])
    theirs = lightgbm.train(
        LIGHTGBM | {"objective": "lambdarank", "lambdarank_truncation_level": 20},
        in_lightgbm.dataset(features),
        5,
    )
    ours = lightgbm.train(
        LIGHTGBM | {"objective": in_lightgbm.Lambdas("nDCG(gain=exp)")}, in_lightgbm.dataset(features), 5
    )
    assert_allclose(ours.predict(features.matrix), theirs.predict(features.matrix), atol=2e-4)
    splits = [
        (tree["split_feature"], tree["threshold"])
        for model in (ours, theirs)
        for tree in (one["tree_structure"] for one in model.dump_model()["tree_info"])
    ]
    assert splits[:5] == splits[5:]


def test_grades_are_ours_and_not_rounded() -> None:
    features = letor(4, [10, 10], fractions=True)  # 0.1 is another number in float32, which data sets hold
    table = "nDCG(gain={0:0,0.1:1,0.2:5,0.3:6,0.4:7})"
    scores = np.arange(20.0)
    for data, metric in (
        (in_lightgbm.dataset(features), in_lightgbm.Metric(table)),
        (in_xgboost.dataset(features), in_xgboost.Metric(table)),
    ):
        assert metric(scores, data)[1] == pytest.approx(expected(features, scores, table))


def test_conventions_hold_in_metrics() -> None:
    scores = np.round(VALIDATION.matrix[:, 0])  # many are equal
    for conventions in ("lightgbm", "ties=averaged", "ties=input-order,empty=skip"):
        metric = in_lightgbm.Metric("nDCG@5", conventions)
        found = metric(scores, in_lightgbm.dataset(VALIDATION))
        given = il.conventions.parse_conventions(conventions)
        name = found[0]
        assert found[1] == pytest.approx(expected(VALIDATION, scores, name, given))
    assert in_lightgbm.Metric("nDCG@5", "lightgbm")(scores, in_lightgbm.dataset(VALIDATION))[0] == (
        "nDCG(gain=exp)@5"
    )


def test_data_sets_of_others_have_labels_and_groups() -> None:
    scores = np.random.default_rng(1).permutation(len(TRAIN))
    for data, metric in (
        (
            lightgbm.Dataset(TRAIN.matrix, TRAIN.grades, group=TRAIN.sizes).construct(),
            in_lightgbm.Metric("AP"),
        ),
        (xgboost.DMatrix(TRAIN.matrix, TRAIN.grades, group=TRAIN.sizes), in_xgboost.Metric("AP")),
    ):
        assert metric(scores, data)[1] == pytest.approx(expected(TRAIN, scores, "AP"))
    with pytest.raises(InputError, match="nothing of its queries"):
        in_lightgbm.Metric("AP")(scores, lightgbm.Dataset(TRAIN.matrix, TRAIN.grades).construct())


def test_labels_and_groups_may_be_changed() -> None:
    """Metrics and objectives are of those that a data set has now."""
    scores = np.random.default_rng(2).permutation(len(TRAIN)).astype(float)
    others = 4 - np.asarray(TRAIN.grades)
    sizes = TRAIN.sizes[::-1].copy()
    relabelled = Features(
        TRAIN.matrix, sizes=TRAIN.sizes, grades=others, queries=TRAIN.queries, documents=TRAIN.documents
    )
    regrouped = Features(TRAIN.matrix, sizes=sizes, grades=others)
    for library in (in_lightgbm, in_xgboost):
        data, metric, objective = library.dataset(TRAIN), library.Metric("AP"), library.Lambdas("AP")
        if library is in_lightgbm:
            data.construct()
        assert metric(scores, data)[1] == pytest.approx(expected(TRAIN, scores, "AP"))
        first = objective(scores, data)[0].tolist()
        data.set_label(others)
        assert metric(scores, data)[1] == pytest.approx(expected(relabelled, scores, "AP"))
        assert objective(scores, data)[0].tolist() == LambdaObjective(relabelled, "AP")(scores)[0].tolist()
        data.set_group(sizes)
        assert metric(scores, data)[1] == pytest.approx(expected(regrouped, scores, "AP"))
        data.set_group(TRAIN.sizes)
        data.set_label(TRAIN.grades)
        assert objective(scores, data)[0].tolist() == first


def test_lightgbm_cross_validates_by_query() -> None:
    folds = lightgbm.cv(
        LIGHTGBM | {"objective": "lambdarank"},
        in_lightgbm.dataset(TRAIN),
        3,
        nfold=3,
        stratified=False,
        feval=in_lightgbm.Metric("nDCG@5"),
    )
    assert len(folds["valid nDCG@5-mean"]) == 3
    assert all(0 < value < 1 for value in folds["valid nDCG@5-mean"])


def test_lambdarank_takes_the_gains_of_the_measure() -> None:
    settings = in_lightgbm.lambdarank(il.measures.parse("nDCG(gain={0:0,1:1,2:1,3:9,4:10})@50"), TRAIN)
    assert settings["label_gain"] == [0, 1, 1, 9]  # there is no 4
    assert settings["lambdarank_truncation_level"] == 50
    assert in_lightgbm.lambdarank(il.measures.parse("nDCG@10"), TRAIN)["label_gain"] == [0, 1, 2, 3]
    assert in_xgboost.rank_ndcg(il.measures.parse("nDCG@10"), TRAIN)["ndcg_exp_gain"] is False
    assert in_xgboost.rank_ndcg(il.measures.parse("AP"), TRAIN)["ndcg_exp_gain"] is True


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: in_lightgbm.dataset(Features([[1.0]], sizes=[1])), "no grades"),
        (lambda: in_xgboost.dataset(Features([[1.0]], sizes=[1])), "no grades"),
        (lambda: in_catboost.dataset(Features([[1.0]], sizes=[1])), "no grades"),
        (
            lambda: in_xgboost.dataset(Features([[np.inf]], sizes=[1], grades=[1], names=["bm25"])),
            "feature 'bm25' of document '0' is infinite",
        ),
        (
            lambda: in_lightgbm.lambdarank(il.measures.parse("nDCG"), letor(4, [5], fractions=True)),
            r"not 0\.[12]",
        ),
        (lambda: in_lightgbm.lambdarank(il.measures.parse("nDCG(gain={0:0,4:1})"), TRAIN), "lacks grade 1"),
        (lambda: in_xgboost.rank_ndcg(il.measures.parse("nDCG(gain=binary)"), TRAIN), "exp and linear"),
        (
            lambda: in_xgboost.rank_ndcg(
                il.measures.parse("nDCG"), Features([[1.0]], sizes=[1], grades=[-1])
            ),
            "not -1",
        ),
        (lambda: in_lightgbm.Metric("NumRet"), "better than another"),
        (
            lambda: in_lightgbm.Metric("AP")(np.ones(2), np.ones(2)),
            "a data set is expected behind the predictions, not ndarray\nhint: LGBMRanker and XGBRanker give",
        ),
        (
            lambda: in_catboost.Metric("AP", features=(TRAIN, copy_with_other_sizes(TRAIN))),
            "the same grades in the same order",
        ),
    ],
)
def test_what_a_library_does_not_take_is_refused(function: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        function()


def copy_with_other_sizes(features: Features) -> Features:
    return Features(features.matrix, sizes=[len(features)], grades=features.grades)


def test_grades_that_catboost_did_not_announce() -> None:
    metric = in_catboost.Metric("AP", features=(TRAIN,))
    with pytest.raises(InputError, match="of no features of this metric"):
        metric.evaluate([np.zeros(len(VALIDATION))], VALIDATION.grades, None)
    assert copy.deepcopy(metric) is metric


def test_names_that_a_library_cannot_hold_are_left_out() -> None:
    features = Features(np.ones((2, 2)), sizes=[2], grades=[1, 0], names=["a b", "c[0]"])
    assert in_lightgbm.dataset(features).construct().feature_name == ["Column_0", "Column_1"]
    assert in_xgboost.dataset(features).feature_names is None
