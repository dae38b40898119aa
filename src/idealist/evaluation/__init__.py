"""Runs and judgments in, one value per system, measure and query out; one query explained; two runs side by side."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
