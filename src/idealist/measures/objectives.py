"""Several objectives: documents with several grades, and several measures as one."""

from __future__ import annotations
