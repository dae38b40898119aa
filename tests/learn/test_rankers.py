"""Rankers as scikit-learn knows estimators: its own checks, searches with queries kept whole, copies."""

# ruff: noqa: N803 - X, as scikit-learn names it

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import idealist as il
from idealist import InputError
from idealist.data.features import Features
from idealist.learn import LinearRanker, NeuralRanker, QueryKFold, Ranker, TreeRanker, load_model, save_model
from idealist.learn.query_folds import read_groups

LIBRARIES = ["lightgbm", "xgboost", "catboost"]


class Alone:
    """All rows as one query: scikit-learn's checks know of no queries."""

    def fit(self, X: Any, y: Any = None, *, group: Any = None, validation: Any = None) -> Any:
        return super().fit(X, y, group=of_one_query(X, group), validation=validation)  # type: ignore[misc]

    def predict(self, X: Any, *, group: Any = None) -> Any:
        return super().predict(X, group=of_one_query(X, group))  # type: ignore[misc]

    def score(self, X: Any, y: Any = None, *, group: Any = None, sample_weight: None = None) -> Any:
        return super().score(X, y, group=of_one_query(X, group))  # type: ignore[misc]


def of_one_query(X: Any, group: Any) -> Any:
    if group is not None:
        return group
    shape = getattr(X, "shape", None)
    return ["q"] * (shape[0] if shape else len(X) if hasattr(X, "__len__") else 1)


class TreesAlone(Alone, TreeRanker):
    pass


class LinearAlone(Alone, LinearRanker):
    pass


class NeuralAlone(Alone, NeuralRanker):
    pass


def not_for(estimator: Any) -> dict[str, str]:
    """The checks that do not apply, with the reason."""
    if isinstance(estimator, (LinearRanker, NeuralRanker)):
        reason = "features are normalised within the query, so that a score depends on the rows beside it"
        return {"check_methods_subset_invariance": reason}
    return {}


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [TreesAlone(library, rounds=3) for library in LIBRARIES]
    + [TreesAlone(library, rounds=3, objective="measure") for library in ("lightgbm", "xgboost")]
    + [LinearAlone(restarts=1, passes=2), NeuralAlone("linear", epochs=2), NeuralAlone(epochs=2)],
    expected_failed_checks=not_for,
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    if "array_api" in str(check):
        pytest.skip("arrays of other libraries are made NumPy's")
    check(estimator)


def letor(seed: int, queries: int = 12, size: int = 10) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * size, 4))
    y = np.clip(np.round(X[:, 0] + 0.5 * X[:, 1] + 0.7 * rng.normal(size=len(X))), 0, 3)
    return X, y, np.repeat([f"q{number}" for number in range(queries)], size)


X, y, GROUP = letor(1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_score_is_the_measure(library: str) -> None:
    ranker = TreeRanker(library, measure="AP", rounds=5).fit(X, y, group=GROUP)
    run = ranker.rank(X, group=GROUP)
    judgments = {
        query: {str(row): grade for row, grade in enumerate(y) if GROUP[row] == query} for query in set(GROUP)
    }
    assert ranker.score(X, y, group=GROUP) == pytest.approx(il.evaluate(judgments, run, "AP").mean("AP"))
    scores = ranker.predict(X)
    assert run["q1"] == {str(row): scores[row] for row in range(10, 20)}


def test_a_measure_of_which_less_is_better_is_negative() -> None:
    ranker = TreeRanker(measure="RankingLoss", rounds=5).fit(X, y, group=GROUP)
    loss = il.evaluate(
        Features(X, sizes=[10] * 12, grades=y, queries=dict.fromkeys(GROUP)).judgments(),
        ranker.rank(X, group=GROUP),
        "RankingLoss",
    ).mean("RankingLoss")
    assert ranker.score(X, y, group=GROUP) == pytest.approx(-loss)


def test_rows_of_a_query_may_stand_apart() -> None:
    order = np.random.default_rng(0).permutation(len(X))
    # Documents are named by their rows, which would decide between equal scores.
    apart = TreeRanker(rounds=5, conventions="ties=averaged").fit(X[order], y[order], group=GROUP[order])
    linear = LinearRanker(restarts=1, passes=2).fit(X[order], y[order], group=GROUP[order])
    for ranker in (apart, linear):
        scores = ranker.predict(X[order], group=GROUP[order])
        assert_allclose(ranker.predict(X, group=GROUP)[order], scores, atol=1e-12)
        assert ranker.score(X, y, group=GROUP) == pytest.approx(
            ranker.score(X[order], y[order], group=GROUP[order]), abs=1e-12
        )


def test_sizes_and_ids_mean_the_same() -> None:
    by_ids = TreeRanker(rounds=5).fit(X, y, group=GROUP)
    by_sizes = TreeRanker(rounds=5).fit(X, y, group=[10] * 12)
    features = Features(X, sizes=[10] * 12, grades=y)
    by_features = TreeRanker(rounds=5).fit(features)
    for other in (by_sizes, by_features):
        assert np.array_equal(other.predict(X), by_ids.predict(X))
    assert by_features.score(features) == by_sizes.score(X, y, group=[10] * 12)
    assert np.array_equal(by_features.predict(features), by_ids.predict(X))
    assert by_features.rank(features).to_dict() == by_sizes.rank(X, group=[10] * 12).to_dict()


def test_names_of_columns_are_kept() -> None:
    frame = pandas.DataFrame(X, columns=["bm25", "title", "age", "length"])
    ranker = TreeRanker(rounds=3).fit(frame, y, group=GROUP)
    assert ranker.model_.names == ("bm25", "title", "age", "length")
    assert ranker.rank(frame, group=GROUP, documents=[f"d{row}" for row in range(120)])["q0"].keys() == {
        f"d{row}" for row in range(10)
    }
    with pytest.raises(ValueError, match="feature names"):
        ranker.predict(frame[["title", "bm25", "age", "length"]])


@pytest.mark.parametrize(
    "ranker",
    [TreeRanker(library, rounds=4) for library in LIBRARIES]
    + [LinearRanker(restarts=1), NeuralRanker(epochs=3), NeuralRanker("attention", epochs=2)],
)
def test_clones_and_pickles(ranker: Ranker, tmp_path: Any) -> None:
    twin = clone(ranker)
    assert twin.get_params() == ranker.get_params()
    assert not hasattr(twin, "model_")
    ranker.fit(X, y, group=GROUP)
    scores = ranker.predict(X, group=GROUP)
    assert np.array_equal(twin.fit(X, y, group=GROUP).predict(X, group=GROUP), scores)
    assert np.array_equal(pickle.loads(pickle.dumps(ranker)).predict(X, group=GROUP), scores)
    ending = "json" if isinstance(ranker, LinearRanker) else "safetensors"
    save_model(ranker.model_, tmp_path / f"model.{ending}")
    read = load_model(tmp_path / f"model.{ending}")
    assert np.array_equal(read.score(X, np.array([10] * 12)), scores)


def test_a_search_keeps_queries_whole() -> None:
    seen: list[int] = []

    class Watched(TreeRanker):
        def score(self, X: Any, y: Any = None, *, group: Any = None, sample_weight: None = None) -> float:
            seen.append(len(set(group)))
            assert all((group == query).sum() == 10 for query in set(group))
            return super().score(X, y, group=group)

    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            Watched(rounds=5, least_documents=5),
            {"leaves": [2, 6], "objective": ["lambdarank", "measure"]},
            cv=QueryKFold(3),
        ).fit(X, y, group=GROUP)
        assert seen == [4] * 12
        # By hand: train without each third of the queries, and measure that third.
        best = Watched(rounds=5, least_documents=5, **search.best_params_)
        values = [
            clone(best).fit(X[train], y[train], group=GROUP[train]).score(X[test], y[test], group=GROUP[test])
            for train, test in QueryKFold(3).split(X, y, group=GROUP)
        ]
        assert search.best_score_ == pytest.approx(np.mean(values))
        assert search.score(X, y, group=GROUP) == search.best_estimator_.score(X, y, group=GROUP)
        by_chance = cross_val_score(
            TreeRanker(rounds=1, least_documents=999), X, y, cv=QueryKFold(3), params={"group": GROUP}
        )
        assert search.best_score_ > by_chance.mean()


def test_rankers_at_the_end_of_a_pipeline() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), LinearRanker(restarts=1, passes=2))
        values = cross_validate(pipeline, X, y, cv=QueryKFold(4, shuffle=True), params={"group": GROUP})
        assert len(values["test_score"]) == 4
        assert min(values["test_score"]) > 0.5


def test_without_routing_the_error_says_what_to_do() -> None:
    with pytest.raises(InputError, match="enable_metadata_routing"):
        GridSearchCV(TreeRanker(), {"leaves": [2]}, cv=QueryKFold(3)).fit(X, y, group=GROUP)


def test_folds() -> None:
    group = ["a", "b", "b", "a", "c", "d", "d", "e"]
    folds = list(QueryKFold(2).split(np.zeros((8, 1)), group=group))
    # Queries in their order, a c e and b d.
    assert [test.tolist() for _, test in folds] == [[0, 3, 4, 7], [1, 2, 5, 6]]
    assert all(sorted([*train, *test]) == list(range(8)) for train, test in folds)
    shuffled = [
        list(QueryKFold(2, shuffle=True, seed=seed).split(range(8), groups=group)) for seed in (1, 1, 5, 6, 7)
    ]
    as_lists = [[test.tolist() for _, test in one] for one in shuffled]
    assert as_lists[0] == as_lists[1]
    assert len({str(one) for one in as_lists}) > 1
    assert QueryKFold(7).get_n_splits() == 7
    with pytest.raises(InputError, match="5 queries, too few for 6 folds"):
        next(QueryKFold(6).split(range(8), group=group))
    with pytest.raises(InputError, match="2 or more, not 1"):
        QueryKFold(1)
    with pytest.raises(InputError, match="no group"):
        next(QueryKFold(2).split(range(8)))


@pytest.mark.parametrize(
    ("group", "sizes", "queries"),
    [
        ([2, 1], [2, 1], ("0", "1")),
        ([3], [3], ("0",)),
        ([7, 7, 9], [2, 1], ("7", "9")),
        ([7.0, 9.0, 7.0], [2, 1], ("7", "9")),
        (["x", "y", "x"], [2, 1], ("x", "y")),
        (["1", "1", "1"], [3], ("1",)),
        ([0, 1, 2], [1, 1, 1], ("0", "1", "2")),
        ([0, 0, 0], [3], ("0",)),
        (np.array([2**64 - 1, 5, 2**64 - 1], np.uint64), [2, 1], (str(2**64 - 1), "5")),
        (np.array([2, 1], np.uint8), [2, 1], ("0", "1")),
    ],
)
def test_sizes_or_ids(group: Any, sizes: list[int], queries: tuple[str, ...]) -> None:
    groups = read_groups(group, 3)
    assert groups.sizes.tolist() == sizes
    assert groups.queries == queries


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (None, "group is missing"),
        ([1, 1, 1], "3 ones: one query with the id 1, or 3 queries of one row"),
        ([2, 2], "add up to 4, but there are 3 rows"),
        ([3, 0], "query 1 has 0 rows"),
        ([4, -1], "query 1 has -1 rows"),
        (["a", "b"], "2 ids, but there are 3 rows"),
        ([[1, 2]], r"shape \(1, 2\)"),
        ([0.5, 1, 2], "entry 0 of group is 0.5"),
        ([float("nan"), 1, 2], "entry 0 of group is nan"),
        ([], "add up to 0"),
        ([1e19, 2e19, 2e19], r"entry 0 of group is 1e\+19, which float64 may have rounded"),
        (np.array([7, 2**24, 7], np.float32), "entry 1 of group is 16777216.0, which float32 may"),
        (
            np.array([2**63, 2**63 + 3], np.uint64),
            "add up to 18,446,744,073,709,551,619, but there are 3 rows",
        ),
    ],
)
def test_groups_that_cannot_be_right(group: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_groups(group, 3)


def test_one_row_is_one_query() -> None:
    assert read_groups([1], 1).sizes.tolist() == [1]


def test_early_stopping_by_validation() -> None:
    other, grades, group = letor(2)
    stopped = TreeRanker(rounds=60, patience=3).fit(X, y, group=GROUP, validation=(other, grades, group))
    assert stopped.model_.training["chosen_on"] == "validation"
    assert len(stopped.model_.trees) < 60  # type: ignore[attr-defined]
    features = Features(other, sizes=[10] * 12, grades=grades)
    same = TreeRanker(rounds=60, patience=3).fit(X, y, group=GROUP, validation=features)
    assert np.array_equal(same.predict(X), stopped.predict(X))


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="group is missing"):
        TreeRanker().fit(X, y)
    with pytest.raises(NotFittedError):
        TreeRanker().predict(X)
    with pytest.raises(InputError, match="library must be one of lightgbm, xgboost, catboost, not 'ranklib'"):
        TreeRanker("ranklib").fit(X, y, group=GROUP)
    with pytest.raises(InputError, match="xgboost has no parameter 'leaves'"):
        TreeRanker("xgboost", leaves=3).fit(X, y, group=GROUP)
    with pytest.raises(InputError, match="scorer must be one of mlp, attention, linear, not 'cnn'"):
        NeuralRanker("cnn").fit(X, y, group=GROUP)
    with pytest.raises(InputError, match="every feature is constant"):
        TreeRanker().fit(np.ones((4, 2)), [0, 1, 0, 1], group=[4])
    with pytest.raises(InputError, match="give them alone"):
        TreeRanker().fit(Features(X, sizes=[120], grades=y), y)
    with pytest.raises(InputError, match="validation must be Features or a tuple"):
        TreeRanker().fit(X, y, group=GROUP, validation=[X])
    ranker = TreeRanker(rounds=2).fit(X, y, group=GROUP)
    with pytest.raises(ValueError, match="expecting 4 features"):
        ranker.predict(X[:, :3])
    with pytest.raises(ValueError, match="infinity"):
        ranker.predict(np.full((1, 4), np.inf))
    with pytest.raises(InputError, match="3 documents, but 120 rows"):
        ranker.rank(X, group=GROUP, documents=["a", "b", "c"])
    with pytest.raises(InputError, match="rows cannot be weighted"):
        ranker.score(X, y, group=GROUP, sample_weight=y)
    linear = LinearRanker(restarts=1, passes=1).fit(X, y, group=GROUP)
    with pytest.raises(InputError, match="group is missing"):
        linear.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        linear.predict(np.full((1, 4), np.nan), group=["q"])


def test_nan_is_a_missing_feature_of_trees() -> None:
    cells = X.copy()
    cells[::3, 0] = np.nan
    for library in LIBRARIES:
        ranker = TreeRanker(library, rounds=5).fit(cells, y, group=GROUP)
        assert np.isfinite(ranker.predict(cells)).all()


def test_folds_that_cut_queries_apart_are_noticed() -> None:
    """120 rows in seven folds, and queries of ten: most folds begin within a query."""
    with sklearn.config_context(enable_metadata_routing=True):
        rows = cross_val_score(
            LinearRanker(restarts=1, passes=1), X, y, cv=QueryKFold(3), params={"group": GROUP}
        )
        assert np.isfinite(rows).all()
        with pytest.warns(
            UserWarning, match=r"had other documents in fit: .* cv=idealist\.learn\.QueryKFold"
        ):
            cross_val_score(LinearRanker(restarts=1, passes=1), X, y, cv=7, params={"group": GROUP})
    ranker = LinearRanker(restarts=1, passes=1).fit(X, y, group=GROUP)
    order = np.random.default_rng(0).permutation(len(X))
    ranker.score(X[order], y[order], group=np.asarray(GROUP)[order])  # the same rows, in another order
