"""Evaluation where the data is: one kernel over Arrow batches, and a thin module for each engine."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
