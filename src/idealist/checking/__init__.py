"""Checks of judgments and runs: errors, warnings and notes, and repaired copies of their files."""

from __future__ import annotations

from idealist.checking.checking import check
from idealist.checking.codes import CODES, Code
from idealist.checking.repair import Repaired, repair
from idealist.checking.result import CheckedFile, CheckResult, Finding, Location

__all__ = [
    "CODES",
    "CheckResult",
    "CheckedFile",
    "Code",
    "Finding",
    "Location",
    "Repaired",
    "check",
    "repair",
]
