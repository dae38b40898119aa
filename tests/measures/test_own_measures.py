"""Measures that users write: any list of numbers is taken, and what cannot be right is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import idealist as il

RUN, JUDGED = {"q": ["b", "a"], "r": ["c"]}, {"q": {"a": 1}, "r": {"c": 1}}


class FirstRelevant(il.Measure):
    """One over the rank of the first relevant document."""

    level: float = 1.0

    def values(self, rankings: Any) -> Any:
        return [
            max(
                (1 / rank for rank, grade in zip(r.ranks, r.grades, strict=True) if grade >= self.level),
                default=0,
            )
            for r in rankings
        ]


def test_a_list_of_numbers_is_enough() -> None:
    result = il.evaluate(RUN, JUDGED, [FirstRelevant(), "RR"])
    assert result.by_query(FirstRelevant()) == result.by_query("RR") == {"q": 0.5, "r": 1.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0], "gave 1 number for 2 queries"),
        (0.5, "gave 0.5, not a list of numbers"),
        (["x", "y"], r"gave \['x', 'y'\], not a list of numbers"),
    ],
)
def test_other_values_are_errors(given: Any, message: str) -> None:
    class Own(il.Measure):
        """What was given."""

        def values(self, rankings: Any) -> Any:
            return given

    with pytest.raises(il.InputError, match=f"^Own: values {message}"):
        il.evaluate(RUN, JUDGED, Own())


def test_an_array_is_taken_and_nan_is_undefined() -> None:
    class Own(il.Measure):
        """Undefined for the second query."""

        def values(self, rankings: Any) -> Any:
            return np.array([1.0, np.nan])

    assert il.evaluate(RUN, JUDGED, Own(), conventions="empty=zero").by_query(Own()) == {"q": 1.0, "r": 0.0}


def test_names_of_measures_here_are_taken() -> None:
    with pytest.raises(il.InputError, match=r"^a measure of idealist is called 'AP'"):

        class Own(il.Measure, name="AP"):
            """Another."""

    assert il.parse("AP") == il.AP()


def test_averaged_ties_are_refused_unless_the_measure_says_that_it_averages() -> None:
    with pytest.raises(il.InputError, match="has no closed form for averaged ties"):
        il.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a"]}, FirstRelevant(), conventions="ties=averaged")
