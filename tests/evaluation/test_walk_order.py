"""The walk between two conventions makes every choice there is."""

from __future__ import annotations

from idealist.conventions import CHOICES
from idealist.evaluation.tool_differences import ORDER
from idealist.measures.measure_parameters import PARAMETERS


def test_every_choice_has_its_place_in_the_walk() -> None:
    assert sorted(ORDER) == sorted([*CHOICES, *PARAMETERS])
