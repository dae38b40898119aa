"""The losses as functions, for code that keeps no objects: `soft(scores, grades, measure="nDCG@10", mask=mask)`."""

from __future__ import annotations

from idealist.learn.losses.cross_entropy import XENDCG, ListNet, SoftmaxCrossEntropy
from idealist.learn.losses.likelihood import ListMLE
from idealist.learn.losses.neural import NeuralNDCG
from idealist.learn.losses.pairwise import LambdaLoss, LambdaRank, RankNet
from idealist.learn.losses.plackett_luce import PLRank
from idealist.learn.losses.relaxed import PiRank
from idealist.learn.losses.soft_measures import Soft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import torch

    from idealist.learn.losses.base import Loss


def _function(loss: type[Loss], name: str) -> Callable[..., torch.Tensor]:
    """A function that makes the loss with those of its arguments that are the loss's, and calls it with the others."""
    own = ("measure", "reduction", "generator", *loss.parameters_of_loss)

    def call(scores: torch.Tensor, grades: torch.Tensor, **arguments: Any) -> torch.Tensor:
        settings = {key: arguments.pop(key) for key in own if key in arguments}
        result: torch.Tensor = loss(**settings)(scores, grades, **arguments)
        return result

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{loss.__name__}(…)(scores, grades, …)`: takes the arguments of both."
    return call


lambda_loss = _function(LambdaLoss, "lambda_loss")
lambda_rank = _function(LambdaRank, "lambda_rank")
list_mle = _function(ListMLE, "list_mle")
list_net = _function(ListNet, "list_net")
neural_ndcg = _function(NeuralNDCG, "neural_ndcg")
pirank = _function(PiRank, "pirank")
pl_rank = _function(PLRank, "pl_rank")
rank_net = _function(RankNet, "rank_net")
soft = _function(Soft, "soft")
softmax_cross_entropy = _function(SoftmaxCrossEntropy, "softmax_cross_entropy")
xendcg = _function(XENDCG, "xendcg")
