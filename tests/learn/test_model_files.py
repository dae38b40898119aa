"""Models to files and back: whole or not at all, and nothing that is not ours."""

from __future__ import annotations

import json
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist.conventions import Conventions
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.feature_scaling import Normalisation
from idealist.learn.models.base_model import Bag
from idealist.learn.models.linear import Linear
from idealist.learn.models.model_storage import format_of_file, load_model, save_model
from idealist.learn.trainers.trainer import Trainer

MATRIX = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 1.0], [8.0, 2.0]])
SIZES = np.array([3, 1])


@given(weights=st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_weights_come_back_to_the_last_bit(
    weights: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("models") / "model.json"
    normalisation = Normalisation("global-z-score").fit(MATRIX, SIZES)
    save_model(Linear(["a", "b"], weights, normalisation=normalisation), file)
    again = load_model(file)
    assert isinstance(again, Linear)
    assert again.names == ("a", "b")
    assert again.weights == tuple(weights)
    assert again.normalisation == normalisation


def test_what_was_trained_how_stays_with_the_model(tmp_path: Path) -> None:
    model = Linear(["a"], [1.0])
    model.training = {"trainer": "ascent", "value": 0.25}
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").training == {"trainer": "ascent", "value": 0.25}


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_a_value_over_no_query_is_null_in_files(tmp_path: Path, name: str) -> None:
    model = Linear(["a"], [1.0])
    model.training = {"value": nan, "values": [0.5, nan]}
    for number, one in enumerate([model, Bag([model])]):
        save_model(one, tmp_path / f"{number}.{name}")
        written = (tmp_path / f"{number}.{name}").read_bytes()
        assert b"null" in written
        assert b"NaN" not in written
        again = load_model(tmp_path / f"{number}.{name}")
        member = again.models[0] if isinstance(again, Bag) else again
        assert isnan(member.training["value"])
        assert member.training["values"][0] == 0.5
        assert isnan(member.training["values"][1])


def test_a_model_that_no_query_judges_is_saved(tmp_path: Path) -> None:
    rows = Features([[1.0], [0.0]], sizes=[2], grades=[1, 0])
    nothing = Features([[1.0], [0.0]], sizes=[2], grades=[0, 0])
    model = Trainer.parse("ascent", restarts=1).fit(
        rows, nothing, measure="nDCG", conventions=Conventions(empty="skip")
    )
    assert isnan(model.training["value"])
    save_model(model, tmp_path / "model.json")
    assert isnan(load_model(tmp_path / "model.json").training["value"])


@pytest.mark.parametrize("name", ["bag.json", "bag.safetensors"])
def test_a_bag_scores_the_same_when_it_comes_back(tmp_path: Path, name: str) -> None:
    bag = Bag([Linear("ab", [1, 2], normalisation="z-score"), Linear("ab", [3, -1])])
    save_model(bag, tmp_path / name)
    again = load_model(tmp_path / name)
    assert again.score(MATRIX, SIZES).tolist() == bag.score(MATRIX, SIZES).tolist()
    found = format_of_file(tmp_path / name)
    assert found is not None
    assert found.name == name.partition(".")[2]


def test_a_bag_averages_standardised_scores() -> None:
    # Scores 1, 0 and 0, 100: standardised each is ±1, so that both models count alike and the two documents tie.
    bag = Bag([Linear("ab", [1, 0]), Linear("ab", [0, 100])])
    assert bag.score(np.eye(2), np.array([2])).tolist() == [0.0, 0.0]


def test_every_way_of_cutting_a_file_short_is_refused(tmp_path: Path) -> None:
    for name in ("model.json", "model.safetensors"):
        save_model(Bag([Linear("ab", [1, 2])]), tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for length in range(0, len(whole) - 2, 7):
            (tmp_path / "cut").write_bytes(whole[:length])
            with pytest.raises(InputError):
                load_model(tmp_path / "cut")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"tree\nversion=v4\n", "no line 'end of trees'"),
        (b'{"weights": [1]}', "not a model file of a known format"),
        (b"\x80\x04\x95", "not a model file of a known format"),  # a pickle
        (b'{"format": "idealist model", "version": 99}', "is of version 99"),
        (
            b'{"format": "idealist model", "version": 1, "kind": "forest"}',
            "there is no kind of model 'forest'",
        ),
        (b'{"format": "idealist model", "version": 1, "kind": "linear", "features": ["a"]}', "is incomplete"),
    ],
)
def test_what_is_no_model_of_ours_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "model"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        load_model(file)
    assert str(file) in str(error.value)


def test_weights_and_features_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    save_model(Linear(["a", "b"], [1, 2]), tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    record["weights"] = [1.0]
    (tmp_path / "model.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="1 weights for 2 features"):
        load_model(tmp_path / "model.json")


def test_a_model_of_other_features_is_refused() -> None:
    features = Features([[1.0], [2.0]], sizes=[2], names=["clicks"])
    with pytest.raises(InputError, match="takes feature 'bm25'"):
        Linear(["bm25"], [1.0]).rank(features)


def test_a_file_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text("mine")
    with pytest.raises(InputError, match="already"):
        save_model(Linear(["a"], [1.0]), file)
    assert file.read_text() == "mine"
    save_model(Linear(["a"], [1.0]), file, force=True)
    assert isinstance(load_model(file), Linear)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.json: there is no such file"):
        load_model(tmp_path / "nothing.json")
