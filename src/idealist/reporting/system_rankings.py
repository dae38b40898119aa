"""Many systems by votes: strengths with their groups, and every pair."""

from __future__ import annotations

from idealist.reporting.cells import ends_of, interval_cell, p_cell
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, count_queries, interval_title, range_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.reporting.table import Cell
    from idealist.votes.strengths import SystemRanking

EXPLAINED = (
    "strength: the logarithm, about a mean of 0; win rate: expected against the others, ties as halves; "
    "systems that share a letter cannot be told apart"
)


def system_ranking_view(ranking: SystemRanking, *, pairs: bool = False) -> View:
    """Systems by strength; with `pairs`, also every pair of them."""
    return View(
        lambda: [
            _strengths(ranking),
            Lines(tuple(_lines(ranking))),
            *([_pairs(ranking)] if pairs else ()),
        ],
        rows=lambda: _rows(ranking),
        record=lambda: _record(ranking),
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


def _lines(ranking: SystemRanking) -> Iterator[str]:
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


def _rows(ranking: SystemRanking) -> Table:
    rows: list[list[Cell]] = [
        [
            *(entry.system, entry.strength, *ends_of(entry.interval), entry.win_rate),
            *(entry.best_rank, entry.worst_rank, entry.groups, entry.votes),
        ]
        for entry in ranking.systems
    ]
    titles = ["system", "strength", "low", "high", "win_rate", "best_rank", "worst_rank", "groups", "votes"]
    return Table(titles, rows)


def _record(ranking: SystemRanking) -> dict[str, Any]:
    table = _rows(ranking)
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
