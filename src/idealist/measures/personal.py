"""Personalised measures: every user has gains, discounts and a cut-off of her own."""

from __future__ import annotations
