"""idealist compare: runs against a baseline, and whether they may take its place."""

from __future__ import annotations

import sys

from idealist.cli.guards import add_guards, guard_margins, guarded_too
from idealist.cli.inputs import add_tables, add_weights, read_judgments_for, tables_of
from idealist.cli.options import (
    add_conventions,
    add_margin,
    add_measure_defaults,
    add_measures,
    add_seed,
    conventions_of,
    guards_named,
    measures_of,
    rendered,
    write_view,
)
from idealist.cli.progress import Progress
from idealist.cli.saved import add_evaluations, read_evaluations, refuse_settled, require_runs
from idealist.cli.segments import add_segments, read_segments, require_segments
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    put_judgments_first,
    sources_of,
    table_of,
)
from idealist.comparison.comparing import MEASURES
from idealist.comparison.result import GUARDS
from idealist.data.run import runs_by_name
from idealist.reporting import FORMATS
from idealist.statistics.testing import DEFAULT_TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.comparison import Comparison
    from idealist.decision.verdict import Verdict
    from idealist.evaluation import Evaluation

SUMMARY = "compare runs with a baseline: how far apart, how sure, may it ship"
EPILOG = """examples:
  idealist compare robust.qrels bm25.run dense.run -m nDCG@10 -m AP
  idealist compare robust.qrels bm25.run dense.run fused.run --baseline bm25.run --all-pairs
  idealist compare robust.qrels old.run new.run --margin 1% --guard AP=2% --gate --format markdown
  idealist compare robust.qrels bm25.run dense.run --tests wilcoxon,t
  idealist compare --evaluations old.json new.json

With --gate the exit code is the verdict's: 0 ship, 1 block, 3 undecided; of several runs the worst."""
WORST_FIRST = ("block", "undecided", "ship")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"two at least: {RUNS}")
    add_evaluations(parser)
    parser.add_argument(
        "--baseline", metavar="RUN", help="the run that others are compared with (default: the first)"
    )
    add_measures(parser, MEASURES)
    parser.add_argument("--all-pairs", action="store_true", help="every pair of runs too, by Tukey's test")
    add_segments(parser)
    parser.add_argument("--format", choices=(*FORMATS, "json"), default="table", help="default: table")
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")
    _add_tests(parser)
    _add_verdict(parser)
    add_sources(parser)
    add_tables(parser, weighing=False)
    add_weights(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests")
    group.add_argument("--confidence", type=float, default=0.95, metavar="P", help="default: 0.95")
    group.add_argument("--permutations", type=int, default=10_000, metavar="N", help="default: 10000")
    add_seed(group)
    group.add_argument(
        "--tests",
        default=",".join(DEFAULT_TESTS),
        metavar="LIST",
        help=f"by commas, such as t,randomisation(seed=7) (default: {','.join(DEFAULT_TESTS)}); p (Holm) goes by the first",
    )
    group.add_argument("--list-tests", action="store_true", help="what tests there are")
    group.add_argument(
        "--rope",
        type=float,
        metavar="R",
        help="differences up to this are none in practice: the probabilities of worse, equivalent and better",
    )
    group.add_argument(
        "--more-tests",
        action="store_true",
        help="bootstrap intervals, Wilcoxon's test, the sign test and Benjamini–Hochberg too",
    )


def _add_verdict(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("verdict, on the first measure")
    add_margin(group)
    group.add_argument(
        "--policy", choices=("interval", "sign"), default="interval", help="decide by (default: interval)"
    )
    add_guards(group)
    group.add_argument("--gate", action="store_true", help="exit with 0 to ship, 1 to block, 3 undecided")


def run(arguments: argparse.Namespace) -> int:
    put_judgments_first(arguments)
    from idealist.comparison import compare_evaluations
    from idealist.reporting.comparisons import comparison_view
    from idealist.statistics.beliefs import REGION

    if arguments.list_tests:
        from idealist.cli.statistics_page import statistics_page, tests_table

        markdown = arguments.format == "markdown"
        kind = "table" if arguments.format == "json" else arguments.format
        sys.stdout.write(statistics_page() if markdown else rendered(tests_table(), kind))
        return 0
    evaluation, baseline, tables = _measured(arguments)
    comparison = compare_evaluations(
        evaluation,
        baseline=baseline,
        segments=read_segments(
            table_of(arguments.segments, sources_of(arguments), "segments"),
            evaluation.queries,
            column=arguments.segment_by,
            profiles=tables.get("profiles"),
        ),
        seed=arguments.seed,
        permutations=arguments.permutations,
        tests=arguments.tests,
        confidence=arguments.confidence,
        region=REGION if arguments.rope is None else arguments.rope,
        progress=Progress("randomising"),
    )
    if arguments.more_tests:
        bar = Progress("resampling")
        for done, contrast in enumerate(comparison, 1):
            _ = contrast.bootstrap  # computed once, when it is asked for
            bar(done, len(comparison))
    verdicts = _verdicts(comparison, arguments)
    worst = min(verdicts.values(), key=lambda one: WORST_FIRST.index(one.outcome), default=None)
    code = worst.exit_code if arguments.gate and worst else 0
    view = comparison_view(
        comparison,
        verdicts=verdicts,
        gate=code if arguments.gate else None,
        all_pairs=arguments.all_pairs,
        more_tests=arguments.more_tests,
        posterior=arguments.rope is not None,
    )
    write_view(view, arguments.format)
    return code


def _measured(arguments: argparse.Namespace) -> tuple[Evaluation, str, dict[str, Any]]:
    """What is to be compared, with which baseline, and the tables that were read for it."""
    from idealist.comparison.comparing import baseline_of
    from idealist.evaluation import evaluate

    if arguments.evaluations is not None:
        refuse_settled(arguments)
        saved = read_evaluations(
            arguments.evaluations,
            measures=measures_of(arguments.measure, arguments) if arguments.measure else None,
            different_judgments=arguments.different_judgments,
        )
        require_segments(arguments.segment_by, arguments.segments, arguments.profiles)
        return saved, baseline_of(saved.systems, arguments.baseline), {}
    require_runs(arguments.judgments, arguments.runs, different_judgments=arguments.different_judgments)
    measures = guarded_too(measures_of(arguments.measure or MEASURES, arguments), arguments)
    paths = expanded(arguments.runs)
    files = named_files(paths, sources_of(arguments), judgments=arguments.judgments)
    named = dict(zip(paths, files, strict=True))
    runs = runs_by_name(files)
    baseline = baseline_of(tuple(runs), named.get(arguments.baseline, arguments.baseline))
    require_segments(arguments.segment_by, arguments.segments, arguments.profiles)
    tables = tables_of(arguments, measures)
    evaluation = evaluate(
        runs,
        read_judgments_for(arguments.judgments, measures, sources_of(arguments), threads=arguments.threads),
        measures,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
        **tables,
    )
    return evaluation, baseline, tables


def _verdicts(comparison: Comparison, arguments: argparse.Namespace) -> dict[str, Verdict]:
    """On the first measure; none where it does not say what is better, unless one was asked for."""
    if comparison.measures[0].better == "neither" and not arguments.gate:
        return {}
    chosen = GUARDS if arguments.guards is None else guards_named(arguments.guards)
    return comparison.verdicts(
        margin=arguments.margin,
        policy=arguments.policy,
        guards=chosen,
        guard_margins=guard_margins(arguments.guard),
    )
