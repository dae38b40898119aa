"""A law over all results: every interval contains the value that it stands beside."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from idealist import compare, evaluate, gsb
from idealist.base.frozen import Frozen
from idealist.comparison import segments
from idealist.statistics.mean_estimates import Interval
from idealist.votes.vote_estimates import METHODS
from idealist.votes.vote_table import read_votes

ROUNDING = 1e-9
# The value that an interval is of, where it is not called value.
VALUES = {
    "interval": ("difference", "value", "accuracy"),
    "student": ("difference",),
    "bootstrap": ("difference",),
    "win_rate_interval": ("win_rate",),
    "win_rate_half_ties_interval": ("win_rate_half_ties",),
    "not_worse_rate_interval": ("not_worse_rate",),
}
# The confidence sequence is of the queries that are complete; it is widened to hold the value of all votes.
ELSEWHERE = {"Sequential"}


def check(result: Any) -> int:
    """Looks at every interval within; how many there were."""
    if isinstance(result, tuple):
        return sum(map(check, result))
    if not isinstance(result, Frozen) or type(result).__name__ in ELSEWHERE:
        return 0
    seen = 0
    for name in {*result.fields, *(name for name in VALUES if hasattr(result, name))}:
        found = getattr(result, name)
        if not isinstance(found, Interval):
            seen += check(found)
            continue
        of = next(value for value in VALUES[name] if hasattr(result, value))
        value = getattr(result, of)
        if type(result).__name__ == "Contrast" or value == value:  # nan: nothing was decided
            assert found.low - ROUNDING <= value <= found.high + ROUNDING, (type(result).__name__, name)
            seen += 1
    return seen


VOTES = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("xy"), st.integers(-3, 3), st.integers(1, 9)),
    min_size=1,
    max_size=40,
)


@given(VOTES, st.sampled_from([*METHODS]), st.booleans(), st.sampled_from(["majority", "mean"]))
def test_votes(votes: list[tuple[int, str, int, int]], method: str, weighted: bool, fold: str) -> None:
    table: dict[str, list[Any]] = {
        "query": [query for query, _, _, _ in votes],
        "document": [f"d{at}" for at in range(len(votes))],
        "segment": [segment for _, segment, _, _ in votes],
        "vote": [vote for _, _, vote, _ in votes],
    }
    if weighted:
        table["weight"] = [weight for _, _, _, weight in votes]
    result = gsb(read_votes(table, scale=3), interval=method, fold=fold, rounds=200)
    assert check(result) >= (result.interval is not None)


@given(st.lists(st.sampled_from(["good", "same", "bad"]), min_size=1, max_size=30), st.booleans())
def test_plain_votes(votes: list[str], sequential: bool) -> None:
    assert check(gsb(votes, sequential=sequential)) > 0


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from("xy")), min_size=2, max_size=30)
)
def test_comparisons_and_segments(ranks: list[tuple[int, int, str]]) -> None:
    def run(which: int) -> dict[str, dict[str, float]]:
        return {
            f"q{at}": {"x" if place == pair[which] else f"d{place}": -float(place) for place in range(1, 10)}
            for at, pair in enumerate(ranks)
        }

    runs = {"old": run(0), "new": run(1)}
    judged = {query: {"x": 1} for query in runs["old"]}
    by = {f"q{at}": name for at, (_, _, name) in enumerate(ranks)}
    comparison = compare(judged, runs, ["RR", "DCG@5", "P@1"], segments=by, rounds=100)
    parts = [one for some in comparison.segments().values() for one in some]
    assert check((*comparison, *parts, *comparison.pairs("RR"))) > 0
    for measure in ("RR", "DCG@5"):
        check(tuple(segments(evaluate(judged, runs["new"], measure), measure, by)))
