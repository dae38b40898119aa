"""Measures: one class each, in its family's module; the registry is made of their classes."""

from __future__ import annotations

from idealist.base.public_names import public_names
from idealist.measures.naming import registry as registry

__all__, __getattr__, __dir__ = public_names(__name__)
