"""Files brought in: every format, what check says, and errors that change nothing."""

from __future__ import annotations

import errno
import re
from html import unescape
from pathlib import Path

import pytest
from conftest import Command
from sqlalchemy import update
from support.browsing import Browsing

from idealist import convert, read_judgments, read_run
from idealist.data import format_list as registry
from idealist.web.base.schema import sources
from idealist.web.comparing.trends import history_of
from idealist.web.projects.project_sources import (
    documents_of,
    list_sources,
    query_texts,
    replaced_by,
    source_of,
)
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench


@pytest.fixture
def browser(bench: Workbench) -> Browsing:
    create_project(bench.database, "shop")
    return Browsing(bench)


def test_judgments_and_runs_are_what_the_commands_read(
    browser: Browsing, bench: Workbench, shop: Path
) -> None:
    for name in ("shop.qrels", "a.run"):
        assert browser.upload(1, name, (shop / name).read_bytes()).status_code == 200
    judgments, run = list_sources(bench.database, 1)
    assert (judgments.kind, judgments.name, run.kind, run.name) == ("judgments", "shop", "run", "a")
    assert judgments.content_sha256 == read_judgments(shop / "shop.qrels").sha256
    assert run.content_sha256 == read_run(shop / "a.run").sha256
    assert (run.rows, run.queries, run.worst) == (780, 39, "warning")
    page = browser.page(f"/projects/1/sources/{run.id}")
    assert run.content_sha256 in page
    assert "constant-scores" in page
    assert "hint: rank by the system's own scores" in page


RUN_ENDINGS = {
    "trec": ".run",
    "csv": ".csv",
    "tsv": ".tsv",
    "json": ".json",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "arrow": ".arrow",
    "sqlite": ".sqlite",
    "duckdb": ".duckdb",
    "xlsx": ".xlsx",
}
DATABASES = (".sqlite", ".duckdb")
# A file of each format that carries judgments or a run in a way of its own, and how many rows it has.
OWN = {
    "movielens": ("u.data", b"1\t10\t5\t881250949\n2\t20\t3\t881250950\n", "judgments", 2),
    "rank_eval": (
        "ratings.json",
        b'{"requests": [{"id": "q", "ratings": [{"_index": "i", "_id": "d", "rating": 2}]}]}',
        "judgments",
        1,
    ),
    "letor": ("mq.txt", b"2 qid:10 1:0.5 #docid = D1\n0 qid:10 1:0.1 #docid = D2\n", "judgments", 2),
    "msmarco": ("dev.tsv", b"1048585\t7187158\t1\n1048585\t7187157\t2\n", "run", 2),
}


def test_every_format_is_tried() -> None:
    assert {*RUN_ENDINGS, *OWN, *registry.FOLDERS} == set(registry.names())  # folders come as archives


@pytest.mark.parametrize("name", OWN)
def test_formats_of_other_tools(browser: Browsing, bench: Workbench, name: str) -> None:
    filename, content, kind, rows = OWN[name]
    answer = browser.upload(1, filename, content, kind=kind)
    assert answer.status_code == 200, unescape(answer.text)
    (source,) = list_sources(bench.database, 1)
    assert (source.kind, source.rows) == (kind, rows)


@pytest.mark.parametrize("ending", [*RUN_ENDINGS.values(), ".run.gz"])
def test_every_format_gives_the_same_content(
    browser: Browsing, bench: Workbench, shop: Path, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"b{ending}"
    if ending == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        book.active.append(["query", "document", "score"])
        for query, documents in read_run(shop / "b.run").items():
            for document, score in documents.items():
                book.active.append([query, document, score])
        book.save(path)
    else:
        convert(shop / "b.run", f"{path}::b" if ending in DATABASES else path)
    part = {"part": "b"} if ending in DATABASES else {}
    answer = browser.upload(1, path.name, path.read_bytes(), kind="run", **part)
    assert answer.status_code == 200, unescape(answer.text)
    (run,) = list_sources(bench.database, 1)
    assert (run.name, run.content_sha256) == ("b", read_run(shop / "b.run").sha256)


def test_a_table_of_several_systems_is_several_runs(browser: Browsing, bench: Workbench) -> None:
    table = b"system,query,document,score\nbm25,q,d1,2\nbm25,q,d2,1\ndense,q,d2,3\n"
    assert browser.upload(1, "runs.csv", table).status_code == 200
    assert [(run.name, run.rows) for run in list_sources(bench.database, 1)] == [("bm25", 2), ("dense", 1)]


def test_documents_and_queries(browser: Browsing, bench: Workbench) -> None:
    corpus = b'{"_id": "d1", "title": "Red", "text": "A red one", "metadata": {"url": ""}}\n'
    assert browser.upload(1, "corpus.jsonl", corpus).status_code == 200
    assert browser.upload(1, "queries.csv", "query,text\nq1,口红\n".encode()).status_code == 200
    assert documents_of(bench.database, 1, ["d1", "d2"]) == {
        "d1": {"title": "Red", "text": "A red one", "url": "", "image": ""}
    }
    assert query_texts(bench.database, 1, ["q1"]) == {"q1": "口红"}
    assert browser.upload(1, "more.csv", b"id,name,image\nx,Ring,http://i/x.png\n").status_code == 200
    assert list(documents_of(bench.database, 1, ["d1", "x"])) == ["x"]  # in the place of the others


BAD = {
    "bad.run": b"q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 nine a\n",
    "bad.qrels": b"q1 0 d1 1\nq1 0 d2\n",
    "bad.csv": b"query,document,score\nq1,d1,1\nq1,d1,2\n",
    "empty.run": b"",
    "zeros.bin": b"\0" * 64,
    "notes.txt": b"these are\nsome notes\n",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_shows_the_message_of_the_command_and_changes_nothing(
    browser: Browsing, bench: Workbench, idealist: Command, tmp_path: Path, name: str
) -> None:
    kind = "judgments" if name.endswith("qrels") else "run"
    answer = browser.upload(1, name, BAD[name], kind=kind)
    assert answer.status_code == 422
    assert list_sources(bench.database, 1) == []
    assert not list(bench.files.folder.rglob("*.*"))

    (tmp_path / name).write_bytes(BAD[name])
    good = tmp_path / "good"
    good.write_bytes(b"q1 Q0 d1 1 1 a\n" if kind == "judgments" else b"q1 0 d1 1\n")
    paths = (tmp_path / name, good) if kind == "judgments" else (good, tmp_path / name)
    done = idealist("evaluate", *paths)
    assert done.returncode == 2
    message = done.stderr.removeprefix("idealist: ").splitlines()[0].replace(f"{tmp_path}/", "")
    if "empty" not in name:
        assert message in unescape(answer.text)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"colour,price\nred,1\n", "the columns colour, price are not those of judgments"),
        ("docs.csv", b"document,title\nd,a\nd,b\n", "line 3: document 'd' appears twice"),
        ("docs.csv", b"document,title\n,a\n", "line 2: document is empty"),
    ],
)
def test_what_is_not_understood_says_so(
    browser: Browsing, bench: Workbench, name: str, content: bytes, message: str
) -> None:
    answer = browser.upload(1, name, content)
    assert answer.status_code == 422
    assert message in unescape(answer.text)
    assert list_sources(bench.database, 1) == []


def test_without_a_file_nothing_happens(browser: Browsing) -> None:
    answer = browser.send("/projects/1/sources", "/projects/1", files={"other": ("a", b"b")})
    assert "no file was chosen" in answer.text


def test_columns_may_have_other_names(browser: Browsing, bench: Workbench) -> None:
    table = b"uid,sku,points\nq,d,1\n"
    answer = browser.upload(1, "a.csv", table, kind="run", columns="query=uid,document=sku,score=points")
    assert answer.status_code == 200
    wrong = browser.upload(1, "a.csv", table, kind="run", columns="query")
    assert "'query' is not ours=theirs" in unescape(wrong.text)
    assert len(list_sources(bench.database, 1)) == 1


def test_the_same_name_replaces_and_the_old_one_stays_in_the_history(
    browser: Browsing, bench: Workbench
) -> None:
    browser.upload(1, "a.run", b"q Q0 d 1 1 a\n")
    (first,) = list_sources(bench.database, 1)
    browser.upload(1, "a.run", b"q Q0 e 1 1 a\n")
    (second,) = list_sources(bench.database, 1)
    assert first.content_sha256 != second.content_sha256
    assert source_of(bench.database, first.id) is not None
    browser.send(f"/projects/1/sources/{second.id}/remove", f"/projects/1/sources/{second.id}")
    assert list_sources(bench.database, 1) == []


def test_a_source_of_another_project_is_not_shown(browser: Browsing, bench: Workbench) -> None:
    browser.upload(1, "a.run", b"q Q0 d 1 1 a\n")
    create_project(bench.database, "other")
    assert browser.get("/projects/2/sources/1").status_code == 404
    assert browser.get("/projects/7").status_code == 404


def test_projects_have_different_names(browser: Browsing) -> None:
    assert "there is a project called 'shop'" in unescape(
        browser.send("/projects", "/projects", name=" shop ").text
    )
    assert "1 to 120 characters" in browser.send("/projects", "/projects", name=" ").text


def test_markup_in_names_and_files_is_text(browser: Browsing, bench: Workbench) -> None:
    markup = "<script>alert(1)</script>"
    browser.send("/projects", "/projects", name=markup, about=markup)
    browser.upload(2, f"{markup[:8]}.run".replace("/", ""), f"{markup} Q0 {markup} 1 1 a\n".encode())
    browser.upload(2, "x.qrels", f"{markup} 0 {markup} 1\n".encode())
    browser.upload(2, "d.csv", f"document,title,text\n{markup},{markup},{markup}\n".encode())
    run = next(source for source in list_sources(bench.database, 2) if source.kind == "run")
    for path in ("", f"/sources/{run.id}", "/evaluate", "/explain"):
        answer = browser.get(f"/projects/2{path}")
        assert answer.status_code == 200
        assert "<script>" not in answer.text
        assert "alert(1)" not in answer.text.replace("&lt;script&gt;alert(1)&lt;/script&gt;", "").replace(
            "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e", ""
        ).replace("%3Cscript%3Ealert%281%29%3C/script%3E", ""), path


def test_a_full_disk_says_so_and_nothing_is_lost(
    browser: Browsing, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.upload(1, "a.run", b"q Q0 d 1 1 a\n")

    def full(*arguments: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(bench.files, "keep", full)
    answer = browser.upload(1, "b.run", b"q Q0 d 1 1 b\n")
    assert answer.status_code == 503
    assert "no space left on device" in answer.text
    assert "nothing that was acknowledged is lost" in answer.text
    assert [source.name for source in list_sources(bench.database, 1)] == ["a"]


def test_what_was_added_is_named(browser: Browsing, shop: Path) -> None:
    """New, the same again, other rows under the name of a run, and judgments of another name, which a project has once."""
    rows = (shop / "a.run").read_bytes()
    assert "a (run, 780 rows): added" in plain(browser.upload(1, "a.run", rows).text)
    assert "a (run, 780 rows): the same content as before" in plain(browser.upload(1, "a.run", rows).text)
    fewer = b"".join(rows.splitlines(keepends=True)[:20])
    again = plain(browser.upload(1, "a.run", fewer).text)
    assert "a (run, 20 rows): in the place of a (a.run), which stays in the history" in again
    browser.upload(1, "first.qrels", b"q1 0 d1 1\n")
    page = plain(browser.upload(1, "second.qrels", b"q1 0 d1 2\n").text)
    assert "second (judgments, 1 rows): in the place of first (first.qrels)" in page
    same = plain(browser.upload(1, "third.qrels", b"q1 0 d1 2\n").text)
    assert "third (judgments, 1 rows): in the place of second (second.qrels)" in same
    assert "which stays in the history" not in browser.page("/projects/1")
    assert "in the place of" not in browser.page("/projects/1?added=x,99,,-1,99999999999999999999")


def test_what_came_before_a_file_that_fails_is_named(browser: Browsing, bench: Workbench, shop: Path) -> None:
    files = [
        ("file", ("a.run", (shop / "a.run").read_bytes())),
        ("file", ("bad.run", b"q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 nine a\n")),
        ("file", ("b.run", (shop / "b.run").read_bytes())),
    ]
    answer = browser.send("/projects/1/sources", "/projects/1", files=files)
    assert answer.status_code == 422
    assert "bad.run, line 2" in plain(answer.text)
    assert "a (run, 780 rows): added" in plain(answer.text)
    assert [source.name for source in list_sources(bench.database, 1)] == ["a"]


def test_an_encoding_is_stated(browser: Browsing, bench: Workbench) -> None:
    table = "query,text\nq1,红色口红\n".encode("gb18030")
    refused = plain(browser.upload(1, "queries.csv", table).text)
    assert "queries.csv, line 2: this is not UTF-8 text" in refused
    assert "--encoding" not in refused
    assert browser.upload(1, "queries.csv", table, encoding="gb18030").status_code == 200
    assert query_texts(bench.database, 1, ["q1"]) == {"q1": "红色口红"}
    run = "query,document,score\nq1,红,1\n".encode("gb18030")
    assert browser.upload(1, "a.csv", run, encoding="gb18030").status_code == 200
    unknown = browser.upload(1, "a.csv", run, encoding="nonsense")
    assert unknown.status_code == 422
    assert "'nonsense'" in plain(unknown.text)


def test_a_table_of_other_columns_and_an_empty_file_say_so(browser: Browsing) -> None:
    table = plain(browser.upload(1, "queries.csv", b"query,kind,weight\nq1,broad,3\n").text)
    assert "queries.csv: the columns query, kind, weight are not those of judgments (a grade)" in table
    assert "query=uid,document=sku,grade=label" in table
    assert "empty.run: the file is empty" in plain(browser.upload(1, "empty.run", b"").text)
    columns = plain(
        browser.upload(
            1, "t.csv", b"uid,sku,wert\nq,d,3\n", kind="judgments", columns="query=uid,document=sku"
        ).text
    )
    assert "name it: grade=wert" in columns
    assert "--columns" not in columns


def plain(page: str) -> str:
    """The text of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())


def test_a_name_of_many_letters_is_shortened_to_what_file_systems_take(
    browser: Browsing, bench: Workbench
) -> None:
    answer = browser.upload(1, "\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 120 + ".run", b"q1 Q0 d1 1 1 s\n")
    assert answer.status_code == 200, unescape(answer.text)
    (source,) = list_sources(bench.database, 1)
    assert source.filename.endswith("\N{CJK UNIFIED IDEOGRAPH-4E2D}.run")


def test_a_system_of_a_name_without_end_is_refused(browser: Browsing, bench: Workbench) -> None:
    table = "query,document,score,system\n" + f"q1,d1,1,{'s' * 500}\n"
    answer = browser.upload(1, "runs.csv", table.encode())
    assert answer.status_code == 422
    assert "has 500 characters" in unescape(answer.text)
    assert list_sources(bench.database, 1) == []


def test_each_system_of_a_table_takes_the_place_of_its_own(browser: Browsing, bench: Workbench) -> None:
    """Also where all of them come within one millisecond."""
    table = b"query,document,score,system\nq1,d1,1,x\nq1,d1,2,y\n"
    for _ in range(2):
        browser.upload(1, "runs.csv", table)
    with bench.database.writing() as connection:
        connection.execute(update(sources).where(sources.c.id > 2).values(created=7))
        connection.execute(update(sources).where(sources.c.id <= 2).values(replaced=7))
    for source in list_sources(bench.database, 1):
        before = replaced_by(bench.database, source)
        assert before is not None
        assert (before.name, before.id) == (source.name, source.id - 2)


def test_an_earlier_version_is_not_removed(browser: Browsing, bench: Workbench) -> None:
    """A page that was open while another file took the place of the one it shows."""
    for content in (b"q1 Q0 d1 1 1 s\n", b"q1 Q0 d1 1 2 s\n"):
        browser.upload(1, "a.run", content)
    before = source_of(bench.database, 1)
    assert before is not None
    assert not before.current
    assert "/remove" not in browser.page("/projects/1/sources/1")
    browser.send("/projects/1/sources/1/remove", "/projects/1")
    assert source_of(bench.database, 1) == before
    assert [line.action for line in history_of(bench.database, 1)].count("source removed") == 0
    browser.client.headers["x-form-token"] = browser.token("/projects/1")
    assert browser.client.delete("/api/projects/1/sources/1").status_code == 404
    assert browser.client.delete("/api/projects/1/sources/2").status_code == 204
    assert browser.client.delete("/api/projects/1/sources/2").status_code == 404
