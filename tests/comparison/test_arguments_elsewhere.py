"""What the command takes, Python takes; what stands elsewhere is answered with what to write."""

from __future__ import annotations

from typing import Any

import pytest

import idealist as il

# Each query ranks one relevant document second (old) or first (new), so that new gains 1/2 in RR where it differs.
JUDGED = {f"q{number}": {"a": 1} for number in range(40)}
OLD = {query: {"b": 2.0, "a": 1.0} for query in JUDGED}
NEW = {query: {"a": 2.0, "b": 1.0} if number < 20 else OLD[query] for number, query in enumerate(JUDGED)}
RUNS = {"old": OLD, "new": NEW}


def test_a_margin_is_that_of_the_verdicts() -> None:
    stated = il.compare(JUDGED, RUNS, "RR", margin="1%")
    asked = il.compare(JUDGED, RUNS, "RR")
    assert stated.verdict() == asked.verdict(margin="1%") != asked.verdict()
    assert stated.verdict(margin=0.1) == asked.verdict(margin=0.1)
    assert stated.verdicts() == {"new": stated.verdict()}
    assert stated != asked
    evaluation = il.evaluate(JUDGED, RUNS, "RR")
    assert il.comparison.compare_evaluations(evaluation, margin="1%").verdict() == stated.verdict()
    with pytest.raises(il.InputError, match="margin"):
        il.compare(JUDGED, RUNS, "RR", margin="much")


def test_all_pairs_are_shown_in_every_format() -> None:
    """Three systems have three pairs, of which two are with the baseline."""
    comparison = il.compare(JUDGED, {**RUNS, "newer": NEW}, "RR")
    for form in (
        comparison.to_text,
        comparison.to_latex,
        comparison.to_markdown,
        comparison.to_html,
        comparison.to_csv,
    ):
        assert form(all_pairs=True).count("newer") > form().count("newer")
    assert comparison.to_text() == str(comparison)
    with pytest.raises(il.InputError, match=r"without an option every_pair\nhint: it has .*all_pairs"):
        comparison.to_latex(every_pair=True)


@pytest.mark.parametrize(
    ("verb", "argument", "hint"),
    [
        (il.evaluate, "segments", r"comparison\.segments\(evaluation"),
        (il.evaluate, "margin", r"compare\(judgments, runs, measures, margin="),
        (il.evaluate, "k", r"NDCG\(k=10\)"),
        (il.compare, "all_pairs", r"comparison\.pairs\(measure\)"),
        (il.compare, "guards", r"comparison\.verdict\(guards="),
        (il.compare, "metrics", "it is called measures"),
        (il.explain, "metric", "it is called measure"),
    ],
)
def test_what_stands_elsewhere_is_answered_with_what_to_write(verb: Any, argument: str, hint: str) -> None:
    with pytest.raises(il.InputError, match=rf"there is no argument {argument}\nhint: .*{hint}"):
        verb(JUDGED, OLD, **{argument: "RR"})


def test_runs_beside_one_another_are_answered_with_the_order() -> None:
    for given in (
        (il.data.Run(OLD), il.data.Run(NEW), il.data.Judgments(JUDGED)),
        (il.data.Run(OLD), JUDGED),
    ):
        with pytest.raises(
            il.InputError, match=r"judgments come first: compare\(judgments, runs, measures\)"
        ):
            il.compare(*given)


def test_a_measure_called_with_scores_and_grades_says_what_takes_them() -> None:
    with pytest.raises(il.InputError, match=r"evaluate\(\[grades\], \[scores\], 'nDCG@10'\)"):
        il.NDCG(k=10)([0.3, 0.2], [1, 0])
