"""The list of trainers, and the one that a name means."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from idealist.errors import InputError
from idealist.learn.libraries import missing_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.trainers.base import Trainer

# The module of learn/trainers that each name is in; it holds them as TRAINERS, by name. In the order they are listed.
MODULES: dict[str, str] = {
    "linear": "neural",
    "mlp": "neural",
    "attention": "neural",
    "ascent": "ascent",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
    "adarank": "adarank",
    "rankboost": "rankboost",
    "regression": "regression",
    "mart": "forests",
    "lambdamart": "forests",
    "random-forest": "forests",
    "ranknet": "networks",
    "lambdarank": "networks",
    "listnet": "networks",
}
# What other tools call them.
OTHER_NAMES = {
    "lgbm": "lightgbm",
    "lgb": "lightgbm",
    "xgb": "xgboost",
    "gbdt": "lightgbm",
    "coordinate-ascent": "ascent",
    "transformer": "attention",
    "neural": "mlp",
    "random-forests": "random-forest",
}


def trainer_class(name: str) -> type[Trainer]:
    """The trainer of a name."""
    text = str(name).strip().lower().replace("_", "-")
    if text not in MODULES:
        near = OTHER_NAMES.get(text) or next(iter(get_close_matches(text, MODULES, 1)), None)
        suggestion = f"did you mean {near}? Name one of: " if near else "name one of: "
        raise InputError(f"there is no trainer {name!r}", hint=f"{suggestion}{', '.join(MODULES)}")
    try:
        trainers = import_module(f"idealist.learn.trainers.{MODULES[text]}").TRAINERS
    except ModuleNotFoundError as error:
        raise missing_library(f"training {text}", error) from None
    trainer: type[Trainer] = trainers[text]
    return trainer


def trainer_named(name: str, **parameters: Any) -> Trainer:
    """A trainer with these parameters.

    >>> trainer_named("ascent", restarts="2").parameters()["restarts"]
    2
    """
    cls = trainer_class(name)
    for field in parameters:
        if field not in cls.fields:
            near = next(iter(get_close_matches(field, cls.fields, 1)), None)
            suggestion = f"did you mean {near}? It has " if near else "it has "
            own = "; those of the library itself stand in options" if "options" in cls.fields else ""
            raise InputError(
                f"{cls.name} has no parameter {field!r}", hint=f"{suggestion}{', '.join(cls.fields)}{own}"
            )
    return cls(**parameters)
