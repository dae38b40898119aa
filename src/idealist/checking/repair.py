"""TREC files put right: a copy without duplicates, with ranks as the scores have them, grouped by query."""

from __future__ import annotations

import os

from idealist.checking.result import Place, count_of
from idealist.checking.text import MARK, LineTest, kind_of
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.trec import COLUMNS, plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

KEEP = ("highest", "lowest", "first", "last")
SHOWN = 3


class Repaired(Frozen):
    """The text of the copy, and what was done how often; nothing, if the file was in order already."""

    source: str
    kind: str
    content: bytes
    done: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        shown = [f"{count:,} × {what}" for what, count in self.done]
        return "; ".join(shown) or "nothing to repair: a copy as it was"


class _Row:
    """A line in its columns."""

    __slots__ = ("fields", "line", "number")

    def __init__(self, line: int, fields: list[bytes], number: float) -> None:
        self.line, self.fields, self.number = line, fields, number


def repair(
    source: str | os.PathLike[str],
    *,
    kind: str | None = None,
    keep: str | None = None,
    drop_bad_lines: bool = False,
) -> Repaired:
    """A TREC file in good order. Scores, grades and ids stay as they are written.

    Of a run, the highest score of a document is kept (the first of equal ones), rows stand in the order of scores and
    ranks say so. Of judgments, a grade that is there twice is kept once; two different grades for one document are an
    error, unless `keep` is highest, lowest, first or last. Lines that cannot be read are an error, unless
    `drop_bad_lines`.
    """
    path = os.fspath(source)
    if keep is not None and keep not in KEEP:
        raise InputError(f"keep={keep!r} is no choice", hint=f"one of {', '.join(KEEP)}")

    content = plain_text(path, _content)
    found = kind or kind_of(content[: 1 << 16])
    if found is None:
        raise InputError(
            "this is not TREC text, which is all that can be repaired",
            source=path,
            hint="`idealist convert` makes TREC text of other formats",
        )
    return _Repair(path, found, keep, drop_bad_lines).repaired(content)


def _content(descriptor: int, size: int) -> bytes:
    parts, at = [], 0
    while at < size and (part := os.pread(descriptor, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


class _Repair:
    def __init__(self, source: str, kind: str, keep: str | None, drop_bad_lines: bool) -> None:
        self.source, self.kind = source, kind
        self.keep, self.drop_bad_lines = keep, drop_bad_lines
        self.done: dict[str, int] = {}

    def note(self, what: str, count: int = 1) -> None:
        if count:
            self.done[what] = self.done.get(what, 0) + count

    def repaired(self, content: bytes) -> Repaired:
        queries = self._grouped(self._rows(self._lines(content)))
        ordered = self._run(queries) if self.kind == "run" else self._judgments(queries)
        text = b"".join(b" ".join(row.fields) + b"\n" for row in ordered)
        if not text:
            raise InputError("there is not one row to keep", source=self.source)
        return Repaired(self.source, self.kind, text, tuple(self.done.items()))

    def _lines(self, content: bytes) -> list[bytes]:
        if content.startswith(MARK):
            self.note("byte order mark left out")
            content = content[len(MARK) :]
        if b"\n" not in content.rstrip() and b"\r" in content.strip():
            self.note("line end made \\n", content.count(b"\r"))
            return content.replace(b"\r\n", b"\r").split(b"\r")
        self.note("line end made \\n", content.count(b"\r\n"))
        if content and not content.endswith(b"\n"):
            self.note("newline added to the last line")
        return content.removesuffix(b"\n").split(b"\n")

    def _rows(self, lines: list[bytes]) -> Iterator[_Row]:
        test = LineTest(self.kind)
        bad: list[Place] = []
        number = COLUMNS[self.kind].index("score" if self.kind == "run" else "grade")
        for at, line in enumerate(lines, 1):
            wrong = test(line)
            if wrong is not None:
                self.note("bad line dropped")
                bad.append(Place(line=at, text=wrong))
                continue
            fields = line.split()
            if not fields:
                self.note("blank line left out")
                continue
            if b" ".join(fields) != line.removesuffix(b"\r"):
                self.note("line with other blanks between columns")
            yield _Row(at, fields, float(fields[number]))
        if bad and not self.drop_bad_lines:
            raise self._refused(
                f"{count_of(len(bad), 'line')} cannot be read", bad, "--drop-bad-lines leaves them out"
            )

    def _refused(self, what: str, places: list[Place], hint: str) -> InputError:
        shown = "; ".join(map(str, places[:SHOWN])) + (" …" if len(places) > SHOWN else "")
        return InputError(f"not repaired, {what}: {shown}", source=self.source, hint=hint)

    def _grouped(self, rows: Iterable[_Row]) -> dict[bytes, list[_Row]]:
        queries: dict[bytes, list[_Row]] = {}
        last, moved = b"", 0
        for row in rows:
            query = row.fields[0]
            its_rows = queries.setdefault(query, [])
            moved += query != last and bool(its_rows)
            its_rows.append(row)
            last = query
        self.note("rows brought together with others of their query", moved)
        return queries

    def _run(self, queries: dict[bytes, list[_Row]]) -> Iterator[_Row]:
        first = _first_rank(queries)
        rank = COLUMNS["run"].index("rank")
        for rows in queries.values():
            kept = self._without_duplicates(rows, lambda old, new: new if new.number > old.number else old)
            ordered = sorted(kept, key=lambda row: -row.number)
            self.note(
                "row moved to where its score puts it",
                sum(a is not b for a, b in zip(kept, ordered, strict=True)),
            )
            for place, row in enumerate(ordered, first):
                text = b"%d" % place
                if row.fields[rank] != text:
                    self.note("rank written anew")
                    row.fields[rank] = text
                yield row

    def _without_duplicates(
        self, rows: list[_Row], chosen: Callable[[_Row, _Row], _Row], by_group: bool = False
    ) -> list[_Row]:
        kept: dict[tuple[bytes, ...], _Row] = {}
        for row in rows:
            key = (row.fields[1], row.fields[2]) if by_group else (row.fields[2],)
            held = kept.get(key)
            if held is not None:
                self.note("duplicate dropped")
            kept[key] = row if held is None else chosen(held, row)
        return list(kept.values())

    def _judgments(self, queries: dict[bytes, list[_Row]]) -> Iterator[_Row]:
        by_group = _has_subtopics(queries)
        contradictions: list[Place] = []

        def chosen(old: _Row, new: _Row) -> _Row:
            if old.number == new.number:
                return old
            contradictions.append(_contradiction(old, new))
            if self.keep in ("highest", "lowest"):
                return max(old, new, key=lambda row: row.number if self.keep == "highest" else -row.number)
            return new if self.keep == "last" else old

        kept = [row for rows in queries.values() for row in self._without_duplicates(rows, chosen, by_group)]
        if contradictions and self.keep is None:
            raise self._refused(
                f"{count_of(len(contradictions), 'document')} with two grades",
                contradictions,
                f"--keep {', '.join(KEEP[:-1])} or {KEEP[-1]} says which grade is right",
            )
        self.note(f"of two grades the {self.keep} kept", len(contradictions))
        return iter(kept)


def _first_rank(queries: dict[bytes, list[_Row]]) -> int:
    """0 where the ranks of every query begin there, else 1."""
    rank = COLUMNS["run"].index("rank")
    return 0 if all(any(row.fields[rank] == b"0" for row in rows) for rows in queries.values()) else 1


def _has_subtopics(queries: dict[bytes, list[_Row]]) -> bool:
    """Whether documents are there twice, but never twice for what the second column names."""
    keys = [(query, row.fields[1], row.fields[2]) for query, rows in queries.items() for row in rows]
    return len(set(keys)) == len(keys) > len({(query, document) for query, _, document in keys})


def _contradiction(old: _Row, new: _Row) -> Place:
    query, document = (new.fields[at].decode("utf-8", "replace") for at in (0, 2))
    return Place(new.line, query, document, f"grade {new.number:g}, and {old.number:g} on line {old.line}")
