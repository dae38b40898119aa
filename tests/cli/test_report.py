"""idealist report as a user meets it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from support.report_pages import ODD_QUERIES, Page, write_odd_inputs

pytest.importorskip("matplotlib", reason="reports need matplotlib")

from idealist import read_judgments
from idealist.cli import main
from idealist.errors import visible

VOTES = "query,vote\n" + "".join(
    f"q{n},{vote}\n" for n, vote in enumerate(["good", "same", "bad", "good"] * 5)
)


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


def report(out: Path, *arguments: object) -> str:
    assert main(["report", *map(str, arguments), "-o", str(out)]) == 0
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def whole(shop: Path, votes: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("whole") / "report.html"
    runs = (shop / "a.run", shop / "b.run")
    return report(out, shop / "shop.qrels", *runs, "--baseline", shop / "a.run", "--votes", votes)


def test_everything_is_in_it(whole: str, shop: Path, votes: Path) -> None:
    page = Page(whole)
    headings = re.findall(r"<h2>([^<]*)</h2>", whole)
    assert headings == [
        *("Verdict", "Means", "Compared with a", "Figures", "Votes", "Queries"),
        *("Measures", "Conventions", "Inputs", "Versions"),
    ]
    for path in (shop / "shop.qrels", shop / "a.run", shop / "b.run", votes):
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() in page.text
        assert str(len(content)) in page.text
        assert path.name in page.text
    for phrase in (
        "the greater id first, bytewise, as trec_eval does",
        "numpy",
        "scipy",
        "judged: @10 a 0.67",
    ):
        assert phrase in page.text
    labels = " | ".join(page.values("aria-label"))
    for figure in (
        "intervals",
        "Differences in",
        "Scatter",
        "Bootstrap",
        "by cut-off",
        "rank by rank",
        "votes",
    ):
        assert figure in labels
    assert "GSB +0.2500" in page.text  # (10 − 5) / 20


@pytest.fixture(scope="module")
def tables(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Users and items of the shop: a segment and a popularity for each."""
    folder = tmp_path_factory.mktemp("tables")
    lines = [line.split() for line in (shop / "shop.qrels").read_text(encoding="utf-8").splitlines()]
    ranked = [
        line.split()
        for name in "ab"
        for line in (shop / f"{name}.run").read_text(encoding="utf-8").splitlines()
    ]
    queries = list(dict.fromkeys(line[0] for line in lines))
    items = dict.fromkeys(line[2] for line in (*lines, *ranked))
    halves = [(query, "early" if at < len(queries) / 2 else "late") for at, query in enumerate(queries)]
    for name, first in (("segments.csv", "query,half"), ("profiles.csv", "user,half")):
        rows = "".join(f"{query},{half}\n" for query, half in halves)
        (folder / name).write_text(f"{first}\n{rows}", encoding="utf-8")
    popularity = "".join(f"{item},{at + 1}\n" for at, item in enumerate(items))
    (folder / "items.csv").write_text(f"item,popularity\n{popularity}", encoding="utf-8")
    return folder


def test_segments_guards_and_items(shop: Path, tables: Path, tmp_path: Path) -> None:
    runs = (shop / "shop.qrels", shop / "a.run", shop / "b.run")
    items = ("-m", "nDCG@10", "-m", "Popularity@5", "--items", tables / "items.csv")
    by_file = ("--segments", tables / "segments.csv", "--segment-by", "half")
    guards = ("--guard", "AP=1%", "--guard", "early=0.5")
    page = Page(report(tmp_path / "r.html", *runs, *items, *by_file, *guards))
    for phrase in (
        "segment",
        "early",
        "late",
        "Popularity@5",
        "items.csv",
        "segments.csv",
        "other measures: AP",
    ):
        assert phrase in page.text
    assert "APearly" in page.text  # what --guard names is measured too, in every segment
    by_profiles = ("--profiles", tables / "profiles.csv", "--segment-by", "half", "--guards", "none")
    other = Page(report(tmp_path / "p.html", *runs, "-m", "nDCG@10", *by_profiles))
    assert "nDCG@10early" in other.text
    assert "segments: " not in other.text
    assert "segments: " in page.text


def test_segments_need_a_comparison(
    shop: Path, tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.html"
    command = ["report", str(shop / "shop.qrels"), str(shop / "a.run"), "-o", str(out)]
    assert main([*command, "--segments", str(tables / "segments.csv")]) == 2
    assert "--segments is for a comparison, and there is one run" in capsys.readouterr().err
    assert main([*command, "--items", str(tables / "items.csv")]) == 2
    assert "--items changes nothing" in capsys.readouterr().err
    assert not out.exists()


def test_nothing_is_fetched(whole: str) -> None:
    page = Page(whole)
    assert "http" not in whole
    assert "@import" not in whole
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert not page.values("src")
    assert all(href.startswith("#") for href in page.values("href"))
    assert all(place.startswith("#") for place in re.findall(r"url\(([^)]*)\)", whole))


def test_ids_are_unique_and_referred_to(whole: str) -> None:
    page = Page(whole)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in page.values("href")} <= set(ids)


def test_weights_are_those_of_the_votes_too(shop: Path, tmp_path: Path) -> None:
    """A good vote of weight 3 and a bad one of weight 1: (3 - 1) / 4 = 0.5, and 0 without weights."""
    first, second, *others = list(read_judgments(shop / "shop.qrels"))
    weights, votes = tmp_path / "w.csv", tmp_path / "v.csv"
    rest = "".join(f"{query},1\n" for query in others)
    weights.write_text(f"query,weight\n{first},3\n{second},1\n{rest}")
    votes.write_text(f"query,vote\n{first},good\n{second},bad\n")
    given = [shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "RR", "--votes", votes]
    assert "GSB +0.0000" in Page(report(tmp_path / "plain.html", *given)).text
    assert "GSB +0.5000" in Page(report(tmp_path / "weighted.html", *given, "--weights", weights)).text


def test_same_inputs_same_bytes(shop: Path, votes: Path, whole: str, idealist: Any, tmp_path: Path) -> None:
    """In another process and under other paths, too."""
    for path in (shop / "shop.qrels", shop / "a.run", shop / "b.run"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    names = [tmp_path / name for name in ("shop.qrels", "a.run", "b.run")]
    out = tmp_path / "other.html"
    done = idealist("report", *names, "--baseline", "a", "--votes", votes, "-o", out, PYTHONHASHSEED="7")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert out.read_text(encoding="utf-8") == whole


def test_a_date_only_if_asked(shop: Path, whole: str, tmp_path: Path) -> None:
    assert '<p class="soft">a, b · 40 queries · baseline a</p>' in whole
    text = report(
        tmp_path / "r.html",
        shop / "shop.qrels",
        shop / "a.run",
        "-m",
        "AP",
        "--date",
        "1 May",
        "--title",
        "<T>",
    )
    assert '<p class="soft">a · 40 queries · 1 May</p>' in text
    assert "<title>&lt;T&gt;</title>" in text


def test_one_run_without_a_baseline(shop: Path, tmp_path: Path) -> None:
    text = report(tmp_path / "r.html", shop / "shop.qrels", shop / "a.run", "-m", "RR")
    assert "<h2>Verdict</h2>" not in text
    assert "<h2>Figures</h2>" not in text  # no cut-off, no sum of gains, nothing to compare
    assert "0.9458" in text


def test_measures_of_every_kind(shop: Path, tmp_path: Path) -> None:
    """A count has no interval, a share no better side; the first that has one decides."""
    runs = (shop / "a.run", shop / "b.run")
    texts = [arg for text in ("Judged@10", "NumRel", "nDCG@5", "AP") for arg in ("-m", text)]
    text = report(tmp_path / "r.html", shop / "shop.qrels", *runs, "--baseline", "b.run", *texts)
    assert "a compared with b by Judged@10" in Page(text).text


def test_the_tests_that_are_asked_for(shop: Path, tmp_path: Path) -> None:
    """Columns of p-values are the interval's own and those of --tests; --all-pairs adds Tukey's."""
    runs = (shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10")
    text = report(tmp_path / "w.html", *runs, "--tests", "wilcoxon,sign", "--confidence", "0.9")
    titles = re.findall(r'<th[^>]*scope="col"[^>]*>(p(?: [^<]*)?)</th>', text)
    assert titles == ["p", "p (Holm)", "p (Wilcoxon)", "p (sign)"]
    assert "90 % interval" in text
    more = ("--tests", "t", "--all-pairs", "--rope", "0.01", "--more-tests", "--seed", "3")
    titles = re.findall(r'<th[^>]*scope="col"[^>]*>([^<]*)</th>', report(tmp_path / "t.html", *runs, *more))
    assert {"p (t-test)", "p (Tukey)", "worse/equivalent/better", "bootstrap interval"} <= set(titles)
    assert "p (randomised)" not in titles


def test_what_was_measured_before(shop: Path, tmp_path: Path, idealist: Any) -> None:
    """From saved evaluations, with the same differences; the page names the files."""
    paths = []
    for name in "ab":
        saved = idealist(
            "evaluate", shop / "shop.qrels", shop / f"{name}.run", "--format", "json", "--by-query"
        )
        path = tmp_path / f"{name}.json"
        path.write_text(saved.stdout, encoding="utf-8")
        paths.append(path)
    page = Page(report(tmp_path / "r.html", "--evaluations", *paths, "--baseline", "b.json"))
    assert "Compared with b" in page.text
    assert "-0.1888" in page.text  # nDCG@10 of b less that of a, from the other side
    assert "a.json" in page.text
    assert hashlib.sha256(paths[0].read_bytes()).hexdigest() in page.text


def test_ids_and_names_are_text_whatever_they_contain(tmp_path: Path) -> None:
    judgments, first, two = write_odd_inputs(tmp_path)
    text = report(tmp_path / "r.html", judgments, first, two, "--baseline", first)
    page = Page(text)
    assert "script" not in {tag for tag, _ in page.tags}
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)
    for query in ODD_QUERIES:
        shown = visible(query.decode("utf-8", "replace"))
        assert shown in page.text
    assert "<i>a<i>" in page.text


def test_two_thousand_queries_stay_small(tmp_path: Path) -> None:
    judged, a, b = [], [], []
    for n in range(2000):
        judged += [f"q{n:05} 0 d{d} {(n + d) % 3}" for d in range(5)]
        a += [f"q{n:05} Q0 d{d} 0 {(n * 7 + d * 13) % 31} a" for d in range(5)]
        b += [f"q{n:05} Q0 d{d} 0 {(n * 5 + d * 11) % 29} b" for d in range(5)]
    for name, lines in (("j.qrels", judged), ("a.run", a), ("b.run", b)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = (tmp_path / "j.qrels", tmp_path / "a.run", tmp_path / "b.run")
    text = report(tmp_path / "r.html", *files, "--baseline", "a")
    assert len(text) < 2_000_000
    assert "the 500 of 2,000 queries that moved most" in text


def test_it_does_not_write_over_a_file(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    out.write_text("mine", encoding="utf-8")
    given = ["report", str(shop / "shop.qrels"), str(shop / "a.run"), "-m", "AP", "-o", str(out)]
    assert main(given) == 2
    assert "the file exists already\nhint: --force replaces it" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "mine"
    assert main([*given, "--force"]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_failed_write_leaves_what_was_there(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    out.write_text("mine", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    given = ["report", str(shop / "shop.qrels"), str(shop / "a.run"), "-m", "AP", "-o", str(out), "--force"]
    assert main(given) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--baseline", "gone.run", "-o", "r.html"], "the baseline 'gone.run' is not among the runs"),
        (["-o", "none/r.html"], "none/r.html: there is no folder"),
        (["-o", "."], ". is a folder"),
        (["-m", "nonsense", "-o", "r.html"], "nonsense"),
        (["--votes", "gone.csv", "-o", "r.html"], "gone.csv"),
        ([], "required: -o/--output"),
    ],
)
def test_input_errors(
    idealist: Any, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = idealist("report", shop / "shop.qrels", shop / "a.run", shop / "b.run", *more)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_cannot_be_read_twice(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "a.run")
    given = ["report", str(shop / "shop.qrels"), str(tmp_path / "a.run"), "-o", str(tmp_path / "r.html")]
    assert main(given) == 2
    assert "a report reads its inputs twice" in capsys.readouterr().err


def test_without_matplotlib_it_says_what_to_install(shop: Path, tmp_path: Path) -> None:
    given = ["report", str(shop / "shop.qrels"), str(shop / "a.run"), "-o", str(tmp_path / "r.html")]
    code = f"import sys; sys.modules['matplotlib'] = None\nfrom idealist.cli import main\nsys.exit(main({given!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT / "tests"
    )
    assert done.returncode == 2
    assert done.stderr == "idealist: matplotlib is not installed\nhint: pip install 'idealist[figures]'\n"
