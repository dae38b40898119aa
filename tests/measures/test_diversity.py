"""Measures of subtopics: twins written from the definitions, laws, and what is refused."""

from __future__ import annotations

import itertools
from math import e, log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import GRADES, grouped_tasks, mixed
from test_laws import EVERY

from idealist import Conventions, InputError, Measure, evaluate
from idealist.data import GroupedJudgments
from idealist.measures import parse

DIVERSITY = [measure for measure in EVERY if measure.family == "diversity"]
few = settings(max_examples=30)
REAL_GRADES = st.sampled_from([-1, 0, 0.5, 1, 2, 3])
WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
CONVENTIONS = [
    Conventions(),
    Conventions(unjudged="removed"),
    Conventions(negative="unjudged", unjudged="removed"),
    Conventions(ties="id-ascending", missing="skip"),
    Conventions(ties="input-order", precision="single"),
]


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@st.composite
def weighted_tasks(draw: st.DrawFn, grades: st.SearchStrategy[float] = GRADES) -> tuple[Any, Any, Any]:
    """A run, judgments by subtopic, and weights for some queries."""
    run, judged = draw(grouped_tasks(grades=grades))
    weights = {}
    for query, groups in judged.items():
        its_weights = {group: draw(WEIGHTS) for group in groups}
        if sum(its_weights.values()) and draw(st.booleans()):
            weights[query] = its_weights
    return run, judged, weights


class Query:
    """One query as the definitions see it: documents in ranked order, P(i|q), grades by subtopic."""

    def __init__(self, run: dict[str, float], groups: Any, weights: Any) -> None:
        self.list = [doc for doc, _ in sorted(run.items(), key=lambda p: (p[1], raw(p[0])), reverse=True)]
        self.groups = groups
        self.weights = weights or dict.fromkeys(groups, 1.0)

    def probabilities(self, level: float) -> dict[str, float]:
        """P(i|q) of the subtopics for which something is relevant."""
        known = {
            group: self.weights[group]
            for group, documents in self.groups.items()
            if self.weights[group] > 0 and any(grade >= level for grade in documents.values())
        }
        return {group: weight / sum(known.values()) for group, weight in known.items()}

    def relevant(self, document: str, group: str, level: float) -> bool:
        return document in self.groups[group] and self.groups[group][document] >= level

    def cascade(self, ranked: list[str], alpha: float, level: float, discounts: list[float]) -> float:
        """Σ_r d(r) Σ_i P(i|q) J_i(r) (1 − α)^(number of earlier documents that cover i)."""
        total = 0.0
        for r, discount in zip(range(len(ranked)), discounts, strict=False):
            for group, p in self.probabilities(level).items():
                if self.relevant(ranked[r], group, level):
                    earlier = sum(self.relevant(above, group, level) for above in ranked[:r])
                    total += discount * p * (1 - alpha) ** earlier
        return total

    def greedy(self, alpha: float, level: float) -> list[str]:
        """At each rank what adds most, ties by document id descending."""
        left = {document for documents in self.groups.values() for document in documents}
        chosen: list[str] = []
        ones = [1.0] * len(left)
        while left:
            best = max(
                left, key=lambda doc: (round(self.cascade([*chosen, doc], alpha, level, ones), 9), raw(doc))
            )
            chosen.append(best)
            left.remove(best)
        return chosen

    def subtopic_recall(self, level: float, k: int) -> float:
        """I-rec@k of Sakai and Song: the intents covered by the top k, divided by all intents."""
        intents = self.probabilities(level)
        covered = [i for i in intents if any(self.relevant(doc, i, level) for doc in self.list[:k])]
        return len(covered) / len(intents)

    def global_gain(self, document: str) -> Any:
        """GG(d) = Σ_i P(i|q) g_i(d); negative grades have no gain."""
        total = sum(self.weights.values())
        return sum(
            self.weights[group] / total * max(documents.get(document, 0), 0)
            for group, documents in self.groups.items()
        )

    def d_ndcg(self, k: int) -> Any:
        judged = {document for documents in self.groups.values() for document in documents}
        ideal = sorted(map(self.global_gain, judged), reverse=True)
        found = sum(self.global_gain(doc) / log2(r + 1) for r, doc in enumerate(self.list[:k], 1))
        return found / sum(gain / log2(r + 1) for r, gain in enumerate(ideal[:k], 1))


def expected_values(query: Query, k: int, alpha: float, beta: float, gamma: float, level: float) -> Any:
    names = {
        "log2": [1 / log2(r + 1) for r in range(1, k + 1)],
        "zipf": [1 / r for r in range(1, k + 1)],
        "patience": [beta ** (r - 1) for r in range(1, 40)],
    }
    intents = query.probabilities(level)
    values = {}
    if intents:
        ideal = query.greedy(alpha, level)
        found = {name: query.cascade(query.list, alpha, level, table) for name, table in names.items()}
        best = {name: query.cascade(ideal, alpha, level, table) for name, table in names.items()}
        bound = {
            name: sum(d * (1 - alpha) ** r for r, d in enumerate(table)) for name, table in names.items()
        }
        values = {
            f"alpha-DCG(alpha={alpha},norm=none,level={level})@{k}": found["log2"] * len(intents),
            f"alpha-DCG(alpha={alpha},level={level})@{k}": found["log2"] / bound["log2"],
            f"alpha-nDCG(alpha={alpha},level={level})@{k}": found["log2"] / best["log2"],
            f"ERR-IA(alpha={alpha},level={level})@{k}": found["zipf"] / bound["zipf"],
            f"nERR-IA(alpha={alpha},level={level})@{k}": found["zipf"] / best["zipf"],
            f"NRBP(alpha={alpha},beta={beta},level={level})": found["patience"] * (1 - (1 - alpha) * beta),
            f"nNRBP(alpha={alpha},beta={beta},level={level})": found["patience"] / best["patience"],
            f"StRecall(level={level})@{k}": query.subtopic_recall(level, k),
            f"I-rec(level={level})@{k}": query.subtopic_recall(level, k),
        }
    judged = {document for documents in query.groups.values() for document in documents}
    if any(query.global_gain(document) > 0 for document in judged):
        values[f"D-nDCG@{k}"] = query.d_ndcg(k)
        if intents:
            both = gamma * query.subtopic_recall(level, k) + (1 - gamma) * query.d_ndcg(k)
            values[f"D#-nDCG(gamma={gamma},level={level})@{k}"] = both
    return values


@given(
    weighted_tasks(REAL_GRADES),
    st.integers(1, 12),
    st.sampled_from([0.5, 0.0, 0.25, 1.0]),
    st.sampled_from([0.5, 0.75]),
    st.sampled_from([0.5, 0.0, 0.8, 1.0]),
    st.sampled_from([1.0, 0.5, 2.0]),
)
@settings(max_examples=150)
def test_values_are_those_of_the_definitions(
    task: Any, k: int, alpha: float, beta: float, gamma: float, level: float
) -> None:
    run, judged, weights = task
    judgments = GroupedJudgments(judged, weights=weights)
    for query, groups in judged.items():
        twin = Query(run.get(query, {}), groups, weights.get(query))
        for text, value in expected_values(twin, k, alpha, beta, gamma, level).items():
            ours = evaluate(judgments, run, text).value(text, query)
            assert ours == pytest.approx(value, abs=1e-9), (text, query)


@given(weighted_tasks(), st.sampled_from(["AP", "P@3", "nDCG(gain=exp)@2", "RR", "R(level=2)@5", "Hits"]))
@settings(max_examples=60)
def test_intent_aware_is_the_mean_over_subtopics_measured_alone(task: Any, text: str) -> None:
    run, judged, weights = task
    measure = parse(text)
    level = getattr(measure, "level", 1e-300)
    result = evaluate(GroupedJudgments(judged, weights=weights), run, f"IA(of={text})")
    for query, groups in judged.items():
        chances = Query({}, groups, weights.get(query)).probabilities(level)
        # A run of another query, so that there is one in common when this one is missing from the run.
        own = {"another": {"d": 1.0}, **({query: run[query]} if query in run else {})}
        expected = sum(
            p * evaluate({query: groups[group], "another": {"d": 1}}, own, measure).value(measure, query)
            for group, p in chances.items()
        )
        assert result.value(f"IA(of={text})", query) == pytest.approx(expected, abs=1e-12)


@given(grouped_tasks(), st.sampled_from(["AP", "P"]))
def test_intent_aware_forms_with_names_of_their_own(task: Any, name: str) -> None:
    run, judged = task
    texts = [f"{name}-IA(level=2)@3", f"IA(of={name}(level=2)@3)"]
    result = evaluate(GroupedJudgments(judged), run, texts)
    assert result.by_query(texts[0]) == result.by_query(texts[1])


# Laws


@given(weighted_tasks(), st.sampled_from(CONVENTIONS))
@few
def test_bounds_hold(task: Any, conventions: Conventions) -> None:
    run, judged, weights = task
    for one in evaluate(GroupedJudgments(judged, weights=weights), run, DIVERSITY, conventions=conventions):
        low, high = one.measure.bounds
        assert low <= one.value <= high, one
        if str(one.measure).startswith("alpha-DCG") and "norm" not in str(one.measure):
            assert one.value <= 1.0, one


@given(weighted_tasks(), st.sampled_from(CONVENTIONS))
@few
def test_a_value_does_not_depend_on_other_queries(task: Any, conventions: Conventions) -> None:
    run, judged, weights = task
    together = evaluate(GroupedJudgments(judged, weights=weights), run, DIVERSITY, conventions=conventions)
    for query in set(run) & set(judged):
        own = {query: weights[query]} if query in weights else {}
        judgments = GroupedJudgments({query: judged[query]}, weights=own)
        alone = evaluate(judgments, {query: run[query]}, DIVERSITY, conventions=conventions)
        for measure in DIVERSITY:
            assert alone.value(measure, query) == together.value(measure, query), measure


@given(weighted_tasks(), st.randoms())
@few
def test_order_of_rows_does_not_matter(task: Any, random: Any) -> None:
    run, judged, weights = task
    first = evaluate(GroupedJudgments(judged, weights=weights), run, DIVERSITY)
    judgments = GroupedJudgments(mixed(judged, random), weights=mixed(weights, random))
    assert first.to_dict() == evaluate(judgments, mixed(run, random), DIVERSITY).to_dict()


@given(weighted_tasks())
@few
def test_only_proportions_of_weights_count(task: Any) -> None:
    run, judged, weights = task
    doubled = {query: {group: 2 * w for group, w in its.items()} for query, its in weights.items()}
    first = evaluate(GroupedJudgments(judged, weights=weights), run, DIVERSITY)
    assert first.to_dict() == evaluate(GroupedJudgments(judged, weights=doubled), run, DIVERSITY).to_dict()
    alike = {query: dict.fromkeys(groups, 1.0) for query, groups in judged.items() if groups}
    plain = evaluate(GroupedJudgments(judged), run, DIVERSITY)
    assert plain.to_dict() == evaluate(GroupedJudgments(judged, weights=alike), run, DIVERSITY).to_dict()


@given(weighted_tasks())
@few
def test_a_subtopic_without_weight_might_as_well_not_be_there(task: Any) -> None:
    run, judged, weights = task
    query = next((q for q, its in weights.items() if len(its) > 1 and q in run), None)
    if query is None:
        return
    first, *others = weights[query]
    kept = {group: weights[query][group] or 1.0 for group in others}
    whole = GroupedJudgments({query: judged[query]}, weights={query: {first: 0.0, **kept}})
    without = GroupedJudgments({query: {g: judged[query][g] for g in kept}}, weights={query: kept})
    result = evaluate(whole, {query: run[query]}, DIVERSITY)
    assert result.to_dict() == evaluate(without, {query: run[query]}, DIVERSITY).to_dict()


@given(grouped_tasks(grades=st.sampled_from([0, 1])))
@settings(max_examples=25)
def test_no_order_beats_the_greedy_list_by_more_than_the_bound(task: Any) -> None:
    _, judged = task
    groups = next(iter(judged.values()))
    documents = sorted({document for one in groups.values() for document in one})[:5]
    judgments = GroupedJudgments(
        {"q": {g: {d: y for d, y in one.items() if d in documents} for g, one in groups.items()}}
    )
    for order in itertools.permutations(documents):
        run = {"q": {document: -float(rank) for rank, document in enumerate(order)}}
        for text in ("alpha-nDCG(alpha=1)@2", "nERR-IA(alpha=0.75)", "nNRBP(alpha=1,beta=1)"):
            assert evaluate(judgments, run, text).mean(text) <= e / (e - 1)


def test_a_list_may_beat_the_greedy_one() -> None:
    # Greedy takes a (4 subtopics), then one that adds 1; b and c add 3 each.
    covers = {"a": "1234", "b": "125", "c": "346"}
    judged: dict[str, dict[str, int]] = {}
    for document, subtopics in covers.items():
        for subtopic in subtopics:
            judged.setdefault(subtopic, {})[document] = 1
    run = {"q": {"b": 2.0, "c": 1.0}}
    text = "alpha-nDCG(alpha=1)@2"
    value = evaluate(GroupedJudgments({"q": judged}), run, text).mean(text)
    assert value == pytest.approx((3 + 3 / log2(3)) / (4 + 1 / log2(3)))
    assert value > 1


# Weights, by hand


def test_likely_subtopics_count_more() -> None:
    judged = {"q": {"car": {"a": 1}, "cat": {"b": 1}}}
    judgments = GroupedJudgments(judged, weights={"q": {"car": 3, "cat": 1}})
    run = {"q": {"a": 2.0, "b": 1.0}}
    result = evaluate(judgments, run, ["P-IA@1", "AP-IA", "NRBP", "StRecall@1", "D-nDCG@1", "IA(of=RR)"])
    assert result.mean("P-IA@1") == 3 / 4
    assert result.mean("AP-IA") == result.mean("IA(of=RR)") == 3 / 4 + 1 / 4 * 1 / 2
    assert result.mean("NRBP") == 3 / 4 * (3 / 4 + 1 / 2 * 1 / 4)
    assert result.mean("StRecall@1") == 1 / 2  # however likely
    assert result.mean("D-nDCG@1") == 1


# What is refused, and text


def test_a_gain_table_that_lacks_a_grade_is_named_with_its_query() -> None:
    judgments = GroupedJudgments({"jaguar": {"car": {"a": 1}, "cat": {"a": 2}}})
    for text in ("D-nDCG(gain={0:0,2:1})@3", "IA(of=nDCG(gain={0:0,2:1})@3)"):
        with pytest.raises(InputError, match="query 'jaguar' has grade 1, which the gain table lacks"):
            evaluate(judgments, {"jaguar": {"a": 1.0}}, text)


@pytest.mark.parametrize("negative", ["not-relevant", "unjudged", "keep", "error"])
def test_negative_grades(negative: str) -> None:
    judgments = GroupedJudgments({"q": {"car": {"a": 1, "b": -1}, "cat": {"a": -2, "c": 1}}})
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    conventions = Conventions(negative=negative, unjudged="removed")
    texts = ["StRecall@2", "D-nDCG@3"]
    if negative == "error":
        with pytest.raises(InputError, match="query 'q' has a negative grade"):
            evaluate(judgments, run, texts, conventions=conventions)
        # The highest grade of the document is not negative, the one in the group is.
        hidden = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"a": -2}}})
        with pytest.raises(InputError, match=r"document 'a' has a negative grade .*'q' and group 'cat'"):
            evaluate(hidden, run, texts, conventions=conventions)
        return
    result = evaluate(judgments, run, texts, conventions=conventions)
    assert result.mean("StRecall@2") == (1.0 if negative == "unjudged" else 0.5)
    ideal = 1 + 1 / log2(3)  # twice the global gains, 1 and 1
    found = {
        "not-relevant": 1 / log2(3) + 1 / 2,  # b stands first, for nothing
        "unjudged": ideal,
        "keep": -1 - 1 / log2(3) + 1 / 2,  # b costs 1, a costs 2 and gains 1; c alone is ideal
    }[negative]
    assert result.mean("D-nDCG@3") == pytest.approx(found / (1 if negative == "keep" else ideal))


@pytest.mark.parametrize("measure", DIVERSITY, ids=str)
def test_nothing_relevant_is_undefined(measure: Measure) -> None:
    judgments = GroupedJudgments({"q": {"car": {"a": 0}, "cat": {}}, "without": {}})
    run = {"q": {"a": 1.0}, "without": {"a": 1.0}}
    assert evaluate(judgments, run, measure).by_query(measure) == {"q": 0, "without": 0}
    as_one = evaluate(judgments, run, measure, conventions=Conventions(empty="one"))
    assert as_one.by_query(measure) == {"q": 1, "without": 1}


@pytest.mark.parametrize("measure", DIVERSITY, ids=str)
def test_subtopics_are_needed(measure: Measure) -> None:
    with pytest.raises(InputError, match="needs judgments by subtopic"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, measure)
    with pytest.raises(InputError, match="not a list of grades"):
        measure([1, 0])
    judgments = GroupedJudgments({"q": {"car": {"a": 1}}})
    for ties in ("averaged", "optimistic", "pessimistic"):
        with pytest.raises(InputError, match="choose another rule for ties"):
            evaluate(judgments, {"q": {"a": 1.0}}, measure, conventions=Conventions(ties=ties))


def test_plain_measures_take_the_highest_grade_and_say_so() -> None:
    judgments = GroupedJudgments({"q": {"car": {"a": 1, "b": 0}, "cat": {"a": 3, "c": 2}}})
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    mixed = evaluate(judgments, run, ["nDCG", "StRecall"])
    assert mixed.mean("nDCG") == evaluate({"q": {"a": 3, "b": 0, "c": 2}}, run, "nDCG").mean("nDCG")
    assert any("highest grade" in note for note in mixed.notes)
    assert evaluate(judgments, run, "StRecall").notes == ()
