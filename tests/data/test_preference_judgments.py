from __future__ import annotations

from typing import Any

import pytest

from idealist import InputError
from idealist.data.preferences import Preferences


def ann(**subgroups: dict[str, float]) -> Preferences:
    return Preferences({"q": {"ann": subgroups}}, source="some.prefs")


def test_levels_of_different_subgroups_are_not_compared() -> None:
    assert ann(s={"a": 2, "b": 1}, t={"c": 9, "d": 8}).preferred("q", "ann") == [("a", "b"), ("c", "d")]


def test_preferences_of_a_group_are_transitive() -> None:
    # a > b > c > e and b > d; nothing between c and d, nor between d and e.
    made = ann(s={"a": 3, "b": 2, "c": 1}, t={"b": 5, "d": 4}, u={"c": 2, "e": 1})
    assert made.preferred("q", "ann") == [
        ("a", "b"), ("a", "c"), ("a", "d"), ("a", "e"), ("b", "c"), ("b", "d"), ("b", "e"), ("c", "e")
    ]  # fmt: skip


def test_equal_levels_are_no_preference() -> None:
    assert ann(s={"a": 1, "b": 1, "c": 0}).preferred("q", "ann") == [("a", "c"), ("b", "c")]


def test_groups_may_contradict_each_other() -> None:
    made = Preferences({"q": {"ann": {"0": {"a": 2, "b": 1}}, "bob": {"0": {"b": 2, "a": 1}}}})
    assert made.preferred("q", "ann") == [("a", "b")]
    assert made.preferred("q", "bob") == [("b", "a")]


def test_it_is_a_mapping_that_does_not_change() -> None:
    given: dict[Any, Any] = {"r": {"ann": {"0": {"b": 1, "a": 2}}}, 7: {1: {2: {3: 4}}}}
    made = Preferences(given)
    given["r"]["ann"]["0"]["b"] = 100
    made["r"]["ann"]["0"]["b"] = 200
    assert list(made) == ["7", "r"]
    assert len(made) == 2
    assert dict(made.items()) == {"r": {"ann": {"0": {"b": 1.0, "a": 2.0}}}, "7": {"1": {"2": {"3": 4.0}}}}
    assert made.plain()["r"] == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(
    ("subgroups", "message"),
    [
        ({"s": {"a": 2, "b": 1}, "t": {"b": 2, "a": 1}}, "'a' and 'b': each is preferred to the other"),
        (
            {"s": {"a": 2, "b": 1}, "t": {"b": 2, "c": 1}, "u": {"c": 2, "a": 1}},
            "each is preferred to the other",
        ),
        ({"s": {"a": 2}, "t": {"a": 0}}, "document 'a' is relevant in one subgroup, and has a level of 0"),
        ({"s": {"a": 0}, "t": {"a": 2}}, "document 'a' is relevant in one subgroup"),
    ],
)
def test_a_group_may_not_contradict_itself(subgroups: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(InputError) as error:
        ann(**subgroups)
    assert error.value.message.startswith("some.prefs: query 'q', group 'ann': ")
    assert message in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1], "expected {query: {group"),
        ({"q": [1]}, "query 'q': expected"),
        ({"q": {"g": [1]}}, "group 'g': expected {subgroup: {document: level}}"),
        ({"q": {"g": {"s": [1]}}}, "subgroup 's'"),
        ({"q": {"g": {"s": {"a": "1"}}}}, "document 'a': the level is text"),
        ({"q": {"g": {"s": {"a": float("nan")}}}}, "the level is nan"),
        ({"q": {"g": {"s": {"a": 1}}, 1.5: {}}}, "a group's id is 1.5"),
        ({"q": {"g": {"1": {"a": 1}, 1: {"a": 1}}}}, "subgroup '1' appears twice"),
        ({"1": {}, 1: {}}, "query '1' appears twice"),
    ],
)
def test_what_cannot_be_right_is_named(given: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        Preferences(given)
    assert message in error.value.message
