"""The documents to judge next: those that can move the difference between systems most."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count
from idealist.base.wording import count_of
from idealist.conventions import DEFAULT
from idealist.data.arguments import runs_in_memory
from idealist.data.collection import whole_number_columns
from idealist.errors import InputError
from idealist.measures.discounts import discount_table, read_discount
from idealist.plan.document_samples import first_documents, judged_grades, place_in_order, queries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.measures.discounts import Discount
    from idealist.types import GivenJudgments, GivenRuns


class OpenDocument(Frozen):
    """An unjudged document, and how much it can move the difference between two systems.

    `move` is what a gain of 1 adds to the difference in DCG@k of its query, for the two systems where that is
    most: the one that ranks it lower, or not at all, then the one that ranks it higher.
    """

    query: str
    document: str
    move: float
    systems: tuple[str, str]


class OpenDifference(Frozen):
    """The difference in mean DCG@k of the second of two systems less the first, with documents still unjudged.

    `judged` counts unjudged documents as worth nothing, as `compare` does. `projected` takes those that favour a
    system to be as good as the judged ones that favour it; None while there are none of these. `unjudged` is how
    many can still move the difference, `reach` how wide the range is that it may lie in, with gains from 0 to 1.
    """

    systems: tuple[str, str]
    judged: float
    projected: float | None
    unjudged: int
    reach: float


class OpenDocuments(Result, list[OpenDocument]):
    """Unjudged documents, those first that can move a difference most."""

    def _gist(self) -> str:
        return count_of(len(self), "document")


class OpenDifferences(Result, list[OpenDifference]):
    """The differences of every run from the first, with documents still unjudged."""

    def _gist(self) -> str:
        return count_of(len(self), "difference")


def next_documents(
    judgments: GivenJudgments,
    runs: GivenRuns,
    *,
    k: int = 10,
    n: int | None = None,
    discount: Discount = "log2",
    conventions: Conventions = DEFAULT,
) -> OpenDocuments:
    """The documents to judge next, those first that can move the difference in DCG@k between two runs most.

    A document with gain g adds g·(d(its rank in B) − d(its rank in A)) to the difference, with d = 0 below rank k;
    one at the same rank in both adds nothing and is left out. Ties stand by a hash of query and document, so that
    the first n are spread over all queries. After Carterette, Allan and Sitaraman, SIGIR 2006.
    They decide between the runs; they are no sample, and the value of each run is better estimated from one.

    >>> a, b = {"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "y": 1.0}}
    >>> print(next_documents({"q": {"x": 1}}, {"a": a, "b": b}))  # y has rank 2 in both
    query  document    move  systems
    q      z         1.0000  a – b
    """
    systems, grades_by_query = _several(runs), judged_grades(judgments)
    open_documents = []
    for query, weights in _weights(systems, k, discount, conventions):
        judged = grades_by_query.get(query, {})
        for document in {document for system_weights in weights.values() for document in system_weights}:
            if document not in judged:
                # The two systems that are farthest apart on it; the first of several.
                by_weight = {
                    name: system_weights.get(document, 0.0) for name, system_weights in weights.items()
                }
                low, high = (
                    min(by_weight, key=by_weight.__getitem__),
                    max(by_weight, key=by_weight.__getitem__),
                )
                open_documents.append(
                    OpenDocument(query, document, by_weight[high] - by_weight[low], (low, high))
                )
    open_documents = [document_open for document_open in open_documents if document_open.move > 0]
    open_documents.sort(
        key=lambda document_open: (
            -document_open.move,
            place_in_order(0, document_open.query, document_open.document),
        )
    )
    documents = OpenDocuments(
        open_documents if n is None else open_documents[: as_count(n, "the number of documents")]
    )
    documents.whole_number_columns = whole_number_columns(*systems.values())
    return documents


def grouped_by_query(documents: Iterable[OpenDocument]) -> list[OpenDocument]:
    """The documents of a query together, as one rater judges them; the query of the first document first."""
    listed = list(documents)
    place = {query: at for at, query in enumerate(dict.fromkeys(document.query for document in listed))}
    return sorted(listed, key=lambda document: place[document.query])


def open_differences(
    judgments: GivenJudgments,
    runs: GivenRuns,
    *,
    k: int = 10,
    discount: Discount = "log2",
    conventions: Conventions = DEFAULT,
) -> OpenDifferences:
    """Every run compared with the first: the difference in mean DCG@k over all queries of the runs, as far as it is
    judged, and projected from what was judged. Gains are grades, 0 where a grade is negative.

    >>> a, b = {"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "w": 1.0}}
    >>> (one,) = open_differences({"q": {"x": 1, "z": 2}}, {"a": a, "b": b})
    >>> one.judged, round(one.projected, 4)  # 2 − 1, and (2 − 1)·(1 + 1/log2(3))
    (1.0, 1.6309)
    """
    systems, grades_by_query = _several(runs), judged_grades(judgments)
    baseline, *compared = systems
    # By the other system and whom a document favours: Σ move·gain and Σ move of the judged, Σ move of the rest.
    sums = {system: {True: [0.0, 0.0, 0.0], False: [0.0, 0.0, 0.0]} for system in compared}
    unjudged = dict.fromkeys(compared, 0)
    queries = 0
    for query, weights in _weights(systems, k, discount, conventions):
        queries += 1
        judged = grades_by_query.get(query, {})
        for system in compared:
            for document in sorted({**weights[baseline], **weights[system]}):
                move = weights[system].get(document, 0.0) - weights[baseline].get(document, 0.0)
                side = sums[system][move > 0]
                if document in judged:
                    side[0] += abs(move) * max(judged[document], 0.0)
                    side[1] += abs(move)
                elif move != 0:
                    side[2] += abs(move)
                    unjudged[system] += 1
    return OpenDifferences(
        _open_difference((baseline, system), sums[system], unjudged[system], queries) for system in compared
    )


def _open_difference(
    systems: tuple[str, str], sums: dict[bool, list[float]], unjudged: int, queries: int
) -> OpenDifference:
    judged_difference = sums[True][0] - sums[False][0]
    projected: float | None = judged_difference
    for favours, sign in ((True, 1.0), (False, -1.0)):
        judged_gain, judged_weight, open_weight = sums[favours]
        if open_weight and not judged_weight:
            projected = None
        elif open_weight and projected is not None:
            projected += sign * open_weight * judged_gain / judged_weight
    return OpenDifference(
        systems,
        judged_difference / (queries or 1),
        None if projected is None else projected / (queries or 1),
        unjudged,
        (sums[True][2] + sums[False][2]) / (queries or 1),
    )


def _several(runs: Any) -> dict[str, Run]:
    systems = runs_in_memory(runs)
    if len(systems) < 2:
        raise InputError(
            "only one run was given, and documents are chosen to tell runs apart",
            hint="give two runs or more",
        )
    return systems


def _weights(
    systems: dict[str, Run], k: int, discount: Discount, conventions: Conventions
) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """For every query, the discounts of each system's first k documents."""
    k = as_count(k, "k")
    table = discount_table(read_discount(discount), k)
    for query in queries_of(systems.values()):
        tops = {name: first_documents(run, query, k, conventions) for name, run in systems.items()}
        # A list may be shorter than k.
        yield query, {name: dict(zip(top, table, strict=False)) for name, top in tops.items()}
