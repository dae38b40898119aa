"""URisk, TRisk and GeoRisk, by their definitions."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from scipy.stats import ttest_rel

from idealist import InputError, compare

JUDGED = {f"q{at}": {"a": 1, "b": 0} for at in range(4)}
RANKS = {"old": [1, 2, 2, 4], "new": [2, 1, 1, 4], "bad": [4, 4, 2, 4]}


def run_of(ranks: list[int]) -> dict[str, dict[str, float]]:
    return {
        query: {("a" if at == rank else f"x{at}"): -at for at in range(1, 5)}
        for query, rank in zip(JUDGED, ranks, strict=True)
    }


RUNS = {name: run_of(ranks) for name, ranks in RANKS.items()}
VALUES = {name: [1 / rank for rank in ranks] for name, ranks in RANKS.items()}


def test_urisk_multiplies_losses() -> None:
    # −1/2, +1/2, +1/2, 0: the mean of −(1 + α)/2, 1/2, 1/2 and 0.
    found = compare(JUDGED, RUNS, "RR", baseline="old")
    for alpha in (0.0, 1.0, 5.0):
        old, new, _ = found.risks("RR", alpha=alpha)
        assert new.urisk == pytest.approx((1 - (1 + alpha) / 2) / 4)
        assert (old.system, old.urisk, old.trisk) == ("old", 0.0, None)


def test_trisk_is_urisk_in_standard_errors() -> None:
    found = compare(JUDGED, RUNS, "RR", baseline="old")
    _, new, _ = found.risks(alpha=0)
    assert new.trisk == pytest.approx(ttest_rel(VALUES["new"], VALUES["old"]).statistic)
    _, new, _ = found.risks(alpha=1)
    scores = [-1.0, 0.5, 0.5, 0.0]  # mean 0, so that TRisk is 0
    assert sum(scores) == 0
    assert new.trisk == 0
    _, new, _ = found.risks(alpha=3)
    scores = [-2.0, 0.5, 0.5, 0.0]
    mean = sum(scores) / 4
    error = sqrt(sum((score - mean) ** 2 for score in scores) / 3 / 4)
    assert new.trisk == pytest.approx(mean / error)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 5.0])
def test_georisk_is_the_paper_s_formula(alpha: float) -> None:
    risks = {risk.system: risk for risk in compare(JUDGED, RUNS, "RR", baseline="old").risks(alpha=alpha)}
    everything = sum(map(sum, VALUES.values()))
    for name, values in VALUES.items():
        z_risk = 0.0
        for at, value in enumerate(values):
            of_query = sum(other[at] for other in VALUES.values())
            expected = sum(values) * of_query / everything
            z = (value - expected) / sqrt(expected)
            z_risk += z if z >= 0 else (1 + alpha) * z
        georisk = sqrt(sum(values) / 4 * NormalDist().cdf(z_risk / 4))
        assert risks[name].georisk == pytest.approx(georisk)


def test_without_spread_or_values_from_0_on() -> None:
    same = compare(JUDGED, {"old": RUNS["old"], "new": RUNS["old"]}, ["RR", "RankingLoss"])
    _, new = same.risks()
    assert (new.urisk, new.trisk) == (0.0, None)
    assert all(risk.georisk is None for risk in same.risks("RankingLoss"))  # the lower, the better
    with pytest.raises(InputError, match="alpha"):
        same.risks(alpha=-1)


def test_the_command_shows_them_when_asked(idealist: Any, shop: Path) -> None:
    asked = ("compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "RR")
    assert "GeoRisk" not in idealist(*asked).stdout
    printed = idealist(*asked, "--risk", "5").stdout
    assert "a loss weighs 6 times as much as a gain (α = 5)" in printed
    record = json.loads(idealist(*asked, "--risk", "--format", "json").stdout)
    risks = compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "RR").risks()
    assert record["risks"] == [risks.to_dict()]
    assert str(risks).splitlines()[0].split() == ["risk", "system", "URisk", "TRisk", "GeoRisk"]
    assert risks.to_frame()["urisk"].to_list() == [risk.urisk for risk in risks]
