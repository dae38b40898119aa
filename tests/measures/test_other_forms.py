"""Forms of measures in which tools and papers differ, each by a parameter, against arithmetic."""

from __future__ import annotations

from math import comb

import pytest

from idealist import Conventions, Rankings, evaluate
from idealist.data import GroupedJudgments
from idealist.measures import parse
from idealist.measures.families.incomplete import _chances


def compatibility(run: list[str], ideal: list[str], p: float, depth: int) -> float:
    """As the authors' program sums: to a fixed depth, whatever the lengths of the lists."""

    def overlap(one: list[str]) -> float:
        return sum(p**d * len({*one[: d + 1]} & {*ideal[: d + 1]}) / (d + 1) for d in range(depth))

    return overlap(run) / overlap(ideal)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 1000])
def test_compatibility_to_a_fixed_depth(depth: int) -> None:
    grades = {"a": 3, "b": 2, "c": 1, "z": 1}
    run = ["c", "x", "a", "y", "b"]
    measure = parse(f"Compat(p=0.9)@{depth}")
    found = measure([grades.get(one) for one in run], judged=list(grades.values()))
    assert found == pytest.approx(compatibility(run, ["a", "b", "c", "z"], 0.9, depth))
    longest = measure.replace(k=None)([grades.get(one) for one in run], judged=list(grades.values()))
    assert longest == pytest.approx(compatibility(run, ["a", "b", "c", "z"], 0.9, 5))


def test_q_divided_by_what_k_ranks_can_hold() -> None:
    # One of three relevant documents at rank 1, where (1 + 1) / (1 + 1) = 1: of 3, of min(3, 2), of the one found.
    grades, judged = [1, 0, 1], [1, 0, 1, 1]
    assert parse("Q@2")(grades, judged=judged) == pytest.approx(1 / 3)
    assert parse("Q(divisor=reachable)@2")(grades, judged=judged) == pytest.approx(1 / 2)
    assert parse("Q(divisor=found)@2")(grades, judged=judged) == 1


def test_total_gains_of_the_papers() -> None:
    # Half of the people leave with every document: 1 + 1/4. V = 1, 3/4, 1/2: 1 + 1/2.
    assert parse("TBG(total=true,halflife=1,max_grade=1)")([1, 0, 1]) == 1.25
    assert parse("time_biased_gain") == parse("TBG(total=true)")
    assert parse("U-measure(total=true,L=4,max_grade=1)")([1, 0, 1]) == 1.5
    # Two documents in all could be had, and one was found; the second is not judged.
    assert parse("Residual(of=TBG(total=true,halflife=1,max_grade=1))")([1, None]) == pytest.approx(2 - 1)


def test_subtopics_without_a_relevant_document() -> None:
    # Of two subtopics with the weights 3/4 and 1/4, nothing is relevant for the second.
    judged = GroupedJudgments(
        {"q": {"car": {"a": 1}, "cat": {"b": 0}}}, weights={"q": {"car": 0.75, "cat": 0.25}}
    )
    run = {"q": {"a": 1.0}}
    for name in ("ERR-IA@1", "alpha-DCG@1", "NRBP"):
        head, at, k = name.partition("@")
        every = f"{head}(subtopics=all){at}{k}"
        found = evaluate(judged, run, [name, every])
        assert found.mean(every) == pytest.approx(found.mean(name) * 0.75), name
    counted = evaluate(judged, run, "alpha-DCG(norm=none,subtopics=all)@1")
    assert counted.mean(counted.measures[0]) == pytest.approx(2 * 0.75)
    nothing = GroupedJudgments({"q": {"car": {"a": 0}}})
    empty = evaluate(nothing, run, "ERR-IA(subtopics=all)@1", conventions=Conventions(empty="one"))
    assert empty.mean(empty.measures[0]) == 1


def test_chances_of_distinct_samples() -> None:
    import numpy as np

    # 2 of the 4 other items are sampled; 3 of the 4 stand above: none of them cannot be, one in 3 of 6 ways.
    assert _chances(np.array([3]), 5, 2, False)[0] == pytest.approx([0, 3 / comb(4, 2), 3 / comb(4, 2)])
    assert _chances(np.array([3]), 5, 2, True)[0] == pytest.approx([1 / 16, 6 / 16, 9 / 16])


def test_distinct_samples_of_all_items_but_one() -> None:
    # All items are sampled: the rank among them is the rank, and what it says has no variance.
    measure = parse("Sampled(of=RR,items=4,samples=3,estimator=bias-variance,replacement=false)")
    ranks = [[0.0] * above + [1.0] + [0.0] * (3 - above) for above in range(4)]
    assert list(measure.values(Rankings.from_grades(ranks))) == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
@pytest.mark.parametrize(
    "name", ["G", "infAP", "Accuracy@5", "BPM", "AP(divisor=found)@3", "Judged@3", "Residual"]
)
def test_an_order_by_grade_need_not_be_the_extreme(ties: str, name: str) -> None:
    run, judged = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 0}}
    found = evaluate(judged, run, [name, "nDCG@10"], conventions=Conventions(ties=ties))
    noted = [note for note in found.notes if "need not be the extreme" in note]
    assert noted == [
        f"{found.measures[0]}: ties={ties} orders by grade, which need not be the extreme of this measure"
    ]
    assert not any("extreme" in note for note in evaluate(judged, run, name).notes)
