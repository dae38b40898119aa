"""Measures made of measures, against lists changed by hand."""

from __future__ import annotations

from math import comb, inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist import Conventions, Measure, Rankings, evaluate
from idealist.measures import parse
from idealist.measures.families import incomplete
from idealist.measures.families.incomplete import Condensed, Gap, Sampled, Upper

INNER = ["nDCG@3", "nDCG(gain=exp)", "AP", "RR@2", "P@2", "R@3", "ERR", "Judged@2", "DCG(discount=zipf)"]
GRADES = st.none() | st.integers(-1, 4) | st.just(0.5)
LISTS = st.lists(
    st.tuples(st.lists(GRADES, max_size=7), st.lists(st.integers(-1, 4), max_size=3)), min_size=1
)


def judged_of(grades: list[Any], lost: list[Any]) -> list[Any]:
    return [grade for grade in grades if grade is not None] + lost


@given(LISTS, st.sampled_from(INNER))
def test_condensed_is_the_list_without_unjudged(lists: Any, inner: str) -> None:
    for grades, lost in lists:
        judged = judged_of(grades, lost)
        kept = [grade for grade in grades if grade is not None]
        assert parse(f"Condensed(of={inner})")(grades, judged=judged) == parse(inner)(kept, judged=judged)
        assert parse(f"Lower(of={inner})")(grades, judged=judged) == parse(inner)(grades, judged=judged)


@given(LISTS, st.sampled_from(INNER), st.sampled_from([4, 5.5]))
def test_upper_is_the_list_with_the_best_for_unjudged(lists: Any, inner: str, top: float) -> None:
    measure = parse(inner)
    if "max_grade" in measure.fields:
        measure = measure.replace(max_grade=top)
    for grades, lost in lists:
        judged = judged_of(grades, lost)
        better = [top if grade is None else grade for grade in grades]
        upper = measure(better, judged=judged + [top] * grades.count(None))
        assert Upper(of=measure, max_grade=top)(grades, judged=judged) == upper
        residual = Gap(of=measure, max_grade=top)(grades, judged=judged)
        assert residual == pytest.approx(upper - measure(grades, judged=judged))


def test_a_sum_lies_between_its_ends() -> None:
    grades = [None, 1, None, 3, 0]
    for inner in ("DCG@4", "P@3", "CG", "RR"):
        low, plain, high = (
            parse(text)(grades) for text in (f"Lower(of={inner})", inner, f"Upper(of={inner})")
        )
        assert low == plain < high


def test_upper_of_an_ideal_list_may_lie_below() -> None:
    # The relevant document stands first, as it should; were the last one relevant too, it stands too low.
    assert Gap(of="nDCG", max_grade=1)([1, 0, None]) == pytest.approx(
        (1 + 1 / 2) / (1 + parse("DCG")([0, 1])) - 1
    )


def test_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {f"q{i}": {f"d{j}": -j for j in range(i)} for i in range(1, 9)}
    judged = {f"q{i}": {"d0": 1, "d2": 3} for i in range(12)}
    whole = evaluate(judged, run, "Upper").to_dict()
    for part in (1, 5, 7):
        monkeypatch.setattr(incomplete, "PART", part)
        assert evaluate(judged, run, "Upper").to_dict() == whole


def test_what_a_wrapper_takes_over() -> None:
    counts = parse("Condensed(of=NumRelRet)")
    assert (counts.aggregate, counts.bounds) == ("sum", (0.0, inf))
    assert not parse("Condensed(of=ERR)").averages_ties
    assert parse("Condensed(of=AP)").averages_ties
    assert parse("Lower(of=nDCG@7)").depth == 7
    assert parse("Condensed(of=nDCG@7)").depth is None  # what is unjudged may push all else below rank 7
    assert parse("Gap(of=DCG)").bounds == (-inf, inf)


def test_pooled_measures_are_wrapped_too() -> None:
    class Depth(Measure):
        """The mean rank of a judged document, over all queries."""

        name = "Depth"
        aggregate = "pooled"

        def values(self, rankings: Rankings) -> Any:
            return parse("NumRet").values(rankings)

        def pooled(self, rankings: Rankings) -> float:
            ranks = [rank for one in rankings for rank in one.ranks]
            return sum(ranks) / len(ranks)

    run, judged = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"c": 1}}
    wrapped = [Depth(), Condensed(of=Depth()), Upper(of=Depth()), Gap(of=Depth())]
    result = evaluate(judged, run, wrapped[1:])
    # c stands third; alone it is first; with all judged the mean is 2
    assert [result.aggregate(measure) for measure in wrapped[1:]] == [1.0, 2.0, -1.0]


@pytest.mark.parametrize(
    "text",
    [
        "Condensed(of=nDCG(gain=exp)@5)",
        "Condensed(of=nDCG(gain={0:0,1:3},discount=[1,0.5])@2)",
        "Upper(of=Condensed(of=AP@3),max_grade=2)",
        "Sampled(of=Success@10,items=5000,samples=99,estimator=bias-variance,tradeoff=0.5)",
    ],
)
def test_nested_text_round_trips(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(text.replace("of=", "of = ")) == parse(text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse("Condensed(of=nope)"), "no measure is called 'nope'"),
        (lambda: parse("Condensed(of=P-IA)"), "Condensed cannot be of P-IA"),
        (lambda: parse("Condensed(of=RBO)"), "Condensed cannot be of RBO"),
        (lambda: parse("Condensed(of=3)"), "no measure is called '3'"),
        (lambda: parse("Condensed").replace(of=None), "Condensed needs the parameter of"),
        (lambda: parse("Condensed(of=nDCG)@10"), "Condensed has no cut-off"),
        (lambda: Upper(max_grade=1)([2, None]), "grade 2, above max_grade=1"),
        (lambda: Upper()([2], conventions=Conventions(ties="optimistic")), "no best and worst order"),
        (lambda: parse("Sampled")([1, 0]), "does not say from how many items 100 were sampled"),
        (lambda: parse("Sampled(items=50)")([1, 0]), "does not say from how many items"),
        (lambda: parse("Sampled(items=2.5)"), "items must be a whole number, 2 or more, not 2.5"),
        (lambda: parse("Sampled(samples=0)"), "samples must be a whole number, 1 or more, not 0"),
        (lambda: parse("Sampled(tradeoff=0)"), "tradeoff must be above 0 and at most 1, not 0"),
        (lambda: parse("Sampled(estimator=mle)"), "estimator must be rank or bias-variance, not 'mle'"),
        (lambda: Sampled(items=9, samples=2)([1, 0]), "query '0' has a list of 2"),
        (lambda: Sampled(items=9, samples=2)([1, 1, 0]), "2 relevant documents, 2 of them in its list"),
        (lambda: Sampled(items=9, samples=2)([0, 0, 0], judged=[0, 0, 0, 1]), "1 relevant documents, 0 of"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def chance(seen: int, true: int, items: int, samples: int) -> float:
    """That of `samples` items drawn one by one, with return, seen − 1 are among the true − 1 better ones."""
    better = (true - 1) / (items - 1)
    return comb(samples, seen - 1) * better ** (seen - 1) * (1 - better) ** (samples - seen + 1)


def sampled_values(measure: Measure, samples: int) -> list[float]:
    """The values of lists whose relevant document stands first, second, and so on."""
    run = {f"{at:03}": {f"d{rank}": -rank for rank in range(samples + 1)} for at in range(samples + 1)}
    judged = {f"{at:03}": {f"d{at}": 1} for at in range(samples + 1)}
    return list(evaluate(judged, run, measure).by_query(measure).values())


def test_the_rank_is_right_on_average() -> None:
    # A measure that falls evenly with the rank: then what is right for the rank is right for it.
    items, samples = 40, 6
    even = parse("DCG").replace(discount=[1 - (rank - 1) / (items - 1) for rank in range(1, items + 1)])
    values = sampled_values(Sampled(of=even, items=items, samples=samples), samples)
    for true in range(1, items + 1):
        mean = sum(chance(seen, true, items, samples) * value for seen, value in enumerate(values, 1))
        assert mean == pytest.approx(1 - (true - 1) / (items - 1))


def test_between_whole_ranks() -> None:
    # 1 + 6 · 1/4 = 2.5: between 1/2 and 1/3.
    assert sampled_values(Sampled(of="RR", items=7, samples=4), 4)[1] == pytest.approx((1 / 2 + 1 / 3) / 2)


@pytest.mark.parametrize("inner", ["RR", "nDCG@5", "Success@3"])
@pytest.mark.parametrize("tradeoff", [0.05, 0.5])
def test_no_other_numbers_err_less(inner: str, tradeoff: float) -> None:
    items, samples = 30, 4
    measure = Sampled(of=inner, items=items, samples=samples, estimator="bias-variance", tradeoff=tradeoff)
    best = sampled_values(measure, samples)
    truth = [parse(inner)([0] * (rank - 1) + [1]) for rank in range(1, items + 1)]

    def error(values: list[float]) -> float:
        total = 0.0
        for true, value in enumerate(truth, 1):
            chances = [chance(seen, true, items, samples) for seen in range(1, samples + 2)]
            mean = sum(p * v for p, v in zip(chances, values, strict=True))
            variance = sum(p * (v - mean) ** 2 for p, v in zip(chances, values, strict=True))
            total += (mean - value) ** 2 + tradeoff * variance
        return total

    for at in range(samples + 1):
        for step in (-1e-3, 1e-3):
            other = [value + step * (i == at) for i, value in enumerate(best)]
            assert error(other) > error(best)


def test_full_weight_on_variance_gives_what_is_expected_of_each_rank() -> None:
    items, samples = 30, 4
    values = sampled_values(
        Sampled(of="RR", items=items, samples=samples, estimator="bias-variance", tradeoff=1), samples
    )
    for seen, value in enumerate(values, 1):
        chances = [chance(seen, true, items, samples) for true in range(1, items + 1)]
        expected = sum(p / true for true, p in enumerate(chances, 1)) / sum(chances)
        assert value == pytest.approx(expected)


def test_graded_missing_and_empty_queries_of_a_sample() -> None:
    measure = Sampled(of="DCG(discount=zipf)", items=5, samples=2)
    run = {q: {"a": 3, "b": 2, "c": 1} for q in "uvw"}
    judged = {"u": {"b": 2, "a": 0}, "v": {"b": 4}, "w": {"a": 0}, "x": {"a": 3}}
    values = evaluate(judged, run, measure).by_query(measure)
    # rank 2 of 3 is rank 1 + 4 · 1/2 = 3; nothing is relevant to w, and x is missing
    assert values == pytest.approx({"u": 2 / 3, "v": 4 / 3, "w": 0, "x": 0})


def test_sampled_values_come_with_a_warning() -> None:
    result = evaluate({"q": {"a": 1}}, {"q": {"a": 2, "b": 1}}, "Sampled(of=RR,items=100,samples=1)")
    assert result.notes[0].startswith("Sampled(of=RR,items=100,samples=1): an estimate from sampled items")


@given(st.integers(0, 4), st.integers(5, 60))
@settings(max_examples=30)
def test_a_sampled_value_does_not_depend_on_other_queries(rank: int, items: int) -> None:
    for estimator in ("rank", "bias-variance"):
        measure = Sampled(of="nDCG@10", items=items, samples=4, estimator=estimator)
        alone = measure([float(at == rank) for at in range(5)])
        assert sampled_values(measure, 4)[rank] == alone
