"""Repaired copies of TREC files: a copy without duplicates, with ranks as the scores have them, grouped by query."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.system import read_at
from idealist.base.values import as_choice
from idealist.base.wording import count_of
from idealist.checks.findings import Location
from idealist.checks.text_lines import HEAD, LineTest, kind_of, line_blocks, text_of
from idealist.data import Run
from idealist.data.formats.format import BYTE_ORDER_MARK
from idealist.data.formats.trec import COLUMNS, plain_text
from idealist.data.id_spelling import SPELLINGS, Spelled
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.checks.text_lines import TrecText
    from idealist.data import Judgments

KEEP = ("highest", "lowest", "first", "last")
SHOWN = 3
RANK, SCORE = COLUMNS["run"].index("rank"), COLUMNS["run"].index("score")
GRADE = COLUMNS["judgments"].index("grade")
QUERY, DOCUMENT = 0, 2  # in both


class Repaired(Frozen):
    """The text of the copy, and each repair with its count; none, if the file was in order already."""

    source: str
    kind: str
    content: bytes
    done: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        steps = [f"{count:,} × {step}" for step, count in self.done]
        return "; ".join(steps) or "nothing to repair: a copy as it was"


def repair(
    source: str | os.PathLike[str] | Run,
    *,
    kind: str | None = None,
    keep: str | None = None,
    drop_bad_lines: bool = False,
    join_ids: Sequence[str] = (),
    judgments: Judgments | None = None,
    threads: int | None = None,
) -> Repaired:
    """A TREC file in good order. Scores, grades and ids stay as they are written, but for `join_ids`.

    Of a run, the highest score of a document is kept (the first of equal ones), rows stand in the order of scores and
    ranks say so. Of judgments, a grade that appears twice is kept once; two different grades for one document are an
    error, unless `keep` is highest, lowest, first or last. Lines that cannot be read are an error, unless
    `drop_bad_lines`. Ids of a run that differ from those of `judgments` only in what `join_ids` names, such as "decimal"
    (7.0 and 7), are written as in the judgments; so they are of a run that was read from any format.
    """
    path = source.name if isinstance(source, Run) else os.fspath(source)
    names = tuple(as_choice(name, "join_ids", (*SPELLINGS, "all")) for name in join_ids)
    if names and judgments is None:
        raise InputError(
            "ids are joined with those of judgments, and there are none",
            source=path,
            hint="give judgments, too",
        )
    joined = None if judgments is None or not names else JudgedIds(judgments, names)
    if keep is not None:
        as_choice(keep, "keep", KEEP)
    count = kernels.thread_count(threads)
    if isinstance(source, Run):
        return _Repair(path, "run", keep, drop_bad_lines, joined, count).of_run(source)

    def use(descriptor: int, size: int) -> Repaired:
        text_kind = kind or kind_of(read_at(descriptor, HEAD, 0))
        if text_kind is None:
            raise InputError(
                "this is not TREC text, the only format that can be repaired",
                source=path,
                hint="`idealist convert` makes TREC text of other formats",
            )
        joined_ids = joined if text_kind == "run" else None
        return _Repair(path, text_kind, keep, drop_bad_lines, joined_ids, count).repaired(descriptor, size)

    return plain_text(path, use)


class JudgedIds:
    """The ids of judgments, to be found by ids of a run that are written in another way."""

    def __init__(self, judgments: Judgments, names: tuple[str, ...]) -> None:
        self._names = tuple(name for name in SPELLINGS if name in names or "all" in names)
        self._judgments = judgments
        self._queries = Spelled(judgments, self._names)
        self._documents: dict[str, Spelled] = {}

    def query(self, query: str) -> str | None:
        return self._queries.find(query)

    def document(self, query: str, document: str) -> str | None:
        """The id of the document among those judged for a query, itself a judged one."""
        if query not in self._documents:
            self._documents[query] = Spelled(self._judgments[query], self._names)
        return self._documents[query].find(document)


class _Repair:
    """The repair of one file, query by query."""

    def __init__(
        self,
        source: str,
        kind: str,
        keep: str | None,
        drop_bad_lines: bool,
        joined_ids: JudgedIds | None,
        threads: int,
    ) -> None:
        self.source, self.kind, self.threads = source, kind, threads
        self.joined_ids = joined_ids
        self._query_of: dict[str, str] = {}  # judged queries by which run's query was written as them
        self.keep, self.drop_bad_lines = keep, drop_bad_lines
        self.done: dict[str, int] = {}
        self.by_group = False

    def repaired(self, descriptor: int, size: int) -> Repaired:
        content = _without_carriage_returns(descriptor)
        if content is not None:
            from tempfile import TemporaryFile

            self.note("line end made \\n", content.count(b"\n"))
            with TemporaryFile() as file:
                file.write(content)
                file.flush()
                return self.repaired(file.fileno(), len(content))
        text = text_of(descriptor, size, self.kind, self.threads)
        self._look_at(text)
        repaired_query = self._run_group if self.kind == "run" else self._judged_group
        copy = b"".join(repaired_query(lines) for lines in self._queries(descriptor, text))
        return Repaired(self.source, self.kind, copy, tuple(self.done.items()))

    def of_run(self, run: Run) -> Repaired:
        """A run that was read, as TREC text."""
        tag = b"_".join(run.name.encode("utf-8", "surrogateescape").split()) or b"run"
        parts = []
        for query, documents in run.items():
            ranked = sorted(documents.items(), key=lambda entry: entry[1], reverse=True)
            rows = [
                [_as_bytes(query), b"Q0", _as_bytes(document), b"%d" % rank, repr(score).encode(), tag]
                for rank, (document, score) in enumerate(ranked, 1)
            ]
            parts.append(self._arranged(rows))
            for row in rows:
                for field in (row[QUERY], row[DOCUMENT]):
                    if field.split() != [field]:
                        text = field.decode("utf-8", "surrogateescape")
                        raise InputError(
                            f"not repaired, TREC text cannot carry the id {text!r}",
                            source=self.source,
                            hint="ids of TREC text have a character or more, and no white space",
                        )
        return Repaired(self.source, self.kind, b"".join(parts), tuple(self.done.items()))

    def note(self, step: str, count: int = 1) -> None:
        if count:
            self.done[step] = self.done.get(step, 0) + count

    def _look_at(self, text: TrecText) -> None:
        """Notes repairs of the file as a whole; an error for what cannot be repaired."""
        if text.bad and not self.drop_bad_lines:
            raise self._refused(
                f"{count_of(text.bad, 'line')} cannot be read",
                [Location(line=line, text=wrong) for line, wrong in text.bad_lines],
                text.bad,
                "--drop-bad-lines leaves them out",
            )
        if len(text.rows) == 0:
            raise InputError("no row is left to keep", source=self.source, hint="every line is bad or blank")
        self.by_group = text.subtopics
        if self.kind == "judgments" and text.rows.duplicate is not None and not self.by_group:
            self._settle_contradictions(text)
        self.note("byte order mark left out", int(text.marked))
        self.note("line end made \\n", text.returns_newlines)
        self.note("newline added to the last line", int(not text.ended))
        self.note("blank line left out", text.blank)
        self.note("bad line dropped", text.bad)

    def _settle_contradictions(self, text: TrecText) -> None:
        grades, rows = memoryview(kernels.row_numbers(text.rows)), text.rows
        begins = [0]
        for count in kernels.row_counts(rows):
            begins.append(begins[-1] + int(count))
        _, pairs = kernels.duplicate_rows(rows, len(rows), self.threads)
        contradictions = [
            pair for pair in pairs if grades[begins[pair[0]] + pair[1]] != grades[begins[pair[0]] + pair[3]]
        ]
        if contradictions and self.keep is None:
            locations = [
                Location(
                    kernels.row_line(rows, query, row),
                    rows.queries()[query],
                    kernels.row_document(rows, query, row),
                    f"grade {grades[begins[query] + row]:g}, and {grades[begins[query] + first]:g} "
                    f"on line {kernels.row_line(rows, query, first)}",
                )
                for query, row, _, first in contradictions[:SHOWN]
            ]
            hint = f"--keep {', '.join(KEEP[:-1])} or {KEEP[-1]} says which grade is right"
            raise self._refused(
                f"{count_of(len(contradictions), 'document')} with two grades",
                locations,
                len(contradictions),
                hint,
            )
        self.note(f"of two grades the {self.keep} kept", len(contradictions))

    def _refused(self, problem: str, locations: list[Location], count: int, hint: str) -> InputError:
        examples = "; ".join(map(str, locations[:SHOWN])) + (" …" if count > SHOWN else "")
        return InputError(f"not repaired, {problem}: {examples}", source=self.source, hint=hint)

    def _queries(self, descriptor: int, text: TrecText) -> Iterator[list[bytes]]:
        """The lines of each query, in the order in which queries first appear."""
        names = text.rows.queries()
        scattered = {_as_bytes(names[query]) for query in kernels.scattered_queries(text.rows)}
        if not scattered:
            yield from (lines for _, lines in _stretches(descriptor, text))
            return
        gathered: dict[bytes, list[bytes]] = {}
        for query, lines in _stretches(descriptor, text):
            if query in scattered:
                self.note("rows brought together with others of their query", int(query in gathered))
                gathered.setdefault(query, []).extend(lines)
        for query, lines in _stretches(descriptor, text):
            if query not in scattered:
                yield lines
            elif query in gathered:
                yield gathered.pop(query)

    def _rows(self, lines: list[bytes]) -> list[list[bytes]]:
        rows = [line.split() for line in lines]
        respaced = sum(
            b" ".join(row) != line.removesuffix(b"\r") for row, line in zip(rows, lines, strict=True)
        )
        self.note("line with other white space between columns", respaced)
        return rows

    def _join(self, rows: list[list[bytes]]) -> None:
        """Writes the ids of a query's rows as the judgments have them."""
        assert self.joined_ids is not None
        query = rows[0][QUERY].decode("utf-8", "surrogateescape")
        judged = self.joined_ids.query(query)
        if judged is None:
            return
        if self._query_of.setdefault(judged, query) != query:
            raise InputError(
                f"not repaired, queries {self._query_of[judged]!r} and {query!r} would both be {judged!r}",
                source=self.source,
                hint="name fewer spellings in --join-ids",
            )
        self.note("query written as in the judgments", int(judged != query))
        written = _as_bytes(judged)
        for row in rows:
            row[QUERY] = written
            document = row[DOCUMENT].decode("utf-8", "surrogateescape")
            found = self.joined_ids.document(judged, document)
            if found is not None and found != document:
                row[DOCUMENT] = _as_bytes(found)
                self.note("document written as in the judgments")

    def _run_group(self, lines: list[bytes]) -> bytes:
        return self._arranged(self._rows(lines))

    def _arranged(self, rows: list[list[bytes]]) -> bytes:
        if self.joined_ids is not None:
            self._join(rows)
        first = 0 if any(row[RANK] == b"0" for row in rows) else 1
        if len({row[DOCUMENT] for row in rows}) < len(rows):
            rows = self._chosen(rows, SCORE, "highest")
        scores = [float(row[SCORE]) for row in rows]
        order = sorted(range(len(rows)), key=scores.__getitem__, reverse=True)
        moved = written = 0
        for position, index in enumerate(order):
            rank = b"%d" % (position + first)
            moved += position != index
            if rows[index][RANK] != rank:
                rows[index][RANK] = rank
                written += 1
        self.note("row moved to where its score puts it", moved)
        self.note("rank recomputed", written)
        return b"".join(b" ".join(rows[index]) + b"\n" for index in order)

    def _judged_group(self, lines: list[bytes]) -> bytes:
        rows = self._rows(lines)
        if not self.by_group and len({row[DOCUMENT] for row in rows}) < len(rows):
            rows = self._chosen(rows, GRADE, self.keep or "first")
        return b"".join(b" ".join(row) + b"\n" for row in rows)

    def _chosen(self, rows: list[list[bytes]], number: int, keep: str) -> list[list[bytes]]:
        """One row of each document, at the position of its first; of equal ones the first."""
        row_of: dict[bytes, list[bytes]] = {}
        for row in rows:
            earlier = row_of.setdefault(row[DOCUMENT], row)
            if earlier is row:
                continue
            self.note("duplicate dropped")
            old, new = float(earlier[number]), float(row[number])
            if (
                (keep == "last" and old != new)
                or (keep == "highest" and new > old)
                or (keep == "lowest" and new < old)
            ):
                row_of[row[DOCUMENT]] = row
        return list(row_of.values())


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _without_carriage_returns(descriptor: int) -> bytes | None:
    """The text with newlines, where all lines end with carriage returns; None for any other."""
    head = read_at(descriptor, HEAD, 0)
    if b"\n" in head.rstrip() or b"\r" not in head.strip():
        return None
    parts, at = [], 0
    while part := read_at(descriptor, 1 << 24, at):
        parts.append(part)
        at += len(part)
    content = b"".join(parts)
    if b"\n" in content.rstrip():
        return None
    return content.replace(b"\r\n", b"\r").replace(b"\r", b"\n")


def _stretches(descriptor: int, text: TrecText) -> Iterator[tuple[bytes, list[bytes]]]:
    """Neighbouring good lines of one query."""
    test = LineTest(text.kind) if text.bad else None
    current = b""
    lines: list[bytes] = []
    begun = False
    for block in line_blocks(descriptor):
        if not begun:
            block, begun = block.removeprefix(BYTE_ORDER_MARK), True
        for line in block.split(b"\n"):
            start = line.split(None, 1)
            if not start or (test is not None and test(line) is not None):
                continue
            if start[0] != current and lines:
                yield current, lines
                lines = []
            current = start[0]
            lines.append(line)
    if lines:
        yield current, lines
