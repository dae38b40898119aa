"""Results are drawn with their own numbers."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import idealist as il
from idealist.machine.asking import Reply
from idealist.show.plots import PLOTS, figure_bytes

JUDGED = {query: {"a": 2, "b": 1} for query in ("q1", "q2", "q3")}
GOOD, BAD = {"a": 2.0, "b": 1.0}, {"x": 3.0, "a": 2.0, "b": 1.0}
OLD, NEW = dict.fromkeys(JUDGED, BAD), {"q1": GOOD, "q2": GOOD, "q3": BAD}
COMPARED = il.compare(JUDGED, {"old": OLD, "new": NEW}, ["RR", "nDCG@2"])
CLICKED = il.clicks.simulate_clicks(JUDGED, NEW, impressions=60, k=2, exponent=1)
LABELS = {"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "grade": [0, 0, 1, 0]}
PAIRS = {"query": [1, 2, 3], "left": ["x", "y", "x"], "right": ["y", "x", "y"], "winner": ["x", "x", "y"]}


def machine_answers() -> il.machine.MachineAnswers:
    """Two documents, the grades 3 and 0."""
    documents = {"a": "Rome.", "b": "Milan."}
    asked = il.machine.grade_questions({"q1": list(documents)}, {"q1": "capital of italy"}, documents)
    replies = {
        question: Reply(f'{{"grade": {grade}}}') for question, grade in zip(asked.rows, (3, 0), strict=True)
    }
    counts = {"requests": 2, "cached": 0, "input_tokens": 20, "output_tokens": 10}
    endpoint = il.machine.Endpoint("http://localhost/v1", "judge")
    return il.machine.MachineAnswers(asked, endpoint, replies, {}, prices=None, **counts)


RESULTS: dict[str, Any] = {
    "ClickFit": il.clicks.fit_clicks(CLICKED, rounds=20),
    "Comparison": COMPARED,
    "Contrast": COMPARED.contrasts[0],
    "CorrectedMeans": il.evaluate(
        {"q1": JUDGED["q1"], "q2": JUDGED["q2"]}, {"old": OLD, "new": NEW}, "RR", machine=JUDGED
    ).corrected(),
    "Evaluation": il.evaluate(JUDGED, {"old": OLD, "new": NEW}, ["P@1", "P@2", "P@5", "RR"]),
    "Explanation": il.explain(JUDGED, NEW, query="q1"),
    "JudgeReport": il.machine.report(JUDGED, JUDGED, {"old": OLD, "new": NEW}, "RR"),
    "GSB": il.gsb(good=6, same=3, bad=1),
    "InterleavingResult": il.clicks.analyse_interleaving(
        il.clicks.simulate_interleaving(JUDGED, {"old": OLD, "new": NEW}, impressions=40, k=2)
    ),
    "MachineAnswers": machine_answers(),
    "RaterModel": il.votes.rater_model(LABELS, rounds=20),
    "SlateEstimates": il.clicks.estimate_clicks(CLICKED, NEW),
    "SystemRanking": il.votes.rank_systems(PAIRS, rounds=100),
}


def test_all_that_are_drawn_are_here() -> None:
    assert set(RESULTS) == set(PLOTS)


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in PLOTS.items() for kind in kinds])
def test_every_kind(name: str, kind: str) -> None:
    figure = RESULTS[name].plot(kind)
    assert figure.axes
    assert figure_bytes(figure, "x.svg").startswith(b"<svg")


def test_without_a_kind_the_first_is_drawn() -> None:
    assert COMPARED.plot().axes[0].get_xlabel() == "difference of new from old, 95 % interval"
    bars = RESULTS["Contrast"].plot().axes[0].containers[0]
    assert [bar.get_height() for bar in bars] == [0.5, 0.5, 0.0]  # RR of 1 for 1/2, twice


def test_a_comparison_draws_the_contrast_that_is_named() -> None:
    assert COMPARED.plot("differences", measure="nDCG@2").axes[0].get_title().startswith("nDCG@2, ")
    with pytest.raises(il.InputError, match="no system is called 'third'"):
        COMPARED.plot("scatter", system="third")


def test_cut_offs_come_from_the_measures() -> None:
    """Two of three queries have a relevant document first in new, none has in old."""
    old, new = RESULTS["Evaluation"].plot().axes[0].lines
    assert old.get_ydata()[0] == 0
    assert new.get_ydata()[0] == pytest.approx(2 / 3)
    with pytest.raises(il.InputError, match="no measure here has a cut-off"):
        il.evaluate(JUDGED, OLD, "RR").plot()


def test_an_unknown_kind_lists_those_there_are() -> None:
    with pytest.raises(
        il.InputError, match="a Contrast has no plot 'pie'\nhint: name one of: differences, scatter"
    ):
        RESULTS["Contrast"].plot("pie")


def test_files_are_the_same_every_time() -> None:
    first, same = (figure_bytes(COMPARED.plot(), "x.png") for _ in range(2))
    assert first == same
    assert first.startswith(b"\x89PNG")
    with pytest.raises(il.InputError, match="figures are written as PNG or SVG"):
        figure_bytes(COMPARED.plot(), "x.pdf")
