"""Several candidates: "better" is simultaneous, by Holm's method; margins and guards look at each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from idealist import compare
from idealist.comparison import Comparison
from idealist.statistics.multiple_comparisons import holm

JUDGED = {f"q{at:03}": {"a": 1} for at in range(60)}


def ranked(lift: float, seed: int) -> dict[str, dict[str, float]]:
    """The relevant document comes first in half of the queries, and in a share `lift` more; else second."""
    rng = np.random.default_rng(seed)
    first = rng.random(len(JUDGED)) < 0.5 + lift
    return {
        query: {"a": 2.0, "b": 1.0} if top else {"a": 1.0, "b": 2.0}
        for query, top in zip(JUDGED, first, strict=True)
    }


def compared(lifts: dict[str, float]) -> Comparison:
    runs = {"base": ranked(0, 1)} | {name: ranked(lift, 2) for name, lift in lifts.items()}
    return compare(JUDGED, runs, "RR", baseline="base")


ALONE = compared({"good": 0.35})


def test_one_candidate_is_as_before() -> None:
    contrast = ALONE["good", "RR"]
    assert contrast.interval is not None
    assert contrast.interval.low > 0
    assert ALONE.verdict().reason == "better"


def test_p_better_is_half_of_the_two_sided_p() -> None:
    contrast = ALONE["good", "RR"]
    assert contrast.p_value is not None
    assert contrast.p_better == pytest.approx(contrast.p_value / 2)
    (by_student,) = compare(
        JUDGED, {"base": ranked(0, 1), "good": ranked(0.35, 2)}, "RR", baseline="base", interval="student"
    )
    assert by_student.p_value is not None
    assert by_student.p_better == pytest.approx(by_student.p_value / 2)


def test_better_by_itself_is_not_better_among_many() -> None:
    """Six more candidates that are like the baseline: a p that is enough alone is not enough for the best of seven."""
    others = {f"x{at}": 0.0 for at in range(6)}
    lifts = next(
        lift
        for lift in np.arange(0.1, 0.4, 0.02)
        if 0.025 / 7 < (compared({"good": lift})["good", "RR"].p_better or 1) < 0.025
    )
    found = compared({"good": lifts, **others})
    contrast = found["good", "RR"]
    p_values = [one.p_better for one in found if one.p_better is not None]
    assert contrast.interval is not None
    assert contrast.interval.low > 0  # it is as it would be alone
    assert holm(p_values)[0] > 0.025
    guards = {"guards": ["measures", "segments", "queries"]}
    verdict = found.verdict(system="good", **guards)  # type: ignore[arg-type]
    assert verdict.outcome == "ship"
    assert verdict.reason.startswith("not worse by more than")
    assert "better by itself, but not as one of 7 candidates (p 0." in verdict.reason
    strict = found.verdict(system="good", margin=0, **guards)  # type: ignore[arg-type]
    assert (strict.outcome, strict.exit_code) == ("undecided", 3)


def test_a_clearly_better_one_is_better_among_many() -> None:
    found = compared({"good": 0.5, **{f"x{at}": 0.0 for at in range(6)}})
    assert found.verdict(system="good", guards=()).reason == "better"
