"""What is known of how a model was made, in JSON, which has no nan: the value over no query is null there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def training_record(training: Mapping[str, Any]) -> dict[str, Any]:
    """As it is written.

    >>> training_record({"trainer": "linear", "value": float("nan")})
    {'trainer': 'linear', 'value': None}
    """
    return _with_values(training, lambda value: None if value != value else value)


def training_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """As it was before it was written."""
    return _with_values(record, lambda value: float("nan") if value is None else value)


def _with_values(training: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy, with its `value` and each of its `values` changed."""
    changed = dict(training)
    if "value" in changed:
        changed["value"] = change(changed["value"])
    if "values" in changed:
        changed["values"] = [change(value) for value in changed["values"]]
    return changed
