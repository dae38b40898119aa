"""One query worked out by hand: rank by rank, beside its ideal list."""

from __future__ import annotations

from idealist.base.wording import count_of, signed
from idealist.show.cells import cell_text, whole
from idealist.show.convention_tables import conventions_line
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.evaluation.explanation import ExplainedDocument, Explanation
    from idealist.show.table import Cell

UNJUDGED = "–"
MOST_RANKS = 20


def explanation_view(explanation: Explanation, *, most: int = MOST_RANKS) -> View:
    """The first ranks, up to `most`, and how the value follows from the sums; of two runs, the documents that changed it."""
    if explanation.earlier is not None:
        return _change_view(explanation, explanation.earlier, most)
    ranks = _ranks(explanation)
    return View(
        lambda: [
            _table(explanation, most, bar=True),
            Lines(tuple(_lines(explanation, ranks - min(ranks, most)))),
        ],
        rows=lambda: _table(explanation, most),
        record=lambda: explanation_record(explanation),
    )


def _change_view(new: Explanation, old: Explanation, most: int) -> View:
    moved = new.moved
    any_out = any(None in (one.old_rank, one.rank) for one in moved)

    def lines() -> tuple[str, ...]:
        left = len(moved) - most
        name = f"{new.measure} of query {new.query}"
        return (
            *([f"… and {count_of(left, 'more document')} (--rows)"] if left > 0 else []),
            *(f"{one.system}: {note}" for one in (old, new) for note in one.notes),
            "" if moved else "no document changed its place",
            *(
                [f"{UNJUDGED} in the column grade: unjudged"]
                if any(one.grade is None for one in moved)
                else []
            ),
            *(["no rank: not within the cut-off, or not in the run"] if any_out else []),
            f"{name}: {old.system} {old.value:.4f}, {new.system} {new.value:.4f}, gain {signed(new.value - old.value)}",
            conventions_line(new.conventions),
        )

    return View(
        lambda: [_moved_table(new, old, most), Lines(tuple(filter(None, lines())))],
        rows=lambda: _moved_table(new, old, len(moved)),
        record=lambda: (
            explanation_record(new)
            | {
                "system": new.system,
                "gain": new.gain,
                "earlier": {"system": old.system} | explanation_record(old),
                "moved": [{field: getattr(one, field) for field in one.fields} for one in moved],
            }
        ),
    )


def _moved_table(new: Explanation, old: Explanation, most: int) -> Table:
    titles = ["document", "grade"]
    for part in ("rank", "adds"):
        titles += [f"{part} in {one.system}" for one in (old, new)]
    rows: list[list[Cell]] = [
        [
            one.document,
            _grade_cell(one.grade),
            one.old_rank,
            one.rank,
            one.old_contribution,
            one.contribution,
            one.gain,
        ]
        for one in new.moved[:most]
    ]
    return Table([*titles, "gain"], rows)


def explanation_record(explanation: Explanation) -> dict[str, Any]:
    """All ranks and sums, for JSON."""
    table = _table(explanation, _ranks(explanation))
    return {
        "measure": str(explanation.measure),
        "query": explanation.query,
        "value": None if explanation.value != explanation.value else explanation.value,
        "sums": explanation.sums,
        "ranks": [dict(zip(table.titles, row, strict=True)) for row in table.rows],
        "conventions": explanation.conventions.to_dict(),
    }


def _with_ideal(explanation: Explanation) -> bool:
    """Whether the sum of the ideal list is part of the value."""
    return explanation.ideal_title in explanation.sums


def _with_scores(explanation: Explanation) -> bool:
    """Whether scores were given: a run may be lists of ids."""
    if explanation.query is None:
        return False
    return not explanation.ranking or any(document.score is not None for document in explanation.ranking)


def _ranks(explanation: Explanation) -> int:
    ideal = explanation.ideal if _with_ideal(explanation) else ()
    return max(len(explanation.ranking), len(ideal))


def _table(explanation: Explanation, most: int, *, bar: bool = False) -> Table:
    """A row per rank; with `bar`, one stands between the ranking and the ideal list."""
    with_ideal = _with_ideal(explanation)
    with_documents = explanation.query is not None
    titles = [
        "rank",
        *(["document"] if with_documents else []),
        *(["score"] if _with_scores(explanation) else []),
        "grade",
        *explanation.columns,
    ]
    titles += filter(None, [explanation.contribution_title, explanation.running_title])
    width = len(titles)
    if with_ideal:
        titles += [*(["ideal document"] * with_documents), "ideal grade"]
        titles += [f"ideal {explanation.contribution_title}", explanation.ideal_title, "loss"]
    losses = explanation.losses
    rows: list[list[Cell]] = []
    for at in range(min(_ranks(explanation), most)):
        row: list[Cell] = [at + 1]
        if at < len(explanation.ranking):
            row += _cells(explanation.ranking[at], explanation)
        row += [None] * (width - len(row))
        if with_ideal:
            row += [*_ideal_cells(explanation.ideal[at : at + 1], with_documents), losses[at]]
        rows.append(row)
    return Table(titles, rows, bars={width} if bar and with_ideal else ())


def _cells(document: ExplainedDocument, explanation: Explanation) -> list[Cell]:
    cells: list[Cell] = [] if explanation.query is None else [document.document]
    cells += [document.score] if _with_scores(explanation) else []
    cells += [
        _grade_cell(document.grade),
        *(None if number != number else number for number in document.numbers),
    ]
    sums = {
        explanation.contribution_title: document.contribution,
        explanation.running_title: document.running,
    }
    return [*cells, *(number for title, number in sums.items() if title)]


def _ideal_cells(documents: Sequence[ExplainedDocument], with_documents: bool) -> list[Cell]:
    if not documents:
        return [None] * (3 + with_documents)
    (document,) = documents
    cells: list[Cell] = [document.document] if with_documents else []
    return [*cells, _grade_cell(document.grade), document.contribution, document.running]


def _grade_cell(grade: float | None) -> Cell:
    return UNJUDGED if grade is None else whole(grade)


def _lines(explanation: Explanation, ranks_left: int) -> list[str]:
    lines = []
    if ranks_left:
        lines.append(f"… and {count_of(ranks_left, 'more rank')} (--rows)")
    lines += explanation.notes
    if any(document.grade is None for document in explanation.ranking):
        lines.append(f"{UNJUDGED} in the column grade: unjudged")
    of = "" if explanation.query is None else f" of query {explanation.query}"
    return [
        *lines,
        *_value_lines(explanation, f"{explanation.measure}{of}"),
        conventions_line(explanation.conventions),
    ]


def _value_lines(explanation: Explanation, name: str) -> list[str]:
    """How the value is made of the sums."""
    value, total, divisor = explanation.value, explanation.total, explanation.divisor
    if value != value:
        return [f"{name}: left out by the conventions"]
    steps = [f"{step.name} = {cell_text(step.value)}" for step in explanation.steps]
    if explanation.undefined:
        return [*steps, f"{name} is undefined: {explanation.undefined}; it counts as {value:.4f}"]
    if total is None or divisor is None:
        return [*steps, f"{name} = {value:.4f}"]
    sums = f"{total.name} / {divisor.name} = {cell_text(total.value)} / {cell_text(divisor.value)}"
    if not divisor.value:
        return [f"{name} = {sums}, which counts as {value:.4f}"]
    lines = [f"{name} = {sums} = {value:.4f}"]
    if explanation.ideal_title == divisor.name:
        lost = max(0.0, divisor.value - total.value)
        lines.append(f"lost: {divisor.name} - {total.name} = {lost:.4f}")
    return lines
