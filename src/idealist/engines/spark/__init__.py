"""Evaluation on Apache Spark: the same values as `idealist.evaluate`, to the last bit, where the data already is."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
