"""Runs and judgments from dicts: any numeric type, any text, never changed."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.strategies import runs

from idealist import Conventions, InputError, Judgments, Run, evaluate


@given(runs())
def test_dicts_come_back_as_they_were(queries: dict[str, dict[str, float]]) -> None:
    before = copy.deepcopy(queries)
    run = Run(queries)
    assert run.to_dict() == queries == before
    assert len(run) == len(queries)
    assert list(run) == sorted(queries, key=lambda q: q.encode("utf-8", "surrogateescape"))
    assert all(list(run[query].items()) == list(queries[query].items()) for query in run)
    assert pickle.loads(pickle.dumps(run)) == run


@pytest.mark.parametrize(
    "number",
    [2, 2.0, True + 1, np.int8(2), np.int64(2), np.float32(2), np.float64(2), Decimal(2), Fraction(2)],
)
def test_any_number_will_do(number: Any) -> None:
    assert Run({"q": {"a": number}})["q"] == {"a": 2.0}
    assert Judgments({"q": {"a": number}})["q"] == {"a": 2.0}


def test_any_mapping_will_do() -> None:
    inner: dict[str, float] = {"a": 1.0}
    for made in (
        defaultdict(dict, {"q": inner}),
        OrderedDict(q=OrderedDict(inner)),
        MappingProxyType({"q": MappingProxyType(inner)}),
    ):
        assert Run(made) == Run({"q": inner})


def test_an_ordered_dict_has_its_own_order() -> None:
    documents = OrderedDict(a=1.0, b=1.0)
    documents.move_to_end("a")
    assert Run({"q": documents}).ranking("q", Conventions(ties="input-order")) == ["b", "a"]
    conventions = Conventions(ties="input-order")
    assert evaluate({"q": {"b": 1}}, {"q": documents}, "RR", conventions=conventions).mean("RR") == 1


def test_whole_numbers_are_ids() -> None:
    assert Run({1: {10: 0.5, "d": 1}}) == Run({"1": {"10": 0.5, "d": 1}})
    assert Run({np.int64(1): {np.str_("d"): 1}}) == Run({"1": {"d": 1}})


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([1, 2], "run: expected {query: {document: score}}, found a list"),
        ({"q": 5}, "run, query 'q': expected {document: score}, found int"),
        ({"q": {"d": "1"}}, "run, query 'q', document 'd': the score is text, '1', not a number"),
        ({"q": {"d": None}}, "query 'q', document 'd': the score is None"),
        ({"q": {"d": float("nan")}}, "query 'q', document 'd': the score is nan"),
        ({"q": {"d": 10**400}}, "query 'q', document 'd'"),
        ({"q": {"d": 1j}}, "query 'q', document 'd'"),
        ({"q": {2.5: 1}}, "a document's id is 2.5, of type float"),
        ({None: {}}, "a query's id is None"),
        ({"q": {"1": 1, 1: 2}}, "document '1' appears twice"),
        ({"1": {}, 1: {}}, "query '1' appears twice"),
        ({"q": {"\ud800": 1, 5: 1}}, "holds a character that is not valid text"),
    ],
)
def test_bad_dicts(queries: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run(queries)


def test_grades_are_finite_and_scores_need_not_be() -> None:
    assert Run({"q": {"d": float("inf")}})["q"]["d"] == float("inf")
    with pytest.raises(InputError, match="query 'q', document 'd': the grade is infinite"):
        Judgments({"q": {"d": float("inf")}})


def test_a_lone_surrogate_is_an_error_not_a_crash() -> None:
    with pytest.raises(
        InputError, match=r"query 'q': a document's id .* holds a character that is not valid text"
    ):
        Run({"q": {"\ud800": 1.0}})
    assert "\ud800" not in Run({"q": {}})


def test_they_are_immutable_and_say_what_is_in_them() -> None:
    run = Run({"q": {"a": 1, "b": 2}, "r": {}}, name="bm25")
    with pytest.raises(AttributeError):
        run.name = "x"
    assert repr(run) == "<Run 'bm25': 2 queries, 2 documents>"
    assert repr(Judgments({"q": {}})) == "<Judgments 'judgments': 1 query, 0 documents>"
    assert "q" in run
    assert "a" not in run
    assert 3 not in run
    with pytest.raises(KeyError):
        run["nope"]
    with pytest.raises(KeyError):
        run.ranking("nope")
    run["q"]["a"] = 99.0  # a copy
    assert run["q"]["a"] == 1.0


def test_equality_looks_at_what_is_in_them_alone() -> None:
    assert Run({"q": {"a": 1, "b": 2}}, name="x") == Run({"q": {"b": 2, "a": 1}}, name="y")
    assert hash(Run({"q": {"a": 1}})) == hash(Run({"q": {"a": 1}}))
    for other in ({"q": {"a": 1}}, {"q": {"a": 1, "b": 3}}, {"q": {"a": 1, "c": 2}}, {"r": {"a": 1, "b": 2}}):
        assert Run(other) != Run({"q": {"a": 1, "b": 2}})
    assert Run({"q": {"a": 1}}) != Judgments({"q": {"a": 1}})
