"""Values worked out by hand, and what explanations show besides numbers."""

from __future__ import annotations

import subprocess
import sys
from math import isnan, log2
from pathlib import Path
from typing import Any

import pytest

from idealist import NDCG, Conventions, InputError, Measure, Rankings, evaluate, explain, kernels
from idealist.data.needs import GRADES
from idealist.evaluation import explain_grades
from idealist.evaluation.explanation import Explanation, can_explain
from idealist.measures import registry

AVERAGED = Conventions(ties="averaged")


def contributions(explanation: Explanation) -> list[Any]:
    return [document.contribution for document in explanation.ranking]


def column(explanation: Explanation, title: str) -> list[Any]:
    at = explanation.columns.index(title)
    return [document.numbers[at] for document in explanation.ranking]


def test_ndcg() -> None:
    explanation = explain_grades([3, None, 2], "nDCG", judged=[3, 2, 1])
    assert [document.grade for document in explanation.ranking] == [3, None, 2]
    assert column(explanation, "gain") == [3, 0, 2]
    assert column(explanation, "discount") == pytest.approx([1, 1 / log2(3), 1 / 2])
    assert contributions(explanation) == pytest.approx([3, 0, 2 / 2])
    assert [document.running for document in explanation.ideal] == pytest.approx(
        [3, 3 + 2 / log2(3), 3 + 2 / log2(3) + 1 / 2]
    )
    assert explanation.losses == pytest.approx([0, 2 / log2(3), 1 / 2 - 2 / 2])
    assert explanation.sums == pytest.approx({"DCG": 4, "IDCG": 3.5 + 2 / log2(3)})


def test_ncg_has_no_discounts() -> None:
    explanation = explain_grades([0, 3, 2, 1], "NCG@2")
    assert (explanation.columns, explanation.contribution_title) == ((), "gain")
    assert contributions(explanation) == [0, 3]
    assert explanation.sums == {"CG": 3, "ideal CG": 3 + 2}


def test_ap() -> None:
    """Relevant at ranks 1 and 3 of three retrieved, and one more that was not."""
    explanation = explain_grades([1, None, 2], "AP", judged=[1, 1, 2, 0])
    assert column(explanation, "relevant so far") == [1, 1, 2]
    assert column(explanation, "precision") == pytest.approx([1, 1 / 2, 2 / 3])
    assert contributions(explanation) == pytest.approx([1, 0, 2 / 3])
    assert explanation.sums == pytest.approx({"sum of precision": 5 / 3, "all relevant": 3})
    assert explanation.value == pytest.approx(5 / 9)


@pytest.mark.parametrize(
    ("divisor", "name", "number"), [("reachable", "relevant within reach", 2), ("found", "relevant found", 1)]
)
def test_what_ap_divides_by(divisor: str, name: str, number: int) -> None:
    """One of three relevant documents is among the first two."""
    explanation = explain_grades([1, 0, 1, 1], f"AP(divisor={divisor})@2")
    assert explanation.sums == {"sum of precision": 1, name: number}
    assert explanation.value == 1 / number


def test_ap_of_tied_documents() -> None:
    """a stands alone; b (relevant) and c share ranks 2 and 3, so that precision at b is 2/2 or 2/3."""
    run, judgments = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1, "b": 1, "c": 0}}
    explanation = explain(judgments, run, "AP", query="q", conventions=AVERAGED)
    by_document = {document.document: document for document in explanation.ranking}
    assert by_document["b"].contribution == pytest.approx((2 / 2 + 2 / 3) / 2)
    assert by_document["c"].contribution == 0
    # One relevant document stands down to c when it comes before b, and both when it comes after.
    assert by_document["c"].numbers == pytest.approx([(1 + 2) / 2, (1 / 2 + 2 / 3) / 2])
    assert explanation.value == pytest.approx((1 + (2 / 2 + 2 / 3) / 2) / 2)
    assert any("equal scores" in note for note in explanation.notes)
    # Cut off at rank 2, the second place of the pair adds nothing.
    cut = explain(judgments, run, "AP@2", query="q", conventions=AVERAGED)
    assert {document.document: document.contribution for document in cut.ranking} == {
        "a": 1,
        "b": 1 / 2,
        "c": 0,
    }


def test_rr() -> None:
    explanation = explain_grades([0, 1, 1], "RR")
    assert column(explanation, "1/rank") == [1, 1 / 2, 1 / 3]
    assert contributions(explanation) == [0, 1 / 2, 0]
    assert explain_grades([0, 1, 1], "RR@1").value == 0


def test_rr_and_success_of_tied_documents() -> None:
    """Of three tied documents, a and b relevant, the first relevant one stands at rank 1 in 4 of 6 orders and at
    rank 2 in the others; each of the two is it half of the time."""
    run, judgments = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1, "b": 1}}
    explanation = explain(judgments, run, "RR", query="q", conventions=AVERAGED)
    expected = (4 * 1 + 2 / 2) / 6
    assert explanation.value == pytest.approx(expected)
    shares = {document.document: document.contribution for document in explanation.ranking}
    assert shares == pytest.approx({"a": expected / 2, "b": expected / 2, "c": 0})
    success = explain(judgments, run, "Success@1", query="q", conventions=AVERAGED)
    assert sum(contributions(success)) == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("measure", "sums"),
    [
        ("P@5", {"relevant": 2, "k": 5}),
        ("P", {"relevant": 2, "retrieved": 4}),
        ("R@3", {"relevant": 2, "all relevant": 4}),
        ("R@1", {"relevant": 1, "all relevant": 4}),
        ("Rprec", {"relevant": 2, "all relevant": 4}),
        ("F@2", {"2 × relevant": 2, "(all relevant + k)": 4 + 2}),
        ("F(beta=2)", {"5 × relevant": 10, "(4 × all relevant + retrieved)": 4 * 4 + 4}),
        ("Hits@3", {"relevant": 2}),
        ("Judged", {"judged": 3, "retrieved": 4}),
        ("Unjudged@2", {"unjudged": 1, "k": 2}),
    ],
)
def test_counts(measure: str, sums: dict[str, float]) -> None:
    """A relevant document, an unjudged one, a relevant and another; four are relevant in all."""
    explanation = explain_grades([1, None, 2, 0], measure, judged=[1, 2, 0, 1, 3])
    assert explanation.sums == sums
    total, *divisor = sums.values()
    assert explanation.value == total / (divisor or [1])[0]


def test_err() -> None:
    """Grade 1 of 1 satisfies with the chance 1/2."""
    explanation = explain_grades([1, 0, 1], "ERR(max_grade=1)")
    assert column(explanation, "satisfies") == [1 / 2, 0, 1 / 2]
    assert column(explanation, "chance of looking") == [1, 1 / 2, 1 / 2]
    assert contributions(explanation) == pytest.approx([1 / 2, 0, 1 / 2 * 1 / 2 / 3])


def test_nerr_beside_its_ideal() -> None:
    explanation = explain_grades([0, 1], "nERR(max_grade=1)")
    assert explanation.sums == {"ERR": 1 / 2 / 2, "ideal ERR": 1 / 2}
    assert [document.grade for document in explanation.ideal] == [1, 0]


def test_rbp() -> None:
    explanation = explain_grades([1, None, 1], "RBP(p=0.5)")
    assert column(explanation, "chance of looking") == [1, 1 / 2, 1 / 4]
    assert contributions(explanation) == [1, 0, 1 / 4]
    assert explanation.sums == {"total gain": 1 + 1 / 4, "expected depth": 1 / (1 - 0.5)}
    graded = explain_grades([3, 1], "RBP(p=0.5,scale=judged)")
    assert contributions(graded) == pytest.approx([3 / 3, 1 / 3 * 1 / 2])
    # A highest grade of 1 or less is no scale to divide by.
    assert contributions(explain_grades([1, 0], "RBP(p=0.5,scale=judged)")) == [1, 0]


def test_an_adaptive_model() -> None:
    """She stops at rank 3, with the gain she wanted, having looked at three documents."""
    explanation = explain_grades([0, 0, 1, 1], "BPM(T=1,max_grade=1)@10")
    assert column(explanation, "chance of looking") == [1, 1, 1, 0]
    assert contributions(explanation) == [0, 0, 1, 0]
    assert explanation.sums == {"total gain": 1, "expected depth": 3}


def test_q_and_g() -> None:
    explanation = explain_grades([0, 2], "Q", judged=[2, 1, 0])
    assert column(explanation, "ideal gain so far") == [2, 3]
    assert contributions(explanation) == pytest.approx([0, (1 + 2) / (2 + 3)])
    assert explanation.sums == pytest.approx({"sum of ratios": 3 / 5, "all relevant": 2})
    explanation = explain_grades([0, 2, 1], "G")
    assert contributions(explanation) == pytest.approx([0, 2 / log2(2 + 3 - 2), 1 / log2(2 + 4 - 3)])
    assert contributions(explain_grades([0, 1, 1], "binG")) == pytest.approx([0, 1 / log2(3), 1 / log2(3)])


def test_documents_are_named_with_their_scores() -> None:
    run, judgments = {"q": {"a": 2.0, "b": 1.5}}, {"q": {"b": 3, "lost": 2}}
    explanation = explain(judgments, run, query="q")
    assert [(one.document, one.score, one.grade) for one in explanation.ranking] == [
        ("a", 2, None),
        ("b", 1.5, 3),
    ]
    assert [document.document for document in explanation.ideal] == ["b", "lost"]
    retrieved = explain(judgments, run, "nDCG(ideal=retrieved)", query="q")
    assert [document.document for document in retrieved.ideal] == ["b"]


def test_ties_by_grade_name_the_documents() -> None:
    """Equal scores: the best order is by grade, an unjudged document below grade 0, above a negative one."""
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}
    judgments = {"q": {"a": -1, "b": 0, "d": 2}}
    for ties, documents in (("optimistic", "dbca"), ("pessimistic", "acbd")):
        explanation = explain(judgments, run, "AP", query="q", conventions=Conventions(ties=ties))
        assert [document.document for document in explanation.ranking] == list(documents)


def test_removed_documents_leave_no_gap() -> None:
    run, judgments = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": -1, "c": 1}}
    removed = Conventions(unjudged="removed")
    explanation = explain(judgments, run, "RR", query="q", conventions=removed)
    assert [(one.rank, one.document) for one in explanation.ranking] == [(1, "b"), (2, "c")]
    explanation = explain(judgments, run, "RR", query="q", conventions=removed.replace(negative="unjudged"))
    assert [(one.rank, one.document) for one in explanation.ranking] == [(1, "c")]
    assert explanation.value == 1


def test_a_query_missing_from_the_run() -> None:
    run, judgments = {"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 2}}
    explanation = explain(judgments, run, query="r")
    assert (explanation.sums, explanation.value, explanation.ranking) == ({"DCG": 0, "IDCG": 2}, 0, ())
    assert explanation.notes == ("the run does not have this query",)
    assert isnan(explain(judgments, run, query="r", conventions=Conventions(missing="skip")).value)
    with pytest.raises(InputError, match="query 'r' has grade 2, which the gain table lacks"):
        explain(judgments, run, NDCG(gain={1: 1}), query="r", conventions=Conventions(missing="skip"))
    with pytest.raises(InputError, match="query 'r' is judged but missing"):
        explain(judgments, run, query="r", conventions=Conventions(missing="error"))


def test_why_a_value_is_undefined() -> None:
    assert explain_grades([0], "nDCG").undefined == "nothing judged has a gain"
    explanation = explain_grades([0], "AP", conventions=Conventions(empty="one"))
    assert (explanation.undefined, explanation.value) == ("nothing is relevant", 1)
    assert explain_grades([0], "P@1").undefined == ""
    # Nothing with a gain was retrieved, but there was something: 0, and not undefined.
    explanation = explain_grades([0], "nDCG(ideal=retrieved)", judged=[0, 1])
    assert (explanation.undefined, explanation.sums, explanation.value) == ("", {"DCG": 0, "IDCG": 0}, 0)


def test_what_cannot_be_explained() -> None:
    run, judgments = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    with pytest.raises(
        InputError, match="query 'x' is not judged\nhint: judged queries are, for example, 'q'"
    ):
        explain(judgments, run, query="x")
    with pytest.raises(
        InputError, match=r"alpha-nDCG.* cannot be explained: it looks at judgments by subtopic"
    ):
        explain(judgments, run, "alpha-nDCG", query="q")
    with pytest.raises(InputError, match="NumQ cannot be explained"):
        explain_grades([1], "NumQ")
    with pytest.raises(InputError, match=r"ERR.* has no closed form for averaged ties"):
        explain(judgments, {"q": {"a": 1.0, "b": 1.0}}, "ERR", query="q", conventions=AVERAGED)


def test_measures_that_are_no_sum_show_their_steps() -> None:
    """Two of three relevant documents among four: F-like products and counts, by the names of the formula."""
    explanation = explain_grades([1, None, 2, 0], "SetAP", judged=[1, 2, 0, 1])
    assert explanation.sums == {"relevant": 2, "retrieved": 4, "all relevant": 3}
    assert explanation.value == 2 * 2 / (4 * 3)
    assert (explanation.total, explanation.divisor) == (None, None)
    assert column(explanation, "relevant") == [1, 0, 1, 0]
    assert [document.contribution for document in explanation.ranking] == [None] * 4
    assert "all relevant = 3" in str(explanation)
    precision = column(explain_grades([1, None, 2], "IPrec"), "precision")
    assert precision == pytest.approx([1, 1 / 2, 2 / 3])
    sampled = explain_grades([0, 1, 0, 0], "Sampled(of=RR,items=7,samples=3)")
    assert sampled.sums["ranks"] == 2


def test_unjudged_documents_have_numbers_where_those_go_on() -> None:
    """Who passes an unjudged document goes on as before it; whether it would have been a hit is not known."""
    explanation = explain_grades([1, None, 1], "ERR(max_grade=1)")
    assert column(explanation, "chance of looking") == [1, 1 / 2, 1 / 2]
    relevant_so_far = column(explain_grades([1, None, 1], "Q"), "relevant so far")
    assert relevant_so_far == [1, 1, 2]
    assert isnan(column(explain_grades([1, None, 1], "Bpref"), "hit")[1])


def test_a_measure_of_ones_own_is_explained_by_its_variables() -> None:
    """A half for each rank further down: 1/1 and 1/4, of three judged ones."""

    class Halved(Measure):
        def values(self, rankings: Rankings) -> kernels.Values:
            relevant = kernels.grades(rankings.native) >= 1.0
            half_per_rank = 0.5 ** (kernels.ranks(rankings.native) - 1.0)
            found_early = (relevant * half_per_rank).sum()
            return found_early / kernels.relevant(rankings.native, 1.0)

    explanation = explain_grades([1, 0, 1], Halved(), judged=[1, 1, 0, 1])
    assert explanation.columns == ("relevant", "half per rank")
    assert contributions(explanation) == [1, 0, 1 / 4]
    assert explanation.sums == {"found early": 1.25, "all relevant": 3}
    assert explanation.value == 1.25 / 3 == Halved()([1, 0, 1], judged=[1, 1, 0, 1])


def test_which_measures_can_be_explained() -> None:
    """Those that look at one grade per document, and no others."""
    names = {name for name, cls in registry().items() if can_explain(cls)}
    assert names == {name for name, cls in registry().items() if cls.needs is GRADES}
    assert len(names) >= 75


def test_an_explanation_is_told_in_a_line() -> None:
    explanation = explain({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", query="q")
    assert repr(explanation) == "<Explanation: RR of query 'q' = 1.0000>"
    assert repr(explain_grades([0, 1], "RR")) == "<Explanation: RR = 0.5000>"


@pytest.mark.parametrize("measure", ["nDCG@12", "AP@12", "RBP@12", "P@12"])
@pytest.mark.parametrize("ties", ["id-descending", "input-order", "averaged", "optimistic", "pessimistic"])
def test_a_long_ranking_is_worked_out_down_to_the_cutoff_only(
    measure: str, ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 documents in groups of five with equal scores, the 15 down to the end of the group at rank 12."""
    from idealist.evaluation import explanation as ranked_documents

    looked_at: list[Any] = []
    grade_counted = ranked_documents._grade_counted

    def noted(grade: float | None, conventions: Conventions) -> float | None:
        looked_at.append(grade)
        return grade_counted(grade, conventions)

    monkeypatch.setattr(ranked_documents, "_grade_counted", noted)
    run = {"q": {f"d{n}": float(n // 5) for n in range(10_000)}}
    judgments = {"q": {f"d{n}": n % 4 for n in range(9_000, 10_000)}}
    conventions = Conventions(ties=ties)
    explanation = explain(judgments, run, measure, query="q", conventions=conventions)
    assert len(looked_at) == 15
    # With averaged ties, any document of the last group may stand within the cut-off.
    assert len(explanation.ranking) == (15 if ties == "averaged" else 12)
    assert explanation.value == evaluate(judgments, run, measure, conventions=conventions).mean(measure)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_one_long_query_takes_memory_in_proportion(command: str, tmp_path: Path) -> None:
    """Some 50 bytes a document: its id, where that ends, its hash and its score. It was ten times as much once."""
    (tmp_path / "x.qrels").write_text("q 0 d5 1\n")

    def peak(documents: int) -> int:
        rows = (f"q Q0 d{d} {d + 1} {-d} t\n" for d in range(documents))
        (tmp_path / "x.run").write_text("".join(rows))
        arguments = [command, str(tmp_path / "x.qrels"), str(tmp_path / "x.run")]
        arguments += ["--query", "q"] if command == "explain" else []
        program = (
            "import resource, sys; from idealist import cli; cli.main(sys.argv[1:]); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
        )
        return int(done.stderr.split()[-1]) * (1 if sys.platform == "darwin" else 1024)

    assert peak(2_000_000) - peak(1000) < 120 * 2_000_000
