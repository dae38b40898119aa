"""The values of measures on tensors are those of `evaluate`: all of them, under all conventions."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, log2
from typing import Any

import pytest
import torch
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import idealist as il
from idealist import kernels
from idealist.backends.tensors import tensor_values as tensors
from idealist.backends.tensors.tensor_places import Places
from idealist.cli.backends import backends_view
from idealist.data import needs
from idealist.evaluation.run_agreement import agree
from idealist.kernels import Values
from idealist.learn import evaluate_tensors
from idealist.learn.tensors import ranking
from idealist.measures.naming import registry

NAN = float("nan")

# Of the measures of one grade per document, those that are not measured on tensors.
REFUSED = {
    "GAUC": "a mean over queries that weighs them, of which only values are kept",
    "nAUC": "scores of all queries together",
}
# Every other one, as it is and with its parameters changed.
MEASURES = [
    *(
        "CG",
        "CG(gain=exp)@2",
        "DCG",
        "DCG(gain=exp,discount=letor)@3",
        "DCG(discount=none)@1",
        "IDCG",
        "IDCG@2",
    ),
    *("IDCG(ideal=retrieved)@2", "nDCG", "nDCG@1", "nDCG(gain=exp)@3", "nDCG(gain=binary,ideal=retrieved)@2"),
    *("nDCG(discount=zipf)", "nDCG(gain={0:0,1:1,2:5,3:5,4:9})@3", "NCG", "NCG(ideal=retrieved)@2"),
    *("P", "P@3", "P(level=2)@20", "R", "R@2", "R(level=0)@2", "F", "F@3", "F(beta=2,level=2)@2"),
    *(
        "AP",
        "AP@2",
        "AP(divisor=reachable)@2",
        "AP(divisor=found)",
        "AP(divisor=found)@2",
        "AP(level=2)",
        "GMAP",
    ),
    *(
        "RR",
        "RR@2",
        "RR(level=3)",
        "Success",
        "Success@1",
        "Success@3",
        "Rprec",
        "Rprec(level=2)",
        "RelP",
        "RelP@3",
    ),
    *("Hits", "Hits@2", "Judged", "Judged@3", "Unjudged", "Unjudged@3"),
    *("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet"),
    *("RBP", "RBP(p=0.5)@3", "RBP(max_grade=4)", "RBP(scale=judged)", "ERR", "ERR@2", "nERR", "nERR@3"),
    *("NPV", "TBG", "TBG(total=true)", "U-measure", "SDCG", "INSQ", "SET"),
    *("Bpref", "Bpref(level=2)", "GMBpref", "Accuracy", "Accuracy@3", "AUC", "AUC(level=2)", "RankingLoss"),
    *(
        "pAUC",
        "pAUC(max_fpr=0.5)",
        "CoverageError",
        "PNR",
        "infAP",
        "Q",
        "Q(divisor=found)@3",
        "Q(gain=exp,level=2)",
    ),
    *(
        "nDCGRel",
        "nDCGRel(gain=exp)",
        "RnDCG",
        "RnDCG(discount=zipf)",
        "G",
        "binG",
        "XDCG",
        "XDCG@2",
        "Fidelity",
    ),
    *(
        "IPrec",
        "IPrec@0.5",
        "IPrec(cut=nearest)@0.3",
        "IPrecAvg",
        "RprecMult",
        "RprecMult(cut=nine-tenths)@1.5",
    ),
    *("SetAP", "Utility", "Utility(coefficients=[3,-2,-1,0])", "YAAP", "NumUnjudgedRet", "EEL", "EEL@2"),
    *("BPM", "BPM(T=0.5)@3", "BPMDynamic", "INST", "INST(T=2)@4", "IFT", "IFTGoal", "IFTRate@5"),
    *("NERR8", "NERR9@3", "NERR10", "NERR11@4", "Compat", "Compat(p=0.5)@3", "Compat(normalize=false)"),
    *("Condensed", "Condensed(of=AP)", "Condensed(of=Success@2)", "Lower", "Lower(of=ERR)"),
    *("Upper", "Upper(of=nDCG@2)", "Gap", "Gap(of=AP)"),
    *(
        "ExpectedDepth",
        "ExpectedDepth(of=AP)",
        "ExpectedDepth(of=RR@4)",
        "ExpectedCost",
        "ExpectedTotalCost(of=P@3)",
    ),
    *(
        "ExpectedTotalUtility",
        "ExpectedTotalUtility(of=INST)",
        "Residual",
        "Residual(of=INST@4)",
        "Residual(of=AP)",
    ),
    *("Residual(below=with-unjudged)", "Residual(of=RBP(scale=judged))"),
]
# Of two rankings.
AGREEMENT = [
    *("KendallTau", "TauAP", "Spearman", "WeightedTau", "RBO", "RBO(estimate=min)", "RBO(estimate=res)"),
    *("Overlap@3", "Unexpectedness@2", "Jaccard", "Jaccard@2"),
]

TRIED = {il.measures.parse(text).name for text in (*MEASURES, *AGREEMENT, "Sampled")}

CONVENTIONS = st.builds(
    il.Conventions,
    ties=st.sampled_from(
        ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]
    ),
    missing=st.sampled_from(["zero", "skip", "error"]),
    empty=st.sampled_from(["zero", "one", "skip", "error"]),
    negative=st.sampled_from(["not-relevant", "unjudged", "keep", "error"]),
    unjudged=st.sampled_from(["not-relevant", "removed"]),
    precision=st.sampled_from(["double", "single"]),
)
# The last two are one number in single precision.
SCORES = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 1.0, 1e6, 1.0 + 2**-30])
GRADES = st.one_of(st.integers(0, 4).map(float), st.integers(-2, 4).map(float), st.just(NAN))
Lists = list[list[tuple[float, float]]]
LISTS = st.lists(st.lists(st.tuples(SCORES, GRADES), max_size=13), min_size=1, max_size=4)


def reference(lists: Lists, measures: list[str], conventions: il.Conventions) -> dict[str, list[float]]:
    """What `evaluate` says of the same documents, by their numbers."""
    names = [f"{number:02}" for number in range(len(lists))]
    run = {
        name: {str(place): score for place, (score, _) in enumerate(one)}
        for name, one in zip(names, lists, strict=True)
        if one
    }
    judgments = {
        name: {str(place): grade for place, (_, grade) in enumerate(one) if not isnan(grade)}
        for name, one in zip(names, lists, strict=True)
    }
    # One more, for which all are defined: a run of no query at all is an error there.
    run["more"], judgments["more"] = {"0": 2.0, "1": 1.0}, {"0": 4.0, "1": 0.0}
    result = il.evaluate(judgments, run, measures, conventions=conventions)
    return {measure: [result.value(measure, query=name) for name in names] for measure in measures}


def on_tensors(
    lists: Lists, measures: list[str], conventions: il.Conventions, dtype: torch.dtype
) -> dict[str, list[float]]:
    width = max(map(len, lists)) + 1
    scores = torch.full((len(lists), width), NAN, dtype=dtype)
    grades = torch.full((len(lists), width), 77.0, dtype=dtype)  # what is masked is not looked at
    for row, one in enumerate(lists):
        for place, (score, grade) in enumerate(one):
            scores[row, place], grades[row, place] = score, grade
    sizes = torch.tensor([len(one) for one in lists])
    result = evaluate_tensors(grades, scores, measures, sizes=sizes, conventions=conventions)
    return {measure: result.values(measure).tolist() for measure in measures}


def outcomes(values: Callable[[list[str]], dict[str, list[float]]]) -> dict[str, list[float] | str]:
    """The values of all measures, "error" for one that is refused."""
    try:
        return dict(values(MEASURES))
    except il.InputError:
        found: dict[str, list[float] | str] = {}
        for measure in MEASURES:
            try:
                found |= values([measure])
            except il.InputError:
                found[measure] = "error"
        return found


def alike(found: list[float] | str, expected: list[float] | str, tolerance: float) -> bool:
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    pairs = list(zip(found, expected, strict=True))
    return all(abs(a - b) <= tolerance * max(1.0, abs(b)) if b == b else a != a for a, b in pairs)


def test_every_measure_of_one_grade_per_document_is_tried() -> None:
    """In a column of numbers there is no grade."""
    measured = {
        cls.name
        for cls in registry().values()
        if cls.needs in (needs.GRADES, needs.QUERIES, needs.REFERENCE)
        and not cls.given
        and cls.__module__.startswith("idealist.")
    }
    assert measured - set(REFUSED) == TRIED
    assert len(TRIED) == 84


def test_the_page_of_backends_has_them() -> None:
    """Every backend is asked; `make docs` writes the page anew."""
    page = backends_view().written("markdown")
    assert page == (ROOT / "docs" / "backends.md").read_text(encoding="utf-8"), "`make docs` makes it anew"
    assert f"{len(TRIED)} tensors" in page


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    reason = {"GAUC": "it is one number of all queries together", "nAUC": "it needs "}[name]
    with pytest.raises(il.InputError, match=f"{name}.* cannot be measured on tensors: {reason}"):
        evaluate_tensors([[1]], [[1.0]], name)


@given(
    ranks=st.lists(
        st.integers(1, 9).flatmap(lambda n: st.permutations(range(1, n + 1))), min_size=1, max_size=4
    ),
    known=st.integers(1, 9),
)
def test_agreement_is_that_of_two_runs(ranks: list[list[int]], known: int) -> None:
    """Grades are the ranks in the other run, of which this one has some documents too few."""
    lists = [
        [(-float(at), float(rank) if rank <= known else NAN) for at, rank in enumerate(one)] for one in ranks
    ]
    run = {
        str(query): {str(at): score for at, (score, _) in enumerate(one)} for query, one in enumerate(lists)
    }
    other = {
        str(query): {str(at): -rank for at, (_, rank) in enumerate(one) if rank == rank}
        for query, one in enumerate(lists)
    }
    run["more"] = other["more"] = {"0": 2.0, "1": 1.0}
    expected = agree(run, other, AGREEMENT)
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
        found = on_tensors(lists, AGREEMENT, expected.conventions, dtype)
        for measure in AGREEMENT:
            values = [expected.value(measure, query=str(query)) for query in range(len(lists))]
            assert alike(found[measure], values, tolerance), (measure, found[measure], values)


def test_a_measure_of_sampled_items() -> None:
    """Rank 2 of 4 stands for rank 1 + 6 · 1/3 = 3 of 7."""
    measure = "Sampled(of=RR,items=7,samples=3)"
    scores, grades = torch.tensor([[4.0, 3.0, 2.0, 1.0]]), torch.tensor([[0, 1, 0, 0]])
    assert float(evaluate_tensors(grades, scores, measure).mean(measure)) == pytest.approx(1 / 3)
    with pytest.raises(il.InputError, match="query 0 has a list of 3"):
        evaluate_tensors(grades[:, :3], scores[:, :3], measure)


def test_a_measure_of_ones_own() -> None:
    """In the words of measures, or of the lists one by one."""

    class Depth(il.Measure):
        def values(self, rankings: il.Rankings) -> Values:
            relevant = kernels.grades(rankings.native) >= 1.0
            return (kernels.ranks(rankings.native) * relevant).highest(0.0)

    class Length(il.Measure):
        def values(self, rankings: il.Rankings) -> Any:
            return [float(ranking.retrieved + ranking.ranks[-1]) for ranking in rankings]

    found = evaluate_tensors([[1.0, 2.0, 0.0]], [[3.0, 2.0, 1.0]], [Depth(), Length()])
    assert found.values(Depth()).tolist() == [2.0]
    assert found.values(Length()).tolist() == [6.0]


def test_an_operation_that_tensors_lack_is_named() -> None:
    class Best(il.Measure):
        def values(self, rankings: il.Rankings) -> Values:
            return kernels.relevant(kernels.best_of_ties(rankings.native), 1.0)

    with pytest.raises(il.InputError, match="Best: best_of_ties is not an operation of tensors"):
        evaluate_tensors([[1]], [[1.0]], Best())


def test_backends_have_the_methods_of_the_core() -> None:
    for theirs, ours in ((kernels.Places, Places), (kernels.Values, tensors.Values)):
        assert {name for name in dir(theirs) if not name.startswith("_")} <= set(dir(ours))


def test_long_batches_are_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same values to the last bit, and errors that have the query's number in the whole."""
    generator = torch.Generator().manual_seed(4)
    scores = torch.rand(31, 9, generator=generator)
    grades = torch.randint(0, 4, (31, 9), generator=generator)
    measures = [
        "ERR",
        "Q",
        "Compat",
        "Upper(of=AP)",
        "INST",
        "nDCGRel",
        "RnDCG",
        "Utility(coefficients=[1,1,1,1],collection_size=9)",
    ]
    whole = evaluate_tensors(grades, scores, measures)
    monkeypatch.setattr(ranking, "CELLS_AT_ONCE", 50)
    parts = evaluate_tensors(grades, scores, measures)
    for measure in measures:
        assert parts.values(measure).tolist() == whole.values(measure).tolist()
    grades[23, 2] = 5
    with pytest.raises(il.InputError, match="query 23 has grade 5, above max_grade=4"):
        evaluate_tensors(grades, scores, "ERR")


@settings(max_examples=120)
@given(lists=LISTS, conventions=CONVENTIONS)
def test_values_are_those_of_evaluate(lists: Lists, conventions: il.Conventions) -> None:
    expected = outcomes(lambda measures: reference(lists, measures, conventions))
    found = outcomes(lambda measures: on_tensors(lists, measures, conventions, torch.float64))
    for measure in MEASURES:
        assert alike(found[measure], expected[measure], 1e-12), (measure, found[measure], expected[measure])


@settings(max_examples=40)
@given(lists=LISTS, conventions=CONVENTIONS)
def test_values_of_32_bits_are_near(lists: Lists, conventions: il.Conventions) -> None:
    # What 32 bits hold of a score is what is compared.
    single = conventions.replace(precision="single")
    expected = outcomes(lambda measures: reference(lists, measures, single))
    found = outcomes(lambda measures: on_tensors(lists, measures, conventions, torch.float32))
    for measure in MEASURES:
        assert alike(found[measure], expected[measure], 1e-6), (measure, found[measure], expected[measure])


@settings(max_examples=40)
@given(
    cells=st.integers(1, 12).flatmap(
        lambda width: st.lists(
            st.lists(st.tuples(SCORES, st.integers(-1, 4)), min_size=width, max_size=width),
            min_size=1,
            max_size=3,
        )
    ),
    conventions=CONVENTIONS,
    first=st.booleans(),
)
def test_whole_grades_of_a_full_matrix(
    cells: list[list[tuple[float, int]]], conventions: il.Conventions, first: bool
) -> None:
    """With cut-offs alone and without: what is looked at of such grades differs."""
    scores = torch.tensor([[score for score, _ in row] for row in cells], dtype=torch.float64)
    grades = torch.tensor([[grade for _, grade in row] for row in cells])
    measures = [text for text in MEASURES if not first or il.measures.parse(text).depth]
    rules = conventions.replace(empty="one", negative="not-relevant")
    lists = [[(score, float(grade)) for score, grade in row] for row in cells]
    if rules.ties == "averaged":
        measures = [text for text in measures if il.measures.parse(text).averages_ties]
    if rules.ties in ("optimistic", "pessimistic"):
        measures = [text for text in measures if il.measures.parse(text).one_grade]
    expected = reference(lists, measures, rules)
    found = evaluate_tensors(grades, scores, measures, conventions=rules)
    for measure in measures:
        assert alike(found.values(measure).tolist(), expected[measure], 1e-12), measure


@given(lists=LISTS, conventions=CONVENTIONS)
def test_ragged_masked_and_padded_lists_are_alike(lists: Lists, conventions: il.Conventions) -> None:
    rules = conventions.replace(missing="skip", empty="zero", negative="keep")
    measures = ["nDCG@3", "AP", "Success@2", "RBP"]
    padded = on_tensors(lists, measures, rules, torch.float64)
    flat = [pair for one in lists for pair in one]
    ragged = evaluate_tensors(
        torch.tensor([grade for _, grade in flat], dtype=torch.float64),
        torch.tensor([score for score, _ in flat], dtype=torch.float64),
        measures,
        sizes=[len(one) for one in lists],
        conventions=rules,
    )
    for measure in measures:
        assert ragged.values(measure).tolist() == pytest.approx(padded[measure], nan_ok=True, abs=1e-15)


def test_a_mask_may_have_gaps() -> None:
    scores = torch.tensor([[9.0, 3.0, 8.0, 2.0]])
    grades = torch.tensor([[0, 0, 2, 1]])
    mask = torch.tensor([[False, True, True, True]])
    result = evaluate_tensors(grades, scores, ["RR", "P"], mask=mask)
    assert result.aggregates() == {"RR": 1.0, "P": pytest.approx(2 / 3)}


def test_one_list_is_one_query() -> None:
    assert evaluate_tensors([1, 0], [0.1, 0.9], "RR").values("RR").tolist() == [0.5]


def test_values_have_the_type_and_the_order_of_the_scores() -> None:
    scores = torch.tensor([1.0] * 3 + [2.0, 1.0] + [1.0] * 40, dtype=torch.float16)
    grades = torch.tensor([0, 1, 0] + [1, 0] + [1] * 40)
    result = evaluate_tensors(grades, scores, "Hits", sizes=[3, 2, 40])
    assert result.values("Hits").tolist() == [1, 1, 40]  # lists of like length are ranked together
    assert result.values("Hits").dtype == torch.float32
    assert evaluate_tensors([[1, 0]], [[2, 1]], "AP").values("AP").dtype == torch.float64


def test_a_negative_zero_ties_with_zero() -> None:
    scores = torch.tensor([[-0.0, 0.0]])
    for dtype in (torch.float32, torch.float64):
        result = evaluate_tensors([[1.0, 0.0]], scores.to(dtype), "RR", conventions="ties=input-order")
        assert result.values("RR").tolist() == [1.0]


@pytest.mark.parametrize(
    "ties", ["input-order", "id-descending", "id-ascending", "optimistic", "pessimistic", "averaged"]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_first_of_many_are_those_of_a_full_sort(ties: str, dtype: torch.dtype) -> None:
    """So many documents that the first few are chosen before they are sorted; few scores, so that ties are cut."""
    generator = torch.Generator().manual_seed(1)
    scores = torch.randint(0, 30, (5, 2500), generator=generator).to(dtype)
    scores[0] = 1.0  # one group of ties
    grades = torch.randint(0, 4, (5, 2500), generator=generator)
    rules = il.Conventions(ties=ties)
    found = evaluate_tensors(grades, scores, ["nDCG@10", "P@10"], conventions=rules)
    expected = il.evaluate(grades.numpy(), scores.numpy(), ["nDCG@10", "P@10"], conventions=rules)
    tolerance = 1e-12 if dtype == torch.float64 else 1e-6
    for measure in ("nDCG@10", "P@10"):
        values = [expected.value(measure, query=str(row)) for row in range(5)]
        assert found.values(measure).tolist() == pytest.approx(values, abs=tolerance)


def test_the_level_is_compared_as_it_is_written() -> None:
    """0.7 of 32 bits is below 0.7, for `evaluate` too."""
    scores, grades = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.7, 0.75]])
    assert evaluate_tensors(grades, scores, "Hits(level=0.7)").values("Hits(level=0.7)").tolist() == [1.0]
    assert il.evaluate(grades.numpy(), scores.numpy(), "Hits(level=0.7)").mean("Hits(level=0.7)") == 1.0


def test_grades_of_64_bits_are_compared_as_they_are() -> None:
    """Whatever the scores are: 0.7 reaches 0.7, 0.1 is in the table, and 2²⁴ does not reach 2²⁴ + 1."""
    scores, grades = torch.tensor([[2.0, 1.0]]), torch.tensor([[0.7, 0.1]], dtype=torch.float64)
    table = il.DCG(gain={0.1: 1, 0.7: 3}, discount="none")
    result = evaluate_tensors(grades, scores, ["P(level=0.7)@1", "R(level=0.1)@1", table])
    assert [float(result.values(measure)) for measure in result.measures] == [1.0, 0.5, 4.0]
    assert result.values(table).dtype == torch.float32
    level = f"P(level={2**24 + 1})@1"
    for dtype in (torch.int64, torch.int32, torch.float64):
        large = torch.tensor([[2**24, 2**24 + 1]], dtype=dtype)
        assert evaluate_tensors(large, scores, level).aggregates() == {level: 0.0}


def test_a_table_need_not_have_what_no_document_has() -> None:
    """Padding, unjudged documents and negative grades have no gain: (1 + 3/log2 3) / (3 + 1/log2 3) and 1."""
    measure = il.NDCG(gain={1: 1, 2: 3})
    first = (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    scores = torch.tensor([[2.0, 1.0], [1.0, 0.0]])
    for last, sizes in ((0.0, [2, 1]), (NAN, None), (-1.0, None)):
        grades = torch.tensor([[1, 2], [2, last]])
        values = evaluate_tensors(grades, scores, measure, sizes=sizes).values(measure)
        assert values.tolist() == pytest.approx([first, 1.0], abs=1e-6)
    half = il.NDCG(gain={0.5: 1, 1.5: 3})
    grades = torch.tensor([[0.5, 1.5], [1.5, NAN]])
    assert evaluate_tensors(grades, scores, half).values(half).tolist() == pytest.approx(
        [first, 1.0], abs=1e-6
    )


def test_means_are_those_of_evaluate() -> None:
    scores, grades = [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    measures = ["AP", "GMAP", "NumRel", "nDCG"]
    for conventions in ("empty=zero", "empty=skip", "lightgbm"):
        found = evaluate_tensors(grades, scores, measures, conventions=conventions)
        expected = il.evaluate(
            torch.tensor(grades).numpy(),
            torch.tensor(scores).double().numpy(),
            measures,
            conventions=conventions,
        )
        for measure in measures:
            assert float(found.aggregate(measure)) == pytest.approx(expected.aggregate(measure), abs=1e-12)
    with pytest.raises(il.InputError, match="has no mean over queries"):
        found.mean("GMAP")


def test_few_lists_with_ties_among_many() -> None:
    """They are ranked by themselves, and the others as if ties were not averaged."""
    generator = torch.Generator().manual_seed(2)
    scores = torch.rand(40, 7, generator=generator, dtype=torch.float64)
    scores[5, 1] = scores[5, 4] = scores[31, 0] = scores[31, 6] = 0.5
    grades = torch.randint(0, 3, (40, 7), generator=generator)
    measures = ["nDCG@3", "AP", "NumQ"]
    found = evaluate_tensors(grades, scores, measures, conventions="ties=averaged")
    expected = il.evaluate(grades.numpy(), scores.numpy(), measures, conventions="ties=averaged")
    for measure in measures:
        values = [expected.value(measure, query=str(row)) for row in range(40)]
        assert found.values(measure).tolist() == pytest.approx(values, abs=1e-12)
    with pytest.raises(il.InputError, match="no closed form for averaged ties, and query 5 has some"):
        evaluate_tensors(grades, scores, "ERR", conventions="ties=averaged")


def test_no_query_has_no_mean() -> None:
    result = evaluate_tensors(torch.empty(0, 5), torch.empty(0, 5), "AP")
    assert len(result) == 0
    assert isnan(result.mean("AP"))
