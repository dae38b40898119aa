"""Predictions as MTEB itself writes them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mteb
import pytest

from idealist import InputError, compare, evaluate
from idealist.integrations.mteb import read_predictions

PREDICTED = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d1": 0.3, "d3": 0.7}}
JUDGED = {"q1": {"d2": 1}, "q2": {"d3": 1}}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a task of MTEB saves for two splits of one subset, and another subset."""
    folder = tmp_path_factory.mktemp("predictions")
    task = mteb.get_task("NFCorpus")
    model: Any = SimpleNamespace(mteb_model_meta=SimpleNamespace(name="org/model", revision="1"))
    task._save_task_predictions(PREDICTED, model, folder, "test", "default")
    return folder / str(task.prediction_file_name)


def test_predictions_are_a_run(saved: Path) -> None:
    run = read_predictions(saved)
    assert run.name == "org/model"
    assert run.to_dict() == PREDICTED
    assert evaluate(JUDGED, run, "RR").mean("RR") == (1 / 2 + 1) / 2


def test_two_models_are_compared_with_an_interval(saved: Path) -> None:
    """20 queries, each with the relevant document at rank 1 in one run and at rank 2 in the other."""
    content = json.loads(saved.read_text())
    judged = {f"q{number}": {"a": 1} for number in range(20)}
    ranked = {"good": {"a": 2.0, "b": 1.0}, "bad": {"a": 1.0, "b": 2.0}}
    runs = []
    for name, scores in ranked.items():
        content["default"]["test"] = dict.fromkeys(judged, scores)
        path = saved.parent / f"{name}.json"
        path.write_text(json.dumps(content))
        runs.append(read_predictions(path, name=name))
    contrast = compare(judged, runs, "RR", baseline="bad")["good", "RR"]
    assert contrast.difference == 1 / 2
    assert contrast.interval is not None
    assert 0 < contrast.interval.low <= 1 / 2 <= contrast.interval.high


def test_several_splits_are_named(saved: Path, tmp_path: Path) -> None:
    content = json.loads(saved.read_text())
    content["default"]["dev"] = {"q9": {"d1": 1.0}}
    (tmp_path / "two.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="there are several splits: 'test', 'dev'") as error:
        read_predictions(tmp_path / "two.json")
    assert error.value.hint == "choose one with split="
    assert list(read_predictions(tmp_path / "two.json", split="dev", name="x")) == ["q9"]
    with pytest.raises(InputError, match="there is no subset 'en'"):
        read_predictions(tmp_path / "two.json", subset="en")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not JSON"),
        ("[]", "these are not predictions of MTEB"),
        ("{}", "these are not predictions of MTEB"),
        ('{"default": {"test": [1]}}', "these are not lists of documents with scores"),
        ('{"default": {"test": {"q": {"d": "high"}}}}', "high"),
    ],
)
def test_other_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_predictions(path)
    assert "x.json" in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_predictions(tmp_path / "none.json")
