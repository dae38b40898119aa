"""A report on a judge: a machine's judgments compared with those of people."""

from __future__ import annotations

from itertools import pairwise

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_share
from idealist.base.wording import count_of, listed, signed
from idealist.data.arguments import read_plain, runs_in_memory
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.judgments import Judgments
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.machine.judge_agreement import QueryBootstrap, judge_coefficients, over_ratings, system_order
from idealist.statistics.mean_estimates import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.conventions import Conventions
    from idealist.machine.judge_agreement import JudgeCoefficient, OverRating, SystemOrder
    from idealist.measures import Measure
    from idealist.types import GivenJudgments, GivenRuns, GivenTable


GOOD, POOR = 0.8, 0.2  # of weighted κ: above the one people agree no better, below the other little is known


class SwappedOrder(Frozen):
    """Pairs that were asked twice with their sides swapped: how many, the share with the same answer, and the share of
    decided answers that are for the first (left) side, with intervals over queries."""

    pairs: int
    same: float
    same_interval: Interval | None
    first: float
    first_interval: Interval | None


class JudgeReport(Drawable, Frozen):
    """A machine's judgments beside those of people, on the pairs of query and document that both judged.

    `confusion` has a row for every human grade of `levels` and a column for every grade of the machine. `by_column` has
    over-rating by the values of document columns; `repeat` the agreement of the machine with itself, `swapped` that of
    its answers when sides are swapped.
    """

    pairs: int
    queries: int
    levels: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    agreement: tuple[JudgeCoefficient, ...]
    by_grade: tuple[OverRating, ...]
    overall: OverRating
    orders: tuple[SystemOrder, ...] = ()
    by_column: tuple[tuple[str, tuple[OverRating, ...]], ...] = ()
    repeat: tuple[JudgeCoefficient, ...] = ()
    repeated: int = 0
    swapped: SwappedOrder | None = None
    notes: tuple[str, ...] = ()
    confidence: float = 0.95

    def coefficient(self, name: str) -> JudgeCoefficient | None:
        """A coefficient of agreement by its name: raw, Cohen κ, weighted κ, α ordinal, AC1."""
        return next((coefficient for coefficient in self.agreement if coefficient.name == name), None)

    @property
    def use(self) -> str:
        """The use that the labels are good for, in a sentence."""
        kappa = self.coefficient("weighted κ")
        if kappa is None or kappa.value != kappa.value or kappa.interval is None:
            return "there are too few queries or grades to say what the labels may be used for"
        found = f"weighted κ {signed(kappa.value)}, at least {signed(kappa.interval.low)}"
        favoured = {s.system for order in self.orders for s in order.favoured if (s.favour or 0) > 0}
        if favoured:
            return (
                f"the labels must not compare these systems by themselves: the machine favours {listed(sorted(favoured))}; "
                f"use them beside human judgments, with compare --machine ({found})"
            )
        if kappa.interval.high < POOR:
            return (
                f"the labels say little of what people think ({found}): do not measure with them; they may choose which "
                "documents people should judge"
            )
        if kappa.interval.low >= GOOD:
            unknown = "" if self.orders else "; name runs to see whether it favours one of them"
            return f"the labels may stand in for people's on queries like these ({found}){unknown}"
        return (
            f"the labels may be used beside human judgments (evaluate and compare --machine) and to choose what people "
            f"judge, not in the place of people ({found})"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        record = {name: _plain(getattr(self, name)) for name in self.fields if name != "by_column"}
        record["by_column"] = {name: _plain(ratings) for name, ratings in self.by_column}
        return {**record, "use": self.use}

    def _gist(self) -> str:
        raw = self.agreement[0].value
        return (
            f"{100 * raw:.0f} % agreement; {count_of(self.pairs, 'pair')}, {count_of(self.queries, 'query')}"
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return {"low": value.low, "high": value.high}
    if isinstance(value, Frozen) and hasattr(value, "aggregate"):  # a measure
        return str(value)
    if isinstance(value, Frozen):
        return {name: _plain(getattr(value, name)) for name in value.fields}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and value != value else value


MEASURE = "nDCG@10"
MOST_KINDS = 12  # values of a column: more, if they are numbers, are cut into quarters
MOST_LEVELS = 20  # grades: more are no scale


def report(
    human: GivenJudgments,
    machine: GivenJudgments,
    runs: GivenRuns | None = None,
    measures: str | Measure | Iterable[str | Measure] = MEASURE,
    *,
    documents: GivenTable | None = None,
    by: str | Sequence[str] = (),
    repeat: GivenJudgments | None = None,
    swapped: GivenJudgments | None = None,
    conventions: Conventions | str = "idealist",
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgeReport:
    """What a machine's judgments are worth, by the pairs of query and document that people judged too.

    With `runs`, also what the judgments do to the order of systems, and whom they favour. `documents` is a table with a row
    per document (or per query and document), and `by` names columns of it, such as "length": over-rating by their values, or
    quarters of them. `repeat` are judgments of the same machine, asked again; `swapped` votes of the machine on pairs that
    were shown both ways round, with the side of the candidate. Intervals are by a bootstrap over queries.

    >>> human = {f"q{i}": {"a": 1, "b": 0, "c": i % 2} for i in range(6)}
    >>> machine = {f"q{i}": {"a": 1, "b": i % 3 // 2, "c": 1} for i in range(6)}
    >>> result = report(human, machine)
    >>> result.confusion  # of 9 zeros of people's, 5 are ones of the machine's
    ((4, 5), (0, 9))
    """
    import numpy as np

    as_share(confidence, "confidence")
    how: dict[str, Any] = {"confidence": confidence, "seed": seed}
    people, labels = read_plain(human), read_plain(machine)
    pairs = _shared_pairs(people, labels, "human and machine judgments")
    h, m = (np.array([pair[at] for pair in pairs]) for at in (2, 3))
    levels = _levels(h, m)
    _, query = np.unique([pair[0] for pair in pairs], return_inverse=True)
    bootstrap = QueryBootstrap(query, **how)
    position = {level: at for at, level in enumerate(levels)}
    human_level, machine_level = (np.array([position[x] for x in side.tolist()]) for side in (h, m))
    size = len(levels)
    confusion = np.bincount(human_level * size + machine_level, minlength=size * size).reshape(size, size)
    (overall,) = over_ratings(np.zeros(len(h), dtype=int), ["all"], h, m, bootstrap)
    notes: list[str] = []
    repeat_coefficients, repeated = (), 0
    if repeat is not None:
        repeat_coefficients, repeated = _repeated(labels, read_plain(repeat), how)
    return JudgeReport(
        pairs=len(pairs),
        queries=bootstrap.count,
        levels=tuple(levels),
        confusion=tuple(tuple(map(int, row)) for row in confusion.tolist()),
        agreement=judge_coefficients(human_level, machine_level, size, bootstrap),
        by_grade=over_ratings(human_level, [f"{level:g}" for level in levels], h, m, bootstrap),
        overall=overall,
        orders=() if runs is None else _orders(runs, measures, people, labels, conventions, how, notes),
        by_column=_by_column(documents, by, pairs, h, m, bootstrap, notes),
        repeat=repeat_coefficients,
        repeated=repeated,
        swapped=None if swapped is None else _swapped(swapped, how),
        notes=tuple(notes),
        confidence=confidence,
    )


def _shared_pairs(first: Judgments, second: Judgments, what: str) -> list[tuple[str, str, float, float]]:
    """Query, document and both grades of every pair that both judged."""
    pairs = []
    grades = second.to_dict()
    for query, documents in first.items():
        others = grades.get(query, {})
        pairs += [(query, d, grade, others[d]) for d, grade in documents.items() if d in others]
    if not pairs:
        raise InputError(
            f"{what} have no pair of query and document in common",
            hint="both must judge some documents of the same queries, under the same ids",
        )
    return pairs


def _levels(*sides: NDArray[Any]) -> list[float]:
    levels = sorted({float(grade) for side in sides for grade in side.tolist()})
    if len(levels) > MOST_LEVELS:
        raise InputError(
            f"there are {len(levels)} different grades: agreement is of judges who share a scale of a few",
            hint="round the grades, or map them to the scale of the human judgments",
        )
    return levels


def _orders(
    runs: Any,
    measures: Any,
    people: Judgments,
    labels: Judgments,
    conventions: Any,
    how: dict[str, Any],
    notes: list[str],
) -> tuple[SystemOrder, ...]:
    """Every measure by both judges, over the queries that both judged."""
    systems = runs_in_memory(runs)
    shared = [query for query in people if query in labels]
    by_people, by_machine = (
        evaluate(Judgments({q: side[q] for q in shared}), systems, measures, conventions=conventions)
        for side in (people, labels)
    )
    orders = []
    for measure in by_people.measures:
        if measure.aggregate != "mean":
            notes.append(f"{measure} has no mean over queries: it orders no systems here")
            continue
        order = system_order(by_people, by_machine, measure, QueryBootstrap, **how)
        orders += [] if order is None else [order]
    return tuple(orders)


def _by_column(
    documents: Any,
    by: str | Sequence[str],
    pairs: list[tuple[str, str, float, float]],
    human: NDArray[Any],
    machine: NDArray[Any],
    bootstrap: QueryBootstrap,
    notes: list[str],
) -> tuple[tuple[str, tuple[OverRating, ...]], ...]:
    import numpy as np

    columns = [by] if isinstance(by, str) else list(by)
    if documents is None:
        if columns:
            raise InputError(
                f"there is no table of documents that could have a column {columns[0]!r}",
                hint="give one with documents=… (--documents FILE)",
            )
        return ()
    from idealist.data.tables import read_table

    table = read_table(documents)
    document_column, query_column = table.named(*DOCUMENT), table.find(*QUERY)
    if not columns:
        columns = [name for name in table.names if name not in (document_column, query_column)]
    ids = table.ids(document_column)
    keys: list[Any] = ids if query_column is None else list(zip(table.ids(query_column), ids, strict=True))
    row_of = {key: row for row, key in enumerate(keys)}
    rows = [row_of.get(d if query_column is None else (q, d)) for q, d, _, _ in pairs]
    known = np.array([row is not None for row in rows])
    if not known.any():
        raise InputError(
            "the table of documents has none of those that both judged",
            hint="its column `document` must have the ids of the judgments",
        )
    if not known.all():
        notes.append(
            f"{count_of(int((~known).sum()), 'pair')} without a row in the table of documents, left out by column"
        )
    results = []
    for column in columns:
        values = table.columns[table.named(column)]
        kinds, names = _kinds([None if row is None else values[row] for row in rows])
        results.append((column, over_ratings(kinds, names, human, machine, bootstrap)))
    return tuple(results)


def _kinds(values: list[Any]) -> tuple[NDArray[Any], list[str]]:
    """The number of each value's kind (−1 for none), and the kinds' names: quarters of many numbers, else the values."""
    import numpy as np

    texts = [None if value is None or value == "" else str(value) for value in values]
    distinct = sorted({text for text in texts if text is not None})
    try:
        numbers = np.array([np.nan if text is None else float(text) for text in texts])
    except ValueError:
        numbers = None
    if numbers is not None and len(distinct) > MOST_KINDS:
        edges = np.unique(np.nanquantile(numbers, [0, 0.25, 0.5, 0.75, 1]))
        kinds = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
        names = [f"{low:g} to {high:g}" for low, high in pairwise(edges.tolist())]
        return np.where(np.isnan(numbers), -1, kinds), names
    if numbers is not None:
        distinct.sort(key=float)
    elif len(distinct) > MOST_KINDS:
        counts = {text: texts.count(text) for text in distinct}
        distinct = sorted(counts, key=lambda text: (-counts[text], text))[:MOST_KINDS]
    place = {text: at for at, text in enumerate(distinct)}
    return np.array([-1 if text is None else place.get(text, -1) for text in texts]), distinct


def _repeated(first: Judgments, second: Judgments, how: dict[str, Any]) -> tuple[Any, int]:
    import numpy as np

    pairs = _shared_pairs(first, second, "the machine's judgments and the repeated ones")
    a, b = (np.array([pair[at] for pair in pairs]) for at in (2, 3))
    levels = _levels(a, b)
    position = {level: at for at, level in enumerate(levels)}
    _, query = np.unique([pair[0] for pair in pairs], return_inverse=True)
    first_level, second_level = (np.array([position[x] for x in side.tolist()]) for side in (a, b))
    bootstrap = QueryBootstrap(query, **how)
    return judge_coefficients(first_level, second_level, len(levels), bootstrap), len(pairs)


def _swapped(votes: Any, how: dict[str, Any]) -> SwappedOrder:
    """Of every item that was shown both ways round, whether the answer is the same, and who wins: left or right."""
    import numpy as np

    from idealist.data.columns import Columns
    from idealist.data.tables import read_table
    from idealist.votes.vote_table import read_votes

    if not hasattr(votes, "sides"):
        # A rater may not vote twice on an item elsewhere; here that is the point.
        rows = read_table(votes)
        rater = rows.find("rater", "annotator", "judge", "model")
        votes = Columns(
            {name: column for name, column in rows.columns.items() if name != rater}, source=rows.source
        )
    table = read_votes(votes)
    if table.sides is None:
        raise InputError(
            "the votes do not say on which side the candidate was shown",
            hint="give a column `side` with left and right; every pair must be there both ways round",
        )
    by_item: dict[tuple[str, str], dict[str, int]] = {}
    documents = table.documents or [""] * len(table.queries)
    for query, document, side, vote in zip(table.queries, documents, table.sides, table.values, strict=True):
        by_item.setdefault((query, document), {}).setdefault(side, vote)
    both = {item: sides for item, sides in by_item.items() if {"left", "right"} <= sides.keys()}
    if not both:
        raise InputError(
            "no pair of lists was shown both ways round",
            hint="ask for every query twice, with the candidate left and right",
        )
    _, number = np.unique([name for name, _ in both], return_inverse=True)
    left, right = (np.array([sides[side] for sides in both.values()]) for side in ("left", "right"))
    decided = (left != 0).astype(float) + (right != 0)
    first = (left > 0).astype(float) + (right < 0)
    features = np.stack([np.ones(len(left)), left == right, decided, first], axis=1).astype(float)
    bootstrap = QueryBootstrap(number, **how)

    def same(sums: NDArray[Any]) -> Any:
        return sums[..., 1] / sums[..., 0]

    def first_share(sums: NDArray[Any]) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(sums[..., 2] == 0, np.nan, sums[..., 3] / sums[..., 2])

    total = features.sum(axis=0)
    return SwappedOrder(
        len(both),
        float(same(total)),
        bootstrap.interval(features, same),
        float(first_share(total)),
        bootstrap.interval(features, first_share),
    )
