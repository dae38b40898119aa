"""idealist report: one HTML file with tables, figures and the verdict."""

from __future__ import annotations

import os
import sys

from idealist.cli.files import refuse_existing, refuse_inputs, write_file
from idealist.cli.guards import add_guards, guard_margins, guarded_too
from idealist.cli.inputs import add_tables, add_weights, tables_of
from idealist.cli.options import (
    add_conventions,
    add_margin,
    add_measure_defaults,
    add_measures,
    conventions_of,
    guards_named,
    measures_of,
)
from idealist.cli.progress import Progress
from idealist.cli.segments import add_segments, read_segments, require_segments
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    put_judgments_first,
    read_judged,
    sources_of,
    table_of,
)
from idealist.comparison.result import GUARDS
from idealist.data.needs import TABLES
from idealist.data.run import runs_by_name
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.evaluation.weighing import query_weights
from idealist.io.detection import resolve_folder
from idealist.io.request import ReadRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Judgments, Run
    from idealist.evaluation import Evaluation
    from idealist.evaluation.explanation import Explanation
    from idealist.measures import Measure

SUMMARY = "write tables, figures and the verdict as one HTML file"
EPILOG = """examples:
  idealist report robust.qrels bm25.run dense.run --baseline bm25.run -o report.html
  idealist report robust.qrels bm25.run -m nDCG@10 -m AP -o report.html
  idealist report robust.qrels old.run new.run --segments users.csv --segment-by country --guard AP=1% -o report.html"""
DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the HTML file to write")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    parser.add_argument(
        "--baseline", metavar="RUN", help="compare the others with this run (default: the first)"
    )
    parser.add_argument("--votes", metavar="FILE", help="a table of good, same and bad votes")
    add_margin(parser, "2 %% of the baseline's mean, and 2 %% of the votes")
    add_guards(parser)
    add_segments(parser)
    parser.add_argument("--title", default="Ranking report", help="default: Ranking report")
    parser.add_argument(
        "--date",
        metavar="TEXT",
        default="",
        help="a date to show; without it, the same inputs give the same file",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")
    add_tables(parser, weighing=False)
    add_weights(parser)
    add_sources(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    put_judgments_first(arguments)
    from idealist.reporting.figures import require_matplotlib
    from idealist.reporting.page import report_page, source_of, stamp_of

    require_matplotlib()
    _check_output(arguments.output, arguments.force)
    given_runs = expanded(arguments.runs)
    named = [("judgments", arguments.judgments), *(("run", path) for path in given_runs)]
    named += [
        (role, path)
        for role in ("votes", "weights", "segments", *(need.name for need in TABLES))
        if (path := getattr(arguments, role))
    ]
    refuse_inputs(arguments.output, [path for _, path in named])
    paths = list(dict.fromkeys((role, _file(path)) for role, path in named))
    stamps = {path: stamp_of(path) for _, path in paths}
    conventions = conventions_of(arguments)
    measures = guarded_too(measures_of(arguments.measure or DEFAULT_MEASURES, arguments), arguments)
    named_runs = named_files(given_runs, sources_of(arguments), judgments=arguments.judgments)
    files = runs_by_name(named_runs)
    first = next(iter(files)) if len(files) > 1 else None
    given = arguments.baseline or first
    baseline = given if given is None or given in files else _baseline(given, given_runs, named_runs, files)
    _check_compared(arguments, baseline)
    tables = tables_of(arguments, measures)
    judgments = read_judged(arguments.judgments, sources_of(arguments), threads=arguments.threads)
    runs = {name: file.read() for name, file in files.items()}
    how: dict[str, Any] = {"conventions": conventions, "threads": arguments.threads, **tables}
    how["weights"] = query_weights(
        table_of(arguments.weights, sources_of(arguments), "weights"),
        arguments.weight_by,
        tables.get("profiles"),
    )
    result = evaluate(runs, judgments, measures, **how)
    segments = read_segments(
        table_of(arguments.segments, sources_of(arguments), "segments"),
        result.queries,
        column=arguments.segment_by,
        profiles=tables.get("profiles"),
    )
    comparison = _compared(result, baseline, segments)
    curved, curves = _curves(runs, judgments, measures, how)
    page = report_page(
        result,
        comparison=comparison,
        verdicts=_verdicts(comparison, arguments),
        gsb=_votes(arguments),
        curves=curves,
        curved=curved,
        explanations=_explanations(result, comparison, runs, judgments, conventions),
        sources=[source_of(path, role, stamps[path]) for role, path in paths],
        title=arguments.title,
        date=arguments.date,
    )
    write_file(arguments.output, page, force=arguments.force)
    print(f"{arguments.output}: {len(page.encode()):,} bytes", file=sys.stderr)
    return 0


def _file(path: str) -> str:
    """The file that a source is in."""
    if path == "-":
        raise InputError("a report reads its inputs twice, and standard input only once", hint="save it")
    return resolve_folder(ReadRequest(path, "judgments")).path


def _check_output(path: str, force: bool) -> None:
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder", hint="name a file in it, such as report.html")
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: there is no such folder", hint="make it first")
    refuse_existing(path, force)


def _baseline(given: str, paths: list[str], named: Mapping[str, object], runs: Mapping[str, object]) -> str:
    """The run that was named by its path or its file's name, where there is one run in it."""
    by_path = {path: name for name, path in zip(named, paths, strict=True) if name in runs}
    for path, name in by_path.items():
        if os.path.abspath(given) == os.path.abspath(path):
            return name
    by_file = [name for path, name in by_path.items() if os.path.basename(path) == given]
    if len(by_file) == 1:
        return by_file[0]
    raise InputError(f"the baseline {given} is not among the runs", hint=f"one of {', '.join(runs)}")


def _check_compared(arguments: argparse.Namespace, baseline: str | None) -> None:
    """Raises for options of a comparison where there is none."""
    require_segments(arguments.segment_by, arguments.segments, arguments.profiles)
    given = [
        name for name in ("segments", "segment_by", "guard", "guards") if getattr(arguments, name) is not None
    ]
    if baseline is None and given:
        option = f"--{given[0].replace('_', '-')}"
        raise InputError(
            f"{option} is for a comparison, and there is one run", hint="give two runs, at least"
        )


def _compared(result: Evaluation, baseline: str | None, segments: dict[str, str] | None) -> Any:
    if baseline is None:
        return None
    from idealist.comparison import compare_evaluations

    return compare_evaluations(result, baseline=baseline, segments=segments, progress=Progress("randomising"))


def _verdicts(comparison: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    if comparison is None:
        return {}
    measure = next((one for one in comparison.measures if one.better != "neither"), None)
    if measure is None:
        return {}
    return {
        f"{one.system} against {one.baseline} by {measure.label}": comparison.verdict(
            measure=measure,
            system=one.system,
            margin=arguments.margin,
            guards=GUARDS if arguments.guards is None else guards_named(arguments.guards),
            guard_margins=guard_margins(arguments.guard),
        )
        for one in comparison.contrasts
        if one.measure == measure
    }


def _votes(arguments: argparse.Namespace) -> Any:
    """The votes, weighted by --weights as the measures are."""
    if arguments.votes is None:
        return None
    from idealist.io.votes import read_votes
    from idealist.votes.voting import gsb

    weights = table_of(arguments.weights, sources_of(arguments), "weights")
    votes = read_votes(
        table_of(arguments.votes, sources_of(arguments), "votes"),
        weights=weights,
        weight_by=None if weights is None else arguments.weight_by,
    )
    return gsb(votes, margin=arguments.margin)


def _curves(
    runs: Mapping[str, Run],
    judgments: Judgments,
    measures: tuple[Measure, ...],
    how: Mapping[str, Any],
) -> tuple[str, dict[str, dict[int, float]]]:
    """The means of the first measure that has a cut-off, at several."""
    from idealist.reporting.plots import at_cutoffs, cutoff_curves

    several = at_cutoffs(measures)
    return cutoff_curves(evaluate(runs, judgments, several, **how)) if several else ("", {})


def _explanations(
    result: Evaluation,
    comparison: Any,
    runs: Mapping[str, Run],
    judgments: Judgments,
    conventions: Conventions,
) -> dict[str, Explanation]:
    """The query that moved most, or without a baseline the first, worked out for every system."""
    from idealist.evaluation.explanation import explain
    from idealist.measures import CG, DCG, IDCG, NDCG

    measure = next((one for one in result.measures if isinstance(one, (CG, DCG, IDCG, NDCG))), None)
    if measure is None:
        return {}
    by_system = {system: result.by_query(measure, system) for system in result.systems}
    shared = [query for query in result.queries if all(query in values for values in by_system.values())]
    if not shared:
        return {}
    query = shared[0]
    if comparison is not None:
        before = by_system[comparison.baseline]
        query = max(shared, key=lambda q: max(abs(values[q] - before[q]) for values in by_system.values()))
    return {
        system: explain(one, judgments, measure, query=query, conventions=conventions)
        for system, one in runs.items()
    }
