"""Rows from what comes as query, document and number, one after the other."""

from __future__ import annotations

from itertools import islice

from idealist import kernels
from idealist.base.values import EXACT, EXACT_HINT, INEXACT, loses_digits
from idealist.data.column_names import NUMBER_NAMES, find_roles
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from idealist.data.columns import Columns

    Triple = tuple[int, str, str, float]  # behind the number of a line or row

INFINITE = float("inf")
WINDOW = 1 << 16  # rows


def rows_of_triples(
    triples: Iterable[Triple],
    kind: str,
    *,
    source: str | None,
    threads: int,
    by_line: bool = True,
    duplicates: bool = False,
) -> kernels.Rows:
    """Each has in front the number of its line, or of its row. They are not kept as Python's objects. With `duplicates`,
    documents may be there twice."""
    if duplicates:
        return _rows_with_duplicates(triples, kind, source=source, threads=threads, by_line=by_line)
    gathering = kernels.Gathering(threads)
    for window in windows_of(triples, kind, source=source, by_line=by_line):
        gathering.add(window)
    rows = gathering.rows(threads)
    refuse_twice(rows, source, by_line=by_line)
    require_some(len(rows), kind, source)
    return rows


def rows_of_table(
    table: Columns, kind: str, columns: Mapping[str, str] | None, threads: int, *, duplicates: bool = False
) -> kernels.Rows:
    """The rows of a run or of judgments in a table; `columns` are those of find_roles."""
    names = table.names
    roles = {role: names[at] for role, at in find_roles(names, kind, columns, source=table.source).items()}
    query, document, number = roles.values()
    sign = -1.0 if "rank" in roles else 1.0
    numbers = [sign * value for value in table.numbers(number)]
    lines = range(table.first_line or 1, len(table) + (table.first_line or 1))
    return rows_of_triples(
        zip(lines, table.ids(query), table.ids(document), numbers, strict=True),
        kind,
        source=table.source,
        threads=threads,
        by_line=table.first_line is not None,
        duplicates=duplicates,
    )


def windows_of(
    triples: Iterable[Triple], kind: str, *, source: str | None, by_line: bool = True
) -> Iterator[kernels.Window]:
    """Rows, some thousands at a time."""
    remaining = _with_numbers(triples, kind, source, by_line)
    before = 0
    while window_triples := list(islice(remaining, WINDOW)):
        yield kernels.list_window(window_triples, before)
        before = window_triples[-1][0]


def _with_numbers(
    triples: Iterable[Triple], kind: str, source: str | None, by_line: bool
) -> Iterator[Triple]:
    """Rows until one has no number."""
    for triple in triples:
        number = triple[3]
        if number != number:
            message = f"the {NUMBER_NAMES[kind]} is not a number: nan"
            raise wrong(message, triple[0], source, by_line=by_line, code="not-a-number")
        if kind == "judgments" and number in (INFINITE, -INFINITE):
            raise wrong("the grade is infinite", triple[0], source, by_line=by_line, code="not-finite")
        yield triple


def refuse_twice(
    rows: kernels.Rows | kernels.Partitions, source: str | None, *, by_line: bool = True
) -> None:
    if isinstance(rows, kernels.Rows) and rows.duplicate is not None:
        query, document, _, at, _ = rows.duplicate
        message = f"document {document!r} appears twice for query {query!r}"
        raise wrong(message, at, source, by_line=by_line, hint="keep one of the two", code="duplicate")


def _rows_with_duplicates(
    triples: Iterable[Triple], kind: str, *, source: str | None, threads: int, by_line: bool
) -> kernels.Rows:
    import json

    # The native core keeps what appears twice in what it reads as text.
    feed = kernels.Feed(kernels.json_lines("q", "d", "n", False, kind == "judgments"))
    for _, query, document, number in _with_numbers(triples, kind, source, by_line):
        feed.add(f"{json.dumps({'q': query, 'd': document, 'n': number})}\n".encode())
    return feed.finish(threads)


def require_some(rows: int, kind: str, source: str | None) -> None:
    if rows == 0:
        title = "a run" if kind == "run" else kind
        raise InputError(
            f"there are no rows of {title}", source=source, hint="is it the right one?", code="no-rows"
        )


def wrong(
    message: str, at: int, source: str | None, *, by_line: bool = True, hint: str = "", code: str = ""
) -> InputError:
    if by_line:
        return InputError(message, source=source, line=at, hint=hint, code=code)
    return InputError(f"row {at}: {message}", source=source, hint=hint, code=code)


def as_float(text: bytes | str, title: str, at: int, source: str | None, *, by_line: bool = True) -> float:
    """A number that is written out; underscores between digits, which Python takes, are no part of one."""
    try:
        if (b"_" if isinstance(text, bytes) else "_") in text:  # type: ignore[operator]
            raise ValueError
        number = float(text)
    except ValueError:
        written = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        raise wrong(
            f"the {title} is not a number: {written[:80]!r}", at, source, by_line=by_line, code="not-a-number"
        ) from None
    if abs(number) >= EXACT:
        written = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        if loses_digits(written, number):
            raise wrong(
                f"the {title} is {written[:80]}, {INEXACT}", at, source, by_line=by_line, hint=EXACT_HINT
            )
    return number
