"""Checks of judgments by themselves."""

from __future__ import annotations

from idealist.checking.codes import FEW_JUDGED, LARGE_GRADE
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject


def judgment_findings(judgments: Subject) -> Iterator[Finding]:
    import numpy as np

    grades, most = judgments.numbers, judgments.settings.max_grade
    beyond = np.flatnonzero(grades > most) if most is not None else np.flatnonzero(grades > LARGE_GRADE)
    for code, description, rows in (
        (
            "grade-large" if most is None else "grade-range",
            f"above {LARGE_GRADE if most is None else most:g}",
            beyond,
        ),
        ("grade-negative", "below 0", np.flatnonzero(grades < 0)),
        ("grade-fraction", "not whole", np.flatnonzero(grades != np.floor(grades))),
    ):
        if rows.size:
            yield judgments.finding(
                code,
                f"{count_of(rows.size, 'grade')} {description}",
                rows.size,
                judgments.locations(rows, "grade"),
            )
    yield from _scale(judgments)
    empty = judgments.filled[judgments.highest(grades) <= 0]
    if empty.size:
        yield judgments.finding(
            "nothing-relevant",
            f"{count_of(empty.size, 'query')} of {len(judgments.queries):,} without a grade above 0",
            empty.size,
            judgments.query_locations(empty),
            "most measures are undefined there; --empty says how they count",
        )
    few = np.flatnonzero(judgments.counts < FEW_JUDGED)
    if few.size:
        yield judgments.finding(
            "few-judged",
            f"{count_of(few.size, 'query')} of {len(judgments.queries):,} with fewer than {FEW_JUDGED} judged documents",
            few.size,
            judgments.query_locations(few),
        )


def _scale(judgments: Subject) -> Iterator[Finding]:
    """Findings about the scale of the grades."""
    grades = judgments.numbers
    lowest, highest = float(grades.min()), float(grades.max())
    if lowest == highest and len(grades) > 1:
        missing = "; what was judged not relevant is missing" if lowest > 0 else ""
        yield judgments.finding("one-grade", f"every grade is {lowest:g}{missing}", len(grades))
    elif lowest > 0 and len(grades) > 1:
        yield judgments.finding(
            "no-zero",
            f"the lowest grade is {lowest:g}: what was judged not relevant is missing, "
            "and cannot be told from what was not judged",
        )
