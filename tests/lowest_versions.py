"""Pins of the lowest versions that pyproject.toml allows, for make test-lowest: lowest_versions.py EXTRA…"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def lowest(requirement: str) -> str | None:
    """The pin of a requirement; None for one that is an extra of ours.

    >>> lowest("dask[dataframe]>=2026.8"), lowest("idealist[web]")
    ('dask==2026.8', None)
    """
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)", requirement)
    return None if match is None else f"{match[1]}=={match[2]}"


def pins(extras: list[str]) -> list[str]:
    """The pins of what Idealist needs, and of these extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    requirements = [*project["dependencies"]]
    for extra in extras:
        requirements += project["optional-dependencies"][extra]
    return sorted({pin for requirement in requirements if (pin := lowest(requirement))})


if __name__ == "__main__":
    print("\n".join(pins(sys.argv[1:])))
