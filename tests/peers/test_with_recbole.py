"""RecBole's evaluator beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from support.scored_lists import BINARY, CUTOFFS, Lists, ohsumed_lists, ours, scored_lists

torch = pytest.importorskip("torch", reason="make peers installs it")
evaluator = pytest.importorskip("recbole.evaluator", reason="make peers installs it")

NAMES = {"nDCG": "ndcg", "AP": "map", "R": "recall", "RR": "mrr", "Success": "hit", "P": "precision"}


@pytest.fixture(autouse=True, scope="module")
def _older_numpy() -> Iterator[None]:
    """It asks NumPy for a name that NumPy has dropped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "float", float, raising=False)
        yield


def theirs(lists: Lists, k: int) -> dict[str, float]:
    """From scores of users and items to values, as its trainer goes; where a user has no more items,
    scores are -inf."""
    settings: dict[str, Any] = {
        "metrics": list(NAMES.values()),
        "topk": [k],
        "eval_args": {"mode": "full"},
        "device": "cpu",
        "metric_decimal_place": 15,
    }
    items = max(k, *(len(scores) for scores, _ in lists))
    scored = torch.full((len(lists), items), -np.inf, dtype=torch.float64)
    wanted = [(user, item) for user, (_, grades) in enumerate(lists) for item in np.flatnonzero(grades)]
    for user, (scores, _) in enumerate(lists):
        scored[user, : len(scores)] = torch.tensor(scores, dtype=torch.float64)
    users, relevant = torch.tensor(wanted, dtype=torch.long).reshape(-1, 2).T
    collector = evaluator.Collector(settings)
    collector.eval_batch_collect(scored, None, users, relevant)
    values = evaluator.Evaluator(settings).evaluate(collector.get_data_struct())
    return {name.split("@")[0]: float(value) for name, value in values.items()}


@given(scored_lists(BINARY, tied=False), CUTOFFS)
@settings(max_examples=60)
def test_every_value_of_users_with_relevant_items(lists: Lists, k: int) -> None:
    lists = [(scores, [*grades[1:], 1]) for scores, grades in lists]
    values = theirs(lists, k)
    for name, metric in NAMES.items():
        assert ours(lists, f"{name}@{k}", "recbole") == pytest.approx(values[metric], abs=1e-9), name


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_users_without_relevant_items_are_for_its_callers_to_leave_out() -> None:
    lists: Lists = [([2, 1], [1, 0]), ([2, 1], [0, 0])]
    values = theirs(lists, 2)
    assert values["ndcg"] == 1 / 2
    assert np.isnan(values["recall"])
    assert ours(lists, "nDCG@2", "recbole") == ours(lists, "R@2", "recbole") == 1


def test_ties_are_left_to_torch() -> None:
    scores = [float(place % 2) for place in range(50)]
    first = [1.0] * 2 + [0.0] * 48  # the item at place 1 is the first of those with score 1
    assert ours([(scores, first)], "P@1", "recbole") == 1
    best = int(torch.topk(torch.tensor(scores), 1)[1])
    assert theirs([(scores, first)], 1)["precision"] == float(best == 1)


def test_ohsumed(ohsumed: Path) -> None:
    # Ties broken by place, and grades made binary.
    lists = [
        (list(np.asarray(scores) - np.arange(len(scores)) * 1e-6), [float(grade > 0) for grade in grades])
        for scores, grades in ohsumed_lists(ohsumed)
        if any(grades)
    ]
    value = theirs(lists, 10)["ndcg"]
    assert ours(lists, "nDCG@10", "recbole") == pytest.approx(value, abs=1e-9)
    assert ours(ohsumed_lists(ohsumed), "nDCG@10", "recbole") == pytest.approx(value, abs=1e-9)
