"""Evaluation of runs: one value per system, measure and query; one query explained; the agreement of two runs;
why two tools differ, and the conventions behind a number."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
