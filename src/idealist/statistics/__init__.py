"""Statistics of plain numbers: intervals, tests, corrections; nothing of systems or votes."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
