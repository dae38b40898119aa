"""Made-up runs and judgments: few documents, many ties, odd ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from idealist import evaluate

# Bytewise and numeric order differ, one is not ASCII, one is not UTF-8, one looks like another.
DOCUMENTS = ["9", "10", "d1", "D1", "d-1", "é", "中文", "\udcff\udc80", "🙂", "a" * 40, "d2", "d3"]
# pytrec_eval takes UTF-8 only, and trec_eval splits at white space.
UTF8_DOCUMENTS = [document for document in DOCUMENTS if not document.startswith("\udcff")]
QUERIES = ["1", "10", "2", "query", "ü"]

# Few distinct scores make ties; all are exact in single precision.
SCORES = st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0, 2.0, 1e6])
GRADES = st.integers(-2, 4)


def collections(
    numbers: st.SearchStrategy[float], documents: list[str] = DOCUMENTS, smallest: int = 0
) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    one_query = st.dictionaries(st.sampled_from(documents), numbers, min_size=smallest)
    return st.dictionaries(st.sampled_from(QUERIES), one_query, min_size=1)


def runs(
    documents: list[str] = DOCUMENTS, smallest: int = 0
) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    return collections(SCORES, documents, smallest)


def judgments(
    documents: list[str] = DOCUMENTS,
    smallest: int = 0,
    grades: st.SearchStrategy[float] = GRADES,
) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    return collections(grades, documents, smallest)


@st.composite
def tasks(
    draw: st.DrawFn, grades: st.SearchStrategy[float] = GRADES
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """A run and judgments with a query in common."""
    run, judged = draw(runs()), draw(judgments(grades=grades))
    query = draw(st.sampled_from(sorted(run)))
    judged.setdefault(query, {draw(st.sampled_from(DOCUMENTS)): draw(grades)})
    return run, judged


GROUPS = ["1", "2", "10", "cat", "ü"]


@st.composite
def grouped_tasks(
    draw: st.DrawFn,
    documents: list[str] = DOCUMENTS,
    grades: st.SearchStrategy[float] = GRADES,
    smallest: int = 0,
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, dict[str, float]]]]:
    """A run and judgments by group with a query in common."""
    run = draw(runs(documents, smallest))
    one_group = st.dictionaries(st.sampled_from(documents), grades, min_size=smallest, max_size=8)
    one_query = st.dictionaries(st.sampled_from(GROUPS), one_group, min_size=smallest)
    judged = draw(st.dictionaries(st.sampled_from(QUERIES), one_query, max_size=3))
    judged[draw(st.sampled_from(sorted(run)))] = draw(one_query)
    return run, judged


def mixed(mapping: dict[str, Any], random: Any) -> dict[str, Any]:
    """The same entries in another order, and theirs too."""
    entries = [
        (key, mixed(value, random) if isinstance(value, dict) else value) for key, value in mapping.items()
    ]
    random.shuffle(entries)
    return dict(entries)


def check_only_the_query_matters(
    run: dict[str, Any], judged: dict[str, Any], made: Callable[[Any], Any], measures: list[str], random: Any
) -> None:
    """Neither other queries nor the order of rows change a value of judgments that `made` makes."""
    query = next(iter(judged))
    run.setdefault(query, {})
    together = evaluate(made(judged), run, measures)
    shuffled = evaluate(made(mixed(judged, random)), mixed(run, random), measures)
    assert shuffled.to_dict() == together.to_dict()
    alone = evaluate(made({query: judged[query]}), {query: run[query]}, measures)
    for text in measures:
        assert alone.value(text, query) == together.value(text, query)
