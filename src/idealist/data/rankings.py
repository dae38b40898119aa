"""Rankings: grades in ranked order, the input of measures; a run matched with judgments; rankings between processes."""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import islice

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_number
from idealist.base.wording import and_more, count_queries
from idealist.conventions import DEFAULT, match_options, other_choices
from idealist.data.collection import require_queries
from idealist.data.columns import is_frame
from idealist.data.run import Run, UnreadRun, as_run
from idealist.data.streaming import Matched, match_rows
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Self, TypeVar

    from idealist.conventions import Conventions
    from idealist.data.judgments import Judgments
    from idealist.data.needs import Need
    from idealist.data.run import KnownRun, RunLike

    T = TypeVar("T")


LOOKED_AT = 10_000  # queries of a run that has none of the judged ones


class Ranking(Frozen):
    """One query: `ranks[i]` and `grades[i]` belong to the i-th judged document that was retrieved;
    `judged` are all judged grades, highest first."""

    query: str
    retrieved: int
    ranks: tuple[int, ...]
    grades: tuple[float, ...]
    judged: tuple[float, ...]


class Rankings:
    """The rankings of all judged queries, in bytewise order of their ids, under stated conventions.

    >>> rankings = Rankings.from_grades([[3, None, 0]])
    >>> rankings
    <Rankings: 1 query>
    >>> next(iter(rankings))
    Ranking(query='0', retrieved=3, ranks=(1, 3), grades=(3.0, 0.0), judged=(3.0, 0.0))
    """

    __slots__ = (
        "_views",
        "conventions",
        "depth",
        "judgments",
        "native",
        "notes",
        "run",
        "run_queries",
        "run_rows",
        "tables",
        "threads",
        "undefined",
    )

    def __init__(
        self,
        native: kernels.Rankings,
        conventions: Conventions,
        *,
        depth: int | None = None,
        threads: int | None = None,
        run_queries: int | None = None,
        run_rows: int = -1,
        run: RunLike | None = None,
        judgments: Judgments | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.native = native
        # What should be said of how the run was read.
        self.notes = notes
        self.run = run
        self.judgments = judgments
        # What was given besides the run and plain judgments.
        self.tables: Mapping[Need, Any] = {}
        self._views: dict[tuple[Any, ...], Any] = {}
        # By measure, for how many queries it is undefined.
        self.undefined: dict[Any, int] = {}
        self.run_queries = len(native) if run_queries is None else run_queries
        # -1 where they were not counted.
        self.run_rows = run_rows
        self.conventions = conventions
        self.depth = depth
        self.threads = kernels.thread_count(threads)
        _refuse(self)

    @classmethod
    def from_grades(
        cls,
        lists: Sequence[Sequence[Any]],
        judged: Sequence[Sequence[Any] | None] | None = None,
        conventions: Conventions = DEFAULT,
    ) -> Self:
        """Lists of grades in ranked order, None for an unjudged document; `judged` holds all judged
        grades of each list's query, when more was judged than retrieved."""
        for list_given in lists:
            if isinstance(list_given, (str, bytes, Set, Mapping)) or not hasattr(list_given, "__iter__"):
                raise InputError(
                    f"a ranking must be a list of grades, not {list_given!r}", hint="best rank first"
                )
        grades = [[None if g is None else _grade(g) for g in list_given] for list_given in lists]
        if judged is not None and len(judged) != len(grades):
            raise InputError(f"{len(grades)} lists of grades, but {len(judged)} of judged grades")
        pairs = zip(grades, judged or [None] * len(grades), strict=True)
        everything = [_all_judged(list_grades, judged_grades) for list_grades, judged_grades in pairs]
        native = kernels.rank_lists(grades, everything, match_options(conventions))
        return cls(native, conventions, threads=1)

    @classmethod
    def from_arrays(
        cls,
        grades: Any,
        scores: Any,
        conventions: Conventions = DEFAULT,
        *,
        depth: int | None = None,
        threads: int | None = None,
    ) -> Self:
        """Matrices of scores and grades: a row is a query, a column a document, whose id is its
        number. Ids are text, so that ties=id-descending puts column 2 before column 10, as `evaluate` does; the order
        of columns is ties=input-order. With `depth`, only that many ranks are looked at, which is quicker."""
        score_matrix, grade_matrix = _matrix(scores, "scores"), _matrix(grades, "grades")
        if score_matrix.ndim != 2 or score_matrix.shape != grade_matrix.shape:
            raise InputError(
                f"scores have shape {score_matrix.shape} and grades {grade_matrix.shape}",
                hint="both are queries × documents",
            )
        if depth is not None:
            depth = as_count(depth, "depth")
            depth = None if depth >= score_matrix.shape[1] else depth
        threads = kernels.thread_count(threads)
        options = match_options(conventions, depth)
        try:
            native = kernels.rank_matrix(score_matrix, grade_matrix, options, threads)
        except ValueError as error:
            raise InputError(str(error), hint="replace it, or give the row as a dict without it") from None
        return cls(native, conventions, depth=depth, threads=threads)

    @property
    def queries(self) -> list[str]:
        return self.native.queries()

    @property
    def missing(self) -> list[str]:
        """Judged queries that the run does not have."""
        return [self.native.name(query) for query in self.native.missing()]

    @property
    def empty(self) -> list[str]:
        """Queries without a judged document of a grade above 0."""
        return [self.native.name(query) for query in self.native.empty()]

    def table(self, need: Need) -> Any:
        """The table that was given besides run and plain judgments."""
        if need not in self.tables:
            verb = "is" if need.description.startswith("a ") else "are"
            raise InputError(f"{need.description} {verb} needed", hint=need.instructions)
        return self.tables[need]

    def view(self, make: Callable[..., T], *arguments: Any) -> T:
        """The result of `make` for these rankings, computed once however many measures ask for it."""
        key = (make, *arguments)
        if key not in self._views:
            self._views[key] = make(self, *arguments)
        return self._views[key]  # type: ignore[no-any-return]

    def matched(self, judgments: Judgments) -> kernels.Rankings:
        """Matches the run under its conventions with other judgments of the same queries."""
        assert self.run is not None, "rankings by hand have no run"
        options = match_options(self.conventions)
        return match_run(judgments, self.run, options, self.threads).rankings

    def with_ties(self, ties: str) -> Rankings:
        """Orders ties: the rankings with documents of equal score in the best order by grade (optimistic) or in the
        worst (pessimistic), without another look at the scores.

        >>> rankings = Rankings.from_arrays([[1, 0]], [[0.5, 0.5]])
        >>> [next(iter(rankings.with_ties(ties))).grades for ties in ("pessimistic", "optimistic")]
        [(0.0, 1.0), (1.0, 0.0)]
        """
        if ties not in ("optimistic", "pessimistic"):
            raise InputError(
                f"rankings cannot be put in the order of ties={ties!r}, which needs the run",
                hint="name one of: optimistic, pessimistic",
            )
        order = kernels.best_of_ties if ties == "optimistic" else kernels.worst_of_ties
        other = Rankings(
            order(self.native),
            self.conventions.replace(ties=ties),
            depth=self.depth,
            threads=self.threads,
            run_queries=self.run_queries,
            run=self.run,
            judgments=self.judgments,
        )
        other.tables = self.tables
        return other

    def replaced(self, native: kernels.Rankings) -> Rankings:
        """The same queries seen another way."""
        other = Rankings(native, self.conventions.replace(missing="zero", empty="zero"), threads=self.threads)
        other.run, other.judgments, other.tables = self.run, self.judgments, self.tables
        return other

    def __len__(self) -> int:
        return len(self.native)

    def __iter__(self) -> Iterator[Ranking]:
        for i, name in enumerate(self.queries):
            retrieved, ranks, grades, judged = self.native.query(i)
            yield Ranking(name, retrieved, tuple(ranks), tuple(grades), tuple(judged))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rankings):
            return NotImplemented
        return self.native == other.native and self.conventions == other.conventions

    def __hash__(self) -> int:
        return hash((len(self), self.conventions))

    def __reduce__(self) -> tuple[Callable[..., Rankings], tuple[Any, ...]]:

        return reduced(self)

    def __repr__(self) -> str:
        return f"<Rankings: {count_queries(len(self))}>"


def match(
    judgments: Judgments,
    run: RunLike,
    conventions: Conventions = DEFAULT,
    *,
    threads: int | None = None,
) -> Rankings:
    """The rankings that a run gives the judged queries."""
    threads = kernels.thread_count(threads)
    options = match_options(conventions)
    require_queries(judgments)
    matched = match_run(judgments, run, options, threads)
    native = matched.rankings
    if len(native.missing()) == len(native):
        _refuse_strangers(judgments, as_run(run))
    return Rankings(
        native,
        conventions,
        threads=threads,
        run_queries=matched.queries,
        run_rows=matched.rows,
        run=run,
        judgments=judgments,
        notes=matched.notes,
    )


def _refuse_strangers(judgments: Judgments, run: Run) -> None:
    from idealist.data.id_spelling import Spelled, differ_in, difference

    theirs = next(iter(run), None)
    if theirs is None:
        raise InputError("the run has no queries", hint="is it the right file?")
    # Ids that are meant to be the same are shown: two that merely come first tell less.
    judged = Spelled(judgments)
    pairs = ((query, like) for query in islice(run, LOOKED_AT) if (like := judged.find(query)) is not None)
    theirs, ours = next(pairs, (theirs, next(iter(judgments))))
    names = difference(theirs, ours)
    hint = f"the run has {theirs!r}, the judgments have {ours!r}"
    if names:
        hint += (
            f": they differ only in {differ_in(names)}; `idealist check --judgments JUDGMENTS RUN --fix COPY "
            f"--join-ids {','.join(names)}` writes a copy that joins them"
        )
    raise InputError(
        f"{run.name}: the run and the judgments have no query in common",
        hint=hint,
        code="no-shared-query",
    )


def _refuse(rankings: Rankings) -> None:
    """Raises what the conventions call an error."""
    conventions, native = rankings.conventions, rankings.native
    if conventions.missing == "error" and (missing := rankings.missing):
        raise InputError(
            f"query {missing[0]!r} is judged but missing from the run{and_more(len(missing))}",
            hint=other_choices("missing"),
        )
    skipped = set(rankings.missing) if conventions.missing == "skip" else set()
    if conventions.empty == "error" and (empty := [q for q in rankings.empty if q not in skipped]):
        raise InputError(
            f"query {empty[0]!r} has nothing relevant{and_more(len(empty))}",
            hint=other_choices("empty"),
        )
    if conventions.negative == "error" and (levels := native.levels()) and levels[0] < 0:
        negative = (ranking.query for ranking in rankings if ranking.judged and ranking.judged[-1] < 0)
        query = next((ranking for ranking in negative if ranking not in skipped), None)
        if query is not None:
            raise InputError(
                f"query {query!r} has a negative grade",
                hint=other_choices("negative"),
            )


def _grade(value: Any) -> float:
    return as_number(value, "a grade", finite=True)


def _all_judged(grades: list[float | None], judged: Sequence[Any] | None) -> list[float]:
    list_grades = [grade for grade in grades if grade is not None]
    if judged is None:
        return list_grades
    judged_grades = [_grade(grade) for grade in judged]
    remaining: dict[float, int] = {}
    for grade in judged_grades:
        remaining[grade] = remaining.get(grade, 0) + 1
    for grade in list_grades:
        remaining[grade] = remaining.get(grade, 0) - 1
        if remaining[grade] < 0:
            raise InputError(
                f"grade {grade:g} occurs more often in the list than in judged",
                hint="judged holds all judged grades, those of the list included",
            )
    return judged_grades


def _matrix(cells: Any, title: str) -> Any:
    """A NumPy array of a number type that the native core reads."""
    import numpy as np

    from idealist.data.arrays import refuse_inexact, refuse_sparse

    refuse_sparse(cells, title)
    if isinstance(cells, np.ma.MaskedArray):
        raise InputError(f"{title} are a masked array", hint="give rows with gaps as dicts")
    try:
        # The native core reads whole numbers of the machine where they lie.
        matrix = np.require(cells, requirements=("C", "A"))
    except ValueError:
        raise InputError(f"{title} have rows of different length", hint="give them as dicts") from None
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{title} are of type {matrix.dtype}, not numbers")
    if not matrix.dtype.isnative:
        matrix = matrix.astype(matrix.dtype.newbyteorder("="))
    if title == "scores":
        refuse_inexact(matrix, matrix.astype(np.float64), title)
    native_types = (
        (np.float64, np.float32) if title == "scores" else (np.float64, np.float32, np.int64, np.int32)
    )
    return matrix if matrix.dtype in native_types else matrix.astype(np.float64)


def measurable_run(run: RunLike, name: str = "run") -> KnownRun:
    """A run in a form that can be matched: a frame as a run that is not read yet, lists or a matrix as a
    run; a mapping stays what it is."""
    if isinstance(run, (Run, UnreadRun)):
        return run
    if not is_frame(run):
        from idealist.data.arrays import holds_lists, holds_rows

        return Run(run, name=name) if holds_lists(run) or holds_rows(run) else run  # type: ignore[return-value]
    from idealist.data.run import FrameRun

    return FrameRun(run, name=name)


def match_run(judgments: Judgments, run: RunLike, options: kernels.MatchOptions, threads: int) -> Matched:
    """The native rankings of the judged queries, and how large the run was."""
    run = measurable_run(run)
    if isinstance(run, UnreadRun):
        return run.rankings(judgments, options, threads)
    if isinstance(run, dict):  # walked where it is; anything else becomes a Run first
        native = kernels.match_dict(run, judgments.rows, options)
        if native is not None:
            return Matched(native, len(run), -1)
    if isinstance(run, Run):
        return match_rows(run.rows, judgments, options, threads)
    return match_rows(Run(run).rows, judgments, options, threads).replace(rows=-1)


# What is not made again.
ATTRIBUTES = ("tables", "undefined", "notes", "run_queries", "run_rows")


def reduced(rankings: Rankings) -> tuple[Callable[..., Rankings], tuple[Any, ...]]:
    """The state that pickle writes: of the run, only the judged queries."""
    attributes = {name: getattr(rankings, name) for name in ATTRIBUTES}
    if rankings.run is not None and rankings.judgments is not None:
        run = as_run(rankings.run)
        judged = run.with_rows(Run({query: run[query] for query in rankings.judgments if query in run}).rows)
        return _matched, (
            type(rankings),
            rankings.judgments,
            judged,
            rankings.conventions,
            rankings.threads,
            attributes,
        )
    return _unpacked, (
        type(rankings),
        kernels.packed(rankings.native),
        rankings.conventions,
        rankings.depth,
        rankings.threads,
        attributes,
    )


# The class is an argument of what restores it: pickle writes it by name, and this module need not import it.
def _matched(
    cls: type[Rankings],
    judgments: Judgments,
    run: Run,
    conventions: Conventions,
    threads: int,
    attributes: dict[str, Any],
) -> Rankings:
    native = match_run(judgments, run, match_options(conventions), threads).rankings
    return _with(cls(native, conventions, threads=threads, run=run, judgments=judgments), attributes)


def _unpacked(
    cls: type[Rankings],
    native: bytes,
    conventions: Conventions,
    depth: int | None,
    threads: int,
    attributes: dict[str, Any],
) -> Rankings:
    return _with(cls(kernels.unpacked(native), conventions, depth=depth, threads=threads), attributes)


def _with(rankings: Rankings, attributes: dict[str, Any]) -> Rankings:
    for name, value in attributes.items():
        setattr(rankings, name, value)
    return rankings
