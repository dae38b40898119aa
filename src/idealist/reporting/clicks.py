"""Models of clicks by position, and estimates of what a run would be clicked."""

from __future__ import annotations

from idealist.reporting.cells import ends_of, interval_cell, number_cell
from idealist.reporting.table import Table, filled_columns
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, count_queries, interval_title, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.clicks.estimates import SlateEstimates
    from idealist.clicks.result import ClickFit
    from idealist.reporting.table import Cell


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
