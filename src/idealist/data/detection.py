"""A source recognised: its format, and whether it holds a run or judgments."""

from __future__ import annotations

import os

from idealist.data.column_names import ROLES, columns_of, plain_name
from idealist.data.formats import trec
from idealist.data.formats.format import RANKED, Head
from idealist.data.formats.trec import is_trec
from idealist.data.opening import Opened
from idealist.data.source_names import is_data_set, parse_source
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idealist.data.formats.format import Format
    from idealist.data.reading import ReadRequest


def kind_of_names(names: Iterable[str], columns: Mapping[str, str] | None = None) -> str | None:
    """Tells by the names of columns: a run, judgments, or either. `columns` says which is which where they have
    no common names, as `columns_of` reads it.

    >>> kind_of_names(["qid", "docno", "label"]), kind_of_names(["query", "document", "score"])
    ('judgments', 'run')
    >>> kind_of_names(["uid", "sku", "score"], {"grade": "score"})
    'judgments'
    >>> kind_of_names(["qid", "sku", "score"], {"run.query": "qid", "judgments.query": "query_id", "grade": "score"})
    'run'
    """
    name_set = set(names)
    stated_of = {kind: columns_of(columns, kind).items() for kind in RANKED}
    possible = [
        kind
        for kind in RANKED
        if all(name in name_set for role, name in stated_of[kind] if role in ("query", "document"))
    ]
    if len(possible) == 1:
        return possible[0]
    stated = [pair for kind in RANKED for pair in stated_of[kind]]
    plain_names = {plain_name(name) for name in name_set.difference(name for _, name in stated)}
    roles = {role for role, common in ROLES.items() if plain_names & {plain_name(name) for name in common}}
    roles |= {role for role, name in stated if name in name_set}
    if "corpusid" in plain_names and not roles & {"grade", "rank"}:
        return "judgments"  # BEIR calls a grade a score
    if "grade" in roles and "score" not in roles:
        return "judgments"
    if "grade" not in roles and roles & {"score", "rank"}:
        return "run"
    return None


def kind_of_source(source: str, columns: Mapping[str, str] | None = None) -> str | None:
    """Tells whether a file or FILE::TABLE holds a run or judgments; None when its content does not tell. What cannot be read is not told
    here: reading says why. `columns` are those of kind_of_names."""
    if is_data_set(source):
        from idealist.data.ir_datasets import data_set_kind

        return data_set_kind(source)
    parsed = parse_source(source)
    if not os.path.isfile(parsed.path):
        from idealist.data.format_list import folder_format

        return folder_format().carries[0] if os.path.isdir(parsed.path) else None
    try:
        with Opened(parsed.path) as opened:
            head = Head(opened.head, columns)
            from idealist.data.format_list import detect

            format = detect(head, parsed.path, source)
            if format is None:
                return None
            kind = format.kind_of(head)
            names = None if kind is not None else format.column_names(opened, parsed.part)
    except Exception:  # whatever the libraries of formats raise for a file that is damaged
        return None
    return kind if names is None else kind_of_names(names, columns)


def is_trec_file(source: str, kind: str) -> bool:
    """Whether a regular file, plain or compressed, begins as TREC text of this kind does."""
    if not os.path.isfile(source):
        return False
    try:
        with Opened(source) as opened:
            return is_trec(opened.head, kind)
    except InputError:  # reading says what is wrong
        return False


def names_of_source(source: str) -> list[str] | None:
    """The names of the columns of a file or a table; None where they have no names, or none can be had."""
    parsed = parse_source(source)
    if not os.path.isfile(parsed.path):
        return None
    try:
        with Opened(parsed.path) as opened:
            from idealist.data.format_list import detect

            format = detect(Head(opened.head), parsed.path, source)
            return None if format is None else names_in(format, opened, parsed.part)
    except Exception:  # reading says what is wrong
        return None


def names_in(format: Format, opened: Opened, part: str | None) -> list[str] | None:
    """The same of what is open, in a known format."""
    try:
        return format.column_names(opened, part)
    except Exception:  # reading says what is wrong
        return None


def open_source(path: str, encoding: str | None = None) -> Opened:
    """A source to be opened; text is in the encoding that is named, what is binary is taken as it is."""
    if encoding is None:
        return Opened(path)
    from idealist.data.format_list import is_binary

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
        from idealist.data.format_list import folder_format

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
    from idealist.data import format_list as registry

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
    from idealist.data.formats.format import is_number

    rows = [line.split() for line in head.lines[:100]]
    return bool(rows) and all(len(row) == 3 and is_number(row[2]) for row in rows)


def _no_table(head: Head, source: str, formats: str) -> InputError:
    if b"\0" in head.start:
        return InputError("this is not text", source=source, hint=formats, code="binary")
    return InputError(
        "the file is empty", source=source, hint="the first line names the columns", code="no-rows"
    )
