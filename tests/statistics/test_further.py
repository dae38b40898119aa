"""How many further queries decide: exact cases, and that they do what they promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from idealist import compare
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.mean_estimates import estimate_mean
from idealist.statistics.power import further_by_student, further_queries


def test_queries_that_do_not_differ() -> None:
    # 0.98 ** 183 = 0.0248 is the first power below 0.025.
    assert further_queries(bounded_mean([0.0] * 25, None, -1, 1), 0.02, 0.95) == 183 - 25
    assert further_queries(bounded_mean([0.0] * 200, None, -1, 1), 0.02, 0.95) is None
    assert further_queries(bounded_mean([0.0] * 25, None, -1, 1), 0.0, 0.95) is None


def test_runs_with_the_same_values_need_as_many() -> None:
    """Lists that differ where nothing is relevant: identical ones are unchanged."""
    judged = {f"q{at}": {"a": 1, "b": 0} for at in range(25)}
    old = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judged}
    new = {query: {"a": 3.0, "c": 2.0, "b": 1.0} for query in judged}
    verdict = compare(judged, {"old": old, "new": new}, "RR").verdict(margin=0.02)
    assert (verdict.outcome, verdict.needed) == ("undecided", 158)


def test_student_by_the_textbook() -> None:
    # n = ((1.96 + 0.84) · sd / (mean + margin))², somewhat less as the ten there are lie at their mean for sure.
    values = [0.1, -0.1] * 5
    more = further_by_student(estimate_mean(values), 0.01, 0.95)  # type: ignore[arg-type]
    sd = float(np.std(values, ddof=1))
    textbook = ((norm.ppf(0.975) + norm.ppf(0.8)) * sd / 0.01) ** 2
    assert more == pytest.approx(textbook, rel=0.1)
    assert further_by_student(estimate_mean([0.1, 0.2] * 20), 0.01, 0.95) is None  # type: ignore[arg-type]


PILOTS: dict[str, Callable[[np.random.Generator], Any]] = {
    "normal": lambda rng: rng.normal(0.003, 0.1, 100),
    "70 % zeros": lambda rng: np.where(rng.random(60) < 0.7, 0.0, rng.normal(0, 0.2, 60)),
    "votes": lambda rng: rng.choice([1.0, 0.0, -1.0], 80, p=[0.16, 0.7, 0.14]),
    "losing": lambda rng: rng.normal(-0.02, 0.1, 60),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PILOTS)
def test_so_many_more_decide_four_times_of_five(name: str) -> None:
    rng = np.random.default_rng(8)
    seen = PILOTS[name](rng).clip(-1, 1)
    margin = 0.05 if name == "votes" else 0.02
    more = further_queries(bounded_mean(seen, None, -1, 1), margin, 0.95)
    assert more is not None
    decided = 0
    for _ in range(300):
        all_of_them = bounded_mean(np.concatenate([seen, rng.choice(seen, more)]), None, -1, 1)
        ships, blocks = all_of_them.above.p_value(-margin), all_of_them.below.p_value(0.0)
        decided += min(ships, blocks) <= 0.025
    # More than promised where differences are sparse, as further queries leave less room for an unseen loss.
    assert 0.73 <= decided / 300 <= 0.97
