"""Measures as metrics: over batches, over processes, in TorchMetrics' and Lightning's hands."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torchmetrics

import idealist as il
from idealist.learn import RankingMetric, evaluate_tensors


def drawn(queries: int = 12, documents: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(queries, documents, generator=generator, dtype=torch.float64)
    return scores, torch.randint(0, 3, (queries, documents), generator=generator)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "GMAP", "NumRel", "RankingLoss"])
def test_batches_add_up_to_the_whole(measure: str) -> None:
    scores, grades = drawn()
    grades[4] = 0
    metric = RankingMetric(measure, conventions="empty=skip")
    for part in (slice(0, 5), slice(5, 6), slice(6, 12)):
        metric.update(scores[part], grades[part])
    whole = evaluate_tensors(grades, scores, measure, conventions="empty=skip").aggregate(measure)
    assert float(metric.compute()) == pytest.approx(float(whole), abs=1e-12)
    assert metric.compute().dtype == torch.float64


def test_the_state_is_two_numbers_however_many_queries() -> None:
    metric = RankingMetric("AP")
    metric.update(*drawn(100))
    assert metric.metric_state == {"total": metric.total, "count": torch.tensor(100.0)}
    metric.reset()
    assert metric.metric_state == {"total": torch.tensor(0.0), "count": torch.tensor(0.0)}


def test_a_call_gives_the_value_of_the_batch() -> None:
    metric = RankingMetric("RR")
    assert float(metric([[2.0, 1.0]], [[0, 1]])) == 0.5
    assert float(metric([[1.0, 2.0]], [[0, 1]])) == 1.0
    assert float(metric.compute()) == 0.75


def test_it_is_a_metric_of_torchmetrics() -> None:
    metric = RankingMetric("nDCG@5")
    assert isinstance(metric, torchmetrics.Metric)
    assert metric.higher_is_better is True
    assert RankingMetric("RankingLoss").higher_is_better is False
    together = torchmetrics.MetricCollection({"ndcg": RankingMetric("nDCG@5"), "ap": RankingMetric("AP")})
    scores, grades = drawn()
    together.update(scores, grades)
    expected = evaluate_tensors(grades, scores, ["nDCG@5", "AP"])
    found = {name: float(value) for name, value in together.compute().items()}
    assert found == {"ndcg": float(expected.mean("nDCG@5")), "ap": float(expected.mean("AP"))}
    assert float(pickle.loads(pickle.dumps(together))["ap"].compute()) == found["ap"]


def test_a_metric_is_of_one_measure_of_grades() -> None:
    with pytest.raises(il.InputError, match="2 measures, where a metric is of one: AP, RR"):
        RankingMetric("AP RR")
    with pytest.raises(il.InputError, match="infNDCG cannot be measured on tensors"):
        RankingMetric("infNDCG")


WORKER = """
import sys, torch, torch.distributed as distributed
if sys.argv[3] == "without":
    sys.modules["torchmetrics"] = None
    import importlib.util
    find_spec = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *more: None if name == "torchmetrics" else find_spec(name, *more)
from idealist.learn import RankingMetric
rank, where = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{where}", rank=rank, world_size=2)
metric = RankingMetric("RR")
# 1/1 and 1/2 in one process, 1/4 in the other: the mean is that of three queries, not of two means.
if rank == 0:
    metric.update([[2.0, 1.0], [1.0, 2.0]], [[1, 0], [1, 0]])
else:
    metric.update([[1.0, 2.0, 3.0, 4.0]], [[1, 0, 0, 0]])
print(type(metric).__mro__[1].__name__, float(metric.compute()))
metric.reset()
metric.update([[1.0]], [[1]])
assert float(metric.compute()) == 1.0
distributed.destroy_process_group()
"""


@pytest.mark.parametrize(("library", "base"), [("with", "Metric"), ("without", "PlainMetric")])
def test_two_processes_have_one_value(tmp_path: Path, library: str, base: str) -> None:
    source = str(Path(il.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(tmp_path / "meeting"), library],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(2)
    ]
    for process in processes:
        printed, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        name, value = printed.split()
        assert name == base
        assert float(value) == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)


@pytest.mark.filterwarnings("ignore")  # Lightning's, about workers and about PyTorch's own future
def test_a_lightning_module_logs_it(tmp_path: Path) -> None:
    import lightning

    class Scorer(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.weights = torch.nn.Linear(2, 1, bias=False)
            self.ndcg = RankingMetric("nDCG@2")

        def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
            features, grades = batch
            scores = self.weights(features).squeeze(-1)
            return torch.nn.functional.mse_loss(scores, grades)

        def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
            features, grades = batch
            self.ndcg(self.weights(features).squeeze(-1), grades)
            self.log("ndcg", self.ndcg, on_epoch=True)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    torch.manual_seed(0)
    features = torch.randn(8, 5, 2)
    grades = torch.randint(0, 3, (8, 5)).float()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, grades), batch_size=3)
    module = Scorer()
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    trainer.fit(module, loader, loader)
    scores = module.weights(features).squeeze(-1)
    expected = evaluate_tensors(grades, scores, "nDCG@2").mean("nDCG@2")
    assert float(trainer.callback_metrics["ndcg"]) == pytest.approx(float(expected), abs=1e-6)
