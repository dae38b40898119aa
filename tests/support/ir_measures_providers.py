"""ir_measures: its measures by their text, and a provider of its own beside ours."""

from __future__ import annotations

from typing import Any

import pytest


def measure_called(text: str) -> Any:
    """The measure that ir_measures' text form names, which is an expression of its names.

    Its own parser needs `ast.Num`, which Python 3.14 has dropped.
    """
    import ir_measures

    return eval(text, dict(vars(ir_measures)))


def by_query(metrics: Any) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}


def same(own: Any, ours: Any, measures: list[Any], qrels: Any, run: Any, within: float = 1e-9) -> None:
    """Every value, and every aggregate, of one of ir_measures' own providers is ours too; where its value is nan,
    ours is 0."""
    found, expected = by_query(own.iter_calc(measures, qrels, run)), {}
    for key, value in found.items():
        expected[key] = value if value == value else 0.0
    assert by_query(ours.iter_calc(measures, qrels, run)) == pytest.approx(expected, abs=within)
    aggregated = ours.calc_aggregate(measures, qrels, run)
    for measure, value in own.calc_aggregate(measures, qrels, run).items():
        if value == value or found == expected:
            assert aggregated[measure] == pytest.approx(value, abs=within, nan_ok=True), measure
