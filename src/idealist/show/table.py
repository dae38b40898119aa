"""One table that renders as aligned text, Markdown, LaTeX, HTML, CSV or JSON."""

from __future__ import annotations

from idealist.errors import InputError, visible
from idealist.show.cells import GAP, ShownNumber, cell_text, text_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Cell = str | int | float | tuple[float, float] | None

BAR = "│  "
BOLD, DIM, PLAIN = "\033[1m", "\033[2m", "\033[0m"
RAISED = str.maketrans("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")  # there is no raised q
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}
MARKDOWN_SPECIAL = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    **{character: "\\" + character for character in "\\|`*["},
}
# What a spreadsheet takes for a formula when a cell begins with it.
FORMULA = ("=", "+", "-", "@")


class Table:
    """Columns with titles, rows of cells, and lines of text below.

    Numbers stand right and text left; floats show four decimals, a pair of them a range, None nothing. `best` holds the
    (row, column) of cells that stand out; `rules` the rows that a line is drawn above; `marks` the letters that
    stand raised beside cells, such as those of the systems that are significantly worse; `bars` the columns that text
    has a line before.

    >>> print(Table(["system", "AP"], [["a bm25", 0.25], ["b dense", 0.5]], marks={(1, 1): "a"}).to_text(), end="")
    system       AP
    a bm25   0.2500
    b dense  0.5000ᵃ
    """

    def __init__(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        *,
        below: Sequence[str] = (),
        best: Collection[tuple[int, int]] = (),
        rules: Collection[int] = (),
        marks: Mapping[tuple[int, int], str] | None = None,
        bars: Collection[int] = (),
    ) -> None:
        self.titles = [visible(title) for title in titles]
        self.rows = [list(row) for row in rows]
        self.below = [visible(line) for line in below]
        self.best = frozenset(best)
        self.rules = frozenset(rules)
        self.bars = frozenset(bars)
        self.marks = {place: letters for place, letters in (marks or {}).items() if letters}
        for row, column in self.marks:
            if not (0 <= row < len(self.rows) and 0 <= column < len(self.titles)):
                raise InputError(
                    f"a mark stands at row {row}, column {column}: there is no such cell",
                    hint=f"there are {len(self.rows)} rows and {len(self.titles)} columns, counted from 0",
                )
        self.numeric = [
            any(isinstance(row[column], (int, float, tuple)) for row in self.rows)
            for column in range(len(self.titles))
        ]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """Aligned. A table that is wider than `width` is folded, and divided where that is not enough."""
        cells = [self.titles, *([cell_text(cell) for cell in row] for row in self.rows)]
        columns = range(len(self.titles))
        raised = [
            max((len(letters) for (_, at), letters in self.marks.items() if at == column), default=0)
            for column in columns
        ]
        beside = [raised[at] + (len(BAR) if at in self.bars else 0) for at in columns]
        parts = [{at: max(text_width(row[at]) for row in cells) for at in columns}]
        below = self.below
        if width is not None:
            from idealist.show.cells import folded_line, layout

            below = [folded_line(line, width) for line in below]
            parts = layout(cells, self.numeric, beside, self._keys(), self.bars, width)
        lines: list[str] = []
        for widths in parts:
            lines += [""] * bool(lines)
            for number, row in enumerate(cells, -1):
                if number in self.rules:
                    lines.append((" " * GAP).join("─" * (width + raised[at]) for at, width in widths.items()))
                lines += self._lines_of(number, row, widths, raised, color)
        dim, plain = (DIM, PLAIN) if color else ("", "")
        return "\n".join([*lines, *(f"{dim}{line}{plain}" for line in below)]) + "\n"

    def _lines_of(
        self, number: int, row: Sequence[str], widths: dict[int, int], raised: Sequence[int], color: bool
    ) -> list[str]:
        """A row of text. Where cells are folded, the last lines of titles stand side by side, and the first ones of others."""
        folds = {at: [row[at]] for at in widths}
        for at, width in widths.items():
            if text_width(row[at]) > width:
                from idealist.show.cells import folded, folded_title

                folds[at] = folded_title(row[at], width) if number == -1 else folded(row[at], width)
        height = max(map(len, folds.values()))
        lines = []
        for level in range(height):
            shown = []
            for at, width in widths.items():
                own = level - (height - len(folds[at]) if number == -1 else 0)
                text = folds[at][own] if 0 <= own < len(folds[at]) else ""
                marks = self.marks.get((number, at), "") if own == 0 else ""
                shown.append(
                    (BAR if at in self.bars else "")
                    + self._styled(_padded(text, width, self.numeric[at]), number, at, color)
                    + marks.translate(RAISED).ljust(raised[at])
                )
            lines.append((" " * GAP).join(shown).rstrip())
        return lines

    def _styled(self, text: str, row: int, column: int, color: bool) -> str:
        if color and (row == -1 or (row, column) in self.best):
            return f"{BOLD}{text}{PLAIN}"
        return text

    def _keys(self) -> int:
        """How many columns say what a row is: those of text before the numbers, or the first one."""
        leading = next((at for at, numeric in enumerate(self.numeric) if numeric), 0)
        return max(leading, 1)

    def to_markdown(self) -> str:
        rule = ["---:" if numeric else "---" for numeric in self.numeric]
        rows = self._marked(MARKDOWN_SPECIAL, "**{}**", "<sup>{}</sup>")
        lines = [
            f"| {' | '.join(cells)} |"
            for cells in ([_escaped(t, MARKDOWN_SPECIAL) for t in self.titles], rule, *rows)
        ]
        below = [_escaped(line, MARKDOWN_SPECIAL) for line in self.below if line]
        return "\n".join([*lines, "", *below] if below else lines) + "\n"

    def to_latex(self) -> str:
        """For the booktabs package."""
        kinds = "".join("r" if numeric else "l" for numeric in self.numeric)
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        lines.append(" & ".join(_escaped(title, LATEX_SPECIAL) for title in self.titles) + r" \\")
        lines.append(r"\midrule")
        for number, row in enumerate(self._marked(LATEX_SPECIAL, r"\textbf{{{}}}", "$^{{{}}}$")):
            if number in self.rules and number > 0:
                lines.append(r"\midrule")
            lines.append(" & ".join(row) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", *(f"% {line}" for line in self.below if line)]
        return "\n".join(lines) + "\n"

    def to_html(self, *, caption: str = "") -> str:
        """A <table> of its own, with no styles: numbers have the class `number`, decimals in a table with marks `marked`,
        texts of more than 30 characters `long`, rows below a line `rule`."""
        from idealist.show.html import html_table

        return html_table(self, caption=caption)

    def to_csv(self) -> str:
        """All digits, and nothing but the rows; where there are marks, each column that has some is followed
        by one of them. Text that a spreadsheet would take for a formula has an apostrophe in front."""
        import csv
        import io

        marked = {column for _, column in self.marks}
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        titles: list[str] = []
        for column, title in enumerate(self.titles):
            written = _no_formula(title)
            titles += [written, f"{written} marks"] if column in marked else [written]
        writer.writerow(titles)
        for number, row in enumerate(self.rows):
            cells: list[Cell] = []
            for column, cell in enumerate(row):
                cells.append("" if cell is None else _no_formula(cell) if isinstance(cell, str) else cell)
                if column in marked:
                    cells.append(self.marks.get((number, column), ""))
            writer.writerow(cells)
        return out.getvalue()

    def to_json(self) -> str:
        """One object: titles, rows with all digits (null for nothing and for what is no number), the lines
        below, and the places, from 0, of what is best and marked."""
        import json

        whole = {
            "titles": self.titles,
            "rows": [[_number(cell) for cell in row] for row in self.rows],
            "best": [list(place) for place in sorted(self.best)],
            "marks": [[*place, self.marks[place]] for place in sorted(self.marks)],
            "below": [line for line in self.below if line],
        }
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False)
        return "".join(f"\\u{ord(c):04x}" if "\x7f" <= c < "\xa0" else c for c in text) + "\n"

    def _marked(self, special: dict[str, str], best: str, raised: str) -> list[list[str]]:
        """The cells as text in which special characters, best values and marks are written as a format does."""

        def written(cell: Cell, place: tuple[int, int]) -> str:
            text = _escaped(cell, special)
            letters = "".join(special.get(character, character) for character in self.marks.get(place, ""))
            text = best.format(text) if place in self.best and text else text
            return text + raised.format(letters) if letters else text

        return [[written(cell, (r, c)) for c, cell in enumerate(row)] for r, row in enumerate(self.rows)]


def filled_columns(titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table without the columns that have nothing in any row.

    >>> filled_columns(["a", "b", "c"], [[1, None, ""], [2, None, "x"]]).titles
    ['a', 'c']
    """
    filled = [at for at in range(len(titles)) if any(row[at] not in (None, "") for row in rows)]
    return Table([titles[at] for at in filled], [[row[at] for at in filled] for row in rows])


FORMATS = {
    "table": Table.to_text,
    "csv": Table.to_csv,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
    "html": Table.to_html,
}


def _escaped(cell: Cell, special: dict[str, str]) -> str:
    text = cell_text(cell)
    written = isinstance(cell, (str, ShownNumber))
    return "".join(special.get(c, c) for c in text) if written else text


def _no_formula(text: str) -> str:
    """A cell's text for CSV; one that is a number stays one.

    >>> _no_formula("=cmd|' /C calc'!A0"), _no_formula("-1")
    ("'=cmd|' /C calc'!A0", '-1')
    """
    shown = visible(text)
    if not shown.startswith(FORMULA):
        return shown
    try:
        float(shown)
    except ValueError:
        return f"'{shown}"
    return shown


def _number(cell: Cell) -> Cell | list[Cell]:
    if isinstance(cell, tuple):
        return [_number(end) for end in cell]  # type: ignore[misc]
    if isinstance(cell, float) and not abs(cell) < float("inf"):
        return None
    return cell


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - text_width(text))
    return space + text if right else text + space
