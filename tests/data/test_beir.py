"""BEIR folders: the judgments of a split."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.plain_trec import write

from idealist import InputError, read_judgments, read_run
from idealist.data import RunFile, match

HEADER = b"query-id\tcorpus-id\tscore\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    write(folder / "corpus.jsonl", b'{"_id": "31715818", "title": "t", "text": "x"}\n')
    write(folder / "queries.jsonl", b'{"_id": "1", "text": "x"}\n')
    return folder


def test_the_only_split(folder: Path) -> None:
    write(folder / "qrels" / "dev.tsv", HEADER + b"1\t31715818\t1\n3\t14717500\t2\n")
    judgments = read_judgments(folder)
    assert judgments.to_dict() == {"1": {"31715818": 1.0}, "3": {"14717500": 2.0}}
    assert (judgments.name, judgments.source) == ("scifact", f"{folder}::dev")
    assert read_judgments(f"{folder}::dev") == judgments
    assert read_judgments(f"{folder}/").name == "scifact"


def test_several_splits(folder: Path) -> None:
    write(folder / "qrels" / "train.tsv", HEADER + b"1\ta\t1\n")
    write(folder / "qrels" / "dev.tsv.gz", gzip.compress(HEADER + b"2\tb\t1\n"))
    with pytest.raises(
        InputError, match=r"several splits, and none is called test,.*\nhint: there are .*::dev, .*::train"
    ):
        read_judgments(folder)
    assert list(read_judgments(f"{folder}::dev")) == ["2"]
    write(folder / "qrels" / "test.tsv", HEADER + b"3\tc\t1\n")
    assert list(read_judgments(folder)) == ["3"]
    with pytest.raises(InputError, match=r"there is no split 'tset' in this BEIR folder"):
        read_judgments(f"{folder}::tset")


def test_folders_without_judgments(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no judgments in this folder, only corpus.jsonl and queries.jsonl"):
        read_judgments(folder)
    with pytest.raises(InputError, match=r"this is a folder, not a file"):
        read_judgments(tmp_path)
    for read in (read_run, lambda path: match(read_judgments({"q": {"a": 1}}), RunFile(path))):
        with pytest.raises(InputError, match=r"BEIR folder: it has judgments, and no run"):
            read(folder)
        with pytest.raises(InputError, match=r"this is a folder, not a file"):
            read(tmp_path)
