"""A result as it is shown: blocks for people, one table and one record for machines."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import interval_title
from idealist.errors import visible
from idealist.show.cells import ends_of, interval_cell
from idealist.show.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from idealist.show.table import Cell

    class Block(Protocol):
        """A part of a view: a Table, Lines, or anything else that can be written in these ways."""

        def to_text(self, *, color: bool = False, width: int | None = None) -> str: ...
        def to_markdown(self) -> str: ...
        def to_latex(self) -> str: ...
        def to_html(self) -> str: ...


class Lines(Frozen):
    """Lines of text below tables: a list in Markdown, comments in LaTeX, paragraphs in HTML."""

    lines: tuple[str, ...]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        lines = [visible(line) for line in self.lines]
        if width is not None:
            from idealist.show.cells import folded_line

            lines = [folded_line(line, width) for line in lines]
        return "".join(f"{line}\n" for line in lines)

    def to_markdown(self) -> str:
        return "".join(f"- {markdown_text(line)}\n" for line in self.lines)

    def to_latex(self) -> str:
        return "".join(f"% {visible(line)}\n" for line in self.lines)

    def to_html(self) -> str:
        from idealist.show.html import element, escape

        return "".join(f"{element('p', escape(line), class_='below')}\n" for line in self.lines)


class Heading(Lines):
    """Lines that only a terminal needs: Markdown and HTML say the same in what follows."""

    def to_markdown(self) -> str:
        return ""

    def to_html(self) -> str:
        return ""


class Together(Frozen):
    """Blocks with nothing between them but what Markdown needs."""

    blocks: tuple[Block, ...]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        return "".join(block.to_text(color=color, width=width) for block in self.blocks)

    def to_markdown(self) -> str:
        return "\n".join(text for block in self.blocks if (text := block.to_markdown()))

    def to_latex(self) -> str:
        return "".join(block.to_latex() for block in self.blocks)

    def to_html(self) -> str:
        return "".join(block.to_html() for block in self.blocks)


def markdown_text(text: str) -> str:
    """Text in one line of Markdown. Names come from files: what Markdown or HTML would act on is shown as it stands.

    >>> print(markdown_text("a*b <i>"))
    a\\*b &lt;i&gt;
    """
    shown = "".join(f"\\{c}" if c in "\\`*_[]|" else c for c in visible(" ".join(text.split())))
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class View:
    """A result in every format.

    `blocks` gives those for people, in order; those without content are left out. The `verdict` stands at the end, where a
    terminal stops, and in Markdown at the beginning, as the comment on a pull request does. `rows` gives the table of CSV and of
    frames, `record` what JSON says (those rows, where there is nothing more to say). `beside` are the lines that stand in
    blocks and have no place in CSV: a command prints them elsewhere. `page` is a reference page, which Markdown has in the
    place of the blocks.
    """

    def __init__(
        self,
        blocks: Callable[[], Sequence[Block]],
        *,
        rows: Callable[[], Table],
        verdict: Block | None = None,
        record: Callable[[], Any] | None = None,
        beside: Sequence[str] = (),
        compact: bool = False,
        page: Callable[[], str] | None = None,
    ) -> None:
        self.rows = rows
        self._blocks = blocks
        self._verdict = [] if verdict is None else [verdict]
        self.beside = [visible(line) for line in beside]
        self._record = record
        self._compact = compact  # JSON on one line, where it may be long
        self._page = page

    @property
    def blocks(self) -> list[Block]:
        """The blocks for people, without the verdict. Machines do not wait for it to be made."""
        return [block for block in self._blocks() if not (isinstance(block, Lines) and not block.lines)]

    @property
    def parts(self) -> list[Block]:
        """The blocks, and the verdict below them."""
        return [*self.blocks, *self._verdict]

    def followed_by(self, other: View) -> View:
        """This view, and below it the blocks of another; its rows stay those of CSV and of frames."""
        verdicts = (*self._verdict, *other._verdict)
        return View(
            lambda: [*self.blocks, *other.blocks],
            rows=self.rows,
            verdict=Together(verdicts) if verdicts else None,
            record=lambda: [self.record(), other.record()],
            beside=[*self.beside, *other.beside],
            compact=self._compact,
        )

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        return "\n".join(block.to_text(color=color, width=width) for block in self.parts)

    def to_markdown(self) -> str:
        if self._page is not None:
            return self._page()
        return "\n".join(block.to_markdown() for block in [*self._verdict, *self.blocks])

    def to_latex(self) -> str:
        return "\n".join(block.to_latex() for block in self.parts)

    def to_html(self) -> str:
        return "\n".join(block.to_html() for block in self.parts)

    def to_csv(self) -> str:
        return self.rows().to_csv()

    def record(self) -> Any:
        """The record for JSON, as plain values."""
        if self._record is not None:
            return self._record()
        table = self.rows()
        return [dict(zip(table.titles, row, strict=True)) for row in table.rows]

    def to_json(self) -> str:
        import json

        record = self.record()
        if self._compact:
            return json.dumps(record, allow_nan=False) + "\n"
        return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    def written(self, format: str, *, color: bool = False, width: int | None = None) -> str:
        """The view as "table", in the width of a terminal where one is given, "csv", "markdown", "latex", "html" or "json"."""
        if format == "table":
            return self.to_text(color=color, width=width)
        write: Callable[[], str] = getattr(self, f"to_{format}")
        return write()


MOST_ROWS = 40  # that people see; machines have all


def row_view(item: Frozen) -> View:
    """One of them by itself."""
    return rows_view([item])


def rows_view(items: Sequence[Frozen]) -> View:
    """The fields of every row, under their names."""
    if not items:
        return View(lambda: [Lines(("none",))], rows=lambda: Table([], []))
    left = len(items) - MOST_ROWS
    lines = (f"… and {left:,} more; to_frame and to_csv have all",) if left > 0 else ()
    return View(lambda: [_shown(items[:MOST_ROWS]), Lines(lines)], rows=lambda: _rows(items))


def _shown(items: Sequence[Frozen]) -> Table:
    """For people: an interval in one column, named by how sure it is."""
    from idealist.statistics.mean_estimates import Interval

    fields = items[0].fields
    sure = next(
        (value.confidence for item in items for value in _values(item) if isinstance(value, Interval)), None
    )
    titles = [interval_title(sure) if field == "interval" else field.replace("_", " ") for field in fields]
    return Table(titles, [[_cell(value) for value in _values(item)] for item in items])


def _rows(items: Sequence[Frozen]) -> Table:
    """For machines: both ends of an interval in columns of their own."""
    titles: list[str] = []
    for field in items[0].fields:
        titles += ["low", "high"] if field == "interval" else [field]
    rows: list[list[Cell]] = []
    for item in items:
        cells: list[Cell] = []
        for field, value in zip(item.fields, _values(item), strict=True):
            cells += ends_of(value) if field == "interval" else [_plain(value)]
        rows.append(cells)
    return Table(titles, rows)


def _values(item: Frozen) -> list[Any]:
    return [getattr(item, field) for field in item.fields]


def _cell(value: Any) -> Cell:
    from idealist.statistics.mean_estimates import Interval

    if isinstance(value, bool):
        return "yes" if value else "no"
    return interval_cell(value) if isinstance(value, Interval) else _plain(value)


def _plain(value: Any) -> Cell:
    if isinstance(value, tuple):  # names of systems
        return " – ".join(map(str, value))
    plain: Cell = None if value != value else value
    return plain
