"""Features from runs: the score that each system gives a document is a feature of it."""

from __future__ import annotations

from idealist.data import as_run
from idealist.data.arguments import named_runs, read_judged
from idealist.data.features import Features
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.arguments import GivenJudgments, GivenRuns


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
