"""What holds for every measure in the registry."""

from __future__ import annotations

import itertools
import math
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import GRADES, mixed, tasks

from idealist import Conventions, InputError, Judgments, Measure, Rankings, Run, evaluate
from idealist.data import match
from idealist.measures import parse, registry
from idealist.measures.families.incomplete import Sampled

# Some parameters each, so that laws hold beyond the defaults.
PARAMETERS: dict[str, list[Any]] = {
    "k": [None, 1, 3, 10],
    "level": [1, 2, 0.5],
    "gain": ["linear", "exp", "binary", {-2: 0, -1: 0, 0: 0, 1: 0.25, 2: 0.5, 3: 0.75, 4: 10.5}],
    "discount": ["log2", "jarvelin(3)", "letor", "zipf", "rbp(0.8)", "none", [1, 1, 0.75, *[0.25] * 20]],
    "ideal": ["judged", "retrieved"],
    "beta": [1, 0.5, 2],
    "max_grade": [4, 6.5],
    "p": [0.5, 0.8],
    "of": ["nDCG@10", "P@3", "RR@5", "AP", "SDCG@5", "INST(T=2)@10", "ERR(max_grade=6.5)", "CG", "NumRelRet"],
    "weights": [{}, {"relevance": 0.7, "novelty": 0.3}],
    "worth": [{}, {"relevance": "exp"}],
    "parts": [{"nDCG@10": 1}, {"nDCG(gain=exp)@3": 0.7, "AP": 0.3}, {"P@2": 2, "RR": 0, "nDCG": 0.1}],
    "how": ["sum", "harmonic", "product", "chebyshev"],
    "min_grade": [1.5],
    "rate": [2],
    "halflife": [1.5],
    "L": [2.5],
    "power": [1],
    "T": [2.5],
    "budget": [2],
    "hb": [3.5],
    "hc": [3.5],
    "med": [0.2],
    "b1": [2],
    "R1": [100],
    "A": [1],
    "b2": [2],
    "R2": [100],
    "cost": [4.5],
    "recall": [0, 0.1, 0.3, 1],
    "points": [[0.5], [0, 0.25, 1]],
    "cut": ["ceiling", "nearest", "nine-tenths"],
    "divisor": ["relevant", "reachable", "found"],
    "multiple": [1, 0.2, 1.5],
    "coefficients": [[1, -1, 0, 0], [2.5, -0.5, -1, 0]],
    "collection_size": [0, 1000],
    "alpha": [0.5, 0, 0.25, 1],
    "gamma": [0.5, 0, 0.9, 1],
    "norm": ["bound", "none"],
    "normalize": [True, False],
    "over": ["all", "implied", "retrieved"],
    "subtopics": ["relevant", "all"],
    "replacement": [True, False],
    "total": [True, False],
    "tied": ["as-ranked", "id-ascending"],
    "scale": ["stated", "judged"],
    "below": ["counted", "with-unjudged"],
    "relevance": ["binary", "graded", "none"],
    "distance": ["cosine", "euclidean", "jaccard"],
    "users": [None, 100],
    "smoothing": [0, 0.5],
    "head": [0.2, 0.5],
    "mix": [0.01, 0.5],
    "column": ["group", "maker of it"],
    "group": [None, "b"],
    "target": [None, {"a": 0.25, "b": 0.75}],
    "estimate": ["ext", "min", "res"],
    "items": [None, 1000],
    "samples": [100, 5],
    "estimator": ["rank", "bias-variance"],
    "tradeoff": [0.1, 1],
    "eta": [1, 0, 0.5],
    "clip": [0, 0.25],
    "base": [4, 2],
    "balance": [0.8, 1],
    "confidence": ["max", "std", "diff1"],
    "nuggets": ["all", "vital", "weighted"],
    "credit": ["partial", "strict"],
    "max_fpr": [0.1, 0.5, 1],
    "weighting": ["judged", "relevant"],
}


def variants(cls: type[Measure]) -> list[Measure]:
    """The default, and every parameter changed by itself and with a cut-off."""
    changed = [cls()]
    for field in cls.fields:
        for value in PARAMETERS[field]:
            if value is None and getattr(cls, field) is not None:
                continue  # it cannot be left out
            try:
                changed.append(cls(**{field: value}))
            except InputError:
                # Not every measure can be taken in every other way; beta is a chance in NRBP.
                assert field == "of" or (field, value) == ("beta", 2)
                continue
            if "k" in cls.fields and field != "k":
                changed.append(cls(**{field: value, "k": 3}))
    return list(dict.fromkeys(changed))


EVERY = [measure for cls in registry().values() for measure in variants(cls)]
# Those that look at one grade per document and nothing else; the others have tests of their own.
MEASURES = [
    measure for measure in EVERY if not measure.needs.given_apart and not isinstance(measure, Sampled)
]
AVERAGING = [measure for measure in MEASURES if measure.averages_ties]
RISING = [measure for measure in MEASURES if measure.favours_better]
TIED = [measure for measure in RISING if measure.one_grade]
TIES = ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]
every_measure = pytest.mark.parametrize("measure", EVERY, ids=str)


# Which measures an example is about: a few dozen, so that many examples can be tried.
SOME = st.randoms(use_true_random=False)


def some_of(measures: list[Measure], random: Any) -> list[Measure]:
    return random.sample(measures, min(40, len(measures)))  # type: ignore[no-any-return]


def with_ties(measures: list[Measure], ties: str) -> list[Measure]:
    if ties in ("optimistic", "pessimistic"):
        return [measure for measure in measures if measure.one_grade]
    return [measure for measure in measures if measure.averages_ties or ties != "averaged"]


@every_measure
def test_text_form_round_trips(measure: Measure) -> None:
    assert parse(str(measure)) == measure


@every_measure
def test_equal_measures_hash_alike_and_pickle(measure: Measure) -> None:
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert len({again, measure}) == 1


@pytest.mark.parametrize("cls", registry().values(), ids=lambda cls: cls.name)
def test_every_measure_says_what_it_is(cls: type[Measure]) -> None:
    first, _, rest = (cls.__doc__ or "").strip().partition("\n")
    assert first.endswith(".")
    assert ">>>" in rest
    if cls.family != "counts" and cls.name not in ("Hits", "Judged", "Overlap"):
        assert re.search(r"\b(19|20)\d\d\b", rest), "a citation has a year"
    low, high = cls().bounds
    assert low <= high


def test_no_name_means_two_measures() -> None:
    names = [alias.lower() for cls in registry().values() for alias in (cls.name, *cls.aliases)]
    assert len(names) == len(set(names))


@given(tasks(), st.sampled_from(TIES), st.sampled_from(["not-relevant", "removed"]), SOME)
def test_bounds_hold(task: Any, ties: str, unjudged: str, random: Any) -> None:
    run, judgments = task
    measures = with_ties(some_of(MEASURES, random), ties)
    conventions = Conventions(ties=ties, unjudged=unjudged)
    if not measures:
        return
    for one in evaluate(judgments, run, measures, conventions=conventions):
        low, high = one.measure.bounds
        assert low <= one.value <= high, one


@given(tasks(), SOME)
def test_bounds_of_ties_enclose_every_order(task: Any, random: Any) -> None:
    run, judgments = task
    measures = [*some_of(TIED, random), parse("nDCG")]
    results = {
        ties: evaluate(judgments, run, with_ties(measures, ties), conventions=Conventions(ties=ties))
        for ties in TIES
    }
    for measure in measures:
        for query in results["averaged"].queries:
            worst, best, *between = (
                results[ties].value(measure, query)
                for ties in ("pessimistic", "optimistic", "id-descending", "id-ascending", "averaged")
                if ties != "averaged" or measure.averages_ties
            )
            assert all(worst - 1e-12 <= value <= best + 1e-12 for value in between), (measure, query)


@given(st.lists(GRADES, min_size=1, max_size=5), SOME)
def test_ideal_order_is_never_beaten(grades: list[int], random: Any) -> None:
    best = sorted(grades, reverse=True)
    for measure in some_of(RISING, random)[:20]:
        top = measure(best)
        for order in set(itertools.permutations(grades)):
            assert measure(order) <= top + 1e-12, (measure, order)


@given(tasks(), SOME)
def test_a_value_does_not_depend_on_other_queries(task: Any, random: Any) -> None:
    run, judgments = task
    measures = some_of(MEASURES, random)
    together = evaluate(judgments, run, measures)
    for query in set(run) & set(judgments):
        alone = evaluate({query: judgments[query]}, {query: run[query]}, measures)
        for measure in measures:
            assert alone.value(measure, query) == together.value(measure, query)


@given(tasks(), st.randoms())
def test_order_of_queries_and_rows_does_not_matter(task: Any, random: Any) -> None:
    run, judgments = task

    some = [*some_of(MEASURES, random), parse("nDCG")]
    for ties in TIES:
        if ties == "input-order":
            continue
        conventions, measures = Conventions(ties=ties), with_ties(some, ties)
        first = evaluate(judgments, run, measures, conventions=conventions)
        second = evaluate(mixed(judgments, random), mixed(run, random), measures, conventions=conventions)
        assert first.to_dict() == second.to_dict()


@given(tasks())
def test_every_way_in_gives_the_same_rankings(task: Any) -> None:
    run, judgments = task
    for ties, unjudged, precision in itertools.product(
        TIES, ["not-relevant", "removed"], ["double", "single"]
    ):
        conventions = Conventions(ties=ties, unjudged=unjudged, precision=precision)
        truth = Judgments(judgments)
        assert match(truth, run, conventions) == match(truth, Run(run), conventions)


@given(tasks(), SOME)
def test_undefined_is_left_to_the_conventions(task: Any, random: Any) -> None:
    rankings = match(Judgments(task[1]), task[0])
    for measure in some_of(MEASURES, random):
        raw, settled = list(measure.values(rankings)), list(measure.values_with_conventions(rankings))
        assert settled == [0.0 if math.isnan(value) else value for value in raw]


@pytest.mark.parametrize("measure", AVERAGING, ids=str)
def test_averaged_ties_are_the_mean_over_all_orders(measure: Measure) -> None:
    # Three groups of equal scores with 2, 4 and 1 documents; None is unjudged.
    groups: list[list[int | None]] = [[0, 2], [1, None, 3, 0], [4]]
    documents = {f"{i}{j}": grade for i, group in enumerate(groups) for j, grade in enumerate(group)}
    judged = {name: grade for name, grade in documents.items() if grade is not None} | {"lost": 2}
    run = {"q": {name: -float(name[0]) for name in documents}}
    for unjudged in ("not-relevant", "removed"):
        averaged = Conventions(ties="averaged", unjudged=unjudged)
        got = evaluate({"q": judged}, run, measure, conventions=averaged).value(measure, "q")
        orders = itertools.product(*(list(itertools.permutations(group)) for group in groups))
        values = [
            measure(
                [grade for group in order for grade in group],
                judged=list(judged.values()),
                conventions=Conventions(unjudged=unjudged),
            )
            for order in orders
        ]
        assert got == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_a_measure_without_a_closed_form_refuses_averaged_ties() -> None:
    class Parity(Measure):
        """Whether the first relevant document stands at an odd rank."""

        name = "Parity"
        averages_ties = False

        def values(self, rankings: Rankings) -> Any:
            return parse("RR").values(rankings)

    run, judgments = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}}
    averaged = Conventions(ties="averaged")
    assert evaluate(judgments, run, Parity()).mean(Parity()) == 1.0
    with pytest.raises(ValueError, match="Parity has no closed form for averaged ties"):
        evaluate(judgments, run, Parity(), conventions=averaged)
    assert evaluate(judgments, {"q": {"b": 1.0}}, Parity(), conventions=averaged).mean(Parity()) == 1.0


LISTS = st.lists(GRADES, min_size=1, max_size=20).map(lambda grades: sorted(grades, reverse=True))


@given(LISTS, st.randoms(), SOME)
def test_ties_among_documents_of_one_grade_change_nothing(grades: list[int], ties: Any, random: Any) -> None:
    """Whatever the order of tied documents of one grade, the list is the same: to the last bit, their mean is its value."""
    judged = {f"d{place:02}": grade for place, grade in enumerate(grades)}
    scores = [0.0]
    for grade, before in zip(grades[1:], grades, strict=False):
        scores.append(scores[-1] - (grade != before or ties.random() < 0.3))
    measures = some_of(AVERAGING, random)
    without, tied = (
        evaluate(
            {"q": judged},
            {"q": dict(zip(judged, its_scores, strict=True))},
            measures,
            conventions=Conventions(ties="averaged"),
        ).to_dict()
        for its_scores in ([-float(place) for place in range(len(grades))], scores)
    )
    assert tied == without


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=60).filter(any),
    st.sampled_from(
        ["linear", "exp", "binary", "{0:0,1:0.1,2:0.2,3:0.7,4:1.1,5:1.3,6:1.7,7:2.3,8:2.9,9:3.1}"]
    ),
    st.sampled_from(["log2", "letor", "zipf", "jarvelin(3)", "rbp(0.8)", "none"]),
    st.sampled_from(["", "@1", "@5", "@10", "@100"]),
)
def test_a_perfect_list_is_exactly_one(grades: list[int], gain: str, discount: str, cut: str) -> None:
    """Scores equal to grades, so that all of a grade are tied: no order is better."""
    judged = {f"d{place:02}": grade for place, grade in enumerate(grades)}
    measure = f"nDCG(gain={gain},discount={discount}){cut}"
    result = evaluate({"q": judged}, {"q": judged}, measure, conventions=Conventions(ties="averaged"))
    assert result.value(measure, "q") == 1.0


def test_tied_relevant_documents_are_counted_as_whole_numbers() -> None:
    """A forty-ninth times 49 is 0.9999999999999999."""
    judged = {f"d{place}": 1 for place in range(49)}
    result = evaluate(
        {"q": judged},
        {"q": dict.fromkeys(judged, 0)},
        ["P@1", "R@7", "AP"],
        conventions=Conventions(ties="averaged"),
    )
    assert [one.value for one in result] == [1.0, 1 / 7, 1.0]
