"""Fusion: the methods and normalisations as a list, and what was tuned."""

from __future__ import annotations

from idealist.fusion import NORMALISATIONS, Method
from idealist.show.cells import number_cell
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.fusion.tuning import Candidate, TunedFusion
    from idealist.show.table import Cell


def methods_view() -> View:
    """Every method with its parameters, what it looks at and what it is; then the normalisations."""
    rows: list[list[Cell]] = [
        [name, _parameters(cls), cls.normalisation if cls.looks_at != "ranks" else "ranks", _summary(cls)]
        for name, cls in Method.all().items()
    ]
    first = len(rows)
    rows += [
        [f"--normalisation {name}", "", "", _summary(normalisation)]
        for name, normalisation in NORMALISATIONS.items()
    ]
    table = Table(["method", "parameters", "usually on", "what it is"], rows, rules={first})
    return View(lambda: [table], rows=lambda: table)


def _parameters(method: type[Method]) -> str:
    """The parameters that a user may set, with their defaults."""
    fields = [field for field in method.fields if field not in method.learned]
    defaults = {field: getattr(method, field) for field in fields}
    return ", ".join(
        field if default is None else f"{field}={default}" for field, default in defaults.items()
    )


def _summary(thing: object) -> str:
    return (thing.__doc__ or "").partition("\n")[0]


MOST_SHOWN = 10


def tuned_view(tuned: TunedFusion, *, seed: int | None = None) -> View:
    """The best of what was tried; `seed` is that of the folds, where it is known."""
    ordered = _ordered(tuned)
    rows: list[list[Cell]] = [[name, number_cell(value), "run alone"] for name, value in tuned.singles]
    rows += [
        [str(candidate), number_cell(candidate.value), "chosen" if candidate is tuned.best else ""]
        for candidate in ordered[:MOST_SHOWN]
    ]
    rows.append(["cross-validated", number_cell(tuned.cross_validated), f"{len(tuned.folds)} folds"])
    chosen = len(tuned.singles) + ordered.index(tuned.best)
    table = Table(
        ["system", str(tuned.measure), ""],
        rows,
        rules={len(tuned.singles), len(rows) - 1},
        best={(chosen, 1)},
    )
    return View(
        lambda: [table, Lines(tuple(_lines(tuned, len(ordered), seed)))],
        rows=lambda: _rows(tuned, ordered),
        record=lambda: tuned_record(tuned),
        compact=True,
    )


def _lines(tuned: TunedFusion, tried: int, seed: int | None) -> list[str]:
    left = tried - MOST_SHOWN
    queries = sum(fold.queries for fold in tuned.folds)
    different = len({fold.chosen for fold in tuned.folds})
    seeded = "" if seed is None else f" (seed {seed})"
    return [
        *([f"and {left:,} more that were tried"] if left > 0 else []),
        f"{tuned.best}: the best of {tried:,} tried on all {queries:,} queries, so its value is flattered",
        f"cross-validated: chosen on {len(tuned.folds) - 1} folds, measured on the other{seeded}; "
        + ("every fold chose the same" if different == 1 else f"the folds chose {different} different ones"),
        _compared_with_the_best_run(tuned),
    ]


def _ordered(tuned: TunedFusion) -> list[Candidate]:
    """The candidates, best first; equal ones in the order they were tried, as the choice has it."""
    sign = 1.0 if tuned.measure.better == "lower" else -1.0
    return sorted(
        tuned.candidates,
        key=lambda candidate: sign * candidate.value if candidate.value == candidate.value else float("inf"),
    )


def _compared_with_the_best_run(tuned: TunedFusion) -> str:
    lower = tuned.measure.better == "lower"
    name, value = (min if lower else max)(tuned.singles, key=lambda single: single[1])
    gain = (value - tuned.cross_validated) if lower else (tuned.cross_validated - value)
    if gain > 0:
        return f"on queries not seen, fusing is better than {name}, the best run alone, by {gain:.4f}"
    return f"on queries not seen, fusing is no better than {name} alone ({value:.4f})"


def _rows(tuned: TunedFusion, ordered: list[Candidate]) -> Table:
    """All that were tried, for machines."""
    rows: list[list[Cell]] = [[name, number_cell(value), "run alone"] for name, value in tuned.singles]
    rows += [
        [str(candidate), number_cell(candidate.value), "chosen" if candidate is tuned.best else ""]
        for candidate in ordered
    ]
    rows.append(["cross-validated", number_cell(tuned.cross_validated), f"{len(tuned.folds)} folds"])
    return Table(["system", str(tuned.measure), ""], rows)


def tuned_record(tuned: TunedFusion) -> dict[str, Any]:
    """The record of what was tried and chosen, for JSON."""
    return {
        "measure": str(tuned.measure),
        "chosen": _candidate_record(tuned.best),
        "cross_validated": number_cell(tuned.cross_validated),
        "folds": [
            {"chosen": item.chosen, "queries": item.queries, "value": number_cell(item.value)}
            for item in tuned.folds
        ],
        "singles": [{"run": name, "value": number_cell(value)} for name, value in tuned.singles],
        "candidates": [_candidate_record(item) for item in tuned.candidates],
    }


def _candidate_record(candidate: Candidate) -> dict[str, Any]:
    method = candidate.method
    parameters = {field: getattr(method, field) for field in method.fields if field not in method.learned}
    return {
        "method": method.name,
        "parameters": parameters,
        "normalisation": candidate.normalisation,
        "value": number_cell(candidate.value),
    }
