"""Losses by name and in texts, for settings and commands; and as functions: `soft(scores, grades, measure="nDCG@10", mask=mask)`."""

from __future__ import annotations

import re
from difflib import get_close_matches

from idealist.errors import InputError
from idealist.learn.losses.listwise import XENDCG, ListMLE, ListNet, PLRank, SoftmaxCrossEntropy
from idealist.learn.losses.loss import RandomLoss
from idealist.learn.losses.ordinal import Ordinal
from idealist.learn.losses.pairwise import LambdaLoss, LambdaRank, RankNet
from idealist.learn.losses.relaxed_sorts import NeuralNDCG, PiRank
from idealist.learn.losses.soft_measures import Soft
from idealist.measures.families.gain import DCG, NDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import torch

    from idealist.learn.losses.loss import Loss
    from idealist.measures.measure import Measure


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


TEXT = re.compile(r"\s*([\w -]+?)\s*(?:\((.*)\))?\s*")
OF_THE_MEASURE = ("k", "gain", "discount")
KNOWN = {"true": True, "false": False, "none": None}


def loss_of(text: str, measure: Measure, *, seed: int = 0) -> Loss:
    """The loss: soft, of the measure as it is; others of its gain and discount, on whole lists unless the text says k. A loss
    that draws numbers begins at the seed, unless the text says another.

    >>> from idealist.measures.naming import parse
    >>> loss_of("lambda-loss(mu=5)", parse("nDCG(gain=exp)@10"))
    LambdaLoss(measure='nDCG(gain=exp)', kind='loss2++', mu=5.0, sigma=1.0, reduction='mean')
    >>> loss_of("soft", parse("AP"))
    Soft(measure='AP', temperature=0.1, cutoff_temperature=None, reduction='mean')
    """
    match = TEXT.fullmatch(text)
    if match is None:
        raise InputError(f"the loss {text!r} cannot be read", hint="for example soft(temperature=0.3)")
    given = _given(match[2] or "", text)
    name, of_gains = match[1], isinstance(measure, (DCG, NDCG))
    # A loss of pairs with a cut-off has few of them; who wants one says k.
    base = measure.replace(k=None) if of_gains else NDCG()
    if name.lower() == "soft":
        base = measure
    stated = {field: given.pop(field) for field in OF_THE_MEASURE if field in given}
    loss = loss_named(name, base.replace(**stated) if stated else base, **given)
    if isinstance(loss, RandomLoss) and "seed" not in given:
        loss.seed = seed
        loss.reset()
    return loss


def _given(inside: str, text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in inside.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in given:
            raise InputError(
                f"the loss {text!r} cannot be read at {part!r}",
                hint="for example soft(temperature=0.3)",
            )
        given[name] = _value(value)
    return given


def _value(text: str) -> Any:
    if text.lower() in KNOWN:
        return KNOWN[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
