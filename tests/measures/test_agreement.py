"""Agreement of two runs, against loops over pairs and depths written from the definitions."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import mixed, runs

from idealist import Conventions, Run, evaluate
from idealist.data import RunFile
from idealist.evaluation.run_agreement import agree
from idealist.measures import parse

MEASURES = [
    *("KendallTau", "TauAP", "Spearman", "WeightedTau"),
    *("RBO", "RBO(p=0.5)", "RBO(estimate=min)", "RBO(p=0.5,estimate=res)"),
    *("Overlap@1", "Overlap@3", "Overlap@10", "Jaccard", "Jaccard@2"),
]
UNDEFINED_APART = Conventions(empty="skip")


def rbo(one: list[str], other: list[str], p: float, overlap: Any = None, depth: int = 400) -> float:
    """The infinite sum, cut where nothing is left of p^d; `overlap` says what is shared below the end."""
    total = 0.0
    for d in range(1, depth):
        shared = float(len(set(one[:d]) & set(other[:d])))
        total += p ** (d - 1) * (shared if overlap is None else overlap(d, shared)) / d
    return (1 - p) * total


def extrapolated(one: list[str], other: list[str], p: float) -> float:
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741
    x_s, x_l = len({*short} & {*long[:s]}), len({*short} & {*long})

    def overlap(d: int, shared: float) -> float:
        if d <= s:
            return shared
        if d <= l:  # the rest of the short list agrees as its beginning did
            return shared + x_s * (d - s) / s
        return d * ((x_l - x_s) / l + x_s / s)

    return rbo(one, other, p, overlap)


def highest(one: list[str], other: list[str], p: float) -> float:
    """Every unknown document matches as soon as it can."""
    s, l = sorted(map(len, (one, other)))  # noqa: E741
    return rbo(one, other, p, lambda d, shared: min(d, shared + max(0, d - s) + max(0, d - l)))


def expected(text: str, one: list[str], other: list[str]) -> float:
    """What a measure gives two lists; nan where it is undefined."""
    measure: Any = parse(text)
    if measure.name == "RBO":
        if not one or not other:
            return math.nan
        if measure.estimate == "ext":
            return extrapolated(one, other, measure.p)
        least = rbo(one, other, measure.p)
        return least if measure.estimate == "min" else highest(one, other, measure.p) - least
    if measure.name in ("Overlap", "Jaccard"):
        k = measure.k or 99
        both, either = {*one[:k]} & {*other[:k]}, {*one[:k]} | {*other[:k]}
        if measure.name == "Overlap":
            return len(both) / k
        return len(both) / len(either) if either else math.nan
    common = [document for document in one if document in other]
    if len(common) < 2:
        return math.nan
    theirs = sorted(common, key=other.index)

    def same(a: str, b: str) -> int:
        return 1 if theirs.index(a) < theirs.index(b) else -1

    pairs = list(combinations(common, 2))
    n = len(common)
    if measure.name == "KendallTau":
        return sum(same(a, b) for a, b in pairs) / len(pairs)
    if measure.name == "TauAP":
        shares = [sum(same(a, common[i]) > 0 for a in common[:i]) / i for i in range(1, n)]
        return 2 * sum(shares) / (n - 1) - 1
    if measure.name == "Spearman":
        return 1 - 6 * sum((common.index(d) - theirs.index(d)) ** 2 for d in common) / (n * (n * n - 1))
    values = []
    for order in (common, theirs):
        weights = [1 / (order.index(a) + 1) + 1 / (order.index(b) + 1) for a, b in pairs]
        values.append(sum(w * same(a, b) for w, (a, b) in zip(weights, pairs, strict=True)) / sum(weights))
    return sum(values) / 2


@given(runs(), runs(), st.sampled_from(["id-descending", "id-ascending", "input-order"]))
def test_every_value_is_the_definition(one: Any, other: Any, ties: str) -> None:
    other.setdefault(next(iter(one)), {"d1": 1.0})
    conventions = Conventions(ties=ties, empty="skip")
    result = agree(one, other, MEASURES, conventions=conventions)
    first, second = Run(one), Run(other)
    for query in other:
        for text in MEASURES:
            got = result.value(text, query)
            if query not in one:
                assert math.isnan(got)  # one of the runs lacks it
                continue
            lists = first.ranking(query, conventions), second.ranking(query, conventions)
            assert got == pytest.approx(expected(text, *lists), abs=1e-12, nan_ok=True), (text, lists)
            low, high = parse(text).bounds
            assert math.isnan(got) or low <= got <= high


@given(runs(), runs(), st.randoms())
def test_neither_other_queries_nor_the_order_of_rows_matter(one: Any, other: Any, random: Any) -> None:
    other.setdefault(next(iter(one)), {"d1": 1.0})
    together = agree(one, other, MEASURES)
    assert agree(mixed(one, random), mixed(other, random), MEASURES).to_dict() == together.to_dict()
    for query in set(one) & set(other):
        alone = agree({query: one[query]}, {query: other[query]}, MEASURES)
        for text in MEASURES:
            assert alone.value(text, query) == together.value(text, query)


@given(runs(smallest=1))
def test_a_run_agrees_with_itself(run: Any) -> None:
    result = agree(
        run,
        run,
        ["KendallTau", "TauAP", "Spearman", "WeightedTau", "RBO", "Jaccard"],
        conventions=UNDEFINED_APART,
    )
    assert all(one.value == pytest.approx(1, abs=1e-12) for one in result)
    backwards = {q: {d: -rank for rank, d in enumerate(reversed(Run(run).ranking(q)))} for q in run}
    turned = agree(
        run, backwards, ["KendallTau", "TauAP", "Spearman", "WeightedTau"], conventions=UNDEFINED_APART
    )
    assert all(one.value == pytest.approx(-1, abs=1e-12) for one in turned)


def test_rbo_of_uneven_lists_by_hand() -> None:
    # X = 1, 1, 2 at depths 1 to 3; the list of two agrees half, so at depth 3 half a document more is shared.
    run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 2, "c": 1}}
    p = 0.5
    seen = 1 + p * 1 / 2 + p**2 * (2 + 1 * 1 / 2) / 3
    beyond = p**3 * ((2 - 1) / 3 + 1 / 2)
    got = agree(run, other, "RBO(p=0.5)").value("RBO(p=0.5)", "q")
    assert got == pytest.approx((1 - p) * seen + beyond)


def test_long_lists_need_no_deep_sums() -> None:
    run = {"q": {f"d{i}": -float(i) for i in range(5000)}}
    result = agree(run, run, ["RBO(p=0.1)", "RBO(p=0.9999)"])
    assert [one.value for one in result] == pytest.approx([1, 1])


def test_compat_breaks_ties_of_the_ideal_by_the_run() -> None:
    # Any order of equals is ideal: the run's own is the nearest.
    assert parse("Compat")([1, 1, 0]) == 1.0
    assert parse("Compat")([0, 0]) == 0.0
    assert parse("Compat(p=0.5)")([None, 2], judged=[2]) == pytest.approx((1 / 4) / (1 + 1 / 4))


@given(st.lists(st.integers(-1, 3), max_size=6), st.lists(st.integers(-1, 3), max_size=3))
def test_compat_is_the_nearest_ideal(grades: list[int], lost: list[int]) -> None:
    documents = dict(enumerate([*grades, *lost]))
    good = [d for d, grade in documents.items() if grade > 0]
    if len(good) > 6:
        return
    ranking = list(range(len(grades)))
    p, depth = 0.8, max(len(grades), len(good))

    def truncated(one: list[int], other: list[int]) -> float:
        return sum(p ** (d - 1) * len({*one[:d]} & {*other[:d]}) / d for d in range(1, depth + 1))

    ideals = [
        list(order)
        for order in permutations(good)
        if all(documents[a] >= documents[b] for a, b in pairwise(order))
    ]
    got = parse("Compat(p=0.8)")(grades, judged=[*grades, *lost])
    if not good:
        assert got == 0.0
        return
    assert got == pytest.approx(max(truncated(ranking, one) / truncated(one, one) for one in ideals))


def test_several_runs_and_files_against_one(tmp_path: Any) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\nonly Q0 a 1 1 t\n")
    both: dict[str, Any] = {"x": RunFile(path), "y": {"q": {"b": 2, "a": 1}}}
    result = agree(both, {"q": {"a": 2, "b": 1}, "no": {"a": 1}})
    assert result.systems == ("x", "y")
    assert [result.value("tau", "q", system) for system in ("x", "y")] == [1, -1]
    assert result.n("RBO", "x") == 1
    assert "x: lacks 1 query of run, not measured" in result.notes
    assert "run: lacks 1 query of x, not measured" in result.notes
    assert result.conventions.missing == "skip"


def test_few_documents_in_common_are_noted() -> None:
    result = agree({"q": {"a": 1}}, {"q": {"b": 1}})
    assert result.notes == ("run: 1 query with fewer than two documents in common",)
    assert result.value("KendallTau", "q") == 0.0  # empty=zero
    assert agree({"q": {"a": 1}}, {"q": {"b": 1}}, conventions=UNDEFINED_APART).n("KendallTau") == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agree({"q": {"a": 1}}, {"p": {"a": 1}}), "have no query in common"),
        (lambda: agree({"q": {"a": 1}}, {}), "the run has no queries"),
        (lambda: agree({"q": {"a": 1}}, {"q": {"a": 1}}, "AP"), "AP does not compare two runs"),
        (
            lambda: agree({"q": {"a": 1}}, {"q": {"a": 1}}, conventions=Conventions(unjudged="removed")),
            "unjudged=removed cannot be used with two runs",
        ),
        (
            lambda: agree({"q": {"a": 1}}, {"q": {"a": 1}}, conventions=Conventions(ties="averaged")),
            "no closed form for averaged ties",
        ),
        (
            lambda: agree({"q": {"a": 1}}, {"q": {"a": 1}}, conventions=Conventions(ties="optimistic")),
            "no best and worst order",
        ),
        (lambda: agree({"q": {"a": 1}}, "x.run"), "x.run: there is no such file"),
        (lambda: agree({"q": {"a": 1}}, {"q": {"a": 1}}, conventions="x"), "no conventions are called 'x'"),
        (lambda: agree({"q": {"a": "x"}}, {"q": {"a": 1}}), "not a number"),
        (lambda: evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "RBO"), "RBO needs a second run"),
        (lambda: parse("RBO(p=1)"), "p must lie between 0 and 1, not 1"),
        (lambda: parse("RBO(estimate=max)"), "estimate must be ext, min or res, not 'max'"),
        (lambda: parse("Overlap(k=0)"), "the cut-off k must be a whole number, 1 or more, not 0"),
        (lambda: parse("RBO")([1, 2]), "needs a second run, not a list of grades"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
