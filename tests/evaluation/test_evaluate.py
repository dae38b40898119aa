"""evaluate and what it gives back."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest

from idealist import AP, NDCG, RR, Conventions, InputError, Judgments, P, Run, evaluate
from idealist.data.collection import frame_of
from idealist.errors import MissingDependency
from idealist.evaluation import Evaluation

RUN = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 1.0}, "q3": {"a": 1.0}}
JUDGMENTS = {"q1": {"b": 1}, "q2": {"b": 2}, "q4": {"a": 1}, "q5": {"a": 0}}
# RR: q1 1/2, q2 1, q4 missing, q5 has nothing relevant and is missing too


def test_values_and_means() -> None:
    result = evaluate(JUDGMENTS, RUN, ["RR", P(k=1), "nDCG@10"])
    assert result.value("RR", "q1") == 1 / 2
    assert result.value(RR(), query="q2") == 1
    assert result.by_query("P@1") == {"q1": 0, "q2": 1, "q4": 0, "q5": 0}
    assert result.mean("RR") == (1 / 2 + 1) / 4
    assert result.n("RR") == 4
    assert result.queries == ["q1", "q2", "q4", "q5"]
    assert result.measures == (RR(), P(k=1), NDCG(k=10))
    assert result.systems == ("run",)
    assert len(result) == 12


def test_inputs_are_never_changed() -> None:
    run, judgments = copy.deepcopy(RUN), copy.deepcopy(JUDGMENTS)
    evaluate(judgments, run, ["RR", "nDCG"])
    assert run == RUN
    assert judgments == JUDGMENTS
    assert list(run) == list(RUN)


@pytest.mark.parametrize(
    ("missing", "empty", "expected", "n"),
    [
        ("zero", "zero", (1 / 2 + 1 + 0 + 0) / 4, 4),
        ("zero", "one", (1 / 2 + 1 + 0 + 1) / 4, 4),
        ("zero", "skip", (1 / 2 + 1 + 0) / 3, 3),
        ("skip", "zero", (1 / 2 + 1) / 2, 2),
        ("skip", "one", (1 / 2 + 1) / 2, 2),
        ("skip", "skip", (1 / 2 + 1) / 2, 2),
    ],
)
def test_missing_and_empty_queries(missing: str, empty: str, expected: float, n: int) -> None:
    conventions = Conventions(missing=missing, empty=empty)
    result = evaluate(JUDGMENTS, RUN, ["RR", "P@1", "NumRet"], conventions=conventions)
    assert result.mean("RR") == pytest.approx(expected)
    # Whoever is left out of one measure is left out of all.
    assert {result.n(measure) for measure in result.measures} == {n}


def test_one_is_for_undefined_values_only() -> None:
    conventions = Conventions(empty="one")
    result = evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["nDCG", "P@1", "NumRel"], conventions=conventions)
    assert result.value("nDCG", "q") == 1
    assert result.value("P@1", "q") == 0
    assert result.value("NumRel", "q") == 0


def test_undefined_at_a_higher_level_is_an_error_when_asked_for() -> None:
    conventions = Conventions(empty="error")
    run, judgments = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    assert evaluate(judgments, run, "AP", conventions=conventions).mean("AP") == 1
    with pytest.raises(InputError, match=r"AP\(level=2\) is undefined for query 'q'"):
        evaluate(judgments, run, AP(level=2), conventions=conventions)


def test_left_out_queries_have_no_value() -> None:
    result = evaluate(JUDGMENTS, RUN, "RR", conventions=Conventions(missing="skip"))
    assert math.isnan(result.value("RR", "q4"))
    assert [one.query for one in result] == ["q1", "q2"]
    assert result.to_dict() == {"run": {"RR": {"q1": 0.5, "q2": 1.0}}}


def test_several_runs() -> None:
    better = {"q1": {"b": 1.0}, "q2": {"b": 1.0}, "q4": {"a": 1.0}, "q5": {}}
    for runs in (
        [Run(RUN, name="old"), Run(better, name="new")],
        {"old": RUN, "new": better},
        {"old": Run(RUN), "new": better},
    ):
        result = evaluate(JUDGMENTS, runs, ["RR"])  # type: ignore[arg-type]
        assert result.systems == ("old", "new")
        assert result.mean("RR", "old") == 1.5 / 4
        assert result.mean("RR", system="new") == 3 / 4
    assert evaluate(JUDGMENTS, [RUN, better], "RR").systems == ("run 1", "run 2")
    with pytest.raises(
        InputError, match="several systems were measured; name one of: old, new\nhint: system='old'"
    ):
        result.mean("RR")
    with pytest.raises(InputError, match="no system is called 'best'"):
        result.mean("RR", "best")
    with pytest.raises(InputError, match="two runs are called 'run'"):
        evaluate(JUDGMENTS, [Run(RUN), Run(better)], "RR")


def test_weights() -> None:
    weights = {"q1": 3, "q2": 1, "q4": 0, "q5": 0, "unused": 7}
    result = evaluate(JUDGMENTS, RUN, ["RR", "NumRet"], weights=weights)
    assert result.mean("RR") == (3 * (1 / 2) + 1 * 1) / 4
    assert result.aggregate("NumRet") == 3  # a count is a count
    skip = evaluate(
        JUDGMENTS, RUN, "RR", weights={**weights, "q4": 100}, conventions=Conventions(missing="skip")
    )
    assert skip.mean("RR") == (3 * (1 / 2) + 1 * 1) / 4
    equal = evaluate(JUDGMENTS, RUN, "RR", weights=dict.fromkeys(JUDGMENTS, 2.5))
    assert equal.mean("RR") == evaluate(JUDGMENTS, RUN, "RR").mean("RR")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"q1": 1}, "query 'q2' has no weight"),
        ({**weights, "q1": -1}, "the weight of query 'q1' must be 0 or more, not -1"),
        ({**weights, "q1": "x"}, "the weight of query 'q1' is text"),
        (dict.fromkeys(JUDGMENTS, 0), "the weights add up to 0"),
        (dict.fromkeys(JUDGMENTS, 1e308), "the weights add up to inf"),
    ]
    with pytest.raises(InputError, match="weights must be a mapping"):
        evaluate(JUDGMENTS, RUN, "RR", weights=[1, 2, 3, 4])
    for bad, message in cases:
        with pytest.raises(InputError, match=message):
            evaluate(JUDGMENTS, RUN, "RR", weights=bad)


def test_whole_numbers_name_queries() -> None:
    result = evaluate({1: {"a": 1}}, {1: {"a": 1.0}}, "RR", weights={1: 2.0})
    assert result.value("RR", 1) == result.mean("RR") == 1


def test_thread_counts_are_checked() -> None:
    for threads in (0, -1, 2.5):
        with pytest.raises(InputError, match="threads must be a whole number"):
            evaluate(JUDGMENTS, RUN, "RR", threads=threads)  # type: ignore[arg-type]
    assert evaluate(JUDGMENTS, RUN, "RR", threads=10**12).n("RR") == 4


def test_counts_add_up() -> None:
    result = evaluate(JUDGMENTS, RUN, ["NumQ", "NumRet", "NumRel", "NumRelRet"])
    assert [result.aggregate(measure) for measure in result.measures] == [4, 3, 3, 2]


def test_json_holds_everything() -> None:
    result = evaluate(JUDGMENTS, RUN, ["RR", "NumRet"])
    whole = json.loads(result.to_json())
    assert whole["conventions"] == Conventions().to_dict()
    assert whole["summary"] == [
        {"system": "run", "measure": "RR", "mean": 1.5 / 4, "n": 4},
        {"system": "run", "measure": "NumRet", "sum": 3, "n": 4},
    ]
    assert whole["by_query"] == result.to_dict()
    assert "by_query" not in json.loads(result.to_json(by_query=False))


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames(library: str) -> None:
    pytest.importorskip(library)
    frame: Any = evaluate(JUDGMENTS, RUN, ["RR", "P@1"]).to_frame(library)
    columns = (
        frame.to_pydict()
        if library == "pyarrow"
        else frame.to_dict("list")
        if library == "pandas"
        else frame.to_dict(as_series=False)
    )
    assert list(columns) == ["system", "query", "measure", "value"]
    assert columns["query"][:3] == ["q1", "q1", "q2"]
    assert columns["value"][:2] == [0.5, 0.0]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_whole_numbers_come_back_from_frames_as_such(library: str) -> None:
    pytest.importorskip(library)

    def queries(judgments: Any) -> list[Any]:
        frame: Any = evaluate(judgments, {1: {"a": 1.0}, 10: {"a": 1.0}}, "RR").to_frame(library)
        return list(frame["query"].to_pylist() if library == "pyarrow" else frame["query"].to_list())

    judged: Any = {10: {"a": 1}, 1: {"a": 1}}
    assert queries(judged) == queries(Judgments(judged)) == [1, 10]
    assert queries({"10": {"a": 1}, "1": {"a": 1}}) == ["1", "10"]
    assert queries({"10": {"a": 1}, 1: {"a": 1}}) == ["1", "10"]  # not all of them
    columns = {"query": [10, 1], "document": ["a", "a"], "grade": [1, 1]}
    frame = frame_of(columns, library)
    assert queries(frame) == queries(Judgments(frame)) == [1, 10]
    assert queries(frame_of({**columns, "query": ["10", "1"]}, library)) == ["1", "10"]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_hold_what_iterating_gives(library: str) -> None:
    pytest.importorskip(library)
    result = evaluate(
        JUDGMENTS, [RUN, {"q1": {"a": 1.0}}], ["RR", "P@1"], conventions=Conventions(missing="skip")
    )
    frame: Any = result.to_frame(library)
    columns = [
        frame[name].to_pylist() if library == "pyarrow" else list(frame[name])
        for name in ("system", "query", "measure", "value")
    ]
    assert list(zip(*columns, strict=True)) == [(v.system, v.query, str(v.measure), v.value) for v in result]
    assert len(columns[0]) < len(result.queries) * 4  # some have no value


def test_frames_that_cannot_be() -> None:
    result = evaluate(JUDGMENTS, RUN, "RR")
    with pytest.raises(
        InputError, match="the library of a frame must be polars, pandas or pyarrow, not 'excel'"
    ):
        result.to_frame("excel")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingDependency, match="polars is not installed"):
        evaluate(JUDGMENTS, RUN, "RR").to_frame("polars")


def test_notes_tell_what_was_not_measured() -> None:
    result = evaluate(JUDGMENTS, RUN, "RR")
    assert result.notes == (
        "run: 2 queries judged but not in the run, counted as empty rankings",
        "run: 1 query in the run but not judged, not measured",
        "1 query judged, but with nothing relevant: counted as 0 where a measure is undefined",
    )
    judged, run = {"p": {"a": 0}, "q": {"a": 1}, "r": {}}, {"p": {"a": 1.0}, "q": {"a": 1.0}, "r": {"a": 1.0}}
    for empty, told in (("zero", "counted as 0"), ("one", "counted as 1"), ("skip", "left out")):
        several = evaluate(judged, {"x": run, "y": run}, "AP", conventions=Conventions(empty=empty))
        assert several.notes == (
            f"2 queries judged, but with nothing relevant: {told} where a measure is undefined",
        )
    assert evaluate(judged, run, "NumRet").notes == ()


def test_what_has_no_mean_over_queries() -> None:
    run = {"p": {"a": 2.0, "b": 1.0}, "q": {"a": 2.0, "b": 1.0}}
    items = {"item": ["a", "b", "c", "d"]}
    result = evaluate(
        {"p": {"a": 1}, "q": {"b": 1}}, run, ["Coverage@2", "NumRet", "GMAP", "AP"], items=items
    )
    assert result.aggregate("Coverage@2") == 2 / 4
    for measure, what in (
        ("Coverage@2", "all queries together"),
        ("NumRet", "the sum over queries"),
        ("GMAP", "the geometric mean"),
    ):
        with pytest.raises(InputError, match=f"{measure} has no mean over queries.*{what}") as caught:
            result.mean(measure)
        assert f"aggregate('{measure}') gives it" in str(caught.value)
    assert result.mean("AP") == result.aggregate("AP") == 0.75


def test_what_it_shows() -> None:
    result: Evaluation = evaluate(JUDGMENTS, RUN, "RR")
    assert repr(result) == "<Evaluation: run; RR; 4 queries>"
    assert str(result).startswith("measure     run  n\nRR       0.3750  4\n\nnote: run: 2 queries judged")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x.run", JUDGMENTS, "RR"), "x.run: there is no such file"),
        (
            (JUDGMENTS, 3, "RR"),
            "a run must be a file, a Run, a frame, a dict of dicts or lists, or a matrix, not 3",
        ),
        ((JUDGMENTS, [], "RR"), "no run was given"),
        (("x.qrels", RUN, "RR"), "x.qrels: there is no such file"),
        ((JUDGMENTS, RUN, "nope"), "no measure is called 'nope'"),
        ((JUDGMENTS, RUN, []), "no measure was named"),
        ((JUDGMENTS, RUN, None), "a measure must be an object or its text form, not None"),
        ((JUDGMENTS, RUN, NDCG), "NDCG is a class of measures"),
        ((JUDGMENTS, RUN, [NDCG]), "NDCG is a class of measures"),
        ((JUDGMENTS, {"q1": {"a": "high"}}, "RR"), "run, query 'q1', document 'a': the score is text"),
    ],
)
def test_bad_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(*arguments)


def test_bad_conventions_and_questions() -> None:
    with pytest.raises(
        InputError, match="no conventions are called 'trec_eval'\nhint: did you mean trec_eval-9"
    ):
        evaluate(JUDGMENTS, RUN, "RR", conventions="trec_eval")
    result = evaluate(JUDGMENTS, RUN, "RR")
    with pytest.raises(InputError, match="AP was not evaluated"):
        result.mean("AP")
    with pytest.raises(InputError, match="query 'q9' is not judged"):
        result.value("RR", "q9")


def test_one_judgments_object_serves_many_runs() -> None:
    judgments = Judgments(JUDGMENTS)
    assert evaluate(judgments, Run(RUN), "RR").to_dict() == evaluate(judgments, RUN, "RR").to_dict()


def test_how_much_was_judged_is_said_beside_every_mean() -> None:
    run = {"q": {"a": 3.0, "x": 2.0, "y": 1.0}, "p": {"b": 1.0}}
    judgments = {"q": {"a": 1}, "p": {"b": 0}}
    result = evaluate(judgments, run, ["nDCG@2", "RR", "NumRet", "AP"])
    # Of the first two, one of two for q and one of one for p; of all, one of three and one of one.
    assert result.judged == {2: {"run": (1 / 2 + 1) / 2}, None: {"run": pytest.approx((1 / 3 + 1) / 2)}}
    assert result.judged_shares()[0] == {"k": 2, "system": "run", "share": 0.75}
    assert evaluate(judgments, run, "NumRet").judged == {}
