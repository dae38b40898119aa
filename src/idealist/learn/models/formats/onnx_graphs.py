"""Our models as one PyTorch module each, from the features of one query's documents to their scores, for export."""

from __future__ import annotations

import torch
from torch import nn

from idealist.learn.models.base_model import Bag
from idealist.learn.models.linear import Linear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.feature_scaling import Normalisation


class QueryScorer(nn.Module):
    """Documents × features to scores: normalised as in training, in 64 bits, then scored in the type that the scorer has.

    Features as they are may be numbers such as seconds since 1970, which 32 bits do not tell apart.
    """

    def __init__(self, normalisation: Normalisation, scorer: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.steps = normalisation.steps
        self.scorer, self.dtype = scorer, dtype
        for number, known in enumerate(normalisation.learned or ()):
            if known is not None:
                shift, scale = (torch.tensor(numbers, dtype=torch.float64) for numbers in known)
                self.register_buffer(f"shift_{number}", shift)
                self.register_buffer(f"scale_{number}", scale)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        for number, step in enumerate(self.steps):
            if hasattr(self, f"shift_{number}"):
                shift, scale = getattr(self, f"shift_{number}"), getattr(self, f"scale_{number}")
                features = _quotient(features - shift, scale)
            else:
                features = _normalised(step, features)
        lists = features[None].to(self.dtype)
        scores: torch.Tensor = self.scorer(lists, torch.ones_like(lists[:, :, 0], dtype=torch.bool))[0]
        return scores.to(torch.float64)


class BagScorer(nn.Module):
    """The mean of standardised scores."""

    def __init__(self, members: list[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        scores = [_normalised("z-score", member(features)[:, None])[:, 0] for member in self.members]
        return torch.stack(scores).mean(dim=0)


class _Weights(nn.Module):
    def __init__(self, weights: Any) -> None:
        super().__init__()
        self.register_buffer("weights", torch.tensor(weights, dtype=torch.float64))

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (features * self.weights).sum(dim=-1)


def query_scorer(model: Any) -> nn.Module:
    """The module of a linear or neural model, or of a bag of them."""
    if isinstance(model, Bag):
        return BagScorer([query_scorer(member) for member in model.models]).eval()
    if isinstance(model, Linear):
        return QueryScorer(model.normalisation, _Weights(model.weights), torch.float64).eval()
    dtype = next(model.scorer.parameters()).dtype
    return QueryScorer(model.normalisation, model.scorer, dtype).eval()


def _quotient(values: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    return torch.where(
        by > 0, values / torch.where(by > 0, by, torch.ones_like(by)), torch.zeros_like(values)
    )


def _normalised(step: str, rows: torch.Tensor) -> torch.Tensor:
    """What `idealist.learn.feature_scaling` does by query, for one query."""
    if step == "z-score":
        rows = _normalised("min-max", rows)
        away = rows - rows.mean(dim=0)
        return _quotient(away, (away * away).mean(dim=0).sqrt().expand_as(away))
    if step == "min-max":
        low, high = rows.amin(dim=0), rows.amax(dim=0)
        return _quotient(rows - low, (high - low).expand_as(rows))
    if step == "sum":
        return _quotient(rows, rows.abs().sum(dim=0).expand_as(rows))
    if step == "log":
        return rows.sign() * rows.abs().log1p()
    if step == "rank":
        below = (rows[None] < rows[:, None]).to(rows.dtype).sum(dim=1)
        equal = (rows[None] == rows[:, None]).to(rows.dtype).sum(dim=1) - 1
        others = below * 0 + rows.shape[0] - 1
        return torch.where(others > 0, (below + equal / 2) / others.clamp(min=1), torch.full_like(rows, 0.5))
    return rows
