"""Runs and judgments from any source, in any format, and the request to read one with its options."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import known_decimal
from idealist.data import Judgments, Run, UnreadRun
from idealist.data.columns import is_frame
from idealist.data.detection import detect_format, open_request, resolve_folder
from idealist.data.formats import trec
from idealist.data.run import FrameRun
from idealist.data.source_names import is_data_set, parse_source
from idealist.data.streaming import Matched, match_rows
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.data.collection import Collection
    from idealist.data.formats.format import Format
    from idealist.data.opening import Opened
    from idealist.types import GivenJudgments, GivenRun

    FilePath = str | os.PathLike[str]
    C = TypeVar("C", bound=Collection)
    Path = str | os.PathLike[str]


WHAT = {"run": "a run", "judgments": "judgments", "table": "a table"}


class ReadRequest:
    """A source that is to be read as a run, judgments or a table (`kind`), and the options it is read by.

    `shared_options` says that the options were given for several files at once, as those of a command are: then one
    that makes no difference to this file is no error.
    """

    def __init__(
        self,
        source: FilePath,
        kind: str,
        *,
        columns: Mapping[str, str] | None = None,
        format: str | None = None,
        query_sizes: FilePath | None = None,
        features: FilePath | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        system: str | None = None,
        shared_options: bool = False,
    ) -> None:
        parsed = parse_source(source)
        self.source = parsed.text
        self.path, self.part, self.name = parsed.path, parsed.part, parsed.name
        if is_data_set(parsed.text):
            from idealist.data.ir_datasets import data_set_file

            self.path = data_set_file(parsed.text, kind)
        self.is_stored = parsed.stored_name is not None  # the path says nothing to the user
        self.kind = kind
        if columns is not None and kind != "table":
            from idealist.data.column_names import columns_of

            columns = columns_of(columns, kind)
        self.columns = columns
        self.format = format
        self.query_sizes = None if query_sizes is None else os.fspath(query_sizes)
        self.features = None if features is None else os.fspath(features)
        self.encoding = encoding
        self.decimal = known_decimal(decimal)
        self.system = system  # which of several to read
        self.shared_options = shared_options
        self.allow_duplicates = False  # whether a document may be there twice for a query
        self.unrecognised_hint = ""  # what to add to errors where no format was recognised

    def of_file(self, path: str, source: str) -> ReadRequest:
        """The request for a file that this source stands for; `source` is the name of the source in messages."""
        request = ReadRequest.__new__(ReadRequest)
        request.__dict__.update(self.__dict__)
        request.path, request.source, request.part, request.format = path, source, None, None
        return request

    def require_format(self, format: Format, source: str) -> None:
        """Raises where a format does not carry what is asked for, or does not have an option that is stated."""
        self.require_kind(format, source)
        if self.part is not None and not format.part:
            raise InputError(
                f"there is no part {self.part!r}: this is {format.label}",
                source=source,
                hint=f"databases, workbooks and BEIR folders have parts; leave ::{self.part} out",
            )
        if self.shared_options:
            return
        for option in ("query_sizes", "features"):
            path = getattr(self, option)
            if path is not None and option not in format.options:
                raise InputError(
                    f"the {option.replace('_', ' ')} in {path} change nothing: they go with LETOR",
                    source=source,
                    hint="leave them out",
                )

    def require_kind(self, format: Format, source: str) -> None:
        if self.kind not in format.carries:
            carried = " or ".join(WHAT[kind] for kind in format.carries)
            raise InputError(
                f"this is {format.label}: {carried}, not {WHAT[self.kind]}",
                source=source,
                hint=f"name {WHAT[self.kind]} here" if self.kind != "table" else "",
            )

    def refuse_system(self, source: str) -> None:
        """Raises if one of several systems was asked for, of a source that names none."""
        if self.system is not None:
            raise InputError(
                f"the system {self.system!r} was requested, but no column names systems",
                source=source,
                hint="leave the system out, or name the column: --columns system=NAME, columns={'system': NAME} in Python",
            )


READ_AGAIN = 1 << 26  # bytes of a file that is read twice to say why its ids do not meet


def read_run(
    source: GivenRun,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    query_sizes: Path | None = None,
    features: Path | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    system: str | None = None,
    threads: int | None = None,
) -> Run:
    """A run from a file, `-` (standard input), FILE::TABLE of a database, the scored documents of a data set (ir_datasets:ID),
    a frame or a dict.

    The format is told by the content, whatever compresses it, unless `format` names it. `columns` says what
    columns are called where they have other names than the common ones, as in `{"query": "uid"}`; `{"run.query": "uid"}` says it
    of runs alone, for a mapping that judgments are read by too. A table with
    ranks but no scores is ranked by them: the score of a document is then minus its rank. `features` is the
    LETOR file whose rows a file of one score per line goes with, `query_sizes` the file that says how many rows each of its
    queries has, where they have no qid:. `encoding` is
    that of text that is not UTF-8, `decimal` the sign before fractions in CSV and TSV: a point, or ",". `system`
    is the one that is meant where a column names several; read_runs gives all of them.

    >>> read_run({"q": {"a": 2.0, "b": 1.0}}, name="mine")
    <Run 'mine': 1 query, 2 documents>
    """
    if not isinstance(source, (str, os.PathLike)):
        if system is not None:
            return _system_in_memory(source, system, name, columns, threads)
        return _in_memory(Run, source, name, columns, threads)
    request = ReadRequest(
        source,
        "run",
        columns=columns,
        format=format,
        query_sizes=query_sizes,
        features=features,
        encoding=encoding,
        decimal=decimal,
        system=system,
    )
    rows = _read(resolve_folder(request), kernels.thread_count(threads))
    return Run.from_rows(rows, name=name or system or request.name, source=request.source)


def read_judgments(
    source: GivenJudgments,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    query_sizes: Path | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> Judgments:
    """Judgments from a file, `-` (standard input), FILE::TABLE of a database, a BEIR folder or FOLDER::SPLIT
    of one, a data set (ir_datasets:ID), a frame or a dict; the options are those of `read_run`.

    A BEIR folder without a split named gives the one there is, or `test`; the source of the judgments says
    which. Of a response of Elasticsearch's _rank_eval, only what was found is judged.

    >>> read_judgments({"q": {"a": 1}})
    <Judgments 'judgments': 1 query, 1 document>
    """
    if not isinstance(source, (str, os.PathLike)):
        return _in_memory(Judgments, source, name, columns, threads)
    request = ReadRequest(
        source,
        "judgments",
        columns=columns,
        format=format,
        query_sizes=query_sizes,
        encoding=encoding,
        decimal=decimal,
    )
    file = resolve_folder(request)
    rows = _read(file, kernels.thread_count(threads))
    return Judgments.from_rows(rows, name=name or request.name, source=file.source)


def read_with_duplicates(request: ReadRequest, threads: int) -> kernels.Rows:
    """The rows of a run or of judgments in which documents may be there twice, for whoever looks for that."""
    request.allow_duplicates = True
    return _read(resolve_folder(request), threads)


def read_systems_with_duplicates(request: ReadRequest, threads: int) -> dict[str, kernels.Rows] | None:
    """Reads each system of a file with its duplicates; None if no column names systems."""
    with open_request(request) as opened:
        format = detect_format(opened, request)
        if format.name == "trec":
            return None
        from idealist.data.system_tables import rows_by_system

        return rows_by_system(opened, format, request, threads)


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
        query_sizes: Path | None = None,
        features: Path | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        system: str | None = None,
        threads: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.progress = progress
        self.threads = threads  # to read it with; measuring has its own
        self.request = ReadRequest(
            path,
            "run",
            columns=columns,
            format=format,
            query_sizes=query_sizes,
            features=features,
            encoding=encoding,
            decimal=decimal,
            system=system,
            shared_options=True,
        )
        self.source = self.request.source
        self.name = name or system or self.request.name

    def by_system(self) -> dict[str, UnreadRun] | None:
        request = self.request
        if not os.path.isfile(request.path) or request.system is not None:
            return None
        with open_request(request) as opened:
            format = detect_format(opened, request)
            if format.name == "trec":
                return None
            from idealist.data.system_tables import SystemRun, runs_by_system

            runs = runs_by_system(opened, format, request)
        return None if runs is None else {system: SystemRun(run) for system, run in runs.items()}

    def read(self) -> Run:
        rows = _read(resolve_folder(self.request), kernels.thread_count(self.threads))
        return Run.from_rows(rows, name=self.name, source=self.source)

    def first_ids(self, most: int) -> dict[str, list[str]]:
        request = resolve_folder(self.request)
        if not os.path.isfile(request.path):
            return {}
        with open_request(request) as opened:
            if detect_format(opened, request).name == "trec":
                return trec.ids_of(opened.head)
        return self.read().first_ids(most) if os.path.getsize(request.path) <= READ_AGAIN else {}

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        request = resolve_folder(self.request)
        with open_request(request) as opened:
            format = detect_format(opened, request)
            opened.progress = self.progress
            rows = _rows_of_system(opened, format, request)
            if rows is None:
                return format.match(opened, request, judgments, options, threads)
            return match_rows(rows, judgments, options, threads)


def _in_memory(
    cls: type[C], source: Any, name: str | None, columns: Mapping[str, str] | None, threads: int | None
) -> C:
    if isinstance(source, cls):
        return source
    if is_frame(source):
        from idealist.data.frames import Frame

        frame = Frame(source, cls.kind, columns=columns)
        return cls.from_rows(
            frame.rows(kernels.thread_count(threads)),
            name=name or cls.kind,
            whole_ids=frame.whole_queries,
            whole_documents=frame.whole_documents,
        )
    return cls(source, name=name)


def _system_in_memory(
    source: Any, system: str, name: str | None, columns: Mapping[str, str] | None, threads: int | None
) -> Run:
    from idealist.data.system_tables import one_run

    runs: dict[str, UnreadRun] | None = None
    if is_frame(source):
        runs = FrameRun(source, columns=columns).by_system()
    if runs is not None:
        return one_run({name: run.read() for name, run in runs.items()}, system, None)
    run = _in_memory(Run, source, name, columns, threads)
    return one_run({run.name: run}, system, None)


def _read(request: ReadRequest, threads: int) -> kernels.Rows:
    with open_request(request) as opened:
        format = detect_format(opened, request)
        rows = _rows_of_system(opened, format, request)
        return format.rows(opened, request, threads) if rows is None else rows


def _rows_of_system(opened: Opened, format: Format, request: ReadRequest) -> kernels.Rows | None:
    """The rows of one system, where a column names systems; None elsewhere. TREC text is one run, whatever its last
    column says."""
    if format.name == "trec":
        request.refuse_system(opened.source)
        return None
    from idealist.data.system_tables import rows_of_system

    return rows_of_system(opened, format, request)


def read_runs(source: GivenRun, **options: Any) -> dict[str, Run]:
    """The runs in a table or frame of several systems, by what its column `system` says (or the column that `columns`
    names as such); one run, by the name of its file, where there is none. The other arguments are those of read_run."""
    unread: UnreadRun | None = None
    if is_frame(source):
        unread = FrameRun(source, columns=options.get("columns"))
    elif isinstance(source, (str, os.PathLike)):
        unread = RunFile(source, **options)
    runs = None if unread is None else unread.by_system()
    if runs is not None:
        return {name: run.read() for name, run in runs.items()}
    run = read_run(source, **options)
    return {run.name: run}
