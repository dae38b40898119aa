"""A figure as SVG that stands by itself, follows light and dark, and is the same bytes every time."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

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

    from idealist.reporting.html import element, escape

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
