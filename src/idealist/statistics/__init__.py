"""How sure a number is: intervals, tests, corrections, power. It knows numbers only, not systems or votes."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
