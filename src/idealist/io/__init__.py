"""Files in, data out: one module per format."""

from __future__ import annotations

from idealist.io.trec import RunFile, read_judgments, read_run

__all__ = ["RunFile", "read_judgments", "read_run"]
