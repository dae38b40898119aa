"""Why two tools disagree about one ranking."""

from __future__ import annotations

from idealist.presets.search import Finding, Search, find_conventions
from idealist.presets.walk import Difference, Step, why

__all__ = ["Difference", "Finding", "Search", "Step", "find_conventions", "why"]
