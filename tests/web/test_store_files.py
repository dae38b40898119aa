"""Runs and judgments in files: the same back, a query at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idealist import InputError, Judgments, Run, read_judgments, read_run
from idealist.web.base.stored_files import StoredFiles

ids = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=' "'), min_size=1, max_size=6)
runs = st.dictionaries(
    ids, st.dictionaries(ids, st.floats(-9, 9), min_size=1, max_size=6), min_size=1, max_size=12
)


@given(content=runs, absent=ids)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_every_query_is_found_by_bisection(
    tmp_path: Path, content: dict[str, dict[str, float]], absent: str
) -> None:
    files = StoredFiles(tmp_path)
    run = Run(content)
    sha256 = files.store(run)
    for query in run:
        assert list(files.rows_of(sha256, query).items()) == list(run[query].items())
    assert files.rows_of(sha256, absent) == content.get(absent, {})
    assert files.queries_of(sha256) == tuple(sorted(content, key=str.encode))


def test_the_whole_is_read_as_any_other_file(shop: Path, tmp_path: Path) -> None:
    files = StoredFiles(tmp_path)
    run, judgments = read_run(shop / "b.run"), read_judgments(shop / "shop.qrels")
    assert read_run(files.path(files.store(run))) == run
    assert read_judgments(files.path(files.store(judgments))) == judgments


def test_the_same_content_is_stored_once(tmp_path: Path) -> None:
    files = StoredFiles(tmp_path)
    first, second = (files.store(Judgments({"q": {"d": 1}})) for _ in range(2))
    assert first == second
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{first}.tsv"]


def test_an_id_of_two_lines_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be stored: query 'a"):
        StoredFiles(tmp_path).store(Run({"a\nb": {"d": 1.0}}))
    assert list(tmp_path.iterdir()) == []


def test_queries_are_listed_whatever_the_length_of_their_lists(tmp_path: Path) -> None:
    lengths = {f"q{number:03}": length for number, length in enumerate([1, 500, 1, 1, 3000, 2, 40] * 5)}
    run = Run({query: {f"d{rank}": -float(rank) for rank in range(n)} for query, n in lengths.items()})
    files = StoredFiles(tmp_path)
    assert files.queries_of(files.store(run)) == tuple(lengths)


def test_what_a_killed_server_left_is_removed_once_it_is_old(tmp_path: Path) -> None:
    for name in ("upload-old", "export-old", "upload-new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.run").write_text("half of a fi")
    for name in ("upload-old", "export-old"):
        os.utime(tmp_path / name, (0, 0))
    StoredFiles(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["upload-new"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this folder of files cannot be made"):
        StoredFiles(tmp_path / "file" / "files")
