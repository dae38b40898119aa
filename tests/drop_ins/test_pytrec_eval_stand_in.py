"""The stand-in for pytrec_eval, beside pytrec_eval itself."""

from __future__ import annotations

import copy
import gzip
import subprocess
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import pytrec_eval as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ir_measures_providers import measure_called
from support.strategies import DOCUMENTS, UTF8_DOCUMENTS, judgments, runs

import idealist.drop_ins.pytrec_eval as ours
from idealist import InputError, UnknownMeasure

JUDGED = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q0": {"d1": 1}, "only judged": {"d1": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 2.0, "d4": 0.5}, "only retrieved": {"d1": 1.0}, "q0": {"d2": 1.0}}
Values = dict[str, dict[str, float]]

CUTOFFS = st.lists(st.integers(1, 30), min_size=1, max_size=4, unique=True)
SHARES = st.lists(st.integers(0, 30), min_size=1, max_size=4, unique=True)
CUT_NAMES = ["P", "recall", "relative_P", "map_cut", "ndcg_cut", "success"]
# A parameter of these changes nothing there.
BARE_NAMES = ["map", "recip_rank", "num_ret", "Rprec", "infAP", "bpref"]


@st.composite
def requests(draw: st.DrawFn) -> set[str]:
    """Names and nicknames, with and without parameters."""
    mark = draw(st.sampled_from("._"))
    cuts = [f"{name}{mark}{','.join(map(str, draw(CUTOFFS)))}" for name in CUT_NAMES]
    shares = [
        f"{name}{mark}{','.join(f'{share / 20:g}' for share in draw(SHARES))}"
        for name in ("iprec_at_recall", "Rprec_mult")
    ]
    others = [f"set_F{mark}{draw(st.sampled_from(['0', '0.5', '1', '2.0', '3', '2,3']))}"]
    others += [
        f"{draw(st.sampled_from(BARE_NAMES))}{mark}7",
        "utility.1,2,3,4",
        "11pt_avg.0.2,0.5,1",
        "relstring.5",
    ]
    known = [*sorted(peer.supported_measures), "official", "set", "all_trec"]
    return draw(st.sets(st.sampled_from([*cuts, *shares, *others, *known]), max_size=8))


def sound(judged: Any, level: int) -> Any:
    """Without what pytrec_eval cannot take: it hangs on a query that has nothing of grade 0 or more; above level 1
    its bpref reads memory that is not its own, and its Rndcg gives up, where nothing has that level. (Some measures
    also crash now and then on a query that a run has without documents.)"""
    least = 0 if level == 1 else level
    return {query: grades for query, grades in judged.items() if not grades or max(grades.values()) >= least}


def both(
    run: Any, judged: Any, measures: Any, level: int = 1, judged_only: bool = False
) -> tuple[Values, Values]:
    arguments: dict[str, Any] = {"relevance_level": level, "judged_docs_only_flag": judged_only}
    mine: Values = ours.RelevanceEvaluator(judged, measures, **arguments).evaluate(run)
    theirs: Values = peer.RelevanceEvaluator(judged, measures, **arguments).evaluate(run)
    return mine, theirs


def agree(mine: Values, theirs: Values) -> None:
    """The same queries and names in the same order, and the same values; 0 where trec_eval divides 0 by 0, as its
    iprec_at_recall does for an empty list of a query without relevant documents."""
    assert list(mine) == list(theirs)
    for query, values in theirs.items():
        assert list(mine[query]) == list(values)
        for name, value in values.items():
            assert type(mine[query][name]) is float
            value = 0.0 if np.isnan(value) else value
            assert mine[query][name] == pytest.approx(value, rel=1e-9, abs=1e-12), (query, name)


def test_the_same_names_are_supported() -> None:
    assert ours.supported_measures == peer.supported_measures
    assert ours.supported_nicknames == peer.supported_nicknames
    assert set(peer.__all__) <= set(ours.__all__)


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS), st.booleans(), st.integers(1, 3))
def test_all_measures_agree(run: Any, judged: Any, judged_only: bool, level: int) -> None:
    agree(*both(run, sound(judged, level), peer.supported_measures, level, judged_only))


@given(
    runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS), requests(), st.booleans(), st.integers(1, 3)
)
def test_any_request_agrees(run: Any, judged: Any, asked: set[str], judged_only: bool, level: int) -> None:
    agree(*both(run, sound(judged, level), asked, level, judged_only))


@given(
    st.dictionaries(st.sampled_from(UTF8_DOCUMENTS), st.floats(-1e30, 1e30) | st.integers(2**24, 2**24 + 4)),
    st.dictionaries(st.sampled_from(UTF8_DOCUMENTS), st.integers(0, 3)),
)
def test_scores_are_compared_in_single_precision(documents: Any, grades: Any) -> None:
    agree(*both({"q": documents}, {"q": grades}, ["map", "ndcg", "recip_rank"]))


@given(runs(), judgments())
def test_what_pytrec_eval_hangs_or_crashes_on_has_values(run: Any, judged: Any) -> None:
    before = copy.deepcopy((run, judged))
    for level in (1, 5):
        values = ours.RelevanceEvaluator(judged, ours.supported_measures, level).evaluate(run)
        assert list(values) == [query for query in run if judged.get(query)]
        assert all(np.isfinite(list(one.values())).all() for one in values.values())
    assert (run, judged) == before


def test_robust_2003_agrees(robust: Any) -> None:
    with gzip.open(robust / "qrels.gz", "rt") as file:
        judged = ours.parse_qrel(file)
    for path in sorted(robust.glob("*.run.gz"))[:2]:
        with gzip.open(path, "rt") as file:
            run = ours.parse_run(file)
        agree(*both(run, judged, peer.supported_measures))


@pytest.mark.parametrize(
    ("run", "judged"),
    [
        ({}, JUDGED),
        (None, JUDGED),
        (RUN, {}),
        (RUN, {"q1": {}}),
        ({"q1": {}}, JUDGED),
        ({"elsewhere": {"d1": 1.0}}, JUDGED),
        (OrderedDict(reversed(RUN.items())), OrderedDict(JUDGED)),
        (defaultdict(dict, RUN), defaultdict(dict, JUDGED)),
        ({"q1": {"d1": float("inf"), "d2": 1.0, "d3": float("-inf")}}, JUDGED),
        ({"q1": {"d1": 2, "d2": True}}, {"q1": {"d1": True}}),
    ],
)
def test_dicts_of_every_kind(run: Any, judged: Any) -> None:
    agree(*both(run, judged, ["map", "num_ret", "P"]))


@pytest.mark.parametrize("measures", [[], set(), iter(["map"]), {"map": 1}, ("map", "map")])
def test_measures_in_any_collection(measures: Any) -> None:
    measures = list(measures) if hasattr(measures, "__next__") else measures
    agree(*both(RUN, JUDGED, measures))
    agree(ours.RelevanceEvaluator(JUDGED, iter(measures)).evaluate(RUN), both(RUN, JUDGED, measures)[1])


class TestWhatPytrecEvalDoesNotTake:
    @pytest.mark.parametrize("number", [np.float32, np.float64, np.int64, np.int8, np.float16])
    def test_numbers_of_any_type(self, number: Callable[[float], Any]) -> None:
        run = {query: {name: number(2 * score) for name, score in RUN[query].items()} for query in RUN}
        judged = {query: {name: number(grade) for name, grade in JUDGED[query].items()} for query in JUDGED}
        expected = ours.RelevanceEvaluator(JUDGED, ours.supported_measures).evaluate(RUN)
        assert ours.RelevanceEvaluator(judged, ours.supported_measures).evaluate(run) == expected

    def test_real_grades(self) -> None:
        # In a process of its own: the refusal may bring it down.
        code = "import pytrec_eval\npytrec_eval.RelevanceEvaluator({'q': {'a': 1.5}}, ['ndcg'])"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode != 0
        judged: Any = {"q": {"a": 0.5, "b": 1.5}}
        values = ours.RelevanceEvaluator(judged, ["ndcg_cut_1", "P_1"]).evaluate({"q": {"a": 2.0, "b": 1.0}})
        assert values == {"q": {"P_1": 0.0, "ndcg_cut_1": pytest.approx(0.5 / 1.5)}}

    def test_any_mapping_and_ids_that_are_whole_numbers(self) -> None:
        run: Any = MappingProxyType({1: {7: 2.0, 8: 1.0}, 2: {7: 1.0}})
        judged: Any = MappingProxyType({1: {8: 1}})
        values: Any = ours.RelevanceEvaluator(judged, ["recip_rank"]).evaluate(run)
        assert values == {1: {"recip_rank": 0.5}}

    def test_ids_that_are_strings_of_another_type(self) -> None:
        run, judged = {np.str_("q"): {np.str_("a"): 1.0}}, {"q": {np.str_("a"): 1}}
        agree(*both(run, judged, ["map"]))

    def test_ids_that_are_not_utf_8(self) -> None:
        run = {"\udcff": dict.fromkeys(DOCUMENTS, 1.0)}
        values = ours.RelevanceEvaluator({"\udcff": {"\udcff\udc80": 1}}, ["num_rel_ret"]).evaluate(run)
        assert values == {"\udcff": {"num_rel_ret": 1.0}}

    def test_gains(self) -> None:
        """pytrec_eval takes `1` for the whole parameter, and aborts."""
        asked = ["ndcg.1=3,2=9", "ndcg_rel.2=5"]
        values = ours.RelevanceEvaluator(JUDGED, asked).evaluate({"q1": {"d1": 1.0}})["q1"]
        assert list(values) == ["ndcg", "ndcg_rel"]
        best = 9 + 3 / np.log2(3)
        assert values["ndcg"] == pytest.approx(3 / best)

    def test_parameters_whose_order_matters(self) -> None:
        """pytrec_eval sorts them as text, and cuts them at a minus."""
        one = {"q1": RUN["q1"]}  # 3 retrieved, 1 of them relevant; 2 relevant
        both_orders = [
            peer.RelevanceEvaluator(JUDGED, [f"utility.{text}"]).evaluate(one)["q1"]["utility"]
            for text in ("1,2,3,4", "4,3,2,1")
        ]
        assert both_orders == [-8.0, -8.0]
        assert ours.RelevanceEvaluator(JUDGED, ["utility.1,2,3,4"]).evaluate(one)["q1"] == {"utility": -8.0}
        value = 4 * 1 + 3 * 2 + 2 * 1 + 1 * (0 + 1 - 3 - 2)
        assert ours.RelevanceEvaluator(JUDGED, ["utility.4,3,2,1"]).evaluate(one)["q1"] == {"utility": value}
        assert ours.RelevanceEvaluator(JUDGED, ["utility.1,-1,0,0"]).evaluate(one)["q1"] == {"utility": -1.0}


class TestErrors:
    @pytest.mark.parametrize(
        "name", ["nosuch", "P_", "P.-x", "map ", "P_10abc", "prefs", "qrels_jg", "rbp", "P.,"]
    )
    def test_unsupported_measures(self, name: str) -> None:
        with pytest.raises(UnknownMeasure, match="unsupported measure"):
            ours.RelevanceEvaluator(JUDGED, [name])

    @pytest.mark.parametrize(
        "names",
        [
            ["P.0"],
            ["P.-5"],
            ["P_3", "P_03"],
            ["P.1=3"],
            ["ndcg_10"],
            ["ndcg.1"],
            ["ndcg_rel.3"],
            ["Rprec_mult.0.5,0.50"],
            ["utility.1,2"],
            ["set_F_2", "set_F_3"],
        ],
    )
    def test_parameters_that_abort_pytrec_eval(self, names: list[str]) -> None:
        with pytest.raises(InputError, match=names[0].partition(".")[0].split("_")[0]):
            ours.RelevanceEvaluator(JUDGED, names)

    def test_measures_are_names(self) -> None:
        with pytest.raises(ValueError, match="a list of names"):
            ours.RelevanceEvaluator(JUDGED, "map")
        for wrong in (None, [1], ["map", None], 5):
            with pytest.raises(TypeError):
                ours.RelevanceEvaluator(JUDGED, wrong)  # type: ignore[arg-type]

    @pytest.mark.parametrize("level", [0, -1, 2.0, "x", None])
    def test_levels(self, level: Any) -> None:
        with pytest.raises(TypeError, match="relevance_level"):
            ours.RelevanceEvaluator(JUDGED, ["map"], level)
        assert ours.RelevanceEvaluator(JUDGED, ["map"], np.int64(2))  # type: ignore[arg-type]

    @pytest.mark.parametrize("flag", [2, "x", None])
    def test_flags(self, flag: Any) -> None:
        with pytest.raises(TypeError, match="judged_docs_only_flag"):
            ours.RelevanceEvaluator(JUDGED, ["map"], judged_docs_only_flag=flag)

    @pytest.mark.parametrize(
        "judged",
        [
            [],
            None,
            {"q1": [1]},
            {"q1": 5},
            {"q1": {"d1": "1"}},
            {"q1": {"d1": None}},
            {"q1": {("d",): 1}},
            {2.5: {"d1": 1}},
            {"q1": {"d1": float("nan")}},
            {"q1": {"d1": float("inf")}},
        ],
    )
    def test_judgments(self, judged: Any) -> None:
        with pytest.raises(TypeError) as found:
            ours.RelevanceEvaluator(judged, ["map"])
        assert isinstance(found.value, InputError)

    @pytest.mark.parametrize(
        "run",
        [
            [1],
            "run",
            {"q1": []},
            {"q1": {"d1": None}},
            {"q1": {"d1": "1"}},
            {"q1": {("d",): 1.0}},
            {"q1": {"d1": float("nan")}},
            {"q1": {}, 2.5: {}},
        ],
    )
    def test_runs(self, run: Any) -> None:
        with pytest.raises(TypeError) as found:
            ours.RelevanceEvaluator(JUDGED, ["map"]).evaluate(run)
        assert isinstance(found.value, InputError)

    def test_messages_say_where(self) -> None:
        with pytest.raises(InputError, match="query 'q1', document 'd1'"):
            ours.RelevanceEvaluator(JUDGED, ["map"]).evaluate({"q1": {"d1": "high"}})  # type: ignore[dict-item]


def lines(*columns: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Lines of so many columns or one off, with spaces of all kinds, few ids, and numbers that are none."""
    spaces = st.sampled_from([" ", "\t", "  "])
    line = st.tuples(*columns, spaces, st.sampled_from(["", "\n", " \r\n", " more"]))
    return st.lists(line.map(lambda one: one[-2].join(one[:-2]) + one[-1]), max_size=6)


QUERY, NAME = st.sampled_from(["1", "2", "é"]), st.sampled_from(["a", "b", "c", "d", "中"])
SCORE = st.sampled_from(["1", "2.5", "-1e3", "inf", "1_0", "x", "nan"])
GRADE = st.sampled_from(["0", "1", "-2", "+3", "1_0", "1.5", "x"])
ANYTHING = st.just("Q0")


def same_outcome(mine: Callable[[Any], Any], theirs: Callable[[Any], Any], given: list[str]) -> None:
    try:
        expected = theirs(given)
    except (ValueError, AssertionError) as error:
        with pytest.raises(type(error), match=r"^line \d+: ") as found:
            mine(given)
        assert isinstance(found.value, InputError)
        return
    assert repr(mine(given)) == repr(expected)  # defaultdicts in the same order, and nan is nan


@given(lines(QUERY, ANYTHING, NAME, ANYTHING, SCORE, ANYTHING))
def test_parse_run(given: list[str]) -> None:
    same_outcome(ours.parse_run, peer.parse_run, given)


@given(lines(QUERY, ANYTHING, NAME, GRADE))
def test_parse_qrel(given: list[str]) -> None:
    same_outcome(ours.parse_qrel, peer.parse_qrel, given)


@pytest.mark.parametrize("bad", ["", "1 Q0 a 1 2.0", "1 Q0 a 1 x s", "1 Q0 a 1 1.0 s"])
def test_bad_lines_are_named(bad: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2: "):
        ours.parse_run(["1 Q0 a 1 1.0 s", bad])
    with pytest.raises(ValueError, match=r"^line 1: "):
        ours.parse_qrel([bad])


@given(
    st.sampled_from(["map", "num_ret", "gm_map", "P_10", "num_q"]),
    st.lists(st.floats(-20, 20), min_size=1),
)
def test_aggregates(measure: str, values: list[float]) -> None:
    expected = peer.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, rel=1e-12)


def test_aggregates_of_nothing() -> None:
    assert ours.compute_aggregated_measure("num_ret", []) == 0
    assert np.isnan(ours.compute_aggregated_measure("map", []))
    assert np.isnan(ours.compute_aggregated_measure("gm_map", []))


IR_MEASURES = [
    *("nDCG", "nDCG@5", "nDCG(gains={0:1,1:3,2:7})@10", "AP", "AP(rel=2)@10", "AP(judged_only=True)", "RR"),
    *("P@1", "P(rel=2)@5", "R@3", "R(judged_only=True)@3", "Rprec", "Bpref", "infAP", "Success@2"),
    *("IPrec@0.1", "IPrec@0.5", "SetP", "SetP(relative=True)", "SetR", "SetAP", "SetF", "SetF(beta=2.0)"),
    *("NumQ", "NumRel", "NumRet", "NumRet(rel=2)"),
]


class TestStandingIn:
    """Other people's code, unchanged, once with pytrec_eval and once with the module in its place."""

    @given(run=runs(UTF8_DOCUMENTS, smallest=1), judged=judgments(UTF8_DOCUMENTS, smallest=1))
    @settings(max_examples=50)
    def test_ir_measures(self, run: Any, judged: Any) -> None:
        provider = import_module("ir_measures.providers.pytrec_eval_provider").PytrecEvalProvider
        measures = [measure_called(text) for text in IR_MEASURES]
        judged = {query: {"top": 2, **grades} for query, grades in sound(judged, 2).items()}
        found = []
        for module in (peer, ours):
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(sys.modules, "pytrec_eval", module)
                asked = provider()
                assert asked.is_available()
                assert asked.pytrec_eval is module
                results = asked.calc(measures, judged, run)
            found.append(
                {(str(one.measure), one.query_id): one.value for one in results.per_query}
                | {(str(measure), "all"): value for measure, value in results.aggregated.items()}
            )
        assert found[1] == pytest.approx(found[0], rel=1e-9, abs=1e-12, nan_ok=True)  # nan without queries


def test_rndcg_is_0_where_nothing_reaches_the_level() -> None:
    judged, run = {"q": {"a": 1, "b": 0}, "r": {"a": 2}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    theirs, mine = (
        module.RelevanceEvaluator(judged, {"Rndcg"}, relevance_level=2).evaluate(run)
        for module in (peer, ours)
    )
    assert mine == theirs == {"q": {"Rndcg": 0.0}, "r": {"Rndcg": 1.0}}


# Those that round in another place than pytrec_eval does; the module says where.
ROUNDED_ELSEWHERE = ("ndcg", "Rndcg", "11pt_avg", "set_F", "infAP", "gm_map", "gm_bpref")


def test_values_differ_in_the_last_bits_of_few_measures() -> None:
    random = np.random.default_rng(7)
    documents = [f"d{at}" for at in range(40)]
    judged = {
        f"q{at}": dict(zip(documents, random.integers(0, 4, 40).tolist(), strict=True)) for at in range(50)
    }
    run = {query: dict(zip(documents, random.random(40).tolist(), strict=True)) for query in judged}
    mine, theirs = both(run, judged, peer.supported_measures)
    differing = set()
    for query, values in theirs.items():
        for name, value in values.items():
            assert abs(mine[query][name] - value) <= 4.5e-16 * max(1.0, abs(value)), (query, name)
            if mine[query][name] != value and value == value:
                differing.add(next((base for base in ROUNDED_ELSEWHERE if name.startswith(base)), name))
    assert differing == set(ROUNDED_ELSEWHERE)
