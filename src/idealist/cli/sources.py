"""Where commands get judgments and runs from: files in any format, patterns, tables, data sets, standard input."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.cli.messages import say_note
from idealist.cli.options import add_setting
from idealist.cli.progress import Progress
from idealist.data import RunFile, read_judgments
from idealist.data.source_names import STREAM
from idealist.data.source_names import expanded as expanded
from idealist.data.source_names import one_of as one_of
from idealist.errors import InputError
from idealist.projects.settings import stated_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist.data import Judgments, Run

JUDGMENTS = "judgments (qrels): a file in any format, FILE::TABLE, a BEIR folder, ir_datasets:ID, or - for standard input"
RUN = "a run: a file in any format, FILE::TABLE, ir_datasets:ID, or - for standard input"
RUNS = (
    "runs: files in any format, FILE::TABLE, ir_datasets:ID, or - for standard input; a pattern such as 'runs/*.run' stands for all "
    "files it matches, a table with a column `system` for one run per system"
)
RANKED = ("run", "judgments")
# What options may call the tables besides.
TABLES = (
    "votes",
    "numbers",
    "items",
    "profiles",
    "clicks",
    "weights",
    "segments",
    "queries",
    "pool",
    "documents",
)


def add_sources(parser: argparse.ArgumentParser, *, features: bool = False, columns: str = "") -> None:
    """With `features`, also the rows that scores go with, where no judgments say them. `columns` is what else to
    say of --columns."""
    group = parser.add_argument_group("formats (detected from the content, compressed or not)")
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,…",
        help="names of your columns for query, document, score, grade, rank and system, such as query=uid,document=sku; "
        "run.query=uid is for the runs only, judgments.query=qid for the judgments only, items.item=sku for the table of "
        f"--items{columns}",
    )
    add_setting(group, "input_format", "FORMAT")
    add_text(group)
    add_setting(group, "query_sizes", "FILE")
    if features:
        group.add_argument(
            "--features",
            metavar="FILE",
            help="the LETOR file whose rows the scores of a run belong to, where a run has one score per line",
        )


def add_text(group: argparse._ActionsContainer) -> None:
    add_setting(group, "encoding", "NAME")
    add_setting(group, "decimal", "SIGN")


def add_table_columns(parser: argparse.ArgumentParser, ours: str, example: str) -> None:
    """How the one table of a command is read."""
    group = parser.add_argument_group("formats (detected from the content, compressed or not)")
    group.add_argument(
        "--columns", metavar="OURS=THEIRS,…", help=f"names of your columns for {ours}, such as {example}"
    )
    group.add_argument(
        "--input-format", metavar="FORMAT", help="csv, jsonl, … (default: detected from the content)"
    )
    add_text(group)


def add_system(parser: argparse.ArgumentParser, about: str = "the system to take from RUN") -> None:
    parser.add_argument("--system", metavar="NAME", help=f"{about}, where its column `system` names several")


class SourceOptions(Frozen):
    """How files are read: of all, or in text such as run=csv of the runs or the judgments alone. `columns` may be a
    mapping, of all files, too."""

    columns: str | Mapping[str, str] | None = None
    input_format: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    query_sizes: str | None = None
    features: str | None = None
    system: str | None = None
    threads: int | None = None


def sources_of(arguments: argparse.Namespace) -> SourceOptions:
    """What the options of a command say of its files; an option that it does not have says nothing."""
    return SourceOptions(**{field: getattr(arguments, field, None) for field in SourceOptions.fields})


def table_of(path: str | None, options: SourceOptions, name: str = "tables", *, main: bool = False) -> Any:
    """A table besides runs and judgments, read as the options say; as it is without them. `name` is what the options
    call it; those that say nothing of whose files they are speak of it, too, if it is the `main` one, and --encoding and
    --decimal always do."""
    stated, columns = options.input_format, options.columns
    how: dict[str, Any] = {
        "columns": _table_columns(columns, name) if isinstance(columns, str) else None,
        "format": None if stated is None else _format(stated, name, "table", main=main),
        "encoding": _stated(options, "encoding", name),
        "decimal": _stated(options, "decimal", name),
    }
    if path is None or not any(how.values()):
        return path
    from idealist.data import read_table

    return read_table(path, **how)


def texts_of(path: str, options: SourceOptions, kind: str, *, main: bool = False) -> Any:
    """Texts by id, read as the options say; the file as it is without them. `kind` is "queries" or "documents"; if it is
    the `main` file, options that say nothing of whose files they are speak of it, too."""
    from idealist.cli.table_columns import stated_columns
    from idealist.data.tables import read_texts

    if options.columns is None and options.input_format is None:
        encoding = _stated(options, "encoding", kind)
        return path if encoding is None else read_texts(path, kind, encoding=encoding)
    if not main or not isinstance(options.columns, str):
        return read_texts(table_of(path, options, kind, main=main), kind)
    table = table_of(path, options.replace(columns=None), kind, main=True)
    return read_texts(table, kind, columns=stated_columns(options.columns))


def judgment_options(options: SourceOptions) -> dict[str, Any]:
    """How judgments are read, as the options say."""
    return {**_options(options, "judgments"), "query_sizes": options.query_sizes}


def run_options(options: SourceOptions, judgments: str | None = None) -> dict[str, Any]:
    """How runs are read; scores go with the rows of the judgments, if those are LETOR's."""
    return {
        **_options(options, "run"),
        "query_sizes": options.query_sizes,
        "features": options.features or judgments,
        "system": options.system,
    }


def _options(options: SourceOptions, kind: str) -> dict[str, Any]:
    stated = options.input_format
    return {
        "columns": _columns_of(options, kind),
        "format": None if stated is None else _format(stated, kind, kind),
        "encoding": _stated(options, "encoding", kind),
        "decimal": _stated(options, "decimal", kind),
    }


def _columns_of(options: SourceOptions, kind: str) -> dict[str, str] | None:
    """What --columns says of runs, or of judgments."""
    if options.columns is None:
        return None
    from idealist.data.column_names import columns_of

    return columns_of(ranked_columns(options), kind) or None


def _stated(options: SourceOptions, option: str, kind: str) -> str | None:
    """What an option says of all files, or of those of this kind alone."""
    text: str | None = getattr(options, option)
    if text is None:
        return None
    whose, equals, value = text.rpartition("=")
    if equals:
        _require_known(whose, f"--{option}", f"run={value}")
    return stated_for(text, kind)


def _require_known(whose: str, option: str, example: str) -> None:
    if whose not in (*RANKED, *TABLES):
        raise InputError(
            f"{option}: {whose!r} is none of {', '.join((*RANKED, *TABLES))}", hint=f"for example {example}"
        )


def ranked_columns(options: SourceOptions) -> Mapping[str, str]:
    """What --columns says of runs and judgments, as the argument `columns` of functions has it."""
    if not isinstance(options.columns, str):
        return options.columns or {}
    columns = {
        f"{whose}.{role}" if whose else role: theirs
        for whose, role, theirs in _column_names(options.columns)
        if whose not in TABLES
    }
    from idealist.data.column_names import columns_of

    try:
        columns_of(columns, "run")
    except InputError as error:
        raise InputError(f"--{error.message}", hint=error.hint) from None
    return columns


def _table_columns(text: str, table: str) -> dict[str, str] | None:
    """What is said of the columns of a table, as in items.item=sku."""
    return {role: theirs for whose, role, theirs in _column_names(text) if whose == table} or None


def _column_names(text: str) -> Iterator[tuple[str, str, str]]:
    """Whose columns, our name and theirs, of each part of --columns."""
    for part in text.split(","):
        ours, equals, theirs = part.partition("=")
        whose, dot, role = ours.strip().rpartition(".")
        if not (equals and role and (theirs.strip() or whose in ("", "votes"))):
            raise InputError(
                f"--columns: {part!r} is not OURS=THEIRS", hint="for example query=uid,document=sku"
            )
        if dot:
            _require_known(whose, "--columns", "run.query=uid")
        yield whose, role, theirs.strip()


def _format(text: str, name: str, kind: str, *, main: bool = True) -> str | None:
    """The format that is stated for files of this name; None if it is of others alone, or carries nothing of the
    kind. What is stated for all files is so for a table only if it is the `main` one."""
    from idealist.data.format_list import format_named

    chosen = None
    for part in text.split(","):
        whose, equals, stated = part.rpartition("=")
        if equals:
            _require_known(whose, "--input-format", "run=csv")
        format = format_named(stated.strip())
        if kind in format.carries and (whose == name or (whose == "" and main)):
            chosen = format.name
    return chosen


def read_judged(path: str, options: SourceOptions, *, threads: int | None = None) -> Judgments:
    """Judgments, one grade a document."""
    return read_plain(
        path, threads=options.threads if threads is None else threads, **judgment_options(options)
    )


def read_plain(path: str, **how: Any) -> Judgments:
    """The same, from options. Which split of a folder was taken is said, where it was not asked for."""
    (path,) = one_of([path])
    judgments = read_judgments(path, **how)
    if judgments.source != path:
        say_note(f"{path}: no split was named; the judgments are those of {judgments.source}")
    return judgments


def judgments_and_run(arguments: argparse.Namespace) -> tuple[Judgments, Run]:
    """What a command of one run and its judgments names."""
    options = sources_of(arguments)
    (file,) = named_files(one_of([arguments.run]), options, judgments=arguments.judgments).values()
    judgments = read_judged(arguments.judgments, options)
    return judgments, file.read()


def named_files(
    paths: Sequence[str],
    options: SourceOptions | None = None,
    *,
    judgments: str | None = None,
    systems: Sequence[str | None] | None = None,
) -> dict[str, RunFile]:
    """Runs by the shortest names that tell them apart: of the file, or the path as it was given. `systems` are those
    that are wanted of each file, where they are not the one that the arguments name."""
    if [judgments, *paths].count(STREAM) > 1:
        raise InputError("standard input, -, is named twice", hint="it can be read once: save it to a file")
    how = {} if options is None else {**run_options(options, judgments), "threads": options.threads}
    chosen = [how.get("system")] * len(paths) if systems is None else systems
    runs = [
        RunFile(path, progress=Progress(f"reading {path}", "bytes"), **{**how, "system": system})
        for path, system in zip(paths, chosen, strict=True)
    ]
    for names in ([r.name for r in runs], [os.path.basename(path) for path in paths], list(paths)):
        if len(set(names)) == len(names):
            return dict(zip(names, runs, strict=True))
    return {f"{path} ({at})": run for at, (path, run) in enumerate(zip(paths, runs, strict=True), 1)}
