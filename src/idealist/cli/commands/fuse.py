"""idealist fuse: several runs combined into one."""

from __future__ import annotations

from idealist.base.values import as_count
from idealist.base.wording import count_of, count_queries
from idealist.cli.files import refuse_existing, refuse_inputs
from idealist.cli.messages import say, say_note
from idealist.cli.options import add_format, add_output, add_seed, add_threads, write_view
from idealist.cli.run_files import require_run_name, write_made_run
from idealist.cli.sources import RUNS, add_sources, expanded, named_files, read_judged, sources_of
from idealist.data.run import runs_by_name
from idealist.errors import InputError
from idealist.fusion import NORMALISATIONS, Method, fuse, tune_fusion
from idealist.fusion.fusing import cut
from idealist.show.fusion_tables import tuned_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.data import Run

SUMMARY = "combine runs into one"
EPILOG = """examples:
  idealist fuse bm25.run dense.run -o fused.run
  idealist fuse bm25.run dense.run --method wsum --run-weights 0.7,0.3 --normalisation z-score -o fused.run
  idealist fuse bm25.run dense.run --method wsum --tune nDCG@10 --judgments train.qrels -o fused.run
  idealist fuse bm25.run dense.run --method rrf --set k=10,20,60 --tune AP --judgments train.qrels
  idealist fuse bm25.run dense.run --depth 100 -o fused.run
  idealist fuse --list"""

# Parameters with a number per run; the second is refused by the method, which says what it is called now.
LISTS = ("run_weights", "weights")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"two or more {RUNS}")
    add_output(parser, "the file to write, in the format of its ending (default: standard output)")
    parser.add_argument("--method", default="rrf", help="fusion method (default: rrf; --list shows all)")
    parser.add_argument(
        "--normalisation",
        metavar="HOW",
        help=f"how scores are normalised, by query and run: {', '.join(NORMALISATIONS)} (default: what is usual for the method)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the method; with --tune the values to try, as in k=10,20,60; may be repeated",
    )
    parser.add_argument(
        "--run-weights", metavar="W,W…", help="weights of the runs, in their order, such as 0.7,0.3"
    )
    parser.add_argument(
        "--depth", type=int, metavar="N", help="write the first N documents of each query (default: all)"
    )
    parser.add_argument("--name", help="name of the run (default: the method)")
    tuning = parser.add_argument_group("parameters from judgments")
    tuning.add_argument(
        "--tune", metavar="MEASURE", help="try parameters, and use those with the best mean of this measure"
    )
    tuning.add_argument(
        "--judgments", metavar="FILE", help="judgments to tune on, or to fit a method that learns from them"
    )
    tuning.add_argument(
        "--folds", type=int, default=5, help="number of folds in the cross-validation (default: 5)"
    )
    add_seed(tuning)
    parser.add_argument(
        "--list", action="store_true", help="list the methods and the normalisations, and exit"
    )
    add_format(parser, about="output format of --tune and --list")
    add_threads(parser)
    add_sources(parser, features=True)


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        from idealist.show.fusion_tables import methods_view

        write_view(methods_view(), arguments.format)
        return 0
    arguments.runs = expanded(arguments.runs)
    if not arguments.runs:
        raise InputError("two or more runs are needed", hint="idealist fuse --help has examples")
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [*arguments.runs, arguments.judgments])
    if arguments.name is not None:
        require_run_name(arguments.name)
    if arguments.depth is not None:
        as_count(arguments.depth, "--depth")
    method = Method.parse(arguments.method)
    if arguments.tune is None and arguments.judgments is not None and not method.learned:
        raise InputError(
            f"--judgments changes nothing: {method.name} learns nothing from them",
            hint="--tune MEASURE tries parameters on them",
        )
    if arguments.judgments is None and (arguments.tune is not None or method.learned):
        why = "--tune" if arguments.tune is not None else method.name
        raise InputError(f"{why} needs judged queries", hint="name their file with --judgments")
    named = runs_by_name(named_files(arguments.runs, sources_of(arguments)))
    if len(named) < 2:
        raise InputError(
            f"two or more runs are needed, not one: {arguments.runs[0]}",
            hint="name another; a table with a column `system` is a run of each system",
        )
    runs = {name: file.read() for name, file in named.items()}
    if arguments.tune is not None:
        _tune(arguments, method, runs)
        return 0
    chosen = Method.parse(method, **_parameters(arguments))
    if method.learned:
        judgments = read_judged(arguments.judgments, sources_of(arguments), threads=arguments.threads)
        chosen = chosen.fit(judgments, list(runs.values()))
        say_note(
            f"{method.name} was fitted on {arguments.judgments}: measure it on other queries, or use --tune"
        )
    fused = fuse(
        runs, chosen, normalisation=arguments.normalisation, name=arguments.name, threads=arguments.threads
    )
    _write_run(fused, runs, arguments)
    return 0


def _tune(arguments: argparse.Namespace, method: Method, runs: dict[str, Run]) -> None:
    from idealist.cli.progress import Progress

    grid: dict[str, Any] = {**type(method).grid(len(runs)), **_tried(arguments)}
    tuned = tune_fusion(
        read_judged(arguments.judgments, sources_of(arguments), threads=arguments.threads),
        runs,
        method,
        arguments.tune,
        grid=grid,
        normalisation=arguments.normalisation,
        folds=arguments.folds,
        seed=arguments.seed,
        threads=arguments.threads,
        progress=Progress("tuning"),
    )
    write_view(tuned_view(tuned, seed=arguments.seed), arguments.format)
    if arguments.output is None:
        say_note("nothing was written; -o FILE writes the fused run")
    else:
        _write_run(tuned.fuse(runs, name=arguments.name), runs, arguments)


def _parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for name, values in _settings(arguments).items():
        parameters[name] = tuple(values) if name in LISTS else values[0]
        if name not in LISTS and len(values) > 1:
            raise InputError(f"--set gives {name} {len(values)} values", hint="several are for --tune to try")
    return parameters


def _tried(arguments: argparse.Namespace) -> dict[str, list[Any]]:
    """What to try for the parameters that were given."""
    settings = _settings(arguments)
    return {name: [tuple(values)] if name in LISTS else values for name, values in settings.items()}


def _settings(arguments: argparse.Namespace) -> dict[str, list[float]]:
    settings: dict[str, list[float]] = {}
    texts = [
        *arguments.set,
        *([f"run_weights={arguments.run_weights}"] if arguments.run_weights is not None else []),
    ]
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals:
            raise InputError(f"--set {text!r} is not NAME=VALUE", hint="for example --set k=60")
        if name.strip() in settings:
            raise InputError(f"{name.strip()} is given twice", hint="give it once")
        try:
            settings[name.strip()] = [float(value) for value in values.split(",")]
        except ValueError:
            raise InputError(f"{text!r} is not made of numbers", hint="for example 0.7,0.3") from None
    return settings


def _write_run(fused: Run, runs: dict[str, Run], arguments: argparse.Namespace) -> None:
    fused = cut(fused, arguments.depth)
    partial = sum(any(query not in run for run in runs.values()) for query in fused)
    write_made_run(fused, arguments.output, force=arguments.force)
    where = "" if arguments.output is None else f", written to {arguments.output}"
    say(
        f"{len(runs)} runs fused by {fused.name}: {count_queries(len(fused))}, "
        f"{count_of(len(fused.rows), 'document')}{where}"
    )
    if partial:
        say_note(f"{count_queries(partial)} in only some of the runs")
