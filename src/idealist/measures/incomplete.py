"""Incomplete judgments: what is known when not every document was judged."""

from __future__ import annotations
