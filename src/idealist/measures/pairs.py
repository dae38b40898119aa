"""Pairs: how often a better document stands above a worse one."""

from __future__ import annotations
