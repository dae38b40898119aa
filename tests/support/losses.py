"""What tests of losses share: every loss in the forms it has, and lists to try them on."""

from __future__ import annotations

import torch

from idealist.learn.losses import (
    XENDCG,
    LambdaLoss,
    LambdaRank,
    ListMLE,
    ListNet,
    Loss,
    NeuralNDCG,
    Ordinal,
    PiRank,
    PLRank,
    RankNet,
    Soft,
    SoftmaxCrossEntropy,
)

SMOOTH = [Soft, NeuralNDCG, PiRank]
MEASURES = ["nDCG", "nDCG(gain=exp)@3", "DCG(discount=zipf)@4", "nDCG(discount=letor)"]
CERTAIN: list[Loss] = [
    *(loss(measure) for loss in SMOOTH for measure in MEASURES),
    *(Soft(measure) for measure in ("AP", "RR@3", "ERR(max_grade=3)", "Q", "Bpref")),
    NeuralNDCG("nDCG@3", transposed=True),
    RankNet(),
    LambdaRank(),
    LambdaRank("nDCG(gain=exp)@3"),
    *(
        LambdaLoss(measure, kind=kind)
        for kind in ("loss1", "loss2", "loss2++")
        for measure in ("nDCG", "nDCG(gain=exp)@3", "DCG(discount=zipf)@1")
    ),
    XENDCG(sample=False),
    ListNet(),
    ListMLE(),
    ListMLE("nDCG@3", position_aware=True),
    SoftmaxCrossEntropy("nDCG(gain=exp)"),
    Ordinal(levels=3),
]
RANDOM: list[Loss] = [
    XENDCG(),
    NeuralNDCG("nDCG@3", samples=3),
    PLRank(),
    PLRank("nDCG(gain=exp)@3", samples=4),
]


def name_of(loss: Loss) -> str:
    forms = (getattr(loss, name, None) for name in ("kind", "transposed"))
    return "-".join([type(loss).__name__, str(loss.measure), *(str(form) for form in forms if form)])


def number(value: torch.Tensor) -> float:
    """A loss as a number, whatever it was computed for."""
    return float(value.detach())


def some_lists(
    seed: int = 0, lists: int = 4, documents: int = 7
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores in float64, grades 0 to 3, and a mask with holes."""
    chance = torch.Generator().manual_seed(seed)
    scores = torch.randn(lists, documents, generator=chance, dtype=torch.float64)
    grades = torch.randint(0, 4, (lists, documents), generator=chance)
    mask = torch.rand(lists, documents, generator=chance) > 0.2
    return scores, grades, mask
