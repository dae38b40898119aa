"""Systems compared with a baseline: differences and their uncertainty, segments of queries, the Pareto front;
from an interval, a margin and guards to a verdict; A/B tests."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
