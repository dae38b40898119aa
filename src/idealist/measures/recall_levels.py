"""Precision at levels of recall, and at multiples of the number of relevant documents."""

from __future__ import annotations
