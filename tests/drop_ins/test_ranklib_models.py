"""RankLib's model files beside the scores that RankLib gives (tests/learn/ranklib/make_golden.py says how they were made)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from idealist.data.feature_reading import read_features
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn import load_model, save_model
from idealist.learn.feature_scaling import Normalisation
from idealist.learn.models.formats.ranklib_files import parse_ranklib, ranklib_text
from idealist.learn.models.linear import Linear
from idealist.learn.models.ranklib_models import boosted_stumps
from idealist.learn.models.single_precision import SinglePrecisionTrees, WeightedSum
from idealist.learn.models.trees import LEAF, Tree, TreeEnsemble

GOLDEN = Path(__file__).parents[1] / "learn" / "ranklib"
MODELS = sorted(path.stem for path in GOLDEN.glob("*.model"))


@pytest.fixture(scope="module")
def features() -> Features:
    return read_features(GOLDEN / "test.letor")


def ranklib_scores(name: str) -> np.ndarray:
    return np.array([float(line.split()[2]) for line in (GOLDEN / f"{name}.scores").read_text().splitlines()])


def test_every_algorithm_of_ranklib_has_a_golden_model() -> None:
    assert len(MODELS) == 10


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_ranklibs(name: str, features: Features) -> None:
    model = load_model(GOLDEN / f"{name}.model")
    assert np.abs(model.scores(features) - ranklib_scores(name)).max() <= 1e-12


@pytest.mark.parametrize("name", MODELS)
def test_a_model_written_is_read_back(name: str, features: Features, tmp_path: Path) -> None:
    """What was written this way was also given to RankLib, which found the same scores."""
    model = load_model(GOLDEN / f"{name}.model")
    save_model(model, tmp_path / "again", format="ranklib")
    text = (tmp_path / "again").read_text()
    assert text.partition("\n")[0] == (GOLDEN / f"{name}.model").read_text().partition("\n")[0]
    assert (load_model(tmp_path / "again").scores(features) == model.scores(features)).all()


def test_trees_are_added_up_in_single_precision() -> None:
    # In float32, 1e8 + 1 is 1e8: RankLib loses the second tree, and so do we.
    model = SinglePrecisionTrees([Tree.leaf(1e8), Tree.leaf(1.0)], names=[], weights=[1, 1])
    assert model.score([[]]).tolist() == [1e8]
    assert parse_ranklib(ranklib_text(model)).score(np.empty((1, 0)), np.array([1])).tolist() == [1e8]


def test_features_are_compared_in_single_precision_and_missing_ones_are_zero() -> None:
    text = (
        '## LambdaMART\n\n<ensemble><tree id="1" weight="1.0"><split><feature> 3 </feature><threshold> 0.1 </threshold>'
        '<split pos="left"><output> -1 </output></split><split pos="right"><output> 2 </output></split></split></tree></ensemble>\n'
    )
    model = parse_ranklib(text)
    assert model.names == ("3",)
    # 0.1 and the double just above it are one float32, which is the threshold.
    scores = model.score(np.array([[0.1], [np.nextafter(0.1, 1)], [0.1001], [np.nan]]), np.array([4]))
    assert scores.tolist() == [-1, -1, 2, -1]


def test_weights_of_a_feature_chosen_twice_add_up() -> None:
    model = parse_ranklib("## AdaRank\n## Iteration = 3\n2:0.5 7:1.0 2:0.25")
    assert isinstance(model, WeightedSum)
    assert dict(zip(model.names, model.weights, strict=True)) == {"2": 0.75, "7": 1.0}


def test_adarank_names_the_features_that_it_chose() -> None:
    model = Linear(["1", "2", "3"], [0.0, 0.5, 0.0])
    assert ranklib_text(model, "AdaRank") == "## AdaRank\n2:0.5\n"
    assert ranklib_text(model, "Coordinate Ascent") == "## Coordinate Ascent\n1:0.0 2:0.5 3:0.0\n"
    assert ranklib_text(Linear(["1", "2"], [0.0, 0.0]), "AdaRank") == "## AdaRank\n1:0.0\n"


def test_the_constant_of_linear_regression() -> None:
    model = parse_ranklib("## Linear Regression\n## Lambda = 1.0E-10\n0:10.0 1:2.0 2:-1.0")
    assert model.score(np.array([[1.0, 3.0]]), np.array([1])).tolist() == [10 + 2 - 3]


def test_global_normalisation_goes_into_the_weights() -> None:
    matrix, sizes = np.array([[1.0, 10.0], [3.0, 30.0], [2.0, 0.0]]), np.array([3])
    normalisation = Normalisation("global-min-max").fit(matrix, sizes)
    model = Linear(["1", "2"], [2.0, 0.5], normalisation=normalisation)
    # (x − 1)/(3 − 1) · 2 + (y − 0)/(30 − 0) · 0.5
    text = ranklib_text(model)
    assert text.startswith("## Linear Regression\n")
    read = parse_ranklib(text)
    assert read.score(matrix, sizes) == pytest.approx([0 + 0.5 / 3, 2 + 0.5, 1 + 0])
    assert read.score(matrix, sizes) == pytest.approx(model.score(matrix, sizes))


def test_normalisation_by_query_has_no_place_in_a_file_of_ranklib(tmp_path: Path) -> None:
    model = Linear(["1"], [1.0], normalisation="z-score")
    with pytest.raises(InputError, match="by query") as caught:
        save_model(model, tmp_path / "model", format="ranklib")
    assert "global-z-score" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_offset_is_a_tree_of_one_leaf() -> None:
    stump = Tree(
        features=[1, LEAF, LEAF], thresholds=[0.5, 0, 0], left=[1, 0, 0], right=[2, 0, 0], values=[0, -1, 1]
    )
    model = TreeEnsemble([stump], names=["4", "9"], weights=[0.5], offset=3.0)
    read = parse_ranklib(ranklib_text(model))
    assert read.names == ("9",)
    assert read.score(np.array([[0.5], [0.6]]), np.array([2])).tolist() == [3 - 0.5, 3 + 0.5]


def test_boosted_stumps_as_trees_score_the_same() -> None:
    model = boosted_stumps([("1", 0.5, 2.0), ("2", 3.0, 1.0)])
    matrix, sizes = np.array([[0.5, 4.0], [0.6, 3.0], [1.0, 5.0]]), np.array([3])
    as_trees = parse_ranklib(ranklib_text(model, "LambdaMART"))
    assert as_trees.score(matrix, sizes).tolist() == model.score(matrix, sizes).tolist() == [1.0, 2.0, 3.0]


BAD = {
    "hello\n1:2": "names no algorithm",
    "## SVMrank\n1:2": "names no algorithm",
    "## LambdaMART\n## No. of trees = 3\n": "nothing of a LambdaMART model follows",
    '## MART\n\n<ensemble><tree id="1" weight="0.1"><split>': "cannot be read",
    "## MART\n\n<ensemble></ensemble>": "no <tree>",
    '## MART\n<ensemble><tree id="7" weight="x"><split><output>1</output></split></tree></ensemble>': "the weight of tree 7 is 'x'",
    '## MART\n<ensemble><tree id="7" weight="1"><split><feature>0</feature></split></tree></ensemble>': "tree 7 lacks",
    '## MART\n<!DOCTYPE a [<!ENTITY b "c">]><ensemble></ensemble>': "declarations",
    "## Coordinate Ascent\n1:0.5 2": "'2' is not feature:weight",
    "## Coordinate Ascent\n1:0.5 2:0.": None,
    "## Coordinate Ascent\n1:0.5 2:abc": "the weight of feature 2 is 'abc'",
    "## Coordinate Ascent\n1:0.5 0:1": "a feature is called '0'",
    "## AdaRank\n1:nan": "not a number",
    "## RankBoost\n1:0.5:0.2 1:0.5": "is not feature:threshold:weight",
    "## RankNet\n1 2\n1\n2\n0 0 1 1\n0 1 1 1\n0 2 1 1 1\n1 0 1\n": "is incomplete",
    "## ListNet\n1 2\n0\n0 0 1\n0 1 1 1\n0 2 1": "is incomplete",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_not_a_model_is_refused(text: str, tmp_path: Path) -> None:
    if BAD[text] is None:
        parse_ranklib(text)
        return
    with pytest.raises(InputError, match=str(BAD[text])):
        parse_ranklib(text)
    (tmp_path / "model").write_text(text)
    with pytest.raises(InputError, match="model"):  # which names the file
        load_model(tmp_path / "model", format="ranklib")


@pytest.mark.parametrize("name", MODELS)
def test_a_file_cut_short_is_refused_or_is_another_model(name: str) -> None:
    """Wherever it ends: an error of ours, or what could be a model (a list of weights has no end mark)."""
    text = (GOLDEN / f"{name}.model").read_text()
    for end in range(0, len(text), max(1, len(text) // 40)):
        try:
            parse_ranklib(text[:end])
        except InputError:
            continue
        assert "<ensemble>" not in text[:end]


def test_data_without_a_feature_of_the_model(features: Features) -> None:
    model = parse_ranklib("## Coordinate Ascent\n1:0.5 46:1.0")
    with pytest.raises(InputError, match="feature '46'"):
        model.scores(features)


def test_names_that_are_not_numbers() -> None:
    with pytest.raises(InputError, match="feature 'bm25' is not a number"):
        ranklib_text(Linear(["bm25"], [1.0]))
