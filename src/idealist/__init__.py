"""Idealist measures rankings."""

from __future__ import annotations

from importlib import import_module

from idealist.front import public_names
from idealist.results import show_with

__version__ = "0.1.0"


def _measure_called(name: str) -> str:
    """How a measure is written in Python that is called so in texts, here or by other tools: `MAP` is `AP()`."""
    if name.islower():  # so are all modules, which Python asks for here before it looks for their files
        return ""
    try:
        measure = import_module("idealist.measures").parse(name)
    except ValueError:
        return ""
    return f"{__name__}.{measure!r}"


__all__, __getattr__, __dir__ = public_names(__name__, likely=_measure_called)
# Results are shown by what stands right of them; only this module, the front, may import both.
show_with(lambda: import_module("idealist.reporting.views"))
