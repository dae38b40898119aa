"""Guards over two measured systems: the same queries, and what unjudged documents could change."""

from __future__ import annotations

from math import ceil

from idealist.base.wording import count_queries, percent
from idealist.comparison.verdict import CANNOT_TELL, Guard
from idealist.data import Rankings
from idealist.data.needs import GRADES
from idealist.errors import InputError
from idealist.evaluation.aggregates import ROUNDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from idealist import kernels
    from idealist.conventions import Conventions
    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure

    # The grades of one list from rank 1 on, None where a document is not judged, and all judged grades of its query.
    GradedList = tuple[list[float | None], list[float]]
    # The values of two systems by query, where they are others.
    ValuesAtRate = Sequence[Mapping[str, float]]


JUDGED_GAP = 0.02  # shares of judged documents that differ by less are the same
LOW_SHARE = 0.5  # of judged documents: with less, most of what is compared is not judged
DECIDED = ("ship", "block")
STEPS = 5  # halvings of the rate at which a verdict turns
WHAT_TO_JUDGE = "`idealist plan next` says what to judge"


def judged_depths(evaluation: Evaluation) -> list[int | None]:
    """The cut-offs where shares of judged documents are compared, the least first: those of the
    measures; all ranks, where few documents are judged anyway, only if no measure has one."""
    stated: list[int | None] = [k for k in evaluation.judged if k is not None]
    return stated or list(evaluation.judged)


def judged_at(k: int | None) -> str:
    """The label of the share of judged documents.

    >>> judged_at(10), judged_at(None)
    ('judged@10', 'judged (all ranks)')
    """
    return "judged (all ranks)" if k is None else f"judged@{k}"


def equally_judged(
    evaluation: Evaluation,
    measure: Measure,
    baseline: str,
    system: str,
    outcome: Callable[[ValuesAtRate | None], str] | None = None,
    *,
    rate: float | None = None,
) -> list[Guard]:
    """Whether what is not judged could turn the verdict.

    Where the two systems have equal shares of judged documents, and not low ones, it could not. Otherwise `outcome` is asked
    for the verdict if the unjudged documents above the cut-off were relevant as often as judged ones are there, or at the
    `rate` that is stated. Without `outcome` the shares must be equal. There is no guard where no measure needs judgments, or
    where relevant documents alone are judged: the share then rises as the system gets better.
    """
    depths = judged_depths(evaluation)
    systems = (baseline, system)
    if not depths or only_relevant_judged(evaluation, systems):
        return []
    k = measure.depth if measure.depth in depths else depths[0]
    before, after = (evaluation.judged[k][name] for name in systems)
    gap = abs(after - before)
    passed = not gap > JUDGED_GAP + 1e-9  # shares are sums of floats
    digits = next((d for d in (2, 3, 4, 6) if (round(gap, d) <= JUDGED_GAP) == passed), 9)
    shares = f"{judged_at(k)} {before:.{digits}f} and {after:.{digits}f}: {gap:.{digits}f} apart"
    low = max(before, after) < LOW_SHARE
    if outcome is None or (passed and not low):
        told = f"{shares}, at most {JUDGED_GAP:g} is allowed"
        return [Guard.of("equally judged", passed, told + ("" if passed else f"; {WHAT_TO_JUDGE}"))]
    shares += ", low for both" if low else ""
    as_measured = outcome(None)
    if as_measured not in DECIDED:
        return [Guard("equally judged", CANNOT_TELL, f"{shares}; nothing is decided that they could turn")]
    documents = unjudged_documents(evaluation, measure, systems, k)
    if documents is None:
        unknown = f"{shares}; whether that matters cannot be computed for {measure} here; {WHAT_TO_JUDGE}"
        return [Guard("equally judged", CANNOT_TELL, unknown)]

    def turned(share: float) -> bool:
        return outcome(documents.values(share)) != as_measured

    assumed = documents.rate if rate is None else rate
    beside = "of the judged ones there are" if rate is None else "is the rate that was stated"
    down_to = f"unjudged documents down to rank {documents.k}"
    if turned(assumed):
        turn = min(_turning(turned, 0.0, assumed), assumed)
        told = (
            f"the verdict turns if {percent(turn)} of the {down_to} are relevant; {percent(assumed)} {beside}"
        )
        return [Guard.of("equally judged", False, f"{shares}; {told}; {WHAT_TO_JUDGE}")]
    if not turned(1.0):
        told = f"the verdict would not turn if all {down_to} were relevant"
    else:
        turn = _turning(turned, assumed, 1.0)
        told = f"the verdict would turn if {percent(turn)} of the {down_to} were relevant; {percent(assumed)} {beside}"
    return [Guard.of("equally judged", True, f"{shares}; {told}")]


def _turning(turned: Callable[[float], bool], low: float, high: float) -> float:
    """About where the verdict turns, from a share at which it does not to one at which it does; to a whole percent."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if turned(middle) else (middle, high)
    return ceil(100 * high - 1e-9) / 100


def same_queries(evaluation: Evaluation, baseline: str, system: str) -> list[Guard]:
    """Whether the system answers every query that the baseline answers: what it lacks may be left out of the
    means, or count as a value that is not its own."""
    missing_queries = set(evaluation.missing.get(system, ())) - set(evaluation.missing.get(baseline, ()))
    if not missing_queries:
        return []
    example = min(missing_queries)
    message = (
        f"{count_queries(len(missing_queries))} of {baseline} missing from {system}, such as {example!r}"
    )
    return [Guard.of("same queries", False, message)]


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
            values = list(self.measure.values_with_conventions(rankings))
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
