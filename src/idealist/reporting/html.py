"""Elements of HTML, escaped: ids and names are text, whatever they contain."""

from __future__ import annotations

from idealist.reporting.cells import cell_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.reporting.table import Cell, Table

SPECIAL = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
LONG = 30  # characters of a cell that may be broken into lines


def clean(text: str) -> str:
    """The text without what no HTML or SVG file may contain: control characters, and bytes that were not UTF-8.

    >>> clean("a\\x00b\\udcff")
    'a�b�'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character in "\t\n" or not _forbidden(ord(character)) else UNKNOWN for character in text
    )


def _forbidden(point: int) -> bool:
    return point < 0x20 or 0x7F <= point < 0xA0 or 0xD800 <= point < 0xE000 or point & 0xFFFE == 0xFFFE


def escape(text: str) -> str:
    """The text as HTML shows it, in elements and in attributes.

    >>> escape("<a & b>")
    '&lt;a &amp; b&gt;'
    """
    return "".join(SPECIAL.get(character, character) for character in clean(text))


def shortened(name: str, longest: int) -> str:
    """A name for where there is little room.

    >>> shortened("bm25-with-stemming", 9)
    'bm25-wit…'
    """
    name = clean(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"


def sentence(text: str) -> str:
    """A message as HTML: what stands between backticks is code.

    >>> sentence("`idealist plan next` says <what>")
    '<code>idealist plan next</code> says &lt;what&gt;'
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(element("code", escape(part)) if at % 2 else escape(part) for at, part in enumerate(parts))


def element(name: str, inner: str = "", **attributes: str) -> str:
    """An element around HTML; `class_` stands for class, `_` in other names for -.

    >>> element("td", escape("1 < 2"), class_="number")
    '<td class="number">1 &lt; 2</td>'
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{shown}>{inner}</{name}>"


def html_table(table: Table, *, caption: str = "") -> str:
    kinds = [
        " ".join(["number"] * numeric + ["marked"] * _beside_marks(table, column))
        for column, numeric in enumerate(table.numeric)
    ]
    titles = "".join(
        element("th", escape(title), scope="col", class_=_classes(kind, title))
        for title, kind in zip(table.titles, kinds, strict=True)
    )
    head = element("thead", element("tr", titles))
    rows = [
        element(
            "tr",
            "".join(_cell(table, cell, (number, at), kinds[at]) for at, cell in enumerate(row)),
            class_="rule" if number in table.rules and number > 0 else "",
        )
        for number, row in enumerate(table.rows)
    ]
    body = element("tbody", "\n" + "\n".join(rows) + "\n" if rows else "")
    parts = [element("caption", escape(caption))] if caption else []
    whole = element("table", "\n".join(["", *parts, head, body, ""]))
    below = [element("p", escape(line), class_="below") for line in table.below if line]
    return "\n".join([whole, *below]) + "\n"


def _beside_marks(table: Table, column: int) -> bool:
    """Whether numbers with decimals stand here in a table with marks: they line up at the left, not the right."""
    return bool(table.marks) and any(isinstance(row[column], float) for row in table.rows)


def _cell(table: Table, cell: Cell, place: tuple[int, int], kind: str) -> str:
    shown = cell_text(cell)
    text, kind = escape(shown), _classes(kind, shown)
    if place in table.best and text:
        text = element("strong", text)
    if letters := table.marks.get(place):
        text += element("sup", escape(letters))
    if place[1] == 0 and not table.numeric[0]:
        return element("th", text, scope="row", class_=kind)
    return element("td", text, class_=kind)


def _classes(kind: str, text: str) -> str:
    return f"{kind} long".strip() if len(text) > LONG else kind
