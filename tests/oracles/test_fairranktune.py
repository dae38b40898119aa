"""Exposure ratios and NDKL against FairRankTune."""

from __future__ import annotations

from collections import Counter

import FairRankTune
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import Measure, evaluate
from idealist.measures.families.fairness import NDKL

LISTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=2, max_size=15)


@given(LISTS)
def test_ratios_and_divergences_agree(places: list[tuple[str, int]]) -> None:
    names = [f"d{at}" for at in range(len(places))]
    groups = dict(zip(names, (group for group, _ in places), strict=True))
    grades = {name: grade for name, (_, grade) in zip(names, places, strict=True)}
    ranking, relevance = pd.DataFrame({0: names}), pd.DataFrame({0: [g / 4 for g in grades.values()]})

    counts = Counter(groups.values())
    ndkl = NDKL(target={group: count / len(names) for group, count in counts.items()})
    run = {"q": {name: -float(at) for at, name in enumerate(names)}}
    items = {"item": names, "group": list(groups.values())}
    wanted: list[str | Measure] = ["ExposureParity", "ExposureToUtility", ndkl]
    result = evaluate({"q": grades}, run, wanted, items=items)

    assert result.mean("ExposureParity") == pytest.approx(FairRankTune.EXP(ranking, groups, "MinMaxRatio")[0])
    # It adds 1e-7 to every share.
    assert result.mean(ndkl) == pytest.approx(FairRankTune.NDKL(ranking, groups), abs=1e-5)
    if all(any(grades[name] for name in names if groups[name] == group) for group in counts):
        ratio = FairRankTune.EXPU(ranking, groups, relevance, "MinMaxRatio")[0]
        assert result.mean("ExposureToUtility") == pytest.approx(ratio)
