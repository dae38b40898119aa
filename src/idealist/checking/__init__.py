"""Checks of judgments and runs: errors, warnings and notes, and repaired copies of their files."""

from __future__ import annotations

from idealist.checking.repair import repair as repair  # its module has the same name
from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
