"""LETOR and SVMlight: a grade, a query and features a row; scores and group sizes, one number a line."""

from __future__ import annotations

import os
import re

from idealist.errors import InputError
from idealist.io.compression import ENDINGS, without_ending
from idealist.io.formats import Head, is_scores
from idealist.io.opening import STDIN, Opened
from idealist.io.triples import as_float, rows_of_triples, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist import kernels

QUERY = b"qid:"
DOCUMENT = b"docid"
BESIDE = (".query", ".group")  # as LightGBM and XGBoost call the file of group sizes
EXPECTED = "a row is: grade qid:query 1:feature 2:feature … #docid = document"
LONGEST_SIZE = 18  # digits of a group's size
# LETOR writes NULL where a feature is not known.
FEATURE = re.compile(
    rb"[0-9]+:(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+|inf(?:inity)?|nan)(?:e[+-]?[0-9]+)?|NULL)",
    re.IGNORECASE,
)
PLAIN_FEATURES = re.compile(rb"(?:[0-9]++:-?+[0-9]++\.?+[0-9]*+\s*+)*+")  # most rows, at a third of the time


class Layout:
    """The rows of a LETOR file without their features: line, grade, query and document of each."""

    def __init__(
        self, lines: list[int], grades: list[float], queries: list[str], documents: list[str]
    ) -> None:
        self.lines = lines
        self.grades = grades
        self.queries = queries
        self.documents = documents

    def __len__(self) -> int:
        return len(self.lines)


def letor_rows(
    opened: Opened,
    kind: str,
    *,
    groups: str | None,
    features: str | None,
    threads: int,
    encoding: str | None = None,
) -> kernels.Rows:
    """Judgments from rows of features, or a run from scores in the order of such rows, which are in `encoding`."""
    scores = is_scores(Head(opened.head))
    if kind == "judgments":
        if scores:
            raise InputError(
                "this is one number a line: scores or group sizes, not judgments",
                source=opened.source,
                hint="name the file of the features, whose rows begin with the grade",
            )
        layout = read_layout(opened, groups)
        numbered: Iterator[tuple[int, str, str, float]] = zip(
            layout.lines, layout.queries, layout.documents, layout.grades, strict=True
        )
        return rows_of_triples(numbered, kind, source=opened.source, threads=threads)
    if not scores:
        raise InputError(
            "these are rows of features: judgments, not a run",
            source=opened.source,
            hint="a run is a file of scores, one a line, in the order of the rows",
        )
    layout = _features(features, groups, opened.source, encoding)
    return rows_of_triples(_scored(opened, layout, features), kind, source=opened.source, threads=threads)


def read_layout(opened: Opened, groups: str | None) -> Layout:
    """The grades, queries and documents of rows of features. Without qid:, queries are 1, 2, … by the sizes in
    the file of groups; where no row has a docid, documents are the numbers of the rows."""
    lines: list[int] = []
    grades: list[float] = []
    queries: list[str] = []
    documents: list[str] = []
    for at, line in enumerate(opened.lines(), 1):
        _refuse_returns(line, at, opened.source)
        body, _, comment = line.partition(b"#")
        grade, *columns = body.split(None, 1) or [b""]
        if not grade:
            continue
        query, features = _query_and_features(columns[0] if columns else b"", at, opened.source)
        _refuse_junk(features, at, opened.source)
        lines.append(at)
        grades.append(as_float(grade.removeprefix(b"\xef\xbb\xbf"), "grade", at, opened.source))
        if query is not None:
            # Rows of one query lie together: they share its text.
            queries.append(queries[-1] if queries and queries[-1] == query else query)
        if len(queries) not in (0, len(lines)):
            raise wrong("some rows have qid: and some have not", at, opened.source, hint=EXPECTED)
        document = _document(comment)
        if document:
            documents.append(document)
        if len(documents) not in (0, len(lines)):
            raise wrong(
                "some rows have a docid and some have not",
                at,
                opened.source,
                hint="name the document of every row, or of none; is the file cut short?",
            )
    if not lines:
        raise InputError("the file is empty", source=opened.source, hint=EXPECTED)
    if not documents:
        documents = [str(row) for row in range(1, len(lines) + 1)]
    if queries and groups is not None:
        raise InputError(
            f"the groups in {groups} change nothing: every row has qid:",
            source=opened.source,
            hint="leave them out",
        )
    return Layout(lines, grades, queries or _grouped(len(lines), groups, opened), documents)


def _refuse_returns(line: bytes, at: int, source: str) -> None:
    """Lines that end by carriage returns alone would be one line, and all but the first row lost."""
    if b"\r" in line.removesuffix(b"\r"):
        raise wrong(
            "a carriage return stands inside the line",
            at,
            source,
            hint="end lines with a newline, or with a carriage return and a newline",
        )


def _query_and_features(columns: bytes, at: int, source: str) -> tuple[str | None, bytes]:
    """The query that qid: names, if it is there, and what follows."""
    if not columns.startswith(QUERY):
        return None, columns
    name, *features = columns.split(None, 1)
    query = name[len(QUERY) :].decode("utf-8", "surrogateescape")
    if not query:
        raise wrong("the query behind qid: is empty", at, source, hint=EXPECTED)
    return query, features[0] if features else b""


def _refuse_junk(features: bytes, at: int, source: str) -> None:
    if PLAIN_FEATURES.fullmatch(features):
        return
    for one in features.split():
        if not FEATURE.fullmatch(one):
            text = one.decode("utf-8", "replace")[:80]
            raise wrong(f"a feature is number:value, not {text!r}", at, source, hint=EXPECTED)


def _document(comment: bytes) -> str:
    """The document that `docid = …` names in the comment behind a row."""
    _, found, rest = comment.partition(DOCUMENT)
    if not found:
        return ""
    columns = rest.lstrip().removeprefix(b"=").split(None, 1)
    return columns[0].decode("utf-8", "surrogateescape") if columns else ""


def _grouped(rows: int, groups: str | None, opened: Opened) -> list[str]:
    path = groups or _beside(opened.path)
    if path is None:
        raise InputError(
            "the rows have no qid:, and there is no file of group sizes beside it",
            source=opened.source,
            hint=f"name it with groups (--groups FILE), or call it {without_ending(opened.path)}{BESIDE[0]}",
        )
    sizes = []
    with Opened(path) as coming:
        for at, line in enumerate(coming.lines(), 1):
            text = line.strip()
            if not text:
                continue
            if not text.isdigit() or len(text) > LONGEST_SIZE:
                shown = text.decode("utf-8", "replace")[:80]
                raise wrong(f"the size of a group is not a whole number: {shown!r}", at, coming.source)
            sizes.append(int(text))
    if sum(sizes) != rows:
        raise InputError(
            f"the sizes of its {len(sizes):,} groups add up to {sum(sizes):,}, but {opened.source} has {rows:,} rows",
            source=path,
            hint="is it the file of other rows?",
        )
    return [str(query) for query, size in enumerate(sizes, 1) for _ in range(size)]


def _beside(path: str) -> str | None:
    """The file of group sizes that stands beside one of features, if one does."""
    if path == STDIN:
        return None
    stems = dict.fromkeys((path, without_ending(path)))
    named = (f"{stem}{ending}{packed}" for stem in stems for ending in BESIDE for packed in ("", *ENDINGS))
    return next((one for one in named if os.path.isfile(one)), None)


def _features(features: str | None, groups: str | None, source: str, encoding: str | None) -> Layout:
    needed = (
        "name the LETOR file whose rows they are of: features=…, in commands as JUDGMENTS or by --features"
    )
    if features is None:
        raise InputError("this is one number a line: scores without their rows", source=source, hint=needed)
    if features == STDIN:
        raise InputError("standard input was read already", source=source, hint="save the features to a file")
    with Opened(features, encoding) as opened:
        head = Head(opened.head)
        if not any(b":" in line for line in head.lines[:5]):
            raise InputError(
                f"this is one number a line: scores, but {features} has no rows of features for them",
                source=source,
                hint=needed,
            )
        return read_layout(opened, groups)


def _scored(opened: Opened, layout: Layout, features: str | None) -> Iterator[tuple[int, str, str, float]]:
    scores = [
        (at, as_float(line.strip(), "score", at, opened.source))
        for at, line in enumerate(opened.lines(), 1)
        if line.strip()
    ]
    if len(scores) != len(layout):
        raise InputError(
            f"there are {len(scores):,} scores, but {features} has {len(layout):,} rows",
            source=opened.source,
            hint="one score a line, in the order of the rows",
        )
    for (at, score), query, document in zip(scores, layout.queries, layout.documents, strict=True):
        yield at, query, document, score
