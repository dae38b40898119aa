"""Interleaving: several systems in one list, and which of them users prefer by their clicks."""

from __future__ import annotations

from idealist.front import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
