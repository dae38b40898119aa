"""Tables in parameters: how much each of several things counts, or what it is worth."""

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
