"""From one format to another: in bounded memory from TREC text to Parquet and Arrow, in memory otherwise."""

from __future__ import annotations

import os
from itertools import chain

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.conventions import DEFAULT, match_options
from idealist.data import Judgments, Run
from idealist.data.arrow_tables import require_arrow
from idealist.data.column_names import NUMBER_NAMES, find_roles, find_system
from idealist.data.detection import is_trec_file, kind_of_source, names_of_source
from idealist.data.formats import trec
from idealist.data.formats.format import BYTE_ORDER_MARK
from idealist.data.opening import Opened
from idealist.data.reading import read_judgments, read_run
from idealist.data.source_names import PART_MARK, parse_source
from idealist.data.streaming import match_windows
from idealist.data.targets import refuse_existing
from idealist.data.writing import destination_of, refuse_loss, write_judgments, write_run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from idealist.data.writing import Destination

    Progress = Callable[[int, int], None]

SYSTEM = "{system}"  # in the name of a target


class Converted(Frozen):
    """The result of a conversion: a run or judgments, and how much of it."""

    kind: str
    name: str
    rows: int
    queries: int
    notes: tuple[str, ...] = ()


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    kind: str | None = None,
    *,
    to_format: str | None = None,
    name: str | None = None,
    lossy: bool = False,
    force: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Converted:
    """Writes what is in `source` to `target`; `kind` says whether it is a run or judgments, where the content does not,
    the other `options` are those of read_run and read_judgments."""
    source, target = os.fspath(source), os.fspath(target)
    kind = kind or kind_of_source(source, options.get("columns"))
    if kind is None:
        raise InputError(
            "the content does not show whether this is a run or judgments",
            source=source,
            hint='give kind="run" or kind="judgments"',
        )
    destination = destination_of(target, kind, to_format)
    refuse_loss(destination, lossy)
    _refuse_itself(source, destination)
    if not lossy:
        refuse_more(source, kind, options.get("columns"), one_system=options.get("system") is not None)
    if name is None and kind == "run":
        name = tag_of(source)
        if name is not None and not lossy:
            _refuse_tags(source, name)
    if is_streamed(source, destination, kind, options.get("format")):
        return _stream(
            source,
            destination,
            kind,
            name or parse_source(source).name,
            force,
            progress,
            options.get("encoding"),
            kernels.thread_count(threads),
        )
    read = read_run if kind == "run" else read_judgments
    collection: Run | Judgments = read(source, name=name, threads=threads, **options)
    if isinstance(collection, Run):
        if destination.format.name == "trec":
            trec.require_tag(collection.name)
        write_run(collection, target, format=to_format, force=force, lossy=lossy, progress=progress)
    else:
        write_judgments(collection, target, format=to_format, force=force, progress=progress)
    return Converted(kind, collection.name, len(collection.rows), len(collection))


def split_systems(
    source: str,
    target: str,
    *,
    to_format: str | None = None,
    lossy: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Converted]:
    """Writes the run of each system of a table to a target of its own, by where it was written: {system} in `target`
    stands for the system's name."""
    from idealist.data.reading import read_runs

    if not lossy:
        refuse_more(source, "run", options.get("columns"), one_system=True)
    runs = {
        target.replace(SYSTEM, _as_file_name(name)): run for name, run in read_runs(source, **options).items()
    }
    for system_target, run in runs.items():
        destination = destination_of(system_target, "run", to_format)
        refuse_loss(destination, lossy)
        _refuse_itself(source, destination)
        if destination.format.name == "trec":
            trec.require_tag(run.name)
        if not destination.format.part:
            refuse_existing(destination.path, force)
    for system_target, run in runs.items():
        write_run(run, system_target, format=to_format, force=force, lossy=lossy, progress=progress)
    return {
        system_target: Converted("run", run.name, len(run.rows), len(run))
        for system_target, run in runs.items()
    }


def _as_file_name(system: str) -> str:
    """A system's name as part of the name of a file, if it can be that."""
    if not system or any(sign in system for sign in ("/", "\\", "\0", PART_MARK)) or system in (".", ".."):
        raise InputError(
            f"the system {system!r} cannot stand in the name of a file",
            hint="take it with --system NAME, and name its target",
        )
    return system


def is_streamed(source: str, destination: Destination, kind: str, format: str | None = None) -> bool:
    """Whether the source is never in memory as a whole. Progress is then told in bytes, and else in queries."""
    return destination.format.takes_batches and format in (None, "trec") and is_trec_file(source, kind)


def _refuse_itself(source: str, destination: Destination) -> None:
    file = parse_source(source).path
    in_table = destination.format.part == "table"  # another table of the same database
    if (
        os.path.isfile(file)
        and os.path.exists(destination.path)
        and os.path.samefile(file, destination.path)
        and not in_table
    ):
        raise InputError(f"{source}: a file cannot be converted onto itself", hint="name another target")


def _stream(
    source: str,
    destination: Destination,
    kind: str,
    name: str,
    force: bool,
    progress: Progress | None,
    encoding: str | None,
    threads: int,
) -> Converted:
    """Window by window. It is read twice, which costs little: once for whatever is wrong with it, so that bad
    lines and duplicates are found before anything is written, and once to write it."""
    with Opened(source, encoding) as opened:

        def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
            trec.refuse_bad_rows(rows, opened.head, source, kind)

        matched = match_windows(
            lambda: opened.windows(kind), Judgments({}), match_options(DEFAULT), threads, refuse=refuse
        )
        opened.progress = progress
        destination.format.write_batches(_tables(opened, kind, threads), destination, kind, name, force)
        return Converted(kind, name, matched.rows, matched.queries, matched.notes)


def _tables(opened: Opened, kind: str, threads: int) -> Iterator[Any]:
    reader = require_arrow("a Parquet or Arrow file").RecordBatchReader
    for window in opened.windows(kind):
        gathering = kernels.Gathering(threads)
        gathering.add(window)
        yield reader.from_stream(_Gathered(gathering.arrow(NUMBER_NAMES[kind]))).read_all()
    # Before the file that was written takes the place of the target.
    opened.require_unchanged()


def tag_of(source: str) -> str | None:
    """The name of the system in the first line of a TREC run; None where it is none."""
    if not is_trec_file(source, "run"):
        return None
    with Opened(source) as opened:
        first = opened.head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0]
    return first.split()[-1].decode("utf-8", "surrogateescape")


def _refuse_tags(source: str, first: str) -> None:
    """Raises where the last column of a TREC run names another system than its first line: one name is written."""
    tag = first.encode("utf-8", "surrogateescape")
    columns = len(trec.COLUMNS["run"])
    unfinished = b""
    with Opened(source) as opened:
        for block in chain(opened.blocks(), [b"\n"]):
            lines, _, unfinished = (unfinished + block).rpartition(b"\n")
            ends = lines.count(b" " + tag + b"\n") + lines.count(b"\t" + tag + b"\n")
            if ends == lines.count(b"\n") and lines.endswith((b" " + tag, b"\t" + tag)):
                continue  # most runs, without a look at each line
            rows = (fields for line in lines.split(b"\n") if len(fields := line.split()) == columns)
            others = (fields[-1] for fields in rows if fields[-1] != tag)
            if (other := next(others, None)) is not None:
                other_tag = other.decode("utf-8", "surrogateescape")
                raise InputError(
                    f"{source}: the last column names several systems ({first}, {other_tag}, …), and one name is written",
                    hint="--name TAG says what to call all of them, --lossy calls them what the first line says",
                )


def refuse_more(
    source: str, kind: str, columns: Mapping[str, str] | None, *, one_system: bool = False
) -> None:
    """Raises where there is more in a source than would be written: other columns, or subtopics. With `one_system`,
    the column of systems is no loss: what is written is one system's."""
    if kind == "judgments" and is_trec_file(source, kind):
        from idealist.data.judgment_tables import read_groups

        try:
            judged = read_groups(source)
            by_query = judged.content()[0]
            groups = list(
                dict.fromkeys(group for query_groups in by_query.values() for group in query_groups)
            )
        except InputError:  # reading says it again
            return
        if len(groups) > 1:
            examples = ", ".join(groups[:3]) + (" …" if len(groups) > 3 else "")
            raise InputError(
                f"{source}: the second column names groups ({examples}), which would be lost",
                hint="--lossy leaves it out",
            )
        return
    names = names_of_source(source)
    if names is None:
        return
    try:
        used_columns = {names[at] for at in find_roles(names, kind, columns).values()}
    except InputError:  # reading says it again
        return
    column = find_system(names, columns) if kind == "run" else None
    if column is not None and one_system:
        used_columns.add(column)
    lost_columns = [
        name for name in names if name not in used_columns and name not in ("rank", "Q0", "iteration")
    ]
    if lost_columns == [column]:
        raise InputError(
            f"{source}: the column {column}, which names systems, would be lost",
            hint=f"--system NAME takes one system; {SYSTEM} in TARGET, as in 'runs/{SYSTEM}.run', writes each",
        )
    if lost_columns:
        raise InputError(
            f"{source}: the columns {', '.join(lost_columns)} would be lost", hint="--lossy leaves them out"
        )


class _Gathered:
    """A stream of Arrow as an object that speaks it."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._capsule
