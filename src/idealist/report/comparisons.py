"""Tables of a comparison: a measure's contrasts, its segments, all pairs, and the queries that moved most."""

from __future__ import annotations

from idealist.report.table import Table
from idealist.statistics.intervals import STUDENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison import Comparison, Contrast
    from idealist.measures import Measure
    from idealist.report.table import Cell
    from idealist.statistics.interval import Interval
    from idealist.statistics.tests.base import PairedTest
    from idealist.statistics.tukey import Pair

FIELDS = (
    *("baseline_value", "value", "difference", "low", "high", "student_low", "student_high"),
    *("dz", "wins", "ties", "losses"),
)
FIELDS_BEHIND_TESTS = ("p_adjusted", "p_discovery", "detectable")


def p_text(p: float | None) -> str | None:
    """A p-value with four decimals; what has none of them is less than the least.

    >>> p_text(0.01234), p_text(1e-9)
    ('0.0123', '<0.0001')
    """
    if p is None:
        return None
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def contrast_table(comparison: Comparison, measure: Measure, *, posterior: bool = False) -> Table:
    """Every system against the baseline; a difference that is significant, adjusted for the family, stands
    out. With `posterior`, also the probabilities of worse, equivalent and better."""
    level = comparison.settings.level
    found = [one for one in comparison if one.measure == measure]
    mean = comparison.evaluation.mean(measure, comparison.baseline)
    headings = _headings(comparison)
    beyond: list[Cell] = [None] * (len(headings) + posterior)
    rows: list[list[Cell]] = [[comparison.baseline, None if mean != mean else mean, *beyond]]
    rows += ([one.system, one.value, *_cells(one), *_believed(one, posterior)] for one in found)
    best = {
        (row, 2) for row, one in enumerate(found, 1) if one.p_adjusted is not None and one.p_adjusted <= level
    }
    more = ("worse/equivalent/better",) if posterior else ()
    return Table([measure.label, "value", *headings, *more], rows, best=best)


def more_tests_table(comparison: Comparison, measure: Measure) -> Table:
    """What else there is to tell of every system: the bootstrap, and tests that the literature disagrees on."""
    rows: list[list[Cell]] = [
        [
            one.system,
            _range(one.student),
            _range(one.bootstrap),
            "" if one.bootstrap_holds else "unreliable: few queries changed",
            p_text(one.p_wilcoxon),
            p_text(one.p_sign),
            p_text(one.p_discovery),
        ]
        for one in comparison
        if one.measure == measure
    ]
    titles = [
        "Student's interval",
        "bootstrap interval",
        "",
        "p (Wilcoxon)",
        "p (sign)",
        "p (Benjamini–Hochberg)",
    ]
    return Table([f"{measure.label}, more", *titles], rows)


def segment_table(comparison: Comparison, measure: Measure) -> Table:
    """The same by segment of queries."""
    rows: list[list[Cell]] = []
    rules, best = set(), set()
    for name, contrasts in comparison.segments().items():
        rules.add(len(rows))
        for one in contrasts:
            if one.measure == measure:
                if one.harmed:
                    best.add((len(rows), 4))
                rows.append([name, one.system, one.n, one.value, *_cells(one)])
    titles = [f"{measure.label}, segment", "system", "n", "value", *_headings(comparison)]
    return Table(titles, rows, best=best, rules=rules - {0})


def pair_table(pairs: Sequence[Pair], measure: Measure, level: float) -> Table:
    """Every pair of systems; a difference that is significant by Tukey's test stands out."""
    rows: list[list[Cell]] = []
    best = set()
    for pair in pairs:
        p = pair.p_randomised if pair.p_value is None else pair.p_value
        if p is not None and p <= level:
            best.add((len(rows), 2))
        ends, exact, shuffled = _range(pair.interval), p_text(pair.p_value), p_text(pair.p_randomised)
        rows.append([pair.first, pair.second, f"{pair.difference:+.4f}", ends, exact, shuffled])
    titles = [measure.label, "and", "difference", "simultaneous interval", "p (Tukey)", "p (rand. Tukey)"]
    return Table(titles, rows, best=best)


def moved_table(contrast: Contrast) -> Table:
    """The queries that moved most."""
    rows: list[list[Cell]] = [
        [move.query, move.before, move.after, f"{move.change:+.4f}"] for move in contrast.moved
    ]
    titles = ["moved most", contrast.baseline, contrast.system, f"change in {contrast.measure.label}"]
    return Table(titles, rows)


def tall_table(comparison: Comparison, contrasts: Sequence[Contrast]) -> Table:
    """One contrast a row, all digits, for machines."""
    rows: list[list[Cell]] = []
    for one in contrasts:
        named: dict[str, Cell] = {}
        for prefix, interval in (("", one.interval), ("student_", one.student)):
            named[f"{prefix}low"] = None if interval is None else interval.low
            named[f"{prefix}high"] = None if interval is None else interval.high
        cells: list[Cell] = [named[field] if field in named else getattr(one, field) for field in FIELDS]
        cells += (found.p_value for found in one.tests.values())
        cells += (getattr(one, field) for field in FIELDS_BEHIND_TESTS)
        rows.append([str(one.measure), one.segment, one.system, comparison.baseline, one.n, *cells])
    tests = names_of_tests(comparison.settings.tests, "column")
    titles = ["measure", "segment", "system", "baseline", "n", *FIELDS, *tests, *FIELDS_BEHIND_TESTS]
    return Table(titles, rows)


def names_of_tests(tests: Sequence[PairedTest], kind: str) -> list[str]:
    """What columns of p-values are called, by their `label` or `column`; two of a kind, by what they state."""
    names = [getattr(test, kind) for test in tests]
    return [name if names.count(name) == 1 else str(test) for name, test in zip(names, tests, strict=True)]


def tall_pairs(comparison: Comparison) -> Table:
    """One pair a row, all digits, for machines."""
    rows: list[list[Cell]] = []
    for measure in comparison.measures:
        for one in comparison.pairs(measure):
            ends = (None, None) if one.interval is None else (one.interval.low, one.interval.high)
            p_values = one.p_value, one.p_randomised
            rows.append([str(measure), one.first, one.second, one.n, one.difference, *ends, *p_values])
    return Table(
        ["measure", "first", "second", "n", "difference", "low", "high", "p_value", "p_randomised"], rows
    )


def legend(comparison: Comparison, *, pairs: bool = False) -> list[str]:
    """What the columns are, in a few lines."""
    settings = comparison.settings
    names = names_of_tests(settings.tests, "label")
    student = "p (t)" if "t" in names else "Student's t"
    lines = [
        f"against {comparison.baseline}; {interval_line(comparison)}",
        ", ".join(f"p ({name}) is {test.about}" for name, test in zip(names, settings.tests, strict=True)),
        f"p (Holm): p ({names[0]}) adjusted for the number of tests here, {comparison.family}; "
        "dz: difference / standard deviation; W/T/L: queries better/same/worse",
        f"detectable: the true difference for which {student} has a power of 80 %, at 5 %",
    ]
    if pairs:
        lines.append("pairs: Tukey's test blocked by query; it answers for all pairs of a measure")
    return lines


def interval_line(comparison: Comparison) -> str:
    """What the intervals of the differences are, in a line."""
    methods = {one.interval_method for one in comparison}
    sure = f"{100 * comparison.settings.confidence:g} % intervals by "
    inverted = "test inversion, which allows for rare large differences"
    if methods == {STUDENT}:
        return f"{sure}Student's t"
    return sure + inverted + ("; Student's where a measure has no bounds" if STUDENT in methods else "")


def _headings(comparison: Comparison) -> list[str]:
    interval = f"{100 * comparison.settings.confidence:g} % interval"
    tests = (f"p ({name})" for name in names_of_tests(comparison.settings.tests, "label"))
    return ["difference", interval, *tests, "p (Holm)", "dz", "W/T/L", "detectable"]


def _cells(one: Contrast) -> list[Cell]:
    return [
        f"{one.difference:+.4f}",
        _range(one.interval),
        *(p_text(found.p_value) for found in one.tests.values()),
        p_text(one.p_adjusted),
        None if one.dz is None else f"{one.dz:+.2f}",
        f"{one.wins}/{one.ties}/{one.losses}",
        one.detectable,
    ]


def _believed(one: Contrast, wanted: bool) -> list[Cell]:
    if not wanted:
        return []
    found = one.posterior
    return [f"{found.worse:.2f}/{found.equivalent:.2f}/{found.better:.2f}" if found else None]


def _range(interval: Interval | None) -> Cell:
    return None if interval is None else (interval.low, interval.high)
