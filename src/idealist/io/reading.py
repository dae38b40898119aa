"""Runs and judgments from any source, in any format: told by content, not by what a file is called."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist import kernels
from idealist.data import Judgments, Run, UnreadRun
from idealist.data.columns import is_frame
from idealist.data.numbers import known_decimal
from idealist.data.streaming import Matched
from idealist.errors import InputError
from idealist.io import trec
from idealist.io.opening import Opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.data.collection import Collection
    from idealist.io.line_text import LineText

    C = TypeVar("C", bound=Collection)
    Path = str | os.PathLike[str]

PART = "::"
DATABASES = ("sqlite", "duckdb")
FRAMES = ("parquet", "arrow")  # formats that are read batch by batch


class Wanted:
    """What is to be read, and from where: `path` and, behind ::, a `part` of what is there."""

    def __init__(
        self,
        source: Path,
        kind: str,
        *,
        columns: Mapping[str, str] | None = None,
        format: str | None = None,
        groups: Path | None = None,
        features: Path | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        system: str | None = None,
        strict: bool = True,
    ) -> None:
        self.source = os.fspath(source)
        self.strict = strict  # whether what changes nothing is an error
        self.duplicates = False  # whether documents may be there twice
        self.kind = kind
        self.path, self.part = split_part(self.source)
        self.columns = columns
        self.encoding = encoding
        self.decimal = known_decimal(decimal)
        self.system = system  # the one that is wanted of several
        self.format = format
        self.groups = None if groups is None else os.fspath(groups)
        self.features = None if features is None else os.fspath(features)
        if format not in (None, "trec"):
            from idealist.io.formats import known_format

            _require_kind(known_format(str(format)), kind, self.source)

    def refuse_system(self, source: str) -> None:
        """Raises if a system is wanted, of a source that names none."""
        if self.system is not None:
            raise InputError(
                f"no column names systems, and {self.system!r} is wanted",
                source=source,
                hint="leave it out, or name the column: --columns system=NAME, columns={'system': NAME} in Python",
            )


def read_run(
    source: Any,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    groups: Path | None = None,
    features: Path | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    system: str | None = None,
    threads: int | None = None,
) -> Run:
    """A run from a file, `-` (standard input), FILE::TABLE of a database, a frame or a dict.

    The format is told by the content, whatever compresses it, unless `format` names it. `columns` says what
    columns are called where they have other names than the common ones, as in `{"query": "uid"}`. A table with
    ranks but no scores is ranked by them: the score of a document is then minus its rank. `features` is the
    LETOR file whose rows a file of one score per line goes with, `groups` its file of group sizes. `encoding` is
    that of text that is not UTF-8, `decimal` the sign before fractions in CSV and TSV: a point, or ",". `system`
    is the one that is meant where a column names several; read_runs gives all of them.

    >>> read_run({"q": {"a": 2.0, "b": 1.0}}, name="mine")
    <Run 'mine': 1 query, 2 documents>
    """
    if not isinstance(source, (str, os.PathLike)):
        if system is not None:
            from idealist.io.systems import one_run, read_runs

            return one_run(read_runs(source, columns=columns), system, None)
        return _in_memory(Run, source, name, columns, threads)
    how: dict[str, Any] = {"format": format, "groups": groups, "features": features, "system": system}
    wanted = Wanted(source, "run", columns=columns, encoding=encoding, decimal=decimal, **how)
    rows = _read(wanted, kernels.thread_count(threads))
    return Run.from_rows(rows, name=name or system or trec.file_name(source), source=wanted.source)


def read_judgments(
    source: Any,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    groups: Path | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> Judgments:
    """Judgments from a file, `-` (standard input), FILE::TABLE of a database, a BEIR folder or FOLDER::SPLIT
    of one, a frame or a dict; the options are those of `read_run`.

    A BEIR folder without a split named gives the one there is, or `test`; the source of the judgments says
    which. Of a response of Elasticsearch's _rank_eval, only what was found is judged.

    >>> read_judgments({"q": {"a": 1}})
    <Judgments 'judgments': 1 query, 1 document>
    """
    if not isinstance(source, (str, os.PathLike)):
        return _in_memory(Judgments, source, name, columns, threads)
    how: dict[str, Any] = {"format": format, "groups": groups}
    wanted = Wanted(source, "judgments", columns=columns, encoding=encoding, decimal=decimal, **how)
    rows = _read(wanted, kernels.thread_count(threads))
    return Judgments.from_rows(rows, name=name or trec.file_name(source), source=wanted.source)


def read_with_duplicates(wanted: Wanted, threads: int) -> kernels.Rows:
    """The rows of a run or of judgments in which documents may be there twice, for whoever looks for that."""
    wanted.duplicates = True
    return _read(wanted, threads)


class RunFile(UnreadRun):
    """A run in a file, measured while it is read where its format allows, and not kept in memory."""

    source: str

    def __init__(
        self,
        path: Path,
        *,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        format: str | None = None,
        groups: Path | None = None,
        features: Path | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        system: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.progress = progress
        self.wanted = Wanted(
            path,
            "run",
            columns=columns,
            format=format,
            groups=groups,
            features=features,
            encoding=encoding,
            decimal=decimal,
            system=system,
            strict=False,
        )
        self.source = self.wanted.source
        self.name = name or system or trec.file_name(path)

    def by_system(self) -> dict[str, UnreadRun] | None:
        path = self.wanted.path
        if not os.path.isfile(path) or self.wanted.system is not None:
            return None
        with Opened(path, self.wanted.encoding) as opened:
            name, _ = told_format(opened, self.wanted)
            if name == "trec":
                return None
            from idealist.io.systems import SystemRun, runs_by_system

            runs = runs_by_system(opened, name, self.wanted)
        return None if runs is None else {system: SystemRun(run) for system, run in runs.items()}

    def read(self) -> Run:
        rows = _read(self.wanted, kernels.thread_count(None))
        return Run.from_rows(rows, name=self.name, source=self.source)

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        if os.path.isdir(self.wanted.path):
            _read(self.wanted, threads)  # which says what is wrong with a folder
        with Opened(self.wanted.path, self.wanted.encoding) as opened:
            name, also = told_format(opened, self.wanted)
            opened.progress = self.progress
            if name == "trec":
                self.wanted.refuse_system(opened.source)
                return trec.match_opened(opened, judgments, options, threads, also=also)
            from idealist.io.systems import rows_of_system

            rows = rows_of_system(name, opened, self.wanted)
            if name in FRAMES and rows is None:
                from idealist.data.frame_runs import FrameRun
                from idealist.io.arrow import frame_of
                from idealist.io.triples import require_some

                columns = self.wanted.columns
                with frame_of(opened, name, "run", columns) as frame:
                    run = FrameRun(frame, columns=columns, source=opened.source)
                    matched = run.rankings(judgments, options, threads)
                require_some(matched.rows, "run", opened.source)
                return matched
            text = _line_text(name, opened, self.wanted) if rows is None else None
            if text is not None:
                return text.match(opened, judgments, options, threads)
            if name in DATABASES and rows is None:
                from idealist.io.databases import match_database

                wanted = self.wanted
                return match_database(
                    opened, name, wanted.part, judgments, options, columns=wanted.columns, threads=threads
                )
            rows = _rows_in(name, opened, self.wanted, threads) if rows is None else rows
            native = kernels.match(rows, judgments.rows, options, threads)
            return Matched(native, rows.query_count(), len(rows))


def split_part(source: str) -> tuple[str, str | None]:
    """A path, and the part of it that is named behind ::, if one is.

    >>> split_part("shop.duckdb::clicks")
    ('shop.duckdb', 'clicks')
    """
    path, mark, part = source.rpartition(PART)
    if not mark or not path or os.path.exists(source):
        return source, None
    return path, part


def _in_memory(
    cls: type[C], source: Any, name: str | None, columns: Mapping[str, str] | None, threads: int | None
) -> C:
    if isinstance(source, cls):
        return source
    if is_frame(source):
        from idealist.data.frames import rows_of_frame

        rows = rows_of_frame(source, cls.kind, columns=columns, threads=threads)
        return cls.from_rows(rows, name=name or cls.kind)
    return cls(source, name=name)


def _read(wanted: Wanted, threads: int) -> kernels.Rows:
    if os.path.isdir(wanted.path) or wanted.format == "beir":
        from idealist.io.beir import choose_split

        wanted = choose_split(wanted)
    with Opened(wanted.path, wanted.encoding) as opened:
        name, also = told_format(opened, wanted)
        if wanted.strict and name != "letor":
            _refuse_idle(wanted, opened.source)
        if name == "trec":
            wanted.refuse_system(opened.source)
            return trec.opened_rows(opened, wanted.kind, threads, also=also)
        from idealist.io.systems import rows_of_system

        rows = rows_of_system(name, opened, wanted)
        return _rows_in(name, opened, wanted, threads) if rows is None else rows


def told_format(opened: Opened, wanted: Wanted) -> tuple[str, str]:
    """The name of a source's format, and what to say besides if it turns out to make no sense."""
    if wanted.format is not None:
        return wanted.format, ""
    if wanted.part is None and trec.is_trec(opened.head, wanted.kind):
        return "trec", ""
    from idealist.io import formats

    if opened.head.lstrip()[:1] == b"{" and b"\n" not in opened.head:
        opened.look_further(lambda start: b"\n" in start)
    head = formats.Head(opened.head, wanted.columns)
    found = formats.format_of(head, wanted.path, opened.source)
    if found is None:
        if wanted.kind == "run" and formats.is_untold(head):
            raise InputError(
                "the third of three columns may be a rank or a score",
                source=opened.source,
                line=1,
                hint="write a first line that names the columns, as in query document score by tabs, "
                "or say that the format is msmarco, whose third column is the rank",
            )
        return "trec", formats.listed() if head.lines else ""
    _require_kind(found, wanted.kind, opened.source)
    if wanted.part is not None and found.name not in ("sqlite", "duckdb", "xlsx"):
        raise InputError(
            f"there is no {wanted.part!r} in it: this is {found.about}",
            source=opened.source,
            hint=f"databases, workbooks and BEIR folders have parts; leave {PART}{wanted.part} out",
        )
    return found.name, ""


def _require_kind(found: Any, kind: str, source: str) -> None:
    if kind not in found.carries:
        what, other = ("a run", "judgments") if kind == "run" else ("judgments", "a run")
        raise InputError(
            f"this is {found.about}: {other}, not {what}",
            source=source,
            hint="judgments come first, runs after them",
        )


def _refuse_idle(wanted: Wanted, source: str) -> None:
    for option, path in (("groups", wanted.groups), ("features", wanted.features)):
        if path is not None:
            raise InputError(
                f"the {option} in {path} change nothing: they go with LETOR",
                source=source,
                hint="leave them out",
            )


def _line_text(name: str, opened: Opened, wanted: Wanted) -> LineText | None:
    """How to read a format of one row a line, if it is one."""
    kind, columns, source = wanted.kind, wanted.columns, opened.source
    if name in ("csv", "tsv"):
        from idealist.io.delimited import delimited_parser
        from idealist.io.formats import Head, delimiter_of

        delimiter = opened.delimiter
        if delimiter is None:
            delimiter = "\t" if name == "tsv" else delimiter_of(Head(opened.head).first) or ","
        return delimited_parser(
            opened.head, kind, delimiter=delimiter, columns=columns, source=source, decimal=wanted.decimal
        )
    if name in ("json", "jsonl"):
        from idealist.io.json_text import json_parser

        return json_parser(opened.head, kind, columns=columns, source=source)
    if name in ("msmarco", "movielens"):
        from idealist.io.movielens import headless_parser

        return headless_parser(opened, name, kind)
    return None


def _rows_in(name: str, opened: Opened, wanted: Wanted, threads: int) -> kernels.Rows:
    """The rows of an open source in a format that is not TREC text."""
    kind, source = wanted.kind, opened.source
    text = _line_text(name, opened, wanted)
    if text is not None:
        return text.rows(opened, threads, duplicates=wanted.duplicates)
    if name in ("json", "jsonl"):
        from idealist.io.json_text import json_rows

        return json_rows(opened, kind, columns=wanted.columns, source=source, threads=threads)
    if name in FRAMES:
        from idealist.data.frames import rows_of_frame
        from idealist.io.arrow import frame_of
        from idealist.io.triples import require_some

        with frame_of(opened, name, kind, wanted.columns) as frame:
            rows = rows_of_frame(
                frame,
                kind,
                columns=wanted.columns,
                source=source,
                threads=threads,
                duplicates=wanted.duplicates,
            )
        require_some(len(rows), kind, source)
        return rows
    if name == "letor":
        from idealist.io.letor import letor_rows

        rows_of: dict[str, Any] = {"groups": wanted.groups, "features": wanted.features}
        return letor_rows(opened, kind, threads=threads, encoding=wanted.encoding, **rows_of)
    if name == "rank_eval":
        from idealist.io.rank_eval import rank_eval_rows

        return rank_eval_rows(opened, kind, threads)
    if name == "xlsx":
        from idealist.io.workbooks import workbook_rows

        return workbook_rows(
            opened.content(), wanted.part, kind, columns=wanted.columns, source=source, threads=threads
        )
    from idealist.io.databases import database_rows

    return database_rows(opened, name, wanted.part, kind, columns=wanted.columns, threads=threads)
