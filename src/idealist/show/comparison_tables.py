"""A comparison: systems beside the baseline, measure by measure; segments, all pairs, the queries that moved most."""

from __future__ import annotations

from idealist.base.wording import interval_title, percent
from idealist.conventions import DEFAULT
from idealist.show.cells import difference_cell, ends_of, interval_cell, number_cell, p_cell
from idealist.show.convention_tables import conventions_line
from idealist.show.corrected_tables import corrected_cells, corrected_columns
from idealist.show.evaluation_tables import evaluation_notes, means_table, notes_by_place
from idealist.show.table import Table
from idealist.show.verdict_tables import VerdictBlock, margin_text, verdict_lines
from idealist.show.view import Heading, Lines, Together, View
from idealist.statistics.intervals import STUDENT
from idealist.statistics.inversion import INVERSION
from idealist.statistics.sequential_testing import SEQUENCE
from idealist.statistics.unseen import BY_BEST_THIRD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from idealist.comparison import Comparison, Contrast, Risks
    from idealist.comparison.verdict import Verdict
    from idealist.measures import Measure
    from idealist.show.table import Cell
    from idealist.statistics.paired_tests import PairedTest


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
    """The titles of columns of p-values, by the `label` or `column` of the test; two of a kind, by what they state."""
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


# One heading for one thing, wherever it stands; the legend says what each is.
P, P_HOLM = "p", "p (Holm)"
EXPLAINED = "docs/decisions.md#the-confidence-interval"
LOOKS_EXPLAINED = "docs/decisions.md#looks-while-judgments-come-in"
ALLOWANCES = {  # what intervals allow for, by their method
    BY_BEST_THIRD: "a failure on good queries that the sample does not show (best third)",
    SEQUENCE: "looks at any time, each with more queries (a confidence sequence)",
    INVERSION: "a failure that the sample does not show to cost the whole range (cautious)",
}
BRIEF_ALLOWANCES = {
    BY_BEST_THIRD: "allow for unseen failures",
    SEQUENCE: "hold at any look",
    INVERSION: "allow for any unseen failure",
}
P_OF_CORRECTED = f"p of corrected differences: as their intervals; {P_HOLM}: adjusted for all of them"
COUNTS = "wins/ties/losses"
LARGE_LOSSES = "queries that lost more than half of their value (with equal systems of the same spread)"


def comparison_view(
    comparison: Comparison,
    *,
    verdicts: Mapping[str, Verdict] | None = None,
    gate: int | None = None,
    goal: Measure | None = None,
    all_pairs: bool = False,
    more_tests: bool = False,
    posterior: bool = False,
    risk: float | None = None,
    show_all: bool = False,
) -> View:
    """Every system compared with the baseline, and verdicts by system on `goal` (the first measure). `gate` is the exit code of a
    command that ends by the verdict. With `show_all`, every column and what each is; JSON and CSV have them always. With `posterior`, also the probabilities of worse, equivalent and better; with `risk`,
    an α, the risk measures of every measure."""
    risks = [] if risk is None else [comparison.risks(measure, alpha=risk) for measure in comparison.measures]
    verdicts = verdicts or {}
    conventions = conventions_line(comparison.evaluation.conventions)
    unusual = [conventions] if show_all or comparison.evaluation.conventions != DEFAULT else []
    notes, first, others = (
        [f"note: {note}" for note in some]
        for some in (comparison_notes(comparison), *notes_by_place(comparison_notes(comparison)))
    )
    about = [*legend(comparison, pairs=all_pairs, brief=not show_all), *others, *unusual]
    measure = (goal or comparison.measures[0]).label
    heading = _verdict_heading(measure, verdicts, show_all)
    closing = _verdict_closing(comparison, verdicts, gate)
    blocks = [VerdictBlock(verdict, system, f"{system} by {measure}") for system, verdict in verdicts.items()]
    outcomes = [line for system, verdict in verdicts.items() for line in verdict_lines(verdict, system)]
    return View(
        lambda: [
            Lines(tuple(first)),
            *([means_table(comparison.evaluation, comparison=comparison)] if all_pairs else []),
            *comparison_tables(
                comparison,
                all_pairs=all_pairs,
                more_tests=more_tests,
                posterior=posterior,
                brief=not show_all,
            ),
            *([risk_table(risks)] if risks else []),
            Lines(tuple(about)),
        ],
        verdict=Together((Heading(tuple(heading)), *blocks, Lines(tuple(closing)))) if verdicts else None,
        rows=lambda: pair_rows(comparison) if all_pairs else contrast_rows(comparison),
        record=lambda: _record(comparison, verdicts, gate, all_pairs, more_tests, risks),
        beside=[*notes, conventions, *heading, *outcomes, *closing],
        compact=True,
    )


def contrast_view(contrast: Contrast) -> View:
    """A system compared with the baseline on one measure."""

    def tables() -> list[Table]:
        return [contrast_table([contrast]), *([moved_table(contrast)] if contrast.moved else [])]

    return View(tables, rows=lambda: query_rows(contrast), record=contrast.to_dict)


def comparison_tables(
    comparison: Comparison,
    *,
    all_pairs: bool = False,
    more_tests: bool = False,
    posterior: bool = False,
    brief: bool = False,
) -> list[Table]:
    """All tables of differences, in order; `brief` ones have the columns that most need."""
    evaluation, baseline = comparison.evaluation, comparison.baseline
    means = {measure: evaluation.mean(measure, baseline) for measure in comparison.measures}
    level = comparison.settings.level
    tables = [contrast_table(comparison.contrasts, means, level=level, posterior=posterior, brief=brief)]
    if any(contrast.corrected is not None for contrast in comparison):
        from idealist.show.corrected_tables import differences_table

        parts = comparison.segments().values() if comparison.segmented else ()
        corrected = differences_table(
            [*comparison.contrasts, *(contrast for part in parts for contrast in part)]
        )
        tables += [] if corrected is None else [corrected]
    if more_tests:
        tables.append(more_tests_table(comparison.contrasts))
    if comparison.segmented:
        tables.append(segment_table(comparison, brief=brief))
    if all_pairs:
        tables.append(pair_table(comparison))
    first = comparison.contrasts[0]
    if len(comparison.systems) == 1 and first.moved:
        tables.append(moved_table(first))
    return tables


def comparison_notes(comparison: Comparison) -> list[str]:
    return [*evaluation_notes(comparison.evaluation, weighting=True), *comparison.notes]


def contrast_table(
    contrasts: Sequence[Contrast],
    means: Mapping[Measure, float] | None = None,
    *,
    level: float = 0.05,
    posterior: bool = False,
    brief: bool = False,
) -> Table:
    """The baseline, and below it every system; a difference that is significant, adjusted for the family, stands out.
    `means` are the baseline's over all of its queries; without them, over those that it shares with the first system."""
    headings = _headings(contrasts, brief)
    rows: list[list[Cell]] = []
    best, rules = set(), set()
    measures: set[Measure] = set()
    for contrast in contrasts:
        measure = contrast.measure
        if measure not in measures:
            measures.add(measure)
            rules.add(len(rows))
            beyond = [None] * (len(headings) + posterior)
            mean = contrast.baseline_value if means is None else means[measure]
            rows.append([measure.label, contrast.baseline, number_cell(mean), *beyond])
        if contrast.p_adjusted is not None and contrast.p_adjusted <= level:
            best.add((len(rows), 3))
        rows.append(
            [
                measure.label,
                contrast.system,
                number_cell(contrast.value),
                *_cells(contrast, brief),
                *_believed(contrast, posterior),
            ]
        )
    titles = ["measure", "system", "value", *headings, *(["worse/equivalent/better"] if posterior else [])]
    return Table(titles, rows, best=best, rules=rules - {0})


def more_tests_table(contrasts: Sequence[Contrast]) -> Table:
    """More about every system: the bootstrap, and tests that the literature disagrees on."""
    rows: list[list[Cell]] = [
        [
            contrast.measure.label,
            contrast.system,
            interval_cell(contrast.student),
            interval_cell(contrast.bootstrap),
            "" if contrast.bootstrap_holds else "unreliable: few queries changed",
            p_cell(contrast.p_wilcoxon),
            p_cell(contrast.p_sign),
            p_cell(contrast.p_discovery),
        ]
        for contrast in contrasts
    ]
    titles = ["more tests", "system", "Student's interval", "bootstrap interval", ""]
    return Table([*titles, "p (Wilcoxon)", "p (sign)", "p (Benjamini–Hochberg)"], rows)


def segment_table(comparison: Comparison, *, brief: bool = False) -> Table:
    """The same by segment of queries; one that is significantly worse stands out."""
    rows: list[list[Cell]] = []
    rules, best = set(), set()
    for measure in comparison.measures:
        rules.add(len(rows))
        for name, contrasts in comparison.segments().items():
            for contrast in contrasts:
                if contrast.measure == measure:
                    if contrast.harmed:
                        best.add((len(rows), 5))
                    value = number_cell(contrast.value)
                    cells = _cells(contrast, brief)
                    rows.append([measure.label, name, contrast.system, contrast.n, value, *cells])
    titles = ["measure", "segment", "system", "n", "value", *_headings(comparison.contrasts, brief)]
    return Table(titles, rows, best=best, rules=rules - {0})


def pair_table(comparison: Comparison) -> Table:
    """Every pair of systems; a difference that is significant by Tukey's test stands out."""
    rows: list[list[Cell]] = []
    best, rules = set(), set()
    for measure in comparison.measures:
        if len(comparison.systems) > 1:
            rules.add(len(rows))
        for pair in comparison.pairs(measure):
            p = pair.p_randomised if pair.p_value is None else pair.p_value
            if p is not None and p <= comparison.settings.level:
                best.add((len(rows), 3))
            rows.append(
                [
                    *(measure.label, pair.first, pair.second, difference_cell(pair.difference)),
                    *(interval_cell(pair.interval), p_cell(pair.p_value), p_cell(pair.p_randomised)),
                ]
            )
    titles = ["measure", "pair", "and", "difference", "simultaneous interval", "p (Tukey)"]
    return Table([*titles, "p (randomised Tukey)"], rows, best=best, rules=rules - {0})


def moved_table(contrast: Contrast) -> Table:
    """The queries that moved most."""
    rows: list[list[Cell]] = [
        [move.query, move.before, move.after, difference_cell(move.change)] for move in contrast.moved
    ]
    titles = ["moved most", contrast.baseline, contrast.system, f"change in {contrast.measure.label}"]
    return Table(titles, rows)


def risks_view(risks: Risks) -> View:
    """The risk measures of the systems of a comparison."""
    rows: list[list[Cell]] = [[risk.system, risk.urisk, risk.trisk, risk.georisk] for risk in risks]
    return View(
        lambda: [risk_table([risks])],
        rows=lambda: Table(["system", "urisk", "trisk", "georisk"], rows),
        record=risks.to_dict,
    )


def risk_table(by_measure: Sequence[Risks]) -> Table:
    """The risk measures of every system, measure by measure."""
    rows: list[list[Cell]] = []
    rules = set()
    for risks in by_measure:
        rules.add(len(rows))
        rows += (
            [
                *(risks.measure.label, risk.system, difference_cell(risk.urisk)),
                *(difference_cell(risk.trisk, 2), number_cell(risk.georisk)),
            ]
            for risk in risks
        )
    alpha = by_measure[0].alpha
    below = [
        "",
        f"a loss weighs {1 + alpha:g} times as much as a gain (α = {alpha:g}); the higher, the less risky; TRisk is URisk in "
        "standard errors; GeoRisk compares with all systems here",
    ]
    return Table(["risk", "system", "URisk", "TRisk", "GeoRisk"], rows, below=below, rules=rules - {0})


def legend(comparison: Comparison, *, pairs: bool = False, brief: bool = False) -> list[str]:
    """What the columns are, in a few lines; a `brief` one is a line for what is always there."""
    settings = comparison.settings
    if brief:
        return _brief_legend(comparison, pairs)
    titles = _test_titles(settings.tests)
    tests = [f"{title}: {test.about}" for title, test in zip(titles, settings.tests, strict=True)]
    own = [f"{P}: the interval's own, of no difference"]
    if comparison.family:
        own.append(f"{P_HOLM}: adjusted for {_family(comparison)} here")
    lines = [
        f"compared with {comparison.baseline}; {_interval_line(comparison)}",
        "; ".join([*own, *tests]),
        f"dz: difference / standard deviation; {COUNTS}: queries that are better, the same and worse; detectable: "
        "the true difference that as many queries like these show, with a power of 80 %",
    ]
    if loss_texts := [text for contrast in comparison if (text := _large_losses(contrast))]:
        lines.append(f"{LARGE_LOSSES}: {'; '.join(loss_texts)}")
    estimates = [contrast.corrected for contrast in comparison if contrast.corrected is not None]
    if estimates:
        from idealist.show.corrected_tables import correction_lines

        lines += [*correction_lines(estimates), P_OF_CORRECTED]
    if pairs:
        lines.append("pairs: Tukey's test blocked by query, adjusted for all pairs of a measure")
    return lines


def _brief_legend(comparison: Comparison, pairs: bool) -> list[str]:
    methods = {contrast.interval_method for contrast in comparison}
    method = next((BRIEF_ALLOWANCES[each] for each in methods if each in BRIEF_ALLOWANCES), "by Student's t")
    adjusted = f"; {P_HOLM}: for {_family(comparison)}" if _adjusted(comparison.contrasts) else ""
    titles = _test_titles(comparison.settings.tests)
    lines = [
        f"compared with {comparison.baseline}; {interval_title(comparison.settings.confidence)}s {method}{adjusted}",
        *(f"{title}: {test.about}" for title, test in zip(titles, comparison.settings.tests, strict=True)),
    ]
    estimates = [contrast.corrected for contrast in comparison if contrast.corrected is not None]
    if estimates:
        from idealist.show.corrected_tables import correction_lines

        lines += correction_lines(estimates)
    if pairs:
        lines.append("pairs: Tukey's test blocked by query, adjusted for all pairs of a measure")
    return lines


def _large_losses(contrast: Contrast) -> str:
    losses = contrast.large_losses
    if losses is None:
        return ""
    return (
        f"{contrast.system} {percent(losses.share)} by {contrast.measure.label} ({percent(losses.expected)})"
    )


def _family(comparison: Comparison) -> str:
    """How many tests p-values are adjusted for: "all 5 tests", or "the one test"."""
    return "the one test" if comparison.family == 1 else f"all {comparison.family:,} tests"


def _verdict_heading(measure: str, verdicts: Mapping[str, Verdict], show_all: bool) -> list[str]:
    """By which measure and margin; with all there is to show, how to state one where it is the default."""
    if not verdicts:
        return []
    first = next(iter(verdicts.values()))
    default = "" if first.margin_stated or not show_all else ", the default: --margin sets another"
    return [f"verdict on {measure}, {margin_text(first)}{default}:"]


def _verdict_closing(comparison: Comparison, verdicts: Mapping[str, Verdict], gate: int | None) -> list[str]:
    several = len(verdicts) > 1
    lines = []
    if several:
        lines.append(
            f"better: beside all {len(comparison.systems)} candidates, by Holm's method; margins and guards: each by itself"
        )
    if gate is not None and verdicts:
        lines.append(f"gate: exit code {gate}" + (", by the worst of them" if several else ""))
    return lines


def _interval_line(comparison: Comparison) -> str:
    """The kind of the intervals of the differences."""
    methods = {contrast.interval_method for contrast in comparison}
    title = f"{interval_title(comparison.settings.confidence)}s"
    if methods == {STUDENT}:
        return f"{title} by Student's t"
    (allowance,) = (ALLOWANCES[method] for method in methods - {STUDENT})
    students = "; Student's where a measure has no range" if STUDENT in methods else ""
    explained = LOOKS_EXPLAINED if SEQUENCE in methods else EXPLAINED
    return f"{title} allow for {allowance}: {explained}{students}"


def _adjusted(contrasts: Sequence[Contrast]) -> bool:
    """Whether p-values are adjusted for several tests; that of a single test is what it was."""
    return any(
        contrast.p_adjusted is not None and contrast.p_adjusted != contrast.p_value for contrast in contrasts
    )


def _headings(contrasts: Sequence[Contrast], brief: bool = False) -> list[str]:
    interval = interval_title(contrasts[0].confidence)
    tests = _test_titles(contrasts[0].tests)
    if brief:
        return ["difference", interval, P_HOLM if _adjusted(contrasts) else P, *tests, COUNTS]
    return ["difference", interval, P, P_HOLM, *_test_titles(contrasts[0].tests), "dz", COUNTS, "detectable"]


def _test_titles(tests: Iterable[PairedTest]) -> list[str]:
    return [f"p ({name})" for name in names_of_tests(tests, "label")]


def _cells(contrast: Contrast, brief: bool = False) -> list[Cell]:
    if brief:
        p = contrast.p_value if contrast.p_adjusted is None else contrast.p_adjusted
        return [
            difference_cell(contrast.difference),
            interval_cell(contrast.interval),
            p_cell(p),
            *(p_cell(result.p_value) for result in contrast.tests.values()),
            f"{contrast.wins}/{contrast.ties}/{contrast.losses}",
        ]
    return [
        difference_cell(contrast.difference),
        interval_cell(contrast.interval),
        p_cell(contrast.p_value),
        p_cell(contrast.p_adjusted),
        *(p_cell(result.p_value) for result in contrast.tests.values()),
        difference_cell(contrast.dz, 2),
        f"{contrast.wins}/{contrast.ties}/{contrast.losses}",
        number_cell(contrast.detectable),
    ]


def _believed(contrast: Contrast, posterior: bool) -> list[Cell]:
    if not posterior:
        return []
    belief = contrast.posterior
    return [f"{belief.worse:.2f}/{belief.equivalent:.2f}/{belief.better:.2f}" if belief else None]


def _record(
    comparison: Comparison,
    verdicts: Mapping[str, Verdict],
    gate: int | None,
    all_pairs: bool,
    more_tests: bool,
    risks: Sequence[Risks],
) -> dict[str, object]:
    record = comparison.to_dict(bootstrap=more_tests)
    record["notes"] = comparison_notes(comparison)
    if all_pairs:
        record["pairs"] = comparison.pair_records()
    if risks:
        record["risks"] = [of_measure.to_dict() for of_measure in risks]
    record["verdicts"] = {system: verdict.to_dict() for system, verdict in verdicts.items()}
    record["gate"] = gate
    return record
