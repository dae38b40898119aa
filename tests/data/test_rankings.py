"""The join: who is ranked where."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import NDCG, Conventions, InputError, Judged, Judgments, P, Rankings, Run
from idealist.data import Ranking, match
from idealist.measures import NumRet

ORDERS = ["id-descending", "id-ascending", "input-order"]


def plain_ranking(
    scores: dict[str, float], judged: dict[str, float], ties: str, unjudged: str
) -> list[tuple[int, float]]:
    """Rank and grade of every judged document, by sorting."""
    documents = list(scores)
    if ties != "input-order":
        documents.sort(key=lambda d: d.encode("utf-8", "surrogateescape"), reverse=ties == "id-descending")
    documents.sort(key=lambda d: -scores[d])
    if unjudged == "removed":
        documents = [d for d in documents if d in judged]
    return [(rank, judged[d]) for rank, d in enumerate(documents, 1) if d in judged]


@given(tasks(), st.sampled_from(ORDERS), st.sampled_from(["not-relevant", "removed"]))
def test_ranks_are_those_of_a_sort(task: Any, ties: str, unjudged: str) -> None:
    run, judgments = task
    rankings = match(Judgments(judgments), run, Conventions(ties=ties, unjudged=unjudged))
    for one in rankings:
        expected = plain_ranking(run.get(one.query, {}), judgments[one.query], ties, unjudged)
        assert list(zip(one.ranks, one.grades, strict=True)) == expected
        assert list(one.judged) == sorted(judgments[one.query].values(), reverse=True)
    assert set(rankings.missing) == set(judgments) - set(run)
    assert set(rankings.empty) == {q for q, docs in judgments.items() if max(docs.values(), default=0) <= 0}


@pytest.mark.parametrize("ties", ORDERS)
@pytest.mark.parametrize("levels", [1, 3, 400])
@pytest.mark.parametrize("judged", [3, 200])
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_long_lists_take_every_path(ties: str, levels: int, judged: int, threads: int) -> None:
    """Sorted and unsorted lists, few and many judged, few and many ties."""
    rng = random.Random(levels * judged)
    run, judgments = {}, {}
    for query in ("in order", "mixed"):
        documents = [f"d{rng.randrange(10**6)}" for _ in range(700)]
        scores = {document: float(rng.randrange(levels)) for document in documents}
        if query == "in order":
            scores = dict(sorted(scores.items(), key=lambda item: -item[1]))
        run[query] = scores
        judgments[query] = {d: float(rng.randrange(3)) for d in rng.sample(sorted(scores), judged)}
        judgments[query] |= {f"lost{i}": 1.0 for i in range(5)}
    rankings = match(Judgments(judgments), Run(run), Conventions(ties=ties), threads=threads)
    assert rankings == match(Judgments(judgments), run, Conventions(ties=ties))
    for one in rankings:
        expected = plain_ranking(run[one.query], judgments[one.query], ties, "not-relevant")
        assert list(zip(one.ranks, one.grades, strict=True)) == expected


def test_bounds_put_unjudged_documents_between() -> None:
    run = {"q": {"good": 1.0, "bad": 1.0, "unknown": 1.0, "worse": 1.0}}
    judgments = Judgments({"q": {"good": 2, "bad": 0, "worse": -1}})
    best = next(iter(match(judgments, run, Conventions(ties="optimistic"))))
    assert (best.ranks, best.grades) == ((1, 2, 4), (2.0, 0.0, -1.0))
    worst = next(iter(match(judgments, run, Conventions(ties="pessimistic"))))
    assert (worst.ranks, worst.grades) == ((1, 3, 4), (-1.0, 0.0, 2.0))


def test_single_precision_ties_what_double_tells_apart() -> None:
    run = {"q": {"a": 16777217.0, "b": 16777216.0}}
    judgments = Judgments({"q": {"a": 1}})
    assert next(iter(match(judgments, run))).ranks == (1,)
    assert next(iter(match(judgments, run, Conventions(precision="single")))).ranks == (2,)


def test_negative_grades_may_count_as_unjudged() -> None:
    run = {"q": {"a": 3.0, "b": 2.0}}
    judgments = Judgments({"q": {"a": -1, "b": 1}})
    (one,) = match(judgments, run, Conventions(negative="unjudged", unjudged="removed"))
    assert one == Ranking("q", 1, (1,), (1.0,), (1.0,))


def test_errors_that_conventions_ask_for() -> None:
    run, judgments = {"q": {"a": 1.0}}, Judgments({"q": {"a": 1}, "r": {"a": -1}, "s": {"a": 0}})
    with pytest.raises(InputError, match=r"query .r. is judged but missing from the run .and 1 more"):
        match(judgments, run, Conventions(missing="error"))
    with pytest.raises(InputError, match="query 'r' has nothing relevant"):
        match(judgments, run, Conventions(empty="error"))
    with pytest.raises(InputError, match="query 'r' has a negative grade"):
        match(judgments, run, Conventions(negative="error"))
    with pytest.raises(InputError, match="ties='random' is not a choice for documents with equal scores"):
        Conventions(ties="random")


def test_a_query_that_is_skipped_is_no_error() -> None:
    run, judgments = {"q": {"a": 1.0}}, Judgments({"q": {"a": 1}, "r": {"a": 0}})
    assert len(match(judgments, run, Conventions(missing="skip", empty="error"))) == 2


def test_many_ties_in_a_long_unsorted_list() -> None:
    """Pairs of equal scores, all judged: every tied group is found in one pass over the list."""
    size = 20_000
    scores = {f"d{i:05}": float(i * 7919 % (size // 2)) for i in range(size)}
    judged = {document: float(i % 3) for i, document in enumerate(scores)}
    (one,) = match(Judgments({"q": judged}), {"q": scores})
    assert list(zip(one.ranks, one.grades, strict=True)) == plain_ranking(
        scores, judged, "id-descending", "not-relevant"
    )


def test_no_query_in_common() -> None:
    judgments = Judgments({"301": {"a": 1}})
    with pytest.raises(
        InputError, match="no query in common\nhint: the run has 'q301', the judgments have '301'"
    ):
        match(judgments, {"q301": {"a": 1.0}})
    with pytest.raises(InputError, match="hint: the run has 'Red Hat', the judgments have 'red hat '"):
        match(
            Judgments({"bag": {"a": 1}, "red hat ": {"a": 1}}), {"shoes": {"a": 1.0}, "Red Hat": {"a": 1.0}}
        )
    with pytest.raises(InputError, match="the run has no queries"):
        match(judgments, {})
    with pytest.raises(InputError, match="the judgments have no queries"):
        match(Judgments({}), {"q": {}})


MATRIX = st.tuples(st.integers(1, 3), st.integers(1, 16))


@given(st.data(), MATRIX, st.sampled_from([*ORDERS, "averaged", "optimistic", "pessimistic"]))
def test_matrices_rank_as_dicts_do(data: st.DataObject, shape: tuple[int, int], ties: str) -> None:
    cells = shape[0] * shape[1]
    scores = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=cells, max_size=cells)))
    grades = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=cells, max_size=cells)))
    scores, grades = scores.reshape(shape), grades.reshape(shape)
    negative = data.draw(st.sampled_from(["not-relevant", "unjudged"]))
    unjudged = data.draw(st.sampled_from(["not-relevant", "removed"]))
    conventions = Conventions(ties=ties, negative=negative, unjudged=unjudged)
    for scores_kind in (np.float64, np.float32):
        for grades_kind in (np.int64, np.int32, np.float64, np.float32, np.int8):
            both = grades.astype(grades_kind), scores.astype(scores_kind)
            dense = Rankings.from_arrays(*both, conventions)
            for k in (1, 2):
                short = Rankings.from_arrays(*both, conventions, depth=k)
                for measure in (P(k=k), NDCG(k=k), Judged(k=k), NumRet()):
                    assert list(measure.values_with_conventions(short)) == list(
                        measure.values_with_conventions(dense)
                    )
            # Columns are ids, and ids are text: the last of eleven, 10, stands behind 1.
            run = {str(q): {str(d): float(s) for d, s in enumerate(row)} for q, row in enumerate(scores)}
            judged = {str(q): {str(d): int(g) for d, g in enumerate(row)} for q, row in enumerate(grades)}
            assert dense == match(Judgments(judged), run, conventions)


def test_bad_matrices() -> None:
    with pytest.raises(InputError, match="row 1, column 2: the score is not a number"):
        Rankings.from_arrays(np.zeros((2, 3)), [[1, 2, 3], [1, 2, np.nan]])
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(InputError, match="row 0, column 1: the grade is not a finite number"):
            Rankings.from_arrays([[0.0, bad]], [[1.0, 2.0]])
    with pytest.raises(InputError, match="scores are a masked array"):
        Rankings.from_arrays([[1]], np.ma.array([[1.0]], mask=[[True]]))
    with pytest.raises(InputError, match="scores are of type <U1, not numbers"):
        Rankings.from_arrays([[0, 1]], [["1", "2"]])
    with pytest.raises(InputError, match="grades have rows of different length"):
        Rankings.from_arrays([[0, 1], [1]], [[1.0, 2.0]])
    with pytest.raises(InputError, match=r"depth must be a whole number, 1 or more, not 1\.5"):
        Rankings.from_arrays([[0, 1]], [[1.0, 2.0]], depth=1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"scores have shape \(1, 2\) and grades \(2, 1\)"):
        Rankings.from_arrays([[0.0], [1.0]], [[1.0, 2.0]])
    with pytest.raises(InputError, match=r"scores have shape \(2,\)"):
        Rankings.from_arrays([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="depth must be a whole number, 1 or more, not 0"):
        Rankings.from_arrays([[1.0]], [[1.0]], depth=0)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_the_first_bad_cell_is_named_on_any_number_of_threads(threads: int) -> None:
    scores, grades = np.zeros((400, 30)), np.zeros((400, 30))
    scores[range(70, 400, 7), 11] = np.nan
    for _ in range(20):
        with pytest.raises(InputError, match="row 70, column 11: the score"):
            Rankings.from_arrays(grades, scores, threads=threads)


def test_empty_matrices() -> None:
    assert len(Rankings.from_arrays(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert len(Rankings.from_arrays(np.zeros((2, 0)), np.zeros((2, 0)))) == 2


def test_what_is_no_list_of_grades() -> None:
    for bad in (None, 3, "321", {3, 2}, {"a": 3}):
        with pytest.raises(InputError, match="a ranking must be a list of grades"):
            NDCG()(bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no conventions are called 'averaged'"):
        Rankings.from_arrays([[1]], [[1.0]], "averaged")  # type: ignore[arg-type]


def test_as_many_judged_lists_as_lists() -> None:
    with pytest.raises(InputError, match="2 lists of grades, but 1 of judged grades"):
        Rankings.from_grades([[1], [0]], judged=[[1]])


def test_repr_and_iteration() -> None:
    rankings = Rankings.from_grades([[1, None], [0]], judged=[[1, 2], None])
    assert repr(rankings) == "<Rankings: 2 queries>"
    assert [one.judged for one in rankings] == [(2.0, 1.0), (0.0,)]
    assert rankings == Rankings.from_grades([[1, None], [0]], judged=[[2, 1], [0]])
    assert rankings != Rankings.from_grades([[1, None], [0]])
