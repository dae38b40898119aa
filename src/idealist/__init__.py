"""Idealist measures rankings: every one is held against its ideal list."""

from __future__ import annotations

from idealist.front import public_names

__version__ = "0.1.0"
__all__, __getattr__, __dir__ = public_names(__name__)
