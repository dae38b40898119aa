"""A measure as a metric that is updated batch by batch: in a training loop, in Lightning, on several processes."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from idealist.conventions import DEFAULT, as_conventions
from idealist.errors import InputError
from idealist.learn.tensors.tensor_evaluation import concluded, evaluate_tensors, measures_of, summed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.measures import Measure

if find_spec("torchmetrics"):
    from torchmetrics import Metric as _Metric
else:
    from idealist.learn.tensors.plain_metric import PlainMetric as _Metric


class RankingMetric(_Metric):
    """One measure over all batches: `update` takes a batch as `evaluate_tensors` does, `compute` gives the mean over all
    queries so far, `reset` begins anew.

    Its state is a sum and a count of 64 bits, however many queries there were; they add up over processes of
    torch.distributed. It is a `torchmetrics.Metric` where TorchMetrics is installed, and has the same methods where it is
    not. A query must be in one batch, whole.

    >>> metric = RankingMetric("RR")
    >>> metric.update(torch.tensor([[0.9, 0.1]]), torch.tensor([[0, 1]]))
    >>> metric.update(torch.tensor([[0.2, 0.8]]), torch.tensor([[0, 1]]))
    >>> float(metric.compute())
    0.75
    """

    is_differentiable = False
    full_state_update = False

    total: torch.Tensor
    count: torch.Tensor

    def __init__(
        self, measure: str | Measure, *, conventions: Conventions | str = DEFAULT, **options: Any
    ) -> None:
        super().__init__(**options)
        self.conventions = as_conventions(conventions)
        measures = measures_of(measure, self.conventions)
        if len(measures) > 1:
            raise InputError(
                f"{len(measures)} measures, where a metric is of one: {', '.join(map(str, measures))}",
                hint="make one for each, in a torchmetrics.MetricCollection for example",
            )
        self.measure = measures[0]
        self.add_state("total", torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("count", torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool | None:
        return {"higher": True, "lower": False}.get(self.measure.better)

    def update(self, scores: Any, grades: Any, *, mask: Any = None, sizes: Any = None) -> None:
        """Takes in the queries of a batch."""
        result = evaluate_tensors(
            grades, scores, self.measure, mask=mask, sizes=sizes, conventions=self.conventions
        )
        total, count = summed(self.measure, result.values(self.measure))
        self.total = self.total + total.to(self.total.device)
        self.count = self.count + count.to(self.count.device)

    def compute(self) -> torch.Tensor:
        """The number of all queries so far, nan if there were none."""
        return concluded(self.measure, self._summed("total"), self._summed("count"))

    def _summed(self, name: str) -> torch.Tensor:
        # TorchMetrics adds states up before it calls compute.
        state: torch.Tensor = (
            self.synchronised(name) if hasattr(self, "synchronised") else getattr(self, name)
        )
        return state

    def __repr__(self) -> str:
        return f"RankingMetric({str(self.measure)!r})"
