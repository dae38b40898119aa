"""Which module shows which result, and results as frames and figures."""

from __future__ import annotations

from importlib import import_module

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.base.results import Result
    from idealist.show.table import Cell
    from idealist.show.view import View

INFINITE = {"∞": float("inf")}
# By the name of the class: the module that shows it, and its function there. A module is imported when it is first
# needed, as showing means should not take what showing a comparison takes.
VIEWS: dict[str, tuple[str, str]] = {
    "ABTest": ("experiments", "ab_view"),
    "Agreement": ("raters", "agreement_view"),
    "CorrectedMeans": ("corrections", "corrected_view"),
    "CheckResult": ("checks", "check_view"),
    "ClusterComparison": ("clusters", "cluster_view"),
    "ClusterSummary": ("clusters", "cluster_view"),
    "ClickFit": ("clicks", "click_fit_view"),
    "Comparison": ("comparisons", "comparison_view"),
    "Contrast": ("comparisons", "contrast_view"),
    "ToolDifference": ("differences", "difference_view"),
    "EngineEvaluation": ("clusters", "evaluation_view"),
    "Estimate": ("machine_answers", "estimate_view"),
    "Evaluation": ("evaluations", "evaluation_view"),
    "Explanation": ("explanations", "explanation_view"),
    "FetchedRun": ("fetched", "fetched_view"),
    "Finding": ("checks", "finding_view"),
    "GSB": ("votes", "gsb_view"),
    "GroupDifference": ("experiments", "difference_view"),
    "ImpressionPlan": ("interleaving", "impression_plan_view"),
    "InterleavedLists": ("interleaving", "interleaved_lists_view"),
    "InterleavingResult": ("interleaving", "interleaving_view"),
    "JudgeReport": ("judges", "judge_view"),
    "JudgmentDraw": ("draws", "draw_view"),
    "LawResults": ("rows", "rows_view"),
    "MachineAnswers": ("machine_answers", "answers_view"),
    "MetricDifference": ("metric_differences", "metric_difference_view"),
    "OpenDifferences": ("rows", "rows_view"),
    "OpenDocuments": ("rows", "rows_view"),
    "PairPilot": ("plans", "pilot_view"),
    "RaterModel": ("rater_models", "rater_model_view"),
    "PoweredMean": ("corrections", "powered_view"),
    "Report": ("report", "report_view"),
    "Risk": ("rows", "row_view"),
    "Risks": ("comparisons", "risks_view"),
    "SampleRatio": ("rows", "row_view"),
    "SampledDocuments": ("rows", "rows_view"),
    "SampledQueries": ("rows", "rows_view"),
    "SamplingErrors": ("rows", "rows_view"),
    "ConventionSearch": ("differences", "search_view"),
    "Segment": ("rows", "row_view"),
    "Segments": ("breakdowns", "segments_view"),
    "Sequential": ("votes", "sequential_view"),
    "SlateEstimates": ("clicks", "slate_estimates_view"),
    "SystemRanking": ("system_rankings", "system_ranking_view"),
    "TieBounds": ("rows", "row_view"),
    "TunedFusion": ("tuning", "tuned_view"),
    "Verdict": ("verdicts", "verdict_view"),
    "VotePilot": ("plans", "pilot_view"),
}


def view(result: Result, **options: Any) -> View:
    """The result as it is shown; `options` are those of its module, such as by_query=True for an evaluation."""
    for cls in type(result).__mro__:
        if cls.__name__ in VIEWS:
            module, name = VIEWS[cls.__name__]
            show: Callable[..., View] = getattr(import_module(f"idealist.show.{module}"), name)
            known = show.__kwdefaults__ or {}
            for option in options:
                if option not in known:
                    raise InputError(
                        f"a {cls.__name__} is shown without an option {option}",
                        hint=f"it has {', '.join(known)}" if known else "it has none",
                    )
            return show(result, **options)
    raise InputError(f"a {type(result).__name__} cannot be shown", hint=f"these can: {', '.join(VIEWS)}")


def frame(result: Result, library: str) -> Any:
    """The rows of the view as a data frame; a title that is there twice gets a number."""
    from idealist.data.collection import frame_of

    rows = view(result).rows()
    columns: dict[str, list[Any]] = {}
    for at, title in enumerate(rows.titles):
        name = title or "note"
        name = name if name not in columns else f"{name} {at}"
        cells = [row[at] for row in rows.rows]
        of_ids = title.removeprefix("ideal ") in result.whole_number_columns
        columns[name] = _whole_numbers(cells) if of_ids else _column(cells)
    return frame_of(columns, library)


def _whole_numbers(ids: list[Cell]) -> list[Any]:
    """Ids as the whole numbers that they were; as text where one of them was none after all."""
    try:
        return [None if name is None else int(str(name)) for name in ids]
    except ValueError:
        return list(ids)


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
    from idealist.show.plots import draw

    return draw(result, kind, **options)
