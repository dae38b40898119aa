"""What a page shows of an evaluation and a comparison, as tables."""

from __future__ import annotations

from idealist.conventions import CHOICES
from idealist.evaluation import remark_ties
from idealist.report.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.report.table import Cell

MOST_ROWS = 500
LETTERS = "abcdefghijklmnoprstuvwxyz"
LEVEL = 0.05
RATES = {
    "win_rate": "win rate without ties, good / (good + bad)",
    "win_rate_half_ties": "win rate with half ties, (good + same/2) / all",
    "ratio": "ratio, (good + same) / (bad + same)",
    "not_worse_rate": "not-worse rate, (good + same) / all",
}
REMARK = f"letters: the systems that are worse, p < {LEVEL:g} by Tukey's test of all pairs, blocked by query"


def means_table(evaluation: Evaluation, comparison: Any = None) -> Table:
    """A row per measure and a column per system; letters name the systems that are significantly worse."""
    systems = evaluation.systems
    letters = dict(zip(systems, LETTERS, strict=False)) if comparison and len(systems) <= len(LETTERS) else {}
    rows: list[list[Cell]] = []
    best: set[tuple[int, int]] = set()
    marks: dict[tuple[int, int], str] = {}
    for number, measure in enumerate(evaluation.measures):
        values = [evaluation.aggregate(measure, system) for system in systems]
        counts = [evaluation.n(measure, system) for system in systems]
        cells = [_cell(measure, value) for value in values]
        shown = str(counts[0]) if len(set(counts)) == 1 else " ".join(map(str, counts))
        rows.append([measure.label, *cells, int(shown) if shown.isdigit() else shown])
        defined = [value for value in values if value == value]
        if len(defined) > 1 and measure.better != "neither" and measure.aggregate != "sum":
            top = max(defined) if measure.better == "higher" else min(defined)
            best |= {(number, at) for at, value in enumerate(values, 1) if value == top}
        for at, system in enumerate(systems, 1):
            marks[number, at] = "".join(
                sorted(letters[w] for w in _worse(comparison, measure, system) if w in letters)
            )
    titles = [f"({letters[system]}) {system}" if letters else system for system in systems]
    below = [REMARK] if any(marks.values()) else []
    return Table(["measure", *titles, "queries"], rows, below=below, best=best, marks=marks)


def _worse(comparison: Any, measure: Measure, system: str) -> list[str]:
    """The systems that this one is significantly better than, by Tukey's test or its randomised twin."""
    if comparison is None or measure.better == "neither" or measure not in comparison.measures:
        return []
    found = []
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
            found.append(loser)
    return found


def note_lines(evaluation: Evaluation) -> list[str]:
    """What stands beside the means: notes, ties, and how much was judged."""
    shares = [
        ("all ranks: " if k is None else f"@{k}: ") + ", ".join(f"{s} {one:.2f}" for s, one in by.items())
        for k, by in evaluation.judged.items()
    ]
    return [
        *evaluation.notes,
        *(f"ties: {line}" for line in remark_ties(evaluation)),
        *([f"share of judged documents: {' · '.join(shares)}"] if shares else []),
    ]


def comparison_table(contrasts: Sequence[Any]) -> Table:
    """Each system against the baseline: difference, how sure, and how large."""
    several = len({one.system for one in contrasts}) > 1
    titles = ["measure", *(["system"] if several else [])]
    titles += ["baseline", "value", "difference", "interval", "dz", "wins / ties / losses"]
    titles += ["p (t)", "p (flips)", "p (Holm)", "detectable"]
    rules = {
        at
        for at in range(1, len(contrasts))
        if several and contrasts[at].measure != contrasts[at - 1].measure
    }
    return Table(titles, [_contrast_row(one, several) for one in contrasts], rules=rules)


def _contrast_row(one: Any, several: bool) -> list[Cell]:
    return [
        one.measure.label,
        *([one.system] if several else []),
        _finite(one.baseline_value),
        _finite(one.value),
        _finite(one.difference),
        None if one.interval is None else (one.interval.low, one.interval.high),
        _finite(one.dz),
        f"{one.wins}/{one.ties}/{one.losses}",
        probability(one.p_value),
        probability(one.p_randomised),
        probability(one.p_adjusted),
        _finite(one.detectable),
    ]


def query_table(
    evaluation: Evaluation, measure: Measure, baseline: str | None, most: int = MOST_ROWS
) -> Table:
    """Every query's values; with a baseline, those that moved most first."""
    columns = {system: evaluation.by_query(measure, system) for system in evaluation.systems}
    others = [system for system in columns if system != baseline]
    valued: set[str] = set().union(*columns.values())
    queries = evaluation.queries
    queries = queries if len(valued) == len(queries) else [query for query in queries if query in valued]
    if baseline is not None:
        moved = dict.fromkeys(queries, 0.0)
        before = columns[baseline]
        for system in others:
            for query, value in columns[system].items():
                if query in before and (change := abs(value - before[query])) > moved[query]:
                    moved[query] = change
        queries = sorted(queries, key=moved.__getitem__, reverse=True)
    one = others[0] if baseline is not None and len(others) == 1 else None
    rows: list[list[Cell]] = []
    for query in queries[:most]:
        cells: list[Cell] = [column.get(query) for column in columns.values()]
        if one is not None and baseline is not None:
            both = query in columns[one] and query in columns[baseline]
            cells.append(columns[one][query] - columns[baseline][query] if both else None)
        rows.append([query, *cells])
    below = []
    if len(queries) > most:
        which = "that moved most" if baseline is not None else "first in order of their ids"
        below = [
            f"the {most:,} of {len(queries):,} queries {which}; idealist evaluate --by-query has them all"
        ]
    return Table(["query", *columns, *(["difference"] if one else [])], rows, below=below)


def conventions_table(evaluation: Evaluation) -> Table:
    """Every choice in force, in words."""
    chosen = evaluation.conventions
    rows: list[list[Cell]] = [
        [about, getattr(chosen, field), known[getattr(chosen, field)]]
        for field, (about, known) in CHOICES.items()
    ]
    rows += [
        [f"{name} of measures that state none", str(value), None] for name, value in chosen.parameters.items()
    ]
    return Table(["what", "choice", "meaning"], rows)


def measures_table(evaluation: Evaluation) -> Table:
    """Every measure with its parameters, and what it is."""
    return Table(
        ["measure", "in full", "what it is"],
        [
            [measure.label, repr(measure), ((type(measure).__doc__ or "").strip().splitlines() or [""])[0]]
            for measure in evaluation.measures
        ],
    )


def gsb_table(result: Any) -> Table:
    """Votes for and against, and what they come to."""
    total = result.good + result.same + result.bad
    plain = total > 0 and abs((result.good - result.bad) / total - result.value) < 1e-9
    rows: list[list[Cell]] = [
        ["good", _whole(result.good)],
        ["same", _whole(result.same)],
        ["bad", _whole(result.bad)],
        ["GSB = (good − bad) / all" if plain else "GSB, weighted", result.value],
    ]
    if result.interval is not None:
        rows.append(
            [f"{result.interval.confidence:.0%} interval", (result.interval.low, result.interval.high)]
        )
    rows.append(["p (no difference)", probability(result.p_value)])
    rates = getattr(result, "rates", None)
    rows += ([words, _finite(getattr(rates, name))] for name, words in RATES.items() if rates is not None)
    return Table(["votes", "value"], rows, below=list(getattr(result, "notes", ())), rules={3})


def probability(p: float | None) -> Cell:
    """A p-value for a cell; one that four decimals would show as 0 is written as the bound it is below.

    >>> probability(0.04321), probability(0.000012), probability(None)
    (0.04321, '< 0.0001', None)
    """
    return "< 0.0001" if p is not None and p < 0.0001 else _finite(p)


def _cell(measure: Measure, value: float) -> Cell:
    if value != value:
        return None
    return int(value) if measure.aggregate == "sum" and value == int(value) else value


def _finite(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _whole(count: float) -> int | float:
    return int(count) if count == int(count) else float(count)
