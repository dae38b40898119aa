"""What MLflow keeps of what was logged, and measures as its metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import log2
from pathlib import Path

import mlflow
import pandas as pd
import pytest
from support.pages import run_blocks

from idealist import InputError, evaluate
from idealist.integrations.mlflow import MlflowLogger, make_metric

JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}
FIRST = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}  # RR 1 and 1/2


@pytest.fixture(autouse=True, scope="module")
def tracking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A database and a folder of artifacts for all tests here: to make a database takes ten seconds."""
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.create_experiment("ranking", artifact_location=str(folder / "artifacts"))
    mlflow.set_experiment("ranking")
    yield
    mlflow.end_run()


def test_the_active_run() -> None:
    result = evaluate(JUDGED, FIRST, "RR@10")
    with mlflow.start_run() as run:
        assert MlflowLogger().log(result, step=1, prefix="dev") == {"dev/RR_at_10": 0.75}
        MlflowLogger().log(result, step=2, prefix="dev", files=False)
    client = mlflow.MlflowClient()
    history = client.get_metric_history(run.info.run_id, "dev/RR_at_10")
    assert [(metric.step, metric.value) for metric in history] == [(1, 0.75), (2, 0.75)]
    assert client.get_run(run.info.run_id).data.tags["idealist.queries"] == "2"
    table = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/dev/step-1/evaluation.md")
    assert table == result.to_markdown()
    record = json.loads(mlflow.artifacts.load_text(f"{run.info.artifact_uri}/dev/step-1/evaluation.json"))
    assert record["by_query"] == result.to_dict()


def test_a_run_by_its_id() -> None:
    run = mlflow.MlflowClient().create_run(mlflow.get_experiment_by_name("ranking").experiment_id)
    MlflowLogger(run.info.run_id).log(evaluate(JUDGED, FIRST, "RR"))
    logged = mlflow.MlflowClient().get_run(run.info.run_id).data
    assert logged.metrics == {"RR": 0.75}
    assert "idealist.conventions" in logged.tags
    assert mlflow.active_run() is None


def test_measures_as_metrics() -> None:
    """Lists of documents, beside relevant documents or grades; the third row finds nothing."""
    table = pd.DataFrame(
        {
            "question": ["x", "y", "z"],
            "retrieved": [["a", "b"], ["b", "a"], ["c"]],
            "relevant": [["a"], {"a": 2, "b": 1}, ["a"]],
        }
    )
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=table,
            predictions="retrieved",
            targets="relevant",
            extra_metrics=[make_metric("nDCG@10"), make_metric("RR")],
        )
    second = (1 + 2 / log2(3)) / (2 + 1 / log2(3))
    assert result.metrics["nDCG_at_10/mean"] == pytest.approx((1 + second + 0) / 3)
    assert result.metrics["RR/mean"] == pytest.approx((1 + 1 + 0) / 3)
    assert list(result.tables["eval_results_table"]["nDCG_at_10/score"]) == pytest.approx([1, second, 0])


def test_conventions_of_a_metric() -> None:
    """Without a relevant document, LightGBM counts 1."""
    metric = make_metric("nDCG@10", conventions="lightgbm")
    value = metric.eval_fn(pd.Series([["a"]]), pd.Series([{"a": 0}]))
    assert (value.scores, metric.greater_is_better) == ([1.0], True)
    assert make_metric("nDCG@10").eval_fn(pd.Series([["a"]]), pd.Series([{"a": 0}])).scores == [0.0]


def test_what_is_wrong_with_rows() -> None:
    metric = make_metric("RR")
    with pytest.raises(
        InputError, match="row 0: the prediction must be a list of documents or a dict, not 'a'"
    ):
        metric.eval_fn(pd.Series(["a"]), pd.Series([["a"]]))
    with pytest.raises(InputError, match="row 1: document 'a' is retrieved twice"):
        metric.eval_fn(pd.Series([["a"], ["a", "a"]]), pd.Series([["a"], ["a"]]))
    with pytest.raises(InputError, match="NumRel has no mean over queries"):
        make_metric("NumRel")


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks("tracking.md", "mlflow", tmp_path, monkeypatch)
