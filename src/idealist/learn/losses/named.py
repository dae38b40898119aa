"""Losses by name, for settings and commands."""

from __future__ import annotations

from difflib import get_close_matches

from idealist.errors import InputError
from idealist.learn.losses.cross_entropy import XENDCG, ListNet, SoftmaxCrossEntropy
from idealist.learn.losses.likelihood import ListMLE
from idealist.learn.losses.neural import NeuralNDCG
from idealist.learn.losses.ordinal import Ordinal
from idealist.learn.losses.pairwise import LambdaLoss, LambdaRank, RankNet
from idealist.learn.losses.plackett_luce import PLRank
from idealist.learn.losses.relaxed import PiRank
from idealist.learn.losses.soft_measures import Soft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.losses.base import Loss
    from idealist.measures.base import Measure

# Those that take scores and grades alone.
LOSSES: tuple[type[Loss], ...] = (
    Soft,
    NeuralNDCG,
    PiRank,
    PLRank,
    LambdaRank,
    LambdaLoss,
    RankNet,
    XENDCG,
    ListNet,
    ListMLE,
    SoftmaxCrossEntropy,
    Ordinal,
)


def loss_named(name: str, measure: str | Measure = "nDCG", **parameters: Any) -> Loss:
    """The loss of a name, in capitals or not, made from a measure.

    >>> loss_named("lambda-loss", "nDCG@10", sigma=2)
    LambdaLoss(measure='nDCG@10', kind='loss2++', mu=10.0, sigma=2.0, reduction='mean')
    """
    plain_name = "".join(letter for letter in str(name).lower() if letter.isalnum())
    for loss in LOSSES:
        if loss.__name__.lower() == plain_name:
            known = ("reduction", *loss.parameters_of_loss)
            for parameter in parameters:
                if parameter not in known:
                    raise InputError(
                        f"{loss.__name__} has no parameter {parameter!r}", hint=f"it has {', '.join(known)}"
                    )
            return loss(measure, **parameters)
    names = {loss.__name__.lower(): loss.__name__ for loss in LOSSES}
    near = next(iter(get_close_matches(plain_name, names, 1)), None)
    suggestion = f"did you mean {names[near]}? Name one of: " if near else "name one of: "
    raise InputError(f"there is no loss {name!r}", hint=f"{suggestion}{', '.join(names.values())}")
