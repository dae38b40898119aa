"""What values would be if some of the unjudged documents above the cut-off were relevant."""

from __future__ import annotations

from idealist.data import Rankings
from idealist.data.needs import GRADES
from idealist.errors import InputError
from idealist.evaluation.ties import ROUNDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from idealist import kernels
    from idealist.conventions import Conventions
    from idealist.evaluation.result import Evaluation
    from idealist.measures import Measure

    # The grades of one list from rank 1 on, None where a document is not judged, and all judged grades of its query.
    GradedList = tuple[list[float | None], list[float]]
    # The values of two systems by query, where they are others.
    ValuesAtRate = Sequence[Mapping[str, float]]

RANKS = 10  # where a measure looks at all ranks: documents further down are rarely relevant, judged or not
MOST_COPIES = 50
MOST_GRADES = 60_000  # in all copies of all lists
LEAST_QUERIES = 4000  # so many in all copies: what chance adds to the mean is then about 0.002


def rankings_of(evaluation: Evaluation, systems: Sequence[str]) -> list[kernels.Rankings] | None:
    """The judged documents of systems, where they are still at hand."""
    found = [run.rankings for system in systems if (run := evaluation.runs.get(system)) is not None]
    at_hand = [rankings for rankings in found if rankings is not None]
    return at_hand if len(at_hand) == len(systems) else None


def only_relevant_judged(evaluation: Evaluation, systems: Sequence[str]) -> bool:
    """Whether no document was judged to be not relevant, such as in held-out items of recommenders: the share of judged
    documents is then that of relevant ones."""
    rankings = rankings_of(evaluation, systems)
    return bool(rankings) and all(bool(levels := each.levels()) and levels[0] > 0 for each in rankings or ())


class UnjudgedDocuments:
    """The unjudged documents of two systems down to rank `k`, for one measure: every list is copied some times, and in every
    copy each of them is relevant with a given probability, always by the same random numbers.

    A document of both systems is relevant in either by itself, which changes no mean. What is found to be relevant counts
    in the ideal lists of both.
    """

    def __init__(
        self,
        measure: Measure,
        k: int,
        names: Sequence[str],
        lists: Sequence[Sequence[GradedList]],
        judged: Sequence[float],
        conventions: Conventions,
        seed: int = 0,
    ) -> None:
        import numpy as np

        self.measure, self.k, self._names, self._lists = measure, k, names, lists
        self._conventions = conventions
        level = getattr(measure, "level", None) or 0.0
        relevant = [grade for grade in judged if (grade >= level if level > 0 else grade > 0)]
        # How often judged documents are relevant there.
        self.rate = len(relevant) / len(judged) if judged else 0.0
        every = sum(len(ranked) + len(grades) for side in lists for ranked, grades in side) or 1
        copies = max(1, min(MOST_COPIES, -(-LEAST_QUERIES // max(1, len(names))), MOST_GRADES // every))
        rng = np.random.default_rng(seed)
        self._copies = copies
        self._draws: list[list[tuple[int, int, float, float]]] = []
        grades = np.array(relevant or [max(1.0, level)])
        for side in lists:
            places = [
                (row, at)
                for row, (ranked, _) in enumerate(side)
                for at, grade in enumerate(ranked[:k])
                if grade is None
            ]
            rows = [(row + copy * len(side), at) for copy in range(copies) for row, at in places]
            chances, drawn = rng.random(len(rows)), rng.choice(grades, len(rows))
            self._draws.append(
                [
                    (row, at, chance, grade)
                    for (row, at), chance, grade in zip(rows, chances, drawn, strict=True)
                ]
            )

    def values(self, rate: float) -> ValuesAtRate:
        """The mean values over copies, of either system, by query."""
        relevant = [
            [(row, at, grade) for row, at, chance, grade in draws if chance < rate] for draws in self._draws
        ]
        found: list[list[float]] = [[] for _ in range(self._copies * len(self._names))]
        for of_side in relevant:
            for row, _, grade in of_side:
                found[row].append(grade)
        means = []
        for side, drawn in zip(self._lists, relevant, strict=True):
            lists = [list(ranked) for _ in range(self._copies) for ranked, _ in side]
            judged = [list(grades) for _ in range(self._copies) for _, grades in side]
            for row, at, grade in drawn:
                lists[row][at] = grade
            for row, grades in enumerate(found):
                judged[row] += grades
            rankings = Rankings.from_grades(lists, judged, self._conventions)
            values = list(self.measure.settled(rankings))
            by_copy = [values[at :: len(side)] for at in range(len(side))]
            means.append({name: sum(of) / len(of) for name, of in zip(self._names, by_copy, strict=True)})
        return means


def unjudged_documents(
    evaluation: Evaluation, measure: Measure, systems: Sequence[str], depth: int | None
) -> UnjudgedDocuments | None:
    """Those of two systems down to a rank, in the queries that have some; None where they are not known, or where the
    measure looks at more than ranks and the grades of relevant documents."""
    rankings = rankings_of(evaluation, systems)
    if rankings is None or measure.needs is not GRADES or measure.reads_run:
        return None
    k = depth or RANKS
    values = [evaluation.by_query(measure, system) for system in systems]
    # Numbers that were measured elsewhere may be of further queries than the rankings are.
    judged_queries = rankings[0].queries()
    at = {query: position for position, query in enumerate(judged_queries)}
    if any(each.queries() != judged_queries for each in rankings) or not values[0].keys() <= at.keys():
        return None
    lists: list[list[GradedList]] = [[], []]
    names = []
    judged_grades: list[float] = []
    for query in values[0]:
        if query not in values[1]:
            continue
        pair = [_graded(each, at[query], measure.depth) for each in rankings]
        judged_grades += (grade for ranked, _ in pair for grade in ranked[:k] if grade is not None)
        if any(None in ranked[:k] for ranked, _ in pair):
            names.append(query)
            for side, graded in zip(lists, pair, strict=True):
                side.append(graded)
    conventions = evaluation.conventions.replace(missing="zero")
    try:
        documents = UnjudgedDocuments(measure, k, names, lists, judged_grades, conventions)
        # Lists written out must give the values that were measured: else the measure looks at more than they have.
        again = documents.values(0.0)
    except InputError:
        return None
    return documents if all(_same(one, other) for one, other in zip(again, values, strict=True)) else None


def _graded(rankings: kernels.Rankings, position: int, depth: int | None) -> GradedList:
    """The list of one query, down to where the measure looks, or to its last judged document; and the grades that it, or
    an ideal list, may have."""
    retrieved, ranks, grades, judged = rankings.query(position)
    length = min(retrieved, depth if depth is not None else max([RANKS, *map(int, ranks)]))
    ranked: list[float | None] = [None] * length
    for rank, grade in zip(ranks, grades, strict=True):
        if rank <= length:
            ranked[int(rank) - 1] = grade
    others = [grade for grade in ranked if grade is not None and grade <= 0]
    return ranked, [*(grade for grade in judged if grade > 0), *others]


def _same(again: Mapping[str, float], values: Mapping[str, float]) -> bool:
    return all(abs(value - values[query]) <= 1000 * ROUNDING for query, value in again.items())
