"""The loss that a text means: a name of `idealist.learn.losses`, with its parameters between parentheses."""

from __future__ import annotations

import re

from idealist.errors import InputError
from idealist.learn.losses.named import loss_named
from idealist.learn.losses.noise import RandomLoss
from idealist.measures.families.gain import DCG, NDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.losses.base import Loss
    from idealist.measures import Measure

TEXT = re.compile(r"\s*([\w -]+?)\s*(?:\((.*)\))?\s*")
OF_THE_MEASURE = ("k", "gain", "discount")
KNOWN = {"true": True, "false": False, "none": None}


def loss_of(text: str, measure: Measure, *, seed: int = 0) -> Loss:
    """The loss: soft, of the measure as it is; others of its gain and discount, on whole lists unless the text says k. A loss
    that draws numbers begins at the seed, unless the text says another.

    >>> from idealist.measures.text import parse
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
