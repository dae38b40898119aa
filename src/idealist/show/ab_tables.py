"""A/B tests: every metric in both groups, the users of each, and the verdict."""

from __future__ import annotations

from idealist.base.wording import count_of, interval_title
from idealist.show.cells import ends_of, interval_cell, p_cell
from idealist.show.table import Table
from idealist.show.verdict_tables import VerdictBlock, verdict_lines
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.comparison.ab_tests import ABTest, GroupDifference
    from idealist.show.table import Cell


def ab_view(result: ABTest) -> View:
    return View(
        lambda: [_metrics(result), Lines(tuple(_lines(result)))],
        verdict=VerdictBlock(result.verdict),
        rows=lambda: _rows(result),
        record=lambda: _record(result),
        beside=verdict_lines(result.verdict),
    )


def _metrics(result: ABTest) -> Table:
    titles = ["metric", result.baseline, result.candidate, "difference"]
    rows: list[list[Cell]] = [
        [
            *(str(entry.metric), entry.baseline_value, entry.value, entry.difference),
            *(interval_cell(entry.interval), p_cell(entry.p_value)),
        ]
        for entry in result.differences
    ]
    return Table([*titles, interval_title(result.confidence), "p"], rows)


def _lines(result: ABTest) -> list[str]:
    ratio = result.ratio
    users = count_of(ratio.users + ratio.baseline_users, "user")
    groups = f"{result.baseline} {ratio.baseline_users:,}, {result.candidate} {ratio.users:,}"
    return [
        f"means over {users}: {groups}; the first metric decides",
        *(f"note: {note}" for note in result.notes),
    ]


def _rows(result: ABTest) -> Table:
    titles = ["metric", "baseline", "candidate", "baseline_value", "value", "difference", "low", "high", "p"]
    rows: list[list[Cell]] = [
        [str(entry.metric), result.baseline, result.candidate, *_numbers(entry)]
        for entry in result.differences
    ]
    return Table(titles, rows)


def _numbers(entry: GroupDifference) -> list[Cell]:
    return [entry.baseline_value, entry.value, entry.difference, *ends_of(entry.interval), entry.p_value]


def difference_view(entry: GroupDifference) -> View:
    titles = ["metric", "baseline_value", "value", "difference", "low", "high", "p"]
    table = Table(titles, [[str(entry.metric), *_numbers(entry)]])
    return View(lambda: [table], rows=lambda: table)


def _record(result: ABTest) -> dict[str, Any]:
    table, ratio = _rows(result), result.ratio
    return {
        "metrics": [dict(zip(table.titles, row, strict=True)) for row in table.rows],
        "sample_ratio": {
            **{name: getattr(ratio, name) for name in ratio.fields},
            "share": ratio.share,
            "in_both": result.in_both,
        },
        "confidence": result.confidence,
        "notes": list(result.notes),
        "verdict": result.verdict.to_dict(),
    }
