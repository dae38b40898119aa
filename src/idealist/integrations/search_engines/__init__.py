"""Search engines as sources of runs: `protocols`, how each is asked and answers; `fetching`, all queries of a file."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
