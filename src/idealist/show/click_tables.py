"""Models of clicks, estimates of what a run would be clicked, and interleaving."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries, interval_title, p_text, percent, range_text, signed
from idealist.show.cells import ends_of, interval_cell, number_cell, p_cell
from idealist.show.table import Table, filled_columns
from idealist.show.verdict_tables import VerdictBlock, verdict_lines
from idealist.show.view import Lines, Together, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from idealist.clicks.click_fitting import ClickFit
    from idealist.clicks.impression_plan import ImpressionPlan
    from idealist.clicks.interleaved_lists import InterleavedLists
    from idealist.clicks.interleaving import InterleavingResult
    from idealist.clicks.slate_estimates import SlateEstimates
    from idealist.show.table import Cell


def click_fit_view(fit: ClickFit) -> View:
    """Propensities and perplexities by position."""
    return View(
        lambda: [_positions(fit), Lines(tuple(_fit_lines(fit)))],
        rows=lambda: _fit_rows(fit),
        record=lambda: _fit_record(fit),
        beside=[f"note: {note}" for note in fit.notes],
    )


def _positions(fit: ClickFit) -> Table:
    titles = ["position", "propensity", interval_title(fit.confidence), "shown", "click rate"]
    titles += ["perplexity", "of the click rate"]
    rows: list[list[Cell]] = [
        [
            *(entry.position, number_cell(entry.propensity), interval_cell(entry.interval)),
            *(entry.shown, entry.click_rate, number_cell(entry.perplexity), number_cell(entry.baseline)),
        ]
        for entry in fit.positions
    ]
    return filled_columns(titles, rows)


def _fit_lines(fit: ClickFit) -> Iterator[str]:
    model = fit.model
    further = "".join(f"; {name} {value:.4f}" for name, value in model.further.items())
    yield f"{model.name}: {model.about}{further}; EM in {count_of(model.steps, 'step')}"
    log = f"{count_of(fit.impressions, 'impression')} of {count_queries(fit.queries)}"
    yield f"{log}, {count_of(fit.clicks, 'click')}"
    if fit.perplexity is not None and fit.baseline is not None:
        gain = (fit.baseline - fit.perplexity) / (fit.baseline - 1) if fit.baseline > 1 else 0.0
        yield (
            f"held out: {count_of(fit.held_out, 'impression')}; perplexity {fit.perplexity:.4f}, {fit.baseline:.4f} by the "
            f"click rate of each position (gain {percent(gain)})"
        )
    for note in fit.notes:
        yield f"note: {note}"


def _fit_rows(fit: ClickFit) -> Table:
    rows: list[list[Cell]] = [
        [
            *(entry.position, number_cell(entry.propensity), *ends_of(entry.interval), entry.shown),
            *(entry.click_rate, number_cell(entry.perplexity), number_cell(entry.baseline)),
        ]
        for entry in fit.positions
    ]
    return Table(
        ["position", "propensity", "low", "high", "shown", "click_rate", "perplexity", "baseline_perplexity"],
        rows,
    )


def _fit_record(fit: ClickFit) -> dict[str, Any]:
    table = _fit_rows(fit)
    return {
        "model": fit.model.name,
        **fit.model.further,
        "positions": [dict(zip(table.titles, row, strict=True)) for row in table.rows],
        "perplexity": fit.perplexity,
        "baseline_perplexity": fit.baseline,
        "log_likelihood": fit.log_likelihood,
        "held_out": fit.held_out,
        "impressions": fit.impressions,
        "queries": fit.queries,
        "clicks": fit.clicks,
        "steps": fit.model.steps,
        "settled": fit.model.settled,
        "confidence": fit.confidence,
        "notes": list(fit.notes),
    }


def slate_estimates_view(result: SlateEstimates) -> View:
    """Every estimator with its interval and the health of its weights."""
    return View(
        lambda: [_estimates(result), Lines(tuple(_estimate_lines(result)))],
        rows=lambda: _estimate_rows(result),
        record=lambda: _estimate_record(result),
        beside=[
            *(f"warning: {text}" for text in result.warnings),
            *(f"note: {note}" for note in result.notes),
        ],
    )


def _estimates(result: SlateEstimates) -> Table:
    rows: list[list[Cell]] = [
        ["the log itself", result.logged, interval_cell(result.logged_interval), None, None]
    ]
    rows += [
        [
            *(entry.estimator, number_cell(entry.value), interval_cell(entry.interval)),
            *(round(entry.effective), number_cell(entry.largest)),
        ]
        for entry in result.estimates
    ]
    titles = ["estimator", "clicks per impression", interval_title(result.confidence)]
    return Table([*titles, "effective n", "largest weight"], rows, rules=[1])


def _estimate_lines(result: SlateEstimates) -> Iterator[str]:
    log = f"{count_of(result.impressions, 'impression')} of {count_of(result.users, 'user')}"
    yield f"run {result.run}, its first {result.k} documents; {log}"
    yield (
        f"the log showed {percent(result.support)} of the run's documents at their places; its first document was the "
        f"run's in {percent(result.overlap)} of the impressions"
    )
    for text in result.warnings:
        yield f"warning: {text}"
    for note in result.notes:
        yield f"note: {note}"


def _estimate_rows(result: SlateEstimates) -> Table:
    rows: list[list[Cell]] = [["logged", result.logged, *ends_of(result.logged_interval), None, None]]
    rows += [
        [
            *(entry.estimator, number_cell(entry.value), *ends_of(entry.interval)),
            *(entry.effective, number_cell(entry.largest)),
        ]
        for entry in result.estimates
    ]
    return Table(["estimator", "value", "low", "high", "effective_n", "largest_weight"], rows)


def _estimate_record(result: SlateEstimates) -> dict[str, Any]:
    table = _estimate_rows(result)
    return {
        "run": result.run,
        "k": result.k,
        "estimates": [dict(zip(table.titles, row, strict=True)) for row in table.rows],
        "impressions": result.impressions,
        "users": result.users,
        "support": result.support,
        "overlap": result.overlap,
        "confidence": result.confidence,
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }


MOST_ROWS = 40


def interleaving_view(result: InterleavingResult) -> View:
    """Every system beside the baseline, with its verdict."""
    several = len(result.preferences) > 1
    verdicts = tuple(VerdictBlock(entry.verdict, entry.system * several) for entry in result.preferences)
    beside = [
        line for entry in result.preferences for line in verdict_lines(entry.verdict, entry.system * several)
    ]
    return View(
        lambda: [
            _preferences(result),
            Lines(tuple(_lines(result))),
            *([_offline(result)] if result.offline else ()),
        ],
        verdict=Together(verdicts),
        rows=lambda: _rows(result),
        record=lambda: _record(result),
        beside=beside,
    )


def _preferences(result: InterleavingResult) -> Table:
    titles = ["system", "beside", "preference", interval_title(result.confidence), "wins", "ties", "losses"]
    titles += ["p", "p (Holm)"]
    rows: list[list[Cell]] = [
        [
            *(entry.system, entry.baseline, entry.value, interval_cell(entry.interval)),
            *(entry.wins, entry.ties, entry.losses, p_cell(entry.p_value)),
            p_cell(entry.p_adjusted) if len(result.preferences) > 1 else None,
        ]
        for entry in result.preferences
    ]
    return filled_columns(titles, rows)


def _lines(result: InterleavingResult) -> Iterator[str]:
    units = "" if result.unit == "impressions" else f" of {count_of(result.units, 'user')}"
    clicked = percent(result.clicked / result.impressions)
    yield (
        "preference: how much more of a click the system is credited with than the baseline, on average; "
        f"{count_of(result.impressions, 'impression')}{units}, {clicked} with a click"
    )
    for entry in result.preferences:
        if entry.sequential is None:
            continue
        sequence = entry.sequential.interval
        level = 1 - sequence.confidence
        yield (
            f"sequential test of {entry.system}: p {p_text(entry.sequential.p_value)}, e-value "
            f"{entry.sequential.e_value:.3g}; you may stop at {1 / level:.4g} ({100 * level:.3g} %); preference at every "
            f"look: {range_text(sequence)}"
        )
    for note in result.notes:
        yield f"note: {note}"


def _offline(result: InterleavingResult) -> Table:
    """How soon clicks and judgments tell the systems apart."""
    rows: list[list[Cell]] = []
    for entry, preference in zip(result.offline, result.preferences, strict=True):
        rows.append(
            [
                *(entry.system, "clicks", preference.value, interval_cell(preference.interval)),
                p_cell(preference.p_value),
                f"{result.impressions:,} impressions",
                "" if entry.impressions_needed is None else f"{entry.impressions_needed:,} impressions",
                "",
            ]
        )
        rows.append(
            [
                *(entry.system, entry.measure, entry.difference, interval_cell(entry.interval)),
                p_cell(entry.p_value),
                f"{entry.queries:,} judged queries",
                "" if entry.queries_needed is None else f"{entry.queries_needed:,} judged queries",
                "agrees" if entry.agree else "DISAGREES",
            ]
        )
    titles = [
        "system",
        "by",
        "difference",
        interval_title(result.confidence),
        "p",
        "seen",
        "needed (80 % power)",
        "",
    ]
    return Table(titles, rows)


def _rows(result: InterleavingResult) -> Table:
    rows: list[list[Cell]] = [
        [
            *(entry.system, entry.baseline, entry.value, *ends_of(entry.interval)),
            *(entry.wins, entry.ties, entry.losses, entry.p_value, entry.p_adjusted),
            *(None if entry.sequential is None else entry.sequential.p_value, entry.verdict.outcome),
        ]
        for entry in result.preferences
    ]
    titles = ["system", "baseline", "preference", "low", "high", "wins", "ties", "losses", "p", "p_adjusted"]
    titles += ["always_valid_p", "verdict"]
    return Table(titles, rows)


def _record(result: InterleavingResult) -> dict[str, Any]:
    table = _rows(result)
    preferences = [
        {**dict(zip(table.titles, row, strict=True)), "verdict": entry.verdict.to_dict()}
        for row, entry in zip(table.rows, result.preferences, strict=True)
    ]
    offline = []
    for entry in result.offline:
        low, high = ends_of(entry.interval)
        offline.append(
            {
                **{name: getattr(entry, name) for name in entry.fields if name not in ("interval",)},
                "low": low,
                "high": high,
            }
        )
    return {
        "preferences": preferences,
        "impressions": result.impressions,
        "clicked": result.clicked,
        "units": result.units,
        "unit": result.unit,
        "confidence": result.confidence,
        "offline": offline,
        "notes": list(result.notes),
    }


def interleaved_lists_view(lists: InterleavedLists) -> View:
    """A row for every document."""
    columns = lists.columns
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    left = len(rows) - MOST_ROWS
    lines = (f"… and {left:,} more rows; to_frame and to_csv have all",) if left > 0 else ()
    return View(
        lambda: [Table(list(columns), rows[:MOST_ROWS]), Lines(lines)],
        rows=lambda: Table(list(columns), rows),
    )


def impression_plans_view(plans: Sequence[ImpressionPlan]) -> View:
    """How many impressions are needed, a row for each system."""
    lines = []
    for plan in plans:
        users = (
            ""
            if plan.per_user == 1
            else f", {plan.per_user:.3g} of them by one user"
            + ("" if plan.icc is None else f" with an ICC of {plan.icc:.3g}")
        )
        lines.append(
            f"{plan.impressions:,} impressions show a preference of {signed(plan.preference)} with {percent(plan.power)} "
            f"power at an alpha of {percent(plan.alpha)}, when {percent(plan.ties)} are tied{users} ({plan.source})."
        )
    titles = ["impressions", "preference", "ties", "per_user", "icc", "power", "alpha", "source"]
    rows: list[list[Cell]] = [[getattr(plan, title) for title in titles] for plan in plans]
    return View(lambda: [Lines(tuple(lines))], rows=lambda: Table(titles, rows))


def impression_plan_view(plan: ImpressionPlan) -> View:
    return impression_plans_view([plan])
