"""idealist compare: runs against a baseline, and whether they may take its place."""

from __future__ import annotations

import json
import sys

from idealist.cli.inputs import add_tables, add_weights, read_needed, tables_of
from idealist.cli.options import (
    add_conventions,
    add_margin,
    add_measure_defaults,
    add_measures,
    add_seed,
    conventions_of,
    guard_margins,
    guards_named,
    measures_of,
    rendered,
)
from idealist.cli.progress import Progress
from idealist.cli.saved import add_evaluations, read_evaluations, require_runs
from idealist.cli.sources import JUDGMENTS, RUNS, add_sources, expanded, named_files, table_of
from idealist.comparison.result import GUARDS
from idealist.data.run import runs_by_name
from idealist.decision.wording import signed
from idealist.errors import InputError, visible
from idealist.report import FORMATS
from idealist.statistics.testing import DEFAULT_TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.comparison import Comparison
    from idealist.decision.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.report import Table

SUMMARY = "compare runs with a baseline: how far apart, how sure, may it ship"
EPILOG = """examples:
  idealist compare robust.qrels bm25.run dense.run -m nDCG@10 -m AP
  idealist compare robust.qrels bm25.run dense.run fused.run --baseline bm25.run --all-pairs
  idealist compare robust.qrels old.run new.run --margin 1% --guard AP=2% --gate --format markdown
  idealist compare robust.qrels bm25.run dense.run --tests wilcoxon,t
  idealist compare --evaluations old.json new.json

With --gate the exit code is the verdict's: 0 ship, 1 block, 3 undecided; of several runs the worst."""
DEFAULT_MEASURES = ["nDCG@10", "AP", "P@10"]
WORST_FIRST = ("block", "undecided", "ship")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"two at least: {RUNS}")
    add_evaluations(parser)
    parser.add_argument(
        "--baseline", metavar="RUN", help="the run that others are compared with (default: the first)"
    )
    add_measures(parser, DEFAULT_MEASURES)
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


def add_segments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--segments",
        metavar="FILE",
        help="a table with the columns query and segment; --segment-by names another column than segment",
    )


def add_guards(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--guards",
        metavar="LIST",
        help=f"what keeps a run from shipping, by commas, or none (default: {','.join(GUARDS)})",
    )
    group.add_argument(
        "--guard",
        action="append",
        metavar="NAME=MARGIN",
        help="a measure or segment that must be shown not to lose more than this, such as AP=1%% or mobile=0.01; "
        "measures=1%% and segments=1%% are for all of them; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    from idealist.comparison import compare_evaluations
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
        segments=segments_of(arguments, evaluation, tables),
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
    _write(comparison, verdicts, code, arguments)
    return code


def _measured(arguments: argparse.Namespace) -> tuple[Evaluation, str, dict[str, Any]]:
    """What is to be compared, with which baseline, and the tables that were read for it."""
    from idealist.comparison.comparing import baseline_of
    from idealist.evaluation import evaluate

    if arguments.evaluations is not None:
        saved = read_evaluations(arguments)
        check_segments(arguments)
        return saved, baseline_of(saved.systems, arguments.baseline), {}
    require_runs(arguments)
    measures = guarded_too(measures_of(arguments.measure or DEFAULT_MEASURES, arguments), arguments)
    paths = expanded(arguments.runs)
    files = named_files(paths, arguments, judgments=arguments.judgments)
    named = dict(zip(paths, files, strict=True))
    runs = runs_by_name(files)
    baseline = baseline_of(tuple(runs), named.get(arguments.baseline, arguments.baseline))
    check_segments(arguments)
    tables = tables_of(arguments, measures)
    evaluation = evaluate(
        runs,
        read_needed(arguments.judgments, measures, arguments),
        measures,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
        weights=table_of(arguments.weights, arguments),
        weight_by=arguments.weight_by,
        **tables,
    )
    return evaluation, baseline, tables


def guarded_too(measures: tuple[Measure, ...], arguments: argparse.Namespace) -> tuple[Measure, ...]:
    """With the measures that --guard names; a name that is none may be a segment's."""
    for name in guard_margins(arguments.guard):
        try:
            more = measures_of([name], arguments)
        except InputError:
            continue
        measures = (*measures, *(one for one in more if one not in measures))
    return measures


def check_segments(arguments: argparse.Namespace) -> None:
    """Raises where --segment-by has no table."""
    if arguments.segment_by is not None and arguments.profiles is None and arguments.segments is None:
        raise InputError(
            "--segment-by names a column of --segments or --profiles", hint="give --segments FILE too"
        )


def segments_of(
    arguments: argparse.Namespace, evaluation: Evaluation, tables: dict[str, Any]
) -> dict[str, str] | None:
    """The segment of every query, from --segments or a column of --profiles; None where neither is asked for."""
    queries = evaluation.queries
    if arguments.segment_by is not None and arguments.segments is None:
        return dict(zip(queries, tables["profiles"].texts(arguments.segment_by, queries), strict=True))
    if arguments.segments is None:
        return None
    from idealist.data.columns import QUERY
    from idealist.io import read_table

    table = read_table(table_of(arguments.segments, arguments))
    found: dict[str, str] = {}
    names = table.ids(table.named(arguments.segment_by or "segment"))
    for row, query in enumerate(table.ids(table.named(*QUERY))):
        if found.setdefault(query, names[row]) != names[row]:
            raise table.wrong(f"query {query!r} is in two segments", row, hint="keep one of the two rows")
    return found


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


def _write(
    comparison: Comparison, verdicts: dict[str, Verdict], code: int, arguments: argparse.Namespace
) -> None:
    kind = arguments.format
    if kind == "json":
        sys.stdout.write(json.dumps(_record(comparison, verdicts, code, arguments), allow_nan=False) + "\n")
        return
    notes = [f"note: {visible(note)}" for note in (*comparison.evaluation.notes, *comparison.notes)]
    below = [*notes, f"conventions: {comparison.evaluation.conventions}"]
    said = [visible(line) for line in _said(comparison, verdicts, code, arguments)]
    if kind == "csv":
        from idealist.report.comparisons import tall_pairs, tall_table

        parts = comparison.segments().values() if comparison.segmented else ()
        contrasts = [*comparison, *(one for part in parts for one in part)]
        table = tall_pairs(comparison) if arguments.all_pairs else tall_table(comparison, contrasts)
        print("\n".join([*below, *said]), file=sys.stderr)
        sys.stdout.write(rendered(table, kind))
        return
    from idealist.report.comparisons import legend

    shown = [rendered(table, kind) for table in _tables(comparison, arguments)]
    lines = [visible(line) for line in (*legend(comparison, pairs=arguments.all_pairs), *below)]
    mark = {"latex": "% ", "markdown": "- "}.get(kind, "")
    if kind == "html":
        from html import escape

        sys.stdout.write("\n".join([*shown, *(f"<p>{escape(line)}</p>\n" for line in (*lines, *said))]))
        return
    if kind == "markdown":
        from idealist.decision.verdict import plain

        lines = list(map(plain, lines))
    shown.append("".join(f"{mark}{line}\n" for line in lines))
    if said and kind == "markdown":
        shown += [*_in_markdown(comparison, verdicts), *([f"{said[-1]}\n"] if arguments.gate else [])]
    elif said:
        shown.append("".join(f"{mark if kind == 'latex' else ''}{line}\n" for line in said))
    sys.stdout.write("\n".join(shown))


def _tables(comparison: Comparison, arguments: argparse.Namespace) -> list[Table]:
    from idealist.report.comparisons import (
        contrast_table,
        more_tests_table,
        moved_table,
        pair_table,
        segment_table,
    )
    from idealist.report.summaries import means_table

    posterior = arguments.rope is not None
    tables = [means_table(comparison.evaluation, comparison)] if arguments.all_pairs else []
    for measure in comparison.measures:
        tables.append(contrast_table(comparison, measure, posterior=posterior))
        if arguments.more_tests:
            tables.append(more_tests_table(comparison, measure))
        if comparison.segmented:
            tables.append(segment_table(comparison, measure))
        if arguments.all_pairs:
            tables.append(pair_table(comparison.pairs(measure), measure, comparison.settings.level))
    first = comparison.contrasts[0]
    if len(comparison.systems) == 1 and first.moved:
        tables.append(moved_table(first))
    return tables


def _said(
    comparison: Comparison, verdicts: dict[str, Verdict], code: int, arguments: argparse.Namespace
) -> list[str]:
    """The verdicts for people."""
    if not verdicts:
        return []
    lines = [f"verdict on {comparison.measures[0].label}, {_margins(verdicts)}:"]
    for system, verdict in verdicts.items():
        lines += f"{system}  {verdict}".split("\n")
    if len(verdicts) > 1:
        lines.append(f"each system by itself; p (Holm) answers for all {comparison.family} tests")
    return [*lines, *_gate_line(verdicts, code, arguments)]


def _margins(verdicts: dict[str, Verdict]) -> str:
    """The margin that was stated, or the default and how to state one."""
    first = next(iter(verdicts.values()))
    size = f"margin {signed(first.margin)}"
    share = "" if first.margin_share is None else f" ({100 * first.margin_share:g} % of the baseline's mean)"
    return f"{size}{share}" if first.margin_stated else f"{size}{share}, the default: --margin sets another"


def _gate_line(verdicts: dict[str, Verdict], code: int, arguments: argparse.Namespace) -> list[str]:
    if not arguments.gate:
        return []
    of = ", by the worst of them" if len(verdicts) > 1 else ""
    return [f"gate: exit code {code}{of}"]


def _in_markdown(comparison: Comparison, verdicts: dict[str, Verdict]) -> list[str]:
    from idealist.decision.verdict import plain

    on = comparison.measures[0].label
    return [
        verdict.to_markdown().replace("### Verdict:", f"### Verdict on {plain(system)} by {on}:", 1)
        for system, verdict in verdicts.items()
    ]


def _record(
    comparison: Comparison, verdicts: dict[str, Verdict], code: int, arguments: argparse.Namespace
) -> dict[str, Any]:
    record = comparison.to_dict(bootstrap=arguments.more_tests)
    record["notes"] = [*comparison.evaluation.notes, *comparison.notes]
    if arguments.all_pairs:
        record["pairs"] = comparison.pair_records()
    record["verdicts"] = {system: verdict.to_dict() for system, verdict in verdicts.items()}
    record["gate"] = code if arguments.gate else None
    return record
