"""Tables in parameters: how much each of several things counts, what it is worth, or its share of a whole."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.frozen import FrozenTable
from idealist.base.named import top_level
from idealist.base.values import as_within
from idealist.errors import InputError
from idealist.measures.gains import number_text, read_gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def read_weights(value: Any) -> FrozenTable:
    """Objectives and their weights."""
    return _weights(_pairs(value, "weights"), "weights", str)


def read_parts(value: Any, parse: Callable[[Any], Any]) -> FrozenTable:
    """Measures, by what reads their text, and their weights."""
    return _weights(_pairs(value, "parts"), "parts", parse)


def read_gains(value: Any) -> FrozenTable:
    """Objectives and the gains of their grades."""
    return FrozenTable({str(name): read_gain(gain) for name, gain in _pairs(value, "worth")})


def weights_text(table: FrozenTable) -> str:
    return "{" + ",".join(f"{name}:{number_text(weight)}" for name, weight in table.items()) + "}"


def gains_text(table: FrozenTable) -> str:
    return "{" + ",".join(f"{name}:{getattr(gain, '__name__', gain)}" for name, gain in table.items()) + "}"


def _weights(pairs: list[tuple[Any, Any]], field: str, read: Any) -> FrozenTable:
    entries = []
    for name, weight in pairs:
        number = as_within(weight, f"{field}: the weight of {name}", 0, text=True)
        entries.append((read(name), number))
    if entries and not 0 < sum(weight for _, weight in entries) < float("inf"):
        raise InputError(
            f"{field} must add up to more than 0, not to {sum(weight for _, weight in entries):g}"
        )
    return FrozenTable(dict(entries))


def _pairs(value: Any, field: str) -> list[tuple[Any, Any]]:
    """Of a mapping, of pairs, or of text such as {a:1,b:2} or a=1,b=2."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, str):
        pairs = _written(value.strip(), field)
    elif isinstance(value, (tuple, list)) and all(
        isinstance(e, (tuple, list)) and len(e) == 2 for e in value
    ):
        pairs = [(name, entry) for name, entry in value]
    else:
        raise InputError(f"{field} must be a mapping or text, not {value!r}", hint="such as {a:0.7,b:0.3}")
    names = [str(name) for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{field}: {twice!r} appears twice", hint="state it once")
    return pairs


def _written(text: str, field: str) -> list[tuple[Any, Any]]:
    inside = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    pairs = []
    for entry in top_level(inside, ","):
        mark = ":" if len(top_level(entry, ":")) > 1 else "="
        name, *values = top_level(entry, mark)
        if len(values) != 1:
            raise InputError(f"{field}: {entry!r} is not name:value", hint="for example {a:0.7,b:0.3}")
        pairs.append((name, values[0]))
    return pairs


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
