"""Results as views, frames and figures: finds the module that shows a result."""

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
    "ABTest": ("ab_tables", "ab_view"),
    "Agreement": ("vote_tables", "agreement_view"),
    "CorrectedMeans": ("corrected_tables", "corrected_view"),
    "CheckResult": ("check_tables", "check_view"),
    "ClusterComparison": ("engine_tables", "cluster_view"),
    "ClusterSummary": ("engine_tables", "cluster_view"),
    "ClickFit": ("click_tables", "click_fit_view"),
    "Comparison": ("comparison_tables", "comparison_view"),
    "Contrast": ("comparison_tables", "contrast_view"),
    "ToolDifference": ("convention_tables", "difference_view"),
    "EngineEvaluation": ("engine_tables", "evaluation_view"),
    "Estimate": ("machine_tables", "estimate_view"),
    "Evaluation": ("evaluation_tables", "evaluation_view"),
    "Explanation": ("explanation_tables", "explanation_view"),
    "FetchedRun": ("engine_tables", "fetched_view"),
    "Finding": ("check_tables", "finding_view"),
    "GSB": ("vote_tables", "gsb_view"),
    "GroupDifference": ("ab_tables", "difference_view"),
    "ImpressionPlan": ("click_tables", "impression_plan_view"),
    "InterleavedLists": ("click_tables", "interleaved_lists_view"),
    "InterleavingResult": ("click_tables", "interleaving_view"),
    "JudgeReport": ("machine_tables", "judge_view"),
    "JudgmentDraw": ("plan_tables", "draw_view"),
    "LawResults": ("view", "rows_view"),
    "MachineAnswers": ("machine_tables", "answers_view"),
    "MetricDifference": ("engine_tables", "metric_difference_view"),
    "OpenDifferences": ("view", "rows_view"),
    "OpenDocuments": ("view", "rows_view"),
    "PairPilot": ("plan_tables", "pilot_view"),
    "RaterModel": ("vote_model_tables", "rater_model_view"),
    "PoweredMean": ("corrected_tables", "powered_view"),
    "Report": ("reporting", "report_view"),
    "Risk": ("view", "row_view"),
    "Risks": ("comparison_tables", "risks_view"),
    "SampleRatio": ("view", "row_view"),
    "SampledDocuments": ("view", "rows_view"),
    "SampledQueries": ("view", "rows_view"),
    "SamplingErrors": ("view", "rows_view"),
    "ConventionSearch": ("convention_tables", "search_view"),
    "Segment": ("view", "row_view"),
    "Segments": ("segment_tables", "segments_view"),
    "Sequential": ("vote_tables", "sequential_view"),
    "SlateEstimates": ("click_tables", "slate_estimates_view"),
    "SystemRanking": ("vote_model_tables", "system_ranking_view"),
    "TieBounds": ("view", "row_view"),
    "TunedFusion": ("fusion_tables", "tuned_view"),
    "Verdict": ("verdict_tables", "verdict_view"),
    "VotePilot": ("plan_tables", "pilot_view"),
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
