"""The result of checks: findings by file, as objects and as JSON."""

from __future__ import annotations

from idealist.checking.codes import CODES, SEVERITIES
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Location(Frozen):
    """Where something was found: any of line, query and document, and the text there."""

    line: int | None = None
    query: str | None = None
    document: str | None = None
    text: str = ""

    def __str__(self) -> str:
        parts = [
            f"{title} {_in_utf8(value)}"
            for title, value in (("line", self.line), ("query", self.query), ("document", self.document))
            if value is not None
        ]
        return ": ".join(part for part in (", ".join(parts), self.text) if part)


def _in_utf8(value: object) -> str:
    """An id with bytes that are not UTF-8 written out."""
    return str(value).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Finding(Result, Frozen):
    """One kind of error or oddity in a file: how often it occurs, and where first."""

    code: str
    source: str
    message: str
    count: int = 1
    examples: tuple[Location, ...] = ()
    hint: str = ""

    @property
    def severity(self) -> str:
        return CODES[self.code].severity

    def _gist(self) -> str:
        return f"{self.severity} {self.code} of {self.source}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "source": self.source,
            "message": self.message,
            "count": self.count,
            "examples": [
                {
                    field: value
                    for field in location.fields
                    if (value := getattr(location, field)) not in (None, "")
                }
                for location in self.examples
            ],
            "hint": self.hint,
        }


class CheckedFile(Frozen):
    """A file, or a run or judgments in memory, and its findings; what is not known is None."""

    source: str
    kind: str
    rows: int | None = None
    queries: int | None = None
    size: int | None = None
    against: str | None = None
    findings: tuple[Finding, ...] = ()

    def __str__(self) -> str:
        rows = [] if self.rows is None else [count_of(self.rows, "row")]
        queries = [] if self.queries is None else [count_of(self.queries, "query")]
        size = [] if self.size is None else [_bytes(self.size)]
        against = f", checked with {self.against}" if self.against else ""
        return f"{self.source}: {self.kind}; {', '.join([*rows, *queries, *size]) or 'not read'}{against}"


class CheckResult(Result, Frozen):
    """The findings of all files, the worst first in each.

    >>> from idealist.checking import check
    >>> result = check({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 2.0, "d2": 1.0}}, ignore=["few-judged", "depth"])
    >>> result.findings, result.worst, result.exit_code
    ((), None, 0)
    """

    files: tuple[CheckedFile, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def worst(self) -> str | None:
        """error, warning, note, or None when nothing was found."""
        severities = {finding.severity for finding in self.findings}
        return next((severity for severity in SEVERITIES if severity in severities), None)

    @property
    def exit_code(self) -> int:
        """0: nothing, or notes only; 1: warnings; 2: errors."""
        return {"error": 2, "warning": 1}.get(self.worst or "", 0)

    @property
    def verdict(self) -> str:
        """One line: how many findings of each severity."""
        if not self.findings:
            return "nothing found"
        counts = {
            severity: sum(finding.severity == severity for finding in self.findings)
            for severity in SEVERITIES
        }
        return ", ".join(count_of(count, severity) for severity, count in counts.items() if count)

    def to_dict(self) -> dict[str, Any]:
        return {
            "worst": self.worst,
            "exit_code": self.exit_code,
            "files": [
                {
                    **{field: getattr(file, field) for field in file.fields if field != "findings"},
                    "findings": [finding.to_dict() for finding in file.findings],
                }
                for file in self.files
            ],
        }

    def to_json(self) -> str:
        """What `to_dict` gives, as text."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def _gist(self) -> str:
        return f"{count_of(len(self.files), 'file')}; {self.verdict}"


def _bytes(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"
