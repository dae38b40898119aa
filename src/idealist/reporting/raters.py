"""How far raters agree: all together, each with the others, two by two, and with known answers."""

from __future__ import annotations

from idealist.reporting.cells import ends_of, interval_cell, number_cell
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.reporting.table import Cell
    from idealist.votes.raters import Agreement, AnchorRecord, Coefficient


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
        rows=lambda: _rows(agreement),
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
    """What is wrong with an interval, if anything is."""
    if coefficient.reliable or coefficient.value != coefficient.value:
        return ""
    return "unreliable: few disagreements" if coefficient.interval is not None else "no interval"


def _rows(agreement: Agreement) -> Table:
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
