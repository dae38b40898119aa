"""Systems against a baseline: numbers by hand and by scipy, families, segments, weights, and what is refused."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.comparison import Comparison, compare, compare_evaluations
from idealist.conventions import Conventions
from idealist.evaluation import Evaluation
from idealist.statistics.multiple_comparisons import holm

# Where the one relevant document stands; RR is one divided by it.
Ranks = dict[str, int]


def run_of(ranks: Ranks) -> dict[str, dict[str, float]]:
    return {
        query: {"x" if place == rank else f"d{place}": 100.0 - place for place in range(1, 8)}
        for query, rank in ranks.items()
    }


def judged(queries: Any) -> dict[str, dict[str, int]]:
    return {query: {"x": 1} | {f"d{place}": 0 for place in range(1, 8)} for query in queries}


def compared(old: Ranks, new: Ranks, measures: Any = "RR", **settings: Any) -> Comparison:
    return compare(judged(old), {"old": run_of(old), "new": run_of(new)}, measures, **settings)


OLD = {"q1": 2, "q2": 4, "q3": 1, "q4": 2, "q5": 5}
NEW = {"q1": 1, "q2": 4, "q3": 2, "q4": 1, "q5": 1}


def test_three_queries_show_no_difference() -> None:
    """A failure of 70 % of queries could be missing from them: the least gain that they showed would be above 1."""
    answers = {
        "query": ["q1", "q2", "q3"] * 2,
        "system": ["old"] * 3 + ["new"] * 3,
        "faithfulness": [0.5, 0.6, 0.7, 0.7, 0.6, 0.9],
    }
    assert compare(numbers=answers)["new", "faithfulness"].detectable is None


def test_values_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the baseline, too, however many systems are compared with it."""
    runs = {"old": run_of(OLD), "new": run_of(NEW), "other": run_of(dict.fromkeys(OLD, 3))}
    evaluation = evaluate(judged(OLD), runs, ["RR", "AP"])
    asked: list[tuple[str, str | None]] = []
    by_query = Evaluation.by_query

    def counted(self: Evaluation, measure: Any, system: str | None = None) -> dict[str, float]:
        asked.append((str(measure), system))
        return by_query(self, measure, system)

    monkeypatch.setattr(Evaluation, "by_query", counted)
    compare_evaluations(evaluation)
    assert sorted(asked) == [(m, s) for m in ("AP", "RR") for s in ("new", "old", "other")]


def test_by_hand_and_by_scipy() -> None:
    comparison = compared(OLD, NEW)
    found = comparison["new", "RR"]
    before, after = [1 / 2, 1 / 4, 1, 1 / 2, 1 / 5], [1, 1 / 4, 1 / 2, 1, 1]
    test = scipy.stats.ttest_rel(after, before)
    ends = test.confidence_interval(0.95)
    assert (found.system, found.baseline, found.n) == ("new", "old", 5)
    assert found.baseline_value == pytest.approx(sum(before) / 5)
    assert found.difference == pytest.approx((sum(after) - sum(before)) / 5)
    assert (found.wins, found.ties, found.losses) == (3, 1, 1)
    assert found.significance("t").p_value == pytest.approx(test.pvalue)
    assert found.student is not None
    assert (found.student.low, found.student.high) == pytest.approx((ends.low, ends.high))
    assert found.interval is not None
    assert -1 < found.interval.low < found.difference < found.interval.high < 1
    assert found.interval_method == "test inversion, best third"
    assert found.dz == pytest.approx(test.statistic / 5**0.5)
    assert found.p_adjusted == found.p_discovery == found.p_value
    assert found.p_sign == pytest.approx(scipy.stats.binomtest(3, 4).pvalue)
    # Sums of ±½ ±½ ±½ ±⅘ that are 1.3 or more away from 0: 16 patterns, 6 of them with two of three alike.
    assert found.significance("randomisation").p_value == 8 / 16
    # A true difference so large is found 4 times of 5: the noncentral t beyond Student's critical value.
    error = scipy.stats.sem([a - b for a, b in zip(after, before, strict=True)])
    [by_student] = compare_evaluations(comparison.evaluation, interval="student")
    assert by_student.detectable is not None
    assert found.detectable is not None
    assert found.detectable > by_student.detectable  # unseen failures take more
    critical, shift = scipy.stats.t.ppf(0.975, 4), by_student.detectable / error
    assert scipy.stats.nct.sf(critical, 4, shift) == pytest.approx(0.8, abs=1e-6)
    assert [(move.query, round(move.change, 4)) for move in found.moved] == [
        ("q5", 0.8),
        ("q1", 0.5),
        ("q3", -0.5),
        ("q4", 0.5),
    ]
    assert found.bootstrap is not None
    assert found.bootstrap.low < found.difference < found.bootstrap.high
    assert found.posterior is not None
    assert found.posterior.better > 0.7
    assert list(comparison) == [found]
    assert len(comparison) == 1


RANKS = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=2, max_size=12)


@given(RANKS)
def test_swapping_flips_the_sign_and_keeps_p(pairs: list[tuple[int, int]]) -> None:
    old = {f"q{at}": a for at, (a, _) in enumerate(pairs)}
    new = {f"q{at}": b for at, (_, b) in enumerate(pairs)}
    one = compared(old, new)["new", "RR"]
    other = compared(old, new, baseline="new")["old", "RR"]
    assert other.difference == -one.difference
    assert (other.wins, other.ties, other.losses) == (one.losses, one.ties, one.wins)
    assert other.p_value == one.p_value
    assert one.interval is not None
    assert other.interval is not None
    assert (other.interval.low, other.interval.high) == (-one.interval.high, -one.interval.low)
    for p in (one.p_value, one.p_randomised, one.p_adjusted):
        assert p is None or 0 < p <= 1


@given(RANKS, st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(pairs: list[tuple[int, int]], shuffled: random.Random) -> None:
    old = {f"q{at}": a for at, (a, _) in enumerate(pairs)}
    new = {f"q{at}": b for at, (_, b) in enumerate(pairs)}
    names = list(old)
    shuffled.shuffle(names)
    mixed = compared({q: old[q] for q in names}, {q: new[q] for q in names})
    assert mixed.contrasts == compared(old, new).contrasts


def test_identical_runs() -> None:
    comparison = compared(OLD, OLD, ["RR", "nDCG@3"])
    for found in comparison:
        assert found.difference == found.dz == 0.0
        assert found.detectable is None
        assert found.p_value == found.p_wilcoxon == found.p_sign == 1.0
        assert found.significance("t").p_value == found.significance("randomisation").p_value == 1.0
        assert found.p_adjusted == found.p_discovery == 1.0
        assert found.interval is not None
        # Of five queries none changed: 1 − 0.025^(1/5) of all may, each by the mean of the best two of 1 and the values.
        values = sorted(found.paired.values)
        stake = (1 + values[-1]) / 2
        assert found.interval.high == -found.interval.low == pytest.approx(stake * (1 - 0.025**0.2))
        assert (found.ties, found.moved) == (5, ())
    assert comparison.notes == ()
    assert comparison.verdict().outcome == "unchanged"
    assert "NaN" not in comparison.to_json()
    [pair] = comparison.pairs()
    assert (pair.p_value, pair.p_randomised) == (1.0, 1.0)


def test_a_single_query_has_no_interval_and_no_test() -> None:
    comparison = compared({"q": 2}, {"q": 1})
    found = comparison["new", "RR"]
    assert (found.difference, found.wins) == (0.5, 1)
    tests = (found.interval, found.p_value, found.p_randomised, found.p_wilcoxon, found.p_sign, found.dz)
    more = (found.p_adjusted, found.bootstrap, found.posterior, found.detectable)
    assert set(tests + more) == {None}
    assert comparison.notes == ("a single query: there is no interval and no test",)
    assert comparison.family == 0
    assert comparison.verdict().outcome == "undecided"
    assert comparison.pairs()[0].p_randomised is None


def test_all_queries_change_alike() -> None:
    comparison = compared(dict.fromkeys("abcdef", 2), dict.fromkeys("abcdef", 1))
    found = comparison["new", "RR"]
    # All gain 1/2, and an unseen query might lose 2/3, of (1 + 1/2 + …): of 7, the best 2⅓. With a share 1/2 / (1/2 + x) of
    # those the mean is 0, and the six are gained with the rest to the power of 6.
    stake = (1 + 4 / 3 / 2) / (7 / 3)
    assert found.p_value == found.p_adjusted == pytest.approx(2 * (1 - 0.5 / (0.5 + stake)) ** 6)
    assert (found.significance("t").p_value, found.dz) == (None, None)
    assert found.significance("randomisation").p_value == 2 / 2**6
    assert comparison.notes == ()
    [by_student] = compare_evaluations(comparison.evaluation, interval="student")
    assert (by_student.interval, by_student.p_value) == (None, None)


def test_the_family_is_systems_measures_and_segments() -> None:
    random.seed(3)
    queries = [f"q{at:02}" for at in range(40)]
    runs = {name: run_of({q: random.randint(1, 7) for q in queries}) for name in ("base", "b", "c")}
    by = {q: "odd" if at % 2 else "even" for at, q in enumerate(queries)}
    plain = compare(judged(queries), runs, ["RR", "nDCG@3"], baseline="base")
    assert plain.family == 4
    assert [one.p_adjusted for one in plain] == holm([one.p_value or 1 for one in plain])
    split = compare(judged(queries), runs, ["RR", "nDCG@3"], baseline="base", segments=by)
    assert split.family == 12
    parts = split.segments()
    assert list(parts) == ["even", "odd"]
    everything = [*split, *parts["even"], *parts["odd"]]
    expected = holm([one.p_value or 1 for one in everything])
    assert [one.p_adjusted for one in everything] == pytest.approx(expected)
    assert [one.p_randomised for one in split] == [one.p_randomised for one in plain]
    assert plain.segments(by) == parts
    for part in parts["even"]:
        kept = {q: v for q, v in judged(queries).items() if by[q] == "even"}
        alone = compare(kept, runs, str(part.measure), baseline="base")[part.system, part.measure]
        assert (part.difference, part.p_value, part.n) == (alone.difference, alone.p_value, 20)
    with pytest.raises(InputError, match="without segments"):
        plain.segments()
    with pytest.raises(InputError, match="query 'q00' has no segment"):
        plain.segments({"q01": "x"})


def test_a_query_missing_from_one_run() -> None:
    new = {query: rank for query, rank in NEW.items() if query != "q5"}
    as_empty = compared(OLD, new)["new", "RR"]
    assert (as_empty.n, as_empty.paired.values[4]) == (5, 0.0)
    skipped = compared(OLD, new, conventions=Conventions(missing="skip"))
    found = skipped["new", "RR"]
    assert found.n == 4
    assert found.baseline_value == pytest.approx((1 / 2 + 1 / 4 + 1 + 1 / 2) / 4)
    assert skipped.notes == (
        "RR: 1 query with a value in only one of old and new, left out; on the others old has 0.5625",
    )
    assert skipped.pairs()[0].n == 4
    with pytest.raises(InputError, match="q5"):
        compared(OLD, new, conventions=Conventions(missing="error"))
    with pytest.raises(InputError, match="no query has a value both for 'new' and for 'old'"):
        compare(
            judged(["q1", "q2"]),
            {"old": run_of({"q1": 1}), "new": run_of({"q2": 1})},
            "RR",
            conventions=Conventions(missing="skip"),
        )


def test_lower_is_better_where_the_measure_says_so() -> None:
    measure = next(m for m in ("RankOfFirst", "ESL", "Unjudged@3") if _known(m))
    comparison = compared(OLD, NEW, measure)
    found = comparison.contrasts[0]
    assert found.measure.better == "lower"
    assert found.gain == -found.difference
    worse = [d for d in found.paired.differences if d > 0]
    assert found.losses == len(worse)
    verdict = comparison.verdict()
    assert verdict.value == found.gain


def _known(text: str) -> bool:
    try:
        return evaluate(judged("q"), run_of({"q": 1}), text).measures[0].better == "lower"
    except InputError:
        return False


def test_weights() -> None:
    weights = {"q1": 1, "q2": 2, "q3": 5, "q4": 1, "q5": 1}
    comparison = compared(OLD, NEW, weights=weights)
    found = comparison["new", "RR"]
    assert found.difference == pytest.approx((0.5 - 5 * 0.5 + 0.5 + 0.8) / 10)
    assert found.baseline_value == pytest.approx(comparison.evaluation.mean("RR", "old"))
    assert (found.wins, found.ties, found.losses) == (3, 1, 1)
    assert (found.p_wilcoxon, found.p_sign) == (None, None)
    assert found.bootstrap is not None
    assert found.p_value is not None
    # ±½ ±2½ ±½ ±⅘ as far from 0 as −0.7: all 16 but those with 2½ − ½ − ½ − ⅘ = 0.7 … which are as far, too.
    assert found.significance("randomisation").p_value == 1.0
    assert "not defined then" in comparison.notes[0]
    [pair] = comparison.pairs()
    assert (pair.p_value, pair.interval) == (None, None)
    assert pair.difference == pytest.approx(found.difference)
    lone = compared(OLD, NEW, weights={**dict.fromkeys(OLD, 0), "q1": 1})
    assert lone["new", "RR"].difference == 0.5
    assert (lone["new", "RR"].interval, lone["new", "RR"].p_value) == (None, None)
    assert lone.notes[-1] == "all weight lies on a single query: there is no interval"
    assert lone.verdict().outcome == "undecided"
    same = compared(OLD, NEW, weights=dict.fromkeys(OLD, 3))["new", "RR"]
    plain = compared(OLD, NEW)["new", "RR"]
    assert same.p_value == pytest.approx(plain.p_value)
    assert same.dz == pytest.approx(plain.dz)


def test_judged_shares_that_differ() -> None:
    good = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    strange = {"q": {"a": 2.0, "z": 1.0}, "r": {"a": 2.0, "z": 1.0}}
    comparison = compare({q: {"a": 1, "b": 0} for q in "qr"}, {"good": good, "strange": strange}, "nDCG@2")
    assert comparison.notes == (
        "judged@2 differs: good 1.00, strange 0.50; where less is judged, values are likely too low",
    )
    verdict = comparison.verdict()
    assert (verdict.outcome, [guard.passed for guard in verdict.guards]) == ("undecided", [False, True])
    assert comparison.verdict(guards=()).guards == ()


def test_verdict_and_guards() -> None:
    queries = [f"q{at:02}" for at in range(40)]
    old = dict.fromkeys(queries, 2)
    # Better in most queries, but in those of one segment it is worse.
    new = {q: 1 if at >= 10 else 6 for at, q in enumerate(queries)}
    by = {q: "rest" if at >= 10 else "weak" for at, q in enumerate(queries)}
    new["q00"], new["q39"] = 5, 2
    comparison = compared(old, new, ["RR", "R@2"], segments=by)
    verdict = comparison.verdict()
    guards = {guard.name: guard.passed for guard in verdict.guards}
    assert guards == {
        "other measures": False,
        "segments": False,
        "equally judged": True,
        "large losses": False,
    }
    assert verdict.outcome == "undecided"
    assert "weak" in str(verdict)
    alone = comparison.verdict(guards=())
    assert (alone.outcome, alone.exit_code) == ("ship", 0)
    assert compared(new, old, ["RR"]).verdict().exit_code == 1
    assert comparison.verdicts(guards=()) == {"new": alone}
    by_sign = comparison.verdict(policy="sign", margin=0.1)
    assert "is blocked 50 % of the time" in by_sign.remark
    with pytest.raises(
        InputError, match="a guard must be measures, segments, judged, queries or losses, not 'moon'"
    ):
        comparison.verdict(guards=["moon"])


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="the baseline 'base' is not among the runs") as caught:
        compared(OLD, NEW, baseline="base")
    assert caught.value.hint == "name one of: old, new"
    with pytest.raises(InputError, match="only one system, 'run'"):
        compare(judged(OLD), run_of(OLD), "RR")
    with pytest.raises(InputError, match="NumRet has no mean over queries"):
        compared(OLD, NEW, "NumRet")
    with pytest.raises(InputError, match="confidence must lie between 0 and 1, not 95"):
        compared(OLD, NEW, confidence=95)
    with pytest.raises(InputError, match="the seed must be a whole number, 0 or more, not -3"):
        compared(OLD, NEW, seed=-3)
    with pytest.raises(InputError, match=r"rounds must be a whole number, 1 or more, not 1\.5"):
        compared(OLD, NEW, rounds=1.5)
    comparison = compared(OLD, NEW, ["RR", "NumRet"])
    assert "NumRet has no mean over queries: it is not compared" in comparison.notes
    with pytest.raises(InputError, match="NumRet was not compared"):
        comparison["new", "NumRet"]
    with pytest.raises(InputError, match="'old' is the baseline"):
        comparison["old", "RR"]
    with pytest.raises(InputError, match="no system is called 'x'"):
        comparison["x", "RR"]


def test_evaluations_and_records() -> None:
    evaluation = evaluate(judged(OLD), {"old": run_of(OLD), "new": run_of(NEW)}, ["RR", "nDCG@3"])
    comparison = compare_evaluations(evaluation, baseline="old")
    assert comparison.contrasts == compared(OLD, NEW, ["RR", "nDCG@3"]).contrasts
    record = json.loads(comparison.to_json())
    assert record == comparison.to_dict()
    assert record["contrasts"][0]["p_value"] == comparison["new", "RR"].p_value
    assert record["family"] == 2
    assert str(comparison).splitlines()[2].split()[:4] == ["RR", "new", "0.7500", "+0.2600"]
    assert repr(comparison) == "<Comparison: new against old; RR, nDCG@3>"
    assert repr(comparison["new", "RR"]).startswith("<Contrast: RR of new less old: 0.2600 (")


def test_robust(robust: Path) -> None:
    """Six submitted runs: every p-value is scipy's, on the values of any evaluation."""
    runs = {path.name.split(".")[0]: read_run(path) for path in sorted(robust.glob("*.run.gz"))}
    comparison = compare(read_judgments(robust / "qrels.gz"), runs, ["nDCG@10", "AP"], baseline="pircRBa1")
    evaluation = comparison.evaluation
    for one in comparison:
        before = list(evaluation.by_query(one.measure, "pircRBa1").values())
        after = list(evaluation.by_query(one.measure, one.system).values())
        by_student = one.significance("t").p_value
        assert by_student == pytest.approx(scipy.stats.ttest_rel(after, before).pvalue)
        assert one.significance("randomisation").p_value == pytest.approx(by_student, abs=0.02)
        assert one.p_value == pytest.approx(by_student, abs=0.1)  # a hundred queries
        assert one.p_wilcoxon == pytest.approx(
            scipy.stats.wilcoxon([d for d in one.paired.differences if d]).pvalue
        )
    assert len(comparison.pairs("AP")) == 15


def test_gains_and_losses_that_cancel() -> None:
    """Thirds and halves leave no rounding behind."""
    old = {"a": 1, "b": 2, "c": 3, "d": 7}
    found = compared(old, {"a": 2, "b": 3, "c": 1, "d": 7})["new", "RR"]
    by_signs = found.significance("randomisation").p_value
    assert (found.difference, found.dz, found.p_value, by_signs) == (0.0, 0.0, 1.0, 1.0)


def test_what_moved_most_is_in_order_of_ids_where_it_moved_alike() -> None:
    judged = {f"q{n:02}": {"a": 1} for n in range(30)}
    old = {query: {"b": 2.0, "a": 1.0} for query in judged}
    new = {query: {"a": 2.0, "b": 1.0} for query in reversed(judged)} | {"q20": old["q20"]}
    new["q25"] = {"b": 3.0, "c": 2.0, "a": 1.0}  # from 1/2 to 1/3: less than from 1/2 to 1
    found = compare(judged, {"old": old, "new": new}, "RR")["new", "RR"]
    assert [move.query for move in found.moved] == [f"q{n:02}" for n in range(10)]


def test_comparing_needs_no_more_of_scipy_than_it_uses() -> None:
    """scipy.stats and scipy.optimize take longer to import than 20,000 queries take to be compared."""
    code = (
        "import sys, idealist as il\n"
        "judged = {f'q{n}': {'a': 1} for n in range(60)}\n"
        "old = {q: {'b': 2.0, 'a': 1.0} for q in judged}\n"
        "new = {q: {'a': 2.0, 'b': 1.0} if n % 3 else old[q] for n, q in enumerate(judged)}\n"
        "found = il.compare(judged, {'old': old, 'new': new}, ['RR', 'AP'])\n"
        "print(found.verdict(margin=0.3), found)\n"
        "sys.exit(bool({'scipy.stats', 'scipy.optimize'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
