"""TREC text: judgments (`query iteration document grade`) and runs (`query Q0 document rank score system`)."""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import EXACT_HINT, INEXACT
from idealist.base.wording import and_more
from idealist.data.encoding import binary_hint
from idealist.data.formats.format import BYTE_ORDER_MARK, RANKED, Format, is_number
from idealist.data.opening import Opened, rows_of
from idealist.data.streaming import Matched, match_windows, room_on_disk, temporary_file
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from idealist.data import Judgments
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Head, Progress
    from idealist.data.reading import ReadRequest
    from idealist.data.writing import Destination

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
# What may be meant by a first line that is none of TREC's, by what is wrong with it.
_OTHERWISE = {
    "columns": "; with other columns, a first line must name them, in a file that ends with .csv or .tsv",
    "not-a-number": "; a line that names the columns has no place in TREC text",
}
NUMBER_AT = {"run": 4, "judgments": 3}
LOOKED_AT = 4096  # how much of a file that makes no sense is searched for what is no text
LONGEST_GRADE = 8  # digits of what is surely no time in seconds, as the fourth column of MovieLens has it


class Trec(Format):
    name = "trec"
    label = "TREC text"
    about = "qrels (`query iteration document grade`) and runs (`query Q0 document rank score system`)"
    endings = (".run", ".qrels", ".trec")
    options = ("encoding",)
    writes = RANKED
    written = "`query Q0 document rank score name`, `query 0 document grade`"
    more_written_endings = (".txt",)

    def recognises(self, head: Head) -> bool:
        return any(is_trec(head.text, kind) for kind in RANKED)

    def may_be(self, head: Head) -> bool:
        columns = head.first.split()
        number = {len(COLUMNS[kind]): NUMBER_AT[kind] for kind in RANKED}.get(len(columns))
        return number is not None and is_number(columns[number])

    def kind_of(self, head: Head) -> str | None:
        return next((kind for kind in RANKED if is_trec(head.text, kind)), None)

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return opened_rows(opened, request.kind, threads, also=request.unrecognised_hint)

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
            refuse_bad_rows(rows, opened.head, opened.source, "run", request.unrecognised_hint)

        return match_windows(
            lambda: opened.windows("run"), judgments, options, threads, refuse=refuse, source=opened.source
        )

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.data.targets import write_text

        is_run = collection.kind == "run"
        write_text(
            collection,
            destination,
            layout=f"trec-{collection.kind}",
            word=require_tag(collection.name) if is_run else collection.number,
            misfit="TREC text cannot carry ids that are empty or have white space in them",
            force=force,
            progress=progress,
        )


FORMAT = Trec()


def is_trec(head: bytes, layout: str) -> bool:
    """Whether the first line of a text is one of TREC judgments or of a TREC run, beyond doubt."""
    columns = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0].split()
    at = NUMBER_AT.get(layout)
    if (
        at is None
        or len(columns) != len(COLUMNS[layout])
        or (layout == "judgments" and len(columns[at]) > LONGEST_GRADE)
    ):
        return False
    try:
        float(columns[at])
    except ValueError:
        return False
    return True


def fields(key: str) -> list[str]:
    """The columns that a row's id is made of, where a layout takes several."""
    return [
        field.decode("utf-8", "surrogateescape") for field in key.encode("utf-8", "surrogateescape").split()
    ]


def is_layout(head: bytes, layout: str) -> bool:
    """Whether the first line has the columns of a layout, and a number as the last."""
    columns = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0].split()
    return len(columns) == len(COLUMNS[layout]) and is_number(columns[-1])


def layout_of(opened: Opened, layouts: tuple[str, ...]) -> str | None:
    """Finds the layout of the first line by its columns; None if it is in none of them."""
    opened.look_further(lambda head: b"\n" in head.lstrip())
    columns = opened.head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0].split()
    return next((layout for layout in layouts if len(COLUMNS[layout]) == len(columns)), None)


def ids_of(head: bytes) -> dict[str, list[str]]:
    """Documents by query in the whole lines of a run that begins so.

    >>> ids_of(b"q1 Q0 d1 1 2.5 bm25\\nq1 Q0 d2 2 1.5 bm25\\nq2 Q0")
    {'q1': ['d1', 'd2']}
    """
    ids: dict[str, list[str]] = {}
    for line in head[: head.rfind(b"\n") + 1].splitlines():
        columns = line.split()
        if len(columns) == len(COLUMNS["run"]):
            query, document = (columns[at].decode("utf-8", "surrogateescape") for at in (0, 2))
            ids.setdefault(query, []).append(document)
    return ids


def plain_text(source: str, use: Callable[[int, int], T], encoding: str | None = None) -> T:
    """Applies `use` to the open file and its size; what is compressed, a pipe or standard input (-) is
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
    refuse_bad_rows(rows, opened.head, opened.source, layout, also)
    return rows


def _expected(layout: str) -> str:
    kind = layout if layout in ("run", "judgments") else f"judgments with {layout}"
    return f"a line of TREC {kind}: {' '.join(COLUMNS[layout])}"


def refuse_bad_rows(
    rows: kernels.Rows | kernels.Partitions, head: bytes, source: str, layout: str, also: str = ""
) -> None:
    if rows.problem is not None:
        raise _bad_line(rows.problem, head, source, layout, also)
    if isinstance(rows, kernels.Partitions):
        return
    if rows.duplicate is not None:
        query, key, first, second, count = rows.duplicate
        raise InputError(
            f"{_what(key, layout)} appears twice for query {query!r}, "
            f"first on line {first}{and_more(count, 'duplicate')}",
            source=source,
            line=second,
            hint="keep one of the two lines" + MORE_OF_DUPLICATES.get(layout, ""),
            code="duplicate",
        )
    if len(rows) == 0:
        raise InputError("the file is empty", source=source, hint=_expected(layout), code="no-rows")


def _what(key: str, layout: str) -> str:
    """The subject of a row in words: its document and, where a layout takes more columns, what they say."""
    if layout in ("run", "judgments"):
        return f"document {key!r}"
    names = COLUMNS[layout]
    first = 2 if layout == "strata" else 1
    texts = dict(zip(names[first:], fields(key), strict=False))
    document = texts.pop("document")
    return f"document {document!r} of " + ", ".join(f"{name} {text!r}" for name, text in texts.items())


def _bad_line(
    problem: tuple[str, int, int, str, int], head: bytes, source: str, layout: str, also: str
) -> InputError:
    kind, line, columns, text, count = problem
    binary = b"\0" in head[:LOOKED_AT]
    number = COLUMNS[layout][4 if layout == "run" else -1]
    hint = _expected(layout) + (_OTHERWISE.get(kind, "") if line == 1 and layout in RANKED else "")
    hint += f"\n{also}" if also and line == 1 else ""
    if binary or kind == "binary":
        message = "this is binary data, not text"
        hint = binary_hint(head, hint)
    elif kind == "columns":
        message = f"expected {len(COLUMNS[layout])} columns, found {columns}: {text!r}"
        other = "judgments" if layout == "run" else "run"
        if "\r" in text:
            hint = f"its lines end in carriage returns alone, as on old Macs: `idealist check {source} --fix COPY` mends that"
        elif columns == len(COLUMNS[other]):
            from idealist.data.column_names import JUDGMENTS_FIRST

            looks, expected = ("a run", "judgments") if other == "run" else ("judgments", "a run")
            hint = f"this looks like {looks}, where {expected} should be; {JUDGMENTS_FIRST}"
    elif kind == "too-long":
        message = "the line is longer than a megabyte"
    elif kind == "not-finite":
        message = f"the {number} is infinite: {text!r}"
    elif kind == "not-exact":
        message, hint = f"the {number} is {text}, {INEXACT}", EXACT_HINT
    else:
        message = f"the {number} is not a number: {text!r}"
    return InputError(
        message + and_more(count, "bad line"),
        source=source,
        line=line,
        hint=hint,
        code="binary" if binary else kind,
    )


def require_tag(name: str) -> str:
    """The name that a TREC run carries in its last column."""
    if not name or any(character.isspace() or character == "\0" for character in name):
        raise InputError(
            f"the run is called {name!r}, and TREC text cannot carry a name with white space",
            hint="give it another name (--name TAG)",
        )
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"the run's name {name!r} is not text", hint="give it another name") from None
    return name
