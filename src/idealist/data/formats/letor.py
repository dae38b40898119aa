"""LETOR and SVMlight: a grade, a query and features a row; scores and query sizes, one number a line."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from itertools import zip_longest

from idealist.data.compression import ENDINGS, without_ending
from idealist.data.formats.format import BYTE_ORDER_MARK, Format, Head, is_number
from idealist.data.opening import Opened
from idealist.data.source_names import STREAM
from idealist.data.triples import as_float, rows_of_triples, wrong
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist import kernels
    from idealist.data.reading import ReadRequest
    from idealist.data.triples import Triple

QUERY = b"qid:"
DOCUMENT = b"docid"
BESIDE = (".query", ".group")  # as LightGBM and XGBoost call the file of query sizes
EXPECTED = "a row is: grade qid:query 1:feature 2:feature … #docid = document"
# What may be wrong with a row, and what to do about it besides writing what is expected.
PROBLEMS = {
    "grade": "the grade is not a finite number: {text!r}",
    "empty-query": "the query behind qid: is empty",
    "feature": "a feature is number:value, not {text!r}",
    "repeated": "feature {text} appears twice",
    "mixed-queries": "some rows have qid: and some have not",
    "mixed-documents": "some rows have a docid and some have not",
    "return": "a carriage return stands inside the line",
}
HINTS = {
    "mixed-documents": "name the document of every row, or of none; is the file cut short?",
    "return": "end lines with a newline, or with a carriage return and a newline",
    "repeated": "keep one of the two",
}
LONGEST_SIZE = 18  # digits of a group's size
# LETOR writes NULL where a feature is not known.
FEATURE = re.compile(
    rb"[0-9]+:(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+|inf(?:inity)?|nan)(?:e[+-]?[0-9]+)?|NULL)",
    re.IGNORECASE,
)
PLAIN_FEATURES = re.compile(rb"(?:[0-9]++:-?+[0-9]++\.?+[0-9]*+\s*+)*+")  # most rows, at a third of the time


class Letor(Format):
    name = "letor"
    label = "LETOR"
    about = "LETOR and SVMlight rows as judgments; a file of one score a line as a run of their rows"
    endings = (".svm",)
    options = ("encoding", "query_sizes", "features")

    def recognises(self, head: Head) -> bool:
        return any(is_features(line) for line in head.lines[:5]) or _is_scores(head)

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return letor_rows(opened, request, threads)


FORMAT = Letor()


def is_features(line: bytes) -> bool:
    columns = line.partition(b"#")[0].split(None, 2)
    if len(columns) < 2 or not is_number(columns[0]):
        return False
    name, colon, value = columns[1].partition(b":")
    return bool(colon) and (name == b"qid" or (name.isdigit() and is_number(value)))


def _is_scores(head: Head) -> bool:
    """One number a line: the scores, or the sizes of the queries, that go with rows of features."""
    return is_number(head.first) and all(len(line.split(None, 1)) == 1 for line in head.lines)


def letor_rows(opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
    """Judgments from rows of features, or a run from scores in the order of such rows."""
    kind, query_sizes, features = request.kind, request.query_sizes, request.features
    scores = _is_scores(Head(opened.head))
    if kind == "judgments":
        if scores:
            raise InputError(
                "this is one number a line: scores or query sizes, not judgments",
                source=opened.source,
                hint="name the file of the features, whose rows begin with the grade",
            )
        return rows_of_triples(read_layout(opened, query_sizes), kind, source=opened.source, threads=threads)
    if not scores:
        raise InputError(
            "these are rows of features: judgments, not a run",
            source=opened.source,
            hint="a run is a file of scores, one a line, in the order of the rows",
        )
    with _features(features, opened.source, request.encoding) as rows:
        layout = read_layout(rows, query_sizes)
        return rows_of_triples(_scored(opened, layout, features), kind, source=opened.source, threads=threads)


def read_layout(opened: Opened, query_sizes: str | None) -> Iterator[Triple]:
    """The lines, queries, documents and grades of rows of features, one after the other. Without qid:, queries are
    1, 2, … by the sizes in the file of query sizes; where no row has a docid, documents are the numbers of the rows."""
    row = 0
    path: str | None = None  # of the query sizes
    sizes: list[int] = []
    queries: Iterator[str] = iter(())  # where rows have no qid:
    has_queries = has_no_documents = False
    for at, line in enumerate(opened.lines(), 1):
        _refuse_returns(line, at, opened.source)
        body, _, comment = line.partition(b"#")
        grade, *columns = body.split(None, 1) or [b""]
        if not grade:
            continue
        query, features = _query_and_features(columns[0] if columns else b"", at, opened.source)
        _refuse_junk(features, at, opened.source)
        number = as_float(grade.removeprefix(BYTE_ORDER_MARK), "grade", at, opened.source)
        document = _document(comment)
        row += 1
        if row == 1:
            has_queries, has_no_documents = query is not None, not document
            if not has_queries and (path := query_sizes or sizes_beside(opened.path)) is not None:
                sizes = read_query_sizes(path)
                queries = (str(number) for number, size in enumerate(sizes, 1) for _ in range(size))
        if (query is not None) != has_queries:
            raise wrong_row("mixed-queries", at, opened.source)
        if has_no_documents == bool(document):
            raise wrong_row("mixed-documents", at, opened.source)
        # What has no query is refused below, when all rows were counted.
        yield at, next(queries, "") if query is None else query, document or str(row), number
    if not row:
        raise InputError("the file is empty", source=opened.source, hint=EXPECTED)
    if has_queries and query_sizes is not None:
        raise needless_sizes(query_sizes, opened.source)
    if not has_queries:
        refuse_sizes(sizes, path, row, opened)


def wrong_row(problem: str, at: int, source: str, text: str = "") -> InputError:
    """Describes the error in the row on this line; `text` is the part of it that is meant."""
    message = PROBLEMS[problem].format(text=text)
    return InputError(message, source=source, line=at, hint=HINTS.get(problem, EXPECTED))


def needless_sizes(query_sizes: str, source: str) -> InputError:
    """The error of query sizes for rows that have qid:."""
    return InputError(
        f"the query sizes in {query_sizes} change nothing: every row has qid:",
        source=source,
        hint="leave them out",
    )


def _refuse_returns(line: bytes, at: int, source: str) -> None:
    """Lines that end by carriage returns alone would be one line, and all but the first row lost."""
    if b"\r" in line.removesuffix(b"\r"):
        raise wrong_row("return", at, source)


def _query_and_features(columns: bytes, at: int, source: str) -> tuple[str | None, bytes]:
    """The query that qid: names, if it is there, and what follows."""
    if not columns.startswith(QUERY):
        return None, columns
    name, *features = columns.split(None, 1)
    query = name[len(QUERY) :].decode("utf-8", "surrogateescape")
    if not query:
        raise wrong_row("empty-query", at, source)
    return query, features[0] if features else b""


def _refuse_junk(features: bytes, at: int, source: str) -> None:
    if PLAIN_FEATURES.fullmatch(features):
        return
    for feature in features.split():
        if not FEATURE.fullmatch(feature):
            raise wrong_row("feature", at, source, feature.decode("utf-8", "replace")[:80])


def _document(comment: bytes) -> str:
    """The document that `docid = …` names in the comment behind a row."""
    _, marker, text_behind = comment.partition(DOCUMENT)
    if not marker:
        return ""
    columns = text_behind.lstrip().removeprefix(b"=").split(None, 1)
    return columns[0].decode("utf-8", "surrogateescape") if columns else ""


def read_query_sizes(path: str) -> list[int]:
    sizes = []
    with Opened(path) as coming:
        for at, line in enumerate(coming.lines(), 1):
            text = line.strip()
            if not text:
                continue
            if not text.isdigit() or len(text) > LONGEST_SIZE:
                cell_text = text.decode("utf-8", "replace")[:80]
                raise wrong(f"the size of a query is not a whole number: {cell_text!r}", at, coming.source)
            if int(text) == 0:
                raise wrong("a query has no document", at, coming.source, hint="leave such a line out")
            sizes.append(int(text))
    return sizes


def refuse_sizes(sizes: list[int], path: str | None, rows: int, opened: Opened) -> None:
    if path is None:
        raise InputError(
            "the rows have no qid:, and there is no file of query sizes beside it",
            source=opened.source,
            hint=f"name it with query_sizes (--query-sizes FILE), or call it {without_ending(opened.path)}{BESIDE[0]}",
        )
    if sum(sizes) != rows:
        raise InputError(
            f"the {len(sizes):,} query sizes add up to {sum(sizes):,}, but {opened.source} has {rows:,} rows",
            source=path,
            hint="is it the file of other rows?",
        )


def sizes_beside(path: str) -> str | None:
    """The file of query sizes that stands beside one of features, if one does."""
    if path == STREAM:
        return None
    stems = dict.fromkeys((path, without_ending(path)))
    candidates = (
        f"{stem}{ending}{packed}" for stem in stems for ending in BESIDE for packed in ("", *ENDINGS)
    )
    return next((candidate for candidate in candidates if os.path.isfile(candidate)), None)


@contextmanager
def _features(features: str | None, source: str, encoding: str | None) -> Iterator[Opened]:
    needed = (
        "name the LETOR file whose rows they are of: features=…, in commands as JUDGMENTS or by --features"
    )
    if features is None:
        raise InputError("this is one number a line: scores without their rows", source=source, hint=needed)
    if features == STREAM:
        raise InputError("standard input was read already", source=source, hint="save the features to a file")
    with Opened(features, encoding) as opened:
        head = Head(opened.head)
        if not any(b":" in line for line in head.lines[:5]):
            raise InputError(
                f"this is one number a line: scores, but {features} has no rows of features for them",
                source=source,
                hint=needed,
            )
        yield opened


def _scored(opened: Opened, layout: Iterator[Triple], features: str | None) -> Iterator[Triple]:
    scores = (
        (at, as_float(line.strip(), "score", at, opened.source))
        for at, line in enumerate(opened.lines(), 1)
        if line.strip()
    )
    for rows, (score, row) in enumerate(zip_longest(scores, layout)):
        if score is None or row is None:
            more_scores = (score is not None) + sum(1 for _ in scores)
            more_rows = (row is not None) + sum(1 for _ in layout)
            raise InputError(
                f"there are {rows + more_scores:,} scores, but {features} has {rows + more_rows:,} rows",
                source=opened.source,
                hint="one score a line, in the order of the rows",
            )
        yield score[0], row[1], row[2], score[1]
