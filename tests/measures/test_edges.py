"""Where definitions meet their edges."""

from __future__ import annotations

import pytest

from idealist import Conventions, InputError, evaluate
from idealist.data import GroupedJudgments, read_objectives
from idealist.measures import Mix, parse


def test_discounts_never_rise_nor_go_below_zero() -> None:
    for text in ("nDCG(discount=[0.1,1])", "DCG(discount=[1,-1])"):
        with pytest.raises(InputError, match="the discount of rank 2"):
            parse(text)
    with pytest.raises(InputError, match="the discount of rank 2, 2, is above that of rank 1"):
        parse("DCG").replace(discount=float)([1, 1])


def test_rounding_does_not_undo_a_definition() -> None:
    grades = [7.046691341409093e17, 5.7000929535789944e16, 9.750995631442353e17, 2.286556325272071e16]
    assert 0 < parse("G")(grades) <= 1
    weights = [0.37052266664574673, 0.7327658089218658, 0.4693201411030239, 0.308529426927731]
    parts = dict(zip(["P@1", "RR", "AP", "nDCG"], weights, strict=True))
    assert Mix(parts=parts)([1]) <= 1


def test_empty_queries_of_measures_that_do_not_look_at_grades() -> None:
    table = read_objectives({"query": ["q", "q"], "doc": ["a", "b"], "x": [1, 0]})
    log = {"query": ["q"], "document": ["a"], "position": [1]}
    for empty in ("zero", "skip", "error"):
        conventions = Conventions(empty=empty)
        run = {"q": {"a": 2.0, "b": 1.0}}
        multi = evaluate(table, run, "Multi(of=nDCG)", conventions=conventions)
        assert multi.mean("Multi(of=nDCG)") == 1.0
        if empty != "error":
            clicked = evaluate({"q": {}}, run, "IPS-DCG", clicks=log, conventions=conventions)
            assert clicked.mean("IPS-DCG") == 1.0


def test_wrappers_follow_what_they_wrap() -> None:
    table = read_objectives({"query": ["q", "p"], "doc": ["a", "b"], "x": [1, 1]})
    run = {"q": {"a": 2.0}, "p": {"b": 1.0}}
    assert evaluate(table, run, "Multi(of=NumRel)").aggregate("Multi(of=NumRel)") == 2.0
    groups = GroupedJudgments({"q": {"1": {"a": 2}, "2": {"b": 1}}})
    run = {"q": {"a": 2.0, "b": 1.0}}
    for text in ("IA(of=P(level=2)@1)", "IA(of=Condensed(of=P(level=2)@1))"):
        assert evaluate(groups, run, text).mean(text) == 1.0
    assert parse("IA(of=CG)").bounds == (0.0, float("inf"))
    with pytest.raises(InputError, match="NumRel cannot be made intent-aware"):
        parse("IA(of=NumRel)")


def test_what_would_be_infinite_is_refused() -> None:
    for items, message in (
        ({"item": ["a"], "popularity": [1.7e308]}, "item 'a' has too large a popularity"),
        ({"item": ["a"], "vector": [[1e200, 0.0]]}, "the vector of item 'a' holds too large a number"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "Popularity@2", items=items)
    utility = "Utility(coefficients=[1e308,1,1,0])"
    with pytest.raises(InputError, match="is infinite for query '0'"):
        parse(utility)([1, 1])
    with pytest.raises(InputError, match=r"ExpectedDepth.*goes too deep"):
        parse("ExpectedDepth(of=RR@3000000000)")([0, 1])
    with pytest.raises(InputError, match=r"rate must be from 1e-09 to 1000000, not 1e-17"):
        parse("NPV(rate=1e-17)")
    sampled = "Sampled(of=RR,items=2000,samples=100,estimator=bias-variance,tradeoff=1e-12)"
    with pytest.raises(InputError, match="tradeoff=1e-12 is too small"):
        parse(sampled)([0] * 50 + [1] + [0] * 50)


def test_gain_tables_in_profiles_may_come_from_json() -> None:
    for gain in ({1: 3, 2: 1}, {"1": 3, "2": 1}, "{1:3,2:1}"):
        profiles = [{"user": "ann", "gain": gain}]
        result = evaluate({"ann": {"a": 1, "b": 2}}, {"ann": {"a": 2.0}}, "pNDCG@1", profiles=profiles)
        assert result.value("pNDCG@1", "ann") == 1.0  # a is worth 3, more than b


def test_what_is_said_beside_the_values() -> None:
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}
    assert evaluate(judged, run, "Accuracy").notes == (
        "run: Accuracy is undefined for 1 query, counted as 0",
    )
    assert evaluate(judged, run, "Accuracy", conventions=Conventions(empty="skip")).notes == ()
    single = evaluate(GroupedJudgments({"q": {"0": {"a": 1}}}), run, "StRecall@1")
    assert single.notes == ("no query has more than one subtopic or group: the second column names them",)
    log = {"query": ["z"], "document": ["a"], "position": [1]}
    clicked = evaluate(judged, run, "IPS-DCG", clicks=log)
    assert clicked.notes[:2] == (
        "clicks: 1 of the log's queries are not judged, and not measured",
        "clicks: 1 of the judged queries have no row in the log",
    )
    profiles = {"User": ["q"], "K": [1], "gian": ["exp"]}
    personal = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, "pNDCG", profiles=profiles)
    assert personal.notes == ("profiles: the column 'gian' is not a setting; did you mean 'gain'?",)
    assert personal.value("pNDCG", "q") == 0.0  # K is k: only x is looked at


def test_a_wrong_scale_names_the_measure() -> None:
    with pytest.raises(InputError, match=r"TBG.*: query '0' has grade 9, above max_grade=4"):
        parse("TBG")([9])
    assert str(parse("ERR@10")) == "ERR(max_grade=4)@10"
    assert str(parse("Residual")) == "Residual(of=RBP)"
