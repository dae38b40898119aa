"""A comparison for machines: a contrast, a pair or a query a row, all digits."""

from __future__ import annotations

from idealist.reporting.cells import ends_of
from idealist.reporting.corrections import corrected_cells, corrected_columns
from idealist.reporting.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from idealist.comparison import Comparison, Contrast
    from idealist.reporting.table import Cell
    from idealist.statistics.tests.base import PairedTest

FIELDS = (
    *("baseline_value", "value", "difference", "low", "high", "p_value", "p_adjusted", "p_discovery"),
    *("student_low", "student_high", "dz", "wins", "ties", "losses"),
    *("large_losses", "large_losses_expected"),
)
FIELDS_AFTER_TESTS = ("detectable",)


def contrast_rows(comparison: Comparison) -> Table:
    """Every contrast over all queries, then those of segments."""
    parts = comparison.segments().values() if comparison.segmented else ()
    rows: list[list[Cell]] = []
    with_machine = any(contrast.corrected is not None for contrast in comparison)
    for contrast in [*comparison, *(contrast for part in parts for contrast in part)]:
        named: dict[str, Cell] = {}
        for prefix, interval in (("", contrast.interval), ("student_", contrast.student)):
            named[f"{prefix}low"], named[f"{prefix}high"] = ends_of(interval)
        losses = contrast.large_losses
        named["large_losses"] = None if losses is None else losses.share
        named["large_losses_expected"] = None if losses is None else losses.expected
        cells: list[Cell] = [named[field] if field in named else getattr(contrast, field) for field in FIELDS]
        cells += (result.p_value for result in contrast.tests.values())
        cells += (getattr(contrast, field) for field in FIELDS_AFTER_TESTS)
        cells += corrected_cells(contrast) if with_machine else ()
        rows.append(
            [
                str(contrast.measure),
                contrast.segment,
                contrast.system,
                comparison.baseline,
                contrast.n,
                *cells,
            ]
        )
    tests = names_of_tests(comparison.settings.tests, "column")
    titles = ["measure", "segment", "system", "baseline", "n", *FIELDS, *tests, *FIELDS_AFTER_TESTS]
    titles += corrected_columns() if with_machine else ()
    return Table(titles, rows)


def names_of_tests(tests: Iterable[PairedTest], kind: str) -> list[str]:
    """What columns of p-values are called, by the `label` or `column` of the test; two of a kind, by what they state."""
    tests = list(tests)
    names = [getattr(test, kind) for test in tests]
    return [name if names.count(name) == 1 else str(test) for name, test in zip(names, tests, strict=True)]


def pair_rows(comparison: Comparison) -> Table:
    """Every pair of systems on every measure."""
    rows: list[list[Cell]] = []
    for measure in comparison.measures:
        for pair in comparison.pairs(measure):
            p_values = pair.p_value, pair.p_randomised
            ends = ends_of(pair.interval)
            rows.append([str(measure), pair.first, pair.second, pair.n, pair.difference, *ends, *p_values])
    titles = ["measure", "first", "second", "n", "difference", "low", "high", "p_value", "p_randomised"]
    return Table(titles, rows)


def query_rows(contrast: Contrast) -> Table:
    """Every query of a contrast: the baseline's value, the system's, and their difference."""
    paired = contrast.paired
    both = zip(paired.queries, paired.baseline_values, paired.values, paired.differences, strict=True)
    return Table(["query", "baseline_value", "value", "difference"], [list(row) for row in both])
