"""One table that renders as aligned text, Markdown, LaTeX or CSV."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Cell = str | int | float | tuple[float, float] | None

BOLD, DIM, PLAIN = "\033[1m", "\033[2m", "\033[0m"
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


class Table:
    """Columns with titles, rows of cells, and lines of text below.

    Numbers stand right and text left; floats show four decimals, a pair of them a range, None nothing. `best` holds the
    (row, column) of cells that stand out; `rules` the rows that a line is drawn above.
    """

    def __init__(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        *,
        below: Sequence[str] = (),
        best: Collection[tuple[int, int]] = (),
        rules: Collection[int] = (),
    ) -> None:
        self.titles = list(titles)
        self.rows = [list(row) for row in rows]
        self.below = list(below)
        self.best = frozenset(best)
        self.rules = frozenset(rules)
        self._numeric = [
            any(isinstance(row[column], (int, float, tuple)) for row in self.rows)
            for column in range(len(self.titles))
        ]

    def to_text(self, *, color: bool = False) -> str:
        cells = [self.titles, *([cell_text(cell) for cell in row] for row in self.rows)]
        widths = [max(_width(row[column]) for row in cells) for column in range(len(self.titles))]
        lines = []
        for number, row in enumerate(cells, -1):
            if number in self.rules:
                lines.append("  ".join("─" * width for width in widths))
            shown = [
                self._styled(_padded(cell, widths[at], self._numeric[at]), number, at, color)
                for at, cell in enumerate(row)
            ]
            lines.append("  ".join(shown).rstrip())
        dim, plain = (DIM, PLAIN) if color else ("", "")
        return "\n".join([*lines, *(f"{dim}{line}{plain}" for line in self.below)]) + "\n"

    def _styled(self, text: str, row: int, column: int, color: bool) -> str:
        if color and (row == -1 or (row, column) in self.best):
            return f"{BOLD}{text}{PLAIN}"
        return text

    def to_markdown(self) -> str:
        rule = ["---:" if numeric else "---" for numeric in self._numeric]
        rows = [
            [self._marked(_escaped(cell, {"|": "\\|"}), "**{}**", r, c) for c, cell in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]
        lines = [
            f"| {' | '.join(cells)} |"
            for cells in ([_escaped(t, {"|": "\\|"}) for t in self.titles], rule, *rows)
        ]
        below = [line for line in self.below if line]
        return "\n".join([*lines, "", *below] if below else lines) + "\n"

    def to_latex(self) -> str:
        """For the booktabs package."""
        kinds = "".join("r" if numeric else "l" for numeric in self._numeric)
        rows = [
            [
                self._marked(_escaped(cell, LATEX_SPECIAL), r"\textbf{{{}}}", r, c)
                for c, cell in enumerate(row)
            ]
            for r, row in enumerate(self.rows)
        ]
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        lines.append(" & ".join(_escaped(title, LATEX_SPECIAL) for title in self.titles) + r" \\")
        lines.append(r"\midrule")
        for number, row in enumerate(rows):
            if number in self.rules and number > 0:
                lines.append(r"\midrule")
            lines.append(" & ".join(row) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", *(f"% {line}" for line in self.below if line)]
        return "\n".join(lines) + "\n"

    def to_csv(self) -> str:
        """All digits, and nothing but the rows."""
        import csv
        import io

        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.titles)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return out.getvalue()

    def _marked(self, text: str, mark: str, row: int, column: int) -> str:
        return mark.format(text) if (row, column) in self.best and text else text


FORMATS = {
    "table": Table.to_text,
    "csv": Table.to_csv,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
}


def cell_text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return f"[{cell_text(cell[0])}, {cell_text(cell[1])}]"
    return f"{cell + 0.0:.4f}".replace("-0.0000", "0.0000") if isinstance(cell, float) else str(cell)


def _escaped(cell: Cell, special: dict[str, str]) -> str:
    return "".join(special.get(character, character) for character in cell_text(cell))


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
