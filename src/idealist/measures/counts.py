"""Counts: how many queries, documents and judgments there are."""

from __future__ import annotations
