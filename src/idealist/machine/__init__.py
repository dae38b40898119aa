"""Machine labels: asking a model for grades or votes, and keeping its answers."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
