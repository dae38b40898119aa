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


def agreement_view(found: Agreement) -> View:
    """The coefficients of all raters, then each rater and every pair."""
    rows: list[list[Cell]] = [[name, *_cells(one)] for name, one in _coefficients(found)]
    items = f"{count_of(found.items, 'item')} with several votes, {count_of(found.votes, 'vote')}"
    return View(
        lambda: [
            Table(["agreement of raters", "value", "interval", ""], rows),
            Lines((items,)),
            *rater_tables(found, ()),
        ],
        rows=lambda: _rows(found),
    )


def agreement_line(found: Agreement) -> str:
    """The coefficients of all raters in a line."""
    shown = [f"{name} {_text(one)}" for name, one in _coefficients(found)]
    return f"raters agree: {', '.join(shown)}; {count_of(found.items, 'item')} with several votes"


def rater_tables(found: Agreement | None, anchors: Sequence[AnchorRecord]) -> Iterator[Table]:
    """Each rater with the others, every pair of raters, and answers that are known."""
    if found is not None and found.raters:
        rows: list[list[Cell]] = [
            [one.rater, one.votes, one.n, *_cells(one.raw), *_cells(one.kappa)] for one in found.raters
        ]
        yield Table(["rater", "votes", "with others", *_titles("raw"), *_titles("Cohen κ")], rows)
    if found is not None and found.pairs:
        rows = [[one.first, one.second, one.n, *_cells(one.raw), *_cells(one.kappa)] for one in found.pairs]
        yield Table(["rater", "rater", "items", *_titles("raw"), *_titles("Cohen κ")], rows)
    if anchors:
        rows = [
            [
                *(one.rater, one.right, one.n, one.accuracy, interval_cell(one.interval)),
                "below the floor" * one.below,
            ]
            for one in anchors
        ]
        yield Table(["rater", "right", "of known", "accuracy", "interval", ""], rows)


def _coefficients(found: Agreement) -> list[tuple[str, Coefficient]]:
    return [
        ("raw", found.raw),
        (f"α {found.alpha_kind}", found.alpha),
        ("AC1", found.ac1),
        ("Fleiss κ", found.fleiss),
    ]


def _titles(name: str) -> list[str]:
    return [name, "interval", ""]


def _cells(coefficient: Coefficient) -> list[Cell]:
    return [number_cell(coefficient.value), interval_cell(coefficient.interval), _doubt(coefficient)]


def _text(found: Coefficient) -> str:
    if found.value != found.value:
        return "undefined"
    ends = "" if found.interval is None else f" [{found.interval.low:.2f}, {found.interval.high:.2f}]"
    doubt = f" ({_doubt(found)})" if _doubt(found) else ""
    return f"{found.value:.2f}{ends}{doubt}"


def _doubt(found: Coefficient) -> str:
    """What is wrong with an interval, if anything is."""
    if found.reliable or found.value != found.value:
        return ""
    return "unreliable: few disagreements" if found.interval is not None else "no interval"


def _rows(found: Agreement) -> Table:
    """A coefficient a row, for machines: of all raters, of each with the others, of every pair."""
    named: list[tuple[str, str | None, str | None, int, Coefficient]] = [
        (name, None, None, found.items, one) for name, one in _coefficients(found)
    ]
    for rater in found.raters:
        named += [("raw", rater.rater, None, rater.n, rater.raw)]
        named += [("Cohen κ", rater.rater, None, rater.n, rater.kappa)]
    for pair in found.pairs:
        named += [("raw", pair.first, pair.second, pair.n, pair.raw)]
        named += [("Cohen κ", pair.first, pair.second, pair.n, pair.kappa)]
    rows: list[list[Cell]] = [
        [name, first, second, n, number_cell(one.value), *ends_of(one.interval)]
        for name, first, second, n, one in named
    ]
    return Table(["coefficient", "rater", "other", "items", "value", "low", "high"], rows)
