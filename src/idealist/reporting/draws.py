"""Documents drawn for people to judge: the strata, and what the judgments will be worth."""

from __future__ import annotations

from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, percent, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.plan.budget import JudgmentDraw
    from idealist.reporting.table import Cell

COLUMNS = ("query", "document", "grade", "inclusion_probability", "stratum", "machine_grade")


def draw_view(draw: JudgmentDraw) -> View:
    """Strata for people, documents for machines."""
    lines = worth_lines(draw)
    return View(
        lambda: [strata_table(draw), Lines(tuple(lines))],
        rows=lambda: draw_rows(draw),
        record=lambda: {
            "documents": [{field: getattr(d, field) for field in COLUMNS} for d in draw],
            "strata": [{field: getattr(s, field) for field in s.fields} for s in draw.strata],
            "errors": [{"labels": n, "error": error} for n, error in draw.errors.items()],
        },
        beside=lines,
    )


def strata_table(draw: JudgmentDraw) -> Table:
    rows: list[list[Cell]] = [
        [s.stratum, s.documents, s.drawn, percent(s.probability), s.effect, s.spread] for s in draw.strata
    ]
    titles = ["machine grade and part", "documents", "to judge", "probability", "effect", "spread of grades"]
    return Table(titles, rows)


def draw_rows(draw: JudgmentDraw) -> Table:
    """A document a row, as `evaluate --machine` reads it when the grades are filled in."""
    rows: list[list[Cell]] = [[getattr(document, field) for field in COLUMNS] for document in draw]
    return Table(list(COLUMNS), rows)


def worth_lines(draw: JudgmentDraw) -> list[str]:
    """What the judgments leave open, and what more of them would be worth."""
    known = len(draw) - len(draw.to_judge)
    judged = f"; {count_of(known, 'document')} judged already, with probability 1" if known else ""
    lines = [f"{count_of(len(draw.to_judge), 'document')} to judge{judged}"]
    sizes = list(draw.errors)
    if sizes:
        text = f"drawing leaves a standard error of {signed(draw.errors[sizes[0]])} in a mean difference in DCG@{draw.k}"
        if len(sizes) > 1:
            text += f"; {sizes[1] - sizes[0]:,} more judgments would make it {signed(draw.errors[sizes[1]])}"
        lines.append(f"{text} (queries that were not asked add their own)")
    return lines
