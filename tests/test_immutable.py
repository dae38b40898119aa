"""Results stay what they are, and copies of them are equal."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from copy import deepcopy

import pytest

import idealist as il
from idealist.base.frozen import Frozen, FrozenTable
from idealist.base.results import Result
from idealist.comparison import segments
from idealist.fusion import tune_fusion
from idealist.votes import rater_agreement

JUDGMENTS = {f"q{n}": {"a": n % 3, "b": 1, "c": 0} for n in range(6)}
OLD = {f"q{n}": {"b": 3.0, "c": 2.0, "a": 1.0} for n in range(6)}
NEW = {f"q{n}": {"a": 3.0, "b": 2.0, "x": 1.0} for n in range(5)}
VOTES = {"query": ["q1", "q2", "q3"], "vote": ["good", "bad", "good"]}


def evaluation() -> il.evaluation.Evaluation:
    return il.evaluate(JUDGMENTS, {"old": OLD, "new": NEW}, ["nDCG@10", "AP"])


def rated(table: dict[str, list[object]]) -> Result:
    result = rater_agreement(table)
    assert result is not None
    return result


MAKERS: dict[str, Callable[[], Result]] = {
    "evaluation": evaluation,
    "comparison": lambda: il.compare(JUDGMENTS, {"old": OLD, "new": NEW}, ["nDCG@10", "AP"]),
    "contrast": lambda: il.compare(JUDGMENTS, {"old": OLD, "new": NEW}, "AP")["new", "AP"],
    "verdict": lambda: il.compare(JUDGMENTS, {"old": OLD, "new": NEW}, "AP").verdict(),
    "explanation": lambda: il.explain(JUDGMENTS, OLD, query="q1", measure="nDCG@10"),
    "check": lambda: il.check(JUDGMENTS, {"new": NEW}),
    "votes": lambda: il.gsb(VOTES),
    "agreement": lambda: il.evaluation.agree(OLD, NEW),
    "segment": lambda: segments(evaluation(), "AP", {f"q{n}": "ab"[n % 2] for n in range(6)}, "old")[0],
    "difference of tools": lambda: il.why(JUDGMENTS, OLD, "nDCG@10", between=("trec_eval-9", "lightgbm")),
    "fusion": lambda: tune_fusion(JUDGMENTS, [OLD, NEW], "rrf", "AP"),
    "raters": lambda: rated({"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "vote": list("GGSB")}),
}


@pytest.mark.parametrize("name", MAKERS)
def test_copies_are_equal_and_others_are_not(name: str) -> None:
    result = MAKERS[name]()
    assert result == deepcopy(result) == pickle.loads(pickle.dumps(result))
    assert result == MAKERS[name]()
    assert result != object()
    assert hash(result) == hash(deepcopy(result))


@pytest.mark.parametrize("name", MAKERS)
def test_attributes_stay(name: str) -> None:
    result = MAKERS[name]()
    for attribute in [name for name in vars(result) if not name.startswith("_")]:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(result, attribute, None)
        with pytest.raises(AttributeError, match="immutable"):
            delattr(result, attribute)


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_within_can_be_emptied(name: str) -> None:
    """A list of results is a list, and its items stay; what begins with _ is nobody's business."""

    def changeable(value: object, path: str, depth: int = 6) -> list[str]:
        if isinstance(value, (list, dict, set, bytearray)) and not isinstance(value, Result):
            return [path]
        if isinstance(value, (Result, Frozen)):
            parts = {key: part for key, part in vars(value).items() if not key.startswith("_")}
        elif isinstance(value, FrozenTable):
            parts = {str(key): value[key] for key in value}
        else:
            parts = (
                dict(zip(map(str, range(len(value))), value, strict=True)) if isinstance(value, tuple) else {}
            )
        found = []
        if depth:
            for key, part in parts.items():
                found += changeable(part, f"{path}.{key}", depth - 1)
        return found

    assert changeable(MAKERS[name](), name) == []


def test_an_evaluation_cannot_be_emptied() -> None:
    result = evaluation()
    for table in (result.judged, result.judged[10], result.missing, result.runs):
        assert isinstance(table, FrozenTable)
        with pytest.raises(AttributeError):
            table.clear()  # type: ignore[attr-defined]
        with pytest.raises(TypeError):
            table["new"] = 1.0  # type: ignore[index]
    assert result.judged[10] == {"old": 1.0, "new": 2 / 3}
    assert evaluation() != il.evaluate(JUDGMENTS, {"old": OLD, "new": OLD}, ["nDCG@10", "AP"])


def test_frozen_objects_keep_no_dict_and_no_list() -> None:
    class Thing(Frozen):
        table: object
        row: object = ()

    mine = {"a": 1}
    thing = Thing(mine, [1, 2])
    mine["a"] = 2
    assert thing.table == {"a": 1}
    assert thing.row == (1, 2)
    assert hash(thing) == hash(Thing({"a": 1}, (1, 2)))


def test_frozen_objects_are_replaced_as_python_does_it() -> None:
    """`copy.replace`, where Python has it, asks for `__replace__`."""
    for thing, changes in ((il.NDCG(k=10), {"k": 5}), (il.Conventions(), {"ties": "averaged"})):
        changed = thing.__replace__(**changes)
        assert changed == thing.replace(**changes) != thing
        if sys.version_info >= (3, 13):
            assert copy.replace(thing, **changes) == changed
    with pytest.raises(TypeError, match="no parameter 'depth'"):
        il.NDCG().__replace__(depth=3)
