"""Numbers as they are written for machines and for people, and text in the width of a terminal.

Text in the width of a terminal: lines, titles and long texts are folded at blanks, and a table that is still too wide is
written in parts, one below the other.
"""

from __future__ import annotations

import re

from idealist.base.wording import p_text
from idealist.errors import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from idealist.show.table import Cell
    from idealist.statistics.mean_estimates import Interval


GAP = 2  # blanks between cells that stand side by side


class ShownNumber(float):
    """A number that says itself how people see it."""

    def shown(self) -> str:
        raise NotImplementedError


class Signed(ShownNumber):
    """A difference, with its sign.

    >>> Signed(0.125).shown(), Signed(-1.5, 2).shown()
    ('+0.1250', '-1.50')
    """

    def __new__(cls, number: float, digits: int = 4) -> Signed:
        made = super().__new__(cls, number)
        made.digits = digits
        return made

    digits: int

    def shown(self) -> str:
        return f"{self + 0.0:+.{self.digits}f}"


class PValue(ShownNumber):
    """A p-value.

    >>> PValue(2.5e-9).shown()
    '<0.0001'
    """

    def shown(self) -> str:
        return p_text(float(self))


def whole(number: float) -> float:
    """A number without decimals as an int, so that it is shown without them."""
    return int(number) if number == int(number) else number


def difference_cell(number: float | None, digits: int = 4) -> Cell:
    """A difference; nothing where it is unknown."""
    return None if number is None or number != number else Signed(number, digits)


def p_cell(p: float | None) -> Cell:
    """A p-value; nothing where there is none."""
    return None if p is None or p != p else PValue(p)


def interval_cell(interval: Interval | None) -> Cell:
    """Both ends of an interval; nothing where there is none."""
    return None if interval is None else (interval.low, interval.high)


def number_cell(number: float | None) -> Cell:
    """A number; nothing where it is undefined, and a whole one where it may be infinite or a count.

    >>> number_cell(float("nan")), number_cell(float("inf")), number_cell(0.5)
    (None, '∞', 0.5)
    """
    if number is None or number != number:
        return None
    return "∞" if number == float("inf") else number


def count_cell(count: float) -> Cell:
    """A count: whole where it is whole.

    >>> count_cell(3.0), count_cell(3.5)
    (3, 3.5)
    """
    return int(count) if count == int(count) else float(count)


def ends_of(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends of an interval for columns of their own."""
    return (None, None) if interval is None else (interval.low, interval.high)


def cell_text(cell: Cell) -> str:
    """Four decimals for a float, a range for two of them, nothing for None.

    >>> cell_text(-0.00001), cell_text((0.5, 1.0)), cell_text(7), cell_text(None)
    ('0.0000', '[0.5000, 1.0000]', '7', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return f"[{cell_text(cell[0])}, {cell_text(cell[1])}]"
    if isinstance(cell, ShownNumber):
        return cell.shown()
    return f"{cell + 0.0:.4f}".replace("-0.0000", "0.0000") if isinstance(cell, float) else visible(str(cell))


def text_width(text: str) -> int:
    """The places that a text takes in a terminal, where letters of Chinese, Japanese and Korean take two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


PROSE = 24  # a column of text is not made narrower than that
HANG = 2  # how much further in the lines stand that a line is folded into
# What is not broken though it has blanks: a command in backticks, and what stands in quotes. An apostrophe opens no quote.
QUOTED = r"""`[^`]+`|(?<![^ (\[=])(?:'[^']+'|"[^"]+")(?!\w)"""


def folded(text: str, width: int, whole: Sequence[str] = ()) -> list[str]:
    """The words of a text in lines of at most `width`; a word that is longer has a line of its own. What stands in backticks or
    quotes is one word where a line can hold it, and so is each of the texts that are to stay `whole`.

    >>> folded("p (randomised)", 12), folded("", 12)
    (['p', '(randomised)'], [''])
    >>> folded("see `idealist --help` too", 19), folded("see `idealist --help` too", 12)
    (['see', '`idealist --help`', 'too'], ['see', '`idealist', '--help` too'])
    """
    return _in_lines(_words(text, width, whole), width)


def _words(text: str, width: int, whole: Sequence[str]) -> list[tuple[str, str]]:
    """The words of a text, each with the blanks before it."""
    names = "".join(f"{re.escape(name)}|" for name in sorted(whole, key=len, reverse=True))
    words = []
    for blanks, word in re.findall(rf"( *)((?:{names}{QUOTED}|[^ ])+)", text):
        first, *others = word.split(" ") if text_width(word) > width else [word]
        words += [(blanks, first), *((" ", other) for other in others)]
    return words


def folded_title(title: str, width: int) -> list[str]:
    """Folds a title, behind slashes too.

    >>> folded_title("wins/ties/losses", 12)
    ['wins/ties/', 'losses']
    """
    return _in_lines(_title_words(title), width)


def _in_lines(words: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Words, each with what stands before it where it does not begin a line."""
    lines = [""]
    for before, word in words:
        line = f"{lines[-1]}{before}{word}" if lines[-1] else word
        if lines[-1].strip() and text_width(line) > width:
            lines.append(word)
        else:
            lines[-1] = line
    return [line.rstrip() for line in lines]


def _title_words(title: str) -> list[tuple[str, str]]:
    words = []
    for word in title.split(" "):
        first, *others = word.replace("/", "/ ").rstrip().split(" ")
        words += [(" ", first), *(("", other) for other in others)]
    return words


def folded_line(text: str, width: int | None, hang: int | None = None, whole: Sequence[str] = ()) -> str:
    """A line as lines of at most `width`, where there is one; the second and later ones begin with `hang` blanks (default:
    two more than the first). The texts that are to stay `whole` are not broken.

    >>> print(folded_line("note: a: 1 query judged but not in the run", 32))
    note: a: 1 query judged but not
      in the run
    """
    if width is None or text_width(text) <= width:
        return text
    inner = text.lstrip(" ")
    indent = len(text) - len(inner)
    hang = indent + HANG if hang is None else hang
    if width - hang < PROSE:
        return text
    first, *_ = folded(inner, width - indent, whole)
    rest = folded(inner[len(first) :].lstrip(" "), width - hang, whole)
    return "\n".join([" " * indent + first, *(" " * hang + line for line in rest if line)])


def layout(
    cells: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    beside: Sequence[int],
    keys: int,
    bars: Collection[int],
    width: int | None,
) -> list[dict[int, int]]:
    """The parts of a table, each as the widths of its columns. The first row of the `cells` has the titles; `beside` is the room
    that each column needs beside its text, and `keys` counts the columns that every part begins with."""
    natural = [max(map(text_width, column)) for column in zip(*cells, strict=True)]

    def fitted(columns: Sequence[int], room: int) -> dict[int, int]:
        spare = room - _taken([natural[at] + beside[at] for at in range(len(natural))], columns)
        if spare >= 0:
            return {at: natural[at] for at in columns}
        least = column_widths(
            [[row[at] for at in columns] for row in cells], [numeric[at] for at in columns], spare
        )
        return dict(zip(columns, least, strict=True))

    everything = range(len(natural))
    if width is None:
        return [{at: natural[at] for at in everything}]
    whole = fitted(everything, width)
    least = [whole[at] + beside[at] for at in everything]
    if _taken(least, everything) <= width:
        return [whole]
    # Within its part a column may have more room than in the whole table.
    return [fitted(part, width) for part in parts_of(least, keys, bars, width)]


def column_widths(cells: Sequence[Sequence[str]], numeric: Sequence[bool], spare: int) -> list[int]:
    """The widths of columns that are too wide by `-spare` together: titles are folded first, then columns of text, the widest
    most. What cannot be folded keeps its width."""
    titles, *rows = cells
    widths = [max(map(text_width, column)) for column in zip(*cells, strict=True)]
    bodies = [max((text_width(row[at]) for row in rows), default=0) for at in range(len(titles))]
    words = [max(text_width(word) for _, word in _title_words(title)) for title in titles]
    texts = [
        bodies[at] if numeric[at] else max([PROSE, *(_longest_word(row[at]) for row in rows)])
        for at in range(len(titles))
    ]
    for least in (list(map(max, words, bodies)), list(map(max, words, map(min, texts, bodies)))):
        while spare < 0:
            wide = [at for at, width in enumerate(widths) if width > least[at]]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
            spare += 1
    return widths


def parts_of(widths: Sequence[int], keys: int, bars: Collection[int], width: int) -> list[list[int]]:
    """The columns of every part of a table that is too wide: each begins with the first `keys` columns. What stands behind a
    bar stays together if it can.

    >>> parts_of([4, 5, 5, 5, 5], 1, (), 20)
    [[0, 1, 2], [0, 3, 4]]
    >>> parts_of([4, 5, 5, 5, 5], 1, (2,), 32)
    [[0, 1, 2, 3, 4]]
    >>> parts_of([4, 5, 5, 5, 5], 1, (2,), 25)
    [[0, 1], [0, 2, 3, 4]]
    """
    own = list(range(keys))
    parts: list[list[int]] = []
    start = keys
    for end in [*sorted(bar for bar in bars if bar > keys), len(widths)]:
        group, start = list(range(start, end)), end
        if parts and _taken(widths, [*parts[-1], *group]) <= width:
            parts[-1] += group
            continue
        parts.append(list(own))
        for column in group:
            if len(parts[-1]) > keys and _taken(widths, [*parts[-1], column]) > width:
                parts.append(list(own))
            parts[-1].append(column)
    return parts


def _taken(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[at] + GAP for at in columns) - GAP


def _longest_word(text: str) -> int:
    return max(map(text_width, text.split(" ")))
