"""TREC text, line by line: how a file is written, what is wrong with it, and its rows without the bad lines."""

from __future__ import annotations

import re

from idealist import kernels
from idealist.base.system import read_at
from idealist.base.values import INEXACT
from idealist.base.wording import count_of
from idealist.checks.findings import Location
from idealist.data.column_names import NUMBER_NAMES
from idealist.data.formats.format import BYTE_ORDER_MARK
from idealist.data.formats.trec import COLUMNS, plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checks.findings import Finding
    from idealist.checks.row_checks import Subject


BLOCK = 1 << 18
LONGEST_LINE = 1 << 20
HEAD = 1 << 16
# Numbers that are certainly such; what looks otherwise is asked of the native reader.
NUMBER = re.compile(rb"[+-]?[0-9]{1,15}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")
SUBTOPICS = 0.1  # the share of rows from which on a second column is taken for subtopics
MOST_BAD_LINES = 10  # that are remembered


class TrecText:
    """The content of a TREC file: its good rows, its bad lines, and how it is written."""

    kind: str
    looks: str | None  # the kind that its columns tell
    rows: kernels.Rows
    ranks: kernels.Rows | None  # of a run: the rank column, where it is all numbers
    size: int
    lines: int
    bad: int  # how many lines could not be read
    bad_lines: list[tuple[int, str]]  # the first of them: line, and what is wrong
    blank: int
    newlines: int  # line ends by their kind
    returns_newlines: int
    returns: int
    marked: bool
    ended: bool
    systems: list[str]  # of a run: the names in the last column
    subtopics: bool = False  # of judgments: the second column tells rows of one document apart


def read_text(source: str, kind: str | None, threads: int, encoding: str | None = None) -> TrecText | None:
    """The file as TREC text, a run or judgments by its columns unless that is stated; None if it is neither."""

    def use(descriptor: int, size: int) -> TrecText | None:
        head = read_at(descriptor, HEAD, 0)
        text_kind = kind_of(head)
        if text_kind is None and head.strip():
            return None
        return text_of(descriptor, size, kind or text_kind or "run", threads)

    return plain_text(source, use, encoding)


def kind_of(head: bytes) -> str | None:
    """ "run" or "judgments", by what most of the first lines have as columns; None if that is something else.

    >>> kind_of(b"q1 0 d1 1\\nq1 0 d2 0\\n"), kind_of(b"q1 Q0 d1 1 2.5 bm25\\n"), kind_of(b"query,document\\n")
    ('judgments', 'run', None)
    """
    text = head.removeprefix(BYTE_ORDER_MARK)
    if b"\0" in text or text.lstrip().startswith((b"{", b"[")):
        return None
    lines = text.split(b"\n") if b"\n" in text else text.split(b"\r")
    if len(head) == HEAD and len(lines) > 1:
        del lines[-1]
    counts = [len(fields) for line in lines[:200] if (fields := line.split())]
    judgments, runs = counts.count(len(COLUMNS["judgments"])), counts.count(len(COLUMNS["run"]))
    if not runs and not judgments:
        return None
    return "run" if runs >= judgments else "judgments"


class LineTest:
    """A test that says what is wrong with a line, as the reader does."""

    def __init__(self, layout: str) -> None:
        self.layout = layout
        self.columns = len(COLUMNS[layout])
        self.number = COLUMNS[layout].index(NUMBER_NAMES[layout])

    def __call__(self, line: bytes) -> str | None:
        if len(line) > LONGEST_LINE:
            return "the line is longer than a megabyte"
        fields = line.split()
        if not fields:
            return None
        if len(fields) == self.columns and NUMBER.fullmatch(fields[self.number]) and b"\0" not in line:
            return None
        feed = kernels.Feed(self.layout)
        # Behind a blank line: the first of a text may begin with a byte order mark.
        feed.add(b"\n" + line.replace(b"\n", b" ") + b"\n")
        problem = feed.finish(1).problem
        return None if problem is None else self._problem_text(problem)

    def _problem_text(self, problem: tuple[str, int, int, str, int]) -> str:
        kind, _, columns, text, _ = problem
        if kind == "columns":
            return f"{columns} columns, not {self.columns}: {text!r}"
        if kind == "binary":
            return "binary data, not text"
        name = COLUMNS[self.layout][self.number]
        if kind == "not-exact":
            return f"the {name} is {text}, {INEXACT}"
        return (
            f"the {name} is infinite: {text!r}"
            if kind == "not-finite"
            else f"the {name} is not a number: {text!r}"
        )


def line_blocks(descriptor: int) -> Iterator[bytes]:
    """The bytes of a file in blocks that end where a line does."""
    carried, at = b"", 0
    while block := read_at(descriptor, BLOCK, at):
        at += len(block)
        cut = block.rfind(b"\n") + 1
        if cut == 0:
            if len(carried) <= LONGEST_LINE:  # of a line that is too long, this much is enough to see it
                carried += block
            continue
        yield carried + block[:cut]
        carried = block[cut:]
    if carried:
        yield carried


def text_of(descriptor: int, size: int, kind: str, threads: int) -> TrecText:
    """An open file, taken for a run or for judgments."""
    text = TrecText()
    text.looks = kind_of(read_at(descriptor, HEAD, 0))
    text.kind, text.size, text.bad, text.bad_lines = kind, size, 0, []
    text.rows = kernels.read_file(descriptor, size, kind, threads)
    text.ranks = None
    if text.rows.problem is not None:
        _read_good_lines(text, descriptor, threads)
    elif kind == "run":
        text.ranks = kernels.read_file(descriptor, size, "ranks", threads)
    elif text.rows.duplicate is not None:
        text.subtopics = _tells_apart(kernels.read_file(descriptor, size, "groups", threads), text.rows)
    if text.ranks is not None and text.ranks.problem is not None:
        text.ranks = None
    _look_at_lines(text, descriptor)
    return text


def _tells_apart(groups: kernels.Rows, rows: kernels.Rows) -> bool:
    """Whether the second column tells rows of one document apart, and not just here and there: then a line that
    stands there twice is rather a mistake."""
    assert rows.duplicate is not None
    return groups.duplicate is None and rows.duplicate[-1] >= SUBTOPICS * len(rows)


def _read_good_lines(text: TrecText, descriptor: int, threads: int) -> None:
    """The rows of what can be read, every other line taken for blank, so that lines keep their numbers."""
    test = LineTest(text.kind)
    second_layout = "ranks" if text.kind == "run" else "groups"
    feeds = [kernels.Feed(layout) for layout in (text.kind, second_layout)]
    lines = 0
    for block in line_blocks(descriptor):
        probe = kernels.Feed(text.kind)
        probe.add(block if lines == 0 else b"\n" + block)
        if probe.finish(1).problem is not None or len(block) > LONGEST_LINE:
            block = _cleaned(block.removeprefix(BYTE_ORDER_MARK) if lines == 0 else block, lines, test, text)
        lines += block.count(b"\n")
        for feed in feeds:
            feed.add(block)
    text.rows, second_rows = (feed.finish(threads) for feed in feeds)
    if text.kind == "run":
        text.ranks = second_rows
    else:
        text.subtopics = text.rows.duplicate is not None and _tells_apart(second_rows, text.rows)


def _cleaned(block: bytes, before: int, test: LineTest, text: TrecText) -> bytes:
    lines = block.split(b"\n")
    for number, line in enumerate(lines):
        if (wrong := test(line)) is not None:
            lines[number] = b""
            text.bad += 1
            if len(text.bad_lines) < MOST_BAD_LINES:
                text.bad_lines.append((before + number + 1, wrong))
    return b"\n".join(lines)


def _look_at_lines(text: TrecText, descriptor: int) -> None:
    text.newlines = text.returns_newlines = text.returns = tagged = 0
    head = read_at(descriptor, HEAD, 0)
    text.marked = head.startswith(BYTE_ORDER_MARK)
    text.ended = text.size == 0 or read_at(descriptor, 1, text.size - 1) in (b"\n", b"\r")
    ending = _ending(head) if text.kind == "run" else b""
    for block in line_blocks(descriptor):
        text.newlines += block.count(b"\n")
        returned = block.count(b"\r")
        if returned:
            text.returns_newlines += block.count(b"\r\n")
            text.returns += returned
        tagged += block.count(ending) if ending else 0
    text.lines = text.newlines + (text.size > 0 and read_at(descriptor, 1, text.size - 1) != b"\n")
    text.newlines -= text.returns_newlines
    text.returns -= text.returns_newlines
    text.blank = text.lines - len(text.rows) - text.bad
    text.systems = []
    if text.kind == "run":
        text.systems = [""] if tagged == len(text.rows) else _systems(descriptor)


def _ending(head: bytes) -> bytes:
    """How lines end that name the same system as the first, written as there."""
    line, newline, _ = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")
    fields = line.split()
    if len(fields) != len(COLUMNS["run"]):
        return b""
    return line[line.rindex(fields[-1]) - 1 :] + newline


def _systems(descriptor: int) -> list[str]:
    """Every name in the last column of lines with enough columns."""
    names: dict[bytes, None] = {}
    column_count = len(COLUMNS["run"])
    for block in line_blocks(descriptor):
        names.update(
            (fields[-1], None) for line in block.split(b"\n") if len(fields := line.split()) == column_count
        )
    return [name.decode("utf-8", "surrogateescape") for name in names]


def text_findings(subject: Subject, text: TrecText) -> Iterator[Finding]:
    finding = subject.finding
    if text.bad:
        yield finding(
            "bad-line",
            f"{count_of(text.bad, 'line')} of {text.lines:,} cannot be read; the rest is checked without them",
            text.bad,
            [Location(line=line, text=wrong) for line, wrong in text.bad_lines],
            _advice(text),
        )
    ends = {r"\n": text.newlines, r"\r\n": text.returns_newlines, r"\r": text.returns}
    if sum(map(bool, ends.values())) > 1 or text.returns:
        listed = ", ".join(f"{count:,} of {end}" for end, count in ends.items() if count)
        yield finding("line-ends", f"line ends: {listed}", min(count for count in ends.values() if count))
    if text.marked:
        yield finding("byte-order-mark", "the file begins with a byte order mark")
    if len(text.systems) > 1:
        listed = ", ".join(text.systems[:5]) + (" …" if len(text.systems) > 5 else "")
        yield finding(
            "several-systems",
            f"{len(text.systems):,} systems are named in the last column: {listed}",
            len(text.systems),
            hint="put each system into a file of its own",
        )
    if text.blank > 0:
        yield finding("blank-lines", f"{count_of(text.blank, 'blank line')}", text.blank)
    if not text.ended:
        yield finding(
            "last-newline",
            "the last line has no line end",
            hint="check that the file is complete; joined with another file, two lines would become one",
        )


def _advice(text: TrecText) -> str:
    if text.looks not in (None, text.kind):
        return f"this looks like {'a run' if text.looks == 'run' else text.looks}"
    if text.returns and text.lines == 1:
        return "lines end with carriage returns; --fix makes newlines of them"
    return "repair them, or leave them out with --fix and --drop-bad-lines"
