"""idealist plot: one figure as PNG or SVG."""

from __future__ import annotations

from idealist.cli.comparisons import add_baseline
from idealist.cli.files import refuse_existing, refuse_inputs, write_file
from idealist.cli.inputs import add_weights, read_judgments_for
from idealist.cli.messages import say, say_note
from idealist.cli.options import (
    MEASURE,
    add_confidence,
    add_conventions,
    add_measure_defaults,
    add_measures,
    add_output,
    add_seed,
    add_threads,
    conventions_of,
    measures_of,
)
from idealist.cli.sources import RUNS, add_sources, expanded, named_files, read_judged, sources_of, table_of
from idealist.comparison.comparing import baseline_named
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

SUMMARY = "draw one figure as PNG or SVG"
FIGURES = {
    "intervals": "differences from the baseline with their intervals, for every run and measure",
    "differences": "every query's difference between two runs, the largest first",
    "scatter": "a point per query: the baseline across, the other run up",
    "bootstrap": "how the mean difference spreads when queries are drawn again",
    "cutoffs": "the mean of the first measure as its cut-off grows, a line per run",
    "buildup": "how the gains of one query add up, rank by rank, beside the ideal list",
    "votes": "good, same and bad as shares of a bar, with GSB and its interval",
    "raters": "the accuracy of every rater by a model of votes or grades",
    "strengths": "many systems by votes on pairs of them",
    "propensities": "how often each position of a log of impressions is looked at",
    "preferences": "which system users prefer, by a log of interleaved lists",
}
OF_TABLES = ("raters", "strengths", "propensities", "preferences")
OF_PAIRS = ("differences", "scatter", "bootstrap")
EXAMPLES = """examples:
  idealist plot intervals robust.qrels bm25.run dense.run -m nDCG@10 -m AP -o intervals.svg
  idealist plot differences robust.qrels bm25.run dense.run -m nDCG@10 -o differences.png
  idealist plot cutoffs robust.qrels bm25.run dense.run -m nDCG@10 -o cutoffs.svg
  idealist plot buildup robust.qrels bm25.run dense.run --query 301 -o query-301.svg
  idealist plot votes votes.csv -o votes.svg
  idealist plot strengths pairs.csv -o strengths.svg

An SVG follows the light or dark mode of its reader; a PNG has a white background."""
EPILOG = "\n".join(
    [
        "figures:",
        *(f"  {name:<{max(map(len, FIGURES))}}  {about}" for name, about in FIGURES.items()),
        "",
        EXAMPLES,
    ]
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("figure", metavar="FIGURE", choices=FIGURES, help=", ".join(FIGURES))
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help=f"JUDGMENTS RUN…: {RUNS}; one table for votes, raters, strengths, propensities and preferences",
    )
    add_output(parser, "the .png or .svg file to write", required=True)
    add_baseline(parser)
    parser.add_argument("--query", metavar="ID", help="which query to draw, for the figure buildup")
    add_confidence(parser)
    add_seed(parser)
    add_threads(parser)
    add_measures(parser, [MEASURE])
    add_sources(parser)
    add_weights(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.show.figures import require_matplotlib
    from idealist.show.plots import figure_bytes, require_figure_name

    require_matplotlib()
    require_figure_name(arguments.output)
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, arguments.files)
    if (arguments.figure == "buildup") != (arguments.query is not None):
        raise InputError(
            "buildup draws one query: name it with --query"
            if arguments.query is None
            else f"--query goes with buildup, not with {arguments.figure}",
            hint="idealist plot buildup robust.qrels bm25.run --query 301 -o query.svg",
        )
    content = figure_bytes(_drawn(arguments), arguments.output, title=FIGURES[arguments.figure])
    write_file(arguments.output, content, force=arguments.force)
    say(f"{arguments.output}: {len(content):,} bytes")
    return 0


def _drawn(arguments: argparse.Namespace) -> Figure:
    if arguments.figure == "votes":
        return _votes(arguments)
    if arguments.figure in OF_TABLES:
        return _of_table(arguments)
    judgments, *runs = arguments.files
    if not runs:
        raise InputError(
            "there is no run to draw", hint=f"idealist plot {arguments.figure} JUDGMENTS RUN… -o FILE"
        )
    if arguments.figure == "buildup":
        return _buildup(arguments, judgments, runs)
    measures = measures_of(arguments.measure or [MEASURE], arguments)
    if arguments.figure == "cutoffs":
        from idealist.show.plots import at_cutoffs

        if not (several := at_cutoffs(measures)):
            names = ", ".join(map(str, measures))
            raise InputError(
                f"{names} has no cut-off", hint="name a measure that has one, such as -m nDCG@10"
            )
        return _measured(arguments, judgments, runs, several).plot("cutoffs")
    return _compared(arguments, judgments, runs, measures)


def _votes(arguments: argparse.Namespace) -> Figure:
    from idealist.votes.vote_table import read_votes
    from idealist.votes.voting import gsb

    if len(arguments.files) != 1:
        raise InputError(
            "the figure votes takes one table of votes", hint="idealist plot votes votes.csv -o votes.svg"
        )
    votes = read_votes(table_of(arguments.files[0], sources_of(arguments), "votes", main=True))
    return gsb(votes, confidence=arguments.confidence, seed=arguments.seed).plot()


def _of_table(arguments: argparse.Namespace) -> Figure:
    if len(arguments.files) != 1:
        raise InputError(
            f"the figure {arguments.figure} takes one table",
            hint=f"idealist plot {arguments.figure} FILE -o {arguments.figure}.svg",
        )
    table = table_of(arguments.files[0], sources_of(arguments), "votes", main=True)
    how = {"confidence": arguments.confidence, "seed": arguments.seed}
    if arguments.figure == "raters":
        from idealist.votes.rater_models import rater_model

        return rater_model(table, **how).plot()
    if arguments.figure == "strengths":
        from idealist.votes.system_ranking import rank_systems

        return rank_systems(table, **how).plot()
    if arguments.figure == "propensities":
        from idealist.clicks.click_fitting import fit_clicks

        return fit_clicks(table, rounds=50, **how).plot()
    from idealist.clicks.interleaving import analyse_interleaving

    return analyse_interleaving(table, confidence=arguments.confidence).plot()


def _buildup(arguments: argparse.Namespace, judgments: str, runs: list[str]) -> Figure:
    from idealist.evaluation.explanation import explain
    from idealist.show.figures import draw_buildup

    measure, *more = measures_of(arguments.measure or [MEASURE], arguments)
    if more:
        raise InputError("buildup shows one measure at a time", hint="give one --measure")
    judged = read_judged(judgments, sources_of(arguments), threads=arguments.threads)
    files = named_files(expanded(runs), sources_of(arguments), judgments=judgments)
    conventions = conventions_of(arguments)
    explained = [
        explain(judged, file.read(), measure, query=arguments.query, conventions=conventions)
        for file in files.values()
    ]
    return draw_buildup(*explained, names=list(files))


def _measured(
    arguments: argparse.Namespace, judgments: str, runs: list[str], measures: Sequence[Measure]
) -> Evaluation:
    from idealist.evaluation import evaluate

    result = evaluate(
        read_judgments_for(judgments, measures, sources_of(arguments), threads=arguments.threads),
        named_files(expanded(runs), sources_of(arguments), judgments=judgments),
        measures,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
    )
    for note in result.notes:
        say_note(note)
    return result


def _compared(
    arguments: argparse.Namespace, judgments: str, runs: list[str], measures: Sequence[Measure]
) -> Figure:
    from idealist.comparison import compare_evaluations

    paths = expanded(runs)
    names = dict(zip(paths, named_files(paths, sources_of(arguments), judgments=judgments), strict=True))
    baseline = baseline_named(arguments.baseline, tuple(names.values()), names)
    if arguments.figure in OF_PAIRS and (len(names) != 2 or len(measures) != 1):
        raise InputError(
            f"{arguments.figure} is of two runs and one measure, not of {len(names)} and {len(measures)}",
            hint="name two runs, and one measure with -m",
        )
    comparison = compare_evaluations(
        _measured(arguments, judgments, runs, measures),
        baseline=baseline,
        confidence=arguments.confidence,
        seed=arguments.seed,
    )
    return comparison.plot(arguments.figure)
