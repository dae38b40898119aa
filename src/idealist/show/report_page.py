"""A report as one file: tables, figures, the verdict, and the inputs that it all was made of."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.base.wording import count_queries
from idealist.data.detection import resolve_folder
from idealist.data.reading import ReadRequest
from idealist.data.run import UnreadRun
from idealist.data.source_names import STREAM
from idealist.errors import InputError
from idealist.show.comparison_tables import comparison_tables, legend
from idealist.show.convention_tables import conventions_table
from idealist.show.evaluation_tables import (
    evaluation_lines,
    evaluation_notes,
    means_table,
    measures_table,
    notes_by_place,
    query_table,
)
from idealist.show.html import element, escape, shortened
from idealist.show.table import Table
from idealist.show.verdict_tables import VerdictBlock
from idealist.show.vote_tables import breakdown_tables, rate_table, vote_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from matplotlib.figure import Figure

    from idealist.comparison import Comparison
    from idealist.comparison.verdict import Verdict
    from idealist.data.provenance import Sources
    from idealist.evaluation import Evaluation
    from idealist.evaluation.explanation import Explanation
    from idealist.measures import Measure
    from idealist.show.table import Cell
    from idealist.votes.gsb_result import GSB


BY_CONTENT = (
    "without bytes: not read from a file here; the SHA-256 is that of its content, whatever the format"
)
# By the role of an input; what has another role is a table.
READ_AS = {"judgments": "judgments", "machine": "judgments", "run": "run", "baseline": "run"}


class InputFile(Frozen):
    """An input file: its role, its name, and enough to recognise it again."""

    role: str
    path: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)


class InputFiles:
    """The files that a report is made of, by their role. None may change between here and `described`, so that the
    SHA-256 on the page is that of what was read."""

    def __init__(self, paths: Iterable[tuple[str, str | os.PathLike[str]]]) -> None:
        self.paths = list(dict.fromkeys((role, plain_file(os.fspath(path), role)) for role, path in paths))
        self._states = {path: _state_of(path) for _, path in self.paths}

    def described(self) -> list[InputFile]:
        """Every file with its size and SHA-256; it is an error if one has changed."""
        return [self._described(role, path) for role, path in self.paths]

    def _described(self, role: str, path: str) -> InputFile:
        if self._states[path] != _state_of(path):
            raise InputError("the file changed while it was read", source=path, hint="make the report again")
        return InputFile(role, path, *size_and_sha256(path))


def size_and_sha256(path: str) -> tuple[int, str]:
    """How many bytes a file has, and their SHA-256 in hex."""
    import hashlib

    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()


def plain_file(source: str, role: str) -> str:
    """The file that a source is in, such as that of FILE::TABLE. `role` says what it is read as. Standard input is
    refused: a report reads its inputs twice, once to measure them and once for their SHA-256."""
    if source == STREAM:
        raise InputError(
            "a report reads its inputs twice, and standard input can be read only once",
            hint="save it to a file",
        )
    return resolve_folder(ReadRequest(source, READ_AS.get(role, "table"))).path


def _state_of(path: str) -> tuple[int, int] | None:
    """A file's size and time of change; None where there is no such file. A pipe is refused, as standard input is."""
    if not os.path.exists(path):
        return None
    if not os.path.isfile(path):
        raise InputError(
            "this is not a regular file",
            source=path,
            hint="a report reads its inputs twice: save it to a file",
        )
    state = os.stat(path)
    return state.st_size, state.st_mtime_ns


def paths_among(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The files among the arguments of `report`, by role: paths, and runs that are not read yet. There may be several of
    runs and judgments; the text in a list or a dict of anything else is no path."""
    for role, value in inputs.items():
        items: Iterable[Any] = (value,)
        if role in READ_AS or (role == "numbers" and isinstance(value, (list, tuple))):
            several = value.values() if hasattr(value, "values") and not hasattr(value, "columns") else value
            items = several if isinstance(several, (list, tuple, type({}.values()))) else items
        for item in items:
            if isinstance(item, UnreadRun):
                item = item.source
            if isinstance(item, (str, os.PathLike)):
                yield role, os.fspath(item)


def inputs_table(files: Iterable[InputFile], provenance: Sources | None) -> Table | None:
    """The inputs of a report: its files, then the judgments and runs that are from none of them; None where there are
    no inputs to name."""
    files = list(files)
    rows: list[list[Cell]] = [[file.name, file.role, file.size, file.sha256] for file in files]
    paths = {file.path for file in files}
    objects = [] if provenance is None else [provenance.judgments, *provenance.runs.values()]
    by_content: list[list[Cell]] = [
        [
            os.path.basename(item.source or item.name),
            "run" if item.kind == "run" else "judgments",
            None,
            item.affordable_sha256,
        ]
        for item in objects
        if item is not None
        and (
            item.source in (None, STREAM)
            or plain_file(str(item.source), "run" if item.kind == "run" else "judgments") not in paths
        )
    ]
    if not rows and not by_content:
        return None
    below = [BY_CONTENT] if by_content else []
    return Table(["file", "what", "bytes", "SHA-256"], [*rows, *by_content], below=below)


LARGEST_TABLE = 12_000  # cells of one measure's table of queries
MOST_SYSTEMS = 6  # that have figures of their own
MOST_INTERVALS = 40
LONGEST = 40  # characters of a name in a caption


def report_page(
    evaluation: Evaluation,
    *,
    comparison: Comparison | None = None,
    verdicts: Mapping[str, Verdict] | None = None,
    goal: Measure | None = None,
    gsb: GSB | None = None,
    curves: Evaluation | None = None,
    explanations: Mapping[str, Explanation] | None = None,
    files: Sequence[InputFile] = (),
    title: str = "Ranking report",
    date: str = "",
    all_pairs: bool = False,
    more_tests: bool = False,
    posterior: bool = False,
) -> str:
    """HTML that needs nothing besides itself, and is the same bytes for the same inputs.

    `verdicts` are by system, on the measure `goal`; `curves` has a measure at several cut-offs, and `explanations`
    are those of one query by system. Figures are drawn with matplotlib.
    """
    figures = _evaluation_figures(comparison, curves, explanations or {})
    inputs = inputs_table(files, evaluation.provenance)
    first, notes = notes_by_place(evaluation_notes(evaluation))
    sections = [
        _lines(first),
        _verdicts(comparison, verdicts or {}, goal, gsb),
        _section(
            "Means",
            _shown(means_table(evaluation, comparison=comparison)),
            _lines([*notes, *evaluation_lines(evaluation)]),
        ),
        _comparison(comparison, all_pairs=all_pairs, more_tests=more_tests, posterior=posterior),
        _section("Figures", _figures(figures)) if figures else "",
        _gsb(gsb),
        _queries(evaluation, comparison.baseline if comparison else None),
        _section("Measures", _shown(measures_table(evaluation))),
        _section("Conventions", _shown(conventions_table(evaluation.conventions))),
        "" if inputs is None else _section("Inputs", _shown(inputs)),
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

    from idealist.show.html import colors

    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return css.replace("LIGHT_COLORS", colors(dark=False)).replace("DARK_COLORS", colors(dark=True))


def _about(evaluation: Evaluation, comparison: Comparison | None, date: str) -> str:
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


def _verdicts(
    comparison: Comparison | None, verdicts: Mapping[str, Verdict], goal: Measure | None, gsb: GSB | None
) -> str:
    """One for each system; that of the votes only where they are not a guard of the one candidate."""
    blocks = []
    if comparison is not None and goal is not None:
        blocks = [
            VerdictBlock(verdict, f"{system} compared with {comparison.baseline} by {goal.label}")
            for system, verdict in verdicts.items()
        ]
    if gsb is not None and len(verdicts) != 1:
        blocks.append(VerdictBlock(gsb.verdict, "votes"))
    return _section("Verdict", *(block.to_html().rstrip() for block in blocks)) if blocks else ""


def _comparison(comparison: Comparison | None, *, all_pairs: bool, more_tests: bool, posterior: bool) -> str:
    if comparison is None:
        return ""
    tables = comparison_tables(comparison, all_pairs=all_pairs, more_tests=more_tests, posterior=posterior)
    return _section(
        f"Compared with {comparison.baseline}",
        _shown(tables[0]),
        _lines([*legend(comparison, pairs=all_pairs), *comparison.notes]),
        *(_shown(table) for table in tables[1:]),
    )


def _gsb(gsb: GSB | None) -> str:
    if gsb is None:
        return ""
    from idealist.show.figures import draw_gsb

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
    comparison: Comparison | None, curves: Evaluation | None, explanations: Mapping[str, Explanation]
) -> list[str]:
    from idealist.show.figures import draw_buildup, draw_cutoffs
    from idealist.show.plots import cutoff_curves

    figures = _contrast_figures(comparison) if comparison and comparison.contrasts else []
    measure, means = ("", {}) if curves is None else cutoff_curves(curves)
    if any(len(by_cutoff) > 1 for by_cutoff in means.values()):
        figure = draw_cutoffs(means, measure=measure)
        figures.append(
            _figure(figure, "cutoffs", f"{measure} by cut-off", f"Mean {measure} as the list grows.")
        )
    if explanations:
        figure = draw_buildup(*explanations.values(), names=list(explanations))
        query = next(iter(explanations.values())).query
        about = f"Gains of query {shortened(query or '', LONGEST)}, rank by rank, beside its ideal list"
        changed = ": the query whose value changed most." if comparison else "."
        figures.append(_figure(figure, "buildup", about, about + changed))
    return figures


def _contrast_figures(comparison: Comparison) -> list[str]:
    """Differences, scatter and bootstrap of each system's first measure, and all intervals."""
    from idealist.show.figures import draw_intervals
    from idealist.show.plots import draw

    figures = []
    measure = comparison.contrasts[0].measure
    first = [contrast for contrast in comparison.contrasts if contrast.measure == measure]
    for number, contrast in enumerate(first[:MOST_SYSTEMS], 1):
        if contrast.n == 0:
            continue
        system, baseline = shortened(contrast.system, LONGEST), shortened(contrast.baseline, LONGEST)
        pair = f"{measure.label} of {system} compared with {baseline}"
        figure = draw(contrast, "differences")
        figures.append(
            _figure(figure, f"differences-{number}", f"Differences in {pair}", f"{pair}, by query.")
        )
        figure = draw(contrast, "scatter")
        caption = f"{pair}: above the diagonal, {system} is higher."
        figures.append(_figure(figure, f"scatter-{number}", f"Scatter of {pair}", caption))
        if contrast.interval is not None:
            figure = draw(contrast, "bootstrap")
            caption = f"{pair}: mean difference over resampled queries; dashed, the bootstrap interval."
            figures.append(_figure(figure, f"bootstrap-{number}", f"Bootstrap of {pair}", caption))
    few = len(comparison.contrasts) <= MOST_INTERVALS
    figure = draw_intervals(comparison.contrasts if few else first[:MOST_INTERVALS])
    caption = "An interval that does not contain 0 is coloured: blue better, orange worse."
    return [_figure(figure, "intervals", "Differences with intervals", caption), *figures]


def _figures(figures: Iterable[str]) -> str:
    return element("div", "\n" + "\n".join(figures) + "\n", class_="figures")


def _figure(figure: Figure, name: str, title: str, caption: str) -> str:
    from idealist.show.html import figure_svg

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


def _versions() -> str:
    import platform
    from importlib.metadata import version

    from idealist import __version__

    libraries = [f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib")]
    return " · ".join([f"idealist {__version__}", f"Python {platform.python_version()}", *libraries])
