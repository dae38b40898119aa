"""Before judging: how many queries and votes are needed, which documents to judge, and samples of both."""

from __future__ import annotations

from idealist.base.public_names import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
