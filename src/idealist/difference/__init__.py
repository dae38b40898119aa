"""Why two tools disagree about one ranking."""

from __future__ import annotations

from idealist.difference.search import Finding, Search, find_conventions
from idealist.difference.walk import Difference, Move, Step, why

__all__ = ["Difference", "Finding", "Move", "Search", "Step", "find_conventions", "why"]
