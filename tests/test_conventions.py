"""Conventions, and those of other tools."""

from __future__ import annotations

import pickle
from math import log2
from pathlib import Path
from typing import Any

import pytest

from idealist import NDCG, Conventions, InputError, Measure, conventions, evaluate, explain
from idealist.conventions import DEFAULT, PRESETS, parse_conventions
from idealist.data import GroupedJudgments
from idealist.data.preferences import Preferences
from idealist.evaluation import read_evaluation
from idealist.measures import Condensed, parse
from idealist.measures.measure_parameters import PARAMETERS, parameter_name

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
    result = evaluate(JUDGED, RUN, measures, conventions=chosen)
    assert [str(measure) for measure in result.measures] == [
        "nDCG(gain=exp)@10",
        "nDCG@5",
        "Condensed(of=nDCG(gain=exp)@3)",
        "nDCG(gain=exp)@7",
        "RR",
    ]
    assert result.value("nDCG@10", "q") == pytest.approx(EXPONENTIAL)
    assert result.mean("nDCG(gain=exp)@10") == result.mean("nDCG@10")
    assert explain(JUDGED, RUN, query="q", conventions=chosen).value == pytest.approx(EXPONENTIAL)


def test_texts_and_objects_mean_the_same() -> None:
    result = evaluate(JUDGED, RUN, ["nDCG@10"], conventions=conventions.LIGHTGBM)
    by_object = evaluate(JUDGED, RUN, [NDCG(k=10)], conventions=conventions.LIGHTGBM)
    assert by_object.measures == result.measures
    assert result.value(NDCG(k=10), "q") == by_object.value("nDCG@10", "q") == pytest.approx(EXPONENTIAL)
    assert NDCG(k=10)([1, 2], conventions=conventions.LIGHTGBM) == pytest.approx(EXPONENTIAL)
    assert [note for note in by_object.notes if "NDCG" in note] == [
        "NDCG(k=10) is measured as nDCG(gain=exp)@10: the conventions set the parameters that it does not state"
    ]
    assert not any("NDCG" in note for note in result.notes)


@pytest.mark.parametrize(
    "stated",
    [
        NDCG(k=10, gain="linear"),
        NDCG(10, "linear"),
        NDCG(gain="linear").replace(k=10),
        NDCG(k=10).replace(gain="linear"),
        pickle.loads(pickle.dumps(NDCG(k=10, gain="linear"))),
    ],
)
def test_what_an_object_states_stays(stated: Measure) -> None:
    result = evaluate(JUDGED, RUN, stated, conventions=conventions.LIGHTGBM)
    assert result.measures == (NDCG(k=10),)
    assert result.value(stated, "q") == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    assert result.mean(result.measures[0]) == result.mean("nDCG(gain=linear)@10")
    assert not any("NDCG" in note for note in result.notes)


def test_measures_within_measures_take_parameters() -> None:
    chosen = {"gain": "exp", "RBP.p": "0.9"}
    assert str(parse("Mix(parts={nDCG@10:1,P@5:1})", defaults=chosen)) == (
        "Mix(parts={nDCG(gain=exp)@10:1,P@5:1})"
    )
    assert parse(Condensed(of=NDCG(k=3)), defaults=chosen) == parse("Condensed(of=nDCG(gain=exp)@3)")
    assert parse("Residual", defaults=chosen) == parse("Residual(of=RBP(p=0.9))")
    assert parse("RBO", defaults={"RBP.p": "0.5"}) == parse("RBO")


def test_a_saved_evaluation_finds_its_measures(tmp_path: Path) -> None:
    result = evaluate(JUDGED, RUN, "nDCG(gain=linear)@10", conventions=conventions.LIGHTGBM)
    path = tmp_path / "saved.json"
    path.write_text(result.to_json())
    again = read_evaluation(path)
    assert again.mean(again.measures[0]) == result.mean(result.measures[0])
    result = evaluate(JUDGED, RUN, "rbp", conventions=conventions.TREC_EVAL_10)
    path.write_text(result.to_json())
    assert read_evaluation(path).conventions == result.conventions


def test_what_trec_eval_10_prints() -> None:
    # rbp and rbp_resid of grades 2, 1: 0.1 · (2/2 + 0.9 · 1/2), and nothing unjudged. Printed: 0.1450, 0.0000.
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 2, "b": 1}}
    found = evaluate(judged, run, ["rbp", "rbp_resid"], conventions=conventions.TREC_EVAL_10)
    assert [found.mean(one) for one in found.measures] == pytest.approx([0.145, 0])
    # With an unjudged document at rank 2 of 3: 0.9³ + 0.1 · 0.9. Printed: 0.8190.
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    open_list = evaluate(judged, run, "rbp_resid", conventions=conventions.TREC_EVAL_10)
    assert open_list.mean("rbp_resid") == pytest.approx(0.9**3 + 0.1 * 0.9)


@pytest.mark.parametrize("tool", [conventions.TREC_EVAL_9, conventions.TREC_EVAL_10])
def test_precision_at_a_multiple_rounds_as_trec_eval_9(tool: Conventions) -> None:
    # 0.8 · 3 + 0.9 = 3.3: the first 3 ranks have 2 of the 3. To the nearest it would be 2 ranks with 1.
    run, judged = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}}
    assert evaluate(judged, run, "Rprec_mult_0.8", conventions=tool).mean("Rprec_mult_0.8") == 2 / 3
    groups = GroupedJudgments({"q": {"ann": {"a": 1, "b": 1, "c": 1}}})
    name = "Rprec_mult_avgjg_0.8"
    assert evaluate(groups, run, name, conventions=tool).mean(name) == 2 / 3


@pytest.mark.parametrize(("tool", "value"), [("trec_eval-9", 1), ("trec_eval-10", 1), ("idealist", 0)])
@pytest.mark.parametrize("name", ["prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"])
def test_ties_of_preferences(tool: str, value: float, name: str) -> None:
    # a is preferred to b, and has its score: first by ascending id, second by descending id.
    judged = Preferences({"q": {"ann": {"0": {"a": 1, "b": 0}}}})
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert evaluate(judged, run, name, conventions=parse_conventions(tool)).mean(name) == value


def test_torchmetrics_has_average_precision_where_nothing_is_tied() -> None:
    # Of the first two, one is relevant, at rank 2: 1/2 by those found.
    run, judged = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0, "b": 1, "c": 1}}
    assert evaluate(judged, run, "AP@2", conventions=conventions.TORCHMETRICS).mean("AP@2") == 1 / 2
    tied = {"q": {"a": 3.0, "b": 3.0, "c": 1.0}}
    with pytest.raises(InputError, match="no closed form for averaged ties, and query 'q' has some"):
        evaluate(judged, tied, "AP@2", conventions=conventions.TORCHMETRICS)


@pytest.mark.parametrize("how", ["harmonic", "product", "chebyshev"])
def test_a_mix_of_averages_is_not_the_average_of_mixes(how: str) -> None:
    mix = f"Mix(parts={{P@1:1,RR:1}},how={how})"
    judged, averaged = {"q": {"a": 1, "b": 0}}, Conventions(ties="averaged")
    with pytest.raises(InputError, match="no closed form for averaged ties"):
        evaluate(judged, {"q": {"a": 1.0, "b": 1.0}}, mix, conventions=averaged)
    assert evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, mix, conventions=averaged).mean(mix) == 1


@pytest.mark.parametrize("name", ["nDCG(ideal=retrieved)@10", "NCG(ideal=retrieved)@10"])
def test_a_run_that_found_nothing_is_no_empty_query(name: str) -> None:
    run = {"found-nothing": {"x": 1.0, "b": 0.5}, "nothing-judged": {"b": 1.0}}
    judged = {"found-nothing": {"a": 1, "b": 0}, "nothing-judged": {"b": 0}}
    result = evaluate(judged, run, name, conventions=Conventions(empty="one"))
    assert result.by_query(name) == {"found-nothing": 0.0, "nothing-judged": 1.0}
    skipped = evaluate(judged, run, name, conventions=Conventions(empty="skip"))
    assert skipped.by_query(name) == {"found-nothing": 0.0}


def test_parameters_are_said_by_the_measures() -> None:
    chosen = Conventions(parameters={"gain": "exp"})
    assert str(chosen).endswith("precision double")
    shown = str(evaluate(JUDGED, RUN, ["nDCG@10", "nDCG(gain=linear)@5"], conventions=chosen))
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
        ({"level": "x"}, "level must be a number, not 'x'"),
        ("gain=exp", "parameters must be a mapping from names to values, not 'gain=exp'"),
    ],
)
def test_bad_parameters(parameters: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluate(JUDGED, RUN, "nDCG@10", conventions=Conventions(parameters=parameters))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names(name: str) -> None:
    constant = name.upper().replace("-", "_")
    found = parse_conventions(name)
    assert found is (DEFAULT if name == "idealist" else getattr(conventions, constant))
    assert {parameter_name(one) for one in found.parameters} <= set(PARAMETERS)


def test_an_unknown_preset_lists_those_that_are_known() -> None:
    with pytest.raises(InputError, match=r"are called 'lucene'\nhint: name one of: idealist, trec_eval-9, "):
        parse_conventions("lucene")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trec_eval-9,missing", "'missing' is not choice=value"),
        (
            "trec_eval-9,missing=none",
            "missing='none' is not a choice for judged queries missing from the run",
        ),
        ("", "no conventions are called ''"),
    ],
)
def test_bad_texts(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_conventions(text)


def test_a_preset_changes_the_value() -> None:
    # LightGBM counts the empty query as 1.
    result = evaluate(JUDGED, RUN, "nDCG@10", conventions=conventions.LIGHTGBM)
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
    assert "name one of: idealist, trec_eval-9, trec_eval-10, scikit-learn" in done.stderr
