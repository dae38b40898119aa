"""The feature table of docs/features.md, and what tools answer when they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from conftest import ROOT

PAGE = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
# Public names that contain one of these do what the row says.
FUNCTIONS = {
    "runs compared, with p-values": ("compare",),
    "fusion of runs": ("fuse",),
    "intervals and a verdict": ("interval", "verdict", "confidence"),
    "side-by-side votes": ("gsb", "votes", "side_by_side"),
}


def said_of(tool: str) -> dict[str, bool]:
    """What the table says of a tool: feature → yes or no."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if line.startswith("|")
    ]
    column = rows[0].index(tool)
    answers = {row[0]: row[column] for row in rows[2:] if len(row) == len(rows[0])}
    assert set(answers.values()) <= {"yes", "no"}
    return {feature: answer == "yes" for feature, answer in answers.items()}


def functions_in(names: Iterable[str]) -> dict[str, bool]:
    """Which rows about functions have one among these public names."""
    public = [name.lower() for name in names if not name.startswith("_")]
    return {
        feature: any(word in name for name in public for word in words)
        for feature, words in FUNCTIONS.items()
    }


def works(call: Callable[[], object]) -> bool:
    """Whether a tool does what it is asked for, and does not refuse it."""
    try:
        call()
    except (AttributeError, ImportError, KeyError, NotImplementedError, TypeError, ValueError):
        return False
    return True


def named_in_backticks(pattern: str) -> list[str]:
    return re.findall(rf"`({pattern})`", PAGE)
