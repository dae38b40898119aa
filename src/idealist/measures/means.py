"""Geometric means: other ways to put the values of all queries together."""

from __future__ import annotations
