"""All methods of fusion, and the one that a name means."""

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
    places = {f"idealist.fusion.families.{family}": at for at, family in enumerate(FAMILIES)}
    known = registered().items()
    return dict(sorted(known, key=lambda pair: places.get(pair[1].__module__, len(places))))


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
    wanted = _plain(str(name))
    for known, cls in methods().items():
        if wanted in map(_plain, (known, *cls.aliases)):
            return cls
    raise InputError(f"there is no method of fusion {name!r}", hint=f"there are {', '.join(methods())}")


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "").replace("-", "")


def _known(cls: type[Method], parameters: dict[str, Any]) -> dict[str, Any]:
    for name in parameters:
        if name not in cls.fields:
            there = ", ".join(field for field in cls.fields if field not in cls.learned)
            raise InputError(
                f"{cls.name} has no parameter {name!r}", hint=f"it has {there}" if there else "it has none"
            )
    return parameters
