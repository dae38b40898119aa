"""Figures, drawn with matplotlib: what differs, by how much, and how sure that is.

Each function gives a matplotlib Figure, to be saved in any of its formats; `figure_svg` writes one for a page,
in colours that follow the reader's light or dark.
"""

from __future__ import annotations

from contextlib import ContextDecorator

from idealist.base.wording import count_text, interval_title
from idealist.errors import InputError, MissingDependency
from idealist.show.html import BETTER, INK, SAME, SERIES, WORSE, clean, figure_svg, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from idealist.evaluation.explanation import Explanation
    from idealist.statistics.resampling import Resampled

__all__ = [
    "draw_bootstrap",
    "draw_buildup",
    "draw_cutoffs",
    "draw_differences",
    "draw_gsb",
    "draw_intervals",
    "draw_scatter",
    "figure_svg",
    "require_matplotlib",
]

WIDTH = 4.6  # inches: wide enough for a column of a page, and readable on a telephone
LONGEST = 22  # characters of a name
MOST_BARS = 80
MOST_POINTS = 2_000
SIZES = 6  # of points
MARKERS = "osD^vP"
STYLE: Any = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "font.size": 9,
    "legend.frameon": False,
    "patch.linewidth": 0,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


def require_matplotlib() -> None:
    """Says what to install where figures cannot be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "matplotlib is not installed", hint="pip install 'idealist[figures]'"
        ) from None


class Styled(ContextDecorator):
    """Draws in our style, and leaves matplotlib's settings as they were."""

    def __enter__(self) -> None:
        require_matplotlib()
        from matplotlib import rc_context

        self._context = rc_context(STYLE)
        self._context.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._context.__exit__(*raised)


@Styled()
def draw_differences(
    values: Mapping[str, float],
    baseline: Mapping[str, float],
    *,
    measure: str = "value",
    system: str = "B",
    against: str = "A",
    better: str = "higher",
) -> Figure:
    """Every query's difference, the largest first; colours say which side is better.

    Both take what `Evaluation.by_query` gives; queries that only one of them has are left out.
    """
    differences = sorted((b - a for a, b in _pairs(values, baseline)), reverse=True)
    shown = _thinned(differences)
    figure, axes = canvas(2.7)
    # A step for each query where there are few, one for every n-th where there are many.
    width = len(differences) / len(shown)
    edges = [width * at for at in range(len(shown) + 1)]
    above, below = (BETTER, WORSE) if better != "lower" else (WORSE, BETTER)
    if better == "neither":
        above, below = SERIES[0], SERIES[0]
    for color, part in (
        (above, [max(height, 0.0) for height in shown]),
        (below, [min(height, 0.0) for height in shown]),
    ):
        if len(shown) <= MOST_BARS:
            axes.bar(edges[:-1], part, width=0.85 * width, align="edge", color=color)
        else:
            axes.stairs(part, edges, fill=True, color=color, linewidth=0)
    axes.axhline(0, color=INK, linewidth=0.8)
    mean = sum(differences) / len(differences)
    axes.axhline(mean, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_xlim(0, max(len(differences), 1))
    axes.set_xlabel(f"{len(differences):,} queries, by difference")
    axes.set_ylabel(f"{short_name(system, 15)} − {short_name(against, 15)}")
    axes.set_title(f"{clean(measure)}, query by query; dashed: the mean, {_signed(mean)}")
    return figure


@Styled()
def draw_scatter(
    values: Mapping[str, float],
    baseline: Mapping[str, float],
    *,
    measure: str = "value",
    system: str = "B",
    against: str = "A",
) -> Figure:
    """A point for each query: one system across, the other up; above the diagonal the second is higher."""
    pairs = _pairs(values, baseline)
    low, high = min(min(p) for p in pairs), max(max(p) for p in pairs)
    room = (high - low or 1.0) * 0.04
    figure, axes = canvas(3.4)
    axes.plot([low - room, high + room], [low - room, high + room], color=INK, linewidth=0.8, zorder=1)
    counts: dict[tuple[float, float], int] = {}
    cell = (high - low or 1.0) / 40
    for a, b in pairs:
        place = (a, b) if len(pairs) <= MOST_POINTS else (round(a / cell) * cell, round(b / cell) * cell)
        counts[place] = counts.get(place, 0) + 1
    largest = max(counts.values())
    # A few sizes, not one for each count: matplotlib writes a shape once for all points of a size.
    sized: dict[int, list[tuple[float, float]]] = {}
    for place, count in counts.items():
        sized.setdefault(count if largest <= SIZES else -(-SIZES * count // largest), []).append(place)
    for size, places in sorted(sized.items()):
        axes.scatter(
            *zip(*places, strict=True), s=10 * size, color=SERIES[0], alpha=0.6, linewidths=0, zorder=2
        )
    axes.set_xlim(low - room, high + room)
    axes.set_ylim(low - room, high + room)
    axes.set_aspect("equal")
    axes.set_xlabel(short_name(against))
    axes.set_ylabel(short_name(system))
    more = "; larger: more queries" if largest > 1 else ""
    axes.set_title(f"{clean(measure)}: a point a query{more}")
    return figure


@Styled()
def draw_buildup(*explanations: Explanation, names: Sequence[str] = ()) -> Figure:
    """How the value of one query adds up, rank by rank, and how the ideal list's does.

    Takes what `explain` gives, for one system or several on the same query.
    """
    if not explanations:
        raise InputError("there is no explanation to draw", hint="idealist.explain(judgments, run, query=…)")
    steps = [explanation for explanation in explanations if explanation.total is None]
    if steps:
        raise InputError(
            f"{steps[0].measure} is no sum over documents, which could be drawn as it adds up",
            hint="explain a measure such as nDCG, AP or RBP",
        )
    figure, axes = canvas(2.9)
    names = names or [""] * len(explanations)
    longest = max(explanations, key=lambda explanation: len(explanation.ideal))
    ideal = [document.running or 0.0 for document in longest.ideal]
    most = max(len(explanation.ranking) for explanation in explanations)
    ideal += ideal[-1:] * (most - len(ideal))
    for at, (explanation, name) in enumerate(zip(explanations, names, strict=True)):
        sums = [document.running or 0.0 for document in explanation.ranking]
        label = f"{short_name(name)} {explanation.value:.4f}".strip()
        _line(axes, list(range(1, len(sums) + 1)), sums, label, SERIES[at % len(SERIES)], MARKERS[at % 6])
    if ideal:  # last: a perfect ranking lies below it
        _line(axes, list(range(1, len(ideal) + 1)), ideal, "ideal", INK, "", (0, (4, 3)))
    whole_ticks(axes)
    axes.set_ylim(bottom=min(0.0, *axes.get_ylim()))
    axes.set_xlabel("rank")
    axes.set_ylabel(explanations[0].running_title or "sum")
    query = explanations[0].query
    of = f", query {short_name(query, 30)}" if query is not None else ""
    axes.set_title(f"{clean(explanations[0].measure.label)}{of}")
    _legend(figure, axes)
    return figure


@Styled()
def draw_cutoffs(curves: Mapping[str, Mapping[int, float]], *, measure: str = "value") -> Figure:
    """A measure's mean as the cut-off k grows: a line for each system, of its value by k."""
    figure, axes = canvas(2.9)
    ticks = sorted({k for curve in curves.values() for k in curve})
    if not ticks:
        raise InputError("there is no cut-off to draw", hint="{'bm25': {1: 0.31, 10: 0.42}}")
    for at, (name, curve) in enumerate(curves.items()):
        places = [ticks.index(k) for k in sorted(curve)]  # evenly spaced: cut-offs double or so
        heights = [curve[k] for k in sorted(curve)]
        _line(axes, places, heights, short_name(name), SERIES[at % len(SERIES)], MARKERS[at % 6])
    axes.set_xticks(range(len(ticks)), [str(k) for k in ticks])
    axes.set_xlabel("cut-off k")
    axes.set_ylabel("mean")
    axes.set_title(f"{clean(measure)} at k")
    _legend(figure, axes)
    return figure


@Styled()
def draw_intervals(contrasts: Sequence[Any], *, labels: Sequence[str] = ()) -> Figure:
    """Differences from the baseline with their intervals, one below the other.

    Takes contrasts, or anything with `system`, `measure`, `difference` and `interval` (None: only the point).
    """
    if not contrasts:
        raise InputError("there is no difference to draw", hint="compare two runs or more")
    systems = {contrast.system for contrast in contrasts}
    labels = labels or [
        contrast.measure.label
        if len(systems) == 1
        else f"{short_name(contrast.system, 14)} · {contrast.measure.label}"
        for contrast in contrasts
    ]
    figure, axes = canvas(0.9 + 0.26 * max(len(contrasts), 2))
    for row, contrast in enumerate(contrasts):
        better = contrast.measure.better
        color = INK
        if contrast.interval is not None:
            low, high = contrast.interval.low, contrast.interval.high
            if low > 0 or high < 0:
                color = (
                    SERIES[0]
                    if better == "neither"
                    else BETTER
                    if (low > 0) == (better == "higher")
                    else WORSE
                )
            axes.plot([low, high], [row, row], color=color, linewidth=2, solid_capstyle="butt")
        axes.plot([contrast.difference], [row], "o", color=color, markersize=4.5)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(contrasts)), [short_name(label, 30) for label in labels])
    axes.set_ylim(len(contrasts) - 0.5, -0.5)
    axes.locator_params(axis="x", nbins=5)
    interval = next((contrast.interval for contrast in contrasts if contrast.interval is not None), None)
    against = short_name(getattr(contrasts[0], "baseline", "") or "the baseline")
    # With several systems, each stands beside its point.
    of = f" of {short_name(contrasts[0].system)}" if len(systems) == 1 else ""
    axes.set_xlabel(
        f"difference{of} from {against}" + (f", {interval_title(interval.confidence)}" if interval else "")
    )
    return figure


@Styled()
def draw_gsb(result: Any) -> Figure:
    """Good, same and bad as shares of a bar, with GSB and its interval below.

    Takes what `gsb` gives, or anything with `good`, `same`, `bad`, `value` and `interval`.
    """
    total = result.good + result.same + result.bad
    if not total > 0:
        raise InputError("there is no vote to draw", hint="good, same and bad are all 0")
    figure, (bar, line) = canvas(1.9, rows=2)
    left = 0.0
    parts = (("good", result.good, BETTER), ("same", result.same, SAME), ("bad", result.bad, WORSE))
    for name, count, color in parts:
        bar.barh(
            0,
            count / total,
            left=left,
            color=color,
            label=f"{name} {count_text(count)} · {100 * count / total:.0f} %",
        )
        left += count / total
    bar.set_xlim(0, 1)
    bar.axis("off")
    bar.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=0.9, columnspacing=1.2)
    if result.interval is not None:
        low, high = result.interval.low, result.interval.high
        line.plot([low, high], [0, 0], color=INK, linewidth=2, solid_capstyle="butt")
    line.plot([result.value], [0], "o", color=INK, markersize=5)
    line.axvline(0, color=INK, linewidth=0.8)
    line.set_xlim(-1, 1)
    line.set_ylim(-1, 1)
    line.set_yticks([])
    line.spines["left"].set_visible(False)
    sure = f", {interval_title(result.interval.confidence)}" if result.interval is not None else ""
    line.set_xlabel(f"GSB {_signed(result.value)}{sure}; −1: all bad, 1: all good")
    return figure


@Styled()
def draw_bootstrap(
    values: Mapping[str, float],
    baseline: Mapping[str, float],
    *,
    measure: str = "value",
    interval: Any = None,
    resampled: Resampled | None = None,
    rounds: int = 5_000,
    seed: int = 0,
) -> Figure:
    """How the mean difference spreads when the queries are drawn again with replacement; `resampled` is what a
    contrast knows of that already."""
    from idealist.statistics.resampling import Resampled

    if resampled is None:
        differences = [b - a for a, b in _pairs(values, baseline)]
        resampled = Resampled(differences, rounds=rounds, seed=seed)
    figure, axes = canvas(2.6)
    shares, edges = resampled.histogram(40)
    if shares.any():
        axes.stairs(shares, edges, fill=True, color=SERIES[0], alpha=0.75, linewidth=0)
    axes.axvline(resampled.mean, color=INK, linewidth=1.2)
    if interval is not None:
        for end in (interval.low, interval.high):
            axes.axvline(end, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    if edges[0] <= 0 <= edges[-1] or abs(resampled.mean) < 2 * (edges[-1] - edges[0]):
        axes.axvline(0, color=SAME, linewidth=1.2)
    axes.locator_params(axis="x", nbins=6)
    axes.set_ylim(bottom=0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    ends = ", dashed: its interval" if interval is not None else ""
    how = f"{resampled.rounds:,} resamples" if resampled.drawn else "queries drawn again"
    axes.set_xlabel(f"mean difference of {clean(measure)}, {how}\nsolid: the mean{ends}, grey: no difference")
    return figure


def canvas(height: float, *, rows: int = 1) -> tuple[Figure, Any]:
    # Never pyplot: a Figure of its own needs no display, and changes nothing outside this call.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows)


def _pairs(values: Mapping[str, float], baseline: Mapping[str, float]) -> list[tuple[float, float]]:
    pairs = [(baseline[query], value) for query, value in values.items() if query in baseline]
    pairs = [(a, b) for a, b in pairs if a == a and b == b]
    if not pairs:
        raise InputError("the two systems share no query", hint="give the values of the same queries")
    return pairs


def _thinned(values: Sequence[float]) -> list[float]:
    if len(values) <= MOST_POINTS:
        return list(values)
    return [values[at * len(values) // MOST_POINTS] for at in range(MOST_POINTS)]


def _line(
    axes: Axes, x: Sequence[float], y: Sequence[float], label: str, color: str, marker: str, dash: Any = "-"
) -> None:
    marker = marker if len(x) <= 30 else ""
    axes.plot(x, y, color=color, label=label, linewidth=1.5, marker=marker, markersize=4, linestyle=dash)


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    fitting = max(1, min(len(labels), 3, 54 // (max(map(len, labels)) + 7)))  # columns of so many characters
    figure.legend(handles, labels, loc="outside lower center", ncols=fitting, handlelength=1.6)


def whole_ticks(axes: Axes) -> None:
    """No fractions below the axis: ranks and positions have none."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def short_name(name: str, longest: int = LONGEST) -> str:
    """A name for a figure, where there is little room."""
    return shortened(name, longest)
