"""Types of what functions take, for annotations of your own: `def tuned(runs: il.types.GivenRuns) -> …`."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
