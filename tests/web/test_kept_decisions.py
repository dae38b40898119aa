"""Recorded decisions in the workbench: brought in, listed, never changed."""

from __future__ import annotations

from typing import Any

from support.browsing import Browsing

from idealist.comparison.decision_records import PARTS, DecisionRecord
from idealist.web.comparing.trends import decisions_of, history_of
from idealist.web.workbench import Workbench

FACTS: dict[str, Any] = {part: {} for part in PARTS} | {
    "written": "2026-11-19T10:00:00+00:00",
    "by": "ann",
    "gate": "launch.toml",
    "verdict": {"outcome": "ship", "reason": "better"},
    "inputs": {"candidate": {"name": "b.run", "bytes": 3, "sha256": "ab" * 32}},
    "parts": [],
    "notes": [],
    "lock": None,
}
PAGE = "/projects/1/history"


def sent(browser: Browsing, content: str) -> Any:
    files = {"decision": ("decision.json", content.encode())}
    return browser.send("/projects/1/decisions", PAGE, files=files)


def test_a_recorded_decision_is_kept_and_shown(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    record = DecisionRecord.of(FACTS)
    answer = sent(browser, record.to_json())
    assert answer.status_code == 200, answer.text
    (kept,) = decisions_of(shop_bench.database, 1)
    assert (kept.content["outcome"], kept.content["by"], kept.content["locked"]) == ("ship", "ann", False)
    page = browser.whole_page(PAGE)
    for shown in ("launch.toml", "by ann", "b.run", "ab" * 5, "No lock fixed the rules beforehand."):
        assert shown in page
    assert history_of(shop_bench.database, 1)[0].action == "decision recorded"


def test_a_changed_record_a_second_one_and_other_files_are_refused(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    text = DecisionRecord.of(FACTS).to_json()
    changed = sent(browser, text.replace('"ann"', '"eve"'))
    assert (changed.status_code, "changed after it was written" in changed.text) == (422, True)
    assert sent(browser, text).status_code == 200
    assert "kept already" in sent(browser, text).text
    assert "this is not a recorded decision" in sent(browser, "{}").text
    assert len(decisions_of(shop_bench.database, 1)) == 1
