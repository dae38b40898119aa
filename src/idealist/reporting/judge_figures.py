"""Figures of a report on a judge: the table of both judges' grades, and whom the machine favours."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.reporting import figures
from idealist.reporting.svg import INK, SERIES
from idealist.wording import interval_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from idealist.judges.judge_report import JudgeReport


@figures.Styled()
def draw_confusion(report: JudgeReport) -> Figure:
    """Human grades down, the machine's across: the darker, the larger its share of the row."""
    levels = [f"{level:g}" for level in report.levels]
    figure, axes = figures.canvas(0.5 * len(levels) + 1.2)
    for row, counts in enumerate(report.confusion):
        total = sum(counts)
        for column, count in enumerate(counts):
            share = count / total if total else 0.0
            axes.barh(row, 1, left=column - 0.5, height=1, color=SERIES[0], alpha=0.08 + 0.72 * share)
            text = f"{count:,}" if not total else f"{count:,}\n{100 * share:.0f} %"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=INK)
    axes.set_xticks(range(len(levels)), levels)
    axes.set_yticks(range(len(levels)), levels)
    axes.set_xlim(-0.5, len(levels) - 0.5)
    axes.set_ylim(len(levels) - 0.5, -0.5)
    axes.set_xlabel("grade of the machine")
    axes.set_ylabel("grade of people")
    return figure


@figures.Styled()
def draw_bias(report: JudgeReport) -> Figure:
    """How much higher the machine's mean of every system is, by the first measure."""
    if not report.orders:
        raise InputError("the report has no runs, so no bias of systems", hint="give runs to the report")
    order = report.orders[0]
    figure, axes = figures.canvas(0.35 * len(order.systems) + 1.1)
    for row, system in enumerate(order.systems):
        axes.plot([system.bias], [row], "o", color=SERIES[0], markersize=5)
        if system.interval is not None:
            axes.plot([system.interval.low, system.interval.high], [row, row], color=SERIES[0], linewidth=1.5)
    axes.axvline(0, color=INK, linewidth=0.8, alpha=0.5)
    axes.set_yticks(range(len(order.systems)), [figures.short_name(s.system) for s in order.systems])
    axes.set_ylim(len(order.systems) - 0.5, -0.5)
    axes.set_xlabel(f"{order.measure.label}: machine − people, {interval_title(report.confidence)}")
    return figure
