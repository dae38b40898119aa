"""Clicks: what a log of clicks says about a ranking it was not made with."""

from __future__ import annotations
