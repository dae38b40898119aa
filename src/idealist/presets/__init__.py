"""Why two tools disagree about one ranking, and the conventions behind a number."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
