"""idealist compare: runs and a baseline, and whether they may take its place."""

from __future__ import annotations

from idealist.cli.comparisons import (
    add_comparison,
    add_reading,
    add_tests,
    add_verdict,
    runs_to_compare,
    settings_of_tests,
    verdict_settings,
)
from idealist.cli.options import add_gate, add_result, write_view
from idealist.cli.progress import Progress
from idealist.comparison.comparing import MEASURES
from idealist.comparison.comparison import ALPHA

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.comparison import Comparison
    from idealist.comparison.verdict import Verdict

SUMMARY = "compare runs with a baseline: differences, intervals, tests and a verdict"
EPILOG = """examples:
  idealist compare robust.qrels bm25.run dense.run -m nDCG@10 -m AP
  idealist compare robust.qrels bm25.run dense.run fused.run --baseline bm25.run --all-pairs
  idealist compare robust.qrels old.run new.run --margin 1% --guard AP=2% --gate --format markdown
  idealist compare robust.qrels bm25.run dense.run --show all
  idealist compare robust.qrels bm25.run dense.run --tests wilcoxon,t
  idealist compare human.qrels old.run new.run --machine machine.qrels
  idealist compare --numbers answers.csv --baseline old -m faithfulness -m latency_ms --guard latency_ms=5%
  idealist compare robust.qrels old.run new.run -m nDCG@10 --numbers latency.csv
  idealist compare robust.qrels old.run new.run --order judged.csv
  idealist compare --evaluations old.json new.json

With --gate the exit code is the verdict's: 0 ship or unchanged, 1 block, 3 undecided; of several runs the worst."""
WORST_FIRST = ("block", "undecided", "unchanged", "ship")


def configure(parser: argparse.ArgumentParser) -> None:
    add_comparison(parser, MEASURES)
    add_result(parser)
    parser.add_argument(
        "--show",
        choices=("most", "all"),
        default="most",
        help="the columns that most need, or all, with what each is (default: most; JSON and CSV have all)",
    )
    tests = add_tests(parser)
    tests.add_argument("--list-tests", action="store_true", help="list the tests, and exit")
    tests.add_argument(
        "--risk",
        type=float,
        nargs="?",
        const=ALPHA,
        metavar="A",
        help="also print URisk, TRisk and GeoRisk, where a loss weighs 1 + A times as much as a gain "
        f"(default of A: {ALPHA:g})",
    )
    tests.add_argument(
        "--order",
        metavar="FILE",
        help="the queries in the order in which their judgments were complete, a table with the column query and, if known, "
        "time: intervals are then valid however often one looks while judgments come in",
    )
    add_gate(add_verdict(parser))
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.list_tests:
        from idealist.show.reference_pages import tests_view

        write_view(tests_view(), arguments.format)
        return 0
    comparison = _compared(arguments)
    if arguments.more_tests:
        bar = Progress("resampling")
        for done, contrast in enumerate(comparison, 1):
            _ = contrast.bootstrap  # computed once, when it is asked for
            bar(done, len(comparison))
    from idealist.show.comparison_tables import comparison_view

    verdicts = _verdicts(comparison, arguments)
    worst = min(verdicts.values(), key=lambda verdict: WORST_FIRST.index(verdict.outcome), default=None)
    code = worst.exit_code if arguments.gate and worst else 0
    view = comparison_view(
        comparison,
        verdicts=verdicts,
        gate=code if arguments.gate else None,
        all_pairs=arguments.all_pairs,
        more_tests=arguments.more_tests,
        posterior=arguments.rope is not None,
        risk=arguments.risk,
        show_all=arguments.show == "all",
    )
    write_view(view, arguments.format)
    return code


def _compared(arguments: argparse.Namespace) -> Comparison:
    from idealist.comparison import compare_evaluations
    from idealist.evaluation import evaluate
    from idealist.statistics.intervals import REGION

    inputs = runs_to_compare(arguments, MEASURES, command="compare")
    evaluation = inputs.runs
    if inputs.measures is not None:
        evaluation = evaluate(inputs.judgments, inputs.runs, inputs.measures, **inputs.how)
    return compare_evaluations(
        evaluation,
        baseline=inputs.baseline,
        segments=inputs.segments,
        region=REGION if arguments.rope is None else arguments.rope,
        progress=Progress("randomising"),
        order=arguments.order,
        **settings_of_tests(arguments),
    )


def _verdicts(comparison: Comparison, arguments: argparse.Namespace) -> dict[str, Verdict]:
    """On the first measure; none where it does not say what is better, unless a verdict was asked for."""
    if comparison.measures[0].better == "neither" and not arguments.gate:
        return {}
    return comparison.verdicts(**verdict_settings(arguments))
