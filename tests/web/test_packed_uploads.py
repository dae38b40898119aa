"""What is sent packed: every compression, archives, BEIR's folders, and bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from support.browsing import Browsing

from idealist import read_judgments, read_run
from idealist.web.base.server_settings import Settings
from idealist.web.projects.project_sources import documents_of, list_sources, query_texts
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

MOST = 10**6


@pytest.fixture
def small_bench(tmp_path: Path) -> Iterator[Workbench]:
    """A workbench that takes a megabyte."""
    workbench = Workbench(Settings(str(tmp_path / "w.db"), tmp_path / "files", largest_upload=MOST))
    assert create_project(workbench.database, "packed") == 1
    yield workbench
    workbench.close()


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize("ending", COMPRESS)
def test_every_compression_and_its_bomb(small_bench: Workbench, shop: Path, ending: str) -> None:
    browser = Browsing(small_bench)
    content = (shop / "b.run").read_bytes()
    assert browser.upload(1, f"b.run{ending}", COMPRESS[ending](content)).status_code == 200
    (run,) = list_sources(small_bench.database, 1)
    assert run.content_sha256 == read_run(shop / "b.run").sha256
    bomb = COMPRESS[ending](b"q Q0 d 1 1 x\n" * 1_000_000)  # 13 MB
    assert len(bomb) < MOST / 10
    answer = browser.upload(1, f"bomb.run{ending}", bomb)
    assert answer.status_code == 422
    assert f"bomb.run{ending}: it unpacks to more than 1 MB" in unescape(answer.text)
    assert [source.name for source in list_sources(small_bench.database, 1)] == ["b"]


def test_an_archive_is_all_its_files(small_bench: Workbench, shop: Path) -> None:
    names = ("shop.qrels", "a.run", "b.run")
    packed = archive(**{f"shop/{name}": (shop / name).read_bytes() for name in names})
    assert Browsing(small_bench).upload(1, "shop.zip", packed).status_code == 200
    sources = list_sources(small_bench.database, 1)
    assert [(source.kind, source.name) for source in sources] == [
        ("judgments", "shop"),
        ("run", "a"),
        ("run", "b"),
    ]
    assert sources[0].content_sha256 == read_judgments(shop / "shop.qrels").sha256


def test_of_an_archive_with_a_bad_file_nothing_is_added(small_bench: Workbench, shop: Path) -> None:
    packed = archive(
        **{"a.run": (shop / "a.run").read_bytes(), "runs/bad.run": b"q Q0 d1 1 0.5 x\nq Q0 d2 2 nine x\n"}
    )
    answer = Browsing(small_bench).upload(1, "both.zip", packed)
    assert answer.status_code == 422
    assert "both.zip: runs/bad.run, line 2" in unescape(answer.text)
    assert list_sources(small_bench.database, 1) == []


@pytest.mark.parametrize(("part", "grade"), [("", 1.0), ("train", 2.0)])
def test_a_beir_folder(small_bench: Workbench, part: str, grade: float) -> None:
    packed = archive(
        **{
            "tiny/corpus.jsonl": b'{"_id": "d1", "title": "Red", "text": "A red one"}\n',
            "tiny/queries.jsonl": b'{"_id": "q1", "text": "red?"}\n',
            "tiny/qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
            "tiny/qrels/train.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t2\n",
            "__MACOSX/tiny/._corpus.jsonl": b"\0\0",
        }
    )
    answer = Browsing(small_bench).upload(1, "tiny.zip", packed, part=part)
    assert answer.status_code == 200, unescape(answer.text)
    judgments, *_ = sources = list_sources(small_bench.database, 1)
    assert [(source.kind, source.name) for source in sources] == [
        ("judgments", "tiny"),
        ("documents", "corpus"),
        ("queries", "queries"),
    ]
    assert small_bench.files.rows_of(judgments.stored, "q1") == {"d1": grade}
    assert documents_of(small_bench.database, 1, ["d1"])["d1"]["title"] == "Red"
    assert query_texts(small_bench.database, 1, ["q1"]) == {"q1": "red?"}


@pytest.mark.parametrize(
    "name",
    ["../../escaped.run", "/tmp/escaped.run", "..\\escaped.run", "C:\\escaped.run", "a/../../escaped.run"],
)
def test_no_name_leads_out_of_the_folder(small_bench: Workbench, tmp_path: Path, name: str) -> None:
    answer = Browsing(small_bench).upload(1, "names.zip", archive(**{name: b"q Q0 d 1 1 x\n"}))
    assert answer.status_code == 422
    assert not list(tmp_path.rglob("escaped*"))
    assert not Path("/tmp/escaped.run").exists()


def test_a_zip_bomb_is_refused(small_bench: Workbench) -> None:
    packed = archive(**{f"{number}.run": b"q Q0 d 1 1 x\n" * 50_000 for number in range(20)})  # 13 MB
    assert len(packed) < MOST
    answer = Browsing(small_bench).upload(1, "bomb.zip", packed)
    assert "it unpacks to more than 1 MB" in unescape(answer.text)
    assert list_sources(small_bench.database, 1) == []


@pytest.mark.parametrize("cut", [30, 200])
def test_a_damaged_archive_says_so(small_bench: Workbench, shop: Path, cut: int) -> None:
    answer = Browsing(small_bench).upload(1, "cut.zip", archive(a=(shop / "a.run").read_bytes())[:-cut])
    assert answer.status_code == 422
    assert "cut.zip: this zip archive cannot be read" in unescape(answer.text)


def test_nothing_is_left_of_an_upload(small_bench: Workbench) -> None:
    Browsing(small_bench).upload(1, "names.zip", archive(**{"x.run": b"q Q0 d 1 nine x\n"}))
    assert not list(small_bench.files.folder.rglob("*.*"))


def test_a_bomb_within_an_archive_is_refused(small_bench: Workbench) -> None:
    bomb = gzip.compress(b"q Q0 d 1 1 x\n" * 200_000)
    answer = Browsing(small_bench).upload(1, "bomb.zip", archive(**{"runs/x.run.gz": bomb}))
    assert answer.status_code == 422
    assert "bomb.zip: runs/x.run.gz: it unpacks to more than" in unescape(answer.text)


@pytest.mark.parametrize("names", [("a", "a/b"), ("n" * 300,)])
def test_names_that_cannot_be_unpacked_are_told(small_bench: Workbench, names: tuple[str, ...]) -> None:
    packed = archive(**dict.fromkeys(names, b"q Q0 d 1 1 x\n"))
    answer = Browsing(small_bench).upload(1, "names.zip", packed)
    assert answer.status_code == 422
    assert "cannot be unpacked" in unescape(answer.text)


def test_the_project_file_of_an_archive_says_how_its_files_are_read(small_bench: Workbench) -> None:
    """Columns under other names, in GBK; and a file that is wrong is an error that names its key."""
    browser = Browsing(small_bench)
    rows = "uid,sku,stars\nq,甲,1\n".encode("gbk")
    stated = b'encoding = "gbk"\n[columns]\nquery = "uid"\ndocument = "sku"\ngrade = "stars"\n'
    packed = archive(**{"judged.csv": rows, "idealist.toml": stated})
    assert browser.upload(1, "shop.zip", packed).status_code == 200
    (judgments,) = list_sources(small_bench.database, 1)
    assert (judgments.kind, judgments.queries) == ("judgments", 1)
    wrong = browser.upload(1, "bad.zip", archive(**{"judged.csv": rows, "idealist.toml": b"colums = 1\n"}))
    assert "idealist.toml, line 1: unknown key 'colums'" in unescape(wrong.text)
    assert len(list_sources(small_bench.database, 1)) == 1
