"""The settings of GSB, checked once."""

from __future__ import annotations

from idealist.data.values import as_choice, as_count, as_seed, as_share, as_within
from idealist.decision.margin import read_margin
from idealist.decision.verdict import POLICIES
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.votes.estimates import METHODS
from idealist.votes.folding import FOLDS
from idealist.votes.raters import ANCHOR_FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

AGREEMENT_FLOOR = 0.3  # of AC1: those who guess among three answers have 0
# What can turn "ship" into "undecided"; the last two where the votes are those of a measure.
GUARDS = ("agreement", "sides", "anchors", "segments", "judged", "queries")

CHOICES = {"fold": FOLDS, "interval": METHODS, "policy": POLICIES}


class VoteSettings(Frozen):
    """The settings of `gsb`, checked."""

    fold: str = "votes"
    interval: str = "auto"
    confidence: float = 0.95
    shares: Mapping[str, float] | None = None
    margin: Any = None
    policy: str = "interval"
    agreement_floor: float = AGREEMENT_FLOOR
    anchor_floor: float = ANCHOR_FLOOR
    rounds: int = 10_000
    seed: int = 0
    guards: tuple[str, ...] = GUARDS
    sequential: bool = False
    votes_per_query: int | None = None

    def _checked(self, field: str, value: Any) -> Any:
        if field in CHOICES:
            return as_choice(value, field, CHOICES[field])
        if field == "confidence":
            return as_share(value, field)
        if field == "margin":
            return read_margin(value, limit=1.0)
        if field.endswith("_floor"):
            return as_within(value, field, -1, 1)
        if field == "guards":
            return tuple(as_choice(guard, "a guard", GUARDS) for guard in value)
        if field == "sequential" and value and self.shares is not None:
            raise InputError(
                "a sequential verdict cannot use shares of segments: how votes will fall into segments is not "
                "known while they come in",
                hint="give every vote a weight instead, or leave the shares or --sequential out",
            )
        if field == "votes_per_query" and value is not None:
            return as_count(
                value, "votes per query", hint="how many votes every query gets: raters times documents"
            )
        if field == "rounds":
            return as_count(value, "rounds")
        if field == "seed":
            return as_seed(value)
        return value
