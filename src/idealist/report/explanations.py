"""One query worked out by hand: rank by rank, beside its ideal list."""

from __future__ import annotations

from idealist.measures import CG, DCG, IDCG
from idealist.report.conventions import conventions_line
from idealist.report.table import Table
from idealist.report.view import Lines, View
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.evaluation.explanation import Explanation, Place, Step
    from idealist.report.table import Cell

    Column = tuple[str, Callable[[Step], Cell]]

UNJUDGED = "–"
MOST_RANKS = 20


def explanation_view(found: Explanation, *, most: int = MOST_RANKS) -> View:
    """The first ranks, up to `most`, and how the value follows from the sums."""
    columns = [*_found_columns(found), *_ideal_columns(found)]
    bars = {len(_found_columns(found))} if _ideal_columns(found) else set()
    return View(
        lambda: [_table(columns, found.steps[:most], bars), Lines(tuple(_lines(found, most)))],
        rows=lambda: _table(columns, found.steps[:most]),
        record=lambda: explanation_record(found),
    )


def explanation_record(found: Explanation) -> dict[str, Any]:
    """All ranks and sums, for JSON."""
    columns = [*_found_columns(found), *_ideal_columns(found)]
    return {
        "measure": str(found.measure),
        "query": found.query,
        "value": None if found.value != found.value else found.value,
        "dcg": found.dcg,
        "idcg": found.idcg,
        "steps": [{title: cell(step) for title, cell in columns} for step in found.steps],
        "conventions": found.conventions.to_dict(),
    }


def _table(columns: list[Column], steps: tuple[Step, ...], bars: set[int] | None = None) -> Table:
    rows = [[cell(step) for _, cell in columns] for step in steps]
    return Table([title for title, _ in columns], rows, bars=bars or ())


def _found_columns(found: Explanation) -> list[Column]:
    """What the ranking has at each rank. A column is its title and what it shows of a step."""
    columns: list[Column] = [("rank", lambda step: step.rank)]
    if found.query is not None:
        columns.append(("document", _of_found(lambda place: place.document)))
    columns += [
        ("grade", _of_found(lambda place: _grade_cell(place.grade))),
        ("gain", _of_found(lambda place: _number_cell(place.gain))),
    ]
    if isinstance(found.measure, CG):
        return [*columns, ("CG", _of_found(lambda place: place.running))]
    return [
        *columns,
        ("discount", _of_found(lambda place: place.discount)),
        ("gain×discount", _of_found(lambda place: place.contribution)),
        ("DCG", _of_found(lambda place: place.running)),
    ]


def _ideal_columns(found: Explanation) -> list[Column]:
    """What the ideal list has there, for measures that look at it."""
    if isinstance(found.measure, (CG, DCG)):
        return []
    columns: list[Column] = []
    if found.query is not None:
        columns.append(("ideal document", _of_ideal(lambda place: place.document)))
    return [
        *columns,
        ("ideal grade", _of_ideal(lambda place: _grade_cell(place.grade))),
        ("ideal gain×discount", _of_ideal(lambda place: place.contribution)),
        ("IDCG", _of_ideal(lambda place: place.running)),
        ("loss", lambda step: step.loss),
    ]


def _of_found(cell: Callable[[Place], Cell]) -> Callable[[Step], Cell]:
    return lambda step: None if step.found is None else cell(step.found)


def _of_ideal(cell: Callable[[Place], Cell]) -> Callable[[Step], Cell]:
    return lambda step: None if step.ideal is None else cell(step.ideal)


def _number_cell(number: float) -> Cell:
    return int(number) if number == int(number) else number


def _grade_cell(grade: float | None) -> Cell:
    return UNJUDGED if grade is None else _number_cell(grade)


def _lines(found: Explanation, most: int) -> list[str]:
    lines = []
    if len(found.steps) > most:
        lines.append(f"… and {count_of(len(found.steps) - most, 'more rank')} (--rows)")
    if found.query is not None and not any(step.found for step in found.steps):
        lines.append("the run does not have this query")
    if found.conventions.ties == "averaged":
        lines.append("tied documents share the mean discount of their places within the cut-off")
    if any(step.found and step.found.grade is None for step in found.steps[:most]):
        lines.append(f"{UNJUDGED} in the column grade: unjudged")
    return [*lines, *_value_lines(found), conventions_line(found.conventions)]


def _value_lines(found: Explanation) -> list[str]:
    """How the value follows from the sums."""
    of = "" if found.query is None else f" of query {found.query}"
    if found.value != found.value:
        return [f"{found.measure}{of}: left out by the conventions"]
    if isinstance(found.measure, (CG, DCG)):
        return [f"{found.measure}{of} = {found.value:.4f}"]
    if isinstance(found.measure, IDCG):
        return [f"{found.measure}{of} = {found.idcg:.4f}"]
    if found.idcg == 0:
        return [f"{found.measure}{of} is undefined: nothing has a gain; it counts as {found.value:.4f}"]
    sums = f"{found.dcg:.4f} / {found.idcg:.4f} = {found.value:.4f}"
    return [
        f"{found.measure}{of} = DCG / IDCG = {sums}",
        f"lost: IDCG - DCG = {max(0.0, found.idcg - found.dcg):.4f}",
    ]
