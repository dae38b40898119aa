"""What `check` says of a run is that of the judgments which the project has now."""

from __future__ import annotations

import re
from pathlib import Path

from support.browsing import Browsing, awaited

from idealist.checks import run_checks as pair_checks
from idealist.web.projects.project_sources import Source, list_sources
from idealist.web.workbench import Workbench

RUN = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 D3 1 1.0 t\n"


def codes(run: Source) -> set[str]:
    return {finding["code"] for file in run.findings["files"] for finding in file["findings"]}


def checked(bench: Workbench, against: str | None) -> Source:
    """The run, once it was checked with these judgments."""

    def current() -> Source | None:
        (run,) = list_sources(bench.database, 1, "run")
        return run if run.findings["files"][0]["against"] == against else None

    return awaited(current, f"it is never checked with {against}")


def test_judgments_that_come_later_or_go(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="late")
    browser.upload(1, "t.run", RUN)
    assert "missing-query" not in codes(checked(bench, None))
    browser.upload(1, "first.qrels", b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\nq9 0 d1 1\n")
    run = checked(bench, "first")
    assert {"missing-query", "id-case"} <= codes(run)  # q9 is not in the run; D3 looks like d3
    assert run.worst == "warning"
    page = browser.page(f"/projects/1/sources/{run.id}")
    assert "1 query judged and not in the run" in page
    assert str(bench.files.folder) not in page
    browser.upload(1, "second.qrels", b"q1 0 d1 1\nq1 0 d2 0\nq2 0 D3 2\n")
    assert not {"missing-query", "id-case"} & codes(checked(bench, "second"))
    (judgments,) = list_sources(bench.database, 1, "judgments")
    browser.send(f"/projects/1/sources/{judgments.id}/remove", f"/projects/1/sources/{judgments.id}")
    assert "unjudged" not in codes(checked(bench, None))


def test_what_was_wrong_with_the_file_stays(bench: Workbench) -> None:
    """Ranks that contradict the scores are seen in the uploaded file alone: what is stored has none."""
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="ranks")
    browser.upload(1, "t.run", b"q1 Q0 d1 2 2.5 t\nq1 Q0 d2 1 1.5 t\n")
    assert "scores-ascending" in codes(checked(bench, None))
    browser.upload(1, "j.qrels", b"q1 0 d1 1\n")
    assert "scores-ascending" in codes(checked(bench, "j"))


def test_every_code_of_a_pair_is_renewed() -> None:
    source = Path(str(pair_checks.__file__)).read_text(encoding="utf-8").partition("def pair_findings")[2]
    named = set(re.findall(r'^\s*\(?"([a-z]+(?:-[a-z]+)*)"(?:,| if)', source, re.MULTILINE))
    named |= set(re.findall(r'else "([a-z]+-[a-z]+)"', source))
    assert {"no-shared-query", "ties", "unjudged-some"} <= named <= pair_checks.PAIR_CODES
