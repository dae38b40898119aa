"""Instructions: one topic asked in several ways, and whether a system does what each of them says."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import run_of
from idealist.measures.families.gain import NDCG
from idealist.measures.query_groups import OfQueryGroups, mean_of_groups, positions, query_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.gains import Gain


class Robustness(OfQueryGroups, name="Robustness", aliases={"robustness_at_10": {"k": "10"}}):
    """Robustness: the lowest nDCG@k that a topic has, however it is asked.

    The table of profiles has a row per query: query, topic. A query's own value is its nDCG; the aggregate is the mean
    over topics of the lowest. Undefined where nDCG is. Oh and others, INSTRUCTIR, 2024.

    >>> from idealist import evaluate
    >>> topics = {"query": ["1a", "1b", "2"], "topic": ["1", "1", "2"]}
    >>> run = {"1a": ["x"], "1b": ["y"], "2": ["x"]}
    >>> judged = {"1a": {"x": 1}, "1b": {"x": 1}, "2": {"x": 1}}
    >>> result = evaluate(run, judged, ["Robustness@10", "nDCG@10"], profiles=topics)
    >>> result.aggregate("Robustness@10"), round(result.aggregate("nDCG@10"), 4)  # (0 + 1)/2, (1 + 0 + 1)/3
    (0.5, 0.6667)
    """

    k: int = 10
    gain: Gain = "linear"
    column_needed = "topic"

    def values(self, rankings: Rankings) -> Values:
        query_groups(rankings, "topic")  # refuses a table without topics, whoever asks
        return NDCG(self.k, self.gain).values(rankings)

    def pooled(self, rankings: Rankings) -> float:
        values = list(self.completed(self.values(rankings), rankings.native, rankings.conventions))
        lowest = []
        for members in query_groups(rankings, "topic").values():
            defined = [values[at] for at in members if values[at] == values[at]]
            lowest += [min(defined)] if defined else []
        return mean_of_groups(lowest, rankings.conventions, self)


class PairwiseMRR(OfQueryGroups, name="p-MRR", aliases={"p_MRR": {}, "pMRR": {}}):
    """p-MRR: how far documents move down that a changed instruction makes irrelevant; 0 if the system ignores it.

    The mean of 1 − o/n if o < n, else n/o − 1, over the documents judged relevant for a topic's first query and not
    relevant for the changed one, where o and n are their ranks for the first and the changed query, one below the last
    if they were not retrieved: 1 is best, −1 the opposite of what was asked. The table of profiles has a row per query:
    query, topic, position, which is 1 for the first. The aggregate is the mean over changed queries; for a first query,
    and where no judgment changed, it is undefined. Weller and others, FollowIR, 2024.

    >>> from idealist import evaluate
    >>> topics = {"query": ["1", "1b"], "topic": ["1", "1"], "position": [1, 2]}
    >>> run = {"1": ["x", "y", "z"], "1b": ["y", "x", "z"]}
    >>> judged = {"1": {"x": 1, "y": 1}, "1b": {"x": 0, "y": 1}}
    >>> evaluate(run, judged, "p-MRR", profiles=topics).aggregate("p-MRR")  # x fell from 1 to 2: 1 − 1/2
    0.5
    """

    level: float = 1.0
    bounds = (-1.0, 1.0)
    column_needed = "topic"
    averages_ties = False
    favours_better = False
    reads_run = True

    def values(self, rankings: Rankings) -> Values:
        place = positions(rankings, "topic")
        values = [float("nan")] * len(place)
        for members in query_groups(rankings, "topic").values():
            first = next((at for at in members if place[at] == 1), None)
            for at in members:
                if first is not None and at != first:
                    values[at] = self._moved(rankings, rankings.queries[first], rankings.queries[at])
        return kernels.Values(values)

    def _moved(self, rankings: Rankings, first: str, changed: str) -> float:
        run, judgments = rankings.view(run_of), rankings.judgments
        assert judgments is not None, "rankings of a run have judgments"
        grades = judgments[changed]
        irrelevant = [
            document
            for document, grade in judgments[first].items()
            if grade >= self.level and grades.get(document, self.level) < self.level
        ]
        if not irrelevant or first not in run or changed not in run:
            return float("nan")
        before, after = (_ranks(run.ranking(query, rankings.conventions)) for query in (first, changed))
        moves = 0.0
        for document in irrelevant:
            o, n = before.get(document, len(before) + 1), after.get(document, len(after) + 1)
            moves += 1.0 - o / n if o < n else n / o - 1.0
        return moves / len(irrelevant)

    def pooled(self, rankings: Rankings) -> float:
        moved = [value for value in self.values(rankings) if value == value]
        return sum(moved) / len(moved) if moved else float("nan")


def _ranks(order: list[str]) -> dict[str, int]:
    return {document: rank for rank, document in enumerate(order, 1)}
