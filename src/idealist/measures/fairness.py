"""Fairness: how exposure is shared out among groups of documents."""

from __future__ import annotations
