"""Shares of a whole by name, such as what each group of documents should have."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NOT_IN_NAMES = ",=@()[]{}'\""
EXAMPLE = "for example {a:0.5,b:0.5}"


class Shares(Mapping[str, float]):
    """A share of 1 for every name, that is hashable and never changes."""

    __slots__ = ("_shares",)

    def __init__(self, shares: Mapping[Any, Any]) -> None:
        read = {}
        for name, share in shares.items():
            read[read_name(name)] = number = as_number(share, f"the share of {name!r}", finite=True)
            if number < 0:
                raise InputError(f"the share of {name!r} is negative: {number:g}", hint=EXAMPLE)
        total = sum(read.values())
        if abs(total - 1) > 1e-9:
            raise InputError(f"the shares add up to {total:g}, not to 1", hint=EXAMPLE)
        object.__setattr__(self, "_shares", dict(sorted(read.items())))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("shares are immutable")

    def __getitem__(self, name: str) -> float:
        return self._shares[name]  # type: ignore[attr-defined,no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shares)  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return len(self._shares)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __str__(self) -> str:
        return "{" + ",".join(f"{name}:{number_text(share)}" for name, share in self.items()) + "}"

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shares, (dict(self),)


def read_name(value: Any) -> str:
    """A name that a measure's text form can carry."""
    name = str(value).strip() if isinstance(value, (str, int)) else ""
    if not name or any(character in NOT_IN_NAMES for character in name):
        raise InputError(
            f"{value!r} is no name that a measure can be written with",
            hint=f"text without any of {' '.join(NOT_IN_NAMES)}: name it otherwise in the table",
        )
    return name


def read_shares(value: Any) -> Shares | None:
    """Shares from a mapping, or from text such as {a:0.5,b:0.5}."""
    if value is None or isinstance(value, Mapping):
        return None if value is None else Shares(value)
    text = value.strip() if isinstance(value, str) else ""
    if not (text.startswith("{") and text.endswith("}")):
        raise InputError(f"target={value!r} is no table of shares", hint=EXAMPLE)
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
