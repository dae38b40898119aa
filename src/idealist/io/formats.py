"""The formats that runs and judgments come in, and how each is told by its content."""

from __future__ import annotations

import os
from itertools import takewhile

from idealist.data.columns import DOCUMENT, QUERY, plain_name
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.compression import without_ending
from idealist.io.opening import HEAD
from idealist.io.trec import BYTE_ORDER_MARK, COLUMNS, NUMBER_AT
from idealist.io.workbooks import is_workbook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BOTH = ("run", "judgments")
DELIMITERS = ("\t", ",", ";", "|")
EARLIEST_TIME = 100_000_000  # seconds since 1970: March 1973
HIGHEST_RATING = 100


class Head:
    """How a source begins: its bytes, and the lines that are whole, without blank ones."""

    def __init__(self, start: bytes, columns: Mapping[str, str] | None = None) -> None:
        self.start = start
        self.columns = columns or {}
        text = start.removeprefix(BYTE_ORDER_MARK)
        lines = text.split(b"\n")
        if len(start) >= HEAD and len(lines) > 1:
            lines.pop()
        self.text = text.lstrip()
        self.lines = [line.strip() for line in lines if line.strip()]
        self.first = self.lines[0] if self.lines else b""


class Format(Frozen):
    """A format: what it carries, what its files are usually called, and whether a source is in it, by how the
    source begins."""

    name: str
    about: str
    carries: tuple[str, ...]
    endings: tuple[str, ...]
    tells: Callable[[Head], bool]
    binary: bool = False


def _trec(head: Head) -> bool:
    columns = head.first.split()
    number = {len(COLUMNS[kind]): NUMBER_AT[kind] for kind in BOTH}.get(len(columns))
    return number is not None and _is_number(columns[number])


def _parquet(head: Head) -> bool:
    return head.start[:4] == b"PAR1" and not _printable(head.start[4:5])


def _arrow(head: Head) -> bool:
    return head.start[:8] == b"ARROW1\0\0" or head.start[:4] == b"\xff\xff\xff\xff"


def _sqlite(head: Head) -> bool:
    return head.start.startswith(b"SQLite format 3\0")


def _duckdb(head: Head) -> bool:
    return head.start[8:12] == b"DUCK" and b"\0" in head.start[:HEAD]


def _printable(byte: bytes) -> bool:
    return byte in (b"\t", b"\n", b"\v", b"\f", b"\r") or b" " <= byte <= b"~"


def _json(head: Head) -> bool:
    return head.text[:1] in (b"{", b"[") and b"\0" not in head.start


def _jsonl(head: Head) -> bool:
    """A record a line: an object whose values are not all objects, or several objects."""
    if head.text[:1] != b"{" or not _json(head):
        return False
    import json

    try:
        first, *others = [json.loads(line) for line in head.lines[:2]]
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and (
        bool(others) or any(not isinstance(value, dict) for value in first.values())
    )


def _rank_eval(head: Head) -> bool:
    if head.text[:1] != b"{":
        return False
    import re

    return bool(
        re.search(rb'"requests"\s*:\s*\[', head.text)
        or re.match(rb'\{\s*"metric_score"\s*:\s*[-\d.n]', head.text)
        or (
            re.search(rb'"metric_score"\s*:\s*[-\d.n]', head.text)
            and re.search(rb'"(details|unrated_docs)"\s*:', head.text)
        )
    )


def _letor(head: Head) -> bool:
    return any(_is_features(line) for line in head.lines[:5]) or is_scores(head)


def _is_features(line: bytes) -> bool:
    columns = line.partition(b"#")[0].split(None, 2)
    if len(columns) < 2 or not _is_number(columns[0]):
        return False
    name, colon, value = columns[1].partition(b":")
    return bool(colon) and (name == b"qid" or (name.isdigit() and _is_number(value)))


def is_scores(head: Head) -> bool:
    """One number a line: the scores, or the sizes of the groups, that go with rows of features."""
    return _is_number(head.first) and all(len(line.split(None, 1)) == 1 for line in head.lines)


def _movielens(head: Head) -> bool:
    names = [plain_name(name) for name in _names(head.first, ",")]
    if names[:3] == ["userid", "movieid", "rating"] and not head.columns:
        return True
    for delimiter in (b"::", b"\t"):
        row = head.first.split(delimiter)
        if len(row) == 4 and _is_rating(row[2]) and _is_time(row[3]):
            return True
    return False


def _is_rating(text: bytes) -> bool:
    return _is_number(text) and 0 <= float(text) <= HIGHEST_RATING


def _is_time(text: bytes) -> bool:
    return text.isdigit() and int(text[:20]) >= EARLIEST_TIME


def _msmarco(head: Head) -> bool:
    """Query, document, rank, without a header. That the third column holds ranks, and no scores, is seen by
    the first query, whose ranks begin with 1 and rise."""
    rows = [line.split() for line in head.lines]
    if not rows or not all(len(row) == 3 and row[2].isdigit() for row in rows):
        return False
    first = [int(row[2][:20]) for row in takewhile(lambda row: row[0] == rows[0][0], rows)]
    return first[0] == 1 and first == sorted(set(first))


def is_untold(head: Head) -> bool:
    """Query, document and a number that may be a rank or a score."""
    rows = [line.split() for line in head.lines[:100]]
    return bool(rows) and all(len(row) == 3 and _is_number(row[2]) for row in rows)


def delimiter_of(line: bytes) -> str | None:
    """What columns stand apart by, in the line that names them."""
    text = line.decode("utf-8", "replace")
    best = max(DELIMITERS, key=text.count)
    return best if best in text else None


def _names(line: bytes, delimiter: str) -> list[str]:
    return [name.strip().strip('"') for name in line.decode("utf-8", "surrogateescape").split(delimiter)]


def _has_header(head: Head, delimiters: tuple[str, ...]) -> bool:
    delimiter = delimiter_of(head.first)
    if delimiter not in delimiters or b"\0" in head.start:
        return False
    names = _names(head.first, delimiter)
    mapped = set(head.columns.values())
    plain = {plain_name(name) for name in names}
    queries, documents = ({plain_name(name) for name in common} for common in (QUERY, DOCUMENT))
    return bool(mapped & set(names)) or bool(plain & queries and plain & documents)


def _tsv(head: Head) -> bool:
    return _has_header(head, ("\t",))


def _csv(head: Head) -> bool:
    return _has_header(head, DELIMITERS[1:])


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# In the order they are asked: the first that knows a source has it.
FORMATS = {
    one.name: one
    for one in (
        Format("parquet", "Parquet", BOTH, (".parquet", ".pq"), _parquet, True),
        Format(
            "arrow", "Arrow IPC, as a file or a stream", BOTH, (".arrow", ".feather", ".ipc"), _arrow, True
        ),
        Format(
            "sqlite", "a table of an SQLite database: FILE::TABLE", BOTH, (".sqlite", ".db"), _sqlite, True
        ),
        Format(
            "duckdb", "a table of a DuckDB database: FILE::TABLE", BOTH, (".duckdb", ".ddb"), _duckdb, True
        ),
        Format(
            "xlsx",
            "a sheet of an Excel workbook: FILE or FILE::SHEET",
            BOTH,
            (".xlsx", ".xlsm"),
            lambda head: is_workbook(head.start),
            True,
        ),
        Format("movielens", "MovieLens ratings", ("judgments",), (), _movielens),
        Format("trec", "TREC text: qrels and runs", BOTH, (".qrels", ".run", ".trec"), _trec),
        Format("tsv", "tab-separated columns with a header", BOTH, (".tsv",), _tsv),
        Format("csv", "comma-separated columns with a header", BOTH, (".csv",), _csv),
        Format("rank_eval", "requests and responses of Elasticsearch's _rank_eval", BOTH, (), _rank_eval),
        Format("jsonl", "a JSON record a line", BOTH, (".jsonl", ".ndjson"), _jsonl),
        Format("json", "JSON, {query: {document: number}} or a list of records", BOTH, (".json",), _json),
        Format("letor", "LETOR and SVMlight features, or scores in their order", BOTH, (".svm",), _letor),
        Format("msmarco", "MS MARCO runs: query, document, rank", ("run",), (), _msmarco),
        Format(
            "beir", "the judgments of a BEIR folder: FOLDER::SPLIT", ("judgments",), (), lambda head: False
        ),
    )
}
# What people have that is none of them, by its first bytes.
STRANGERS = {
    b"PK\x03\x04": ("zip data", "unpack it"),
    b"\x93NUMPY": ("a NumPy array", "load it, and give it to Run.from_matrix"),
    b"\x80\x04\x95": ("a pickle", "load it in Python, and give what it holds to Run or Judgments"),
    b"\x80\x05\x95": ("a pickle", "load it in Python, and give what it holds to Run or Judgments"),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook (.xls)", "save it as .xlsx or CSV"),
    b"7z\xbc\xaf": ("7z data", "unpack it"),
    b"Rar!": ("rar data", "unpack it"),
    b"\x89HDF": ("HDF5 data", "save it as Parquet or CSV"),
    b"Obj\x01": ("Avro data", "save it as Parquet or CSV"),
    b"%PDF": ("a PDF", ""),
    b"<!DOCTYPE": ("a web page", "was it fetched whole, without an error?"),
    b"<html": ("a web page", "was it fetched whole, without an error?"),
}


def format_of(head: Head, path: str, source: str) -> Format | None:
    """The format of a source that begins so; by the ending of its name where that does not tell; None where
    neither does. What is surely in no format that is read is an InputError."""
    for one in FORMATS.values():
        if one.tells(head):
            return one
    _refuse_stranger(head, source)
    name = without_ending(os.path.basename(path)).lower()
    found = next((one for one in FORMATS.values() if one.endings and name.endswith(one.endings)), None)
    if found is not None and found.binary and head.start:
        raise InputError(
            f"this is not {found.about.partition(',')[0].partition(':')[0]}, though its name says so",
            source=source,
            hint="was it fetched whole?",
        )
    return None if found is None or not head.lines else found


def known_format(name: str) -> Format:
    """A format by its name."""
    if name not in FORMATS:
        raise InputError(f"there is no format {name!r}", hint=f"one of {', '.join(sorted(FORMATS))}")
    return FORMATS[name]


def _refuse_stranger(head: Head, source: str) -> None:
    for magic, (what, do) in STRANGERS.items():
        if head.start.startswith(magic):
            hint = "; ".join(one for one in (do, listed()) if one)
            raise InputError(f"this is {what}, which is not read", source=source, hint=hint)


def listed() -> str:
    """All that is read, in one line."""
    return (
        "read are TREC, CSV and TSV with a header, JSON, JSONL, Parquet, Arrow, LETOR, MS MARCO, MovieLens, "
        "BEIR, _rank_eval, Excel, SQLite and DuckDB, plain or compressed by gzip, bz2, xz, zstd or lz4"
    )
