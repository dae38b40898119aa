"""RankLib's metrics: our measures under the conventions `ranklib`, and what those cannot say."""

from __future__ import annotations

from itertools import pairwise

from idealist.base.frozen import Frozen
from idealist.conventions import RANKLIB
from idealist.data import Rankings
from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.objective import Objective
from idealist.measures import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.data import Judgments
    from idealist.data.features import Features
    from idealist.measures import Measure

MEASURES = {"MAP": "AP", "NDCG": "nDCG", "DCG": "DCG", "P": "P", "RR": "RR", "ERR": "ERR"}
USUAL_DEPTH = 10


class Metric(Frozen):
    """A metric as RankLib names it: MAP, NDCG@k, DCG@k, P@k, RR@k or ERR@k.

    `highest` is the grade that ERR takes for the highest of the scale. MAP has no cut-off; RR without one is of the whole
    list; the others have 10.

    >>> metric = parse_metric("ndcg@5")
    >>> str(metric), metric.measure()
    ('NDCG@5', NDCG(k=5, gain='exp'))
    """

    name: str
    k: int | None = None
    highest: float = 4.0

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    def measure(self) -> Measure:
        """Our measure of that name, for trainers to choose by."""
        cut = "" if self.k is None else f"@{self.k}"
        scale = f"(max_grade={self.highest!r})" if self.name == "ERR" else ""
        return parse(f"{MEASURES[self.name]}{scale}{cut}", defaults=RANKLIB.parameters)

    def values(self, features: Features, scores: Any, judged: Judgments | None = None) -> ndarray:
        """The value of each query. `judged` (-qrel) are judgments of documents that need not be in the data: MAP and NDCG
        hold a ranking against all of them."""
        import numpy as np

        _refuse_grades(self, features)
        values: ndarray = np.nan_to_num(Objective(features, self.measure(), RANKLIB).query_values(scores))
        if self.name == "P":
            # RankLib's precision of a list shorter than k is a share of the list.
            depth = np.full(len(values), self.k or 0)
            values = values * depth / np.minimum(depth, features.sizes)
        if judged is not None and self.name in ("MAP", "NDCG"):
            return self._against(judged, features, values)
        return values

    def _against(self, judged: Judgments, features: Features, values: ndarray) -> ndarray:
        """The values with what they are divided by taken from all that was judged, not from the data alone."""
        import numpy as np

        there_is = "NumRel" if self.name == "MAP" else "IDCG" if self.k is None else f"IDCG@{self.k}"
        whole = parse(there_is, defaults=RANKLIB.parameters)
        grades = grades_of(features).tolist()
        own = [grades[begin:end] for begin, end in pairwise(features.starts)]
        # Of a query that was not judged, RankLib's MAP is 0, and its NDCG that of the data.
        unknown: list[list[float]] = [[] for _ in own] if self.name == "MAP" else own
        known = [
            np.rint(list(judged[query].values())).tolist() if query in judged else there
            for query, there in zip(features.queries, unknown, strict=True)
        ]
        found, there = _totals(whole, own), _totals(whole, known)
        against: ndarray = values * np.divide(found, there, out=np.zeros(len(values)), where=there > 0)
        return against


def parse_metric(text: str, highest: float = 4.0) -> Metric:
    """The metric that a text of RankLib's names."""
    name, at, depth = text.partition("@")
    name = name.strip().upper()
    if name not in MEASURES:
        raise InputError(
            f"{text!r} is not a metric of RankLib that is supported",
            hint=f"those that are: {', '.join(name if name == 'MAP' else f'{name}@k' for name in MEASURES)}",
        )
    if at and not depth.strip().isdecimal():
        raise InputError(
            f"{text!r}: what follows @ is a number of ranks, not {depth!r}", hint=f"as in {name}@10"
        )
    if name == "MAP":
        return Metric(name, None, highest)
    k = int(depth) if at else None if name == "RR" else USUAL_DEPTH
    return Metric(name, k or None, highest) if name != "P" else Metric(name, k or USUAL_DEPTH, highest)


def _totals(measure: Measure, lists: list[list[float]]) -> ndarray:
    """The values of a measure for which the order of grades does not matter."""
    import numpy as np

    rankings = Rankings.from_grades(lists, conventions=RANKLIB.replace(negative="not-relevant", empty="zero"))
    totals: ndarray = np.nan_to_num(np.asarray(memoryview(measure.values(rankings))))
    return totals


def _refuse_grades(metric: Metric, features: Features) -> None:
    grades = grades_of(features)
    whole = grades == grades.round()
    if not whole.all():
        raise InputError(
            f"row {int((~whole).argmax()) + 1} has the grade {grades[(~whole).argmax()]:g}",
            source=features.source,
            hint="RankLib's metrics are of whole grades; idealist train and evaluate take others",
        )
    if metric.name == "ERR" and len(features) and grades.max() > metric.highest:
        raise InputError(
            f"grade {grades.max():g} is above the highest grade, {metric.highest:g}",
            source=features.source,
            hint="-gmax says the highest grade of the scale",
        )
