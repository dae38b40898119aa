"""Elements of HTML, escaped, and figures as SVG that stand by themselves."""

from __future__ import annotations

import re

from idealist.show.cells import cell_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.show.table import Cell, Table


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


# What figures are drawn with stands for a role; the SVG names the role, and the page or the reader's
# preference gives it a colour. Colour-blind readers tell them apart (after Okabe and Ito).
INK = "#010203"
BETTER, SAME, WORSE = "#0072b2", "#8c959f", "#d55e00"
SERIES = ("#0072b3", "#d55e01", "#009e73", "#aa4499", "#997700", "#6e7781")
# role: the colour it is drawn with, on light, on dark
ROLES = {
    "better": (BETTER, "#0072b2", "#56b4e9"),
    "same": (SAME, "#afb8c1", "#6e7681"),
    "worse": (WORSE, "#d55e00", "#f28e4b"),
    **{
        f"series-{number}": (drawn, drawn, dark)
        for number, (drawn, dark) in enumerate(
            zip(SERIES, ("#56b4e9", "#f28e4b", "#2fc79b", "#e29ac8", "#e6c229", "#b1bac4"), strict=True), 1
        )
    },
}
LIGHT_INK, DARK_INK, LIGHT_PAPER, DARK_PAPER = "#1f2328", "#e6edf3", "#ffffff", "#0d1117"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def colors(*, dark: bool) -> str:
    """The roles' colours as CSS."""
    return "".join(f"--{role}:{both[2 if dark else 1]};" for role, both in ROLES.items())


NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
STANDALONE = (
    "<style>"
    f"svg:root{{color:{LIGHT_INK};background:{LIGHT_PAPER};}}"
    f"@media (prefers-color-scheme:dark){{svg:root{{color:{DARK_INK};background:{DARK_PAPER};{colors(dark=True)}}}}}"
    "</style>"
)


def figure_svg(figure: Figure, *, title: str = "", name: str = "figure", standalone: bool = True) -> str:
    """An <svg> for a page or a file: text and axes have the text's colour, `title` says what it shows to those
    who do not see it, and `name` keeps its ids apart from those of other figures on the page. A page that has
    colours of its own, and no need of a namespace, takes one that is not `standalone`."""
    import io
    import warnings

    import matplotlib

    out = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "idealist", "text.parse_math": False}
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's fonts have it, or not
        figure.savefig(out, format="svg", metadata=nothing, transparent=True)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    start, _, rest = text.partition(">")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', start)
    width, height = (box[1], box[2]) if box else ("460", "345")
    opening = (
        f'<svg{NAMESPACE if standalone else ""} viewBox="0 0 {width} {height}" '
        f'width="{float(width) * 1.6:.0f}" height="{float(height) * 1.6:.0f}" role="img" '
        f'aria-label="{escape(title)}" font-family="{FONT}" stroke-linejoin="round">'
    )
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', rest))
    rest = re.sub(r"<style[^<]*</style>", "", rest)
    # Only tags are rewritten: names that are drawn may contain anything.
    rest = re.sub(r"<[^>]*>", lambda tag: _rewritten(tag[0], used, name), rest)
    rest = re.sub(r"(?m)^ +|<g/>\n", "", rest)
    opening += STANDALONE if standalone else ""
    opening += element("title", escape(title)) if title else ""
    return opening + rest.strip() + "\n"


def _rewritten(tag: str, used: set[str], name: str) -> str:
    """Roles for colours, the figure's name before ids that are referred to, and no others."""
    if tag.startswith("<text"):
        tag = re.sub(r' font-family: [^;"]*;?| transform="rotate\(-0 [^"]*"', "", tag)
    for role, (drawn, light, _) in ROLES.items():
        tag = tag.replace(drawn, f"var(--{role}, {light})")
    tag = tag.replace(INK, "currentColor").replace("xlink:href", "href")
    tag = re.sub(r' id="([^"]+)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", tag)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", tag)
