"""Results for people: one table, many formats."""

from __future__ import annotations

from idealist.reporting.table import FORMATS, Table

__all__ = ["FORMATS", "Table"]
