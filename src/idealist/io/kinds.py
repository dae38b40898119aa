"""Whether a source holds a run or judgments: by the columns it has."""

from __future__ import annotations

import os

from idealist.data.column_names import ROLES, plain_name
from idealist.data.stated_columns import columns_of
from idealist.errors import InputError
from idealist.io.formats.base import RANKED, Head
from idealist.io.formats.registry import detect, folder_format
from idealist.io.formats.trec import is_trec
from idealist.io.opening import Opened
from idealist.io.sources import is_data_set, parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idealist.io.formats.base import Format


def kind_of_names(names: Iterable[str], columns: Mapping[str, str] | None = None) -> str | None:
    """What has columns of these names: a run, judgments, or either. `columns` says which is which where they have
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
    """What is in a file or in FILE::TABLE; None when its content does not tell. What cannot be read is not told
    here: reading says why. `columns` are those of kind_of_names."""
    if is_data_set(source):
        from idealist.io.ir_datasets import data_set_kind

        return data_set_kind(source)
    parsed = parse_source(source)
    if not os.path.isfile(parsed.path):
        return folder_format().carries[0] if os.path.isdir(parsed.path) else None
    try:
        with Opened(parsed.path) as opened:
            head = Head(opened.head, columns)
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
    """What the columns of a file or a table are called; None where they have no names, or none can be had."""
    parsed = parse_source(source)
    if not os.path.isfile(parsed.path):
        return None
    try:
        with Opened(parsed.path) as opened:
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
