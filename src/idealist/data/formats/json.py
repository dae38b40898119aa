"""JSON: one object a line, a list of records, or one object {query: {document: number}}."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import EXACT_HINT, INEXACT, as_id, as_number
from idealist.base.wording import reason_of
from idealist.data.column_names import NUMBER_NAMES, find_roles
from idealist.data.columns import Columns
from idealist.data.encoding import checked, decoded
from idealist.data.formats.format import ANYTHING, BYTE_ORDER_MARK, RANKED, Head
from idealist.data.line_text import LineFormat, LineText, first_lines, json_problem, shown_names
from idealist.data.opening import content_of
from idealist.data.triples import rows_of_triples
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.line_text import Problem, Source
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.triples import Triple
    from idealist.data.writing import Destination


SHAPES = {
    "run": '{query: {document: score}}, or an object a line: {"query": "q1", "document": "d1", "score": 2.5}',
    "judgments": '{query: {document: grade}}, or an object a line: {"query": "q1", "document": "d1", "grade": 1}',
}


def json_rows(
    opened: Source,
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    source: str,
    threads: int,
    duplicates: bool = False,
) -> kernels.Rows:
    """The rows of a run or of judgments in an open source of JSON of any of the shapes, told by content. With `duplicates`,
    documents may be there twice, but not in an object of objects."""
    if opened.head.removeprefix(BYTE_ORDER_MARK).lstrip()[:1] == b"[":
        return rows_of_triples(
            _listed_triples(opened, kind, columns, source),
            kind,
            source=source,
            threads=threads,
            by_line=False,
            duplicates=duplicates,
        )
    text = json_parser(opened.head, kind, columns=columns, source=source)
    if text is not None:
        return text.rows(opened, threads, duplicates=duplicates)
    return _nested_rows(opened, kind, source, threads)


def json_parser(
    head: bytes, kind: str, *, columns: Mapping[str, str] | None = None, source: str
) -> LineText | None:
    """How to read text that begins with `head`, if it is an object a line. The first object says what query,
    document and number are called, by the common names or by `columns`."""
    first = _first_record(head)
    if first is None:
        return None
    roles = find_roles(list(first), kind, columns, source=source)
    names = list(first)
    fields = [as_id(names[position], "a name") for position in roles.values()]
    rank = "rank" in roles
    parser = kernels.json_lines(fields[0], fields[1], fields[2], rank, rank or kind == "judgments")
    return LineText(
        parser,
        source=source,
        roles=list(roles),
        fields=fields,
        expected="a line is one JSON object with " + ", ".join(map(repr, fields)),
        ranked=fields[2] if rank else None,
        head=head,
    )


def _first_record(head: bytes) -> dict[str, Any] | None:
    """The first object, if there is one a line and not one of objects."""
    import json

    lines = first_lines(head, 2)
    try:
        first = json.loads(lines[0].decode("utf-8", "surrogateescape"))
    except (IndexError, ValueError, RecursionError):
        return None  # the beginning of an object of several lines, or nothing that JSON knows
    if not isinstance(first, dict):
        return None
    nested = all(isinstance(value, (dict, list)) for value in first.values())
    return first if len(lines) > 1 or not nested else None


def _nested_rows(opened: Source, kind: str, source: str, threads: int) -> kernels.Rows:
    dicts = kernels.JsonDicts(kind == "judgments")
    for block in checked(opened.blocks(), source):
        dicts.add(block)
    rows = dicts.finish(threads)
    if rows.problem is not None:
        message, hint = _nested_problem(rows.problem, kind, dicts.query)
        kind_of_problem, line, *_ = rows.problem
        raise InputError(message, source=source, line=line, hint=hint or SHAPES[kind], code=kind_of_problem)
    if rows.query_count() == 0:
        raise InputError("the file has no rows", source=source, hint=SHAPES[kind], code="no-rows")
    return rows


def _nested_problem(problem: Problem, kind: str, query: str) -> tuple[str, str]:
    problem_kind, _, column, text, _ = problem
    where = f"column {column}"
    if problem_kind == "repeated":
        return f"{where}: document {text!r} appears twice for query {query!r}", "keep one of the two"
    if problem_kind == "repeated-query":
        return f"{where}: query {text!r} appears twice", "put its documents into one object"
    if problem_kind == "not-a-number":
        return f"{where}: the {NUMBER_NAMES[kind]} is not a number: {text}", "give a number, or leave it out"
    if problem_kind == "not-finite":
        return f"{where}: the {NUMBER_NAMES[kind]} is infinite: {text}", "give a finite number"
    if problem_kind == "not-exact":
        return f"{where}: the {NUMBER_NAMES[kind]} is {text}, {INEXACT}", EXACT_HINT
    if problem_kind == "empty":
        return f"{where}: a {text}'s id is empty", "give it one, or leave it out"
    if problem_kind == "too-long":
        return f"{where}: an id is longer than a megabyte", ""
    if problem_kind == "cut-short":
        return f"{where}: the JSON ends too early: the file was cut short", "fetch or write the file again"
    if problem_kind == "binary":
        return f"{where}: this is binary data, not text", ""
    return json_problem(problem_kind, column, text)


def _listed_triples(
    opened: Source, kind: str, columns: Mapping[str, str] | None, source: str
) -> Iterator[Triple]:
    """A list of objects, as some write tables; all of it is held in memory."""
    records = _loaded(decoded(content_of(opened), source), source)
    if not records or not isinstance(records[0], dict):
        raise InputError("this is not a list of JSON objects", source=source, hint=SHAPES[kind])
    names = list(records[0])
    roles = {role: names[at] for role, at in find_roles(names, kind, columns, source=source).items()}
    for at, record in enumerate(records, 1):
        try:
            yield at, *_row(record, roles, kind)
        except InputError as error:
            raise InputError(
                f"object {at}: {error.message}", source=source, hint=error.hint, code=error.code
            ) from None


def _row(record: Any, roles: Mapping[str, str], kind: str) -> tuple[str, str, float]:
    if not isinstance(record, dict):
        raise InputError("this is not a JSON object", hint=SHAPES[kind])
    for role, name in roles.items():
        if name not in record:
            raise InputError(
                f"there is no {name!r}", hint=f"there are {shown_names(list(record)) or 'no names'}"
            )
        if record[name] in (None, ""):
            raise InputError(f"the {role} is empty", hint="fill it in, or leave the object out")
    query, document, cell = (record[name] for name in roles.values())
    role = list(roles)[2]
    rank = role == "rank"
    if isinstance(cell, bool):
        raise InputError(f"the {role} is {str(cell).lower()}, not a number", code="not-a-number")
    number = as_number(cell, f"the {role}", finite=rank or kind == "judgments")
    return as_id(query, "the query"), as_id(document, "the document"), 0.0 - number if rank else number


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a name appears twice in one object")
    return record


def _loaded(text: str, source: str) -> Any:
    import json

    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise InputError(
            f"column {error.colno}: this is not JSON: {error.msg}", source=source, line=error.lineno
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {reason_of(error)}", source=source) from None


def json_table(content: bytes, source: str) -> Columns:
    """All columns of a list of records, or of a record a line."""
    text = decoded(content, source)
    if text.lstrip()[:1] == "[":
        return records_table(_loaded(text, source), source)
    import json

    records, at = [], 0
    for at, line in enumerate(text.rstrip("\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_without_repeats)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this is not JSON: {reason_of(error)}", source=source, line=at) from None
        if not isinstance(record, dict):
            raise InputError(
                "every line is one JSON object", source=source, line=at, hint='{"query": "q1", …}'
            )
        records.append(record)
    return records_table(records, source, first_line=1 if len(records) == at else None)


def records_table(records: list[Any], source: str | None = None, first_line: int | None = None) -> Columns:
    """Columns from records; what a record does not have is None."""
    names: dict[str, None] = {}
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {row + 1} is not a mapping from column to value: {record!r}", source=source
            )
        names.update(dict.fromkeys(record))
    columns = {str(name): [record.get(name) for record in records] for name in names}
    return Columns(columns, source=source, first_line=first_line)


class Json(LineFormat):
    name = "json"
    label = "JSON"
    about = "`{query: {document: number}}`, as BEIR and ranx have it, or a list of records"
    carries = ANYTHING
    endings: tuple[str, ...] = (".json",)
    options = ("columns", "encoding")
    writes = RANKED
    written = "`{query: {document: number}}`"
    keeps_empty_queries = True
    first_line = "{"  # of what is written
    last_line = "\n}\n"

    def recognises(self, head: Head) -> bool:
        return head.text[:1] in (b"{", b"[") and b"\0" not in head.start

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        text = Head(opened.head).text
        if text[:1] != b"[":
            return None
        import json

        # The first record of a list that may end behind the head.
        return list(json.JSONDecoder().raw_decode(text[1:].decode("utf-8", "ignore").lstrip())[0])

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        return json_parser(opened.head, request.kind, columns=request.columns, source=opened.source)

    def whole_rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return json_rows(
            opened,
            request.kind,
            columns=request.columns,
            source=opened.source,
            threads=threads,
            duplicates=request.allow_duplicates,
        )

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        return json_table(opened.content(), opened.source)

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.data.targets import write_text

        write_text(
            collection,
            destination,
            layout=self.name,
            first_line=self.first_line,
            last_line=self.last_line,
            misfit="JSON carries ids that are text, and this is empty or not UTF-8",
            hint="",
            force=force,
            progress=progress,
        )


FORMAT = Json()
