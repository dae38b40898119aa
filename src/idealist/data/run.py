"""Runs: the documents and scores that a system returned, kept or measured where they lie."""

from __future__ import annotations

from idealist import kernels
from idealist.conventions import DEFAULT, match_options
from idealist.data.collection import Collection
from idealist.data.frames import Frame, tables_by_system

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol, Self, runtime_checkable

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.columns import Columns
    from idealist.data.judgments import Judgments
    from idealist.data.streaming import Matched

    @runtime_checkable
    class ArrowTable(Protocol):
        """A frame, or anything else that speaks the Arrow C interface."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    @runtime_checkable
    class LazyTable(Protocol):
        """A frame that is computed when it is collected."""

        def collect(self) -> Any: ...


class UnreadRun:
    """A run that is still in its file: ranked while it is read, and not kept."""

    name: str
    source: str | None = None

    def read(self) -> Run:
        """The whole run, in memory."""
        raise TypeError(f"{type(self).__name__} does not say how it is read")

    def first_ids(self, most: int) -> dict[str, list[str]]:
        """Some `most` documents by query, those that stand first; none where the run can be read but once."""
        return self.read().first_ids(most)

    def by_system(self) -> Mapping[str, UnreadRun] | None:
        """The run of each system, where a column tells several apart."""
        return None

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        """The rankings of the judged queries."""
        raise TypeError(f"{type(self).__name__} does not say how it is read")


class Run(Collection):
    """Scores by query and document: the higher a score, the earlier its document.

    >>> run = Run({"lipstick": {"d1": 0.5, "d2": 2, "d3": 0.5}}, name="bm25")
    >>> run
    <Run 'bm25': 1 query, 3 documents>
    >>> run.ranking("lipstick")
    ['d2', 'd3', 'd1']
    """

    kind = "run"
    number = "score"
    finite = False
    __slots__ = ()

    def first_ids(self, most: int) -> dict[str, list[str]]:
        """Some `most` documents by query, those of the first queries."""
        ids: dict[str, list[str]] = {}
        for query in self:
            ids[query] = list(self[query])
            most -= len(ids[query])
            if most <= 0:
                break
        return ids

    @classmethod
    def from_top(
        cls,
        indices: Any,
        scores: Any = None,
        *,
        queries: Iterable[Any] | None = None,
        documents: Iterable[Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The numbers of the documents found for each query, best first, as FAISS and recommenders give them.
        Without scores they stand in the order given. −1 at the end of a row: there are no more.

        >>> Run.from_top([[7, 3], [5, -1]]).ranking("0")
        ['7', '3']
        """
        from idealist.data.arrays import rows_of_top

        return cls.from_rows(rows_of_top(indices, scores, queries, documents), name=name or cls.kind)

    @classmethod
    def from_lists(
        cls,
        lists: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
        *,
        queries: Iterable[Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The ids of the documents found for each query, best first: lists by query, or in the queries' order.
        A document's score is its rank, below 0.

        >>> Run.from_lists({"u": ["US", "FR"]}).to_dict()
        {'u': {'US': -1.0, 'FR': -2.0}}
        """
        from idealist.data.arrays import rows_of_lists

        return cls.from_rows(rows_of_lists(lists, queries), name=name or cls.kind)

    def ranking(self, query: str, conventions: Conventions = DEFAULT) -> list[str]:
        """The documents in ranked order. Where `ties` names no single order, ties stand by id,
        descending."""
        if query not in self:
            raise KeyError(query)
        return self.rows.ranking(query, match_options(conventions))


def runs_by_name(runs: Mapping[str, KnownRun]) -> dict[str, Any]:
    """Splits runs of several systems by the system; with the name in front where two are called alike."""
    by_name: dict[str, Any] = {}
    for name, run in runs.items():
        systems = run.by_system() if isinstance(run, UnreadRun) else None
        for system, system_run in ({name: run} if systems is None else systems).items():
            by_name[f"{name}:{system}" if system in by_name else system] = system_run
    return by_name


def as_run(run: RunLike) -> Run:
    """A run in memory, whatever it was given as.

    >>> as_run({"q": {"a": 1.0}})
    <Run 'run': 1 query, 1 document>
    """
    if isinstance(run, UnreadRun):
        return run.read()
    return run if isinstance(run, Run) else Run(run)


class FrameRun(UnreadRun):
    """A run in a frame: measured without a copy of it."""

    def __init__(self, frame: Any, *, name: str = "run", columns: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.frame = Frame(frame, "run", columns=columns)

    def by_system(self) -> dict[str, UnreadRun] | None:
        """The run of each system, where a column `system` tells several apart."""
        columns = self.frame.columns
        tables = tables_by_system(self.frame.frame, columns)
        if tables is None:
            return None
        return {system: FrameRun(table, name=system, columns=columns) for system, table in tables.items()}

    def read(self) -> Run:
        rows = self.frame.rows(kernels.available_threads())
        return Run.from_rows(
            rows,
            name=self.name,
            whole_ids=self.frame.whole_queries,
            whole_documents=self.frame.whole_documents,
        )

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        return self.frame.match(judgments, options, threads)


if TYPE_CHECKING:
    KnownRun = Run | UnreadRun | Mapping[Any, Mapping[Any, Any]]
    # Lists of ids by query, or in the queries' order; a matrix of scores.
    Lists = Mapping[Any, Iterable[Any]] | list[Any] | tuple[Any, ...] | ndarray
    RunLike = KnownRun | ArrowTable | LazyTable | Lists
    # A file, a frame, a dict of columns or from keys to values, a list of records or of objects.
    GivenTable = str | os.PathLike[str] | ArrowTable | LazyTable | Columns | Mapping[Any, Any] | Sequence[Any]
