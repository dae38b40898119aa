"""Scorers: modules that give each document of a padded batch a score.

They take features of shape lists × documents × features and a mask that is True where there is a document.
"""

from __future__ import annotations

import torch
from torch import nn

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh, "silu": nn.SiLU}


class LinearScorer(nn.Module):
    """A weighted sum of features. Without a constant, which would change no ranking.

    Weights begin at 0: from a random start with the wrong sign, the measure may not move before patience ends.
    """

    def __init__(self, features: int) -> None:
        super().__init__()
        self.last = nn.Linear(features, 1, bias=False)
        nn.init.zeros_(self.last.weight)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.last(features).squeeze(-1)
        return scores


class MlpScorer(nn.Module):
    """Layers of weights with an activation and dropout between them, each document by itself."""

    def __init__(self, features: int, hidden: tuple[int, ...], dropout: float, activation: str) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        width = features
        for size in hidden:
            layers += [nn.Linear(width, size), ACTIVATIONS[activation](), nn.Dropout(dropout)]
            width = size
        self.layers = nn.Sequential(*layers)
        self.last = nn.Linear(width, 1)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.last(self.layers(features)).squeeze(-1)
        return scores


class AttentionBlock(nn.Module):
    """Self-attention over the documents of a list, then a layer for each document; both beside what came in."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.mixed = nn.Linear(width, width)
        self.before_layer = nn.LayerNorm(width)
        self.layer = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(dropout), nn.Linear(2 * width, width)
        )

    def forward(self, documents: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        lists, length, width = documents.shape
        joined = self.queries_keys_values(self.before_attention(documents))
        parts = joined.view(lists, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(
            parts[0],
            parts[1],
            parts[2],
            attn_mask=mask[:, None, None, :],
            dropout_p=self.dropout if self.training else 0.0,
        )
        documents = documents + self.mixed(seen.transpose(1, 2).reshape(lists, length, width))
        changed: torch.Tensor = documents + self.layer(self.before_layer(documents))
        return changed


class AttentionScorer(nn.Module):
    """Scores that depend on the other documents of the list, and not on their order.

    Pobrotyn et al., Context-Aware Learning to Rank with Self-Attention, 2020.
    """

    def __init__(self, features: int, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise InputError(
                f"a width of {width} cannot be shared by {heads} heads", hint="choose a multiple"
            )
        self.first = nn.Linear(features, width)
        self.blocks = nn.ModuleList(AttentionBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.last = nn.Linear(width, 1)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        documents = self.first(features)
        for block in self.blocks:
            documents = block(documents, mask)
        scores: torch.Tensor = self.last(self.norm(documents)).squeeze(-1)
        return scores


def scorer_of(architecture: Mapping[str, Any], features: int) -> nn.Module:
    """The module that an architecture describes, as a model file holds it, with weights that are yet random.

    >>> scorer_of({"kind": "mlp", "hidden": [4], "dropout": 0.0, "activation": "relu"}, 3).last.in_features
    4
    """
    kind = architecture["kind"]
    if kind == "linear":
        return LinearScorer(features)
    if kind == "mlp":
        hidden = tuple(int(size) for size in architecture["hidden"])
        return MlpScorer(features, hidden, float(architecture["dropout"]), architecture["activation"])
    if kind == "attention":
        width, heads, layers = (int(architecture[name]) for name in ("width", "heads", "layers"))
        return AttentionScorer(features, width, heads, layers, float(architecture["dropout"]))
    raise InputError(f"there is no scorer {kind!r}", hint="name one of: linear, mlp, attention")
