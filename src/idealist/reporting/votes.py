"""Votes: GSB and what else people call it, tests, raters, segments, and the verdict."""

from __future__ import annotations

from idealist.reporting.cells import count_cell, ends_of, interval_cell, number_cell, p_cell
from idealist.reporting.raters import agreement_line, rater_tables
from idealist.reporting.table import Table
from idealist.reporting.verdicts import VerdictBlock, verdict_lines
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, count_queries, count_text, interval_title, p_text, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.reporting.table import Cell
    from idealist.statistics.interval import Interval
    from idealist.votes.result import GSB, VoteSegment
    from idealist.votes.sequential import Sequential


def gsb_view(result: GSB, *, raters: bool = False, name: str = "") -> View:
    """GSB, its tests and its verdict; with `raters`, also every rater and every pair of raters. `name` is that of the
    verdict, where it stands beside others."""
    return View(
        lambda: [
            rate_table(result),
            Lines(tuple(vote_lines(result))),
            *breakdown_tables(result),
            *(rater_tables(result.agreement, result.anchors) if raters else ()),
        ],
        verdict=VerdictBlock(result.verdict, name),
        rows=lambda: _rows(result),
        record=result.to_dict,
        beside=verdict_lines(result.verdict, name),
    )


def sequential_view(sequential: Sequential) -> View:
    """The test that holds at every look, by itself."""
    rows: list[list[Cell]] = [
        [
            *(
                sequential.e_value,
                sequential.largest,
                p_cell(sequential.p_value),
                *ends_of(sequential.interval),
            ),
            *(sequential.queries, sequential.votes, sequential.left_out, sequential.waiting),
        ]
    ]
    titles = ["e_value", "largest", "p_value", "low", "high", "queries", "votes", "left_out", "waiting"]
    entered = f"{count_queries(sequential.queries)}, {count_of(sequential.votes, 'vote')}"
    lines = (
        sequential_line(sequential),
        f"{entered} entered; {sequential.waiting:,} wait, {sequential.left_out:,} left out",
    )
    return View(lambda: [Lines(lines)], rows=lambda: Table(titles, rows))


def rate_table(result: GSB) -> Table:
    """GSB, and the other rates of the same votes, with their formulas and intervals."""
    rates = result.rates
    rows: list[list[Cell]] = [
        ["GSB", "(G−B)/N", result.value, interval_cell(result.interval)],
        [
            "win rate without ties",
            "G/(G+B)",
            number_cell(rates.win_rate),
            interval_cell(rates.win_rate_interval),
        ],
        [
            "win rate with half ties",
            "(G+S/2)/N",
            rates.win_rate_half_ties,
            interval_cell(rates.win_rate_half_ties_interval),
        ],
        ["ratio", "(G+S)/(B+S)", number_cell(rates.ratio), None],
        ["not-worse rate", "(G+S)/N", rates.not_worse_rate, interval_cell(rates.not_worse_rate_interval)],
    ]
    if result.severity is not None:
        formula = f"Σs/({result.severity.scale}N)"
        rows.append(["by severity", formula, result.severity.value, interval_cell(result.severity.interval)])
    return Table(["rate", "formula", "value", _interval_title(result.interval)], rows)


def vote_lines(result: GSB) -> Iterator[str]:
    """Counts, tests, sides, raters and notes, a line each."""
    counts = ", ".join(f"{name} {count_text(getattr(result, name))}" for name in ("good", "same", "bad"))
    queries = count_queries(result.queries)
    if result.measure is not None:
        yield f"queries: {counts}; {queries}"
    else:
        votes = "" if result.votes == result.n else f", {count_of(result.votes, 'vote')}"
        raters = f" of {count_of(result.raters, 'rater')}" if result.raters else ""
        yield f"votes: {counts}; {count_of(result.n, 'item')} of {queries}{votes}{raters}"
    yield f"test: p {p_text(result.p_value)} ({result.test})"
    if result.measure is None and result.sequential is not None:
        yield sequential_line(result.sequential)
    sides = result.side_bias
    if sides is not None and not sides.confounded:
        yield (
            f"sides: GSB {signed(sides.gsb_left)} where the candidate was shown left ({count_of(sides.shown_left, 'vote')}), "
            f"{signed(sides.gsb_right)} right ({sides.shown - sides.shown_left:,}); p {p_text(sides.p_value)}"
        )
    if result.agreement is not None:
        yield agreement_line(result.agreement)
    for note in result.notes:
        yield f"note: {note}"


def sequential_line(sequential: Sequential) -> str:
    """The test that holds at every look, in a line."""
    level = 1 - sequential.interval.confidence
    return (
        f"sequential test: p {p_text(sequential.p_value)}, e-value {sequential.e_value:.3g}; you may stop at {1 / level:.4g} "
        f"({100 * level:.3g} %); GSB at every look: {range_text(sequential.interval)}"
    )


def breakdown_tables(result: GSB) -> Iterator[Table]:
    """Strata of the traffic, and segments."""
    if result.strata:
        yield Table(
            ["stratum", "share of traffic", "GSB", "standard error", "n"],
            [
                [part.name, part.share, part.value, number_cell(part.variance**0.5), part.n]
                for part in result.strata
            ],
        )
    if result.segments:
        titles = ["segment", "GSB", _interval_title(result.interval), "good", "same", "bad", "n", "p"]
        rows: list[list[Cell]] = [
            [
                *(part.name, part.value, interval_cell(part.interval)),
                *(count_cell(part.good), count_cell(part.same), count_cell(part.bad), part.n),
                p_cell(part.p_value),
            ]
            for part in result.segments
        ]
        yield Table(titles, rows)


def _rows(result: GSB) -> Table:
    """All items and every segment, for machines."""
    titles = ["segment", "gsb", "low", "high", "good", "same", "bad", "n", "p"]
    parts: list[GSB | VoteSegment] = [result, *result.segments]
    rows: list[list[Cell]] = [
        [
            *(getattr(part, "name", "all"), part.value, *ends_of(part.interval)),
            *(part.good, part.same, part.bad, part.n, part.p_value),
        ]
        for part in parts
    ]
    return Table(titles, rows)


def _interval_title(interval: Interval | None) -> str:
    return interval_title(None if interval is None else interval.confidence)
