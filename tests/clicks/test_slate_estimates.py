"""What a run would be clicked: estimators against the clicks it gets when it is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from pytest import approx

from idealist.clicks import ESTIMATORS, estimate_clicks, simulate_clicks
from idealist.errors import InputError

RUN = {f"q{n}": {d: 5.0 - at for at, d in enumerate("abcd")} for n in range(3)}
JUDGED = {query: {"a": 0, "b": 1, "c": 3, "d": 2} for query in RUN}
TARGET = {query: {"c": 4.0, "a": 3.0, "d": 2.0, "b": 1.0} for query in RUN}


def log_of(clicks: list[int], documents: list[str], **more: list[object]) -> dict[str, list[object]]:
    """Lists of two documents, shown one after the other."""
    lists = len(clicks) // 2
    return {
        "impression": [n for n in range(lists) for _ in (1, 2)],
        "query": ["q"] * len(clicks),
        "position": [1, 2] * lists,
        "document": list(documents),
        "click": list(clicks),
        **more,
    }


def test_by_arithmetic() -> None:
    """Four lists, drawn alike from two orders; the run shows a, b.

    ips: lists 1 and 2 weigh 1/½ = 2: (2·1 + 2·2 + 0 + 0)/4; snips the mean of their clicks. iips has the same
    weights here; rips too, as the first place decides the list.
    """
    clicks = [1, 0, 1, 1, 0, 1, 0, 0]
    documents = ["a", "b", "a", "b", "b", "a", "b", "a"]
    log = log_of(clicks, documents, propensity=[0.5, 1.0] * 4)
    found = estimate_clicks(log, {"q": {"a": 2.0, "b": 1.0}})
    assert found["ips"].value == approx((2 * 1 + 2 * 2) / 4)
    assert found["snips"].value == approx((1 + 2) / 2)
    assert found["iips"].value == approx((2 * 1 + 2 * 2) / 4)
    assert found["rips"].value == approx((2 * 1 + 2 * 2) / 4)
    assert found["ips"].effective == approx(2.0)  # (2 + 2)²/(4 + 4)
    assert found["ips"].largest == approx(0.5)
    assert found.logged == approx(4 / 4)
    assert (found.support, found.overlap) == (1.0, 0.5)
    assert any("little overlap" in warning for warning in found.warnings)


@pytest.mark.parametrize("behaviour", ["position", "cascade", "dbn", "browsing"])
def test_estimates_are_what_the_run_gets(behaviour: str) -> None:
    """4,000 shuffled lists; the truth from 12,000 that show the run. Estimators that weigh a list, or a place with
    those above it, hold for users who go from top to bottom; places by themselves for the position-based model."""
    truth = simulate_clicks(JUDGED, TARGET, behaviour, impressions=12_000, seed=5)
    expected = float(truth.clicked.sum()) / len(truth)
    log = simulate_clicks(JUDGED, RUN, behaviour, impressions=4_000, exponent=0.5, seed=6)
    found = estimate_clicks(log, TARGET)
    for name in ESTIMATORS:
        if name in ("iips", "sniips") and behaviour != "position":
            continue
        interval = found[name].interval
        assert interval is not None
        assert interval.low - 0.03 < expected < interval.high + 0.03, name
    wide, narrow = found["ips"].interval, found["cascade-dr"].interval
    assert wide is not None
    assert narrow is not None
    assert narrow.high - narrow.low < wide.high - wide.low


def test_places_by_themselves_mislead_where_users_stop() -> None:
    """Users stop at the first click: what a place is clicked depends on those above it, which iips leaves out."""
    judged = {"q": {"a": 3, "b": 3}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    log = simulate_clicks(judged, run, "cascade", impressions=4_000, exponent=2, seed=1)
    found = estimate_clicks(log, {"q": {"b": 2.0, "a": 1.0}})
    truth = 0.7 + 0.3 * 0.7
    assert found["rips"].value == approx(truth, abs=0.08)
    assert found["snips"].value == approx(truth, abs=0.05)


def test_users_are_the_unit() -> None:
    """Every impression ten times by the same user: intervals as wide as of one each."""
    log = simulate_clicks(JUDGED, RUN, "position", impressions=400, exponent=0.5, seed=2)
    once = {
        "impression": log.impression.tolist(),
        "query": [log.pairs[p][0] for p in log.pair],
        "document": [log.pairs[p][1] for p in log.pair],
        "position": log.position.tolist(),
        "click": log.clicked.tolist(),
        "propensity": log.propensity.tolist() if log.propensity is not None else [],
        "user": log.impression.tolist(),
    }
    tenfold = {name: cells * 10 for name, cells in once.items()}
    tenfold["impression"] = [f"{copy}-{cell}" for copy in range(10) for cell in once["impression"]]
    for name in ("ips", "snips", "sniips"):
        first, second = (estimate_clicks(table, TARGET)[name].interval for table in (once, tenfold))
        assert first is not None
        assert second is not None
        assert second.low == approx(first.low, abs=1e-9)
        assert second.high == approx(first.high, abs=1e-9)


def test_without_propensities_places_are_counted() -> None:
    log = simulate_clicks(JUDGED, RUN, "position", impressions=300, exponent=0.5)
    table = {
        "impression": log.impression.tolist(),
        "query": [log.pairs[p][0] for p in log.pair],
        "document": [log.pairs[p][1] for p in log.pair],
        "position": log.position.tolist(),
        "click": log.clicked.tolist(),
    }
    found = estimate_clicks(table, TARGET)
    assert [estimate.estimator for estimate in found.estimates] == ["iips", "sniips"]
    with pytest.raises(InputError, match="ips needs the column propensity"):
        estimate_clicks(table, TARGET, estimators=["ips"])


def test_what_was_never_shown_is_said() -> None:
    log = simulate_clicks(JUDGED, RUN, "position", impressions=300, k=2, exponent=0.5)
    found = estimate_clicks(log, TARGET, k=2)  # c is never shown, and a never below it
    assert found.support < 0.95
    assert any("leave clicks on the others out" in warning for warning in found.warnings)
    assert np.isnan(found["snips"].value) or found["snips"].effective == 0


def test_short_lists_get_no_clicks_below_their_end() -> None:
    log = log_of([1, 1, 1, 1], ["a", "b", "a", "b"], propensity=[1.0] * 4)
    found = estimate_clicks(log, {"q": {"a": 1.0}}, k=2)
    assert found["ips"].value == approx(1.0)
    assert found["snrips"].value == approx(1.0)


@pytest.mark.parametrize(
    ("run", "settings", "message"),
    [
        ({"other": {"a": 1.0}}, {}, "the run has none of the log's queries"),
        (TARGET, {"k": 9}, "k"),
        (TARGET, {"estimators": ["magic"]}, "the estimator"),
        (TARGET, {"confidence": 0}, "confidence"),
    ],
)
def test_bad_input(run: dict[str, dict[str, float]], settings: dict[str, object], message: str) -> None:
    log = simulate_clicks(JUDGED, RUN, "position", impressions=20)
    with pytest.raises(InputError, match=message):
        estimate_clicks(log, run, **settings)  # type: ignore[arg-type]


def test_forms_of_the_result() -> None:
    found = estimate_clicks(simulate_clicks(JUDGED, RUN, impressions=200, exponent=0.5), TARGET)
    assert str(found).startswith("estimator")
    assert repr(found).startswith("<SlateEstimates: ips ")
    assert "<table" in found._repr_html_()
    assert found.plot().axes
    assert found.to_frame("polars")["estimator"].to_list() == ["logged", *ESTIMATORS]


def test_the_commands(idealist: Command, shop: Path, tmp_path: Path) -> None:
    log, propensities, clicks = tmp_path / "log.csv", tmp_path / "p.csv", tmp_path / "clicks.csv"
    simulate = [
        "clicks",
        "simulate",
        shop / "shop.qrels",
        shop / "b.run",
        "-n",
        400,
        "--exponent",
        0.5,
        "-k",
        5,
    ]
    assert idealist(*simulate, "-o", log).returncode == 0
    again = idealist(*simulate)
    assert again.stdout == log.read_text(encoding="utf-8")
    exists = idealist(*simulate, "-o", log)
    assert exists.returncode == 2
    assert "--force" in exists.stderr
    fit = idealist("clicks", "fit", log, "-o", propensities, "--weighed", clicks, "--format", "json")
    assert fit.returncode == 0
    assert '"model": "pbm"' in fit.stdout
    assert propensities.read_text(encoding="utf-8").splitlines()[:2] == ["position,propensity", "1,1.0"]
    measured = idealist(
        "evaluate", shop / "shop.qrels", shop / "b.run", "--clicks", clicks, "-m", "IPS-DCG@5"
    )
    assert measured.returncode == 0
    assert "IPS-DCG@5" in measured.stdout
    for kind in ("table", "csv", "json"):
        done = idealist("clicks", "estimate", log, shop / "b.run", "-k", 3, "--format", kind)
        assert done.returncode == 0
        assert "cascade-dr" in done.stdout
    bad = tmp_path / "bad.csv"
    bad.write_text("impression,query,document,click\n1,q,a,1\n", encoding="utf-8")
    refused = idealist("clicks", "fit", bad)
    assert refused.returncode == 2
    assert "no column 'position'" in refused.stderr
    assert (
        idealist("clicks", "simulate", shop / "shop.qrels", shop / "b.run", "--click", "high").returncode == 2
    )


def test_estimates_can_be_iterated() -> None:
    found = estimate_clicks(simulate_clicks(JUDGED, RUN, "position", impressions=60, exponent=1), TARGET)
    assert list(found) == list(found.estimates)
    assert [found[entry.estimator] for entry in found] == list(found)
    assert len(found) == len(ESTIMATORS)
