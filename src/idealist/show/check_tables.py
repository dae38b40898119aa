"""Tables of checks: findings below the file that they are about."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.checks.findings import CODES, Location
from idealist.errors import visible
from idealist.show.cells import folded_line
from idealist.show.table import Table
from idealist.show.view import Lines, View, markdown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.checks.findings import CheckedFile, CheckResult, Finding
    from idealist.checks.repaired_copies import Repaired
    from idealist.show.table import Cell

SHOWN = 3  # places named below a finding
NOTHING = "nothing found"


class FileBlock(Frozen):
    """A file and its findings; `width` is that of the longest code of all files."""

    file: CheckedFile
    width: int

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        lines = [str(self.file)]
        for finding in self.file.findings:
            lines.append(f"  {finding.severity:<7}  {finding.code:<{self.width}}  {finding.message}")
            lines += [f"{'':{self.width + 13}}{line}" for line in shown_places(finding)]
        if not self.file.findings:
            lines.append(f"  {NOTHING}")
        return "".join(f"{folded_line(visible(line), width, self.width + 13)}\n" for line in lines)

    def to_markdown(self) -> str:
        """A heading and a list."""
        lines = [
            f"- **{finding.severity}** `{finding.code}`: {markdown_text(finding.message)}"
            + "".join(f"\n  - {markdown_text(line)}" for line in shown_places(finding))
            for finding in self.file.findings
        ]
        listed = "\n".join(lines) or f"{NOTHING.capitalize()}."
        return f"### {markdown_text(str(self.file))}\n\n{listed}\n"

    def to_latex(self) -> str:
        return "".join(f"% {line}" for line in self.to_text().splitlines(keepends=True))

    def to_html(self) -> str:
        from idealist.show.html import element, escape

        items = []
        for finding in self.file.findings:
            places = "".join(element("li", escape(line)) for line in shown_places(finding))
            code = element("code", escape(finding.code))
            head = f"{element('strong', finding.severity)} {code}: {escape(finding.message)}"
            items.append(element("li", head + (element("ul", places) if places else "")))
        listed = element("ul", "\n".join(items)) if items else element("p", f"{NOTHING.capitalize()}.")
        return f"{element('h3', escape(str(self.file)))}\n{listed}\n"


class _Files(Frozen):
    """All files: close together in text, apart in the others."""

    blocks: tuple[FileBlock, ...]
    closing: Lines

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        files = "".join(block.to_text(width=width) for block in self.blocks)
        return files + self.closing.to_text(width=width)

    def to_markdown(self) -> str:
        closing = "\n".join(f"{markdown_text(line)}\n" for line in self.closing.lines)
        return "\n".join([*(block.to_markdown() for block in self.blocks), closing])

    def to_latex(self) -> str:
        return "".join(block.to_latex() for block in self.blocks) + self.closing.to_latex()

    def to_html(self) -> str:
        return "".join(block.to_html() for block in self.blocks) + self.closing.to_html()


def check_view(result: CheckResult, repaired: Mapping[str, Repaired] | None = None) -> View:
    """Every file with its findings, the worst first, and how many there are of each kind. `repaired` copies are by
    where they were written."""
    copies = dict(repaired or {})
    width = max((len(finding.code) for finding in result.findings), default=0)
    blocks = tuple(FileBlock(file, width) for file in result.files)
    closing = (result.verdict, *(f"repaired copy {target}: {copy}" for target, copy in copies.items()))

    def record() -> dict[str, Any]:
        written = [
            {"source": copy.source, "copy": target, "done": dict(copy.done)}
            for target, copy in copies.items()
        ]
        return result.to_dict() | ({} if repaired is None else {"copies": written})

    return View(
        lambda: [_Files(blocks, Lines(closing))],
        rows=lambda: _finding_rows(result.findings),
        record=record,
        beside=closing,
        compact=True,
    )


def finding_view(finding: Finding) -> View:
    """One finding, and where it is."""
    first = f"{finding.severity}  {finding.code}  {finding.source}: {finding.message}"
    return View(
        lambda: [Lines((first, *shown_places(finding)))],
        rows=lambda: _finding_rows([finding]),
        record=finding.to_dict,
    )


def codes_view() -> View:
    """Every code, how severe it is, what it means and what a repair does about it."""
    rows: list[list[Cell]] = [
        [code.severity, code.name, code.meaning, code.repair] for code in CODES.values()
    ]
    table = Table(["severity", "code", "what it means", "--fix"], rows)
    record = [{field: getattr(code, field) for field in code.fields} for code in CODES.values()]
    return View(lambda: [table], rows=lambda: table, record=lambda: record, compact=True)


def shown_places(finding: Finding) -> list[str]:
    """The first places, plain queries on one line, and what to do."""
    examples = finding.examples[:SHOWN]
    lines = [str(place) for place in examples]
    if len(lines) > 1 and all(place == Location(query=place.query) for place in examples):
        more = " …" if finding.count > SHOWN else ""
        lines = [f"queries {', '.join(str(place.query) for place in examples)}{more}"]
    return [*lines, f"hint: {finding.hint}"] if finding.hint else lines


def _finding_rows(findings: Sequence[Finding]) -> Table:
    """A finding a row, for machines."""
    rows: list[list[Cell]] = [
        [finding.source, finding.severity, finding.code, finding.count, finding.message, finding.hint]
        for finding in findings
    ]
    return Table(["source", "severity", "code", "count", "message", "hint"], rows)
