"""Idealist measures rankings."""

from __future__ import annotations

from importlib import import_module

from idealist.front import public_names
from idealist.results import show_with

__version__ = "0.1.0"
__all__, __getattr__, __dir__ = public_names(__name__)
# Results are shown by what stands right of them; only this module, the front, may import both.
show_with(lambda: import_module("idealist.reporting.views"))
