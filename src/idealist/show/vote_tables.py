"""Votes: GSB and what else people call it, tests, raters and how far they agree, segments, and the verdict."""

from __future__ import annotations

from idealist.base.wording import (
    count_of,
    count_queries,
    count_text,
    interval_title,
    p_text,
    range_text,
    signed,
)
from idealist.show.cells import count_cell, ends_of, interval_cell, number_cell, p_cell
from idealist.show.table import Table
from idealist.show.verdict_tables import VerdictBlock, verdict_lines
from idealist.show.view import Lines, View
from idealist.votes.folded_votes import FOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.show.table import Cell
    from idealist.statistics.mean_estimates import Interval
    from idealist.votes.agreement_of_raters import Agreement, AnchorRecord, Coefficient
    from idealist.votes.gsb_result import GSB, Refolded, VoteSegment
    from idealist.votes.vote_tests import Sequential


def gsb_view(result: GSB, *, raters: bool = False, name: str = "", decides: bool = True) -> View:
    """GSB, its tests and, where it `decides`, its verdict; with `raters`, also every rater and every pair of raters. `name`
    is that of the verdict, where it stands beside others."""
    return View(
        lambda: [
            *((Lines((conflict_line(result),)),) if result.conflict else ()),
            rate_table(result),
            Lines(tuple(vote_lines(result))),
            *breakdown_tables(result),
            *(rater_tables(result.agreement, result.anchors) if raters else ()),
        ],
        verdict=VerdictBlock(result.verdict, name) if decides else None,
        rows=lambda: _rows(result),
        record=result.to_dict,
        beside=verdict_lines(result.verdict, name) if decides else (),
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
    yield _counts_line(result)
    if result.refolded is not None:
        yield _refolded_line(result.refolded, result.items)
    yield f"test: p {p_text(result.p_value)} ({result.test})"
    for test in result.other_tests:
        yield f"other test: p {p_text(test.p_value)} ({test.name})"
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


def conflict_line(result: GSB) -> str:
    """That the other fold says something else, before all."""
    return f"GSB by {FOLDS[result.fold]} is {signed(result.value)}, but {result.conflict}"


def _counts_line(result: GSB) -> str:
    """How many are good, same and bad, of what: votes on items of queries by raters."""
    counts = _counts(result)
    queries = count_queries(result.queries)
    if result.measure is not None:
        return f"queries: {counts}; {queries}"
    on = (
        queries
        if result.votes == result.items == result.queries
        else f"{count_of(result.items, 'item')} of {queries}"
    )
    by = f" by {count_of(result.raters, 'rater')}" if result.raters else ""
    if result.fold == "votes":
        return f"votes: {counts} on {on}{by}"
    return f"items by {FOLDS[result.fold]}: {counts}; {count_of(result.votes, 'vote')} on {on}{by}"


def _refolded_line(other: Refolded, items: int) -> str:
    """The result of the votes when they are folded in the other way."""
    interval = "" if other.interval is None else f", {range_text(other.interval)}"
    without = (
        f"; {other.unsettled:,} of {count_of(items, 'item')} without a majority are same"
        if other.unsettled
        else ""
    )
    return f"{FOLDS[other.fold]}: GSB {signed(other.value)}{interval}; p {p_text(other.p_value)}; {_counts(other)}{without}"


def _counts(result: GSB | Refolded) -> str:
    return ", ".join(f"{name} {count_text(getattr(result, name))}" for name in ("good", "same", "bad"))


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
                *(count_cell(part.good), count_cell(part.same), count_cell(part.bad), count_cell(part.n)),
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


def agreement_view(agreement: Agreement) -> View:
    """The coefficients of all raters, then each rater and every pair."""
    rows: list[list[Cell]] = [[name, *_cells(coefficient)] for name, coefficient in _coefficients(agreement)]
    items = f"{count_of(agreement.items, 'item')} with several votes, {count_of(agreement.votes, 'vote')}"
    return View(
        lambda: [
            Table(["agreement of raters", "value", "interval", ""], rows),
            Lines((items,)),
            *rater_tables(agreement, ()),
        ],
        rows=lambda: _agreement_rows(agreement),
    )


def agreement_line(agreement: Agreement) -> str:
    """The coefficients of all raters in a line."""
    texts = [f"{name} {_text(coefficient)}" for name, coefficient in _coefficients(agreement)]
    return f"raters agree: {', '.join(texts)}; {count_of(agreement.items, 'item')} with several votes"


def rater_tables(agreement: Agreement | None, anchors: Sequence[AnchorRecord]) -> Iterator[Table]:
    """Each rater with the others, every pair of raters, and answers that are known."""
    if agreement is not None and agreement.raters:
        rows: list[list[Cell]] = [
            [record.rater, record.votes, record.n, *_cells(record.raw), *_cells(record.kappa)]
            for record in agreement.raters
        ]
        yield Table(["rater", "votes", "with others", *_titles("raw"), *_titles("Cohen κ")], rows)
    if agreement is not None and agreement.pairs:
        rows = [
            [record.first, record.second, record.n, *_cells(record.raw), *_cells(record.kappa)]
            for record in agreement.pairs
        ]
        yield Table(["rater", "rater", "items", *_titles("raw"), *_titles("Cohen κ")], rows)
    if anchors:
        rows = [
            [
                *(record.rater, record.right, record.n, record.accuracy, interval_cell(record.interval)),
                "below the floor" * record.below,
            ]
            for record in anchors
        ]
        yield Table(["rater", "right", "of known", "accuracy", "interval", ""], rows)


def _coefficients(agreement: Agreement) -> list[tuple[str, Coefficient]]:
    return [
        ("raw", agreement.raw),
        (f"α {agreement.alpha_kind}", agreement.alpha),
        ("AC1", agreement.ac1),
        ("Fleiss κ", agreement.fleiss),
    ]


def _titles(name: str) -> list[str]:
    return [name, "interval", ""]


def _cells(coefficient: Coefficient) -> list[Cell]:
    return [number_cell(coefficient.value), interval_cell(coefficient.interval), _doubt(coefficient)]


def _text(coefficient: Coefficient) -> str:
    if coefficient.value != coefficient.value:
        return "undefined"
    ends = (
        ""
        if coefficient.interval is None
        else f" [{coefficient.interval.low:.2f}, {coefficient.interval.high:.2f}]"
    )
    doubt = f" ({_doubt(coefficient)})" if _doubt(coefficient) else ""
    return f"{coefficient.value:.2f}{ends}{doubt}"


def _doubt(coefficient: Coefficient) -> str:
    """The weakness of an interval, if it has one."""
    if coefficient.reliable or coefficient.value != coefficient.value:
        return ""
    return "unreliable: few disagreements" if coefficient.interval is not None else "no interval"


def _agreement_rows(agreement: Agreement) -> Table:
    """A coefficient a row, for machines: of all raters, of each with the others, of every pair."""
    named: list[tuple[str, str | None, str | None, int, Coefficient]] = [
        (name, None, None, agreement.items, coefficient) for name, coefficient in _coefficients(agreement)
    ]
    for rater in agreement.raters:
        named += [("raw", rater.rater, None, rater.n, rater.raw)]
        named += [("Cohen κ", rater.rater, None, rater.n, rater.kappa)]
    for pair in agreement.pairs:
        named += [("raw", pair.first, pair.second, pair.n, pair.raw)]
        named += [("Cohen κ", pair.first, pair.second, pair.n, pair.kappa)]
    rows: list[list[Cell]] = [
        [name, first, second, n, number_cell(coefficient.value), *ends_of(coefficient.interval)]
        for name, first, second, n, coefficient in named
    ]
    return Table(["coefficient", "rater", "other", "items", "value", "low", "high"], rows)
