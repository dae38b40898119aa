"""Models of clicks: parameters found again, likelihoods at their top, what to doubt."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import idealist as il
from idealist.clicks import BEHAVIOURS, ClickBehaviour, ClickModel, fit_clicks, simulate_clicks, weigh_clicks
from idealist.clicks.click_fitting import perplexities
from idealist.clicks.click_models import (
    BrowsingModel,
    CascadeModel,
    DynamicModel,
    PositionModel,
    Slates,
    log_likelihood,
)
from idealist.clicks.impressions import Impressions
from idealist.errors import InputError

DOCUMENTS = "abcdef"
GRADES = {"a": 3, "b": 0, "c": 1, "d": 2, "e": 0, "f": 3}
RUN = {f"q{n}": {d: 6.0 - at for at, d in enumerate(DOCUMENTS)} for n in range(8)}
JUDGED = dict.fromkeys(RUN, GRADES)
OWN = {"pbm": "position", "cascade": "cascade", "dbn": "dbn", "ubm": "browsing"}


def simulated(behaviour: str | ClickBehaviour, impressions: int = 8000, seed: int = 1) -> Impressions:
    return simulate_clicks(JUDGED, RUN, behaviour, impressions=impressions, exponent=0.3, seed=seed)


def slates_of(clicked: list[list[int]], pair: list[list[int]] | None = None) -> Slates:
    clicks = np.asarray(clicked, dtype=bool)
    pairs = np.tile(np.arange(clicks.shape[1]), (len(clicks), 1)) if pair is None else np.asarray(pair)
    return Slates(
        pairs, clicks, np.ones(clicks.shape, dtype=bool), np.ones(len(clicks)), int(pairs.max()) + 1
    )


def test_propensities_of_the_position_model_are_found_again() -> None:
    """8,000 impressions with looks 1/position: within 0.03, about two standard errors of the last positions."""
    fit = fit_clicks(simulated("position"))
    assert list(fit.propensities.values()) == approx([1 / rank for rank in range(1, 7)], abs=0.03)
    behaviour = BEHAVIOURS["position"]
    for document, grade in GRADES.items():
        expected = float(behaviour.attraction(grade, highest=3))
        found = np.mean([fit.attraction(query, document) for query in RUN])
        assert found == approx(expected, abs=0.03)


def test_attractions_of_the_cascade_are_found_again() -> None:
    fit = fit_clicks(simulated("cascade"), "cascade")
    for document, grade in GRADES.items():
        expected = float(BEHAVIOURS["cascade"].attraction(grade, highest=3))
        assert np.mean([fit.attraction(query, document) for query in RUN]) == approx(expected, abs=0.03)


def test_the_dynamic_model_is_found_again() -> None:
    """Satisfaction by grade from .1 to .8, and a continuation of .9."""
    fit = fit_clicks(simulated("dbn", 16000), "dbn")
    assert isinstance(fit.model, DynamicModel)
    assert fit.model.continuation == approx(0.9, abs=0.02)
    satisfied = dict(zip(fit.pairs, fit.model.satisfactions.tolist(), strict=True))
    for document, stop in (("a", 0.8), ("c", 0.1 + 0.7 / 3), ("d", 0.1 + 1.4 / 3)):
        assert np.mean([satisfied[query, document] for query in RUN]) == approx(stop, abs=0.06)
        expected = float(BEHAVIOURS["dbn"].attraction(GRADES[document], highest=3))
        assert np.mean([fit.attraction(query, document) for query in RUN]) == approx(expected, abs=0.03)


def test_looks_by_distance_are_found_again() -> None:
    """UBM: θ(position, last click) is 1/distance, up to a common factor."""
    model = fit_clicks(simulated("browsing", 16000), "ubm").model
    assert isinstance(model, BrowsingModel)
    table = model.examinations.reshape(6, 6)
    scale = table[0, 0]
    for position in range(1, 6):
        for last in range(position):
            assert table[position - 1, last] / scale == approx(1 / (position - last), abs=0.08)


@pytest.mark.parametrize("model", OWN)
def test_each_model_predicts_its_own_users_best(model: str) -> None:
    log = simulated(OWN[model], 5000)
    found = {name: fit_clicks(log, name, seed=2) for name in ClickModel.all()}
    best = min(found, key=lambda name: found[name].perplexity or math.inf)
    # DBN and UBM hold the cascade as the case in which nobody goes on after a click, UBM the PBM as that of no memory.
    assert best in {"cascade": ("cascade", "dbn", "ubm"), "pbm": ("pbm", "ubm")}.get(model, (model,))
    fit = found[model]
    assert fit.perplexity is not None
    assert fit.baseline is not None
    assert fit.perplexity < fit.baseline


def test_the_cascade_by_arithmetic() -> None:
    """Document 0 is clicked in 1 of 4; document 1 is looked at in the other 3 and clicked in 2. Smoothing adds one
    look to each at the share of all, 3/7."""
    model = CascadeModel.fit(slates_of([[1, 0], [0, 1], [0, 1], [0, 0]]))
    assert model.attractions.tolist() == approx([(1 + 3 / 7) / 5, (2 + 3 / 7) / 4])


def test_chances_given_clicks_by_arithmetic() -> None:
    """DBN with α = ½, σ = ¼, γ = .8: after a click one goes on with .75·.8; after none, ½·.8/(1 − ½·1)."""
    model = DynamicModel(np.array([0.5, 0.5]), 1, True, np.array([0.25, 0.25]), 0.8)
    given_click, given_none = model.chances_given(slates_of([[1, 0], [0, 0]]))[:, 1]
    assert given_click == approx(0.75 * 0.8 * 0.5)
    assert given_none == approx(0.8 * 0.5)
    assert model.chances(slates_of([[0, 0]]))[0].tolist() == approx([0.5, (1 - 0.5 * 0.25) * 0.8 * 0.5])


@settings(max_examples=15)
@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=4, max_size=12))
def test_chances_of_all_clicks_add_up(clicked: list[list[int]]) -> None:
    """Over all eight patterns of clicks, the chances given those above multiply to 1, and the chance of a click at a
    place is what the patterns with one there have."""
    if not any(map(any, clicked)):
        clicked[0][0] = 1
    everything = slates_of([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    for cls in ClickModel.all().values():
        model = cls.fit(slates_of(clicked))
        given_above = model.chances_given(everything)
        of_pattern = np.where(everything.clicked, given_above, 1 - given_above).prod(axis=1)
        assert of_pattern.sum() == approx(1)
        assert (of_pattern[:, None] * everything.clicked).sum(axis=0) == approx(model.chances(everything)[0])


@pytest.mark.parametrize("name", ["pbm", "ubm", "dbn"])
def test_em_never_falls(name: str) -> None:
    """More steps have at least the likelihood of fewer; smoothing may take back less than a thousandth."""
    log = simulated(OWN[name], 500)
    slates = Slates.of(log)
    cls = ClickModel.all()[name]
    whole = cls.fit(slates)
    rough = CascadeModel.fit(slates) if name == "dbn" else None
    assert rough is None or log_likelihood(whole.chances_given(slates), slates) > log_likelihood(
        rough.chances_given(slates), slates
    )
    again = cls.fit(slates, whole)
    before, after = (log_likelihood(m.chances_given(slates), slates) for m in (whole, again))
    assert after >= before - 1e-3 * abs(before)


def test_perplexity_by_arithmetic() -> None:
    """Chances ¾ of a click that came and ¼ of one that did not: 2^(−log₂ ¾) = 4/3."""
    slates = slates_of([[1, 0]])
    whole, by_position = perplexities(np.array([[0.75, 0.25]]), slates)
    assert [whole, *by_position] == approx([4 / 3] * 3)


def test_positions_that_nothing_ties_together() -> None:
    """One order of documents: nothing tells a position from its document."""
    log = simulate_clicks(JUDGED, RUN, "position", impressions=500)
    assert any("mean nothing" in note for note in fit_clicks(log).notes)
    assert not any("mean nothing" in note for note in fit_clicks(simulated("position", 500)).notes)


def test_intervals_hold_the_truth() -> None:
    fit = fit_clicks(simulated("position", 3000), rounds=40)
    for entry in fit.positions[1:]:
        assert entry.interval is not None
        assert entry.interval.low < entry.propensity < entry.interval.high
        assert entry.interval.low - 0.02 < 1 / entry.position < entry.interval.high + 0.02


def test_ips_with_fitted_propensities_is_what_grades_say() -> None:
    """IPS-DCG is linear in attractions: with the right propensities, a document's weighed clicks per impression are
    its attraction, wherever it was shown."""
    log = simulated("position", seed=2)
    weighed = weigh_clicks(log, fit_clicks(log).propensities)
    shown = {query: int((log.query == number).sum()) for number, query in enumerate(log.queries)}
    for document, grade in GRADES.items():
        expected = float(BEHAVIOURS["position"].attraction(grade, highest=3))
        estimates = [
            sum(
                clicks / chance
                for name, _, clicks, chance in weighed.rows(query)
                if name == document and chance
            )
            / shown[query]
            for query in RUN
        ]
        assert np.mean(estimates) == approx(expected, abs=0.05)
    value = il.evaluate(JUDGED, RUN, "IPS-DCG@3", clicks=weighed).mean("IPS-DCG@3")
    better = {query: {d: float(g) for d, g in GRADES.items()} for query in RUN}
    assert il.evaluate(JUDGED, better, "IPS-DCG@3", clicks=weighed).mean("IPS-DCG@3") > value


ROWS = {
    "impression": [1, 1],
    "query": ["q", "q"],
    "document": ["a", "b"],
    "position": [1, 2],
    "click": [0, 1],
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"position": None}, "the log has no column 'position'"),
        ({"click": None}, "the log has no column 'click'"),
        ({"impression": None}, "the log has no column 'impression'"),
        ({"position": [1, 1]}, "position 1 twice"),
        ({"document": ["a", "a"]}, "document 'a' twice"),
        ({"query": ["q", "r"]}, "has the queries 'q' and 'r'"),
        ({"position": [0, 1]}, "position must be a whole number"),
        ({"click": [0, -1]}, "click must be 0 or more"),
        ({"click": [0, "maybe"]}, "click is 'maybe', not a number"),
        ({"propensity": [0.5, 0.0]}, "propensity must be above 0 and at most 1, not 0"),
        ({"propensity": [0.5, 1.5]}, "propensity must be above 0 and at most 1, not 1.5"),
        ({"time": ["now", "later"]}, "time is 'now', not a time"),
        ({"click": [0, 0]}, "the log has no clicks"),
    ],
)
def test_bad_logs(changes: dict[str, list[object] | None], message: str) -> None:
    table = {name: cells for name, cells in {**ROWS, **changes}.items() if cells is not None}
    with pytest.raises(InputError, match=message):
        fit_clicks(table)


def test_bad_settings() -> None:
    log = simulated("position", 50)
    with pytest.raises(InputError, match="there is no click model"):
        fit_clicks(log, "ctr")
    with pytest.raises(InputError, match="held-out"):
        fit_clicks(log, holdout=1.0)
    with pytest.raises(InputError, match="the behaviour"):
        simulate_clicks(JUDGED, RUN, "drunk")
    with pytest.raises(InputError, match="the chance to click"):
        ClickBehaviour(click=(0.0, 2.0))
    with pytest.raises(InputError, match="no judged query is in the run"):
        simulate_clicks({"other": {"a": 1}}, RUN)
    with pytest.raises(InputError, match="no document has a grade above 0"):
        simulate_clicks({"q0": {"a": 0}}, RUN)
    with pytest.raises(InputError, match="the propensity of position 2"):
        weigh_clicks(ROWS, {1: 1.0, 2: 0.0})
    with pytest.raises(InputError, match="position 2 of the log has no propensity"):
        weigh_clicks(ROWS, {1: 1.0})


def test_forms_of_the_result() -> None:
    fit = fit_clicks(simulated("position", 300), rounds=20)
    assert str(fit).startswith("position")
    assert repr(fit) == "<ClickFit: pbm; 300 impressions, 8 queries>"
    assert "<table" in fit._repr_html_()
    assert fit.plot().axes
    assert fit.to_frame("polars")["position"].to_list() == [1, 2, 3, 4, 5, 6]


def test_a_model_is_at_least_its_start() -> None:
    """A refit that begins at the end stays there."""
    slates = Slates.of(simulated("position", 400))
    first = PositionModel.fit(slates)
    assert PositionModel.fit(slates, first).examinations == approx(first.examinations, abs=1e-3)
