"""Shares of a whole by name, such as what each group of documents should have."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.frozen import FrozenTable
from idealist.base.values import as_within
from idealist.errors import InputError
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NOT_IN_NAMES = ",=@()[]{}'\""
EXAMPLE = "for example {a:0.5,b:0.5}"


class Shares(FrozenTable):
    """A share of 1 for every name."""

    __slots__ = ()

    def __init__(self, shares: Mapping[Any, Any]) -> None:
        read = {}
        for name, share in shares.items():
            read[read_name(name)] = as_within(share, f"the share of {name!r}", 0, hint=EXAMPLE)
        total = sum(read.values())
        if abs(total - 1) > 1e-9:
            raise InputError(f"the shares add up to {total:g}, not to 1", hint=EXAMPLE)
        super().__init__(dict(sorted(read.items())))

    def __str__(self) -> str:
        return "{" + ",".join(f"{name}:{number_text(share)}" for name, share in self.items()) + "}"


def read_name(value: Any) -> str:
    """A name that a measure's text form can carry."""
    name = str(value).strip() if isinstance(value, (str, int)) else ""
    if not name or any(character in NOT_IN_NAMES for character in name):
        raise InputError(
            f"{value!r} cannot be part of a measure's text form",
            hint=f"use text without any of {' '.join(NOT_IN_NAMES)}; rename it in the table",
        )
    return name


def read_shares(value: Any) -> Shares | None:
    """Shares from a mapping, or from text such as {a:0.5,b:0.5}."""
    if value is None or isinstance(value, Mapping):
        return None if value is None else Shares(value)
    text = value.strip() if isinstance(value, str) else ""
    if not (text.startswith("{") and text.endswith("}")):
        raise InputError(f"target must be a table of shares, not {value!r}", hint=EXAMPLE)
    shares: dict[str, float] = {}
    for entry in text[1:-1].split(","):
        name, _, share = entry.rpartition(":")
        if name.strip() in shares:
            raise InputError(f"the target has {name.strip()!r} twice", hint=EXAMPLE)
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise InputError(f"{entry.strip()!r} in a target is not name:share", hint=EXAMPLE) from None
    return Shares(shares)
