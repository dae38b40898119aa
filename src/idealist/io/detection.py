"""A source that is opened and recognised, in one place for runs, judgments and tables."""

from __future__ import annotations

import os

from idealist.errors import InputError
from idealist.io.formats import trec
from idealist.io.opening import Opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.formats.base import Format, Head
    from idealist.io.request import ReadRequest


def open_source(path: str, encoding: str | None = None) -> Opened:
    """A source to be opened; text is in the encoding that is named, what is binary is taken as it is."""
    if encoding is None:
        return Opened(path)
    from idealist.io.formats.registry import is_binary

    return Opened(path, encoding, is_binary=is_binary)


def open_request(request: ReadRequest) -> Opened:
    """The same of a request; messages call it as the user does."""
    opened = open_source(request.path, request.encoding)
    if request.is_stored:
        opened.source = request.source
    return opened


def resolve_folder(request: ReadRequest) -> ReadRequest:
    """The request for the file that is meant, where a folder is named; the same request elsewhere."""
    if os.path.isdir(request.path) or request.format == "beir":
        from idealist.io.formats.registry import folder_format

        return folder_format().file_of(request)
    return request


def detect_format(opened: Opened, request: ReadRequest) -> Format:
    """The format that was stated, or the one that the content is in. One that does not carry what was asked for, or
    does not have an option that is stated, is an InputError."""
    format = _stated_or_recognised(opened, request)
    request.require_format(format, opened.source)
    return format


def _stated_or_recognised(opened: Opened, request: ReadRequest) -> Format:
    if request.format == "trec":
        return trec.FORMAT
    # TREC text is tried first, and imports none of the others.
    if request.format is None and request.part is None and trec.is_trec(opened.head, request.kind):
        return trec.FORMAT
    from idealist.io.formats import registry
    from idealist.io.formats.base import Head

    if request.format is not None:
        return registry.format_named(request.format)
    if opened.head.lstrip()[:1] == b"{" and b"\n" not in opened.head:
        opened.look_further(lambda start: b"\n" in start)
    head = Head(opened.head, request.columns, request.kind)
    format = registry.detect(head, request.path, opened.source)
    if format is not None:
        return format
    if request.kind == "table":
        raise _no_table(head, opened.source, registry.listed("table"))
    if request.kind == "run" and _is_ambiguous(head):
        raise InputError(
            "the third of three columns may be a rank or a score",
            source=opened.source,
            line=1,
            hint="write a first line that names the columns, as in query document score by tabs, "
            "or give the format msmarco, whose third column is the rank",
        )
    if head.lines:
        request.unrecognised_hint = registry.listed()
    return trec.FORMAT


def _is_ambiguous(head: Head) -> bool:
    """Query, document and a number that may be a rank or a score."""
    from idealist.io.formats.base import is_number

    rows = [line.split() for line in head.lines[:100]]
    return bool(rows) and all(len(row) == 3 and is_number(row[2]) for row in rows)


def _no_table(head: Head, source: str, formats: str) -> InputError:
    if b"\0" in head.start:
        return InputError("this is not text", source=source, hint=formats, code="binary")
    return InputError(
        "the file is empty", source=source, hint="the first line names the columns", code="no-rows"
    )
