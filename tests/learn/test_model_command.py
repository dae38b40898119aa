"""`idealist model`: show and convert."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from conftest import Command

from idealist.data.feature_reading import read_features
from idealist.learn import load_model
from idealist.learn.models.trees import TreeEnsemble

GOLDEN = Path(__file__).parent / "ranklib"


def test_show(idealist: Command) -> None:
    done = idealist("model", "show", GOLDEN / "coordinate.model")
    assert done.returncode == 0
    assert done.stdout.startswith("WeightedSum: 6 features\n\nfeature  weight\n")
    csv = idealist("model", "show", GOLDEN / "lambdamart.model", "--format", "csv").stdout.splitlines()
    model = load_model(GOLDEN / "lambdamart.model")
    assert isinstance(model, TreeEnsemble)
    splits = sum(int((tree.features >= 0).sum()) for tree in model.trees)
    assert csv[0] == "feature,splits"
    assert sum(int(line.split(",")[1]) for line in csv[1:]) == splits


def test_convert_for_an_engine(idealist: Command, tmp_path: Path) -> None:
    target = tmp_path / "model.json"
    done = idealist(
        "model", "convert", GOLDEN / "lambdamart.model", target, "--to", "solr", "--name", "movies"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(target.read_text())["name"] == "movies"
    again = idealist("model", "convert", GOLDEN / "mart.model", target, "--to", "solr")
    assert (again.returncode, "--force" in again.stderr) == (2, True)
    back = idealist("model", "convert", target, tmp_path / "back.txt", "--to", "ranklib")
    assert back.returncode == 0, back.stderr
    features = read_features(GOLDEN / "test.letor", fill=0)
    first, last = (
        load_model(path).scores(features) for path in (GOLDEN / "lambdamart.model", tmp_path / "back.txt")
    )
    assert np.abs(first - last).max() <= 1e-6


def test_what_cannot_be_converted(idealist: Command, tmp_path: Path) -> None:
    for arguments, message in (
        ((GOLDEN / "ranknet.model", tmp_path / "a", "--to", "solr"), "a network model cannot be written as"),
        ((GOLDEN / "mart.model", tmp_path / "a", "--to", "ranklib", "--store", "x"), "has no option 'store'"),
        ((GOLDEN / "reported", tmp_path / "a", "--to", "solr"), "not a model file of a known format"),
        ((tmp_path / "none", tmp_path / "a"), "no such file"),
    ):
        done = idealist("model", "convert", *arguments)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert list(tmp_path.iterdir()) == []
