"""What Weights & Biases keeps of what was logged, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wandb
from support.pages import run_blocks

from idealist import InputError, evaluate
from idealist.integrations.wandb import WandbLogger

JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}
FIRST = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}  # RR 1 and 1/2


@pytest.fixture(autouse=True, scope="module")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For all tests here: the library reads these once."""
    folder = tmp_path_factory.mktemp("wandb")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DIR", "CACHE_DIR", "CONFIG_DIR", "DATA_DIR", "ARTIFACT_DIR"):
            (folder / name).mkdir()
            patch.setenv(f"WANDB_{name}", str(folder / name))
        patch.setenv("WANDB_SILENT", "true")
        yield


@pytest.fixture
def run() -> Iterator[Any]:
    with wandb.init(mode="offline", project="ranking") as started:
        yield started


def test_values_and_settings(run: Any) -> None:
    logger = WandbLogger(run)
    result = evaluate(JUDGED, FIRST, "RR@10")
    assert logger.log(result, step=1, prefix="dev") == {"dev/RR_at_10": 0.75}
    logger.log(result, step=2, prefix="dev")  # the same settings once more, and a new version of the files
    assert dict(run.summary)["dev/RR_at_10"] == 0.75
    assert run.config["idealist.queries"] == "2"
    assert run.step >= 2


def test_names_of_any_language(run: Any) -> None:
    """Of numbers; the names of artifacts keep to the letters that they may have."""
    values = WandbLogger(run).log(evaluate(JUDGED, FIRST, "RR"), prefix="开发")
    assert list(values) == ["开发/RR"]
    assert "开发/RR" in dict(run.summary)


def test_files_of_an_artifact(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[Any] = []
    monkeypatch.setattr(run, "log_artifact", logged.append)
    result = evaluate(JUDGED, FIRST, "RR")
    WandbLogger().log(result)  # the run that is active
    (artifact,) = logged
    assert (artifact.name, artifact.type) == (f"idealist-{run.id}", "evaluation")
    entry = artifact.manifest.entries["evaluation.md"]
    assert Path(entry.local_path).read_text(encoding="utf-8") == result.to_markdown()
    assert set(artifact.manifest.entries) == {"evaluation.md", "evaluation.json"}


def test_no_run_is_active() -> None:
    with pytest.raises(InputError, match=r"no run of Weights & Biases is active\nhint: call wandb.init"):
        WandbLogger()


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks("tracking.md", "wandb", tmp_path, monkeypatch)
