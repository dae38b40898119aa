"""Weights of queries: the column of a table that holds them, and weights by query."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from idealist.data.columns import Columns

# What a sample of queries has besides their own columns. The weight is what a query counts in a mean that stands
# for all there was to draw from: it answers for the probability already.
SAMPLING_PROBABILITY = "sampling_probability"
SAMPLING_WEIGHT = "sampling_weight"
WEIGHT = ("weight", "traffic")


class WeightColumn(Frozen):
    """The column that says how much a row counts; for a column of a sample, divided by the probability with
    which the row was drawn."""

    name: str
    divisor: str | None = None

    def __str__(self) -> str:
        return f"column {self.name}" + (f", divided by {self.divisor}" if self.divisor else "")

    def values(self, table: Columns) -> list[float]:
        """The weights of all rows; raises where one is negative."""
        weights = table.numbers(self.name)
        for row, weight in enumerate(weights):
            if weight < 0:
                raise table.wrong(f"{self.name} must be 0 or more, not {weight:g}", row)
        if self.divisor is None:
            return weights
        shares = table.numbers(self.divisor)
        for row, share in enumerate(shares):
            if not 0 < share <= 1:
                raise table.wrong(f"{self.divisor} must be above 0 and at most 1, not {share:g}", row)
        return [weight / share for weight, share in zip(weights, shares, strict=True)]


def find_weight(
    table: Columns, chosen: str | None = None, *, names: tuple[str, ...] = WEIGHT
) -> WeightColumn | None:
    """Finds the column of weights in a table: in a sample that `plan sample` wrote its sampling_weight, else the
    first of `names`; or the one that was chosen. None if there is none of these.

    Queries that were drawn by their traffic carry it in the draw; weighing them by traffic again would count it
    twice. So a column that is chosen in a sample is divided by the sampling_probability, and a sample that lacks
    the column this takes is refused.

    >>> from idealist.data.columns import Columns
    >>> print(find_weight(Columns({"query": ["a"], "traffic": [9], "weight": [2]})))
    column weight
    >>> sample = Columns({"traffic": [9], "sampling_probability": [0.3], "sampling_weight": [30]})
    >>> print(find_weight(sample), "|", find_weight(sample, "traffic"))
    column sampling_weight | column traffic, divided by sampling_probability
    """
    weight, probability = table.find(SAMPLING_WEIGHT), table.find(SAMPLING_PROBABILITY)
    if chosen is not None:
        name = table.named(chosen)
        if name == weight or (weight is None and probability is None):
            return WeightColumn(name)
        if weight is None or probability is None:
            raise _incomplete(table)
        return WeightColumn(name, probability)
    if weight is not None:
        return WeightColumn(weight)
    if probability is not None:
        raise _incomplete(table)
    column = table.find(*names)
    if column is None:
        return None
    if column.lower() == "traffic" and (chance := table.find("probability")) is not None:
        raise table.wrong(
            f"the columns {column} and {chance} look like a sample without its weights",
            hint=f"name the column of weights; {column} again would count twice what was drawn by it",
        )
    return WeightColumn(column)


def _incomplete(table: Columns) -> InputError:
    present, lacking = SAMPLING_PROBABILITY, SAMPLING_WEIGHT
    if table.find(present) is None:
        present, lacking = lacking, present
    return table.wrong(
        f"there is the column {present}, but no {lacking}",
        hint=f"keep both columns that the sample has, or rename {present} if this is no sample",
    )


class QueryWeights:
    """How much every query counts, and in words where that was found: "column traffic of queries.csv"."""

    def __init__(self, weights: Mapping[str, float], label: str) -> None:
        self.weights = dict(weights)
        self.label = label

    def of(self, queries: Iterable[str], state: str) -> list[float]:
        """The weights of these queries, each of which must have one; `state` is what they are, such as "judged"."""
        weights = []
        for query in queries:
            if query not in self.weights:
                raise InputError(
                    f"query {query!r} has no weight in {self.label}, but is {state}",
                    hint="give it a weight; 0 leaves a query out of means",
                )
            weights.append(self.weights[query])
        if not 0 < sum(weights) < float("inf"):
            raise InputError(
                f"the weights add up to {sum(weights):g} over the queries that are {state}: {self.label}",
                hint="it must be above 0, and finite",
            )
        return weights

    def beyond(self, queries: Iterable[str], lack: str) -> list[str]:
        """A remark on queries that have a weight, and nothing else."""
        further_count = len(self.weights.keys() - set(queries))
        if not further_count:
            return []
        return [
            f"{further_count:,} {'query has' if further_count == 1 else 'queries have'} a weight but {lack}, not counted"
        ]


def effective_size(weights: Sequence[float]) -> float:
    """The effective sample size: (Σw)²/Σw², 0 without any."""
    largest = max(weights, default=0.0)
    if not largest > 0:
        return 0.0
    scaled = [weight / largest for weight in weights]
    return sum(scaled) ** 2 / sum(weight * weight for weight in scaled)
