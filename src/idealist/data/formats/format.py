"""The base of formats: how a format is recognised, what it carries, how it is read and written, and words about it."""

from __future__ import annotations

from idealist import kernels
from idealist.data.streaming import Matched, match_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from idealist.data import Judgments
    from idealist.data.collection import Collection
    from idealist.data.columns import Columns
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.writing import Destination

    Progress = Callable[[int, int], None]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1 << 16  # how much of a source is looked at to recognise its format
RANKED = ("run", "judgments")
ANYTHING = (*RANKED, "table")


class Format:
    """A format: one object of a class derived from this one, called FORMAT in the module of the format.

    Attributes say what it is; what a format does not say has the default below.
    """

    name: str
    label: str  # in messages and lists: "this is {label}"
    about: str  # what is read, for the documentation
    carries: tuple[str, ...] = RANKED  # of ANYTHING
    endings: tuple[str, ...] = ()  # of files; asked for only where the content does not tell
    options: tuple[str, ...] = ()  # of columns, encoding, decimal, query_sizes, features: those that it has
    part: str = ""  # what FILE::PART names in it

    writes: tuple[str, ...] = ()  # of RANKED: what can be written in it
    written: str = ""  # what is written, for the documentation
    more_written_endings: tuple[str, ...] = ()  # of targets, besides `endings`
    loses: str = ""  # what it cannot carry
    keeps_empty_queries = False
    is_text = True  # which can be compressed
    takes_batches = False  # whether it is written table by table, in bounded memory

    @property
    def written_endings(self) -> tuple[str, ...]:
        """The endings of targets that are written in it."""
        return (*self.endings, *self.more_written_endings)

    def recognises(self, head: Head) -> bool:
        """Whether a source that begins so is in this format."""
        return False

    def may_be(self, head: Head) -> bool:
        """Whether it may be, when no format recognises it."""
        return False

    def kind_of(self, head: Head) -> str | None:
        """Tells which of its kinds a source is, where that is not told by the names of its columns."""
        return self.carries[0] if len(self.carries) == 1 else None

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        """The names of its columns; None where they have no names."""
        return None

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        """The rows of a run or of judgments."""
        raise NotImplementedError

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        """The rankings that a run gives. Formats that give windows measure it while it is read."""
        rows = self.rows(opened, request, threads)
        return match_rows(rows, judgments, options, threads)

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        """All columns of a table."""
        raise NotImplementedError

    def file_of(self, request: ReadRequest) -> ReadRequest:
        """For a folder: the request for the file in it that is meant."""
        raise NotImplementedError

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        """Writes a run or judgments."""
        raise NotImplementedError

    def write_batches(
        self, tables: Iterable[Any], destination: Destination, kind: str, name: str, force: bool
    ) -> None:
        """Writes tables of pyarrow one behind the other, where it `takes_batches`."""
        raise NotImplementedError


class Head:
    """How a source begins: its bytes, and the lines that are whole, without blank ones. `kind` is what it is to be
    read as, `columns` what its columns are said to be called."""

    def __init__(
        self, start: bytes, columns: Mapping[str, str] | None = None, kind: str | None = None
    ) -> None:
        self.start = start
        self.columns = columns or {}
        self.kind = kind
        text = start.removeprefix(BYTE_ORDER_MARK)
        lines = text.split(b"\n")
        if len(start) >= HEAD and len(lines) > 1:
            lines.pop()
        self.text = text.lstrip()
        self.lines = [line.strip() for line in lines if line.strip()]
        self.first = self.lines[0] if self.lines else b""


def is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
