"""From an interval, a margin and guards to a verdict: ship, block, undecided."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
