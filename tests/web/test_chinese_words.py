"""Heads and labels of tables, findings and errors in Chinese: nothing that commands say has none, and none is said of nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from support.browsing import Browsing

import idealist
from idealist.checks.findings import CODES
from idealist.errors import InputError, UnknownMeasure
from idealist.measures import parse, registry
from idealist.show.explanation_tables import explanation_view
from idealist.show.plan_tables import next_view
from idealist.show.table import Table
from idealist.show.vote_tables import breakdown_tables, rate_table
from idealist.votes.vote_estimates import METHODS
from idealist.web.comparing.explain_pages import DISCOUNTS, FAMILIES, GAINS, IDEALS
from idealist.web.comparing.pairing import _counted
from idealist.web.texts import words
from idealist.web.workbench import Workbench

SOURCES = Path(idealist.__file__).parent
NATIVE = Path(__file__).parents[2] / "native" / "bind" / "bind_rows.cpp"
CHINESE = words("zh")
HAN = re.compile("[\u4e00-\u9fff]")
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
JUDGMENTS = {"q": {"a": 1, "b": 0, "d": 2}}
# Every page that shows tables, with what can be chosen there.
PAGES = (
    "/projects/1",
    "/projects/1/evaluate?run=a&measure=nDCG@10&other=lightgbm",
    "/projects/1/explain?query=cheap-perfume",
    "/projects/1/compare?segments=words",
    "/projects/1/compare?segments=relevant",
    "/projects/1/lists?query=cheap-perfume&baseline=a&system=b",
    "/projects/1/history",
    "/projects/1/exports",
    "/projects/1/studies",
    "/projects/1/studies/1?sequential=yes",
    "/projects/1/studies/1/raters",
    "/projects/1/plan",
    "/projects/1/tasks/1",
    "/projects/1/tasks/2",
)


@pytest.fixture
def browser(shop_bench: Workbench) -> Browsing:
    """The shop as a reader of Chinese has it."""
    reading = Browsing(shop_bench)
    reading.client.headers["accept-language"] = "zh-CN"
    return reading


def is_name(head: str) -> bool:
    """Whether it is the name of a measure."""
    try:
        parse(head)
    except InputError:
        return False
    return True


def explained() -> Iterator[tuple[list[str], list[str]]]:
    """The heads of the table of every measure that can be explained, and the names of its sums."""
    chosen = [f"nDCG(gain={g},discount={d},ideal={i})" for g, d, i in product(GAINS, DISCOUNTS, IDEALS)]
    for measure in (*registry(), *chosen):
        try:
            explanation = idealist.explain(JUDGMENTS, RUN, measure, query="q")
        except InputError:  # it needs more than grades
            continue
        shown = explanation_view(explanation).rows()
        yield shown.titles, [*explanation.sums, explanation.running_title, explanation.contribution_title]


def vote_tables() -> list[Table]:
    """All tables of a study: with strengths, segments and shares of traffic."""
    votes = {"query": list("abcd"), "vote": [2, 1, -1, 0], "segment": list("xxyy")}
    result = idealist.gsb(votes, shares={"x": 0.5, "y": 0.5})
    assert result.severity is not None
    return [rate_table(result), *breakdown_tables(result)]


def heads_of_pages(browser: Browsing) -> set[str]:
    """The heads of columns as pages have them in English."""
    browser.client.headers["accept-language"] = "en"
    pages = [str(browser.whole_page(path)) for path in PAGES]
    return {head for page in pages for head in heads(page)}


def heads(page: str) -> set[str]:
    inner = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page, re.DOTALL)
    return {unescape(re.sub("<[^>]+>", "", text)).strip() for text in inner}


def test_every_head_of_a_page_is_chinese(browser: Browsing) -> None:
    """What is left are names: of measures, of the runs and of the raters of the shop, and letters of formulas."""
    names = {"", "#", "a", "b", "GSB", "dz", "p", "Ann (demo)", "Ben (demo)"}
    for path in PAGES:
        left = {head for head in heads(browser.whole_page(path)) if not HAN.search(head)} - names
        assert {head for head in left if not is_name(head)} == set(), path


def test_every_measure_that_is_explained_has_chinese_heads() -> None:
    found = list(explained())
    assert len(found) > 50
    assert {family for family in FAMILIES if family not in registry()} == set()
    titles = {title for both in found for part in both for title in part if title}
    assert {title for title in titles if title not in CHINESE["heads"] and not is_name(title)} == set()


def test_no_head_and_no_legend_is_left_over(browser: Browsing) -> None:
    said = {title for both in explained() for part in both for title in part}
    said |= {title for table in vote_tables() for title in table.titles}
    said |= {"interval"}  # of votes of one kind
    said |= heads_of_pages(browser)
    assert set(CHINESE["heads"]) - said == set()
    assert set(CHINESE["legends"]) - set(CHINESE["heads"]) == set()


def test_heads_of_studies_and_of_what_to_judge_next() -> None:
    for table in (*vote_tables(), next_view([], [], [], 10).rows()):
        assert set(table.titles) - set(CHINESE["heads"]) == set()


def test_labels() -> None:
    tests = re.findall(r'"([a-z ]+)" if estimate.plain else "([a-z ]+)"', source_of("votes/vote_summary.py"))
    over_queries = METHODS["inversion"].removeprefix("a ")
    counted = {_counted(count, (1, 2, 3), "word") for count in range(1, 9)}
    counted |= {_counted(count, (0, 1, 5, 20), "relevant document") for count in range(30)}
    rates = {str(row[0]) for row in vote_tables()[0].rows}
    assert len(tests) == 1
    assert set(CHINESE["labels"]) == {
        *tests[0],
        *counted,
        *rates,
        over_queries,
        f"{over_queries} and raters",
        "none",
    }


def source_of(path: str) -> str:
    return (SOURCES / path).read_text(encoding="utf-8")


def test_every_finding_has_a_sentence() -> None:
    assert set(CHINESE["findings"]) == set(CODES)
    for sentence in CHINESE["findings"].values():
        assert HAN.search(sentence.format(count="1"))


def test_every_code_of_an_error_has_a_sentence() -> None:
    """Codes of ours are written where an error is raised; those of bad lines are the core's."""
    codes = {UnknownMeasure.code}
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant):
                codes.add(str(node.value.value))
    _, _, core = NATIVE.read_text(encoding="utf-8").partition("const char* kind_name(")
    codes |= set(re.findall(r'return "([a-z0-9-]+)";', core.partition("\n}")[0]))
    assert set(CHINESE["problems"]) == codes


def test_findings_of_a_file(browser: Browsing) -> None:
    browser.upload(1, "c.run", b"scarf Q0 p001 1 1.0 c\nscarf Q0 p002 2 1.0 c\nlamp Q0 p003 1 2.0 c\n")
    added = re.findall(r"/projects/1/sources/(\d+)", browser.page("/projects/1"))
    page = browser.page(f"/projects/1/sources/{max(map(int, added))}")
    assert "1 个查询的全部文档得分相同" in page
    assert "检索结果中有 1 个查询没有标注，不参与评测。" in page
    assert "<li>查询 lamp</li>" in page
    assert page.index("检索结果中有 1 个查询没有标注") < page.index("1 query in the run and not judged")
    browser.client.headers["accept-language"] = "en"
    page = browser.page(f"/projects/1/sources/{max(map(int, added))}")
    assert "<code>unjudged-query</code>: 1 query in the run and not judged" in page
    assert not HAN.search(page.replace("中文", ""))


@pytest.mark.parametrize(
    ("name", "content", "sentence", "exact"),
    [
        ("a.run", b"", "a.run：文件是空的，没有任何数据。", "a.run: the file is empty"),
        (
            "a.csv",
            b"query,document,score\n",
            "a.csv：文件是空的，没有任何数据。",
            "a.csv: the file has no rows",
        ),
        ("a.run", b"q Q0 d 1 2 x\nq Q0 e 2 1\n", "a.run 第 2 行：这一行的列数不对。", "found 5"),
        ("a.csv", b"query,document,score\nq,d\nq,e,1\n", "a.csv 第 2 行：这一行的列数不对。", "found 2"),
        (
            "a.csv",
            b"query,document,score\nq,d,x\n",
            "a.csv 第 2 行：应为数字的地方不是数字。",
            "not a number: 'x'",
        ),
        (
            "a.run",
            b"q Q0 d 1 2 x\nq Q0 d 2 1 x\n",
            "a.run 第 2 行：同一个文档或查询重复出现。",
            "appears twice",
        ),
        ("a.csv", b"query,text\nq,a\nq,b\n", "a.csv 第 3 行：同一个文档或查询重复出现。", "appears twice"),
        ("a.txt", b"hello\nworld\n", "a.txt：看不出这是标注、检索结果、文档还是查询。", "it cannot be told"),
        ("a.csv", b"uid,sku\n1,2\n", "a.csv：看不出各列是什么。", "the columns uid, sku are not"),
        ("a.zip", b"PK\x03\x04broken", "a.zip：文件已损坏，无法解开。", "this zip archive cannot be read"),
        ("a.rar", b"Rar!\x1a\x07\x01\x00", "a.rar：", "a.rar"),
    ],
)
def test_files_that_cannot_be_used(
    browser: Browsing, name: str, content: bytes, sentence: str, exact: str
) -> None:
    page = unescape(browser.upload(1, name, content).text)
    assert f"<p>{sentence}" in page
    assert re.search(f'<p class="message" lang="en">[^<]*{re.escape(exact)}', page)
    browser.client.headers["accept-language"] = "en"
    page = unescape(browser.upload(1, name, content).text)
    assert re.search(f'<p class="message">[^<]*{re.escape(exact)}', page)
    assert not HAN.search(page.replace("中文", ""))


def test_a_file_of_an_archive_is_named(browser: Browsing, tmp_path: Path) -> None:
    from zipfile import ZipFile

    with ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("a.run", "q Q0 d 1 2 x\nq Q0 e 2 1\n")
    page = unescape(browser.upload(1, "both.zip", (tmp_path / "both.zip").read_bytes()).text)
    assert "<p>a.run 第 2 行：这一行的列数不对。" in page
    assert "both.zip: a.run, line 2: expected 6 columns, found 5" in page


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("evaluate?measures=nDGC", "没有这个指标。"),
        ("evaluate?measures=", "请填写指标"),
        ("evaluate?measures=nDCG@0", "操作没有成功，原因如下（英文）。"),
        ("compare?baseline=a&system=a", "不能与自身对比。"),
        ("explain?query=nothing", "这个查询没有标注。"),
        ("plan?effect=much", "应为数字的地方不是数字。"),
    ],
)
def test_what_cannot_be_shown(browser: Browsing, path: str, sentence: str) -> None:
    assert f"<p>{sentence}" in unescape(browser.get(f"/projects/1/{path}").text)


def test_nothing_in_common(browser: Browsing) -> None:
    browser.upload(1, "other.run", b"elsewhere Q0 d 1 2 other\n")
    page = browser.whole_page("/projects/1/compare?system=other", status=422)
    assert "<p>检索结果与标注没有共同的查询。" in page


def test_nothing_is_left_to_judge(browser: Browsing) -> None:
    for name in ("a", "b"):
        browser.upload(1, f"{name}.run", f"q Q0 d1 1 2 {name}\n".encode())
    browser.upload(1, "all.qrels", b"q 0 d1 1\n")
    page = browser.whole_page("/projects/1/plan?first=a&second=b")
    assert "前 10 个位置中没有能改变差异的未标注文档。" in page


def test_sentences_of_plans_and_studies(browser: Browsing) -> None:
    page = browser.whole_page("/projects/1/plan")
    assert "要以 80 % 的功效在 5 % 的水平上检出 0.0200 的差异，需要 501 个查询" in page
    votes = re.search(r"([\d,]+) judgments show a GSB", page)
    assert votes is not None
    assert f"需要 {votes[1]} 次判断" in page
    assert page.index("需要 501 个查询") < page.index("501 queries show a difference")
    study = browser.whole_page("/projects/1/studies/1?sequential=yes")
    assert "Krippendorff α 0.63 [0.27, 0.99]" in study
    assert "e 值达到 20 时即可停止" in study
    assert "胜率，不计平局" in study
    compared = browser.whole_page("/projects/1/compare?segments=words")
    assert ">1\u00a0个词</td>" in compared
    assert "胜/平/负：变好、不变和变差的查询数" in compared
