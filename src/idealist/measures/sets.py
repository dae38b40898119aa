"""Set measures: what was retrieved as a whole, whatever its order."""

from __future__ import annotations
