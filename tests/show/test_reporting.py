"""The verb `report`: what it takes, what it gives, what it refuses."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from support.report_pages import Page

pytest.importorskip("matplotlib", reason="reports need matplotlib")

import idealist as il
from idealist.cli import main
from idealist.show.report_page import InputFiles

JUDGED = {f"q{at}": {"a": 1, "b": 0} for at in range(8)}
FIRST, SECOND = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
# RR is 1/2 of each query for old, and 1 for new but for the last: the mean difference is 7 · 1/2 / 8 = 0.4375.
OLD = dict.fromkeys(JUDGED, SECOND)
NEW = {query: SECOND if query == "q7" else FIRST for query in JUDGED}
RUNS = {"old": OLD, "new": NEW}


@pytest.fixture(scope="module")
def page(shop: Path) -> il.show.Report:
    return il.report(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], votes=shop / "votes.csv")


def test_it_is_the_page_of_the_command(shop: Path, page: il.show.Report, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    files = [str(shop / name) for name in ("shop.qrels", "a.run", "b.run")]
    assert main(["report", *files, "--votes", str(shop / "votes.csv"), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == page.html


def test_either_order(shop: Path) -> None:
    runs = [shop / "a.run", shop / "b.run"]
    first = il.report(shop / "shop.qrels", runs, "RR")
    assert il.report(shop / "shop.qrels", runs, "RR").html == first.html
    assert il.report(il.read_judgments(shop / "shop.qrels"), runs, "RR").evaluation.systems == ("a", "b")


def test_what_it_shows_is_there_as_results(page: il.show.Report) -> None:
    assert page.evaluation.systems == ("a", "b")
    assert page.comparison is not None
    assert page.gsb is not None
    assert page.comparison.baseline == "a"
    assert str(page.goal) == "nDCG@10"
    assert page.verdicts["b"].outcome == "undecided"
    assert repr(page).startswith("<Report: a, b; nDCG@10, AP, RR, P@10, R@100; 40 queries; ")
    assert "95 % intervals allow for unseen failures" in str(page)
    assert page.to_frame("pandas")["system"].tolist() == ["b"] * 5


def test_a_notebook_shows_the_page_in_a_frame(page: il.show.Report) -> None:
    (tag, attributes), *others = Page(page._repr_html_()).tags
    assert (tag, others) == ("iframe", [])
    assert attributes["srcdoc"] == page.html


def test_writing(page: il.show.Report, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    page.write(path)
    assert path.read_text(encoding="utf-8") == page.html
    with pytest.raises(il.InputError, match="the file exists already"):
        page.write(path)
    page.write(path, force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_dicts_lists_and_settings() -> None:
    """Of objects there is no file: the inputs are named with the SHA-256 of their content."""
    page = il.report(JUDGED, RUNS, "RR", baseline="new", tests="sign", confidence=0.9, margin=0.01)
    assert page.comparison is not None
    (contrast,) = page.comparison
    assert contrast.difference == -0.4375
    assert contrast.p_sign == 2 / 2**7  # seven of seven queries fall, on both sides
    assert page.verdicts["old"].outcome == "block"
    titles = re.findall(r'<th[^>]*scope="col"[^>]*>(p(?: [^<]*)?)</th>', page.html)
    assert titles == ["p", "p (Holm)", "p (sign)"]
    assert il.Run(OLD).sha256 in page.html
    lists = il.report({"q": ["y"]}, {"q": ["x", "y"]}, "RR")
    assert lists.comparison is None
    assert lists.evaluation.mean("RR") == 0.5
    assert lists.verdicts == {}


def test_segments_and_guards() -> None:
    segments = {query: "late" if query == "q7" else "early" for query in JUDGED}
    page = il.report(
        JUDGED, RUNS, ["RR", "P@1"], segments=segments, guard_margins={"P@1": 0.9}, guards=["measures"]
    )
    assert "early" in Page(page.html).text
    assert [guard.name for guard in page.verdicts["new"].guards] == ["other measures"]


def test_words_of_votes_are_no_paths() -> None:
    gsb = il.report(JUDGED, OLD, "RR", votes=["good", "same"]).gsb
    assert gsb is not None
    assert (gsb.good, gsb.same) == (1, 1)


def test_frames() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [(query, document, score) for query, scores in NEW.items() for document, score in scores.items()]
    run = pandas.DataFrame(rows, columns=["who", "what", "points"])
    graded = pandas.DataFrame(
        [(query, document, grade) for query, grades in JUDGED.items() for document, grade in grades.items()],
        columns=["who", "what", "grade"],
    )
    columns = {"query": "who", "document": "what", "score": "points"}
    page = il.report(graded, {"new": run}, "RR", columns=columns)
    assert page.evaluation.mean("RR") == 15 / 16


def test_what_was_measured_or_compared_before() -> None:
    evaluation = il.evaluate(JUDGED, RUNS, ["P@1", "P@2"])
    page = il.report(evaluation, baseline="old", seed=4)
    assert page.evaluation is evaluation
    assert page.comparison is not None
    assert page.comparison.settings.seed == 4
    assert "by cut-off" in page.html  # P is there at two of them
    comparison = il.compare(JUDGED, RUNS, "RR", tests="wilcoxon")
    assert il.report(comparison, margin="1%").comparison is comparison
    assert "p (Wilcoxon)" in il.report(comparison).html


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"conventions": "lightgbm"}, "conventions changes nothing: the runs are compared already"),
        ({"tests": "sign"}, "tests changes nothing"),
        ({"baseline": "old"}, "baseline changes nothing"),
        ({"runs": RUNS}, "runs changes nothing"),
        ({"measures": "RR"}, "measures changes nothing"),
    ],
)
def test_what_is_settled_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(il.InputError, match=message):
        il.report(il.compare(JUDGED, RUNS, "RR"), **settings)


def test_one_run_is_not_compared() -> None:
    with pytest.raises(il.InputError, match="segments is for a comparison, and there is one run"):
        il.report(JUDGED, OLD, "RR", segments=dict.fromkeys(JUDGED, "all"))
    with pytest.raises(il.InputError, match="runs are measured with judgments, and there are none"):
        il.report(OLD)


def test_inputs_name_what_objects_were_read_from(shop: Path) -> None:
    run, judged = il.read_run(shop / "a.run"), il.read_judgments(shop / "shop.qrels")
    files = [("judgments", shop / "shop.qrels"), ("run", shop / "a.run")]
    page = il.report(judged, run, "RR", inputs=files)
    for _, path in files:
        assert hashlib.sha256(path.read_bytes()).hexdigest() in page.html
    assert "without bytes" not in page.html
    by_content = il.report(judged, run, "RR")
    assert run.sha256 in by_content.html
    assert "without bytes" in by_content.html


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    """Between the moment that it is named and that of its SHA-256."""
    path = tmp_path / "a.run"
    path.write_text("q 0 d 1 1.0 a\n", encoding="utf-8")
    files = InputFiles([("run", path)])
    assert [(file.role, file.name, file.size) for file in files.described()] == [("run", "a.run", 14)]
    path.write_text("q 0 d 1 1.00 a\n", encoding="utf-8")
    with pytest.raises(il.InputError, match="the file changed while it was read"):
        il.report(JUDGED, OLD, "RR", inputs=files)


def test_votes_and_measures_have_one_outcome() -> None:
    """The measure says better; with votes against it, the one outcome is undecided, and the votes say nothing beside it."""
    queries = [f"q{at:02}" for at in range(60)]
    judged = {query: {"x": 1} for query in queries}
    old = {query: {"y": 2.0, "x": 1.0} for query in queries}
    new = {query: {"x": 2.0, "y": 1.0} for query in queries}
    alone = il.report(judged, {"old": old, "new": new}, "RR")
    assert alone.verdicts["new"].outcome == "ship"
    liked = il.report(judged, {"old": old, "new": new}, "RR", votes=["good"] * 80 + ["same"] * 20)
    assert liked.verdicts["new"].outcome == "ship"
    assert liked.verdicts["new"].guards[-1].name == "votes"
    against = il.report(judged, {"old": old, "new": new}, "RR", votes=["bad"] * 80 + ["same"] * 20)
    assert against.verdicts["new"].outcome == "undecided"
    assert "votes failed" in against.verdicts["new"].reason
    for page in (liked, against):
        assert page.html.count('class="verdict ') == 1
        assert str(page).count("SHIP:") + str(page).count("UNDECIDED:") + str(page).count("BLOCK:") == 1


def test_votes_beside_several_candidates_have_their_own_outcome() -> None:
    """They do not say which of these they are on."""
    page = il.report(JUDGED, {"old": OLD, "new": NEW, "newer": NEW}, "RR", votes=["good", "same"])
    assert page.html.count('class="verdict ') == 3
