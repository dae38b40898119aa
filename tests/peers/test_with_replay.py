"""RePlay's surprisal, unexpectedness and coverage-type measures beside ours."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from idealist import evaluate
from idealist.evaluation import agree

metrics = pytest.importorskip("replay.metrics", reason="make peers installs it")
DOCUMENTS = "abcdefgh"
lists = st.lists(st.permutations(DOCUMENTS).map(lambda order: list(order[:4])), min_size=2, max_size=5)


def recommended(shown: list[list[str]]) -> dict[int, list[tuple[str, float]]]:
    return {user: [(d, float(-rank)) for rank, d in enumerate(order)] for user, order in enumerate(shown)}


@settings(max_examples=60)
@given(lists, st.lists(st.sets(st.sampled_from(DOCUMENTS), min_size=1), min_size=2, max_size=6))
def test_surprisal(shown: list[list[str]], trained: list[set[str]]) -> None:
    """Items that nobody has in training are as surprising as those that one user has."""
    train: dict[int, Any] = {user: sorted(items) for user, items in enumerate(trained)}
    users = len(train)
    popularity = [sum(d in items for items in trained) for d in DOCUMENTS]
    theirs = metrics.Surprisal(4)(recommended(shown), train)["Surprisal@4"]
    items = {"item": list(DOCUMENTS), "popularity": popularity}
    run = {str(user): order for user, order in enumerate(shown)}
    judged = {query: {"a": 1} for query in run}
    measure = f"Surprisal(users={users})@4"
    assert evaluate(judged, run, measure, items=items).mean(measure) == approx(theirs)


@settings(max_examples=60)
@given(lists, st.permutations(DOCUMENTS))
def test_unexpectedness(shown: list[list[str]], base: list[str]) -> None:
    plain = [base[:4]] * len(shown)
    theirs = metrics.Unexpectedness(4)(recommended(shown), recommended(plain))["Unexpectedness@4"]
    run, other = ({str(user): order for user, order in enumerate(side)} for side in (shown, plain))
    assert agree(run, other, "Unexpectedness@4").mean("Unexpectedness@4") == approx(theirs)
