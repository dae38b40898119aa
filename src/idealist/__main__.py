"""`python -m idealist` is `idealist`."""

from __future__ import annotations

from idealist.cli import entry

entry()
