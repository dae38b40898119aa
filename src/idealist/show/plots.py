"""Plots of results: their numbers, handed to the figures."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.show import evidence_figures, figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.base.results import Result
    from idealist.comparison import Comparison, Contrast
    from idealist.evaluation import Evaluation
    from idealist.evaluation.explanation import Explanation
    from idealist.measures import Measure
    from idealist.votes.gsb_result import GSB

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
DOTS = 200  # per inch of a PNG


def require_figure_name(path: str) -> str:
    """The format that a figure's file is written in: "png" or "svg", by its ending."""
    ending = path.rpartition(".")[2].lower()
    if "." not in path or ending not in ("png", "svg"):
        raise InputError(f"{path}: figures are written as PNG or SVG", hint="name it .png or .svg")
    return ending


def figure_bytes(figure: Figure, path: str, *, title: str = "") -> bytes:
    """The figure as the file of this name holds it: the same bytes every time."""
    if require_figure_name(path) == "svg":
        return figures.figure_svg(figure, title=title).encode()
    import io

    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DOTS, metadata={"Software": None})
    return out.getvalue()


def draw(result: Result, kind: str | None = None, **options: Any) -> Figure:
    """The figure of this kind, or the first that the result has."""
    for cls in type(result).__mro__:
        if cls.__name__ in PLOTS:
            known = PLOTS[cls.__name__]
            chosen = next(iter(known)) if kind is None else kind
            if chosen not in known:
                raise InputError(
                    f"a {cls.__name__} has no plot {kind!r}", hint=f"name one of: {', '.join(known)}"
                )
            return known[chosen](result, **options)
    raise InputError(f"a {type(result).__name__} cannot be drawn", hint=f"these can: {', '.join(PLOTS)}")


def draw_differences(contrast: Contrast) -> Figure:
    """Every query's difference, the largest first."""
    return figures.draw_differences(*_values(contrast), better=contrast.measure.better, **_names(contrast))


def draw_scatter(contrast: Contrast) -> Figure:
    """A point for each query: the baseline across, the system up."""
    return figures.draw_scatter(*_values(contrast), **_names(contrast))


def draw_bootstrap(contrast: Contrast) -> Figure:
    """How the mean difference spreads when queries are drawn again; the interval is the bootstrap's."""
    interval = contrast.bootstrap if contrast.interval is not None else None
    return figures.draw_bootstrap(*_values(contrast), measure=contrast.measure.label, interval=interval)


def draw_intervals(comparison: Comparison) -> Figure:
    """All differences from the baseline, with their intervals."""
    return figures.draw_intervals(comparison.contrasts)


def draw_votes(result: GSB) -> Figure:
    """Good, same and bad as shares of a bar, with GSB and its interval."""
    return figures.draw_gsb(result)


def draw_buildup(explanation: Explanation) -> Figure:
    """How the discounted gains add up, rank by rank, beside the ideal list's."""
    return figures.draw_buildup(explanation)


def draw_cutoffs(evaluation: Evaluation) -> Figure:
    """Means by cut-off, for an evaluation that has a measure at several, such as nDCG@1, nDCG@5 and nDCG@10."""
    label, curves = cutoff_curves(evaluation)
    if not any(curves.values()):
        raise InputError(
            "no measure here has a cut-off", hint="evaluate one at several: nDCG@1, nDCG@5, nDCG@10"
        )
    return figures.draw_cutoffs(curves, measure=label)


def cutoff_curves(evaluation: Evaluation) -> tuple[str, dict[str, dict[int, float]]]:
    """The measure that has most cut-offs here, and by system and cut-off its mean."""
    by_name: dict[Measure, dict[int, Measure]] = {}
    for measure in evaluation.measures:
        k = getattr(measure, "k", None)
        if k is not None:
            by_name.setdefault(measure.replace(k=None), {})[k] = measure
    if not by_name:
        return "", {}
    whole, at_k = max(by_name.items(), key=lambda item: len(item[1]))
    curves = {
        system: {
            k: mean
            for k, measure in sorted(at_k.items())
            if (mean := evaluation.aggregate(measure, system)) == mean
        }
        for system in evaluation.systems
    }
    return whole.label, curves


def at_cutoffs(measures: Sequence[Measure]) -> list[Measure]:
    """The first of the measures that has a cut-off, at several; none where no measure has one."""
    measure: Any = next((item for item in measures if getattr(item, "k", None) is not None), None)
    return [] if measure is None else [measure.replace(k=k) for k in sorted({*CUTOFFS, measure.k})]


def _of_contrast(kind: Callable[[Contrast], Figure]) -> Callable[..., Figure]:
    """The same picture of a comparison: of its first contrast, unless a system and a measure are named."""

    def drawn(comparison: Comparison, system: str | None = None, measure: Any = None) -> Figure:
        if system is None and measure is None:
            return kind(comparison.contrasts[0])
        named = comparison.systems[0] if system is None else system
        return kind(comparison[named, comparison.measures[0] if measure is None else measure])

    return drawn


def _values(contrast: Contrast) -> tuple[dict[str, float], dict[str, float]]:
    paired = contrast.paired
    return (
        dict(zip(paired.queries, paired.values, strict=True)),
        dict(zip(paired.queries, paired.baseline_values, strict=True)),
    )


def _names(contrast: Contrast) -> dict[str, Any]:
    return {
        "measure": contrast.measure.label,
        "system": contrast.system,
        "against": contrast.baseline,
    }


# By the name of the class, the kinds that it has; the first is drawn where none is named.
PLOTS: dict[str, dict[str, Callable[..., Figure]]] = {
    "Evaluation": {"cutoffs": draw_cutoffs},
    "Comparison": {
        "intervals": draw_intervals,
        "differences": _of_contrast(draw_differences),
        "scatter": _of_contrast(draw_scatter),
        "bootstrap": _of_contrast(draw_bootstrap),
    },
    "Contrast": {
        "differences": draw_differences,
        "scatter": draw_scatter,
        "bootstrap": draw_bootstrap,
    },
    "GSB": {"votes": draw_votes},
    "CorrectedMeans": {"corrected": evidence_figures.draw_corrected},
    "MachineAnswers": {"answers": evidence_figures.draw_answers},
    "ClickFit": {"propensities": evidence_figures.draw_propensities},
    "InterleavingResult": {"preferences": evidence_figures.draw_preferences},
    "RaterModel": {"raters": evidence_figures.draw_raters},
    "SlateEstimates": {"estimates": evidence_figures.draw_estimates},
    "SystemRanking": {"strengths": evidence_figures.draw_strengths},
    "JudgeReport": {
        "confusion": evidence_figures.draw_confusion,
        "bias": evidence_figures.draw_bias,
    },
    "Explanation": {"buildup": draw_buildup},
}
