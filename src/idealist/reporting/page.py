"""A report as one file: tables, figures, the verdict, and what it all was made of."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.reporting.comparisons import comparison_tables, legend
from idealist.reporting.conventions import conventions_table
from idealist.reporting.evaluations import (
    evaluation_lines,
    evaluation_notes,
    means_table,
    measures_table,
    query_table,
)
from idealist.reporting.html import element, escape, shortened
from idealist.reporting.table import Table
from idealist.reporting.verdicts import VerdictBlock
from idealist.reporting.votes import breakdown_tables, rate_table, vote_lines
from idealist.wording import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.evaluation import Evaluation
    from idealist.evaluation.explanation import Explanation

LARGEST_TABLE = 12_000  # cells of one measure's table of queries
MOST_SYSTEMS = 6  # that have figures of their own
MOST_INTERVALS = 40
LONGEST = 40  # characters of a name in a caption


class Source(Frozen):
    """An input file: what it was for, its name, and enough to know it again."""

    role: str
    name: str
    size: int
    sha256: str


def source_of(path: str, role: str, before: tuple[int, int] | None = None) -> Source:
    """Reads the file once more, in pieces; it must be as it was `before`, if that is known."""
    import hashlib
    import os

    if before is not None and before != stamp_of(path):
        raise InputError("the file changed while it was read", source=path, hint="run the command again")
    digest = hashlib.sha256()
    size = 0
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
    return Source(role, os.path.basename(path), size, digest.hexdigest())


def stamp_of(path: str) -> tuple[int, int] | None:
    """A file's size and time of change; None where there is none. A pipe is refused: it cannot be read twice."""
    import os

    if not os.path.exists(path):
        return None
    if not os.path.isfile(path):
        raise InputError(
            "this is no plain file", source=path, hint="a report reads its inputs twice: save it"
        )
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def report_page(
    evaluation: Evaluation,
    *,
    comparison: Any = None,
    verdicts: Mapping[str, Any] | None = None,
    gsb: Any = None,
    curves: Mapping[str, Mapping[int, float]] | None = None,
    curved: str = "",
    explanations: Mapping[str, Explanation] | None = None,
    sources: Sequence[Source] = (),
    title: str = "Ranking report",
    date: str = "",
) -> str:
    """HTML that needs nothing beside it, and is the same bytes for the same inputs.

    `verdicts` are by the system they are about, `curves` the means of `curved` by system and cut-off,
    `explanations` those of one query by system. Figures are drawn with matplotlib.
    """
    figures = _evaluation_figures(evaluation, comparison, curves or {}, curved, explanations or {})
    sections = [
        _verdicts(verdicts or {}, gsb),
        _section(
            "Means",
            _shown(means_table(evaluation, comparison=comparison)),
            _lines([*evaluation_notes(evaluation), *evaluation_lines(evaluation)]),
        ),
        _comparison(comparison),
        _section("Figures", _figures(figures)) if figures else "",
        _gsb(gsb),
        _queries(evaluation, comparison.baseline if comparison else None),
        _section("Measures", _shown(measures_table(evaluation))),
        _section("Conventions", _shown(conventions_table(evaluation.conventions))),
        _section("Inputs", _shown(_sources(sources))) if sources else "",
        _section("Versions", element("p", escape(_versions()))),
    ]
    return _document(title, _about(evaluation, comparison, date), sections)


def _document(title: str, about: str, sections: Iterable[str]) -> str:
    head = "\n".join(
        [
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            element("title", escape(title)),
            f"<style>\n{_style()}</style>",
        ]
    )
    header = element(
        "header", element("h1", escape(title)) + "\n" + element("p", escape(about), class_="soft")
    )
    main = element("main", "\n" + "\n".join(part for part in sections if part))
    body = element("body", f"\n{header}\n{main}\n")
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _style() -> str:
    from pathlib import Path

    from idealist.reporting.svg import colors

    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return css.replace("LIGHT_COLORS", colors(dark=False)).replace("DARK_COLORS", colors(dark=True))


def _about(evaluation: Evaluation, comparison: Any, date: str) -> str:
    parts = [", ".join(evaluation.systems), count_queries(len(evaluation.queries))]
    parts += [f"baseline {comparison.baseline}"] if comparison else []
    return " · ".join([*parts, *([date] if date else [])])


def _section(title: str, *parts: str) -> str:
    return element(
        "section", "\n" + "\n".join([element("h2", escape(title)), *(p for p in parts if p)]) + "\n"
    )


def _shown(table: Table, caption: str = "") -> str:
    whole, below, rest = table.to_html(caption=caption).partition("</table>\n")
    # A wide table scrolls by itself, never the page; the keyboard can reach it.
    scroll = element("div", whole + below, class_="scroll", tabindex="0")
    return scroll + ("\n" + rest.rstrip() if rest else "")


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(element("p", escape(line), class_="below") for line in lines)


def _verdicts(verdicts: Mapping[str, Any], gsb: Any) -> str:
    found = dict(verdicts)
    if getattr(gsb, "verdict", None) is not None:
        found["votes"] = gsb.verdict
    if not found:
        return ""
    return _section("Verdict", *(VerdictBlock(one, name).to_html().rstrip() for name, one in found.items()))


def _comparison(comparison: Any) -> str:
    if comparison is None:
        return ""
    tables = comparison_tables(comparison)
    return _section(
        f"Compared with {comparison.baseline}",
        _shown(tables[0]),
        _lines([*legend(comparison), *comparison.notes]),
        *(_shown(table) for table in tables[1:]),
    )


def _gsb(gsb: Any) -> str:
    if gsb is None:
        return ""
    from idealist.reporting.figures import draw_gsb

    bar = _figure(
        draw_gsb(gsb), "votes", "Good, same and bad votes", "Good: the candidate is better; bad: it is worse."
    )
    return _section(
        "Votes",
        _shown(rate_table(gsb)),
        _lines(vote_lines(gsb)),
        *(_shown(table) for table in breakdown_tables(gsb)),
        element("div", bar, class_="figures"),
    )


def _evaluation_figures(
    evaluation: Evaluation,
    comparison: Any,
    curves: Mapping[str, Mapping[int, float]],
    curved: str,
    explanations: Mapping[str, Explanation],
) -> list[str]:
    from idealist.reporting.figures import draw_buildup, draw_cutoffs

    figures = _contrast_figures(comparison) if comparison and comparison.contrasts else []
    if any(curves.values()):
        figure = draw_cutoffs(curves, measure=curved)
        figures.append(
            _figure(figure, "cutoffs", f"{curved} by cut-off", f"Mean {curved} as the list grows.")
        )
    if explanations:
        figure = draw_buildup(*explanations.values(), names=list(explanations))
        query = next(iter(explanations.values())).query
        about = f"Gains of query {shortened(query or '', LONGEST)}, rank by rank, beside its ideal list"
        moved = ": the query that moved most." if comparison else "."
        figures.append(_figure(figure, "buildup", about, about + moved))
    return figures


def _contrast_figures(comparison: Any) -> list[str]:
    """Differences, scatter and bootstrap of each system's first measure, and all intervals."""
    from idealist.reporting.figures import draw_intervals
    from idealist.reporting.plots import draw

    shown = []
    measure = comparison.contrasts[0].measure
    first = [one for one in comparison.contrasts if one.measure == measure]
    for number, one in enumerate(first[:MOST_SYSTEMS], 1):
        if one.n == 0:
            continue
        system, against = shortened(one.system, LONGEST), shortened(one.baseline, LONGEST)
        pair = f"{measure.label} of {system} against {against}"
        figure = draw(one, "differences")
        shown.append(_figure(figure, f"differences-{number}", f"Differences in {pair}", f"{pair}, by query."))
        figure = draw(one, "scatter")
        caption = f"{pair}: above the diagonal, {system} is higher."
        shown.append(_figure(figure, f"scatter-{number}", f"Scatter of {pair}", caption))
        if one.interval is not None:
            figure = draw(one, "bootstrap")
            caption = f"{pair}: mean difference over queries drawn again; dashed, the bootstrap interval."
            shown.append(_figure(figure, f"bootstrap-{number}", f"Bootstrap of {pair}", caption))
    few = len(comparison.contrasts) <= MOST_INTERVALS
    figure = draw_intervals(comparison.contrasts if few else first[:MOST_INTERVALS])
    caption = "An interval that does not touch 0 is coloured: blue better, orange worse."
    return [_figure(figure, "intervals", "Differences with intervals", caption), *shown]


def _figures(figures: Iterable[str]) -> str:
    return element("div", "\n" + "\n".join(figures) + "\n", class_="figures")


def _figure(figure: Figure, name: str, title: str, caption: str) -> str:
    from idealist.reporting.svg import figure_svg

    # Within a page neither the namespace nor the colours of a file of its own are needed.
    svg = figure_svg(figure, title=title, name=name, standalone=False)
    return element("figure", f"\n{svg}{element('figcaption', escape(caption))}\n")


def _queries(evaluation: Evaluation, baseline: str | None) -> str:
    most = max(20, min(500, LARGEST_TABLE // (len(evaluation.systems) + 2)))
    parts = []
    for measure in evaluation.measures:
        table = query_table(evaluation, measure, baseline, most)
        if table.rows:
            inner = element("summary", escape(f"{measure.label}: {len(table.rows):,} queries")) + "\n"
            parts.append(element("details", inner + _shown(table)))
    return _section("Queries", *parts) if parts else ""


def _sources(sources: Sequence[Source]) -> Table:
    return Table(
        ["file", "what", "bytes", "SHA-256"], [[one.name, one.role, one.size, one.sha256] for one in sources]
    )


def _versions() -> str:
    import platform
    from importlib.metadata import version

    from idealist import __version__

    found = [f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib")]
    return " · ".join([f"idealist {__version__}", f"Python {platform.python_version()}", *found])
