"""idealist convert: runs and judgments from one format to another, without loss."""

from __future__ import annotations

import os

from idealist.base.wording import count_of, count_queries
from idealist.cli.messages import say, say_note
from idealist.cli.options import add_threads
from idealist.cli.sources import add_sources, add_system, judgment_options, run_options, sources_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.data.converting import Converted

SUMMARY = "write runs and judgments in another format"
EPILOG = """examples:
  idealist convert bm25.run bm25.parquet
  idealist convert shop.qrels shop.duckdb::judgments
  idealist convert scores.csv bm25.run.gz --as run --columns query=uid,document=sku,score=s
  idealist convert bm25.run - --to jsonl | head
  idealist convert systems.csv bm25.run --system bm25
  idealist convert systems.csv 'runs/{system}.run'

A target is written whole or not at all."""
KINDS = {"run": "a run", "judgments": "judgments"}
ENDINGS = {".qrels": "judgments", ".run": "run"}


def configure(parser: argparse.ArgumentParser) -> None:
    from idealist.data.format_list import written_lines

    parser.epilog = f"{EPILOG}\n\nwhat can be written:\n{written_lines()}"
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a file, FILE::TABLE of a database, ir_datasets:ID, or - for standard input",
    )
    parser.add_argument(
        "target", metavar="TARGET", help="a file, FILE::TABLE of a database, or - for standard output"
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=tuple(KINDS),
        help="what SOURCE is (default: recognised by content or name)",
    )
    parser.add_argument(
        "--to", dest="to_format", metavar="FORMAT", help="format of TARGET (default: by its ending)"
    )
    parser.add_argument("--name", metavar="TAG", help="name of the run (default: the name in the file)")
    parser.add_argument("--lossy", action="store_true", help="allow a format that cannot hold everything")
    parser.add_argument("--force", action="store_true", help="replace TARGET if it exists already")
    add_system(parser, "the system to take from SOURCE; {system} in TARGET writes each to a file of its own")
    add_threads(parser)
    add_sources(parser, features=True)


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.progress import Progress
    from idealist.data.converting import SYSTEM, convert, is_streamed
    from idealist.data.writing import destination_of

    kind = arguments.kind or kind_of(arguments.source, arguments.target, arguments.to_format)
    if kind != "run" and arguments.system is not None:
        raise InputError("--system is for runs, and these are judgments", hint="leave it out")
    if kind == "run" and SYSTEM in arguments.target:
        return _split(arguments)
    place = destination_of(arguments.target, kind, arguments.to_format)
    how = run_options(sources_of(arguments)) if kind == "run" else judgment_options(sources_of(arguments))
    streamed = is_streamed(arguments.source, place, kind, how["format"])
    bar = Progress("converting", "bytes" if streamed else "queries")
    try:
        done = convert(
            arguments.source,
            arguments.target,
            kind,
            to_format=arguments.to_format,
            name=arguments.name,
            lossy=arguments.lossy,
            force=arguments.force,
            threads=arguments.threads,
            progress=bar,
            **how,
        )
    finally:
        bar.wipe()
    _say(done, "standard output" if arguments.target == "-" else arguments.target)
    return 0


def _split(arguments: argparse.Namespace) -> int:
    """The run of each system to a file of its own."""
    from idealist.data.converting import SYSTEM, split_systems

    for option in ("system", "name"):
        if getattr(arguments, option) is not None:
            raise InputError(
                f"--{option} is for one run, and {SYSTEM} in TARGET is for each system's",
                hint="give one or the other",
            )
    how = run_options(sources_of(arguments))
    done = split_systems(
        arguments.source,
        arguments.target,
        to_format=arguments.to_format,
        lossy=arguments.lossy,
        force=arguments.force,
        threads=arguments.threads,
        **{name: value for name, value in how.items() if name != "system"},
    )
    for target, converted in done.items():
        _say(converted, target)
    return 0


def _say(done: Converted, where: str) -> None:
    size = f"{count_of(done.rows, 'row')}, {count_queries(done.queries)}"
    for note in done.notes:
        say_note(note)
    say(f"{KINDS[done.kind]}: {size} → {where}")


def kind_of(source: str, target: str, to_format: str | None = None) -> str:
    """Whether something is a run or judgments: by its columns, or by what the files are called."""
    from idealist.data.detection import kind_of_source
    from idealist.data.opening import no_such_file
    from idealist.data.source_names import STREAM, is_data_set, parse_source
    from idealist.data.writing import written_formats

    format = None if to_format is None else written_formats().get(to_format)
    if format is not None and len(format.writes) == 1:
        return format.writes[0]
    is_file = source != STREAM and not is_data_set(source)
    if is_file and not os.path.exists(parse_source(source).path):
        raise no_such_file(source)
    for kind in (kind_of_source(source), _by_name(source), _by_name(target)):
        if kind is not None:
            return kind
    raise InputError(f"{source}: is this a run, or judgments?", hint="add --as run or --as judgments")


def _by_name(path: str) -> str | None:
    name = os.path.basename(path).lower()
    return next((kind for ending, kind in ENDINGS.items() if ending in name), None)
