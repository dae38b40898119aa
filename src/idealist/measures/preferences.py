"""Preferences: judgments say which of two documents is better."""

from __future__ import annotations
