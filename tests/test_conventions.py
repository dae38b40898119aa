"""Conventions, and those of other tools."""

from __future__ import annotations

import pickle
from math import log2
from typing import Any

import pytest

from idealist import NDCG, Conventions, InputError, Measure, conventions, evaluate, explain
from idealist.conventions import DEFAULT, PRESETS, parse_conventions
from idealist.measures.parameters import PARAMETERS

RUN = {"q": {"a": 3.0, "b": 2.0}, "empty": {"a": 1.0}}
JUDGED = {"q": {"a": 1, "b": 2}, "empty": {"a": 0}}
# Of q: the gains 1 and 3 in the worse order.
EXPONENTIAL = (1 + 3 / log2(3)) / (3 + 1 / log2(3))


def test_parameters_are_for_measures_that_do_not_state_them() -> None:
    chosen = Conventions(parameters={"gain": "exp"})
    measures: list[str | Measure] = [
        "nDCG@10",
        "nDCG(gain=linear)@5",
        "Condensed(of=nDCG@3)",
        NDCG(k=7),
        "RR",
    ]
    result = evaluate(RUN, JUDGED, measures, conventions=chosen)
    assert [str(measure) for measure in result.measures] == [
        "nDCG(gain=exp)@10",
        "nDCG@5",
        "Condensed(of=nDCG(gain=exp)@3)",
        "nDCG@7",
        "RR",
    ]
    assert result.value("nDCG@10", "q") == pytest.approx(EXPONENTIAL)
    assert result.mean("nDCG(gain=exp)@10") == result.mean("nDCG@10")
    assert explain(RUN, JUDGED, "q", conventions=chosen).value == pytest.approx(EXPONENTIAL)


def test_parameters_are_said_by_the_measures() -> None:
    chosen = Conventions(parameters={"gain": "exp"})
    assert str(chosen).endswith("precision double")
    shown = str(evaluate(RUN, JUDGED, ["nDCG@10", "nDCG(gain=linear)@5"], conventions=chosen))
    assert "nDCG(gain=exp)@10" in shown
    assert "nDCG@5" in shown


def test_conventions_are_values() -> None:
    one, same = (Conventions(parameters={"gain": "exp"}) for _ in range(2))
    assert one == same != Conventions()
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(TypeError):
        one.parameters["gain"] = "linear"  # type: ignore[index]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"gian": "exp"}, "no measure has a parameter 'gian'"),
        ({"gain": "quadratic"}, "gain='quadratic' is unknown"),
        ({"level": "x"}, "level='x' is not a number"),
        ("gain=exp", "parameters='gain=exp' is no table of parameters"),
    ],
)
def test_bad_parameters(parameters: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluate(RUN, JUDGED, "nDCG@10", conventions=Conventions(parameters=parameters))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names(name: str) -> None:
    constant = name.upper().replace("-", "_")
    found = parse_conventions(name)
    assert found is (DEFAULT if name == "idealist" else getattr(conventions, constant))
    assert set(found.parameters) <= set(PARAMETERS)


def test_an_unknown_preset_lists_those_that_are_known() -> None:
    with pytest.raises(InputError, match=r"are called 'lucene'\nhint: one of idealist, trec_eval-9, "):
        parse_conventions("lucene")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trec_eval-9,missing", "'missing' is not choice=value"),
        ("trec_eval-9,missing=none", "missing='none' is no choice for judged queries missing from the run"),
        ("", "no conventions are called ''"),
    ],
)
def test_bad_texts(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_conventions(text)


def test_a_preset_changes_the_value() -> None:
    # LightGBM counts the empty query as 1.
    result = evaluate(RUN, JUDGED, "nDCG@10", conventions=conventions.LIGHTGBM)
    assert result.mean("nDCG@10") == pytest.approx((EXPONENTIAL + 1) / 2)


def test_conventions_of_a_tool_on_the_command_line(idealist: Any, shop: Any) -> None:
    files = [shop / "shop.qrels", shop / "a.run"]
    done = idealist("evaluate", *files, "-m", "nDCG@10", "--conventions", "lightgbm", "--empty", "skip")
    assert done.returncode == 0, done.stderr
    assert "nDCG(gain=exp)@10" in done.stdout
    assert "ties input-order · missing skip · empty skip · negative error" in done.stdout
    done = idealist("evaluate", *files, "-m", "nDCG@10", "--conventions", "lightgbm", "--gain", "linear")
    assert "nDCG@10" in done.stdout
    assert "exp" not in done.stdout
    done = idealist("explain", *files, "--query", "red-lipstick", "--conventions", "lightgbm")
    assert "nDCG(gain=exp)@10 of query red-lipstick = " in done.stdout, done.stderr
    done = idealist("evaluate", *files, "--conventions", "lucene")
    assert done.returncode == 2
    assert "no conventions are called 'lucene'" in done.stderr


def test_the_conventions_of_all_tools_in_a_table(idealist: Any) -> None:
    shown = idealist("conventions").stdout.splitlines()
    assert shown[0].split()[:4] == ["tool", "ties", "missing", "empty"]
    assert [line.split()[0] for line in [shown[1], *shown[3:-2]]] == list(PRESETS)
    assert next(line for line in shown if line.startswith("lightgbm")).split() == [
        "lightgbm", "input-order", "skip", "one", "error", "exp", "reachable",
    ]  # fmt: skip


def test_the_conventions_of_one_tool(idealist: Any) -> None:
    shown = idealist("conventions", "catboost").stdout
    assert "ties       pessimistic   the worst order of the tied documents, by grade" in shown
    assert "besides: its MAP and MRR count empty queries as zero" in shown
    shown = idealist("conventions", "lightgbm,empty=skip,foo=bar").stdout
    assert "empty      skip" in shown
    done = idealist("conventions", "lucene")
    assert done.returncode == 2
    assert "one of idealist, trec_eval-9, trec_eval-10, scikit-learn" in done.stderr
