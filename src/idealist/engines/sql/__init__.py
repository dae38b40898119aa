"""Measures as SQL: the query that gives the values of `evaluate`, for tables that stay where they are."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
