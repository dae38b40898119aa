"""Judgments with more than a grade, read from TREC text with further columns or a table with columns of the same names: by group, preferences, samples."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist import kernels
from idealist.data.column_names import DOCUMENT, GRADE, QUERY, columns_of, plain_name
from idealist.data.detection import names_of_source, open_request
from idealist.data.formats import trec
from idealist.data.grouped import GroupedJudgments
from idealist.data.preferences import Preferences
from idealist.data.reading import ReadRequest
from idealist.data.sampled import DrawnJudgments, SampledJudgments
from idealist.data.source_names import origin_of
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from idealist.data.columns import Columns
    from idealist.data.opening import Opened
    from idealist.types import GivenTable

    # By query: what the columns between query and number say, and the number.
    Keyed = dict[str, dict[tuple[str, ...], float]]


# What the columns of a table may be called, by what TREC text has in their place.
NAMES = {
    "query": QUERY,
    "document": DOCUMENT,
    "grade": GRADE,
    "group": ("group", "subtopic", "intent", "nugget"),
    "subgroup": ("subgroup",),
    "level": ("level",),
    "stratum": ("stratum",),
}
# What makes a row: the ids behind the query, in the order the native core has them, and the number.
KEYS = {
    "groups": (("group", "document"), "grade"),
    "preferences": (("group", "subgroup", "document"), "level"),
    "strata": (("document", "stratum"), "grade"),
}


def read_keyed(
    source: Any,
    layouts: tuple[str, ...],
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
    also: Callable[[Columns], object] | None = None,
) -> tuple[str, Keyed]:
    """The rows of a file, frame or table in one of several layouts, and which it is. `also` gets the table, if it is
    one, for what its other columns say."""
    if isinstance(source, (str, os.PathLike)):
        request = ReadRequest(source, "judgments", columns=columns, format=format, encoding=encoding)
        with open_request(request) as opened:
            if not _is_table(opened, request, layouts):
                layout = trec.layout_of(opened, layouts) or layouts[0]
                rows = trec.opened_rows(opened, layout, kernels.thread_count(threads))
                return layout, {query: _by_fields(rows, query) for query in rows.queries()}
        from idealist.data.ir_datasets import with_part

        source = with_part(source, "judgments")
    table = read_table(
        source, columns=columns_of(columns, "judgments"), format=format, encoding=encoding, decimal=decimal
    ).of("judgments")
    layout = next((layout for layout in layouts if _has(table, layout)), layouts[0])
    if also is not None:
        also(table)
    return layout, _by_key(table, layout)


def _is_table(opened: Opened, request: ReadRequest, layouts: tuple[str, ...]) -> bool:
    """Whether the columns have names, and so are not those of TREC text."""
    if request.format is not None or request.part is not None:
        return request.format != "trec"
    if any(trec.is_layout(opened.head, layout) for layout in layouts):
        return False
    from idealist.data.format_list import detect
    from idealist.data.formats.format import Head

    head = Head(opened.head, request.columns)
    format = detect(head, request.path, opened.source)
    return format is not None and "table" in format.carries and bool(head.lines)


def _by_fields(rows: kernels.Rows, query: str) -> dict[tuple[str, ...], float]:
    return {tuple(trec.fields(key)): number for key, number in (rows.documents(query) or {}).items()}


def _has(table: Columns, layout: str) -> bool:
    keys, number = KEYS[layout]
    return all(table.find(*NAMES[name]) for name in (*keys, number))


def _by_key(table: Columns, layout: str) -> Keyed:
    keys, number = KEYS[layout]
    query, *between = (table.named(*NAMES[name]) for name in ("query", *keys))
    value = table.named(*NAMES[number])
    by_query: Keyed = {}
    for row in range(len(table)):
        key = tuple(table.id(name, row) for name in between)
        name = table.id(query, row)
        rows = by_query.setdefault(name, {})
        if key in rows:
            key_text = ", ".join(f"{column} {text!r}" for column, text in zip(keys, key, strict=True))
            raise table.wrong(
                f"{key_text} appears twice for query {name!r}", row, hint="keep one of the two rows"
            )
        rows[key] = table.number(value, row, exact=True)
    if not by_query:
        raise table.wrong("the table has no rows")
    return by_query


# How much a nugget counts that is written as a word.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}


def read_groups(
    source: GivenTable,
    *,
    weights: Mapping[Any, Mapping[Any, Any]] | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> GroupedJudgments:
    """Judgments by subtopic, or by judgment group: TREC text whose second column names the group, or a table (any that
    read_table reads) with the columns query, group (or nugget), document and grade. `weights` are those of
    GroupedJudgments; a table may have them in a column weight, or importance, where vital is 1 and okay 0.5. The other
    arguments are those of read_judgments.

    >>> read_groups({"query": ["q", "q"], "group": ["1", "2"], "document": ["a", "a"], "grade": [1, 0]})
    <GroupedJudgments 'judgments': 1 query, 2 groups>
    """
    if isinstance(source, GroupedJudgments):
        return source
    tables: list[Columns] = []
    _, keyed = read_keyed(
        source,
        ("groups",),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
        also=tables.append,
    )
    queries = {query: _by_group(rows) for query, rows in keyed.items()}
    if weights is None and tables:
        weights = _weights(tables[0])
    return GroupedJudgments(queries, weights=weights, **origin_of(source))


def _by_group(rows: Mapping[tuple[str, ...], float]) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for (group, document), grade in rows.items():
        groups.setdefault(group, {})[document] = grade
    return groups


def _weights(table: Columns) -> dict[str, dict[str, float]] | None:
    """The weights of the groups of each query, if the table has a column for that; the rows of a group say the same."""
    column = table.find("weight", "importance")
    if column is None:
        return None
    query_column, group_column = (table.named(*NAMES[name]) for name in ("query", "group"))
    weights: dict[str, dict[str, float]] = {}
    for row, cell in enumerate(table.columns[column]):
        query, group = table.id(query_column, row), table.id(group_column, row)
        weight = IMPORTANCE.get(str(cell).strip().lower())
        weight = table.number(column, row) if weight is None else weight
        if weights.setdefault(query, {}).setdefault(group, weight) != weight:
            raise table.wrong(
                f"{group_column} {group!r} of query {query!r} has the {column} {cell}, and another one above",
                row,
                hint="every row of a group has the same",
            )
    return weights


ONLY_SUBGROUP = "0"


def read_preferences(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> Preferences:
    """Preferences from TREC text with five columns or with four, which are trec_eval's prefs and qrels_prefs, or from a
    table (any that read_table reads) with columns of these names. The other arguments are those of read_judgments."""
    if isinstance(source, Preferences):
        return source
    layout, keyed = read_keyed(
        source,
        ("preferences", "groups"),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
    )
    queries = {query: _by_subgroup(rows, layout) for query, rows in keyed.items()}
    return Preferences(queries, **origin_of(source))


def _by_subgroup(
    rows: Mapping[tuple[str, ...], float], layout: str
) -> dict[str, dict[str, dict[str, float]]]:
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for (group, *between, document), level in rows.items():
        subgroup = between[0] if layout == "preferences" else ONLY_SUBGROUP
        groups.setdefault(group, {}).setdefault(subgroup, {})[document] = level
    return groups


def read_strata(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> SampledJudgments:
    """Judgments of a stratified sample: TREC text, or a table (any that read_table reads) with the columns query,
    document, stratum and grade. The other arguments are those of read_judgments."""
    if isinstance(source, SampledJudgments):
        return source
    _, keyed = read_keyed(
        source,
        ("strata",),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
    )
    origin = origin_of(source)
    queries = {query: _documents(rows, query, origin.get("source")) for query, rows in keyed.items()}
    return SampledJudgments(queries, **origin)


def _documents(
    rows: Mapping[tuple[str, ...], float], query: str, source: str | None
) -> dict[str, tuple[str, float | None]]:
    documents: dict[str, tuple[str, float | None]] = {}
    for (document, stratum), grade in rows.items():
        if document in documents:
            raise InputError(
                f"document {document!r} appears twice for query {query!r}, "
                f"in the strata {documents[document][0]!r} and {stratum!r}",
                source=source,
                hint="keep one of the two lines",
            )
        documents[document] = stratum, None if grade < 0 else grade
    return documents


def strata_text(judgments: SampledJudgments) -> str:
    """The TREC text that such judgments are read from: -1 where a document was not sampled."""
    lines = []
    for query, documents in judgments.items():
        for document, (stratum, grade) in documents.items():
            for text in (query, document, stratum):
                if text.split() != [text]:
                    raise InputError(
                        f"query {query!r}, document {document!r}: TREC text cannot carry ids that are empty or "
                        "have white space in them",
                        hint="rename it in the runs",
                    )
            lines.append(f"{query} 0 {document} {stratum} {-1 if grade is None else _grade_text(grade)}\n")
    return "".join(lines)


def _grade_text(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(grade)


PROBABILITY = ("inclusion_probability", "probability")


def names_probabilities(names: Iterable[str]) -> bool:
    """Whether columns of these names hold drawn judgments: a grade, and a probability beside it."""
    plain = {plain_name(name) for name in names}
    return bool(plain & set(map(plain_name, GRADE))) and bool(plain & set(map(plain_name, PROBABILITY)))


def has_probabilities(source: Any) -> bool:
    """Whether a file is a table of drawn judgments."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    names = names_of_source(os.fspath(source))
    return names is not None and names_probabilities(names)


def read_drawn(source: GivenTable) -> DrawnJudgments:
    """Judgments of drawn documents, from a file, a frame or a table that read_table reads."""
    if isinstance(source, DrawnJudgments):
        return source
    table = read_table(source)
    query, document, grade, probability = (
        table.named(*names) for names in (QUERY, DOCUMENT, GRADE, PROBABILITY)
    )
    queries: dict[str, dict[str, tuple[float, float]]] = {}
    for row in range(len(table)):
        documents = queries.setdefault(table.id(query, row), {})
        name = table.id(document, row)
        if name in documents:
            raise table.wrong(
                f"document {name!r} appears twice for its query", row, hint="keep one row of it"
            )
        if table.columns[grade][row] in (None, ""):
            raise table.wrong(
                f"document {name!r} was drawn and has no grade",
                row,
                hint="judge it: leaving out what was drawn makes the estimate wrong",
            )
        drawn = table.number(probability, row)
        if not 0 < drawn <= 1:
            raise table.wrong(
                f"the inclusion probability of document {name!r} is {drawn:g}",
                row,
                hint="it must be above 0 and at most 1",
            )
        documents[name] = table.number(grade, row), drawn
    return DrawnJudgments(queries, **origin_of(source))
