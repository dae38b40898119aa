"""AdaRank, RankBoost, linear regression, networks and forests, on data small enough to follow."""

from __future__ import annotations

from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist.conventions import RANKLIB, Conventions
from idealist.data.feature_reading import read_features
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn import Trainer, load_model, save_model
from idealist.learn.models.linear import Linear
from idealist.learn.models.trees import TreeEnsemble
from idealist.learn.objective import Objective
from idealist.learn.trainers.linear_trainers import Regression
from idealist.learn.trainers.networks import lambda_rank, list_net, rank_net
from idealist.learn.trainers.weak_rankers import AdaRank, RankBoost, _Pairs
from idealist.measures import parse

AP, NDCG, NDCG5 = (parse(text) for text in ("AP", "nDCG", "nDCG@5"))
GOLDEN = Path(__file__).parent / "ranklib"
QUICK: dict[str, dict[str, Any]] = {
    "adarank": {},
    "rankboost": {"rounds": 20},
    "regression": {},
    "mart": {"trees": 10, "threads": 1},
    "lambdamart": {"trees": 10, "threads": 1},
    "random-forest": {"bags": 4, "leaves": 8, "threads": 1},
    "ranknet": {"epochs": 30},
    "lambdarank": {"epochs": 30},
    "listnet": {"epochs": 100},
}


@pytest.fixture(scope="module")
def train() -> Features:
    return read_features(GOLDEN / "train.letor", fill=0)


@pytest.fixture(scope="module")
def held_out() -> Features:
    return read_features(GOLDEN / "test.letor", fill=0)


# All of them


@pytest.mark.parametrize("name", QUICK)
def test_a_trainer_learns_and_says_what_it_reached(name: str, train: Features, held_out: Features) -> None:
    trainer = Trainer.parse(name, **QUICK[name])
    model = trainer.fit(train, held_out, measure=NDCG5, conventions=RANKLIB)
    objective = Objective(held_out, "nDCG@5", RANKLIB)
    assert model.training["value"] == objective.value(model.scores(held_out))
    alone = trainer.fit(train, measure=NDCG5, conventions=RANKLIB)
    on_train = Objective(train, "nDCG@5", RANKLIB)
    # Better than the order of the file, and than all documents tied.
    assert on_train.value(alone.scores(train)) > max(
        on_train.value(-np.arange(len(train))), on_train.value(np.zeros(len(train)))
    )


@pytest.mark.parametrize("name", QUICK)
def test_the_same_seed_gives_the_same_model(name: str, train: Features) -> None:
    trainer = Trainer.parse(name, **QUICK[name])
    first, second = (trainer.fit(train, measure=NDCG5, seed=3).scores(train) for _ in range(2))
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize("name", QUICK)
def test_columns_are_found_by_their_names(name: str, train: Features, held_out: Features) -> None:
    turned = Features(
        held_out.matrix[:, ::-1],
        sizes=held_out.sizes,
        grades=held_out.grades,
        queries=held_out.queries,
        documents=held_out.documents,
        names=held_out.names[::-1],
    )
    trainer = Trainer.parse(name, **QUICK[name])
    plain, other = (trainer.fit(train, one, measure=NDCG5, conventions=RANKLIB) for one in (held_out, turned))
    assert plain.training == other.training
    assert plain.scores(held_out).tolist() == other.scores(turned).tolist()


@pytest.mark.parametrize("name", QUICK)
def test_models_go_into_files_of_ranklib(name: str, train: Features, tmp_path: Path) -> None:
    model = Trainer.parse(name, **QUICK[name]).fit(train, measure=AP)
    save_model(model, tmp_path / "model", format="ranklib")
    # Trees are added up in single precision there.
    assert load_model(tmp_path / "model").scores(train) == pytest.approx(
        model.scores(train), rel=1e-5, abs=1e-6
    )


@pytest.mark.parametrize("name", QUICK)
def test_models_go_into_files_of_ours(name: str, train: Features, tmp_path: Path) -> None:
    named = Features(train.matrix, sizes=train.sizes, grades=train.grades, names="abcdef")
    model = Trainer.parse(name, **QUICK[name]).fit(named, measure=AP)
    save_model(model, tmp_path / "model", format="safetensors")
    again = load_model(tmp_path / "model")
    assert again.scores(named).tolist() == model.scores(named).tolist()
    assert again.training["trainer"] == name


@pytest.mark.parametrize("name", QUICK)
def test_data_that_teaches_nothing(name: str) -> None:
    """Constant features and equal grades: an error that says so, or a model with finite scores."""
    trainer = Trainer.parse(name, **QUICK[name])
    for grades in ([1, 0, 1], [1, 1, 1], [0, 0, 0]):
        flat = Features([[2.0]] * 3, sizes=[2, 1], grades=grades)
        try:
            model = trainer.fit(flat, measure=NDCG)
        except InputError as error:
            assert error.hint
        else:
            assert np.isfinite(model.scores(flat)).all()


@pytest.mark.parametrize("name", QUICK)
def test_features_without_grades_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="no grades"):
        Trainer.parse(name, **QUICK[name]).fit(Features([[1.0]], sizes=[1]), measure=NDCG)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("adarank", {"rounds": 0}),
        ("adarank", {"tolerance": -1}),
        ("rankboost", {"thresholds": -1}),
        ("regression", {"l2": -1}),
        ("mart", {"leaves": 1}),
        ("mart", {"learning_rate": 0}),
        ("random-forest", {"sampled": 0}),
        ("random-forest", {"bagged": "svm"}),
        ("ranknet", {"learning_rate": 0}),
        ("listnet", {"epochs": 0}),
    ],
)
def test_parameters_that_cannot_be(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(parameters))):
        Trainer.parse(name, **parameters)


# AdaRank


def test_adarank_by_hand() -> None:
    # Feature 1 puts the relevant document first in both queries; feature 2 in the second only.
    train = Features([[1, 0], [0, 1], [1, 1], [0, 0]], sizes=[2, 2], grades=[1, 0, 1, 0])
    model = AdaRank(rounds=1).fit(train, measure="P@1")
    # Right everywhere: Σ P(1 + 1) / Σ P(1 − 1) is bounded by 10^-12.
    assert isinstance(model, Linear)
    assert model.weights == pytest.approx((0.5 * log(2 / 1e-12), 0))


def test_adarank_turns_to_the_queries_that_are_ranked_badly() -> None:
    # Feature 1 is right in queries 1 and 2, feature 2 in query 3 alone.
    rows = [[1, 0], [0, 0], [1, 0], [0, 0], [0, 1], [1, 0]]
    train = Features(rows, sizes=[2, 2, 2], grades=[1, 0, 1, 0, 1, 0])
    model = AdaRank(rounds=2, set_aside=False, tolerance=1.0).fit(
        train, measure="P@1", conventions=Conventions(ties="pessimistic")
    )
    assert isinstance(model, Linear)
    first = 0.5 * log((2 / 3 * 2 + 1 / 3) / (1 / 3))
    # After the first round the values are 1, 1, 0: weights e^-1, e^-1 and 1, of which feature 2 has more than half.
    spread = [exp(-1), exp(-1), 1]
    right = 2 * exp(-1) < 1
    assert right
    second = 0.5 * log((spread[2] * 2 + spread[0] + spread[1]) / (spread[0] + spread[1]))
    assert model.weights == pytest.approx((first, second))


def test_adarank_leaves_out_what_the_conventions_do() -> None:
    # Nothing is relevant in the second query. The first has P@1 = 1 by feature 1, the third 0.
    rows = [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]
    train = Features(rows, sizes=[2, 2, 2], grades=[1, 0, 0, 0, 0, 1])
    skip = Conventions(empty="skip")
    model = AdaRank(rounds=1).fit(train, measure="P@1", conventions=skip)
    assert isinstance(model, Linear)
    # Over two queries: ½ ln((½ · 2 + ½) / (½ · 0 + ½)). With a third of value 0 it would be ½ ln(4/3 / (2/3)).
    assert model.weights == pytest.approx((0.5 * log(3), 0))
    assert model.training["value"] == Objective(train, "P@1", skip).value(model.scores(train)) == 0.5
    with pytest.raises(InputError, match="no training query has a value"):
        AdaRank().fit(train.of_queries([1]), measure="P@1", conventions=skip)


def test_adarank_gives_the_best_sum_though_its_feature_is_set_aside() -> None:
    # Feature 1 is right everywhere, and chosen again in round 2, where it is set aside and the rounds end, or in
    # round 3 feature 2 is chosen, which is wrong everywhere.
    train = Features([[1, 0], [0, 1], [1, 0], [0, 1]], sizes=[2, 2], grades=[1, 0, 1, 0])
    for rounds in (1, 2, 3):
        for validation in (None, train):
            model = AdaRank(rounds=rounds).fit(train, validation, measure="P@1")
            assert isinstance(model, Linear)
            assert model.weights == pytest.approx((0.5 * log(2 / 1e-12), 0))
            assert model.training["value"] == 1.0


def test_adarank_refuses_measures_beyond_one(train: Features) -> None:
    with pytest.raises(InputError, match="has the value") as caught:
        AdaRank().fit(train, measure="DCG@10")
    assert "between 0 and 1" in caught.value.hint


# RankBoost


def test_rankboost_is_ranklibs() -> None:
    """Freund's algorithm leaves nothing to chance: the same thresholds, and the same weights to the last digits."""
    train = read_features(GOLDEN / "train.letor", fill=0)
    model = RankBoost(rounds=15).fit(train, measure="nDCG@10", conventions=RANKLIB)
    words = (GOLDEN / "rankboost.model").read_text().splitlines()[-1].split()
    expected = [word.split(":") for word in words]
    assert isinstance(model, TreeEnsemble)
    ours = [
        (model.names[int(tree.features[0])], float(tree.thresholds[0]), float(weight))
        for tree, weight in zip(model.trees, model.weights, strict=True)
    ]
    assert [name for name, *_ in ours] == [feature for feature, *_ in expected]
    assert [threshold for _, threshold, _ in ours] == pytest.approx(
        [float(one) for _, one, _ in expected], rel=1e-12
    )
    assert [weight for *_, weight in ours] == pytest.approx([float(one) for *_, one in expected], rel=1e-9)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_potentials_are_sums_over_pairs(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    rows = sum(sizes)
    grades = data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    total = data.draw(st.lists(st.floats(-3, 3), min_size=rows, max_size=rows))
    features = Features(np.zeros((rows, 1)), sizes=sizes, grades=grades)
    pairs = _Pairs(features)
    pairs.add(np.array(total))
    weights = np.zeros((rows, rows))
    for query in range(len(sizes)):
        own = range(features.starts[query], features.starts[query + 1])
        for better, worse in product(own, own):
            if grades[better] > grades[worse]:
                weights[better, worse] = exp(total[worse] - total[better])
    if weights.sum():
        weights /= weights.sum()
    assert pairs.potentials() == pytest.approx(weights.sum(axis=1) - weights.sum(axis=0), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_rankboost_at_any_scale(scale: float) -> None:
    """Thresholds lie between a feature's values, whatever their scale: the same ranking."""
    rng = np.random.default_rng(0)
    matrix, grades = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    plain, scaled = (Features(matrix * by, sizes=[10] * 6, grades=grades) for by in (1.0, scale))
    fitted = [RankBoost(rounds=50).fit(features, measure=NDCG5) for features in (plain, scaled)]
    assert fitted[0].training["value"] == fitted[1].training["value"]


def test_weights_of_pairs_beyond_what_floats_hold() -> None:
    """Sums of ±3,000 are beyond powers of e; the worst pair has all the weight then."""
    pairs = _Pairs(Features([[0.0]] * 4, sizes=[2, 2], grades=[1, 0, 1, 0]))
    pairs.add(np.array([-3000.0, 3000.0, 0.0, 0.0]))
    assert pairs.potentials().tolist() == [1.0, -1.0, 0.0, 0.0]
    pairs.add(np.array([6000.0, -6000.0, 0.0, 0.0]))
    assert pairs.potentials().tolist() == [0.0, 0.0, 1.0, -1.0]
    pairs.add(np.array([0.0, 0.0, 9000.0, -9000.0]))  # both right, the second pair by 12,000 more
    assert pairs.potentials().tolist() == [1.0, -1.0, 0.0, 0.0]


def test_rankboost_ends_where_every_pair_is_right() -> None:
    train = Features([[0.0], [1.0]], sizes=[2], grades=[0, 1])
    model = RankBoost(rounds=50, thresholds=0).fit(train, measure=NDCG)
    assert isinstance(model, TreeEnsemble)
    assert len(model.trees) == 1
    assert model.scores(train)[1] > model.scores(train)[0]


def test_rankboost_with_every_value_as_threshold() -> None:
    # Only a threshold between 0.9 and 1.0 tells them apart, which ten steps from 0 to 100 miss.
    train = Features([[0.9], [1.0], [100.0]], sizes=[2, 1], grades=[0, 1, 0])
    with pytest.raises(InputError, match="no threshold"):
        RankBoost(thresholds=10).fit(train, measure=NDCG)
    model = RankBoost(thresholds=0).fit(train, measure=NDCG)
    assert model.training["value"] == Objective(train, "nDCG").value([0.0, 1.0, 0.0])


# Linear regression


def test_regression_is_least_squares(train: Features) -> None:
    model = Regression(l2=0).fit(train, measure=NDCG)
    with_constant = np.column_stack([train.matrix, np.ones(len(train))])
    expected, *_ = np.linalg.lstsq(with_constant, train.grades, rcond=None)  # type: ignore[arg-type]
    assert isinstance(model, Linear)
    assert model.weights == pytest.approx(expected[:-1], rel=1e-6)


def test_the_penalty_of_regression_by_hand() -> None:
    # One centred feature x = ∓1 with grades 0 and 2: w = Σxy / (Σx² + l2) = 2 / (2 + 2).
    train = Features([[-1.0], [1.0]], sizes=[2], grades=[0, 2])
    model = Regression(l2=2.0).fit(train, measure=NDCG)
    assert isinstance(model, Linear)
    assert model.weights == pytest.approx((0.5,))


# Networks


@pytest.mark.parametrize("loss", ["ranknet", "listnet"])
def test_gradients_are_those_of_the_losses(loss: str) -> None:
    features = Features([[0.0]] * 5, sizes=[3, 2], grades=[2, 0, 1, 0, 1])
    grades, starts = np.asarray(features.grades), features.starts

    def value(scores: np.ndarray) -> float:
        total, pairs = 0.0, 0
        for query in range(2):
            s, y = scores[starts[query] : starts[query + 1]], grades[starts[query] : starts[query + 1]]
            if loss == "listnet":
                target = np.exp(y) / np.exp(y).sum()
                total -= (target * (s - np.log(np.exp(s).sum()))).sum() / 2
            for i, j in product(range(len(s)), range(len(s))):
                if loss == "ranknet" and y[i] > y[j]:
                    total += log(1 + exp(s[j] - s[i]))
                    pairs += 1
        return total / pairs if pairs else total

    scores = np.array([0.3, -0.2, 0.5, 0.1, 0.0])
    found = {"ranknet": rank_net, "listnet": list_net}[loss](features)(scores)
    for place in range(5):
        step = np.eye(5)[place] * 1e-6
        assert found[place] == pytest.approx((value(scores + step) - value(scores - step)) / 2e-6, abs=1e-8)


def test_lambda_gradients_pull_relevant_documents_up() -> None:
    features = Features([[0.0]] * 3, sizes=[3], grades=[0, 1, 0])
    gradient = lambda_rank(features, parse("ERR@10"), RANKLIB)(np.array([2.0, 1.0, 0.0]))
    assert gradient[1] < 0 < gradient[0]


def test_networks_take_features_as_they_are(train: Features) -> None:
    """Trained on standardised features, whose means and spreads went into the first layer."""
    shifted = Features(train.matrix * 100 - 7, sizes=train.sizes, grades=train.grades)
    for name in ("ranknet", "listnet"):
        trainer: Trainer = Trainer.parse(name, epochs=5)
        plain, moved = (trainer.fit(one, measure=NDCG) for one in (train, shifted))
        assert moved.score(shifted.matrix, train.sizes) == pytest.approx(
            plain.score(train.matrix, train.sizes), abs=1e-5
        )


# Trees


def test_bags_are_of_queries(train: Features) -> None:
    model = Trainer.parse("random-forest", bags=3, trees=2, threads=1).fit(train, measure=NDCG)
    assert isinstance(model, TreeEnsemble)
    # Three bags of two trees: a tree counts a third of its sum.
    assert model.weights.tolist() == pytest.approx([1 / 3] * 6)


def test_training_stops_after_the_best_tree(train: Features, held_out: Features) -> None:
    model = Trainer.parse("lambdamart", trees=50, patience=3, threads=1).fit(train, held_out, measure=NDCG5)
    made = model.training["iterations"]
    rounds = made["used"]
    assert made == {"unit": "round", "used": rounds, "run": min(rounds + 3, 50), "limit": 50}
    assert rounds == len(model.trees)  # type: ignore[attr-defined]
    values = [
        Objective(held_out, "nDCG@5").value(
            Trainer.parse("lambdamart", trees=count, threads=1).fit(train, measure=NDCG5).scores(held_out)
        )
        for count in range(1, rounds + 1)
    ]
    assert max(values) == pytest.approx(values[-1], abs=1e-9)


@pytest.mark.parametrize("name", ["ranknet", "lambdarank", "listnet"])
def test_a_constant_feature_changes_nothing_of_a_network(name: str, train: Features) -> None:
    # The mean of so many times 0.1 is not quite 0.1, and their deviation not quite 0.
    matrix = np.column_stack([train.matrix, np.full(len(train), 0.1)])
    assert matrix[:, -1].std() > 0
    more = Features(matrix, sizes=train.sizes, grades=train.grades)
    model = Trainer.parse(name, **QUICK[name]).fit(more, measure=NDCG5)
    assert len(set(model.scores(more).tolist())) > len(more) / 2
    assert model.training["value"] == Objective(more, NDCG5).value(model.scores(more))
    assert np.all(model.layers[0][-2] == 0)  # type: ignore[attr-defined]
