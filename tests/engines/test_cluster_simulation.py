"""The simulation of a cluster's stages in docs/scale.md prints what the page shows, and follows from arithmetic."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT

SIMULATION = ROOT / "benchmarks" / "cluster_stages.py"


def simulated(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SIMULATION), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_page_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    block = re.search(
        r"^\$ python benchmarks/cluster_stages.py([^\n]*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL
    )
    assert block is not None
    assert simulated(*block[1].split()) == block[2]


def test_the_cores_share_the_work() -> None:
    """10^7 users × 110 rows at 10^6 rows a second are 1,100 core seconds, 0.31 core hours; tasks of random length have
    exp(0.2² / 2) = 1.02 times that on average. 40 cores never take less than a fortieth."""
    text = simulated("--users", "10000000", "--executors", "10", "--stragglers", "0", "--failures", "0")
    hours = float(re.search(r"CPU: ([\d.]+) core hours", text)[1])  # type: ignore[index]
    minutes = float(re.search(r"both: ([\d.]+) minutes", text)[1])  # type: ignore[index]
    assert hours == pytest.approx(1.1e9 / 1e6 / 3600 * 1.02, abs=0.05)
    assert minutes >= round(hours * 60 / 40, 1) - 0.1
