"""What fuse takes and gives."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import polars
import pytest

from idealist import InputError, Run
from idealist.data import RunFile, read_run
from idealist.fusion import Method, fuse

ONE, TWO = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "c": 1.0}, "r": {"a": 1.0}}


def test_runs_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "two.run"
    path.write_text("q Q0 b 1 2 t\nq Q0 c 2 1 t\nr Q0 a 1 1 t\n")
    expected = fuse([ONE, TWO])
    assert fuse([Run(ONE), RunFile(path)]) == expected
    assert fuse((OrderedDict(ONE), read_run(path))) == expected
    assert fuse({"one": ONE, "two": TWO}) == expected
    assert fuse(iter([ONE, TWO])) == expected  # type: ignore[arg-type]


def test_name() -> None:
    assert fuse([ONE, TWO]).name == "rrf(k=60)"
    assert fuse([ONE, TWO], "wsum", run_weights=(0.7, 0.3)).name == "wsum(run_weights=0.7:0.3)"
    assert fuse([ONE, TWO], name="mine").name == "mine"


def test_an_object_is_a_method_too() -> None:
    assert fuse([ONE, TWO], Method.parse("rrf", k=3)) == fuse([ONE, TWO], "rrf", k=3)
    assert fuse([ONE, TWO], Method.parse("rrf"), k=3) == fuse([ONE, TWO], "rrf", k=3)


def test_integer_ids() -> None:
    assert fuse([{1: {2: 1}}, {1: {3: 1}}])["1"] == {"3": 1 / 61, "2": 1 / 61}


def test_queries_without_documents_stay() -> None:
    assert fuse([{"q": {}, "r": {"a": 1.0}}, {"q": {}}]).to_dict() == {"q": {}, "r": {"a": 1 / 61}}
    assert fuse([{}, {}]).to_dict() == {}
    assert fuse([{"q": {}}, {"q": {}}], "combsum").to_dict() == {"q": {}}


@pytest.mark.parametrize("runs", [[], [ONE], ONE, {"one": ONE}])
def test_fewer_than_two_runs(runs: object) -> None:
    with pytest.raises(InputError, match=r"no run was given|a single run cannot be fused") as caught:
        fuse(runs)  # type: ignore[arg-type]
    assert "two or more" in caught.value.hint


def test_what_is_no_list_of_runs() -> None:
    for runs in (Run(ONE), "a.run", 3):
        with pytest.raises(InputError, match="a list of runs"):
            fuse(runs)  # type: ignore[arg-type]


def test_a_bad_run_is_named_by_its_query() -> None:
    with pytest.raises(InputError, match="query 'q'"):
        fuse([ONE, {"q": {"a": "high"}}])


def test_arguments_are_left_alone() -> None:
    one = {"q": {"a": 2.0, "b": 1.0}}
    fuse([one, TWO], "combsum")
    assert one == ONE


def test_an_even_vote_is_even_whatever_rounding_leaves() -> None:
    """0.1 + 0.2 against 0.3: Borda decides, and then the id, as with 1 + 2 against 3."""
    first, second = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}
    for weights in ((0.1, 0.2, 0.3), (1, 2, 3)):
        fused = fuse(
            [Run(first, name="x"), Run(first, name="y"), Run(second, name="z")],
            "condorcet",
            run_weights=weights,
        )
        assert fused.ranking("q") == ["b", "a"]


def test_frames_by_name() -> None:
    frame = polars.DataFrame({"qid": ["q", "q"], "docid": ["a", "b"], "score": [2.0, 1.0]})
    assert fuse({"x": frame, "y": frame}, "rrf").ranking("q") == ["a", "b"]
