"""User models against their definitions, written out for one list at a time."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import Conventions, InputError, evaluate
from idealist.measures import cwl, parse

REAL_GRADES = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 4.0])
LISTS = st.lists(st.none() | REAL_GRADES, max_size=8)
UNSEEN = st.lists(REAL_GRADES, max_size=4)
FOREVER = 400  # ranks; who goes on with the chance 0.8 has left by then


def known(grades: list[float | None], unseen: list[float]) -> list[float]:
    return [grade for grade in grades if grade is not None] + unseen


def blended_ratios(
    grades: list[float | None], judged: list[float], level: float, beta: float, gain: Any
) -> float:
    def worth(grade: float | None) -> Any:
        return gain(grade) if grade is not None and grade >= level else 0.0

    ideal = sorted(map(worth, judged), reverse=True)
    total = 0.0
    for rank, grade in enumerate(grades, 1):
        if grade is not None and grade >= level:
            count = sum(other is not None and other >= level for other in grades[:rank])
            gained = sum(map(worth, grades[:rank]))
            total += (count + beta * gained) / (rank + beta * sum(ideal[:rank]))
    return total / sum(grade >= level for grade in judged)


@given(
    LISTS, UNSEEN, st.sampled_from([0.5, 1, 2]), st.sampled_from([0.25, 1, 10]), st.sampled_from([None, 1, 3])
)
def test_q_is_what_sakai_says(
    grades: list[float | None], unseen: list[float], level: float, beta: float, k: int | None
) -> None:
    judged = known(grades, unseen)
    gains: dict[str, Any] = {"linear": lambda grade: grade, "exp": lambda grade: 2**grade - 1}
    for name, gain in gains.items():
        measure = parse("Q").replace(level=level, beta=beta, gain=name, k=k)
        if not any(grade >= level for grade in judged):
            # Undefined, and so what the convention says.
            assert measure(grades, judged=judged, conventions=Conventions(empty="one")) == 1
            continue
        expected = blended_ratios(grades[:k], judged, level, beta, gain)
        assert measure(grades, judged=judged) == pytest.approx(expected, abs=1e-12)


def test_q_by_hand() -> None:
    # Relevant at ranks 1 and 3; the ideal gains are 3, 2, 1, and so 3, 5, 6 in all.
    expected = ((1 + 1) / (1 + 3) + (2 + 3) / (3 + 6)) / 3
    assert parse("Q")([1, 0, 2], judged=[1, 0, 2, 3]) == pytest.approx(expected)
    assert parse("q_measure(gain={0:0,1:1,2:5,3:9})")([1, 0, 2], judged=[1, 0, 2, 3]) == pytest.approx(
        ((1 + 1) / (1 + 9) + (2 + 6) / (3 + 15)) / 3
    )


@given(LISTS, UNSEEN, st.sampled_from([None, 1, 3]))
def test_nerr_is_err_over_that_of_the_best_list(
    grades: list[float | None], unseen: list[float], k: int | None
) -> None:
    def err(ranked: list[float]) -> float:
        value, left = 0.0, 1.0
        for rank, grade in enumerate(ranked[:k], 1):
            satisfied = (2 ** max(grade, 0) - 1) / 2**4
            value += left * satisfied / rank
            left *= 1 - satisfied
        return value

    judged = known(grades, unseen)
    best = err(sorted(judged, reverse=True))
    expected = err([grade or 0.0 for grade in grades]) / best if best else 0.0
    assert parse("nERR").replace(k=k)(grades, judged=judged) == pytest.approx(expected, abs=1e-12)


@given(LISTS, st.sampled_from([0.2, 0.8]), st.sampled_from([0.5, 1, 2]), st.sampled_from([None, 2]))
def test_rbp_and_its_residual(grades: list[float | None], p: float, level: float, k: int | None) -> None:
    weights = [(1 - p) * p**rank for rank in range(FOREVER)]
    ranked = grades[:k] + [None] * FOREVER
    value = sum(w for w, grade in zip(weights, ranked, strict=False) if grade is not None and grade >= level)
    unknown = sum(w for w, grade in zip(weights, ranked, strict=False) if grade is None)
    rbp = parse("RBP").replace(p=p, level=level, k=k)
    assert rbp(grades) == pytest.approx(value, abs=1e-12)
    assert parse(f"Residual(of={rbp})")(grades) == pytest.approx(unknown, abs=1e-12)


@given(LISTS, st.sampled_from([1.5, 3.0]), st.sampled_from([0.0, 0.75]))
def test_interest_that_falls_with_time_or_text(
    grades: list[float | None], scale: float, lowest: float
) -> None:
    gains = [max((grade or 0) - lowest, 0) / (4 - lowest) for grade in grades]
    decays: dict[str, Any] = {
        f"TBG(halflife={scale},min_grade={lowest})": lambda start: 0.5 ** (start / scale),
        f"U-measure(L={scale},min_grade={lowest})": lambda start: max(0.0, 1 - start / scale),
    }
    for text, decay in decays.items():
        total = sum(gain * decay(before) for before, gain in enumerate(gains))
        depth = sum(decay(before) for before in range(FOREVER))
        assert parse(text)(grades) == pytest.approx(total / depth, abs=1e-12)
        assert parse(f"ETU(of={text})")(grades) == pytest.approx(total, abs=1e-12)
        assert parse(f"ExpectedDepth(of={text})")(grades) == pytest.approx(depth)


@given(LISTS, st.sampled_from([0.5, 2.0]), st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.0, 1.0, 2.5]))
def test_a_bejeweled_player_who_learns(grades: list[float | None], goal: float, hb: float, hc: float) -> None:
    for unjudged in (0.0, 1.0):
        gains = [unjudged if grade is None else max(grade, 0) / 4 for grade in grades]
        gains += [unjudged] * (30 - len(gains))
        wants, budget, depth = goal, 4.0, 30
        for rank, gain in enumerate(gains, 1):
            if sum(gains[:rank]) >= wants or rank >= budget:
                depth = rank
                break
            wants += hb * (gain - 0.5)
            budget += hc * (gain - 0.5)
        text = f"BPMDynamic(T={goal},budget=4,hb={hb},hc={hc})@30"
        value, found = parse(text)(grades), parse(f"ExpectedDepth(of={text})")(grades)
        if unjudged:
            value += parse(f"Residual(of={text})")(grades)
            found += parse(f"Residual(of=ExpectedDepth(of={text}))")(grades)
        assert value == pytest.approx(sum(gains[:depth]) / depth, abs=1e-12)
        assert found == pytest.approx(depth)


def test_going_on_for_ever_is_near_to_going_on_for_long() -> None:
    # INSQ(T=0.5) has V(r) = 1/r², whose sum is π²/6.
    for ranks in (1_000, 1_000_000):
        found = parse(f"ExpectedDepth(of=INSQ(T=0.5)@{ranks})")([1])
        assert found == pytest.approx(math.pi**2 / 6 - 1 / ranks, abs=1 / ranks**2)


@given(LISTS, UNSEEN)
def test_the_person_of_average_precision(grades: list[float | None], unseen: list[float]) -> None:
    judged = known(grades, unseen)
    ranks = [rank for rank, grade in enumerate(grades, 1) if grade is not None and grade >= 1]
    if not ranks:
        return
    relevant = sum(grade >= 1 for grade in judged)
    depth = parse("ExpectedDepth(of=AP)")(grades, judged=judged)
    assert depth == pytest.approx(relevant / sum(1 / rank for rank in ranks))
    total = parse("ExpectedTotalUtility(of=AP)")(grades, judged=judged)
    assert total / depth == pytest.approx(parse("AP")(grades, judged=judged))


def test_residuals_by_hand() -> None:
    assert parse("Residual(of=P@4)")([1, None, 0]) == 2 / 4  # rank 2, and rank 4 where the list has ended
    assert parse("Residual(of=RR)")([0, None, 1]) == pytest.approx(1 / 2 - 1 / 3)
    assert parse("Residual(of=ExpectedDepth(of=RR))")([0, None, 1]) == 2 - 3
    assert parse("Residual(of=AP)")([1, None, 0]) == 0.0  # 1 of 1 relevant; 2 of 2 in the best case
    assert parse("Residual(of=AP)")([0, 1, None]) == pytest.approx((1 / 2 + 2 / 3) / 2 - 1 / 2)
    assert parse("Residual(of=ExpectedCost(of=INST))")([0, None]) == pytest.approx(0)
    removed = Conventions(unjudged="removed")
    assert parse("Residual(of=RBP(p=0.5))")([1, None, 0], conventions=removed) == 1 / 4


def test_who_finds_nothing_relevant() -> None:
    assert parse("ExpectedDepth(of=RR)")([0, 0]) == cwl.HORIZON
    assert parse("ExpectedDepth(of=RR@7)")([0, 0]) == 7
    result = evaluate(
        {"q": {"a": 1}, "lost": {"a": 1}}, {"q": {"a": 1.0}}, ["INST@10", "ExpectedDepth(of=BPM@10)"]
    )
    assert result.value("INST@10", "lost") == 0
    assert result.value("ExpectedDepth(of=BPM@10)", "lost") == 10


@given(tasks())
def test_memory_is_bounded_by_parts_of_queries(task: Any) -> None:
    texts = ["INST@50", "Q", "ExpectedDepth(of=AP)", "Residual(of=BPM@10)"]
    run, judged = task
    whole = evaluate(judged, run, texts).to_dict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cwl, "PLACES_AT_ONCE", 7)
        assert evaluate(judged, run, texts).to_dict() == whole


def test_names_of_other_tools() -> None:
    assert parse("rbp.95") == parse("RBP(p=0.95)")
    assert parse("rank_biased_precision") == parse("RBP(p=0.8)")
    assert parse("rbp_resid") == parse("Residual(of=RBP(p=0.9))")
    assert parse("RBP(p=0.5,rel=2)@10") == parse("RBP(p=0.5,level=2)@10")
    assert parse("BPM(T=2,min_rel=0,max_rel=3)@10") == parse("BPM(T=2,max_grade=3)@10")
    assert (
        str(parse("ETC(of=INST(T=2)@10,cost=3)")) == "ExpectedTotalCost(of=INST(max_grade=4,T=2)@10,cost=3)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBP(p=1)", "p must lie between 0 and 1, not 1"),
        ("INST(T=0.25)", "T must be 0.5 or more, not 0.25"),
        ("INST(min_rel=4)", "min_grade must be below max_grade, 4"),
        ("INST(min_grade=-1)", r"min_grade must be from 0 to 1000000, not -1"),
        ("INST@2000000", "the cut-off k must be at most"),
        ("SET(power=1.5)", "power must be above 0 and at most 1, not 1.5"),
        ("Residual(of=nDCG@10)", "nDCG@10 has no user model"),
        ("ExpectedDepth(of=P)", "P without a cut-off has no user model"),
        ("ExpectedDepth(of=Residual(of=RBP))", "Residual.of=RBP. has no user model"),
        ("ExpectedDepth(of=RBP(q=1))", "RBP has no parameter 'q'"),
        ("ExpectedDepth(of=3)", "no measure is called '3'"),
    ],
)
def test_what_cannot_be_right_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text)


def test_grades_off_the_scale_are_refused() -> None:
    for text in (
        "INST(max_grade=2)",
        "SDCG(max_rel=2)@10",
        "RBP(max_grade=2)",
        "Residual(of=RBP(max_grade=2))",
        "nERR(max_grade=2)",
    ):
        with pytest.raises(InputError, match="has grade 3, above max_grade=2"):
            parse(text)([3])
    with pytest.raises(InputError, match="the gain falls where the grade rises"):
        parse("Q(gain={0:0,1:2,2:1})")([1, 2])
    with pytest.raises(InputError, match="add up to more than a number can hold"):
        parse("Q(gain=exp)")([1023, 1023, 1023])
    with pytest.raises(InputError, match="no closed form for averaged ties"):
        evaluate(
            {"q": {"a": 1}},
            {"q": {"a": 1.0, "b": 1.0}},
            "ExpectedDepth(of=INST)",
            conventions=Conventions(ties="averaged"),
        )
