"""What the commands that compare runs share: their options, and what these say to compare and how."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.cli.guards import (
    add_guard_margins,
    add_guards,
    add_unjudged_rate,
    guard_margins,
    guarded_too,
    guards_named,
)
from idealist.cli.inputs import (
    add_machine,
    add_numbers,
    add_tables,
    add_weights,
    machine_of,
    numbers_alone,
    numbers_of,
    read_judgments_for,
    require_segments,
    tables_of,
)
from idealist.cli.options import (
    add_confidence,
    add_conventions,
    add_margin,
    add_measure_defaults,
    add_measures,
    add_policy,
    add_seed,
    add_setting,
    add_shares,
    add_threads,
    conventions_of,
    measures_of,
    option_named,
    shares_of,
)
from idealist.cli.saved import add_evaluations, read_evaluations, refuse_settled, require_runs
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    sources_of,
    table_of,
)
from idealist.comparison.comparing import baseline_named
from idealist.comparison.comparison import GUARDS
from idealist.data.run import runs_by_name
from idealist.data.segments import query_segments
from idealist.data.source_names import parse_source
from idealist.errors import InputError
from idealist.measures.column import column_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data.query_numbers import QueryNumbers
    from idealist.measures import Measure


def add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that the others are compared with, by its name or its file (default: the first)",
    )


def add_comparison(parser: argparse.ArgumentParser, measures: Sequence[str]) -> None:
    """Runs and judgments, and all that says how they are measured and compared."""
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="*", help=RUNS)
    add_evaluations(parser)
    add_numbers(parser)
    add_baseline(parser)
    add_measures(parser, measures)
    add_threads(parser)


def add_tests(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--tests",
        default="",
        metavar="LIST",
        help="tests to show beside the interval's own p, separated by commas, such as t,randomisation(seed=7)",
    )
    add_setting(group, "interval")
    add_confidence(group)
    add_setting(group, "rounds", "N")
    add_seed(group)
    group.add_argument(
        "--rope",
        type=float,
        metavar="R",
        help="region of practical equivalence: differences up to R do not matter; shows the probabilities of worse, "
        "equivalent and better",
    )
    group.add_argument(
        "--more-tests",
        action="store_true",
        help="also print bootstrap intervals, Wilcoxon's test, the sign test and Benjamini–Hochberg",
    )
    group.add_argument(
        "--all-pairs", action="store_true", help="also compare every pair of runs, by Tukey's test"
    )
    return group


def add_verdict(parser: argparse.ArgumentParser, margin: str = "") -> argparse._ArgumentGroup:
    group = parser.add_argument_group("verdict, on the first measure")
    add_margin(group, *([margin] if margin else []))
    add_policy(group)
    add_guards(group)
    add_guard_margins(group)
    add_unjudged_rate(group)
    return group


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read, and under which conventions they are measured."""
    add_sources(parser)
    add_tables(parser, weighing=False)
    add_shares(
        add_weights(parser),
        "SEGMENT",
        "the share of the traffic that a segment of --segments has: means give it that, and only the spread within segments "
        "counts",
    )
    add_machine(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def verdict_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_verdict` say, as `Comparison.verdict` takes it."""
    return {
        "margin": arguments.margin,
        "policy": arguments.policy,
        "guards": GUARDS if arguments.guards is None else guards_named(arguments.guards),
        "guard_margins": guard_margins(arguments.guard) or None,
        "unjudged_rate": arguments.unjudged_rate,
    }


def settings_of_tests(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_tests` say, as `compare` takes it."""
    names = ("seed", "rounds", "tests", "interval", "confidence")
    return {**{name: getattr(arguments, name) for name in names}, "shares": shares_of(arguments.share)}


class RunsToCompare(Frozen):
    """What is compared: `runs` by name with `judgments` and `measures`, or the Evaluation of runs that were measured
    before, alone; the baseline (None for one run), the segments of queries, and `how` runs are measured."""

    runs: Any
    judgments: Any = None
    measures: Any = None
    baseline: str | None = None
    segments: Mapping[str, str] | None = None
    how: Mapping[str, Any] = {}

    @property
    def measured(self) -> dict[str, Any]:
        """The arguments that say what is compared, as `report` takes them."""
        if self.measures is None:
            return {"judgments": self.runs}  # an evaluation stands in the place of judgments and runs
        return {"judgments": self.judgments, "runs": self.runs, "measures": self.measures, **self.how}


def runs_to_compare(
    arguments: argparse.Namespace, measures: Sequence[str], *, command: str, alone: bool = False
) -> RunsToCompare:
    """What the options of a command name; `measures` where they name none. With `alone`, one run is enough."""
    require_segments(arguments)
    numbers = numbers_of(arguments)
    if arguments.evaluations is not None:
        return _measured_before(arguments, numbers)
    if numbers is not None and arguments.judgments is None:
        return _numbers_to_compare(arguments, numbers, alone=alone)
    require_runs(
        arguments.judgments,
        arguments.runs,
        command=command,
        different_judgments=arguments.different_judgments,
    )
    options = sources_of(arguments)
    columns = () if numbers is None else numbers.columns
    parsed = guarded_too(measures_of(arguments.measure or measures, arguments, columns), arguments, columns)
    paths = expanded(arguments.runs)
    files = named_files(paths, options, judgments=arguments.judgments)
    runs = runs_by_name(files)
    baseline = None
    if len(runs) > 1 or not alone:
        baseline = baseline_named(arguments.baseline, tuple(runs), dict(zip(paths, files, strict=True)))
    else:
        _refuse_comparing(arguments)
    tables = tables_of(arguments, parsed)
    return RunsToCompare(
        runs,
        read_judgments_for(
            arguments.judgments,
            parsed,
            options,
            threads=arguments.threads,
            drawn=arguments.machine is not None,
        ),
        parsed,
        baseline,
        query_segments(
            table_of(arguments.segments, options, "segments"), arguments.segment_by, tables.get("profiles")
        ),
        {
            "conventions": conventions_of(arguments),
            "threads": arguments.threads,
            "weights": table_of(arguments.weights, options, "weights"),
            "weight_by": arguments.weight_by,
            **machine_of(arguments),
            **tables,
            **({} if numbers is None else {"numbers": numbers}),
        },
    )


def _numbers_to_compare(
    arguments: argparse.Namespace, numbers: QueryNumbers, *, alone: bool
) -> RunsToCompare:
    evaluation, segments = numbers_alone(arguments, numbers, guard_margins(arguments.guard))
    baseline = None
    if len(evaluation.systems) > 1 or not alone:
        files = {path: parse_source(path).name for path in arguments.numbers}
        baseline = baseline_named(arguments.baseline, evaluation.systems, files)
    return RunsToCompare(evaluation, baseline=baseline, segments=segments)


def _measured_before(arguments: argparse.Namespace, numbers: QueryNumbers | None) -> RunsToCompare:
    refuse_settled(arguments)

    def named(columns: Sequence[str]) -> tuple[Measure, ...]:
        if numbers is None:  # of what was measured before, only what is named
            columns = [
                name for name in columns if any(column_named(text, [name]) for text in arguments.measure)
            ]
        return measures_of(arguments.measure, arguments, columns, besides=False)

    evaluation, by_file = read_evaluations(
        arguments.evaluations,
        measures=named if arguments.measure and numbers is None else None,
        different_judgments=arguments.different_judgments,
    )
    if numbers is not None:
        from idealist.evaluation.column_values import evaluate_with_numbers
        from idealist.evaluation.joining import join_evaluations

        before = evaluation
        evaluation = evaluate_with_numbers(
            numbers,
            named(numbers.columns) if arguments.measure else before.measures,
            conventions=before.conventions,
            of_runs=lambda measures: join_evaluations([before], measures=measures),
        )
    segments = query_segments(
        table_of(arguments.segments, sources_of(arguments), "segments"), arguments.segment_by
    )
    baseline = baseline_named(arguments.baseline, evaluation.systems, by_file)
    return RunsToCompare(evaluation, baseline=baseline, segments=segments)


def _refuse_comparing(arguments: argparse.Namespace) -> None:
    """Raises for options of a comparison where there is one run; what the project file says of comparisons is not meant."""
    own = (
        "baseline",
        "segments",
        "segment_by",
        "share",
        "guard",
        "guards",
        "rope",
        "all_pairs",
        "more_tests",
    )
    for name in own:
        if name in getattr(arguments, "from_project", ()):
            setattr(arguments, name, None)
        elif getattr(arguments, name) not in (None, False):
            raise InputError(
                f"{option_named(name)} is for a comparison, and there is one run",
                hint="give two runs or more",
            )
