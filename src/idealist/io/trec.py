"""TREC text: judgments (`query iteration document grade`) and runs (`query Q0 document rank score system`)."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data import Judgments, Run
from idealist.data.numbers import EXACT_HINT, INEXACT
from idealist.data.streaming import Matched, match_windows, room_on_disk, temporary_file
from idealist.errors import InputError
from idealist.io.compression import without_ending
from idealist.io.opening import STDIN, Opened, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")

COLUMNS = {
    "judgments": ("query", "iteration", "document", "grade"),
    "run": ("query", "Q0", "document", "rank", "score", "system"),
    "groups": ("query", "group", "document", "grade"),
    "preferences": ("query", "group", "subgroup", "document", "level"),
    "strata": ("query", "iteration", "document", "stratum", "grade"),
}
MORE_OF_DUPLICATES = {
    "judgments": "; if the second column names subtopics, read_groups and measures of subtopics take them",
}
HEAD = 4096  # how much of a file that makes no sense is looked at to tell what it is
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NUMBER_AT = {"run": 4, "judgments": 3}
LONGEST_GRADE = 8  # digits of what is surely no time in seconds, as the fourth column of MovieLens has it
# What else people have under such names, by its first bytes; asked only when the text makes no sense.
OTHER_FORMATS = {
    b"PK\x03\x04": "zip",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
}


def read_trec_judgments(path: str | os.PathLike[str], *, threads: int | None = None) -> Judgments:
    """Judgments from TREC text and nothing else."""
    rows = read_rows(path, "judgments", threads)
    return Judgments.from_rows(rows, name=file_name(path), source=os.fspath(path))


def read_trec_run(
    path: str | os.PathLike[str], *, name: str | None = None, threads: int | None = None
) -> Run:
    """A run from TREC text and nothing else, named after the file unless a name is given."""
    rows = read_rows(path, "run", threads)
    return Run.from_rows(rows, name=name or file_name(path), source=os.fspath(path))


def is_trec(head: bytes, layout: str) -> bool:
    """Whether the first line of a text is one of TREC judgments or of a TREC run, beyond doubt."""
    columns = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0].split()
    at = NUMBER_AT[layout]
    if len(columns) != len(COLUMNS[layout]) or (layout == "judgments" and len(columns[at]) > LONGEST_GRADE):
        return False
    try:
        float(columns[at])
    except ValueError:
        return False
    return True


def match_opened(
    opened: Opened, judgments: Judgments, options: kernels.MatchOptions, threads: int, *, also: str = ""
) -> Matched:
    """The rankings that a run gives, measured while it is read."""

    def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
        refuse_bad_rows(rows, opened.head[:HEAD], opened.source, "run", also)

    return match_windows(
        lambda: opened.windows("run"), judgments, options, threads, refuse=refuse, source=opened.source
    )


def file_name(path: str | os.PathLike[str]) -> str:
    """What is read from a file is named after it; what is read from a part of it, after the part."""
    whole = os.fspath(path)
    if whole == STDIN:
        return "stdin"
    file, _, part = whole.rpartition("::")
    if file and part and not os.path.exists(whole):
        return part
    name = without_ending(os.path.basename(whole.rstrip(os.sep)))
    return os.path.splitext(name)[0] or name


def read_rows(
    path: str | os.PathLike[str], layout: str, threads: int | None, encoding: str | None = None
) -> kernels.Rows:
    """The rows of a file in one of the layouts of COLUMNS; whatever is wrong with it is an InputError."""
    count = kernels.thread_count(threads)
    with Opened(os.fspath(path), encoding) as opened:
        return opened_rows(opened, layout, count)


def fields(key: str) -> list[str]:
    """The columns that a row's id is made of, where a layout takes several."""
    return [one.decode("utf-8", "surrogateescape") for one in key.encode("utf-8", "surrogateescape").split()]


def read_rows_of(
    path: str | os.PathLike[str], layouts: Sequence[str], threads: int | None, encoding: str | None = None
) -> tuple[str, kernels.Rows]:
    """The rows of a file in one of several layouts, told apart by the columns of the first line; the first
    layout, if it has as many as none of them."""
    count = kernels.thread_count(threads)
    with Opened(os.fspath(path), encoding) as opened:
        opened.look_further(lambda head: b"\n" in head.lstrip())
        columns = len(opened.head.lstrip().partition(b"\n")[0].split())
        layout = next((one for one in layouts if len(COLUMNS[one]) == columns), layouts[0])
        return layout, opened_rows(opened, layout, count)


def plain_text(source: str, use: Callable[[int, int], T], encoding: str | None = None) -> T:
    """What `use` makes of the open file and its size; what is compressed, a pipe or standard input (-) is
    written out to a temporary file first, so that it can be read more than once."""
    with Opened(source, encoding) as opened:
        if opened.size is not None:
            return use(opened.descriptor, opened.size)
        with temporary_file() as file:
            with room_on_disk():
                for block in opened.blocks():
                    file.write(block)
                file.flush()
            return use(file.fileno(), file.tell())


def opened_rows(opened: Opened, layout: str, threads: int, *, also: str = "") -> kernels.Rows:
    """The rows of an open source. `also` is what a hint says besides how a line must be."""
    rows = rows_of(opened, layout, threads)
    refuse_bad_rows(rows, opened.head[:HEAD], opened.source, layout, also)
    return rows


def _expected(layout: str) -> str:
    kind = layout if layout in ("run", "judgments") else f"judgments with {layout}"
    return f"a line of TREC {kind}: {' '.join(COLUMNS[layout])}"


def refuse_bad_rows(
    rows: kernels.Rows | kernels.Partitions, head: bytes, source: str, layout: str, also: str = ""
) -> None:
    if rows.problem is not None:
        _refuse_other_formats(head, source)
        raise _bad_line(rows.problem, source, layout, binary=b"\0" in head, also=also)
    if isinstance(rows, kernels.Partitions):
        return
    if rows.duplicate is not None:
        query, key, first, second, count = rows.duplicate
        raise InputError(
            f"{_what(key, layout)} is there twice for query {query!r}, "
            f"first on line {first}{_more(count, 'duplicate')}",
            source=source,
            line=second,
            hint="keep one of the two lines" + MORE_OF_DUPLICATES.get(layout, ""),
        )
    if len(rows) == 0:
        raise InputError("the file is empty", source=source, hint=_expected(layout))


def _what(key: str, layout: str) -> str:
    """What a row is about: its document and, where a layout takes more columns, what they say."""
    if layout in ("run", "judgments"):
        return f"document {key!r}"
    names = COLUMNS[layout]
    first = 2 if layout == "strata" else 1
    named = dict(zip(names[first:], fields(key), strict=False))
    document = named.pop("document")
    return f"document {document!r} of " + ", ".join(f"{name} {text!r}" for name, text in named.items())


def _refuse_other_formats(head: bytes, source: str) -> None:
    for magic, name in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(
                f"this is {name} data, not TREC text",
                source=source,
                hint="decompress or convert it first; gzip is read as it is",
            )


def _bad_line(
    problem: tuple[str, int, int, str, int], source: str, layout: str, *, binary: bool, also: str
) -> InputError:
    kind, line, columns, text, count = problem
    number = COLUMNS[layout][4 if layout == "run" else -1]
    hint = _expected(layout) + (f"\n{also}" if also and line == 1 else "")
    if binary or kind == "binary":
        message = "this is binary data, not text"
    elif kind == "columns":
        message = f"expected {len(COLUMNS[layout])} columns, found {columns}: {text!r}"
        other = "judgments" if layout == "run" else "run"
        if columns == len(COLUMNS[other]):
            hint = f"this looks like {'a run' if other == 'run' else other}; judgments come first, runs after them"
    elif kind == "too-long":
        message = "the line is longer than a megabyte"
    elif kind == "not-finite":
        message = f"the {number} is infinite: {text!r}"
    elif kind == "not-exact":
        message, hint = f"the {number} is {text}, {INEXACT}", EXACT_HINT
    else:
        message = f"the {number} is not a number: {text!r}"
    return InputError(message + _more(count, "bad line"), source=source, line=line, hint=hint)


def _more(count: int, what: str) -> str:
    if count < 2:
        return ""
    return f" (and {count - 1:,} more {what}{'s' if count > 2 else ''})"
