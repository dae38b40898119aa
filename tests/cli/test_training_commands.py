"""idealist train, rank, cross-validate and features, with what needs no PyTorch."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

from idealist import evaluate, read_judgments, read_run
from idealist.data import read_features


def write_letor(path: Path, first: int, queries: int, seed: int) -> Path:
    """Documents whose grade follows feature 1; 2 is noise and 3 never changes."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(first, first + queries):
        for document in range(6):
            grade = int(rng.integers(0, 3))
            features = (grade + 0.5 * rng.normal(), rng.normal(), 1)
            cells = " ".join(f"{number}:{value:.4f}" for number, value in enumerate(features, 1))
            lines.append(f"{grade} qid:{query} {cells} #docid = d{document}\n")
    path.write_text("".join(lines))
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return {
        "train": write_letor(tmp_path / "train.txt", 0, 12, 0),
        "validate": write_letor(tmp_path / "validate.txt", 100, 6, 1),
        "test": write_letor(tmp_path / "test.txt", 200, 6, 2),
    }


QUICK = ("--model", "ascent", "--set", "restarts=1", "-m", "nDCG@3")


def test_from_features_to_a_run_that_is_measured(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    model, run = tmp_path / "model.json", tmp_path / "model.run"
    done = idealist("train", files["train"], "--validate", files["validate"], *QUICK, "-o", model)
    assert done.returncode == 0, done.stderr
    assert re.search(r"model.json: ascent, 3 features, pass \d+ of [^:]*, nDCG@3 0\.", done.stderr)
    assert "note: 1 feature is constant in the training data, and of no use: 3" in done.stderr
    done = idealist("rank", model, files["test"], "-o", run)
    assert done.returncode == 0, done.stderr
    assert "model: 6 queries, 36 documents" in done.stderr
    judgments = read_judgments(files["test"])
    value = evaluate(judgments, read_run(run), "nDCG@3").mean("nDCG@3")
    by_noise = read_features(files["test"]).matrix[:, 1]
    assert value > 0.8
    assert value > evaluate(judgments, read_features(files["test"]).run(by_noise), "nDCG@3").mean("nDCG@3")
    assert idealist("rank", model, files["test"]).stdout == run.read_text()


def test_the_same_command_twice_gives_the_same_files(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    for name in ("a.json", "b.json"):
        done = idealist("train", files["train"], *QUICK, "--seed", 5, "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json.toml").read_bytes() == (tmp_path / "b.json.toml").read_bytes()


def test_settings_beside_the_model_make_it_again(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    first = (*QUICK, "--gain", "exp", "--ties", "averaged", "--seed", 3, "--features", "2,1")
    assert idealist("train", files["train"], *first, "-o", tmp_path / "a.json").returncode == 0
    settings = tomllib.loads((tmp_path / "a.json.toml").read_text())
    assert settings["measure"] == "nDCG(gain=exp)@3"
    assert settings["conventions"] == "ties=averaged"
    assert settings["features"] == ["2", "1"]
    assert settings["parameters"]["restarts"] == 1
    again = idealist(
        "train", files["train"], "--settings", tmp_path / "a.json.toml", "-o", tmp_path / "b.json"
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_a_bag(idealist: Command, files: dict[str, Path], tmp_path: Path) -> None:
    done = idealist("train", files["train"], *QUICK, "--bag", 2, "-o", tmp_path / "bag.json")
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "bag.json").read_text())
    assert (record["kind"], len(record["models"])) == ("bag", 2)
    assert idealist("rank", tmp_path / "bag.json", files["test"]).returncode == 0


def test_cross_validation_compares_models(idealist: Command, files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "quick.toml").write_text('model = "ascent"\n[parameters]\nrestarts = 1\npasses = 1\n')
    parts = [write_letor(tmp_path / f"S{number}.txt", 10 * number, 6, number) for number in range(4)]
    models = ("--model", "ascent", "--model", tmp_path / "quick.toml", "-m", "nDCG@3", "--report", "RR")
    done = idealist("cross-validate", *parts, *models, "-o", tmp_path / "{model}.run")
    assert done.returncode == 0, done.stderr
    assert "quick" in done.stdout
    assert "p (Holm)" in done.stdout
    assert sorted(read_run(tmp_path / "quick.run")) == sorted(
        str(10 * number + query) for number in range(4) for query in range(6)
    )
    done = idealist("cross-validate", *parts, *models, "--set", "hidden=4")
    assert done.returncode == 2
    assert "none of the models has a parameter 'hidden'" in done.stderr
    done = idealist("cross-validate", files["train"], "--folds", 3, *QUICK, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_features_by_themselves_and_to_a_model(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    done = idealist("features", files["test"], "-m", "nDCG@3", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows[0][:4] == ["feature", "min", "mean", "max"]
    assert [row[0] for row in rows[1:]] == ["1", "2", "3"]
    assert rows[3][5:8] == ["1", "0", "100 %"]
    model = tmp_path / "model.json"
    assert idealist("train", files["train"], *QUICK, "-o", model).returncode == 0
    done = idealist("features", files["test"], "--model", model, "-m", "nDCG@3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("1 ")
    assert "95 % interval" in done.stdout
    assert idealist("features", files["test"], "--model", model, "--select", 1).stdout == "1\n"
    assert idealist("features", files["test"], "--model", model, "--select", 0).stdout == "1\n"


def test_tables_with_names(idealist: Command, tmp_path: Path) -> None:
    rows = read_features(write_letor(tmp_path / "rows.txt", 0, 8, 3))
    lines = ["uid,sku,bought,bm25,age"]
    assert rows.grades is not None
    queries = np.repeat(rows.queries, rows.sizes)
    for query, document, grade, cells in zip(queries, rows.documents, rows.grades, rows.matrix, strict=True):
        lines.append(f"{query},{document},{grade},{cells[0]},")
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    names = ("--columns", "query=uid,document=sku,grade=bought")
    done = idealist("train", tmp_path / "rows.csv", *names, *QUICK, "-o", tmp_path / "model.json")
    assert done.returncode == 2
    assert "rows.csv, line 2: age is empty" in done.stderr
    done = idealist(
        "train", tmp_path / "rows.csv", *names, *QUICK, "--fill", "0", "-o", tmp_path / "model.json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "model.json").read_text())["features"] == ["bm25", "age"]
    assert not list(tmp_path.glob(".idealist-*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "forest"), "there is no trainer 'forest'"),
        (("--model", "ascent", "--set", "depth=3"), "ascent has no parameter 'depth'"),
        (("--model", "ascent", "--set", "restarts"), "--set 'restarts' is not NAME=VALUE"),
        (("--model", "ascent", "--fill", "mean"), "--fill 'mean' is neither a number nor keep"),
        (("--model", "ascent", "-m", "NumRet"), "no value of NumRet is better"),
        (("--model", "ascent", "--features", "9"), "there is no feature '9'"),
        (("--model", "ascent", "--bag", "0"), "bag must be a whole number, 1 or more, not 0"),
        (("--model", "ascent", "--checkpoint", "x"), "ascent has no checkpoints"),
        (("--model", "ascent", "--settings", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)
def test_what_cannot_be_trained(
    idealist: Command, files: dict[str, Path], tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = idealist("train", files["train"], *arguments, "-o", tmp_path / "model.json")
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "model.json").exists()
    assert not (tmp_path / "model.json.toml").exists()


def test_files_are_not_replaced_by_accident(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "model.json").write_text("mine")
    done = idealist("train", files["train"], *QUICK, "-o", tmp_path / "model.json")
    assert done.returncode == 2
    assert (tmp_path / "model.json").read_text() == "mine"
    done = idealist("train", files["train"], *QUICK, "-o", files["train"], "--force")
    assert done.returncode == 2
    assert "one of the inputs" in done.stderr


def test_queries_that_are_trained_and_validated_on(
    idealist: Command, files: dict[str, Path], tmp_path: Path
) -> None:
    done = idealist(
        "train", files["train"], "--validate", files["train"], *QUICK, "-o", tmp_path / "model.json"
    )
    assert done.returncode == 2
    assert "query '0' is both trained on and validated on (and 11 more)" in done.stderr


def test_files_without_ids_of_queries(idealist: Command, files: dict[str, Path], tmp_path: Path) -> None:
    """As LightGBM's own example has them: a query of one file has nothing to do with that number in another."""
    for name in ("train", "validate"):
        rows = files[name].read_text().splitlines()
        plain = tmp_path / f"{name}.svm"
        plain.write_text("".join(f"{row.split()[0]} {' '.join(row.split()[2:5])}\n" for row in rows))
        (tmp_path / f"{name}.svm.query").write_text("6\n" * (len(rows) // 6))
    model = tmp_path / "model.json"
    train, validate = tmp_path / "train.svm", tmp_path / "validate.svm"
    done = idealist("train", train, "--validate", validate, *QUICK, "-o", model)
    assert done.returncode == 0, done.stderr
    with_ids = idealist(
        "train", files["train"], "--validate", files["validate"], *QUICK, "-o", tmp_path / "ids.json"
    )
    assert with_ids.returncode == 0, with_ids.stderr
    assert (
        json.loads(model.read_text())["weights"] == json.loads((tmp_path / "ids.json").read_text())["weights"]
    )
    done = idealist("train", train, "--validate", train, *QUICK, "-o", tmp_path / "same.json")
    assert done.returncode == 2
    assert "train.svm: the file is both trained on and validated on" in done.stderr
    done = idealist("train", train, validate, *QUICK, "-o", tmp_path / "two.json")
    assert done.returncode == 2
    assert "query '1' is in " in done.stderr
    assert "give them ids (in LETOR, qid:)" in done.stderr


def test_a_run_is_written_best_first(idealist: Command, files: dict[str, Path], tmp_path: Path) -> None:
    assert idealist("train", files["train"], *QUICK, "-o", tmp_path / "model.json").returncode == 0
    lines = idealist("rank", tmp_path / "model.json", files["test"]).stdout.splitlines()
    assert [int(line.split()[3]) for line in lines] == [1, 2, 3, 4, 5, 6] * 6
    top = idealist("rank", tmp_path / "model.json", files["test"], "--depth", 2).stdout.splitlines()
    assert top == [line for line in lines if int(line.split()[3]) <= 2]


def test_a_model_of_other_features(idealist: Command, files: dict[str, Path], tmp_path: Path) -> None:
    assert idealist("train", files["train"], *QUICK, "-o", tmp_path / "model.json").returncode == 0
    (tmp_path / "other.txt").write_text("1 qid:1 1:2\n0 qid:1 1:3\n")
    done = idealist("rank", tmp_path / "model.json", tmp_path / "other.txt")
    assert done.returncode == 2
    assert "other.txt: there is no feature '2' (and 1 more)" in done.stderr
    assert "is it data of other features" in done.stderr
    assert done.stdout == ""


def test_a_file_that_is_no_model(idealist: Command, files: dict[str, Path]) -> None:
    done = idealist("rank", files["train"], files["test"])
    assert done.returncode == 2
    assert "train.txt: these are features, not a model" in done.stderr
