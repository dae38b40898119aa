"""Judgment groups: several groups of people judged a query, and each has its say."""

from __future__ import annotations
