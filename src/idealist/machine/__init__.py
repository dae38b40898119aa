"""A machine as a judge: asking a model for grades or votes, keeping its answers, and what they are worth beside people's."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
