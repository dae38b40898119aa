"""Which module shows which result, and results as frames and figures."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.report.breakdowns import segments_view
from idealist.report.checks import check_view
from idealist.report.comparisons import comparison_view, contrast_view
from idealist.report.differences import difference_view, search_view
from idealist.report.evaluations import evaluation_view
from idealist.report.explanations import explanation_view
from idealist.report.plans import pilot_view
from idealist.report.raters import agreement_view
from idealist.report.rows import rows_view
from idealist.report.tuning import tuned_view
from idealist.report.verdicts import verdict_view
from idealist.report.votes import gsb_view, sequential_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.report.table import Cell
    from idealist.report.view import View
    from idealist.results import Result

INFINITE = {"∞": float("inf")}
# By the name of the class, so that showing one result imports no other's class.
VIEWS: dict[str, Callable[..., View]] = {
    "Agreement": agreement_view,
    "CheckResult": check_view,
    "Comparison": comparison_view,
    "Contrast": contrast_view,
    "Difference": difference_view,
    "Evaluation": evaluation_view,
    "Explanation": explanation_view,
    "GSB": gsb_view,
    "OpenDifferences": rows_view,
    "OpenDocuments": rows_view,
    "PairPilot": pilot_view,
    "SampledDocuments": rows_view,
    "SampledQueries": rows_view,
    "SamplingErrors": rows_view,
    "Search": search_view,
    "Segments": segments_view,
    "Sequential": sequential_view,
    "TunedFusion": tuned_view,
    "Verdict": verdict_view,
    "VotePilot": pilot_view,
}


def view(result: Result, **options: Any) -> View:
    """The result as it is shown; `options` are those of its module, such as by_query=True for an evaluation."""
    for cls in type(result).__mro__:
        if cls.__name__ in VIEWS:
            return VIEWS[cls.__name__](result, **options)
    raise InputError(f"nothing shows a {type(result).__name__}", hint=f"one of {', '.join(VIEWS)}")


def frame(result: Result, library: str) -> Any:
    """The rows of the view as a data frame; a title that is there twice gets a number."""
    from idealist.data.collection import frame_of

    rows = view(result).rows()
    columns: dict[str, list[Any]] = {}
    for at, title in enumerate(rows.titles):
        name = title or "note"
        name = name if name not in columns else f"{name} {at}"
        columns[name] = _column([row[at] for row in rows.rows])
    return frame_of(columns, library)


def _column(cells: list[Cell]) -> list[Any]:
    """The cells of one type: where there are numbers, what stands for none of them is nothing."""
    if not any(isinstance(cell, (int, float)) for cell in cells):
        return list(cells)
    numbers: list[Any] = [INFINITE.get(cell) if isinstance(cell, str) else cell for cell in cells]
    if any(isinstance(number, float) for number in numbers):
        return [None if number is None else float(number) for number in numbers]
    return numbers


def plot(result: Result, kind: str | None = None, **options: Any) -> Figure:
    """The result as a matplotlib Figure."""
    from idealist.report.plots import draw

    return draw(result, kind, **options)
