"""The registry of fusion methods, by name."""

from __future__ import annotations

from importlib import import_module

from idealist.errors import InputError
from idealist.fusion.base import Method, registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# In the order `idealist fuse --list` shows them.
FAMILIES = ("reciprocal", "combination", "votes", "weighted", "trained")


def methods() -> dict[str, type[Method]]:
    """Every method by its name.

    >>> list(methods())[:4]
    ['rrf', 'isr', 'log_isr', 'logn_isr']
    """
    for family in FAMILIES:
        import_module(f"idealist.fusion.families.{family}")
    family_order = {
        f"idealist.fusion.families.{family}": position for position, family in enumerate(FAMILIES)
    }
    all_methods = registered().items()
    return dict(sorted(all_methods, key=lambda pair: family_order.get(pair[1].__module__, len(family_order))))


def parse_method(method: str | Method, **parameters: Any) -> Method:
    """The method that a name means, in any case of letters, or by the name ranx has for it.

    >>> parse_method("RRF", k=10)
    RRF(k=10.0)
    >>> parse_method("mnz")
    CombMNZ()
    """
    if isinstance(method, Method):
        return method.replace(**_known(type(method), parameters)) if parameters else method
    cls = method if isinstance(method, type) and issubclass(method, Method) else _named(method)
    return cls(**_known(cls, parameters))


def _named(name: Any) -> type[Method]:
    plain_name = _plain(str(name))
    for method_name, cls in methods().items():
        if plain_name in map(_plain, (method_name, *cls.aliases)):
            return cls
    raise InputError(f"there is no fusion method {name!r}", hint=f"name one of: {', '.join(methods())}")


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "").replace("-", "")


def _known(cls: type[Method], parameters: dict[str, Any]) -> dict[str, Any]:
    for name in parameters:
        if name not in cls.fields:
            if name == "weights" and "run_weights" in cls.fields:
                raise InputError(
                    f"{cls.name} has no parameter 'weights', which elsewhere are those of queries",
                    hint="the weights of runs are called run_weights (--run-weights)",
                )
            if name == "normalize":
                raise InputError(
                    f"{cls.name} has no parameter 'normalize'",
                    hint="the normalisation of scores is called normalisation (--normalisation)",
                )
            parameter_names = ", ".join(field for field in cls.fields if field not in cls.learned)
            raise InputError(
                f"{cls.name} has no parameter {name!r}",
                hint=f"it has {parameter_names}" if parameter_names else "it has none",
            )
    return parameters
