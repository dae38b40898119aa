"""idealist train and rank with PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command

from idealist import evaluate, read_run
from idealist.data import read_features
from idealist.learn import load_model


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = []
    for query in range(10):
        for _ in range(5):
            grade = int(rng.integers(0, 3))
            lines.append(f"{grade} qid:{query} 1:{grade + 0.3 * rng.normal():.3f} 2:{rng.normal():.3f}\n")
    path = tmp_path / "rows.txt"
    path.write_text("".join(lines))
    return path


def test_a_neural_model_and_its_checkpoint(idealist: Command, rows: Path, tmp_path: Path) -> None:
    settings = ("--model", "mlp", "--loss", "lambda-rank", "--set", "hidden=4", "-m", "nDCG@3")
    short = ("--set", "epochs=2", "--checkpoint", tmp_path / "fit")
    done = idealist("train", rows, *settings, *short, "-o", tmp_path / "short.safetensors")
    assert done.returncode == 0, done.stderr
    resumed = ("--set", "epochs=4", "--checkpoint", tmp_path / "fit")
    done = idealist("train", rows, *settings, *resumed, "-o", tmp_path / "resumed.safetensors")
    assert done.returncode == 0, done.stderr
    done = idealist("train", rows, *settings, "--set", "epochs=4", "-o", tmp_path / "whole.safetensors")
    assert done.returncode == 0, done.stderr
    features = read_features(rows)
    scores = [load_model(tmp_path / f"{name}.safetensors").scores(features) for name in ("resumed", "whole")]
    assert scores[0].tolist() == scores[1].tolist()
    done = idealist("rank", tmp_path / "whole.safetensors", rows, "-o", tmp_path / "whole.run")
    assert done.returncode == 0, done.stderr
    ranked = evaluate(features.judgments(), read_run(tmp_path / "whole.run"), "nDCG@3")
    assert ranked.mean("nDCG@3") == load_model(tmp_path / "whole.safetensors").training["value"]


def test_a_linear_model_is_the_default(idealist: Command, rows: Path, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        done = idealist("train", rows, "--set", "epochs=3", "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    done = idealist("train", rows, "--set", "epochs=3", "--loss", "hinge", "-o", tmp_path / "c.json")
    assert done.returncode == 2
    assert "there is no loss 'hinge'" in done.stderr
    assert not (tmp_path / "c.json").exists()


def test_a_model_is_trained_for_the_measure_that_is_named(
    idealist: Command, rows: Path, tmp_path: Path
) -> None:
    files = []
    for at, loss in enumerate(([], ["--loss", "soft"], ["--loss", "lambda-rank"])):
        files.append(tmp_path / f"{at}.json")
        done = idealist("train", rows, "-m", "AP", "--set", "epochs=3", *loss, "-o", files[-1])
        assert done.returncode == 0, done.stderr
    weights = [load_model(file).scores(read_features(rows)).tolist() for file in files]
    assert weights[0] == weights[1] != weights[2]
    done = idealist("train", rows, "-m", "P", "-o", tmp_path / "none.json")
    assert done.returncode == 2
    assert "P has no soft form: its value does not move with the scores" in done.stderr
