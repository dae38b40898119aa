"""Estimates from a stratified sample, against loops written from the definition."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import floor, log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import DOCUMENTS, QUERIES, runs

from idealist import Conventions, Run, evaluate
from idealist.data import read_strata
from idealist.data.judgment_tables import strata_text
from idealist.data.sampled import SampledJudgments

MEASURES = [
    "infNDCG",
    "infNDCG@3",
    "infNDCG(gain=exp,discount=zipf)@5",
    "xinfAP",
    "xinfAP(level=2)",
    "xinfAP@4",
]
ENTRIES = st.tuples(st.sampled_from(["1", "2", "rest"]), st.none() | st.integers(0, 3))
SAMPLES = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), ENTRIES), min_size=1
)


def inferred_ndcg(ranking: list[str], sample: Any, gain: Any, discount: Any, k: int) -> float | None:
    strata = defaultdict(list)
    for stratum, grade in sample.values():
        strata[stratum].append(grade)
    expected: dict[int, Fraction] = defaultdict(Fraction)
    for grades in strata.values():
        sampled = [grade for grade in grades if grade is not None]
        for grade in sampled:
            expected[grade] += Fraction(len(grades), len(sampled))
    ideal = [
        grade
        for grade in sorted(expected, reverse=True)
        for _ in range(floor(expected[grade] + Fraction(1, 2)))
    ]
    best = sum(gain(grade) * discount(rank) for rank, grade in enumerate(ideal[:k], 1))
    found = 0.0
    for stratum in strata:
        here = [
            (rank, sample[d][1]) for rank, d in enumerate(ranking[:k], 1) if sample.get(d, [0])[0] == stratum
        ]
        sampled_here = [gain(grade) * discount(rank) for rank, grade in here if grade is not None]
        if sampled_here:
            found += len(here) * sum(sampled_here) / len(sampled_here)
    return found / best if best else None


def inferred_ap(ranking: list[str], sample: Any, level: int, k: int) -> float | None:
    strata = sorted({stratum for stratum, _ in sample.values()})
    sizes = {s: [grade for stratum, grade in sample.values() if stratum == s] for s in strata}
    counts = {s: sum(grade is not None for grade in grades) for s, grades in sizes.items()}
    relevant = {s: sum(grade is not None and grade >= level for grade in sizes[s]) for s in strata}
    likely = {s: relevant[s] * len(sizes[s]) / counts[s] if counts[s] else 0 for s in strata}
    if not sum(likely.values()):
        return None
    total = 0.0
    for rank, document in enumerate(ranking[:k], 1):
        stratum, grade = sample.get(document, (None, None))
        if grade is None or grade < level:
            continue
        above = 0.0
        for s in strata:
            here = [sample[d][1] for d in ranking[: rank - 1] if sample.get(d, [0])[0] == s]
            judged = [grade for grade in here if grade is not None]
            if here:
                share = (sum(g >= level for g in judged) + 0.00001) / (len(judged) + 0.00003)
                above += len(here) / rank * share
        total += likely[stratum] / relevant[stratum] * (1 / rank + above)
    return total / sum(likely.values())


@given(runs(), SAMPLES, st.sampled_from(["id-descending", "id-ascending"]))
def test_every_value_is_the_definition(run: Any, sample: Any, ties: str) -> None:
    sample.setdefault(next(iter(run)), {"d1": ("1", 1)})
    conventions = Conventions(ties=ties)
    result = evaluate(SampledJudgments(sample), run, MEASURES, conventions=conventions)
    kept = Run(run)
    for query, documents in sample.items():
        ranking = kept.ranking(query, conventions) if query in run else []
        linear = (float, lambda rank: 1 / log2(rank + 1))
        expected = [
            inferred_ndcg(ranking, documents, *linear, 99),
            inferred_ndcg(ranking, documents, *linear, 3),
            inferred_ndcg(ranking, documents, lambda grade: 2**grade - 1, lambda rank: 1 / rank, 5),
            inferred_ap(ranking, documents, 1, 99),
            inferred_ap(ranking, documents, 2, 99),
            inferred_ap(ranking, documents, 1, 4),
        ]
        for text, value in zip(MEASURES, expected, strict=True):
            assert result.value(text, query) == pytest.approx(value or 0.0, abs=1e-12), (text, query)
            assert result.value(text, query) >= 0
    for query in set(run) & set(sample):
        alone = evaluate(
            SampledJudgments({query: sample[query]}), {query: run[query]}, MEASURES, conventions=conventions
        )
        assert all(alone.value(text, query) == result.value(text, query) for text in MEASURES)


@given(
    runs(),
    st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3))),
)
def test_when_all_is_sampled_they_are_what_they_estimate(run: Any, judged: Any) -> None:
    judged.setdefault(next(iter(run)), {"d1": 1})
    whole = SampledJudgments({q: {d: ("all", g) for d, g in docs.items()} for q, docs in judged.items()})
    result = evaluate(whole, run, ["infNDCG", "infNDCG@3", "xinfAP"])
    plain = evaluate(judged, run, ["nDCG", "nDCG@3", "AP"])
    for query in judged:
        for inferred, true in (("infNDCG", "nDCG"), ("infNDCG@3", "nDCG@3")):
            assert result.value(inferred, query) == pytest.approx(plain.value(true, query), abs=1e-12)
        assert result.value("xinfAP", query) == pytest.approx(plain.value("AP", query), abs=1e-4)  # ε


def test_a_sample_by_hand() -> None:
    # Of four pooled documents two were sampled, one of them relevant: two relevant ones are likely.
    sample = {"q": {"a": ("s", 1), "b": ("s", None), "c": ("s", 0), "d": ("s", None)}}
    run = {"q": {"b": 3, "a": 2, "x": 1}}
    result = evaluate(SampledJudgments(sample), run, ["infNDCG", "xinfAP"])
    # Two pooled documents in the list, one sampled, at rank 2; the ideal list has two.
    assert result.value("infNDCG", "q") == pytest.approx(2 / log2(3) / (1 + 1 / log2(3)))
    # At rank 2: itself, and above it one document of unknown grade, taken for relevant one time in three.
    assert result.value("xinfAP", "q") == pytest.approx(2 * (1 / 2 + 1 / 2 * 1 / 3) / 2)


def test_read_strata(tmp_path: Path) -> None:
    path = tmp_path / "s.qrels"
    path.write_text("q 0 a 1 2\nq 0 b 1 -1\nq 0 c rest 0\np 0 a 1 1\n")
    sample = read_strata(path)
    assert sample["q"] == {"a": ("1", 2.0), "b": ("1", None), "c": ("rest", 0.0)}
    assert list(sample) == ["p", "q"]
    assert sample.plain()["q"] == {"a": 2.0, "b": -1.0, "c": 0.0}
    result = evaluate(sample, {"q": {"a": 1}}, ["xinfAP", "nDCG"])
    assert result.notes[:2] == (
        "3 of 4 pooled documents were judged: values estimated from such a sample tend to be a little too high, "
        "differences between runs much less",
        "documents that were not sampled have grade -1 where a measure knows of no strata",
    )
    whole = SampledJudgments({"q": {"a": ("1", 2)}})
    assert "pooled" not in " ".join(evaluate(whole, {"q": {"a": 1}}, "xinfAP").notes)


@given(SAMPLES)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, queries: Any) -> None:
    sample = SampledJudgments(
        {query: its for query, its in queries.items() if its} or {"q": {"d": ("1", 0.5)}}
    )
    path = tmp_path_factory.mktemp("strata") / "s.qrels"
    path.write_bytes(strata_text(sample).encode("utf-8", "surrogateescape"))
    assert dict(read_strata(path).items()) == dict(sample.items())


def test_ids_that_trec_text_cannot_carry() -> None:
    for sample in ({"q": {"a b": ("1", 0)}}, {"q": {"a": ("", 0)}}, {"q q": {"a": ("1", None)}}):
        with pytest.raises(ValueError, match="TREC text cannot carry"):
            strata_text(SampledJudgments(sample))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 a 1 2\nq 0 a 2 1\n", "document 'a' appears twice for query 'q', in the strata '1' and '2'"),
        ("q 0 a 1 2\nq 0 a 1 1\n", "line 2: document .* appears twice"),
        ("q 0 a 2\n", "line 1: expected 5 columns, found 4"),
        ("q 0 a 1 x\n", "line 1: the grade is not a number: 'x'"),
        ("", "the file is empty"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.qrels"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_strata(path)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([], "expected {query"),
        ({"q": 3}, "query 'q': expected"),
        ({"q": {"d": 3}}, "query 'q', document 'd': expected \\(stratum, grade or None\\), found 3"),
        ({"q": {"d": ("s", "x")}}, "the grade is text"),
        ({"q": {"d": ("s", -1)}}, "the grade is -1\nhint: None says"),
        ({"q": {"d": (None, 1)}}, "the stratum is None"),
        ({"q": {"1": ("s", 1), 1: ("s", 1)}}, "document '1' appears twice"),
        ({"q": {}, 1: {}, "1": {}}, "query '1' appears twice"),
    ],
)
def test_bad_samples(queries: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SampledJudgments(queries)


def test_other_bad_input() -> None:
    run: Any = {"q": {"a": 1}}
    with pytest.raises(ValueError, match="infNDCG needs judgments of a stratified sample"):
        evaluate({"q": {"a": 1}}, run, "infNDCG")
    sample = SampledJudgments({"q": {"a": ("s", 3)}})
    with pytest.raises(ValueError, match="query 'q' has grade 3, which the gain table lacks"):
        evaluate(sample, run, "infNDCG(gain={1:1})")
    with pytest.raises(ValueError, match="no closed form for averaged ties"):
        evaluate(sample, run, "xinfAP", conventions=Conventions(ties="averaged"))
