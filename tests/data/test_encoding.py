"""Text in other encodings is read where they are known, and refused where they are not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from idealist import InputError, evaluate, read_judgments, read_run, read_votes
from idealist.data import (
    RunFile,
    read_groups,
    read_items,
    read_preferences,
    read_profiles,
    read_strata,
    read_table,
)
from idealist.data.encoding import likely_encoding
from idealist.data.weight_reading import read_weights

WORDS = {
    "cp1252": ("crème brûlée", "café"),
    "gbk": ("口红礼盒", "雨伞"),
    "big5": ("口紅禮盒", "雨傘"),
    "shift_jis": ("口紅ギフトセット", "おりたたみ傘"),
    "cp1251": ("красная помада", "складной зонт"),
}


def run_text(encoding: str) -> str:
    first, second = WORDS[encoding]
    return f"query,document,score\nplain,d1,1\n{first},{second},2.5\n{second},{first},1.5\n"


@pytest.mark.parametrize("encoding", WORDS)
def test_the_likely_encoding_is_named_with_the_line(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(run_text(encoding).encode(encoding))
    for read in (read_run, read_table, lambda p: evaluate({"plain": {"d1": 1}}, RunFile(p), "RR")):
        with pytest.raises(InputError) as caught:
            read(path)
        assert f"{path}, line 3: this is not UTF-8 text; it is likely {encoding}" in str(caught.value)
        assert f"--encoding {encoding}, or encoding={encoding!r} in Python" in caught.value.hint
    first, second = WORDS[encoding]
    assert read_run(path, encoding=encoding).to_dict()[first] == {second: 2.5}
    assert read_table(path, encoding=encoding).columns["document"] == ["d1", second, first]


def test_few_letters_are_enough() -> None:
    assert likely_encoding("naïve".encode("cp1252")) == "cp1252"
    assert likely_encoding("q1,红,1".encode("gbk")) == "gbk"
    assert likely_encoding("query,document".encode("utf-16-le")) == "utf-16-le"
    assert likely_encoding("Ärzte, Äpfel".encode("cp1252")) == "cp1252"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "query,document,score\n1,é,2\n"),
        ("a.tsv", "query\tdocument\tscore\n1\té\t2\n"),
        ("a.jsonl", '{"query": "1", "document": "é", "score": 2}\n'),
        ("a.json", '{"1": {"é": 2}}'),
        ("list.json", '[{"query": "1", "document": "é", "score": 2}]'),
        ("a.run", "1 Q0 é 1 2 tag\n"),
    ],
)
def test_every_format_of_text(name: str, text: str, tmp_path: Path) -> None:
    """UTF-16 by its mark, other encodings by their name, whether compressed or not; TREC text keeps its bytes."""
    path = tmp_path / name
    for stated, encoded in (
        (None, text.encode("utf-16")),
        (None, b"\xfe\xff" + text.encode("utf-16-be")),
        ("utf-16", text.encode("utf-16-le")),
        ("latin-1", text.encode("latin-1")),
        ("latin-1", text.encode("utf-8-sig")),
        ("latin-1", gzip.compress(text.encode("latin-1"))),
        ("utf-8", text.encode()),
    ):
        path.write_bytes(encoded)
        assert read_run(path, encoding=stated).to_dict() == {"1": {"é": 2.0}}
        found = evaluate({"1": {"é": 1}}, RunFile(path, encoding=stated), "RR")
        assert found.mean("RR") == 1.0
    path.write_bytes(text.encode("latin-1"))
    if name == "a.run":
        assert read_run(path).to_dict() == {"1": {"\udce9": 2.0}}
    else:
        with pytest.raises(InputError, match=r"line \d: this is not UTF-8 text"):
            read_run(path)


def test_what_is_not_in_the_encoding_that_was_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("query,document,grade\nq,a,1\nq,é,1\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 3: this is not gbk"):
        read_judgments(path, encoding="gbk")
    with pytest.raises(InputError, match="there is no encoding 'klingon'"):
        read_judgments(path, encoding="klingon")
    with pytest.raises(InputError, match="there is no encoding 'hex'"):
        read_judgments(path, encoding="hex")


def test_a_header_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("查询,文档,得分\nq,a,1\n".encode("gbk"))
    columns = {"query": "查询", "document": "文档", "score": "得分"}
    with pytest.raises(InputError, match="line 1: this is not UTF-8 text; it is likely gbk"):
        read_run(path, columns=columns)
    assert read_run(path, columns=columns, encoding="gbk").to_dict() == {"q": {"a": 1.0}}


def test_parquet_says_its_encoding_itself(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "a.parquet"
    polars.DataFrame({"query": ["é"], "document": ["a"], "score": [1.0]}).write_parquet(path)
    assert read_run(path, encoding="gbk").to_dict() == {"é": {"a": 1.0}}


def test_votes(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes("query,vote\ncafé,good\nthé,bad\n".encode("cp1252"))
    assert read_votes(path, encoding="cp1252").queries == ["café", "thé"]


def test_the_option(idealist: Command, tmp_path: Path) -> None:
    """The run's ids match the judgments' only when it is read as what it is."""
    judged, run, votes = (tmp_path / name for name in ("q.csv", "a.csv", "v.csv"))
    judged.write_text("query,document,grade\ncafé,crème,1\n", encoding="utf-8")
    run.write_bytes("query,document,score\ncafé,thé,2\ncafé,crème,1\n".encode("cp1252"))
    refused = idealist("evaluate", judged, run, "-m", "RR")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "a.csv, line 2: this is not UTF-8 text; it is likely cp1252" in refused.stderr
    done = idealist("evaluate", judged, run, "-m", "RR", "--encoding", "run=cp1252")
    assert done.stdout.splitlines()[1].split()[:2] == ["RR", "0.5000"]
    checked = idealist("check", judged, run, "--encoding", "run=cp1252", "--at", 2)
    assert "not UTF-8" not in checked.stdout
    votes.write_bytes("query,vote\ncafé,good\nthé,bad\n".encode("cp1252"))
    assert "likely cp1252" in idealist("gsb", votes).stderr
    assert idealist("gsb", votes, "--encoding", "cp1252").returncode == 0
    bad = idealist("evaluate", judged, run, "--encoding", "runs=cp1252")
    assert "--encoding: 'runs' is none of run, judgments" in bad.stderr


def test_letor_is_utf_8_or_said_to_be_otherwise(tmp_path: Path) -> None:
    path, scores = tmp_path / "a.letor", tmp_path / "a.scores"
    path.write_bytes("1 qid:1 1:0.5 #docid = a\n0 qid:1 1:0.2 #docid = é\n".encode("cp1252"))
    scores.write_text("0.5\n0.7\n")
    with pytest.raises(InputError, match=r"line 2: this is not UTF-8 text; it is likely cp1252"):
        read_judgments(path)
    with pytest.raises(InputError, match=r"line 2: this is not UTF-8 text; it is likely cp1252"):
        read_run(scores, features=path)
    assert read_judgments(path, encoding="cp1252").to_dict() == {"1": {"a": 1.0, "é": 0.0}}
    found = read_run(scores, features=path, encoding="cp1252")
    assert found.to_dict() == {"1": {"a": 0.5, "é": 0.7}}


def test_tables_besides_runs_and_judgments(tmp_path: Path) -> None:
    """In cp1252, with decimal commas, and columns of other names."""
    path = tmp_path / "a.csv"
    how: dict[str, Any] = {"encoding": "cp1252", "decimal": ","}

    def write(text: str) -> Path:
        path.write_bytes(text.encode("cp1252"))
        return path

    write("frage;wert\né;0,5\n")
    weights = read_weights(path, columns={"query": "frage", "weight": "wert"}, **how)
    assert weights.weights == {"é": 0.5}
    write("sku;views\né;1,5\n")
    items = read_items(path, columns={"item": "sku", "popularity": "views"}, **how)
    assert repr(items) == "<Items: 1 item; item, popularity>"
    write("kunde;tiefe\né;2\n")
    assert read_profiles(path, columns={"user": "kunde"}, **how).column("tiefe") == {"é": "2"}
    with pytest.raises(InputError, match="there is no column 'nix', which columns names as the user"):
        read_profiles(path, columns={"user": "nix"}, **how)
    with pytest.raises(InputError, match="there is a column 'tiefe', but columns names 'kunde' as the tiefe"):
        read_profiles(path, columns={"tiefe": "kunde"}, **how)
    write("q é a 1\nq b a 0\n")
    assert list(read_groups(path, encoding="cp1252")["q"]) == ["b", "é"]
    write("q g s é 1\nq g s b 0\n")
    assert "é" in repr(read_preferences(path, encoding="cp1252").content())
    write("q 0 é 1 1\n")
    assert list(read_strata(path, encoding="cp1252")["q"]) == ["é"]


def test_gates(idealist: Command, tmp_path: Path) -> None:
    """The run that has é right before b, which is not relevant; without its encoding, é would not be found."""
    (tmp_path / "q.csv").write_bytes("query;document;grade\nq;é;1,0\nr;é;1,0\n".encode("cp1252"))
    for name, score in (("a", "0,5"), ("b", "1,5")):
        rows = "".join(f"{query};é;{score}\n{query};b;1,0\n" for query in "qr")
        (tmp_path / f"{name}.csv").write_bytes(f"query;document;score\n{rows}".encode("cp1252"))
    rules = 'judgments = "q.csv"\nbaseline = "a.csv"\ncandidate = "b.csv"\nmeasure = "RR"\n'
    gate = tmp_path / "gate.toml"
    gate.write_text(rules)
    assert "this is not UTF-8 text" in idealist("gate", gate).stderr
    gate.write_text(rules + 'encoding = "cp1252"\ndecimal = ","\n')
    done = idealist("gate", gate, "--format", "json")
    facts = json.loads(done.stdout)["parts"][0]
    assert (facts["baseline_value"], facts["value"]) == (0.5, 1.0), done.stderr
    (tmp_path / "v.csv").write_bytes("query;vote;weight\né;good;0,5\nà;bad;1,5\n".encode("cp1252"))
    gate.write_text('votes = "v.csv"\nencoding = "cp1252"\ndecimal = ","\n')
    done = idealist("gate", gate, "--format", "json")
    assert "weighted by column weight; without weights GSB is 0.0000" in json.loads(done.stdout)["notes"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("stated", [None, "cp1252"])
@pytest.mark.parametrize(
    ("name", "text"),
    [("a.csv", "query,document,score\nq1,café,1\n"), ("a.run", "q1 Q0 café 1 2.5 x\nq1 Q0 d2 2 1.5 x\n")],
)
def test_characters_of_two_and_four_bytes_are_recognised(
    encoding: str, stated: str | None, name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    with pytest.raises(InputError, match="binary data") as caught:
        read_run(path, encoding=stated)
    assert f"it looks like {encoding}: give --encoding {encoding}" in str(caught.value)
    assert list(read_run(path, encoding=encoding)) == ["q1"]


@pytest.mark.parametrize("name", ["a.csv", "a.run"])
def test_utf_32_with_its_mark_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = "query,document,score\nq1,café,1\n" if name == "a.csv" else "q1 Q0 café 1 1 x\n"
    path.write_bytes(text.encode("utf-32"))
    assert read_run(path).to_dict() == {"q1": {"café": 1.0}}


def test_lines_of_old_macs(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"query,document,score\rq1,d1,1\r")
    with pytest.raises(InputError, match="carriage returns alone, as on old Macs"):
        read_run(path)
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 1 x\rq1 Q0 d2 2 1 x\r")
    with pytest.raises(InputError, match="expected 6 columns") as caught:
        read_run(path)
    assert f"idealist check {path} --fix COPY" in str(caught.value)
