"""Which round, epoch or pass a model is of, of how many: under one name for every trainer, in files and in what commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import idealist as il
from idealist.data.features import Features
from idealist.learn.models.base_model import iterations_text
from idealist.learn.trainers.trainer import Trainer

SHORT = {"rounds": 12, "epochs": 12, "trees": 12, "patience": 3, "bags": 2, "restarts": 2}
WITHOUT_ROUNDS = ("regression", "random-forest")


def features(seed: int, first: int, queries: int) -> Features:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(queries * 8, 3))
    grades = np.clip(np.round(matrix[:, 0] - 0.5 * matrix[:, 1] + rng.normal(size=len(matrix))), 0, 3)
    names = [str(first + number) for number in range(queries)]
    return Features(matrix, sizes=[8] * queries, queries=names, grades=grades)


TRAIN, HELD_OUT = features(0, 0, 20), features(1, 20, 10)


def parameters(name: str) -> dict[str, Any]:
    return {field: value for field, value in SHORT.items() if field in Trainer.named(name).fields}


@pytest.mark.parametrize("name", Trainer.names())
@pytest.mark.parametrize("validation", [None, HELD_OUT])
def test_every_trainer_with_rounds_says_which_it_took(name: str, validation: Features | None) -> None:
    model = il.learn.train(name, TRAIN, validation, measure="nDCG@3", **parameters(name))
    assert not {"round", "epoch", "epochs"} & set(model.training)
    if name in WITHOUT_ROUNDS:
        assert "iterations" not in model.training
        assert iterations_text(model.training) is None
        return
    made = model.training["iterations"]
    assert 1 <= made["used"] <= made["run"] <= made["limit"]
    assert made["limit"] == (25 if name == "ascent" else 12)
    module = Trainer.named(name).__module__.rpartition(".")[2]
    assert made["unit"] == {"linear_trainers": "pass", "neural_trainers": "epoch", "networks": "epoch"}.get(
        module, "round"
    )


@pytest.mark.parametrize("name", ["linear", "mlp", "lightgbm", "xgboost", "mart", "rankboost", "ranknet"])
def test_the_round_is_the_one_with_that_value(name: str) -> None:
    """Trained that long and no longer, the model is the same."""
    given = parameters(name)
    model = il.learn.train(name, TRAIN, HELD_OUT, measure="nDCG@3", **given)
    length = next(field for field in ("rounds", "epochs", "trees") if field in given)
    given[length] = model.training["iterations"]["used"]
    again = il.learn.train(name, TRAIN, HELD_OUT, measure="nDCG@3", **given)
    assert again.training["value"] == model.training["value"]
    assert again.scores(HELD_OUT).tolist() == model.scores(HELD_OUT).tolist()


def test_a_mean_of_restarts_is_of_no_one_pass() -> None:
    assert "iterations" not in il.learn.train("ascent", TRAIN, choice="mean", restarts=2).training


def letor(path: Path, rows: Features) -> Path:
    assert rows.grades is not None
    queries = np.repeat(rows.queries, rows.sizes)
    path.write_text(
        "".join(
            f"{grade:.0f} qid:{query} {' '.join(f'{place}:{cell}' for place, cell in enumerate(cells, 1))}\n"
            for grade, query, cells in zip(rows.grades, queries, rows.matrix.tolist(), strict=True)
        )
    )
    return path


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "linear", "adarank"])
def test_train_prints_it_and_the_model_holds_it(idealist: Command, tmp_path: Path, name: str) -> None:
    rows, held_out = letor(tmp_path / "a.txt", TRAIN), letor(tmp_path / "b.txt", HELD_OUT)
    options = [part for pair in parameters(name).items() for part in ("--set", f"{pair[0]}={pair[1]}")]
    ending = {"linear": "json", "adarank": "json"}.get(name, "safetensors")
    path = tmp_path / f"model.{ending}"
    command = ["train", rows, "--validate", held_out, "--model", name, *options, "-m", "nDCG@3", "-o", path]
    done = idealist(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    training = il.learn.load_model(path).training
    text = iterations_text(training)
    assert f"{text}, nDCG@3 {training['value']:.4f} on the validation queries" in done.stderr
    assert f"# iterations: {text}" in Path(f"{path}.toml").read_text()
    assert f"\niterations: {text}\n" in idealist("model", "show", path).stdout
    done = idealist(*command, "--format", "json", "--force")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["model"], said["format"]) == (str(path), ending)
    assert said["training"] == training


def test_each_model_of_a_bag_has_its_own(idealist: Command, tmp_path: Path) -> None:
    rows, path = letor(tmp_path / "a.txt", TRAIN), tmp_path / "bag.json"
    command = [
        "train",
        rows,
        "--bag",
        "2",
        "--set",
        "epochs=4",
        "-m",
        "nDCG@3",
        "-o",
        path,
        "--format",
        "json",
    ]
    done = idealist(*command)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "iterations" not in said["training"]
    for number, member in enumerate(said["models"], 1):
        text = f"{iterations_text(member)}, nDCG@3 {member['value']:.4f}"
        assert f"model {number} of 2: {text}\n" in done.stderr
        assert f"model {number}: {iterations_text(member)}, " in idealist("model", "show", path).stdout


def test_cross_validation_says_it_of_every_fold(idealist: Command, tmp_path: Path) -> None:
    rows = letor(tmp_path / "a.txt", TRAIN)
    done = idealist("cross-validate", rows, "--folds", "3", "--model", "adarank", "--model", "regression")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("adarank: ")]
    assert [part.split(": ")[0] for part in line.removeprefix("adarank: ").split("; ")] == [
        "fold 1",
        "fold 2",
        "fold 3",
    ]
    assert "regression" not in done.stderr


def test_ranklib_says_it_unless_it_is_silent(idealist: Command, tmp_path: Path) -> None:
    rows, held_out = letor(tmp_path / "a.txt", TRAIN), letor(tmp_path / "b.txt", HELD_OUT)
    command = ["ranklib", "-train", rows, "-validate", held_out, "-ranker", "6", "-tree", "12", "-estop", "3"]
    done = idealist(*command)
    assert done.returncode == 0, done.stderr
    assert "Model: round " in done.stdout
    assert "Model: round " not in idealist(*command, "-silent").stdout


@pytest.mark.parametrize(
    "made", [None, 3, "epoch", [], {}, {"unit": 1, "used": 1, "run": 1, "limit": 1}, {"unit": "epoch"}]
)
def test_a_file_in_which_it_is_damaged_is_refused(tmp_path: Path, made: Any) -> None:
    path = tmp_path / "model.json"
    il.learn.save_model(il.learn.train("adarank", TRAIN), path)
    record = json.loads(path.read_text())
    assert record["training"]["iterations"]["unit"] == "round"
    record["training"]["iterations"] = made
    path.write_text(json.dumps(record))
    with pytest.raises(il.InputError, match=r"this model is incomplete: (Type|Key)Error"):
        il.learn.load_model(path)
