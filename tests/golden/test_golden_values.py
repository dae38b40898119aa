"""Values of measures do not change, nor differ from one processor to another, by a single bit (`make test-arm`)."""

from __future__ import annotations

from pathlib import Path

from golden import values

EXPECTED = Path(__file__).with_name("values.txt")


def test_values_are_the_same_to_the_last_bit() -> None:
    """What changed on purpose: `python tests/golden/values.py > tests/golden/values.txt`, and CHANGELOG says why."""
    assert list(values.lines()) == EXPECTED.read_text(encoding="utf-8").splitlines()
