"""A/B tests: users in two groups, the numbers measured on them, and whether the candidate may ship."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
