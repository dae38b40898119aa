"""Checks of judgments and runs: errors, warnings and notes, and repaired copies of their files."""

from __future__ import annotations

from idealist.base.public_names import public_names
from idealist.checks.repaired_copies import repair as repair

__all__, __getattr__, __dir__ = public_names(__name__)
