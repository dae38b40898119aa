"""The findings of checks by file, as objects and as JSON, and the codes of findings."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.wording import count_of
from idealist.data.id_spelling import SPELLINGS
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


# From bad to harmless: an error makes numbers wrong or files unreadable, a warning makes numbers that may not be
# what you think, a note is good to know.
SEVERITIES = ("error", "warning", "note")

FEW_JUDGED = 5  # a query with fewer judged documents is worth a note
LARGE_GRADE = 100.0  # above this, a grade is rather a score, a count or a time
MATTERING = 0.001  # of a mean nDCG@10: what decides between systems is not smaller


class Code(Frozen):
    """One kind of finding."""

    name: str
    severity: str
    meaning: str
    repair: str = ""


CODES: dict[str, Code] = {
    code.name: code
    for code in (
        Code("unreadable", "error", "no reader understands the file"),
        Code("empty", "error", "there are no rows"),
        Code(
            "bad-line",
            "error",
            "a line has the wrong number of columns, or its score or grade is not a number",
            "with --drop-bad-lines they are left out; else the repair is refused",
        ),
        Code(
            "duplicate",
            "error",
            "a document appears twice for one query",
            "of a run the highest score is kept, of equal ones the first; of judgments one of equal lines",
        ),
        Code(
            "contradiction",
            "error",
            "a document has two different grades for one query",
            "refused, unless --keep says which grade",
        ),
        Code("grade-range", "error", "a grade is above --max-grade"),
        Code("no-shared-query", "error", "run and judgments have no query in common"),
        Code("missing-query", "warning", "a judged query is not in the run: it counts as 0"),
        Code("ties", "warning", f"equal scores, whose order could move mean nDCG@10 by {MATTERING} or more"),
        Code("constant-scores", "warning", "all documents of a query have the same score"),
        Code(
            "scores-ascending", "warning", "scores grow with the rank: is less better here, as for distances?"
        ),
        Code(
            "rank-order",
            "warning",
            "the rank column and the scores give different orders; measures go by the scores",
            "ranks are recomputed from the scores",
        ),
        Code(
            "score-infinite",
            "warning",
            "a score is infinite, as a number beyond 1.8e308 becomes: it ties with others that are",
        ),
        Code("grade-large", "warning", f"a grade above {LARGE_GRADE:g}: a score, a count or a time?"),
        Code(
            "unjudged",
            "warning",
            "more than half of the first documents, to the first k of --at, are not judged",
        ),
        Code(
            "several-systems",
            "warning",
            "the last column names several systems: are these two runs in one file?",
        ),
        Code("id-spaces", "warning", "an id with white space in it, which TREC files cannot hold"),
        *(
            Code(
                spelling.code,
                "warning",
                f"ids that differ only in {spelling.differ}",
                "with --join-ids, ids are written as in the judgments",
            )
            for spelling in SPELLINGS.values()
        ),
        Code(
            "line-ends",
            "warning",
            "line ends of several kinds, or carriage returns alone",
            "every line ends with a newline",
        ),
        Code(
            "byte-order-mark",
            "warning",
            "the file begins with a byte order mark, which other tools take for a part of the first query",
            "left out",
        ),
        Code("unjudged-query", "note", "a query of the run has no judgments: it is not measured"),
        Code(
            "ties-small",
            "note",
            "equal scores, whose order hardly moves nDCG@10, or without judgments to show it",
        ),
        Code("unjudged-some", "note", "how many of the first k documents are not judged"),
        Code("own-id", "note", "a query's own id is among its results"),
        Code("depth", "note", "no query has as many documents as the highest k of --at"),
        Code("depth-short", "note", "a query has fewer documents than most others have"),
        Code(
            "rank-start",
            "note",
            "the first rank is neither 0 nor 1",
            "ranks are recomputed from the scores",
        ),
        Code("rank-repeat", "note", "two documents of a query have the same rank", "ranks are recomputed"),
        Code(
            "rank-text",
            "note",
            "the rank column holds something other than numbers",
            "ranks are recomputed",
        ),
        Code("scattered", "note", "the rows of a query are not together", "rows are grouped by query"),
        Code("blank-lines", "note", "lines with nothing in them", "left out"),
        Code(
            "last-newline",
            "note",
            "the last line has no newline: the file may be cut short",
            "it gets a newline",
        ),
        Code("subtopics", "note", "the second column names subtopics: a document has a grade for each"),
        Code("grade-negative", "note", "a grade below 0; conventions differ in what it means"),
        Code("grade-fraction", "note", "a grade that is not a whole number"),
        Code("nothing-relevant", "note", "a judged query without a grade above 0"),
        Code("one-grade", "note", "all grades are the same"),
        Code("no-zero", "note", "no grade is 0 or less: what was judged not relevant is missing"),
        Code("few-judged", "note", f"a query with fewer than {FEW_JUDGED} judged documents"),
    )
}


def known_codes(names: Sequence[str]) -> frozenset[str]:
    """The codes as a set; an unknown one is an error."""
    for name in names:
        if name not in CODES:
            raise InputError(f"there is no code {name!r}", hint=f"name one of: {', '.join(CODES)}")
    return frozenset(names)


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

    >>> from idealist.checks import check
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
        """`to_dict` as JSON text."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def _gist(self) -> str:
        return f"{count_of(len(self.files), 'file')}; {self.verdict}"


def _bytes(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"
