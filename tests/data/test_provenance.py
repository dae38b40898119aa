"""Where data came from, and a digest of what it says that anyone can make again."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import Conventions, Judgments, Run, evaluate, read_judgments, read_run
from idealist.data import RunFile
from idealist.data.grouped import GroupedJudgments
from idealist.errors import InputError

IDS = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
QUERIES = st.dictionaries(IDS, st.dictionaries(IDS, NUMBERS, min_size=1, max_size=5), min_size=1, max_size=5)


def plain_digest(kind: str, queries: dict[str, dict[str, float]]) -> str:
    """The definition, by hand."""
    digest = hashlib.sha256(kind.encode() + b"\n")
    for query in sorted(queries, key=str.encode):
        for document in sorted(queries[query], key=str.encode):
            for text in (query.encode(), document.encode()):
                digest.update(struct.pack("<I", len(text)) + text)
            digest.update(struct.pack("<d", queries[query][document] + 0.0))  # −0 is 0
    return digest.hexdigest()


@given(QUERIES)
def test_the_digest_is_what_is_said(queries: dict[str, dict[str, float]]) -> None:
    assert Run(queries).sha256 == plain_digest("run", queries)
    assert Judgments(queries).sha256 == plain_digest("judgments", queries)


@given(QUERIES, st.randoms(use_true_random=False))
def test_the_order_of_rows_makes_no_difference(
    queries: dict[str, dict[str, float]], chance: random.Random
) -> None:
    rows = [(query, document) for query, documents in queries.items() for document in documents]
    chance.shuffle(rows)
    shuffled: dict[str, dict[str, float]] = {}
    for query, document in rows:
        shuffled.setdefault(query, {})[document] = queries[query][document]
    assert Run(shuffled).sha256 == Run(queries).sha256


def test_every_part_counts() -> None:
    run = {"q": {"a": 1.0, "b": 2.0}}
    others: list[Any] = [{"q": {"a": 1.0, "b": 2.5}}, {"p": run["q"]}, {"q": {"a": 1.0}}, {"q": {"ab": 1.0}}]
    digests = {Run(one).sha256 for one in (run, *others)} | {Judgments(run).sha256}
    assert len(digests) == 2 + len(others)


def test_files_of_the_same_content(tmp_path: Path) -> None:
    lines = [f"q{n % 3} Q0 d{n} {n} {n / 7!r} me\n" for n in range(100)]
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "b.run.gz").write_bytes(gzip.compress("".join(reversed(lines)).encode()))
    a, b = read_run(tmp_path / "a.run"), read_run(tmp_path / "b.run.gz")
    assert a.sha256 == b.sha256 == Run(a.to_dict()).sha256
    assert (a.provenance.name, a.provenance.source) == ("a", str(tmp_path / "a.run"))
    assert (a.provenance.rows, a.provenance.queries) == (100, 3)


def test_an_evaluation_knows_its_judgments_and_runs(shop: Path) -> None:
    judgments = read_judgments(shop / "shop.qrels")
    kept = read_run(shop / "a.run")
    frame = read_run(shop / "b.run").to_frame("pyarrow")
    as_dict = kept.to_dict()
    result = evaluate(
        judgments, {"kept": kept, "file": RunFile(shop / "a.run"), "frame": frame, "dict": as_dict}, "RR"
    )
    sources = result.provenance
    assert sources is not None
    assert sources.judgments == judgments.provenance
    runs = sources.runs
    assert runs["kept"].sha256 == runs["file"].sha256 == runs["dict"].sha256 == kept.sha256
    assert runs["frame"].sha256 == read_run(shop / "b.run").sha256
    assert [one.rows for one in runs.values()] == [780, 780, 800, 780]
    assert [one.queries for one in runs.values()] == [39, 39, 40, 39]
    assert runs["file"].source == str(shop / "a.run")
    assert "when asked for" in repr(evaluate(judgments, RunFile(shop / "a.run"), "RR").provenance)


def test_a_file_that_changed_since_is_refused(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes((shop / "a.run").read_bytes())
    judgments = read_judgments(shop / "shop.qrels")
    result = evaluate(judgments, RunFile(path), "RR")
    changed = path.read_text().splitlines(keepends=True)
    path.write_text("".join(changed[:-1]) + changed[-1].replace("d", "e"))
    with pytest.raises(InputError, match="changed since it was measured"):
        _ = result.provenance and result.provenance.runs["a"].sha256
    # The values are saved all the same.
    assert json.loads(result.to_json())["provenance"]["runs"]["a"]["sha256"] is None
    path.unlink()
    with pytest.raises(InputError, match="changed since it was measured"):
        _ = result.provenance and result.provenance.runs["a"].sha256


def test_a_dict_that_changed_since_is_refused() -> None:
    run = {"q": {"a": 1.0}}
    result = evaluate({"q": {"a": 1}}, run, "RR")
    run["q"]["b"] = 2.0
    with pytest.raises(InputError, match="run: this changed since"):
        _ = result.provenance and result.provenance.runs["run"].sha256


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_cannot_be_read_again(shop: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())"
    with subprocess.Popen([sys.executable, "-c", code, str(shop / "a.run"), str(pipe)]):
        result = evaluate(read_judgments(shop / "shop.qrels"), RunFile(pipe), "RR")
    whole = json.loads(result.to_json())
    assert whole["provenance"]["runs"]["pipe"]["sha256"] is None
    assert whole["provenance"]["runs"]["pipe"]["rows"] == 780
    assert result.provenance is not None
    with pytest.raises(InputError, match="pipe"):
        _ = result.provenance.runs["pipe"].sha256


def test_judgments_that_say_more_than_one_grade() -> None:
    run = {"q": {"a": 1.0}}
    grouped = GroupedJudgments({"q": {"1": {"a": 1}, "2": {"b": 1}}})
    same = GroupedJudgments({"q": {"2": {"b": 1}, "1": {"a": 1}}})
    other = GroupedJudgments({"q": {"1": {"a": 1, "b": 1}}})
    found = []
    for judgments in (grouped, same, other):
        result = evaluate(judgments, run, "ERR-IA@5", conventions=Conventions())
        assert result.provenance is not None
        assert result.provenance.judgments is not None
        found.append(result.provenance.judgments.sha256)
    assert found[0] == found[1] != found[2]


def test_the_command_says_it(idealist: Any, shop: Path) -> None:
    files = ("evaluate", shop / "shop.qrels", shop / "a.run", "-m", "RR")
    digests = read_judgments(shop / "shop.qrels").sha256, read_run(shop / "a.run").sha256
    whole = json.loads(idealist(*files, "--format", "json").stdout)["provenance"]
    assert (whole["judgments"]["sha256"], whole["runs"]["a"]["sha256"]) == digests
    assert whole["runs"]["a"]["source"] == str(shop / "a.run")
    lines = [json.loads(line) for line in idealist(*files, "--format", "jsonl").stdout.splitlines()]
    assert {"provenance": whole} in lines
    shown = idealist(*files, "--provenance").stdout
    assert f"judgments: {shop / 'shop.qrels'} · 760 rows · 40 queries · sha256 {digests[0][:12]}" in shown
    assert f"a: {shop / 'a.run'} · 780 rows · 39 queries · sha256 {digests[1][:12]}" in shown
    assert "sha256" not in idealist(*files).stdout


def test_a_judged_query_without_documents_counts() -> None:
    with_empty, without = Judgments({"q": {"a": 1}, "e": {}}), Judgments({"q": {"a": 1}})
    assert with_empty.sha256 != without.sha256
    row = struct.pack("<I", 1) + b"q" + struct.pack("<I", 1) + b"a" + struct.pack("<d", 1.0)
    empty = struct.pack("<I", 1) + b"e" + b"\xff" * 4
    assert with_empty.sha256 == hashlib.sha256(b"judgments\n" + empty + row).hexdigest()
