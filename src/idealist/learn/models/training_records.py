"""What is known of how a model was made: in how many rounds, and all of it in JSON, which has no nan (the value over no query
is null there)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def iterations(unit: str, used: int, run: int, limit: int, **more: int) -> dict[str, Any]:
    """What `training["iterations"]` says of a fit in rounds, epochs or passes: the one that the model is of, how many were
    run, and how many might have been. The measure there is `training["value"]`.

    >>> iterations("epoch", 12, 42, 200)
    {'iterations': {'unit': 'epoch', 'used': 12, 'run': 42, 'limit': 200}}
    """
    return {"iterations": {"unit": unit, "used": used, "run": run, "limit": limit, **more}}


def iterations_text(training: Mapping[str, Any]) -> str | None:
    """In words; None for a model that is not made in rounds.

    >>> iterations_text(iterations("epoch", 12, 42, 200)), iterations_text(iterations("round", 7, 7, 7))
    ('epoch 12 of 42 run (limit 200)', 'round 7 of 7 run')
    >>> iterations_text(iterations("pass", 3, 5, 25, restart=2, restarts=5))
    'pass 3 of 5 run (limit 25), restart 2 of 5'
    """
    made = training.get("iterations")
    if made is None:
        return None
    limit = f" (limit {made['limit']:,})" if made["run"] < made["limit"] else ""
    restart = f", restart {made['restart']} of {made['restarts']}" if "restart" in made else ""
    return f"{made['unit']} {made['used']:,} of {made['run']:,} run{limit}{restart}"


def training_record(training: Mapping[str, Any]) -> dict[str, Any]:
    """As it is written.

    >>> training_record({"trainer": "linear", "value": float("nan")})
    {'trainer': 'linear', 'value': None}
    """
    return _with_values(training, lambda value: None if value != value else value)


def training_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """As it was before it was written; a ValueError, TypeError or KeyError where it cannot have been so."""
    training = _with_values(record, lambda value: float("nan") if value is None else float(value))
    if "iterations" in training:
        made = training["iterations"]
        if not isinstance(made["unit"], str):
            raise TypeError("the unit of iterations is no text")
        numbers = {name: int(number) for name, number in made.items() if name != "unit"}
        training |= iterations(made["unit"], **numbers)
    return training


def _with_values(training: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy, with its `value` and each of its `values` changed."""
    changed = dict(training)
    if "value" in changed:
        changed["value"] = change(changed["value"])
    if "values" in changed:
        changed["values"] = [change(value) for value in changed["values"]]
    return changed
