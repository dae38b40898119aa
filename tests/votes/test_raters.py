"""Agreement of raters, against other packages and by hand."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from idealist.votes.agreement_of_raters import anchor_accuracy, rater_agreement
from idealist.votes.vote_table import read_votes


def table_of(ratings: Any) -> dict[str, list[Any]]:
    """Votes of raters (rows) on queries (columns); nan: none."""
    cells = [(f"r{r}", q, int(v)) for (r, q), v in np.ndenumerate(np.asarray(ratings, dtype=float)) if v == v]
    return {
        "rater": [cell[0] for cell in cells],
        "query": [cell[1] for cell in cells],
        "vote": [cell[2] for cell in cells],
    }


def ratings_of(seed: int, raters: int, items: int, scale: int, missing: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(-scale, scale + 1, items)
    ratings = np.clip(truth + rng.integers(-1, 2, (raters, items)), -scale, scale).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    ratings[0, 0] = scale
    return ratings


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("scale", "level"), [(1, "nominal"), (2, "ordinal"), (3, "ordinal")])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_alpha_as_krippendorff_has_it(seed: int, scale: int, level: Any, missing: float) -> None:
    ratings = ratings_of(seed, 4, 60, scale, missing)
    found = rater_agreement(table_of(ratings))
    assert found is not None
    assert found.alpha_kind == level
    assert found.alpha.value == approx(krippendorff.alpha(ratings, level_of_measurement=level))


@pytest.mark.parametrize("seed", range(5))
def test_kappas_as_other_packages_have_them(seed: int) -> None:
    ratings = ratings_of(seed, 3, 80, 1)
    found = rater_agreement(table_of(ratings))
    assert found is not None
    counts = np.stack([(ratings == vote).sum(axis=0) for vote in (-1, 0, 1)], axis=1)
    assert found.fleiss.value == approx(fleiss_kappa(counts))
    for pair in found.pairs:
        first, second = (ratings[int(name[1:])] for name in (pair.first, pair.second))
        assert pair.kappa.value == approx(cohen_kappa_score(first, second))
        assert pair.raw.value == approx((first == second).mean())
    assert [(pair.first, pair.second) for pair in found.pairs] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]


def test_ac1_by_hand() -> None:
    # Two raters, ten items: eight times both say same, once good and same, once good and bad.
    # p = 0.8; shares: good 2/20, same 17/20, bad 1/20;
    # e = (0.1·0.9 + 0.85·0.15 + 0.05·0.95)/2 = 0.1325; AC1 = (0.8 − 0.1325)/(1 − 0.1325).
    found = rater_agreement(table_of([[0] * 8 + [1, 1], [0] * 8 + [0, -1]]))
    assert found is not None
    assert found.raw.value == approx(0.8)
    assert found.ac1.value == approx((0.8 - 0.1325) / (1 - 0.1325))
    # Raters are as good as before, but κ and α fall where nearly all is same.
    assert found.fleiss.value < 0.3 < found.ac1.value
    assert found.alpha.value < 0.3


def test_items_with_one_vote_do_not_count() -> None:
    nan = float("nan")
    both = [[1, 0, -1, 1, nan], [1, 0, 0, nan, -1]]
    whole, some = rater_agreement(table_of(both)), rater_agreement(table_of([row[:3] for row in both]))
    assert whole is not None
    assert some is not None
    assert (whole.items, whole.votes, whole.raw, whole.alpha) == (3, 6, some.raw, some.alpha)
    assert rater_agreement(table_of([[1, nan], [nan, 0]])) is None
    assert rater_agreement(["good", "bad"]) is None


def test_nobody_ever_disagrees() -> None:
    found = rater_agreement(table_of([[0, 0, 0], [0, 0, 0]]))
    assert found is not None
    assert found.raw.value == found.ac1.value == 1.0
    assert np.isnan([found.alpha.value, found.fleiss.value, found.pairs[0].kappa.value]).all()
    assert found.alpha.interval is None
    # That they all agreed says little of the next items: not an interval from 1 to 1.
    assert (found.raw.interval, found.raw.reliable, found.ac1.reliable) == (None, False, False)


def test_a_rater_is_held_against_the_majority_of_the_others() -> None:
    # r3 is held against r0, r1, r2: they agree on items 0 and 1, have 2 of 3 on item 2, none on item 3.
    found = rater_agreement(table_of([[1, 0, 1, 1], [1, 0, 1, 0], [1, 0, 0, -1], [1, 1, 0, 1]]))
    assert found is not None
    last = found.raters[-1]
    assert (last.rater, last.votes, last.n) == ("r3", 4, 3)
    assert last.raw.value == approx(1 / 3)


def test_votes_without_names_agree_too() -> None:
    table = {"query": [1, 1, 2, 2], "document": ["d"] * 4, "vote": ["G", "G", "S", "B"]}
    found = rater_agreement(table)
    assert found is not None
    assert (found.raw.value, found.pairs, found.raters) == (0.5, (), ())


@given(st.lists(st.tuples(*[st.integers(-1, 1)] * 3), min_size=2, max_size=12))
def test_coefficients_lie_below_one_and_intervals_are_ordered(rows: list[tuple[int, ...]]) -> None:
    found = rater_agreement(table_of(np.array(rows).T))
    assert found is not None
    for one in (found.raw, found.alpha, found.ac1, found.fleiss):
        assert not one.value > 1 + 1e-12
        if one.interval is not None:
            assert one.interval.low <= one.interval.high


def test_anchors() -> None:
    votes = read_votes(
        {
            "query": ["a", "a", "b", "b", "c", "c", "d", "d"],
            "rater": ["x", "y"] * 4,
            "vote": ["good", "bad", "same", "same", "bad", "good", "good", "good"],
            "anchor": ["good", "good", "same", "", "bad", "bad", "", ""],
        }
    )
    ann, ben = anchor_accuracy(votes, floor=0.7)
    assert (ann.rater, ann.right, ann.n, ann.accuracy, ann.below) == ("x", 3, 3, 1.0, False)
    assert (ben.rater, ben.right, ben.n, ben.below) == ("y", 1, 3, True)
    # Wilson, 3 of 3: 1/(1 + z²/3)
    assert ann.interval.low == approx(1 / (1 + 1.959964**2 / 3), rel=1e-6)
