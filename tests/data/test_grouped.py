"""Judgments by group from dicts: any numeric type, any text, never changed."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.strategies import grouped_tasks

from idealist import Conventions, InputError, evaluate
from idealist.data import GroupedJudgments, RunFile

JAGUAR = {"jaguar": {"car": {"d1": 1}, "cat": {"d1": 1, "d2": 2}}}


@given(grouped_tasks())
def test_dicts_come_back_as_they_were(task: Any) -> None:
    queries = task[1]
    before = copy.deepcopy(queries)
    judgments = GroupedJudgments(queries)
    assert judgments.to_dict() == dict(judgments.items()) == queries == before
    assert list(judgments) == judgments.keys()
    assert judgments.keys() == sorted(queries, key=lambda q: q.encode("utf-8", "surrogateescape"))
    assert len(judgments) == len(queries)
    assert all(query in judgments for query in queries)
    again = pickle.loads(pickle.dumps(judgments))
    assert again == judgments
    assert hash(again) == hash(judgments)
    for query in judgments.plain():
        grades = [pair for documents in queries[query].values() for pair in documents.items()]
        highest = {document: max(g for d, g in grades if d == document) for document, _ in grades}
        assert judgments.plain()[query] == highest


def test_pickles_keep_everything() -> None:
    judgments = GroupedJudgments(
        JAGUAR, weights={"jaguar": {"car": 3, "cat": 1}}, name="web", source="web.qrels"
    )
    again = pickle.loads(pickle.dumps(judgments))
    assert (again, again.name, again.source) == (judgments, "web", "web.qrels")
    assert again.weights("jaguar") == {"car": 3.0, "cat": 1.0}


def test_equal_when_grades_and_weights_are() -> None:
    judgments = GroupedJudgments(JAGUAR)
    assert judgments == GroupedJudgments(JAGUAR, name="another")
    assert judgments != GroupedJudgments({"jaguar": {"car": {"d1": 2}, "cat": {"d1": 1, "d2": 2}}})
    assert judgments != GroupedJudgments(JAGUAR, weights={"jaguar": {"car": 3, "cat": 1}})
    assert judgments != judgments.plain()
    assert judgments != JAGUAR


def test_nothing_changes_them() -> None:
    judgments = GroupedJudgments(JAGUAR)
    judgments["jaguar"]["car"]["d1"] = 5
    judgments.to_dict()["jaguar"].clear()
    judgments.weights("jaguar").clear()
    assert judgments == GroupedJudgments(JAGUAR)
    assert judgments.weights("jaguar") == {"car": 1.0, "cat": 1.0}
    with pytest.raises(AttributeError, match="immutable"):
        judgments.name = "x"
    with pytest.raises(KeyError):
        judgments["tiger"]


def test_whole_numbers_and_any_mapping_will_do() -> None:
    numbers = GroupedJudgments({1: {2: {3: np.int64(1)}}}, weights={1: {2: np.float32(0.5)}})
    assert numbers == GroupedJudgments({"1": {"2": {"3": 1.0}}}, weights={"1": {"2": 0.5}})
    inner = MappingProxyType({"car": MappingProxyType({"d1": 1})})
    assert GroupedJudgments(MappingProxyType({"q": inner})) == GroupedJudgments({"q": {"car": {"d1": 1}}})


def test_repr_counts() -> None:
    assert repr(GroupedJudgments({"q": {"1": {}}})) == "<GroupedJudgments 'judgments': 1 query, 1 group>"
    two = GroupedJudgments({"q": {"1": {}}, "r": {"1": {}}}, name="web")
    assert repr(two) == "<GroupedJudgments 'web': 2 queries, 2 groups>"


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([1], r"expected {query: {group: {document: grade}}}, found \[1\]"),
        ({"q": [1]}, "query 'q': expected {group: {document: grade}}, found list"),
        ({"q": {"d1": 1}}, "query 'q', group 'd1': expected {document: grade}, found int"),
        ({"q": {"car": {"d": "1"}}}, "query 'q', group 'car', document 'd': the grade is text"),
        ({"q": {"car": {"d": float("nan")}}}, "query 'q', group 'car', document 'd': the grade is nan"),
        ({"q": {"car": {"d": float("inf")}}}, "document 'd': the grade is infinite"),
        ({"q": {"car": {2.5: 1}}}, "query 'q', group 'car': a document's id is 2.5"),
        ({"q": {None: {}}}, "query 'q': a group's id is None"),
        ({None: {}}, "a query's id is None"),
        ({"1": {}, 1: {}}, "query '1' appears twice"),
        ({"q": {"1": {}, 1: {}}}, "query 'q', group '1' appears twice"),
        ({"q": {"car": {"1": 1, 1: 1}}}, "query 'q', group 'car': document '1' appears twice"),
    ],
)
def test_bad_judgments(queries: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        GroupedJudgments(queries)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights must be {query: {group: weight}}"),
        ({"jaguar": 1}, "the weights of query 'jaguar' must be {group: weight}, not 1"),
        ({"tiger": {}}, "there are weights for query 'tiger', which is not judged"),
        ({"jaguar": {"car": 1, "cat": 1, "os": 1}}, "group 'os' of query 'jaguar' .* no such group"),
        ({"jaguar": {"car": 1}}, "group 'cat' of query 'jaguar' has no weight"),
        (
            {"jaguar": {"car": 1, "cat": -1}},
            "the weight of group 'cat' of query 'jaguar' must be 0 or more, not -1",
        ),
        (
            {"jaguar": {"car": 1, "cat": float("nan")}},
            "the weight of group 'cat' of query 'jaguar' must be a number, not nan",
        ),
        (
            {"jaguar": {"car": 1, "cat": float("inf")}},
            "the weight of group 'cat' of query 'jaguar' must be finite, not inf",
        ),
        (
            {"jaguar": {"car": 1, "cat": "1"}},
            "the weight of group 'cat' of query 'jaguar' must be a number, not '1'",
        ),
        ({"jaguar": {"car": 0, "cat": 0}}, "the weights of query 'jaguar' add up to 0"),
        ({"jaguar": {"car": 1e308, "cat": 1e308}}, "add up to inf"),
        ({"jaguar": {"car": 1, None: 1}}, "a group's id is None"),
    ],
)
def test_bad_weights(weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        GroupedJudgments(JAGUAR, weights=weights)


def test_nothing_to_measure() -> None:
    with pytest.raises(InputError, match="the judgments have no queries"):
        evaluate(GroupedJudgments({}), {"q": {"a": 1.0}}, "StRecall")
    with pytest.raises(InputError, match="no query in common"):
        evaluate(GroupedJudgments(JAGUAR), {"q": {"a": 1.0}}, "StRecall")


def test_several_runs_and_missing_queries() -> None:
    judgments = GroupedJudgments({**JAGUAR, "tiger": {"cat": {"d3": 1}}})
    runs = {"a": {"jaguar": {"d1": 1.0}}, "b": {"jaguar": {"d2": 1.0}, "tiger": {"d3": 1.0}}}
    result = evaluate(judgments, runs, "StRecall@1")
    assert result.by_query("StRecall@1", "a") == {"jaguar": 1.0, "tiger": 0.0}
    assert result.by_query("StRecall@1", "b") == {"jaguar": 0.5, "tiger": 1.0}
    skipped = evaluate(judgments, runs, "StRecall@1", conventions=Conventions(missing="skip"))
    assert skipped.by_query("StRecall@1", "a") == {"jaguar": 1.0}


def test_a_run_from_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"jaguar Q0 d2 1 1 t\n",), daemon=True)
    writer.start()
    assert evaluate(GroupedJudgments(JAGUAR), RunFile(path), "StRecall").mean("StRecall") == 1 / 2
    writer.join()
