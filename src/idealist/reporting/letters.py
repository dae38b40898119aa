"""Letters beside means: which systems are significantly worse, by Tukey's test of all pairs."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.comparison import Comparison
    from idealist.measures import Measure

LETTERS = "abcdefghijklmnoprstuvwxyz"  # there is no raised q
LEVEL = 0.05
REMARK = f"letters: the systems that are worse, p < {LEVEL:g} by Tukey's test of all pairs, blocked by query"


class Letters(Frozen):
    """Titles that give every system its letter, the letters beside the cells of a table of means, and what they say."""

    titles: list[str]
    marks: dict[tuple[int, int], str]
    remark: list[str]


def significance_letters(comparison: Comparison) -> Letters:
    """By row (the measures of the evaluation) and column (its systems, from 1); none for more than 25 systems."""
    evaluation = comparison.evaluation
    systems = evaluation.systems
    if len(systems) > len(LETTERS):
        return Letters(list(systems), {}, [])
    letters = dict(zip(systems, LETTERS, strict=False))
    marks = {
        (row, column): "".join(sorted(letters[worse] for worse in _worse(comparison, measure, system)))
        for row, measure in enumerate(evaluation.measures)
        for column, system in enumerate(systems, 1)
    }
    titles = [f"({letters[system]}) {system}" for system in systems]
    return Letters(titles, marks, [REMARK] if any(marks.values()) else [])


def _worse(comparison: Comparison, measure: Measure, system: str) -> list[str]:
    """The systems that this one is significantly better than, by Tukey's test or its randomised form."""
    if measure.better == "neither" or measure not in comparison.measures:
        return []
    worse = []
    pairs = comparison.pairs(measure, randomised=False)
    if any(pair.p_value is None for pair in pairs):
        pairs = comparison.pairs(measure)
    for pair in pairs:
        p = pair.p_randomised if pair.p_value is None else pair.p_value
        if p is None or not p < LEVEL:
            continue
        ahead = (pair.difference > 0) == (measure.better == "higher")
        winner, loser = (pair.second, pair.first) if ahead else (pair.first, pair.second)
        if winner == system:
            worse.append(loser)
    return worse
