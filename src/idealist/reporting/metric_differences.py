"""The number of another library beside ours."""

from __future__ import annotations

from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def metric_difference_view(result: Any) -> View:
    """Both numbers, and the reasons below."""
    table = Table(
        ["", "measure", "value"],
        [[result.library, result.metric, result.theirs], ["idealist", result.measure, result.ours]],
    )
    reasons = result.reasons or ("both are the same",)
    record = {name: getattr(result, name) for name in type(result).fields}
    return View(
        lambda: [table, Lines(tuple(reasons))],
        rows=lambda: table,
        record=lambda: {**record, "reasons": list(result.reasons)},
        beside=list(reasons),
    )
