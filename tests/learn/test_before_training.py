"""What is said before training starts: formats that cannot hold a model, parameters out of range, data that teaches
nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import idealist as il
from idealist.errors import InputError
from idealist.learn import load_model, save_model, train
from idealist.learn.model_training import check_export
from idealist.learn.models.model_storage import format_of_file
from idealist.learn.trainers.trainer import Trainer

RNG = np.random.default_rng(0)
FEATURES = il.data.Features(RNG.normal(size=(60, 3)), sizes=[10] * 6, grades=RNG.integers(0, 3, 60))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.txt"
    grades = FEATURES.grades
    assert grades is not None
    lines = [
        f"{grades[row]:g} qid:{row // 10} 1:{cells[0]:.3f} 2:{cells[1]:.3f} 3:{cells[2]:.3f}\n"
        for row, cells in enumerate(FEATURES.matrix)
    ]
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("name", Trainer.names())
def test_what_is_rehearsed_is_what_is_written(name: str, tmp_path: Path) -> None:
    """A format takes the small model of a trainer if, and only if, it takes the real one."""
    quick = {
        field: 2 for field in ("epochs", "rounds", "trees", "bags") if field in Trainer.parse(name).fields
    }
    trainer = Trainer.parse(name, **quick)
    model = train(trainer, FEATURES, measure="nDCG@5")
    for form in ("json", "safetensors", "onnx", "ranklib", "solr"):
        how: dict[str, Any] = {"measure": "nDCG@5", "conventions": il.conventions.DEFAULT, "format": form}
        try:
            check_export(trainer, FEATURES, tmp_path / "model", **how)
        except InputError as error:
            with pytest.raises(InputError) as real:
                save_model(model, tmp_path / "model", format=form)
            assert str(real.value) == str(error)
        else:
            if form != "onnx":  # whose export takes seconds
                save_model(model, tmp_path / f"model.{form}", format=form)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.solr.json", "a neural model cannot be written as a model for Solr's learning to rank"),
        ("model.txt", "the ending '.txt' names no format of models"),
    ],
)
def test_a_file_that_cannot_hold_the_model(
    idealist: Command, rows: Path, tmp_path: Path, name: str, message: str
) -> None:
    """With so many epochs the command would run for hours if it trained first."""
    done = idealist("train", rows, "--model", "mlp", "--set", "epochs=100000000", "-o", tmp_path / name)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / name).exists()


def test_normalisation_by_query_cannot_go_to_an_engine(idealist: Command, rows: Path, tmp_path: Path) -> None:
    how = ("--set", "epochs=100000000", "-o", tmp_path / "model.solr.json")
    done = idealist("train", rows, "--model", "linear", *how)
    assert done.returncode == 2
    assert "this model normalises features by query" in done.stderr


def test_endings_and_their_formats(tmp_path: Path) -> None:
    model = il.learn.Linear(["a"], [1.0], normalisation="none")
    for name, kind in (("m.solr.json", "solr"), ("m.opensearch.json", "elasticsearch"), ("m.json", "json")):
        save_model(model, tmp_path / name)
        form = format_of_file(tmp_path / name)
        assert form is not None
        assert form.name == kind
    save_model(model, tmp_path / "plain")
    assert load_model(tmp_path / "plain").names == ("a",)
    with pytest.raises(InputError, match=r"endings: \.json, \.safetensors"):
        save_model(model, tmp_path / "m.bin")


def test_the_command_says_which_format(idealist: Command, rows: Path, tmp_path: Path) -> None:
    done = idealist("train", rows, "--model", "ascent", "-o", tmp_path / "model")
    assert "written as json" in done.stderr


def test_ranklib_looks_before_it_trains(idealist: Command, rows: Path, tmp_path: Path) -> None:
    place = tmp_path / "new" / "model.txt"
    done = idealist("ranklib", "-silent", "-train", rows, "-ranker", "9", "-save", place)
    assert done.returncode == 0, done.stderr
    assert f"note: the folder {tmp_path / 'new'} was made" in done.stderr
    assert place.exists()


@pytest.mark.parametrize(
    ("library", "wrong", "right"),
    [
        ("lightgbm", "lambda_l3", "lambda_l2"),
        ("xgboost", "max_dept", "max_depth"),
        ("catboost", "l2_leaf_rag", "l2_leaf_reg"),
    ],
)
def test_options_that_a_library_does_not_know(library: str, wrong: str, right: str) -> None:
    with pytest.raises(
        InputError, match=f"{library}: options: .* no parameter '{wrong}'\nhint: did you mean '{right}'"
    ):
        train(library, FEATURES, rounds=2, options={wrong: 1})
    assert train(library, FEATURES, rounds=2, options={right: 1}).training["iterations"]["used"] == 2


@pytest.mark.parametrize("alias", ["reg_lambda", "lambda_l2", "lambda"])
def test_options_by_their_other_names(alias: str) -> None:
    assert train("lightgbm", FEATURES, rounds=2, options={alias: 1}).training["iterations"]["used"] == 2


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("catboost", {"depth": 0}, "catboost: depth must be 1 to 16, not 0"),
        ("xgboost", {"depth": 99}, "xgboost: depth must be 1 to 30, not 99"),
        ("lightgbm", {"leaves": 1}, "lightgbm: leaves must be 2 to 131,072, not 1"),
        *((name, {"learning_rate": 1e300}, "learning_rate must be above 0 and at most 1, not 1e\\+300")
          for name in ("lightgbm", "xgboost", "catboost")),
        ("linear", {"learning_rate": 1e300}, "learning_rate must be above 0 and at most 100, not 1e\\+300"),
        ("mlp", {"weight_decay": -1}, "weight_decay must be 0 to 1,000, not -1"),
        ("attention", {"heads": 0}, "heads must be 1 or more, not 0"),
    ],
)  # fmt: skip
def test_parameters_out_of_range(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trainer.parse(name, **parameters)


def test_lightgbm_says_it_once(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        InputError, match=r"LightGBM cannot train: Check failed: \(bagging_fraction\) <= \(1.0\)\nhint"
    ):
        train("lightgbm", FEATURES, rounds=2, options="bagging_fraction=7")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["linear", "ascent", "lightgbm", "regression"])
def test_nothing_to_learn_is_noted(name: str) -> None:
    flat = il.data.Features(FEATURES.matrix, sizes=FEATURES.sizes, grades=np.repeat([0, 1, 2], 20))
    (note,) = train(name, flat).training["notes"]
    assert "the same grade, in every training query" in note
    assert "notes" not in train(name, FEATURES).training


def test_notes_of_the_command(idealist: Command, rows: Path, tmp_path: Path) -> None:
    rows.write_text("".join(f"1{line[1:]}\n" for line in rows.read_text().splitlines()))
    done = idealist("train", rows, "--model", "ascent", "-o", tmp_path / "model.json")
    assert "note: all documents of a query have the same grade" in done.stderr
    done = idealist("ranklib", "-silent", "-train", rows, "-ranker", "4", "-metric2t", "NDCG@10")
    assert "note: all documents of a query have the same grade" in done.stderr
    assert "note: all documents" in idealist("model", "show", tmp_path / "model.json").stdout


def test_a_grade_without_a_gain_is_named_before_training() -> None:
    grades = [0.0] * 59 + [7.0]
    features = il.data.Features(FEATURES.matrix, sizes=FEATURES.sizes, grades=grades, source="rows.txt")
    for name in ("linear", "ascent", "lightgbm"):
        with pytest.raises(InputError, match=r"rows.txt: query '5', document '59': the grade is 7, which"):
            train(name, features, measure="nDCG(gain={0:0,1:1,2:3})")
    with pytest.raises(
        InputError, match="query '5', document '59': the grade is 2000, too high for gain=exp"
    ):
        train(
            "linear",
            il.data.Features([[0.0]] * 60, sizes=[10] * 6, grades=[0] * 59 + [2000]),
            measure="nDCG(gain=exp)",
        )


@pytest.mark.parametrize("name", ["linear", "ascent", "regression", "ranknet"])
def test_missing_features_are_named_by_query_and_document(name: str) -> None:
    cells = FEATURES.matrix.copy()
    cells[25, 1] = np.nan
    features = il.data.Features(cells, sizes=FEATURES.sizes, grades=FEATURES.grades, source="rows.csv")
    message = r"rows\.csv: query '2', document '25': feature '2' is nan, and only models of trees take that"
    with pytest.raises(InputError, match=message):
        train(name, features)
    if name == "linear":
        with pytest.raises(InputError, match=message):
            train(name, FEATURES, epochs=1).scores(features)


@pytest.mark.parametrize("name", ["rankboost", "lambdamart"])
def test_features_beyond_single_precision(name: str) -> None:
    cells = FEATURES.matrix.copy()
    cells[3, 0] = 1e300
    features = il.data.Features(cells, sizes=FEATURES.sizes, grades=FEATURES.grades)
    with pytest.raises(
        InputError, match=r"query '0': feature '1' of document '3' is 1e\+300, .* single precision"
    ):
        train(name, features)


@pytest.mark.parametrize("name", Trainer.names())
def test_constant_features_teach_nothing(name: str) -> None:
    constant = il.data.Features(
        np.ones((60, 3)), sizes=FEATURES.sizes, grades=FEATURES.grades, source="rows.txt"
    )
    with pytest.raises(InputError, match=r"rows\.txt: every feature is constant: there is nothing to learn"):
        train(name, constant)
