"""Idealist measures rankings."""

from __future__ import annotations

from importlib import import_module

from idealist.base.public_names import public_names
from idealist.base.results import show_with

__version__ = "0.1.0"


def _measure_called(name: str) -> str:
    """How a measure is written in Python that is called so in texts, here or by other tools: `MAP` is `AP()`."""
    if name.islower():  # a name of Python, written in other letters
        return ""
    try:
        measure = import_module("idealist.measures").parse(name)
    except ValueError:
        return ""
    package = __name__ if type(measure).__name__ in __all__ else f"{__name__}.measures"
    return f"{package}.{measure!r}"


__all__, __getattr__, __dir__ = public_names(__name__, likely=_measure_called)
# Results are shown by what stands right of them; only this module, the front, may import both.
show_with(lambda: import_module("idealist.show.views"))
