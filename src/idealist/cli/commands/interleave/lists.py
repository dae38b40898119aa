"""idealist interleave lists: what to show, and the credit information to log."""

from __future__ import annotations

from idealist.base.wording import count_of
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.options import add_format, add_output, add_seed, add_threads
from idealist.cli.sources import RUNS, add_sources, expanded, named_files, sources_of
from idealist.clicks import Interleaving
from idealist.clicks.interleaved_lists import interleave
from idealist.data.run import runs_by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.cli.sources import SourceOptions
    from idealist.data import Run

SUMMARY = "draw interleaved lists of two or more runs, with the credit information to log"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help=f"two or more {RUNS}")
    add_method(parser)
    parser.add_argument("-n", type=int, default=1, metavar="N", help="lists for each query (default: 1)")
    add_seed(parser)
    add_output(parser)
    add_format(parser, ("csv", "jsonl"))
    add_sources(parser)
    add_threads(parser)


def add_method(parser: argparse.ArgumentParser) -> None:
    about = "; ".join(f"{name}: {method.about}" for name, method in Interleaving.all().items())
    parser.add_argument(
        "--method", metavar="NAME", default="team-draft", help=f"{about} (default: team-draft)"
    )
    parser.add_argument("-k", type=int, default=10, metavar="N", help="documents of a list (default: 10)")


def read_named(paths: list[str], options: SourceOptions) -> dict[str, Run]:
    """The runs that were named, in memory."""
    files = runs_by_name(named_files(expanded(paths), options))
    return {name: file.read() for name, file in files.items()}


def run(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, arguments.runs)
    drawn = interleave(
        read_named(arguments.runs, sources_of(arguments)),
        arguments.method,
        k=arguments.k,
        lists=arguments.n,
        seed=arguments.seed,
    )
    columns = drawn.columns
    rows = list(zip(*columns.values(), strict=True))
    kind = "jsonl" if (arguments.output or "").endswith(".jsonl") else arguments.format
    text = rows_text(tuple(columns), rows, kind)
    deliver(
        text, arguments.output, f"{count_of(len(drawn), 'list')} by {drawn.method}", force=arguments.force
    )
    return 0
