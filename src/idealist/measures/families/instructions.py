"""Instructions: one topic asked in several ways, and whether a system does what each of them says."""

from __future__ import annotations

from idealist.data.item_rankings import run_of
from idealist.kernels import Values
from idealist.measures.families.gain import NDCG
from idealist.measures.query_groups import UNDEFINED, OfQueryGroups, query_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.measures.gains import Gain


class Robustness(OfQueryGroups, name="Robustness", aliases={"robustness_at_10": {"k": "10"}}):
    """Robustness: the lowest nDCG@k that a topic has, however it is asked.

    The table of profiles has a row per query: query, topic. One query of a topic has its value, the others have none.
    Undefined where nDCG is undefined for all of them; where it is for some, the conventions say what that counts as. Oh
    and others, INSTRUCTIR, 2024.

    >>> from idealist import evaluate
    >>> topics = {"query": ["1a", "1b", "2"], "topic": ["1", "1", "2"]}
    >>> run = {"1a": ["x"], "1b": ["y"], "2": ["x"]}
    >>> judged = {"1a": {"x": 1}, "1b": {"x": 1}, "2": {"x": 1}}
    >>> result = evaluate(judged, run, ["Robustness@10", "nDCG@10"], profiles=topics)
    >>> result.aggregate("Robustness@10"), round(result.aggregate("nDCG@10"), 4)  # (0 + 1)/2, (1 + 0 + 1)/3
    (0.5, 0.6667)
    """

    k: int = 10
    gain: Gain = "linear"
    column_needed = grouped_by = "topic"

    def groups(self, rankings: Rankings) -> list[list[int]]:
        return list(query_groups(rankings, self.grouped_by).values())

    def of_groups(self, rankings: Rankings, groups: list[list[int]]) -> list[float]:
        ndcg = NDCG(self.k, self.gain)
        values = list(ndcg.completed(ndcg.values(rankings), rankings.native, rankings.conventions))
        defined = ([values[at] for at in members if values[at] == values[at]] for members in groups)
        return [min(numbers, default=UNDEFINED) for numbers in defined]


class PairwiseMRR(OfQueryGroups, name="p-MRR", aliases={"p_MRR": {}, "pMRR": {}}):
    """p-MRR: how far documents move down that a changed instruction makes irrelevant; 0 if the system ignores it.

    The mean of 1 − o/n if o < n, else n/o − 1, over the documents judged relevant for a topic's first query and not
    relevant for the changed one, where o and n are their ranks for the first and the changed query, one below the last
    if they were not retrieved: 1 is best, −1 the opposite of what was asked. The table of profiles has a row per query:
    query, topic, position, which is 1 for the first. Changed queries have values; first ones, and those for which no
    judgment changed or that the run lacks, have none. Weller and others, FollowIR, 2024.

    >>> from idealist import evaluate
    >>> topics = {"query": ["1", "1b"], "topic": ["1", "1"], "position": [1, 2]}
    >>> run = {"1": ["x", "y", "z"], "1b": ["y", "x", "z"]}
    >>> judged = {"1": {"x": 1, "y": 1}, "1b": {"x": 0, "y": 1}}
    >>> evaluate(judged, run, "p-MRR", profiles=topics).aggregate("p-MRR")  # x fell from 1 to 2: 1 − 1/2
    0.5
    """

    level: float = 1.0
    bounds = (-1.0, 1.0)
    column_needed = grouped_by = "topic"
    averages_ties = False
    favours_better = False
    reads_run = True

    def values(self, rankings: Rankings) -> Values:
        values = [UNDEFINED] * len(rankings)
        for first, *changed in self.groups(rankings):
            for at in changed:
                values[at] = self._moved(rankings, rankings.queries[first], rankings.queries[at])
        return Values(values)

    def values_with_conventions(self, rankings: Rankings) -> Values:
        return self.measured(rankings)  # there is nothing that a query without a change could count as

    def _moved(self, rankings: Rankings, first: str, changed: str) -> float:
        judgments, run = rankings.judgments, rankings.view(run_of)
        assert judgments is not None, "rankings of a run have judgments"
        grades = judgments[changed]
        irrelevant = [
            document
            for document, grade in judgments[first].items()
            if grade >= self.level and grades.get(document, self.level) < self.level
        ]
        if not irrelevant or first not in run or changed not in run:
            return UNDEFINED
        before, after = (_ranks(run.ranking(query, rankings.conventions)) for query in (first, changed))
        moves = 0.0
        for document in irrelevant:
            o, n = before.get(document, len(before) + 1), after.get(document, len(after) + 1)
            moves += 1.0 - o / n if o < n else n / o - 1.0
        return moves / len(irrelevant)


def _ranks(order: list[str]) -> dict[str, int]:
    return {document: rank for rank, document in enumerate(order, 1)}
