"""Measures with soft ranks: their limits, their gradients, what has no soft form, and what trains."""

from __future__ import annotations

from math import exp, log
from typing import Any

import pytest
import torch
from conftest import ROOT
from support.losses import number

import idealist as il
from idealist import kernels
from idealist.data import needs
from idealist.kernels import Values
from idealist.learn import evaluate_tensors, laws
from idealist.learn.losses import Soft
from idealist.measures.naming import registry

NAN = float("nan")

# Those with a soft form, as they are and with their parameters changed.
SOFT = [
    *("CG@2", "DCG", "DCG(gain=exp,discount=letor)@3", "DCG(discount=none)@1", "nDCG", "nDCG@1"),
    *("nDCG(gain=exp)@3", "nDCG(gain=binary,ideal=retrieved)@2", "nDCG(gain={0:0,1:1,2:5,3:5,4:9})@3"),
    *("nDCG(discount=zipf)", "NCG@3", "nDCGRel", "XDCG", "XDCG@2", "G", "binG"),
    *("P@3", "P(level=2)@20", "R@2", "F@3", "F(beta=2,level=2)@2", "Hits@2", "Judged@3", "Unjudged@3"),
    *("AP", "AP@2", "AP(divisor=reachable)@2", "AP(divisor=found)", "AP(level=2)", "infAP"),
    *("RR", "RR@2", "RR(level=3)", "Success@1", "Success@3", "Rprec", "Rprec(level=2)", "RelP@3"),
    *("RprecMult", "RprecMult(cut=nine-tenths)@1.5"),
    *("ERR", "ERR@2", "nERR", "nERR@3", "RBP", "RBP(p=0.5)@3", "RBP(max_grade=4)", "RBP(scale=judged)"),
    *("NPV", "TBG", "TBG(total=true)", "U-measure", "SDCG", "INSQ", "SET", "Q", "Q(gain=exp,level=2)"),
    *("Bpref", "Bpref(level=2)", "AUC", "AUC(level=2)", "pAUC", "RankingLoss", "CoverageError"),
    *("Condensed", "Condensed(of=AP)", "Lower(of=ERR)", "ExpectedTotalUtility", "Residual"),
]
NOT_MOVING = "its value does not move with the scores"
ONE_BY_ONE = "numbers that move with the scores, read one by one"
COMPARISON = "a comparison of numbers that move with the scores, other than a rank with a cut-off"
FILLED = "unjudged documents with a grade, down to a rank"
LAST = "the last of numbers whose order moves with the scores"
IN_IDEAL = "ranks in the ideal order, where equals stand in that of the list"
DIVISION = "a division by a sum that moves with the scores"
NEITHER = "no value of it is better than another"
# Those without one, with the reason.
REFUSED = {
    **dict.fromkeys(("CG", "IDCG", "NCG", "P", "R", "F", "Success", "RelP", "Hits", "Judged"), NOT_MOVING),
    **dict.fromkeys(("Unjudged", "NumRelRet", "NumNonrelJudgedRet", "NumUnjudgedRet"), NOT_MOVING),
    **dict.fromkeys(("SetAP", "Fidelity", "Utility"), NOT_MOVING),
    **dict.fromkeys(("GMAP", "GMBpref"), "it is no mean over queries"),
    **dict.fromkeys(("AP(divisor=found)@2", "Q(divisor=found)", "Accuracy", "YAAP", "PNR"), DIVISION),
    **dict.fromkeys(("IPrec@0.5", "IPrecAvg"), COMPARISON),
    **dict.fromkeys(("BPM", "BPMDynamic", "INST", "IFT", "IFTGoal", "IFTRate", "NERR8", "NERR9"), FILLED),
    **dict.fromkeys(("NERR10", "NERR11", "Upper", "Gap", "Residual(of=AP)"), FILLED),
    **dict.fromkeys(("ExpectedDepth", "ExpectedCost", "ExpectedTotalCost", "NumRel"), NEITHER),
    "RnDCG": LAST,
    "Compat": IN_IDEAL,
    "EEL": "numbers of places, read one by one",
    "NumQ": "it needs the judged queries",
    "NumRet": "it needs the judged queries",
    "Sampled(of=RR,items=100,samples=15)": ONE_BY_ONE,
}


def lists_without_ties(seed: int, documents: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    """Five lists, with unjudged documents; in the first one what is relevant stands last."""
    chance = torch.Generator().manual_seed(seed)
    scores = torch.stack([torch.randperm(documents, generator=chance).double() * 0.5 for _ in range(5)])
    grades = torch.randint(0, 5, (5, documents), generator=chance).double()
    grades *= torch.rand(5, documents, generator=chance) > 0.4
    grades[torch.rand(5, documents, generator=chance) < 0.15] = NAN
    scores[0] = torch.arange(documents, 0, -1)
    grades[0] = 0.0
    grades[0, -1] = 2.0
    return scores, grades


def test_every_measure_has_a_soft_form_or_a_reason() -> None:
    measured = {
        cls.name
        for cls in registry().values()
        if cls.needs in (needs.GRADES, needs.QUERIES)
        and not cls.given
        and cls.aggregate != "pooled"
        and cls.__module__.startswith("idealist.")
    }
    soft = {il.measures.parse(text).name for text in SOFT}
    assert measured == soft | {il.measures.parse(text).name for text in REFUSED}
    assert len(soft) == 40


def test_the_page_has_those_with_a_soft_form_family_by_family() -> None:
    soft = {il.measures.parse(text).name for text in SOFT}
    families: dict[str, list[str]] = {}
    for cls in registry().values():
        if cls.name in soft:
            families.setdefault(cls.family.replace("_", " "), []).append(cls.name)
    rows = [f"| {family} | {', '.join(names)} |" for family, names in families.items()]
    page = (ROOT / "docs" / "learn-losses.md").read_text(encoding="utf-8")
    assert "\n".join(["| family | measures |", "|---|---|", *rows, ""]) in page


@pytest.mark.parametrize("measure", REFUSED)
def test_a_measure_without_a_soft_form_says_why(measure: str) -> None:
    with pytest.raises(il.InputError) as caught:
        Soft(measure)
    assert f"{il.measures.parse(measure)} has no soft form: " in caught.value.message
    assert caught.value.message.endswith(REFUSED[measure])
    assert caught.value.hint


@pytest.mark.parametrize("measure", SOFT)
def test_at_a_low_temperature_it_is_the_measure(measure: str) -> None:
    cold = Soft(measure, temperature=1e-3, reduction="none")
    sign = 1.0 if cold.measure.better == "lower" else -1.0
    for seed in range(3):
        scores, grades = lists_without_ties(seed)
        found = sign * cold(scores, grades)
        expected = evaluate_tensors(grades, scores, [measure]).values(measure)
        # What is not relevant has loss 0, whatever the measure says of it.
        expected = expected.masked_fill(~(grades > 0).any(1), 0.0)
        assert found.tolist() == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize("measure", SOFT)
def test_gradients_are_those_of_the_values(measure: str) -> None:
    scores, grades = lists_without_ties(4, 6)
    loss = Soft(measure, temperature=0.7)
    # A number that is 1 up to a rank and then falls has a corner, which differences must not reach over.
    scores += torch.linspace(0, 0.3, scores.numel()).view_as(scores).sin()
    assert torch.autograd.gradcheck(lambda given: loss(given, grades), (scores.requires_grad_(),))


@pytest.mark.parametrize("measure", SOFT)
def test_neither_padding_nor_the_order_of_documents_matters(measure: str) -> None:
    scores, grades = lists_without_ties(5, 6)
    loss = Soft(measure, reduction="none")
    order = torch.tensor([3, 6, 0, 5, 1, 7, 4, 2])
    mask = torch.ones(5, 8, dtype=torch.bool)
    mask[:, 6:] = False
    more = torch.full((5, 2), 4.0, dtype=torch.float64)
    alone, padded = scores.clone().requires_grad_(), torch.cat([scores, more], 1)[:, order].requires_grad_()
    expected, found = (
        loss(alone, grades),
        loss(padded, torch.cat([grades, more], 1)[:, order], mask=mask[:, order]),
    )
    assert found.tolist() == pytest.approx(expected.tolist())
    expected.sum().backward()
    found.sum().backward()
    assert alone.grad is not None
    assert padded.grad is not None
    back = torch.empty_like(padded)
    back[:, order] = padded.grad
    assert torch.allclose(back[:, :6], alone.grad)
    assert not back[:, 6:].any()


def test_values_by_hand() -> None:
    """Scores 0 and T·ln 2 apart: the second document is ahead of the first by σ(ln 2) = 2/3, which by 1/3 is behind."""
    scores = torch.tensor([0.0, 0.1 * log(2)], dtype=torch.float64)
    grades = torch.tensor([1.0, 0.0])
    assert number(-Soft("AP")(scores, grades)) == pytest.approx(1 / (1 + 2 / 3))
    assert number(-Soft("RR")(scores, grades)) == pytest.approx(1 / (1 + 2 / 3))
    # Two documents that stop a reader by 1/2, at ranks 5/3 and 4/3; each is before the other by so much.
    both = torch.ones(2)
    looks = [(1 - 2 / 3 / 2) / (5 / 3), (1 - 1 / 3 / 2) / (4 / 3)]
    assert number(-Soft("ERR(max_grade=1)")(scores, both)) == pytest.approx(sum(looks) / 2)
    # A cut-off of 1 counts a rank r by 1/(1 + (r/1.5)^(1/W)); W is 3T, as the list is short.
    assert number(-Soft("P@1")(scores, grades)) == pytest.approx(1 / (1 + (5 / 3 / 1.5) ** (1 / 0.3)))
    assert number(-Soft("P@1", cutoff_temperature=1.0)(scores, grades)) == pytest.approx(1.5 / (1.5 + 5 / 3))


def test_a_cut_off_is_as_wide_as_the_list_is_long() -> None:
    """The last of n documents counts 1/(1 + e^(1/2T)), where ln(n/(k + ½)) is 3/2 or more."""
    for documents in (100, 1000):
        scores = -torch.arange(documents, dtype=torch.float64)
        grades = torch.zeros(documents)
        grades[-1] = 1.0
        assert number(-Soft("R@10")(scores, grades)) == pytest.approx(1 / (1 + exp(5)), rel=1e-3)


@pytest.mark.parametrize("documents", [20, 100, 1000])
@pytest.mark.parametrize(
    "measure",
    ["nDCG@10", "DCG(gain=exp)@5", "P@1", "R@10", "RR@10", "AP@10", "ERR(max_grade=1)@10", "Success@5"],
)
def test_a_relevant_document_far_below_the_cut_off_is_pulled_up(measure: str, documents: int) -> None:
    """In 32 bits, and compared with what pulls at it without a cut-off."""
    scores = (-0.1 * torch.arange(documents)).requires_grad_()
    grades = torch.zeros(documents)
    grades[-1] = 1.0
    Soft(measure)(scores, grades).backward()
    assert scores.grad is not None
    assert float(scores.grad[-1]) < -1e-8
    assert float(scores.grad[-1]) == float(scores.grad.min())


@pytest.mark.parametrize("measure", ["AP", "ERR", "Q", "nDCG@3"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_numbers(measure: str, dtype: torch.dtype) -> None:
    scores, grades = lists_without_ties(6)
    short = scores.to(dtype).requires_grad_()
    value = Soft(measure)(short, grades)
    value.backward()
    assert value.dtype == torch.float32
    assert number(value) == pytest.approx(number(Soft(measure)(short.detach().double(), grades)), rel=1e-5)
    assert short.grad is not None
    assert short.grad.dtype == dtype
    assert short.grad.any()


@pytest.mark.parametrize("measure", ["nDCG@3", "P@3", "R@3", "AP@3", "DCG@2"])
def test_the_law_of_cut_offs(measure: str) -> None:
    laws.assert_laws(Soft(measure), claims=["cut-off"])


def test_lists_are_computed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, grades = lists_without_ties(7)
    together = Soft("Q", reduction="none")(scores, grades)
    monkeypatch.setattr("idealist.learn.losses.soft_measures.CELLS_AT_ONCE", 100)
    assert Soft("Q", reduction="none")(scores, grades).tolist() == pytest.approx(together.tolist(), abs=1e-15)


def test_judged_documents_outside_the_list_count() -> None:
    """One of two relevant documents was retrieved, at rank 1."""
    scores, grades, judged = (
        torch.tensor([[2.0, 1.0]]),
        torch.tensor([[1, 0]]),
        torch.tensor([[1.0, 0.0, 1.0]]),
    )
    assert number(-Soft("AP", temperature=1e-3)(scores, grades, judged=judged)) == pytest.approx(1 / 2)


def test_grades_that_the_measure_has_no_place_for() -> None:
    with pytest.raises(il.InputError, match=r"ERR\(max_grade=2\): query 1 has grade 3, above max_grade=2"):
        Soft("ERR(max_grade=2)")(torch.ones(2, 2), torch.tensor([[1, 0], [3, 0]]))


def test_documents_have_no_weights() -> None:
    with pytest.raises(il.InputError, match="Soft takes no weights and no propensities of documents"):
        Soft("AP")(torch.ones(2), torch.ones(2), item_weights=torch.ones(2))


class Best(il.Measure):
    """The best grade of the first three, which looks at rankings one by one."""

    def values(self, rankings: il.Rankings) -> Any:
        return [max(ranking.grades[:3], default=0.0) for ranking in rankings]


class Near(il.Measure):
    """The relevant documents, each over the square of its rank."""

    def values(self, rankings: il.Rankings) -> Values:
        hit = kernels.grades(rankings.native) >= 1.0
        return (hit / kernels.ranks(rankings.native) ** 2.0).sum()


def test_measures_of_ones_own() -> None:
    with pytest.raises(il.InputError, match=r"Best has no soft form: it reads rankings one by one"):
        Soft(Best())
    cold = Soft(Near(), temperature=1e-3)
    assert number(-cold(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([1, 0, 1]))) == pytest.approx(1 + 1 / 9)


@pytest.mark.parametrize("measure", ["AP", "RR", "ERR(max_grade=3)", "nDCG@10"])
def test_it_trains_for_what_it_is_made_from(measure: str) -> None:
    """Twenty lists of twenty documents, of which nine are relevant, from a model that ranks them the wrong way round."""
    chance = torch.Generator().manual_seed(1)
    features = torch.randn(20, 20, 6, generator=chance)
    truth = torch.randn(6, generator=chance)
    worth = features @ truth + torch.randn(20, 20, generator=chance)
    ranks = worth.argsort(1, descending=True).argsort(1)
    grades = (ranks < 9).long() + (ranks < 4) + (ranks < 1)
    weights = (-0.2 * truth).requires_grad_()
    loss, optimiser = Soft(measure), torch.optim.Adam([weights], lr=0.05)

    def reported() -> float:
        return float(evaluate_tensors(grades, features @ weights, [measure]).mean(measure))

    before, losses = reported(), []
    for _ in range(20):
        optimiser.zero_grad()
        value = loss(features @ weights, grades)
        value.backward()
        optimiser.step()
        losses.append(number(value))
    assert losses[-1] < losses[0] - 0.1
    assert before < 0.4
    assert reported() > before + 0.3
