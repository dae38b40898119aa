"""Clicks of users: models of clicks, propensities, estimates for lists that were not shown, simulated logs,
and interleaving, several systems in one list and which of them users prefer."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
