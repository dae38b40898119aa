"""Data sets of the library ir_datasets, by their ids: `ir_datasets:vaswani` is its judgments where judgments are read, its
scored documents where a run is read, and its texts where texts are read; `ir_datasets:vaswani::queries` says which.

What the library gives is written to a temporary file, which is then read as any other: so a data set can be named wherever
a file can.
"""

from __future__ import annotations

import json
import os
from functools import cache

from idealist.base.system import temporary_path
from idealist.data.source_names import DATA_SET, PART_MARK, Source, is_data_set, split_source
from idealist.errors import InputError, MissingDependency, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# The parts of a data set, as the library calls them, by what is read.
PARTS = {"judgments": "qrels", "run": "scoreddocs", "queries": "queries", "documents": "docs"}
WORDS = {"qrels": "judgments", "scoreddocs": "run", "queries": "texts of queries", "docs": "documents"}
# Our names of the columns of a part: the library's field of each.
COLUMNS = {
    "qrels": {"query": "query_id", "document": "doc_id", "grade": "relevance"},
    "scoreddocs": {"query": "query_id", "document": "doc_id", "score": "score"},
}
SUBTOPICS = {"group": "subtopic_id"}  # of judgments that have them
IDS = {"queries": ("query", "query_id"), "docs": ("document", "doc_id")}
MOST_NAMED = 5
LONGEST_REASON = 300


def data_set_file(text: str, kind: str) -> str:
    """The file with what is read of a data set, as `kind` "judgments", "run" or "table"."""
    source = split_source(text)
    part = source.part or PARTS.get(kind)
    if part is None:
        raise InputError("a table is a part of a data set", source=text, hint=f"name one: {text}::queries")
    return _written(_id_of(source), _known_part(source, part))


def data_set_kind(text: str) -> str | None:
    """Whether a data set, or the part of it that is named, is judgments or a run; None where it is neither. Nothing is
    downloaded to find out."""
    source = split_source(text)
    if source.part is not None:
        return next((kind for kind in ("judgments", "run") if PARTS[kind] == source.part), None)
    provided = _provided(_loaded(_id_of(source)))
    return next((kind for kind in ("judgments", "run") if PARTS[kind] in provided), None)


def data_set_texts(text: str, kind: str, wanted: Iterable[str] | None = None) -> dict[str, str]:
    """The texts of a data set's `kind` "queries" or "documents" by id; of documents, those that are `wanted` alone, since
    there may be millions."""
    source = split_source(text)
    identifier, part = _id_of(source), _known_part(source, source.part or PARTS[kind])
    if part != PARTS[kind]:
        raise InputError(f"{kind} are read here, not {part}", source=text, hint=f"{DATA_SET}{identifier}")
    if part == "docs" and wanted is not None:
        data_set, ids = _having(identifier, part), list(dict.fromkeys(wanted))
        items = _guarded(identifier, part, lambda: iter(data_set.docs_store().get_many(ids).values()))
    else:
        items = _items(identifier, part)
    field = IDS[part][1]
    return {str(getattr(item, field)): str(item.default_text()).strip() for item in items}


def with_part(source: str | os.PathLike[str], kind: str) -> str:
    """A source that says which of its parts is meant, where it is a data set that is read as `kind`.

    >>> with_part("ir_datasets:vaswani", "judgments"), with_part("vaswani.qrels", "judgments")
    ('ir_datasets:vaswani::qrels', 'vaswani.qrels')
    """
    text = os.fspath(source)
    return f"{text}{PART_MARK}{PARTS[kind]}" if is_data_set(text) and PART_MARK not in text else text


def _id_of(source: Source) -> str:
    return source.path.removeprefix(DATA_SET)


def _known_part(source: Source, part: str) -> str:
    if part not in WORDS:
        raise InputError(
            f"a data set has no part {part!r}", source=source.text, hint=f"name one of: {', '.join(WORDS)}"
        )
    return part


def _library() -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise MissingDependency(
            "data sets by id need ir_datasets", hint="pip install ir-datasets, or name a file"
        ) from None
    return ir_datasets


def _loaded(identifier: str) -> Any:
    """A data set, of which nothing is read yet."""
    library = _library()
    try:
        return library.load(identifier)
    except KeyError:
        raise _unknown(library, identifier) from None
    except Exception as error:  # some look at a list of files first, which must be downloaded
        raise _unreadable(identifier, "list of files", error) from None


def _unknown(library: Any, identifier: str) -> InputError:
    from difflib import get_close_matches

    known = list(library.registry)
    near = get_close_matches(identifier, known, n=MOST_NAMED)
    near += [name for name in known if name.startswith(f"{identifier}/") and name not in near]
    return InputError(
        f"ir_datasets {library.__version__} has no data set {identifier!r}",
        source=f"{DATA_SET}{identifier}",
        hint=f"do you mean {', '.join(near[:MOST_NAMED])}?" if near else "`ir_datasets list` prints all ids",
    )


def _provided(data_set: Any) -> list[str]:
    return [part for part in WORDS if data_set.has(part)]


def _having(identifier: str, part: str) -> Any:
    """A data set that has a part; otherwise an error says what it has, and which of its subsets have it."""
    data_set = _loaded(identifier)
    provided = _provided(data_set)
    if part in provided:
        return data_set
    library = _library()
    below = (name for name in library.registry if name.startswith(f"{identifier}/"))
    having = [name for name in below if library.registry[name].has(part)]
    raise InputError(
        f"this data set has no {WORDS[part]} ({part}); it has {', '.join(provided) or 'nothing that is read here'}",
        source=f"{DATA_SET}{identifier}",
        hint=f"its subsets have: {DATA_SET}{f', {DATA_SET}'.join(having[:MOST_NAMED])}"
        if having
        else "name another data set, or a file",
    )


def _items(identifier: str, part: str) -> Iterator[Any]:
    data_set = _having(identifier, part)
    return _guarded(identifier, part, getattr(data_set, f"{part}_iter"))


def _guarded(identifier: str, part: str, iterate: Any) -> Iterator[Any]:
    """Calls a function of the library. Whatever it raises on the way, of downloads, archives and files, is an
    InputError."""
    try:
        yield from iterate()
    except Exception as error:
        raise _unreadable(identifier, part, error) from None


def _unreadable(identifier: str, what: str, error: Exception) -> InputError:
    reason = shortened(" ".join(f"{type(error).__name__}: {error}".split()), LONGEST_REASON)
    return InputError(
        f"ir_datasets cannot give the {what}: {reason}",
        source=f"{DATA_SET}{identifier}",
        hint="it downloads a data set when it is first read: is there a network, and does the data set ask for a licence? "
        f"`ir_datasets export {identifier} {what if what in WORDS else 'docs'}` tries the same by itself",
    )


@cache
def _written(identifier: str, part: str) -> str:
    """A file with a part of a data set, once for a process."""
    path = temporary_path(f"{identifier.replace('/', '-')}-{part}.{'tsv' if part in COLUMNS else 'jsonl'}")
    write = _write_rows if part in COLUMNS else _write_texts
    write(path, identifier, part)
    return path


def _write_rows(path: str, identifier: str, part: str) -> None:
    data_set = _having(identifier, part)
    fields = getattr(data_set, f"{part}_cls")()._fields
    columns = dict(COLUMNS[part])
    if part == "qrels" and SUBTOPICS["group"] in fields:
        columns = {**SUBTOPICS, **columns}
    if missing := [field for field in columns.values() if field not in fields]:
        raise InputError(
            f"its {part} have no field {missing[0]}, but {', '.join(fields)}",
            source=f"{DATA_SET}{identifier}",
            hint="name another data set: runs cannot be measured by these",
        )
    places = [fields.index(field) for field in columns.values()]
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(columns) + "\n")
        for item in _items(identifier, part):
            row = [str(item[place]) for place in places]
            if any("\t" in cell or "\n" in cell or "\r" in cell for cell in row):
                raise InputError(
                    f"an id has a tab or the end of a line in it: {row}", source=f"{DATA_SET}{identifier}"
                )
            file.write("\t".join(row) + "\n")


def _write_texts(path: str, identifier: str, part: str) -> None:
    """Ids and texts, and whatever else is text or a number."""
    ours, theirs = IDS[part]
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for item in _items(identifier, part):
            record = {ours: str(getattr(item, theirs)), "text": str(item.default_text())}
            record |= {
                field: value
                for field, value in zip(item._fields, item, strict=True)
                if field != theirs and isinstance(value, (str, int, float))
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
