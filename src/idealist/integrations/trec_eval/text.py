"""trec_eval's way to read text, line by line: for files that the quick reader refuses or reads otherwise."""

from __future__ import annotations

from itertools import pairwise

from idealist.integrations.trec_eval.numbers import atof, atol
from idealist.integrations.trec_eval.options import Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Grades = dict[str, list[tuple[bytes, int]]]

# By format: what messages call its reader and its file, and how many columns it has.
FORMATS = {
    "qrels": ("get_qrels", "get_qrels", "qrels", 4),
    "qrels_jg": ("get_qrels", "get_qrels_jg", "qrels", 4),
    "prefs": ("get_prefs", "get_prefs", "prefs", 5),
    "qrels_prefs": ("get_prefs", "get_qrels_prefs", "prefs", 4),
}


def line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n"))


def has_exponents(data: bytes) -> bool:
    """Whether a line ends in a number like 1e2, which is 1 to trec_eval when it is a grade."""
    import re

    return re.search(rb"[0-9.][eE][+-]?[0-9]+[ \t\r\v\f]*(?:\n|$)", data) is not None


def as_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def as_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def quit_in(path: str, message: str) -> Stopped:
    return Stopped(f"{message}\ntrec_eval: Quit in file '{path}'\n", 2)


def unreadable_judgments(path: str, form: str) -> Stopped:
    opener, _, kind, _ = FORMATS[form]
    return quit_in(path, f"trec_eval.{opener}: Cannot read {kind} file '{path}'")


def unreadable_results(path: str) -> Stopped:
    return quit_in(path, f"trec_eval.get_results: Cannot read results file '{path}'")


def judgment_rows(data: bytes, path: str, form: str, version: int) -> Iterator[list[bytes]]:
    """The columns of every line of judgments, all of them right."""
    _, reader, _, columns = FORMATS[form]
    number = 0
    for line in _lines(data):
        if version > 9 and line.startswith(b"#"):
            continue
        number += 1
        fields = line.split()
        if len(fields) != columns:
            raise quit_in(path, f"trec_eval.{reader}: Malformed line {number}")
        yield fields


def read_qrels(data: bytes, path: str, version: int) -> Grades:
    """By query, every document with its grade; a document may be there twice."""
    queries: Grades = {}
    for query, _, document, grade in judgment_rows(data, path, "qrels", version):
        queries.setdefault(as_text(query), []).append((document, atol(as_text(grade))))
    return queries


def read_results(data: bytes, path: str, version: int) -> tuple[dict[str, list[tuple[bytes, float]]], str]:
    """By query, every document with its score, best first; and the run's name, which is the last line's."""
    queries: dict[str, list[tuple[bytes, float]]] = {}
    number, tag = 0, b""
    for line in _lines(data):
        fields = line.split(None, 6)
        if not fields or (version > 9 and fields[0].startswith(b"#")):
            continue
        number += 1
        if len(fields) < 6:
            raise quit_in(path, f"trec_eval.get_results: Malformed line {number}")
        query, _, document, _, score, tag = fields[:6]
        queries.setdefault(as_text(query), []).append((document, _score(as_text(score), version)))
    if not number:
        raise quit_in(path, f"trec_eval.get_results: No results in file '{path}'")
    for documents in queries.values():
        documents.sort(key=lambda entry: entry[0], reverse=True)
        documents.sort(key=lambda entry: -entry[1] if entry[1] == entry[1] else float("inf"))
    return queries, as_text(tag)


def _lines(data: bytes) -> Iterator[bytes]:
    text = data.split(b"\0", 1)[0]
    if text.endswith(b"\n"):
        text = text[:-1]
    return iter(text.split(b"\n"))


def _score(text: str, version: int) -> float:
    """In 9, a number of 32 bits."""
    score = atof(text)
    if version > 9:
        return score
    import struct

    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return float("-inf" if score < 0 else "inf")


def twice(documents: list[bytes]) -> bytes | None:
    """The first document, bytewise, that is there twice."""
    ordered = sorted(documents)
    return next((first for first, second in pairwise(ordered) if first == second), None)


def last_tag(tail: bytes) -> str | None:
    """The run's name, from the end of a file; None if no line that tells it is there as a whole."""
    for line in reversed(tail.split(b"\n")[1:]):
        fields = line.split(None, 6)
        if len(fields) >= 6:
            return as_text(fields[5])
        if fields:
            return None
    return None


def read_scores(data: bytes, path: str) -> dict[str, dict[str, tuple[float, float]]]:
    """By query and column, mean and standard deviation: trec_eval's file of z-scores."""
    scores: dict[str, dict[str, tuple[float, float]]] = {}
    for number, line in enumerate(_lines(data), 1):
        fields = [as_text(field) for field in line.split()]
        if len(fields) != 4:
            raise Stopped(f"trec_eval.get_zscores: Malformed line {number}\n", 255)
        query, name, mean, deviation = fields
        scores.setdefault(query, {})[name] = atof(mean), atof(deviation)
    return scores
