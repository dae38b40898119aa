"""Agreement: how alike two rankings of the same documents are."""

from __future__ import annotations
