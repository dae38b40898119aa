"""GSB from counts of good, same and bad votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from idealist import gsb
from idealist.errors import InputError
from idealist.votes.vote_table import read_votes

BY_QUERY = {"query": ["q1", "q2", "q3"], "G": [3, 0, 1], "S": [1, 1, 0], "B": [0, 2, 1]}
WRITTEN_OUT = {"query": ["q1"] * 4 + ["q2"] * 3 + ["q3"] * 2, "vote": list("GGGSSBBGB")}
# What counts cannot tell, and what is said about that.
UNKNOWN = ("sequential", "notes")


def same(counted: Any, voted: Any) -> bool:
    return all(
        getattr(counted, name) == getattr(voted, name) for name in counted.fields if name not in UNKNOWN
    )


def test_counts_are_independent_votes() -> None:
    counted = gsb(good=20, same=23, bad=17)
    assert same(counted, gsb(["good"] * 20 + ["same"] * 23 + ["bad"] * 17))
    assert counted.value == 3 / 60
    assert counted.notes == ("counts in one row: every vote is taken for one on a query of its own",)
    for row in ({"Good": [20], "SAME": [23], "bad": [17]}, [{"query": "all", "g": 20, "s": "23", "b": 17.0}]):
        assert gsb(row) == counted
    assert gsb(good=1, same=0, bad=0).value == 1


def test_a_row_of_counts_is_a_query() -> None:
    voted = gsb(WRITTEN_OUT)
    assert same(gsb(BY_QUERY), voted)
    assert gsb(BY_QUERY).queries == 3
    without = gsb({name: column for name, column in BY_QUERY.items() if name != "query"})
    assert same(without, voted)
    renamed = {"query": BY_QUERY["query"], "up": BY_QUERY["G"], "even": BY_QUERY["S"], "down": BY_QUERY["B"]}
    named = read_votes(renamed, columns={"good": "up", "same": "even", "bad": "down"})
    assert (named.queries, named.values) == (WRITTEN_OUT["query"], [1, 1, 1, 0, 0, -1, -1, 1, -1])


def test_segments_weights_and_documents_of_counts() -> None:
    more: dict[str, list[Any]] = {
        "segment": ["head", "head", "tail"],
        "weight": [2.0, 1.0, 5.0],
        "document": ["a", "b", "c"],
    }
    times = [4, 3, 2]
    for names in (["segment"], ["weight"], ["segment", "weight"], ["document"]):
        counts = {**BY_QUERY, **{name: more[name] for name in names}}
        votes = {
            **WRITTEN_OUT,
            **{
                name: [cell for cell, n in zip(more[name], times, strict=True) for _ in range(n)]
                for name in names
            },
        }
        counted, voted = gsb(counts), gsb(votes)
        if names == ["document"]:  # several votes on an item agree or not; counts do not say whose they are
            assert (counted.value, counted.interval, counted.items) == (voted.value, voted.interval, 3)
        else:
            assert same(counted, voted)
    assert gsb(BY_QUERY, weights={"q1": 2, "q2": 1, "q3": 5}).value == pytest.approx(
        gsb({**BY_QUERY, "weight": more["weight"]}).value
    )


def test_what_counts_cannot_tell_is_none() -> None:
    result = gsb({**BY_QUERY, "document": ["a", "b", "c"]})
    assert (result.sequential, result.e_value, result.always_valid_p) == (None, None, None)
    assert (result.agreement, result.side_bias, result.anchors) == (None, None, ())
    record = json.loads(result.to_json())
    assert (record["e_value"], record["always_valid_p"]) == (None, None)
    assert "GSB" in str(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "there are no votes\nhint: give a table or a list of votes, or the counts"),
        ({"good": 1}, "same and bad are not given\nhint: give all three counts, as in same=0"),
        ({"good": -1, "same": 0, "bad": 1}, "^good must be a whole number, 0 or more, not -1"),
        ({"good": 1.5, "same": 0, "bad": 1}, "good must be a whole number, 0 or more, not 1.5"),
        ({"good": 1, "same": "0", "bad": 1}, "same must be a whole number, 0 or more, not '0'"),
        ({"good": 0, "same": 0, "bad": 0}, "good, same, bad are all 0: there are no votes"),
        ({"good": 1, "same": 2_000_000, "bad": 1}, "add up to 2,000,002 votes"),
        ({"votes": ["good"], "good": 1, "same": 0, "bad": 1}, "both votes and counts of votes were given"),
        ({"votes": {**BY_QUERY, "vote": [1, 1, 1]}}, "there are votes, in vote, and counts, in G, S, B"),
        ({"votes": {"query": ["q"], "G": [1], "B": [1]}}, "counts in G, B, and none for same"),
        ({"votes": {**BY_QUERY, "rater": ["x", "y", "z"]}}, "counts, and a column of each vote's rater"),
        ({"votes": {**BY_QUERY, "S": [1, 0.5, 0]}}, "row 2: S must be a whole number, 0 or more, not 0.5"),
        ({"votes": {**BY_QUERY, "weight": [1, -1, 1]}}, "row 2: weight must be 0 or more, not -1"),
        ({"votes": {"query": ["q", "q"], "G": [2, 1], "S": [0, 0], "B": [0, 0], "document": ["d", "d"],
                    "segment": ["x", "y"]}}, "row 2: query 'q', document 'd' has the segment 'y', but 'x' in row 1"),
    ],
)  # fmt: skip
def test_counts_that_cannot_be_used(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gsb(**arguments)


def test_the_command_takes_counts(idealist: Any, tmp_path: Path) -> None:
    done = idealist("gsb", "--counts", "20,23,17", "--format", "json")
    assert json.loads(done.stdout) == json.loads(gsb(good=20, same=23, bad=17).to_json())
    shown = idealist("gsb", "--counts", "20,23,17").stdout
    assert "votes: good 20, same 23, bad 17 on 60 queries" in shown
    assert "looked at" not in shown
    path = tmp_path / "counts.csv"
    path.write_text("query,G,S,B\nq1,3,1,0\nq2,0,1,2\nq3,1,0,1\n")
    assert json.loads(idealist("gsb", path, "--format", "json").stdout)["value"] == gsb(WRITTEN_OUT).value
    for arguments, message in (
        ([], "there are no votes"),
        (["--counts", "20,23"], "--counts is '20,23', not three numbers"),
        (["--counts", "20,23,x"], "not three numbers"),
        (["--counts", "20,23,-1"], "bad must be a whole number, 0 or more, not -1"),
        (["--counts", "1,1,1", path], "both --counts and a file of votes, "),
        (["--counts", "1,1,1", "--scale", "2"], "--scale is for a table of votes or counts"),
        (["--counts", "1,1,1", "--judgments", path], "--counts is for votes"),
    ):
        done = idealist("gsb", *arguments)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
