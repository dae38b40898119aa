"""The two files of a call, as rankings: read quickly where their text is regular, else line by line as trec_eval reads it."""

from __future__ import annotations

import os
import stat
import sys
from itertools import chain, pairwise

from idealist import kernels
from idealist.conventions import match_options
from idealist.data import Judgments, Run, RunFile
from idealist.data.opening import bounded
from idealist.drop_ins.trec_eval.getopt import Stopped
from idealist.drop_ins.trec_eval.measure_catalogue import CONVENTIONS, atof, atol
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from idealist.drop_ins.trec_eval.getopt import Settings

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


GZIP = b"\x1f\x8b\x08"
BLOCK = 1 << 20
TAIL = 1 << 16
LARGEST_DIGIT = 9  # a grade above it may have been written with an exponent


class Inputs:
    """Judged queries in bytewise order, with their rankings, the run's name, and what is wrong with a query."""

    def __init__(self, native: kernels.Rankings, tag: str, faults: dict[str, str]) -> None:
        self.native = native
        self.tag = tag
        self.faults = faults


def read_inputs(settings: Settings) -> Inputs:
    """Both files, the judgments first."""
    path, results = settings.files
    data = read_file(path, unreadable_judgments(path, "qrels"))
    source = Source(results, settings.version)
    try:
        quick = _quick_inputs(data, source, settings)
        return quick or _slow_inputs(data, source, settings)
    finally:
        source.close()


def read_file(path: str, refusal: Stopped) -> bytes:
    """All bytes of a file, decompressed; an empty one cannot be read either."""
    try:
        with open(path, "rb") as file:
            data = _content(file, path)
    except InputError:
        raise
    except (OSError, ValueError):
        raise refusal from None
    if not data:
        raise refusal
    return data


def _content(file: IO[bytes], name: str) -> bytes:
    """Decompressed; block by block, so that Ctrl-C comes through."""
    blocks = iter(lambda: file.read(BLOCK), b"")
    first = next(blocks, b"")
    blocks = chain((first,), blocks)
    endless = _may_be_endless(file)
    if first.startswith(GZIP):
        blocks = _unpacked(blocks, name)
    elif endless:
        blocks = _text_only(blocks)
    return b"".join(bounded(blocks, name) if endless else blocks)


def _may_be_endless(file: IO[bytes]) -> bool:
    try:
        return not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return True


def _unpacked(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    from idealist.data.compression import decompressed

    try:
        yield from decompressed(blocks, "gzip", name)
    except InputError as error:
        raise ValueError from error  # which has a message of its own


def _text_only(blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        if b"\0" in block:
            raise ValueError  # a device of zeros has no end
        yield block


class Source:
    """The run's file: a plain one as it is; a pipe, standard input (in 10) and gzip through a copy."""

    def __init__(self, path: str, version: int) -> None:
        self.path = self.name = path
        self._copy: str | None = None
        stdin = version > 9 and path.startswith("-")
        try:
            if not stdin and os.path.isfile(path):
                with open(path, "rb") as file:
                    compressed = file.read(len(GZIP)) == GZIP
                if not compressed:
                    return
            if stdin and sys.stdin is None:
                raise OSError
            if stdin:
                blocks = iter(lambda: sys.stdin.buffer.read(BLOCK), b"")
                endless = _may_be_endless(sys.stdin.buffer)
                data = b"".join(bounded(blocks, "standard input") if endless else blocks)
            else:
                data = read_file(path, unreadable_results(path))
        except OSError:
            raise unreadable_results(path) from None
        from tempfile import mkstemp

        descriptor, self._copy = mkstemp()
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        self.path = self._copy

    def close(self) -> None:
        if self._copy is not None:
            os.unlink(self._copy)

    def tail(self) -> bytes:
        with open(self.path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            return (b"\n" if size <= TAIL else b"") + file.read()

    def read(self) -> bytes:
        refusal = unreadable_results(self.name)
        return read_file(self.path, refusal)


def _options(settings: Settings) -> kernels.MatchOptions:
    """Unjudged documents are taken out later, after lists are cut short; documents of a negative grade go
    with them."""
    negative = "unjudged" if settings.judged_only else "not-relevant"
    return match_options(CONVENTIONS[settings.version].replace(negative=negative))


def _quick_inputs(data: bytes, source: Source, settings: Settings) -> Inputs | None:
    """None where something is irregular."""
    if settings.version > 9 and (data[:1] == b"#" or b"\n#" in data):
        return None
    threads = kernels.thread_count(None)
    feed = kernels.Feed("judgments")
    feed.add(data)
    rows = feed.finish(threads)
    if rows.problem is not None or rows.duplicate is not None or len(rows) != line_count(data):
        return None
    judgments = Judgments.from_rows(rows, name=settings.files[0])
    try:
        tag = last_tag(source.tail())
        if tag is None:
            return None
        native = RunFile(source.path, format="trec").rankings(judgments, _options(settings), threads).rankings
    except (InputError, OSError):
        return None
    levels = native.levels()
    if any(level != int(level) for level in levels):
        return None
    if any(abs(level) > LARGEST_DIGIT for level in levels) and has_exponents(data):
        return None
    return Inputs(_shaped(native, settings), tag, {})


def _shaped(native: kernels.Rankings, settings: Settings) -> kernels.Rankings:
    """Cut short and without unjudged documents, where that is asked for."""
    depth = max(0, settings.depth)
    if depth < native.longest():
        native = kernels.cut_short(native, depth)
    return kernels.condensed(native) if settings.judged_only else native


def _slow_inputs(data: bytes, source: Source, settings: Settings) -> Inputs:
    graded = read_qrels(data, settings.files[0], settings.version)
    scored, tag = read_results(source.read(), source.name, settings.version)
    faults = {
        query: fault
        for query, documents in scored.items()
        if query in graded and (fault := _fault(documents, graded[query], settings.depth))
    }
    threads = kernels.thread_count(None)
    judgments = Judgments(
        {query: {as_text(document): grade for document, grade in rows} for query, rows in graded.items()}
    )
    depth = max(1, settings.depth)
    # The order is settled here: what is left of a score is its place.
    ranked = {
        query: {
            as_text(document): float(-position) for position, (document, _) in enumerate(documents[:depth])
        }
        for query, documents in scored.items()
        if query in graded
    }
    run = Run(ranked or {"no query": {"no document": 0.0}})
    native = kernels.match(run.rows, judgments.rows, _options(settings), threads)
    return Inputs(_shaped(native, settings), tag, faults)


def _fault(documents: list[tuple[bytes, float]], grades: list[tuple[bytes, int]], depth: int) -> str | None:
    """What trec_eval says of a document that is there twice: in the run, as far as it is looked at, or in the
    judgments."""
    top = [document for document, _ in documents[: max(0, depth)]]
    if (document := twice(top)) is not None:
        return f"trec_eval.form_res_qrels: duplicate docs {as_text(document)}"
    if (document := twice([document for document, _ in grades])) is not None:
        return f"trec_eval.form_res_rels: duplicate docs {as_text(document)}\n"
    return None
