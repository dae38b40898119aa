"""Messages of the commands of learning: which file, which table and key, what was expected and what was given."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from idealist.cli import main
from idealist.errors import InputError
from idealist.learn.model_training import read_settings

ROWS = "".join(
    f"{grade} qid:{query} 1:{grade}.{query} 2:0.{query}{grade}\n" for query in range(4) for grade in range(3)
)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return path


@pytest.fixture
def model(idealist: Command, rows: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    done = idealist("train", rows, "--model", "ascent", "--set", "restarts=1", "-o", path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('seed = "3"', "seed must be a whole number, not a string: '3'\nhint: for example seed = 0"),
        ("bag = 1.5", "bag must be a whole number, not a number: 1.5"),
        ("model = 3", "model must be a string, not a whole number: 3"),
        ("fill = true", "fill must be a number or 'keep', not true or false"),
        ("features = [1, 2]", "features must be a list of strings, not one with a whole number"),
        ("parameters = 3", r"parameters must be a table, not a whole number: 3\nhint: for example \[parameters\]"),
        ("modle = 'linear'", "there is no setting 'modle'\nhint: did you mean 'model'"),
        ("[parameters]\nepochs = 2020-01-01", r"\[parameters\]: epochs must be a number, a string, a list, .* not a date"),
        ("model = 'linear", "this is not TOML: Expected"),
    ],
)  # fmt: skip
def test_settings(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"settings.toml: {message}"):
        read_settings(str(path))


def test_settings_of_a_trainer_name_their_file(idealist: Command, rows: Path, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('model = "ascent"\n[parameters]\nrestarts = "many"\n')
    done = idealist("train", rows, "--settings", path, "-o", tmp_path / "model.json")
    assert f"{path}: [parameters] or options: ascent: restarts must be a number, not 'many'" in done.stderr
    done = idealist("train", rows, "--settings", tmp_path / "none.toml", "-o", tmp_path / "model.json")
    assert "none.toml: cannot be read: No such file" in done.stderr


def test_models_and_features_in_each_others_place(idealist: Command, rows: Path, model: Path) -> None:
    for arguments in (("features", model), ("rank", model, model), ("train", model, "-o", "x.json")):
        done = idealist(*arguments)
        assert done.returncode == 2
        assert "this is a model of Idealist in JSON, not features" in done.stderr
    done = idealist("rank", rows, rows)
    assert done.returncode == 2
    assert "rows.txt: these are features, not a model" in done.stderr


def test_selections_and_folders(idealist: Command, rows: Path, model: Path, tmp_path: Path) -> None:
    done = idealist("features", rows, "--model", model, "--select", "-1")
    assert "--select must be 0 or more, not -1\nhint: the number of features" in done.stderr
    done = idealist("features", rows, "--select", "1")
    assert "--select goes by what features are worth to a model\nhint: name one with --model" in done.stderr
    done = idealist("train", rows, "-o", tmp_path)
    assert f"{tmp_path} is a folder\nhint: name a file in it" in done.stderr


def test_epochs_are_shown_as_a_table(idealist: Command, rows: Path, tmp_path: Path) -> None:
    path = tmp_path / "linear.json"
    done = idealist("train", rows, "--set", "epochs=40", "--set", "patience=0", "-o", path)
    assert done.returncode == 0, done.stderr
    lines = idealist("model", "show", path).stdout.splitlines()
    assert max(map(len, lines)) < 200
    (title,) = [
        number for number, line in enumerate(lines) if line.startswith("epoch ") and "nDCG@10" in line
    ]
    assert lines[title + 1].split()[:2] == ["1", "first,"] or lines[title + 1].split()[:2] == ["1", "first"]
    assert any(line.split()[:2] == ["40", "last"] for line in lines[title:])


def test_a_folder_that_is_not_there_is_named_before_training(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("idealist.learn.model_training.train", lambda *_, **__: pytest.fail("it was trained"))
    assert main(["train", str(rows), "--model", "ascent", "-o", str(tmp_path / "no" / "model.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "ascent", "--seed", "-1"], "the seed must be a whole number, 0 or more, not -1"),
        (["--model", "mlp", "--set", "hidden=0"], "hidden layers must be 1 or more"),
        (["--loss", "soft(temperature=low)"], "temperature must be a number, not 'low'"),
    ],
)
def test_parameters_that_cannot_be_right(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["train", str(rows), *arguments, "-o", str(tmp_path / "model.safetensors")]) == 2
    assert message in capsys.readouterr().err
