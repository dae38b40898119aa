"""Raters as a model: each rater, the classes, and known answers, beside majority voting."""

from __future__ import annotations

from idealist.reporting.cells import ends_of, interval_cell, number_cell
from idealist.reporting.table import Table, filled_columns
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, interval_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.reporting.table import Cell
    from idealist.votes.rater_result import RaterModel

NAMES = {"dawid-skene": "Dawid and Skene's model", "one-coin": "one coin per rater"}
ITEM_TITLES = ("query", "document", "label", "probability", "majority", "answer")


def rater_model_view(model: RaterModel, *, confusions: bool = False) -> View:
    """Raters and classes; with `confusions`, also every rater's table."""
    return View(
        lambda: [
            _raters(model),
            _classes(model),
            *([_confusions(model)] if confusions else ()),
            Lines(tuple(_lines(model))),
        ],
        rows=lambda: _rows(model),
        record=lambda: _record(model),
        beside=[f"note: {note}" for note in model.notes],
    )


def item_rows(model: RaterModel) -> list[list[Any]]:
    """An item a row, under ITEM_TITLES, for files."""
    return [[getattr(item, title) for title in ITEM_TITLES] for item in model.items]


def _raters(model: RaterModel) -> Table:
    rows: list[list[Cell]] = [
        [
            *(record.rater, "machine" if record.machine else "", record.labels, number_cell(record.accuracy)),
            *(interval_cell(record.interval), number_cell(record.majority)),
            f"{record.right}/{record.known}" if record.known else "",
        ]
        for record in model.raters
    ]
    titles = [
        "rater",
        "",
        f"{model.kind}s",
        "accuracy",
        interval_title(model.confidence),
        "with majority",
        "known",
    ]
    return filled_columns(titles, rows)


def _classes(model: RaterModel) -> Table:
    rows: list[list[Cell]] = [
        [entry.label, entry.share, interval_cell(entry.interval), entry.majority] for entry in model.classes
    ]
    name = "GSB" if model.kind == "vote" else "mean grade"
    rows.append([name, model.value, interval_cell(model.interval), model.majority_value])
    titles = [model.kind, "by the model", interval_title(model.confidence), "by shares of labels"]
    return Table(titles, rows, rules=[len(rows) - 1])


def _confusions(model: RaterModel) -> Table:
    labels = [entry.label for entry in model.classes]
    rows: list[list[Cell]] = [
        [record.rater, labels[at], *shares]
        for record in model.raters
        for at, shares in enumerate(record.confusions)
    ]
    return Table(["rater", "truth", *(f"says {label}" for label in labels)], rows)


def _lines(model: RaterModel) -> Iterator[str]:
    items, labels = count_of(len(model.items), "item"), count_of(model.labels, model.kind)
    yield f"{NAMES[model.model]}: {items}, {labels} of {count_of(len(model.raters), 'rater')}"
    settled = [item for item in model.items if item.majority]
    other = sum(item.label != item.majority for item in settled)
    without = len(model.items) - len(settled)
    yield (
        f"the model differs from the majority on {count_of(other, 'item')}, and settles {without:,} without a majority"
    )
    if model.known:
        yield f"known answers: {model.model_right}/{model.known} right by the model, {model.majority_right}/{model.known} by the majority"
    for note in model.notes:
        yield f"note: {note}"


def _rows(model: RaterModel) -> Table:
    rows: list[list[Cell]] = [
        [
            *(record.rater, str(record.machine).lower(), record.labels, number_cell(record.accuracy)),
            *(*ends_of(record.interval), number_cell(record.majority), record.right, record.known),
        ]
        for record in model.raters
    ]
    titles = ["rater", "machine", "labels", "accuracy", "low", "high", "with_majority", "right", "known"]
    return Table(titles, rows)


def _record(model: RaterModel) -> dict[str, Any]:
    low, high = ends_of(model.interval)
    table = _rows(model)
    return {
        "model": model.model,
        "kind": model.kind,
        "raters": [
            {
                **dict(zip(table.titles, row, strict=True)),
                "machine": record.machine,
                "confusions": record.confusions,
            }
            for row, record in zip(table.rows, model.raters, strict=True)
        ],
        "classes": [
            {
                "label": entry.label,
                "share": entry.share,
                "low": ends[0],
                "high": ends[1],
                "majority": entry.majority,
            }
            for entry in model.classes
            for ends in [ends_of(entry.interval)]
        ],
        "value": {"model": model.value, "low": low, "high": high, "majority": model.majority_value},
        "known": {"model": model.model_right, "majority": model.majority_right, "of": model.known},
        "items": len(model.items),
        "labels": model.labels,
        "log_likelihood": model.log_likelihood,
        "confidence": model.confidence,
        "notes": list(model.notes),
    }
