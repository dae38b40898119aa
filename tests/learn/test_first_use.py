"""What a first user met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import idealist as il
from idealist.cli import main


def letor(rows: int = 8, queries: int = 30, seed: int = 0) -> str:
    """One feature, which is the grade but for less than a tenth: a perfect ranking has weight above 0."""
    random = np.random.default_rng(seed)
    return "".join(
        f"{grade} qid:{query} 1:{grade + random.uniform(0, 0.1):.6f}\n"
        for query in range(queries)
        for grade in random.integers(0, 4, rows)
    )


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_a_linear_model_finds_the_sign_of_one_feature(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "rows.txt"
    path.write_text(letor())
    model = il.learn.train("linear", str(path), measure="nDCG@10", seed=seed, epochs=5)
    assert model.training["value"] == 1.0


@pytest.mark.parametrize("written", ["-save", "-score", "-indri", "-idv"])
def test_ranklib_does_not_write_over_its_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    rows, model = tmp_path / "rows.txt", tmp_path / "model.txt"
    rows.write_text(letor(queries=6))
    train = ["ranklib", "-silent", "-train", str(rows), "-ranker", "9"]
    assert main([*train, "-save", str(model)]) == 0
    before = rows.read_text()
    load = ["ranklib", "-silent", "-load", str(model), "-test" if written == "-idv" else "-rank", str(rows)]
    assert main([*(train if written == "-save" else load), written, str(rows)]) == 2
    assert "one of the inputs" in capsys.readouterr().err
    assert rows.read_text() == before


def test_where_a_model_cannot_go_is_said_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text(letor(queries=6))
    monkeypatch.setattr("idealist.learn.training.train", lambda *_, **__: pytest.fail("it was trained"))
    assert main(["train", str(rows), "--model", "ascent", "-o", str(tmp_path / "no" / "m.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "ascent", "--seed", "-1"], "the seed must be a whole number, 0 or more, not -1"),
        (["--model", "mlp", "--set", "hidden=0"], "hidden layers must be 1 or more"),
        (["--loss", "approx-ndcg(temperature=low)"], "temperature must be a number above 0, not 'low'"),
    ],
)
def test_settings_that_cannot_be_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text(letor(queries=6))
    assert main(["train", str(rows), *arguments, "-o", str(tmp_path / "m.safetensors")]) == 2
    assert message in capsys.readouterr().err


def test_only_some_trainers_have_checkpoints(tmp_path: Path) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text(letor(queries=6))
    with pytest.raises(il.InputError, match="ranknet has no checkpoints"):
        il.learn.train("ranknet", str(rows), checkpoint=str(tmp_path / "checkpoint"))


def test_a_group_without_a_document_is_refused(tmp_path: Path) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text("1 1:0.5\n0 1:0.1\n2 1:0.9\n")
    (tmp_path / "rows.txt.query").write_text("1\n0\n2\n")
    with pytest.raises(il.InputError, match="line 2: a query has no document"):
        il.read_features(rows)
