"""Every method by hand, on runs whose arithmetic fits a line."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import pytest
from conftest import ROOT

from idealist import InputError, Run
from idealist.fusion import Method, fuse
from idealist.fusion.trained import BayesFuse, MAPFuse, PosFuse, ProbFuse, SegFuse, SlideFuse

# Scores:  a 4  b 2  c 1   |   b 3  d 1   |   b 9  a 5
# Ranks:   a 1  b 2  c 3   |   b 1  d 2   |   b 1  a 2
ONE, TWO, THREE = {"q": {"a": 4, "b": 2, "c": 1}}, {"q": {"b": 3, "d": 1}}, {"q": {"b": 9, "a": 5}}
RUNS = [ONE, TWO, THREE]
WEIGHTS = (0.5, 0.25, 0.25)

BY_HAND: list[tuple[str, dict[str, Any], dict[str, float]]] = [
    ("combsum", {}, {"a": 4 + 5, "b": 2 + 3 + 9, "c": 1, "d": 1}),
    ("combmnz", {}, {"a": 2 * 9, "b": 3 * 14, "c": 1, "d": 1}),
    ("combgmnz", {"gamma": 2}, {"a": 4 * 9, "b": 9 * 14, "c": 1, "d": 1}),
    ("combgmnz", {"gamma": 0}, {"a": 9, "b": 14, "c": 1, "d": 1}),
    ("combanz", {}, {"a": 9 / 2, "b": 14 / 3, "c": 1, "d": 1}),
    ("combmax", {}, {"a": 5, "b": 9, "c": 1, "d": 1}),
    ("combmin", {}, {"a": 4, "b": 2, "c": 1, "d": 1}),
    ("combmed", {}, {"a": (4 + 5) / 2, "b": 3, "c": 1, "d": 1}),
    ("wsum", {"run_weights": WEIGHTS}, {"a": 2 + 5 / 4, "b": 1 + 3 / 4 + 9 / 4, "c": 1 / 2, "d": 1 / 4}),
    ("wmnz", {"run_weights": WEIGHTS}, {"a": 9 * 0.75, "b": 14 * 1.0, "c": 1 * 0.5, "d": 1 * 0.25}),
    ("mixed", {"run_weights": WEIGHTS}, {"a": 3.25 * sqrt(2), "b": 4 * sqrt(3), "c": 1 / 2, "d": 1 / 4}),
    ("rrf", {}, {"a": 1 / 61 + 1 / 62, "b": 1 / 62 + 2 / 61, "c": 1 / 63, "d": 1 / 62}),
    ("rrf", {"k": 0}, {"a": 1 + 1 / 2, "b": 1 / 2 + 2, "c": 1 / 3, "d": 1 / 2}),
    (
        "rrf",
        {"k": 1, "run_weights": (2, 1, 4)},
        {"a": 2 / 2 + 4 / 3, "b": 2 / 3 + 1 / 2 + 4 / 2, "c": 2 / 4, "d": 1 / 3},
    ),
    ("isr", {}, {"a": 2 * (1 + 1 / 4), "b": 3 * (1 / 4 + 2), "c": 1 / 9, "d": 1 / 4}),
    ("log_isr", {}, {"a": log(2) * 5 / 4, "b": log(3) * 9 / 4, "c": 0, "d": 0}),
    (
        "logn_isr",
        {"sigma": 0.5},
        {"a": log(2.5) * 5 / 4, "b": log(3.5) * 9 / 4, "c": log(1.5) / 9, "d": log(1.5) / 4},
    ),
    ("rbc", {"p": 0.5}, {"a": 1 / 2 + 1 / 4, "b": 1 / 4 + 1 / 2 + 1 / 2, "c": 1 / 8, "d": 1 / 4}),
    # Of four documents: 4 3 2 and 1 for d; 4 3 and 1.5 for a and c; 4 3 and 1.5 for c and d.
    ("borda", {}, {"a": 4 + 1.5 + 3, "b": 3 + 4 + 4, "c": 2 + 1.5 + 1.5, "d": 1 + 3 + 1.5}),
    (
        "borda",
        {"run_weights": (1, 0, 2)},
        {"a": 4 + 2 * 3, "b": 3 + 2 * 4, "c": 2 + 2 * 1.5, "d": 1 + 2 * 1.5},
    ),
    # b beats a 2 to 1; a beats c 2 to 0, and d 2 to 1; c and d are even, and Borda has d above c.
    ("condorcet", {}, {"b": 4, "a": 3, "d": 2, "c": 1}),
    # With three votes the first run decides alone.
    ("condorcet", {"run_weights": (3, 1, 1)}, {"a": 4, "b": 3, "c": 2, "d": 1}),
]


@pytest.mark.parametrize(("method", "parameters", "expected"), BY_HAND, ids=lambda one: str(one)[:40])
def test_by_hand(method: str, parameters: dict[str, Any], expected: dict[str, float]) -> None:
    normalisation = "none" if Method.parse(method).looks_at == "scores" else None
    fused = fuse(RUNS, method, normalisation=normalisation, **parameters)
    assert fused["q"] == pytest.approx(expected)


def test_linear_interpolation() -> None:
    fused = fuse([ONE, TWO], "linear", normalisation="none", alpha=0.25)
    assert fused["q"] == pytest.approx({"a": 1, "b": 0.5 + 3 * 0.75, "c": 0.25, "d": 0.75})
    # Usually min-max: 1, 1/3, 0 and 1, 0.
    assert fuse([ONE, TWO], "linear")["q"] == pytest.approx({"a": 1 / 2, "b": 1 / 6 + 1 / 2, "c": 0, "d": 0})
    with pytest.raises(InputError, match="interpolates two runs, not 3"):
        fuse(RUNS, "linear")


# Two queries, of which the second is shorter. Relevant: ranks 1 and 3 of the first, rank 2 of the second.
LISTS: dict[str, dict[str, float]] = {"q": {"a": 4, "b": 3, "c": 2, "d": 1}, "r": {"a": 2, "b": 1}}
JUDGED = {"q": {"a": 1, "c": 2, "b": 0}, "r": {"b": 1}}
# The same documents the other way round; relevant: ranks 2 and 4, rank 1.
BACKWARDS: dict[str, dict[str, float]] = {"q": {"a": 1, "b": 2, "c": 3, "d": 4}, "r": {"a": 1, "b": 2}}


def fitted(method: Method) -> Run:
    return fuse([LISTS, BACKWARDS], method.fit(JUDGED, [LISTS, BACKWARDS]))


def test_mapfuse() -> None:
    forth, back = ((1 + 2 / 3) / 2 + 1 / 2) / 2, ((1 / 2 + 2 / 4) / 2 + 1) / 2
    assert fitted(MAPFuse())["q"] == pytest.approx(
        {"a": forth + back / 4, "b": forth / 2 + back / 3, "c": forth / 3 + back / 2, "d": forth / 4 + back}
    )


def test_posfuse() -> None:
    # Both lists reach rank 2, one rank 4. Forth: 1/2, 1/2, 1, 0; back: 1/2, 1/2, 0, 1.
    assert fitted(PosFuse())["q"] == {"c": 1 + 1 / 2, "a": 1 / 2 + 1, "d": 0 + 1 / 2, "b": 1 / 2 + 0}


def test_posfuse_with_a_higher_level() -> None:
    # Relevant is c alone: rank 3 forth, rank 2 back, of one list and of two.
    assert fitted(PosFuse(level=2))["q"] == {"c": 1 + 1 / 2, "d": 0, "b": 0, "a": 0}


def test_posfuse_knows_nothing_behind_the_lists_it_has_learned_from() -> None:
    learned = PosFuse().fit({"q": {"a": 1}}, [{"q": {"a": 1}}] * 2)
    assert fuse([LISTS] * 2, learned)["q"] == {"a": 2, "d": 0, "c": 0, "b": 0}


def test_slidefuse() -> None:
    # Windows of one to each side of 1/2, 1/2, 1, 0: means of 2, 3, 3 and 2 of them; back of 1/2, 1/2, 0, 1.
    forth, back = [1 / 2, 2 / 3, 1 / 2, 1 / 2], [1 / 2, 1 / 3, 1 / 2, 1 / 2]
    assert fitted(SlideFuse(window=1))["q"] == pytest.approx(
        dict(zip("abcd", [f + b for f, b in zip(forth, back[::-1], strict=True)], strict=True))
    )
    # The second query's lists end at rank 2, and its windows too.
    assert fitted(SlideFuse(window=1))["r"] == pytest.approx({"a": 1 / 2 + 1 / 2, "b": 1 / 2 + 1 / 2})


def test_slidefuse_without_a_window_is_posfuse() -> None:
    assert fitted(SlideFuse(window=0)) == fitted(PosFuse())


def test_probfuse() -> None:
    # Two segments: of two documents each, and of one each. Forth: (1/2 + 0)/2 and (1/2 + 1)/2; back: (1/2 + 1)/2 and
    # (1/2 + 0)/2. The second one's count half.
    assert fitted(ProbFuse(segments=2))["q"] == pytest.approx(
        {"a": 1 / 4 + 1 / 8, "b": 1 / 4 + 1 / 8, "c": 3 / 8 + 3 / 4, "d": 3 / 8 + 3 / 4}
    )


def test_probfuse_with_more_segments_than_documents() -> None:
    # Each rank is a segment: forth (1 + 0)/2, (0 + 1)/2, 1/2, 0; back (0 + 1)/2, (1 + 0)/2, 0, 1/2.
    assert fitted(ProbFuse(segments=9))["q"] == pytest.approx(
        {"a": 1 / 2 + 1 / 2 / 4, "b": 1 / 2 / 2 + 0, "c": 1 / 2 / 3 + 1 / 2 / 2, "d": 0 + 1 / 2}
    )


def test_segfuse() -> None:
    # One segment holds all: (2/4 + 1/2)/2 both ways. Min-max scores: 1, 2/3, 1/3, 0, and the other way round.
    assert fitted(SegFuse())["q"] == pytest.approx(dict.fromkeys("abcd", (1 + 1 + 1) / 2))


def test_segfuse_has_segments_that_grow() -> None:
    # 5, 15 and 5 of 35 documents, with 1, 3 and 2 relevant ones.
    run = {"q": {f"d{rank:02}": 25.0 - rank for rank in range(1, 26)}}
    judged = {"q": dict.fromkeys(["d01", "d06", "d19", "d20", "d21", "d25"], 1)}
    assert SegFuse().fit(judged, [run]).probabilities == ((1 / 5, 3 / 15, 2 / 5),)


def test_bayesfuse() -> None:
    # One level holds all, and half of it is relevant; odds of 1 to 1. What only one run has: 1 to 999 in the other.
    assert fitted(BayesFuse())["q"] == dict.fromkeys("dcba", 0.0)
    learned = BayesFuse().fit(JUDGED, [LISTS, BACKWARDS])
    other = fuse([{"q": {"a": 1}}, {"q": {"b": 1}}], learned)
    assert other["q"] == pytest.approx({"a": log(1 / 999), "b": log(1 / 999)})


def test_bayesfuse_behind_the_last_level() -> None:
    run = {"q": {f"d{rank:04}": float(-rank) for rank in range(1, 1101)}}
    judged = {"q": {"d1050": 1, "d0001": 1}}
    fused = fuse([run, run], BayesFuse().fit(judged, [run, run]))
    assert fused["q"]["d1050"] == pytest.approx(2 * log(1 / 999))
    assert fused["q"]["d0003"] == pytest.approx(2 * log(1 / 4))


def test_what_a_run_lacks_teaches_nothing_about_it() -> None:
    other: dict[str, dict[str, float]] = {"q": LISTS["q"]}
    alone = PosFuse().fit({"q": JUDGED["q"]}, [other, BACKWARDS]).probabilities
    assert alone is not None
    both = PosFuse().fit(JUDGED, [other, BACKWARDS]).probabilities
    assert both is not None
    assert both[0] == alone[0] == (1, 0, 1, 0)


@pytest.mark.parametrize("name", [name for name, cls in Method.all().items() if cls.learned])
def test_a_method_that_has_not_learned_says_so(name: str) -> None:
    with pytest.raises(InputError, match="must be fitted to judged queries first") as caught:
        fuse([LISTS, BACKWARDS], name)
    assert ".fit(judgments, runs)" in caught.value.hint
    learned = Method.parse(name).fit(JUDGED, [LISTS, BACKWARDS])
    with pytest.raises(InputError, match="fitted to 2 runs, not to 3"):
        fuse([LISTS, BACKWARDS, LISTS], learned)


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("rrf", {"k": -1}, "rrf: k must be 0 or more, not -1"),
        ("rrf", {"k": "many"}, "rrf: k must be a number, not 'many'"),
        ("rrf", {"k": None}, "rrf: k must be a number, not None"),
        ("rrf", {"run_weights": (1, 2)}, "2 weights for 3 runs"),
        ("rrf", {"q": 1}, "no parameter 'q'"),
        ("rbc", {"p": 1}, "rbc: p must lie between 0 and 1, not 1"),
        ("logn_isr", {"sigma": 2}, "logn_isr: sigma must be from 0 to 1, not 2"),
        ("wsum", {}, "needs run_weights"),
        ("wsum", {"run_weights": (1, -1, 1)}, "wsum: run_weights: each weight must be 0 or more, not -1"),
        ("wsum", {"run_weights": (0, 0, 0)}, "wsum: run_weights must not all be 0"),
        ("wsum", {"run_weights": "1:x:1"}, "run_weights: each weight must be a number, not 'x'"),
        ("wsum", {"run_weights": 1}, "run_weights must be numbers, one per run, not 1"),
        ("wsum", {"run_weights": (1, float("nan"), 1)}, "nan"),
        ("wsum", {"run_weights": (1, 1)}, "2 weights for 3 runs"),
        ("slidefuse", {"window": 1.5}, "window must be a whole number, 0 or more, not 1.5"),
        ("probfuse", {"segments": 0}, "segments must be a whole number, 1 or more, not 0"),
        ("reciprocal", {}, "no fusion method 'reciprocal'"),
    ],
)
def test_parameters_that_cannot_be_right(method: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fuse(RUNS, method, **parameters)


def test_an_unknown_method_lists_the_known() -> None:
    with pytest.raises(InputError) as caught:
        fuse(RUNS, "foo")
    assert all(name in caught.value.hint for name in Method.all())


def test_names_of_other_tools_and_text() -> None:
    for ours, other in [
        ("CombSUM", "sum"),
        ("borda", "bordafuse"),
        ("Log-ISR", "log_isr"),
        ("wsum", "weighted_sum"),
    ]:
        assert Method.parse(ours) == Method.parse(other)
    assert str(Method.parse("rrf", k=10, run_weights=(0.5, 1))) == "rrf(k=10,run_weights=0.5:1)"
    assert str(Method.parse("probfuse").fit(JUDGED, [LISTS])) == "probfuse(segments=25,level=1)"
    assert repr(PosFuse().fit(JUDGED, [LISTS])) == "PosFuse(probabilities=…)"
    assert Method.parse(Method.parse("rrf"), k=1) == Method.parse("rrf", k=1)


@pytest.mark.parametrize("cls", Method.all().values(), ids=lambda cls: cls.name)
def test_every_method_says_what_it_is(cls: type[Method]) -> None:
    summary = (cls.__doc__ or "").partition("\n")[0]
    assert summary.endswith(".")
    assert ">>>" in (cls.__doc__ or "")


def test_every_method_is_in_the_documentation() -> None:
    rows = [
        line.split("|")[1]
        for line in (ROOT / "docs" / "fusion.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert [name for name in Method.all() if not any(f"`{name}`" in row for row in rows)] == []
