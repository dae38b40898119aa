"""Models of votes: raters and their classes, and many systems by votes on pairs."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries, interval_title, range_text
from idealist.show.cells import ends_of, interval_cell, number_cell, p_cell
from idealist.show.table import Table, filled_columns
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.show.table import Cell
    from idealist.votes.rater_models import RaterModel
    from idealist.votes.system_ranking import SystemRanking


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


EXPLAINED = (
    "strength: the logarithm, about a mean of 0; win rate: expected against the others, ties as halves; "
    "systems that share a letter cannot be told apart"
)


def system_ranking_view(ranking: SystemRanking, *, pairs: bool = False) -> View:
    """Systems by strength; with `pairs`, also every pair of them."""
    return View(
        lambda: [
            _strengths(ranking),
            Lines(tuple(_ranking_lines(ranking))),
            *([_pairs(ranking)] if pairs else ()),
        ],
        rows=lambda: _ranking_rows(ranking),
        record=lambda: _ranking_record(ranking),
        beside=[f"note: {note}" for note in ranking.notes],
    )


def _strengths(ranking: SystemRanking) -> Table:
    rows: list[list[Cell]] = [
        [
            *(entry.system, entry.strength, interval_cell(entry.interval), entry.win_rate),
            str(entry.best_rank)
            if entry.best_rank == entry.worst_rank
            else f"{entry.best_rank}–{entry.worst_rank}",
            *(entry.groups, entry.votes),
        ]
        for entry in ranking.systems
    ]
    titles = [
        "system",
        "strength",
        interval_title(ranking.confidence),
        "win rate",
        "ranks",
        "groups",
        "votes",
    ]
    return Table(titles, rows)


def _ranking_lines(ranking: SystemRanking) -> Iterator[str]:
    yield EXPLAINED
    yield f"{count_of(ranking.votes, 'vote')} on {count_queries(ranking.queries)}; ties: ν {ranking.ties:.3f}"
    if ranking.side is not None:
        interval = ranking.side_interval
        ends = "" if interval is None else f" ({interval_title(interval.confidence)} {range_text(interval)})"
        favours = "" if interval is None or 1.0 in interval else ": a side is favoured"
        yield f"left side: γ {ranking.side:.3f}{ends}{favours}"
    for note in ranking.notes:
        yield f"note: {note}"


def _pairs(ranking: SystemRanking) -> Table:
    rows: list[list[Cell]] = [
        [
            *(pair.first, pair.second, pair.difference, interval_cell(pair.interval), p_cell(pair.p_value)),
            *(pair.first_wins, pair.tie, pair.second_wins),
        ]
        for pair in ranking.pairs
    ]
    interval = f"{interval_title(ranking.confidence)}, all pairs"
    titles = ["first", "second", "difference", interval, "p (all pairs)", "first wins", "tie", "second wins"]
    return Table(titles, rows)


def _ranking_rows(ranking: SystemRanking) -> Table:
    rows: list[list[Cell]] = [
        [
            *(entry.system, entry.strength, *ends_of(entry.interval), entry.win_rate),
            *(entry.best_rank, entry.worst_rank, entry.groups, entry.votes),
        ]
        for entry in ranking.systems
    ]
    titles = ["system", "strength", "low", "high", "win_rate", "best_rank", "worst_rank", "groups", "votes"]
    return Table(titles, rows)


def _ranking_record(ranking: SystemRanking) -> dict[str, Any]:
    table = _ranking_rows(ranking)
    pairs = []
    for pair in ranking.pairs:
        low, high = ends_of(pair.interval)
        pairs.append(
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.difference,
                "low": low,
                "high": high,
                "p": pair.p_value,
                "first_wins": pair.first_wins,
                "tie": pair.tie,
                "second_wins": pair.second_wins,
                "differs": pair.differs,
            }
        )
    side_low, side_high = ends_of(ranking.side_interval)
    return {
        "systems": [dict(zip(table.titles, row, strict=True)) for row in table.rows],
        "pairs": pairs,
        "side": {"gamma": ranking.side, "low": side_low, "high": side_high},
        "nu": ranking.ties,
        "votes": ranking.votes,
        "queries": ranking.queries,
        "confidence": ranking.confidence,
        "notes": list(ranking.notes),
    }
