"""Rows from what comes as query, document and number, one after the other."""

from __future__ import annotations

from idealist import kernels
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBER = {"run": "score", "judgments": "grade"}


def rows_of_triples(
    triples: Iterable[tuple[int, str, str, float]],
    kind: str,
    *,
    source: str | None,
    threads: int,
    by_line: bool = True,
) -> kernels.Rows:
    """Each has in front the number of its line, or of its row."""
    finite = kind == "judgments"
    queries: dict[str, dict[str, float]] = {}
    for at, query, document, number in triples:
        documents = queries.setdefault(query, {})
        if document in documents:
            message = f"document {document!r} is there twice for query {query!r}"
            raise wrong(message, at, source, by_line=by_line, hint="keep one of the two")
        if number != number:
            raise wrong(f"the {NUMBER[kind]} is not a number: nan", at, source, by_line=by_line)
        if finite and number in (float("inf"), float("-inf")):
            raise wrong("the grade is infinite", at, source, by_line=by_line)
        documents[document] = number
    require_some(len(queries), kind, source)
    rows = kernels.rows_from_dict(queries, finite, threads)
    assert rows is not None, "text and floats are plain"
    return rows


def rows_with_duplicates(
    triples: Iterable[tuple[int, str, str, float]],
    kind: str,
    *,
    source: str | None,
    threads: int,
    by_line: bool = True,
) -> kernels.Rows:
    """The same, where documents may be there twice."""
    import json

    # The native core keeps what is there twice in what it reads as text.
    feed = kernels.Feed(kernels.json_lines("q", "d", "n", False, kind == "judgments"))
    for at, query, document, number in triples:
        if number != number:
            raise wrong(f"the {NUMBER[kind]} is not a number: nan", at, source, by_line=by_line)
        feed.add(f"{json.dumps({'q': query, 'd': document, 'n': number})}\n".encode())
    return feed.finish(threads)


def require_some(rows: int, kind: str, source: str | None) -> None:
    if rows == 0:
        what = "a run" if kind == "run" else kind
        raise InputError(f"there are no rows of {what} in it", source=source, hint="is it the right one?")


def wrong(message: str, at: int, source: str | None, *, by_line: bool = True, hint: str = "") -> InputError:
    if by_line:
        return InputError(message, source=source, line=at, hint=hint)
    return InputError(f"row {at}: {message}", source=source, hint=hint)


def as_float(text: bytes | str, what: str, at: int, source: str | None, *, by_line: bool = True) -> float:
    """A number that is written out; underscores between digits, which Python takes, are no part of one."""
    try:
        if (b"_" if isinstance(text, bytes) else "_") in text:  # type: ignore[operator]
            raise ValueError
        return float(text)
    except ValueError:
        shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        raise wrong(f"the {what} is not a number: {shown[:80]!r}", at, source, by_line=by_line) from None
