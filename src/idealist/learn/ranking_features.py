"""Features of rankings: the scores of systems as features, what each feature says alone, and what a model loses without it."""

from __future__ import annotations

from itertools import pairwise

from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_seed
from idealist.conventions import DEFAULT
from idealist.data import as_run
from idealist.data.arguments import named_runs, read_judged
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.models.base_model import columns_named
from idealist.learn.objective import Objective
from idealist.statistics.intervals import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from idealist.conventions import Conventions
    from idealist.data.arguments import GivenJudgments, GivenRuns
    from idealist.learn.models.base_model import Model
    from idealist.measures import Measure
    from idealist.statistics.mean_estimates import Interval


def features_of_runs(
    judgments: GivenJudgments | None,
    runs: GivenRuns,
    *,
    fill: float = float("nan"),
    unjudged: float = 0.0,
) -> Features:
    """A row for each document that any of the runs has for a query, and a column for each run.

    `fill` stands for the score of a run that lacks the document; nan is a missing value, which trees take. With
    judgments (None where there are none), rows have grades (`unjudged` for a document that has none), and queries without judgments are left out. A
    judged document that no run found is no row: what is trained and chosen on the rows has the best order of the rows as
    its ideal, and `evaluate` with the judgments that of all.

    >>> bm25, dense = {"q": {"a": 12.5, "b": 11.0}}, {"q": {"b": 0.9, "c": 0.4}}
    >>> features = features_of_runs({"q": {"b": 1}}, {"bm25": bm25, "dense": dense}, fill=0)
    >>> features.names, features.documents, features.grades.tolist(), features.matrix.tolist()
    (('bm25', 'dense'), ('a', 'b', 'c'), [0.0, 1.0, 0.0], [[12.5, 0.0], [11.0, 0.9], [0.0, 0.4]])
    """
    scores = {name: as_run(run).to_dict() for name, run in named_runs(runs).items()}
    grades = None if judgments is None else _grades(judgments)
    queries = dict.fromkeys(query for run in scores.values() for query in run)
    graded = [query for query in queries if grades is None or query in grades]
    if not graded:
        raise InputError(
            "no query of the runs has judgments" if queries else "the runs have no queries",
            hint="check that runs and judgments name queries alike",
        )
    rows: list[list[float]] = []
    sizes: list[int] = []
    documents: list[str] = []
    labels: list[float] = []
    for query in graded:
        lists = [run.get(query, {}) for run in scores.values()]
        union = dict.fromkeys(document for list_scores in lists for document in list_scores)
        rows += [[list_scores.get(document, fill) for list_scores in lists] for document in union]
        sizes.append(len(union))
        documents += union
        if grades is not None:
            labels += [grades[query].get(document, unjudged) for document in union]
    return Features(
        rows,
        sizes=sizes,
        grades=None if grades is None else labels,
        queries=graded,
        documents=documents,
        names=list(scores),
    )


def _grades(judgments: GivenJudgments) -> dict[str, dict[str, float]]:
    from idealist.data.judgments import Judgments

    known = read_judged(judgments)
    plain = known if isinstance(known, Judgments) else known.plain()
    return plain.to_dict()


class FeatureSummary(Frozen):
    """One feature: its numbers, how many are missing, in what share of queries it is constant, and the measure when
    documents are ranked by it alone, the better way round (`descending` says which); a missing number ranks last."""

    name: str
    lowest: float
    mean: float
    highest: float
    deviation: float
    distinct: int
    missing: int
    constant_queries: float
    value: float | None = None
    descending: bool | None = None


class Importance(Frozen):
    """What the measure loses when a feature is shuffled within queries: the mean, its interval over queries, and how
    many queries lose and gain."""

    name: str
    loss: float
    interval: Interval | None
    worse: int
    better: int


def summarise_features(
    features: Features, measure: str | Measure | None = None, conventions: Conventions = DEFAULT
) -> list[FeatureSummary]:
    """Statistics of every feature; with a measure, also what it is worth alone.

    >>> from idealist.data.features import Features
    >>> features = Features([[1.0, 3.0], [1.0, 1.0]], sizes=[2], grades=[0, 1])
    >>> [(one.distinct, one.constant_queries, one.value, one.descending) for one in summarise_features(features, "RR")]
    [(1, 1.0, 1.0, True), (2, 0.0, 1.0, False)]
    """
    import numpy as np

    objective = None if measure is None else Objective(features, measure, conventions)
    starts = features.starts[:-1]
    summaries = []
    for place, name in enumerate(features.names):
        column = features.matrix[:, place]
        known = column[~np.isnan(column)]
        if not len(known):
            raise InputError(
                f"feature {name!r} is missing everywhere", source=features.source, hint="leave it out"
            )
        high, low = np.fmax.reduceat(column, starts), np.fmin.reduceat(column, starts)
        spread = ~(high == low) & ~np.isnan(high)
        value = descending = None
        if objective is not None:
            span = float(known.max() - known.min()) or 1.0
            up = objective.value(np.nan_to_num(column, nan=known.min() - span))
            down = objective.value(np.nan_to_num(-column, nan=-known.max() - span))
            descending = not objective.better(down, up)
            value = up if descending else down
        summaries.append(
            FeatureSummary(
                name,
                float(known.min()),
                float(known.mean()),
                float(known.max()),
                float(known.std()),
                len(np.unique(known)),
                len(column) - len(known),
                float(1 - spread.mean()),
                value,
                descending,
            )
        )
    return summaries


def permutation_importance(
    model: Model,
    features: Features,
    measure: str | Measure,
    conventions: Conventions = DEFAULT,
    *,
    rounds: int = 5,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> list[Importance]:
    """What a model loses by each of its features: the most important first.

    A feature's numbers are shuffled among the documents of each query, `rounds` times; the loss of a query is the mean
    over rounds, and the interval is Student's over queries. Breiman, Random Forests, Machine Learning 2001.
    """
    import numpy as np

    rounds, seed = as_count(rounds, "rounds"), as_seed(seed)
    objective = Objective(features, measure, conventions)
    matrix = np.array(columns_named(features, model.names))
    whole = objective.query_values(model.score(matrix, features.sizes))
    starts = features.starts.tolist()
    importances = []
    for place, name in enumerate(model.names):
        if progress is not None:
            progress(place, len(model.names))
        original = matrix[:, place].copy()
        losses = np.zeros(len(whole))
        for number in range(rounds):
            rng = np.random.default_rng([seed, place, number])
            for begin, end in pairwise(starts):
                matrix[begin:end, place] = rng.permutation(original[begin:end])
            losses += objective.sign * (whole - objective.query_values(model.score(matrix, features.sizes)))
        matrix[:, place] = original
        losses = losses[~np.isnan(losses)] / rounds
        importances.append(
            Importance(
                name,
                float(losses.mean()) if len(losses) else float("nan"),
                mean_interval(losses.tolist(), confidence=confidence),
                int((losses > 0).sum()),
                int((losses < 0).sum()),
            )
        )
    if progress is not None:
        progress(len(model.names), len(model.names))
    return sorted(importances, key=lambda importance: -importance.loss)


def select_features(importances: Sequence[Importance], count: int | None = None) -> list[str]:
    """The names of the `count` most important features; without it, of those whose interval lies above 0."""
    if count is not None:
        most = as_count(count, "the number of features to select")
        return [importance.name for importance in importances[:most]]
    return [
        importance.name
        for importance in importances
        if importance.interval is not None and importance.interval.low > 0
    ]
