"""Figures of votes on many systems, of models of clicks, of interleaving, and of a machine as a judge."""

from __future__ import annotations

from collections import Counter

from idealist.base.wording import interval_title
from idealist.errors import InputError
from idealist.machine.answers import MachineGrade
from idealist.show import figures
from idealist.show.figures import Styled, canvas, short_name, whole_ticks
from idealist.show.html import BETTER, INK, SERIES, WORSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from idealist.clicks.click_fitting import ClickFit
    from idealist.clicks.interleaving import InterleavingResult
    from idealist.clicks.slate_estimates import SlateEstimates
    from idealist.evaluation.corrected import CorrectedMeans
    from idealist.machine.answers import MachineAnswers
    from idealist.machine.judge_quality import JudgeReport
    from idealist.statistics.mean_estimates import Interval
    from idealist.votes.rater_models import RaterModel
    from idealist.votes.system_ranking import SystemRanking


def draw_strengths(ranking: SystemRanking) -> Figure:
    """Every system's strength with its interval, the strongest first."""
    labels = [f"{short_name(entry.system)} ({entry.groups})" for entry in ranking.systems]
    points = [(entry.strength, entry.interval) for entry in ranking.systems]
    return draw_points(
        labels, points, title=f"log-strength, {interval_title(ranking.confidence)}", zero=0.0, judged=False
    )


def draw_corrected(corrected: CorrectedMeans) -> Figure:
    """Every mean by people and the machine together, by people alone and by the machine alone."""
    measures = list(dict.fromkeys(measure for _, measure in corrected))
    labels, points = [], []
    for (system, measure), estimate in corrected.items():
        name = f"{system} {measure.label}" if len(measures) > 1 else system
        labels += [f"{name}, corrected", "people", "machine"]
        points += [
            (estimate.value, estimate.interval),
            (estimate.human, estimate.human_interval),
            (estimate.machine, estimate.machine_interval),
        ]
    title = interval_title(corrected.confidence)
    if len(measures) == 1:
        title = f"{measures[0].label}, {title}"
    return draw_points(labels, points, title=title, judged=False)


@Styled()
def draw_answers(answers: MachineAnswers) -> Figure:
    """How often the model gave each grade or vote."""
    counts = Counter(row.grade if isinstance(row, MachineGrade) else row.vote for row in answers.rows)
    figure, axes = canvas(2.4)
    names = sorted(counts)
    axes.bar([str(name) for name in names], [counts[name] for name in names], color=SERIES[0], width=0.7)
    axes.set_xlabel(
        f"{'vote' if answers.questions.prompt.asks == 'votes' else 'grade'} by {short_name(answers.model)}"
    )
    axes.set_ylabel("answers")
    return figure


def draw_raters(model: RaterModel) -> Figure:
    """Every rater's accuracy by the model, with its interval."""
    labels = [f"{record.rater} (machine)" if record.machine else record.rater for record in model.raters]
    points = [(record.accuracy, record.interval) for record in model.raters]
    return draw_points(labels, points, title=f"accuracy, {interval_title(model.confidence)}", judged=False)


def draw_estimates(result: SlateEstimates) -> Figure:
    """What the run would be clicked by every estimator, beside the log."""
    labels = ["the log itself", *(entry.estimator for entry in result.estimates)]
    points = [
        (result.logged, result.logged_interval),
        *((entry.value, entry.interval) for entry in result.estimates),
    ]
    title = f"clicks per impression, {interval_title(result.confidence)}"
    return draw_points(labels, points, title=title, judged=False)


def draw_preferences(result: InterleavingResult) -> Figure:
    """Every system's preference over the baseline, with its interval."""
    labels = [entry.system for entry in result.preferences]
    points = [(entry.value, entry.interval) for entry in result.preferences]
    baseline = short_name(result.preferences[0].baseline)
    title = f"preference over {baseline}, {interval_title(result.confidence)}"
    return draw_points(labels, points, title=title, zero=0.0)


@Styled()
def draw_propensities(fit: ClickFit) -> Figure:
    """The propensity of every position, with its interval, and the click rate beside it."""
    figure, axes = canvas(2.6)
    positions = [entry.position for entry in fit.positions]
    first = fit.positions[0].click_rate
    if first > 0:
        rates = [entry.click_rate / first for entry in fit.positions]
        axes.plot(
            positions,
            rates,
            "s--",
            color=SERIES[1],
            markersize=4,
            label="click rate, over that of position 1",
        )
    axes.plot(
        positions, [entry.propensity for entry in fit.positions], "o-", color=SERIES[0], label="propensity"
    )
    for entry in fit.positions:
        if entry.interval is not None:
            ends = [entry.interval.low, entry.interval.high]
            axes.plot([entry.position] * 2, ends, color=SERIES[0], linewidth=2, solid_capstyle="butt")
    axes.set_ylim(bottom=0)
    whole_ticks(axes)
    axes.set_xlabel(f"position ({fit.model.name})")
    axes.legend()
    return figure


@Styled()
def draw_points(
    labels: Sequence[str],
    points: Sequence[tuple[float, Interval | None]],
    *,
    title: str,
    zero: float | None = None,
    judged: bool = True,
) -> Figure:
    """Numbers with their intervals, one below the other; where they are `judged`, intervals on one side of `zero`
    have the colour of better or worse."""
    figure, axes = canvas(0.9 + 0.26 * max(len(points), 2))
    for row, (value, interval) in enumerate(points):
        color = INK if judged else SERIES[0]
        if interval is not None:
            if judged and zero is not None and zero not in interval:
                color = BETTER if interval.low > zero else WORSE
            ends = [interval.low, interval.high]
            axes.plot(ends, [row, row], color=color, linewidth=2, solid_capstyle="butt")
        axes.plot([value], [row], "o", color=color, markersize=4.5)
    if zero is not None:
        axes.axvline(zero, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(points)), [short_name(label, 30) for label in labels])
    axes.set_ylim(len(points) - 0.5, -0.5)
    axes.locator_params(axis="x", nbins=5)
    axes.set_xlabel(title)
    return figure


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
