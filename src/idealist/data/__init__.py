"""Judgments, runs, and the rankings they make together; votes and tables; readers of each, from files and frames."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
