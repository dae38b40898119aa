"""One view in every format."""

from __future__ import annotations

import json
import re

from conftest import ROOT

from idealist.comparison.verdict import Guard, decide
from idealist.conventions import LIGHTGBM, Conventions
from idealist.show.cells import PValue, Signed
from idealist.show.convention_tables import conventions_line
from idealist.show.table import Table
from idealist.show.verdict_tables import VerdictBlock
from idealist.show.view import Lines, View
from idealist.statistics.mean_estimates import Interval

TABLE = Table(["name", "difference", "p"], [["a_b", Signed(0.125), PValue(2.5e-9)]])
VERDICT = decide(0.125, Interval(0.1, 0.2, 0.95), guards=[Guard.of("judged", False, "0.1 <b>apart</b>")])
VIEW = View(
    lambda: [TABLE, Lines(("note: a*b",))],
    verdict=VerdictBlock(VERDICT),
    rows=lambda: TABLE,
    beside=["note: a*b"],
)
FIRST = "UNDECIDED: better, but judged failed (difference 0.1250, 95 % interval 0.1000 to 0.2000)"


def test_text() -> None:
    assert VIEW.to_text() == (
        "name  difference        p\n"
        "a_b      +0.1250  <0.0001\n"
        "\n"
        "note: a*b\n"
        "\n"
        f"{FIRST}\n"
        "  FAILED  judged: 0.1 <b>apart</b>\n"
    )


def test_markdown_begins_with_the_verdict() -> None:
    assert VIEW.to_markdown().splitlines() == [
        "### Verdict: undecided",
        "",
        "Better, but judged failed (difference 0.1250, 95 % interval 0.1000 to 0.2000).",
        "",
        "Policy interval, margin 0.0200.",
        "",
        "- **failed**: judged: 0.1 &lt;b&gt;apart&lt;/b&gt;",
        "",
        "| name | difference | p |",
        "| --- | ---: | ---: |",
        "| a_b | +0.1250 | &lt;0.0001 |",
        "",
        "- note: a\\*b",
    ]


def test_commands_in_a_verdict_are_code_on_a_page() -> None:
    judged = Guard.of("judged", False, "0.1 <b>apart</b>; `idealist plan next` says what to judge")
    page = VerdictBlock(decide(0.125, Interval(0.1, 0.2, 0.95), guards=[judged])).to_html()
    assert "0.1 &lt;b&gt;apart&lt;/b&gt;; <code>idealist plan next</code> says what to judge" in page


def test_latex() -> None:
    latex = VIEW.to_latex()
    assert r"a\_b & +0.1250 & \textless{}0.0001 \\" in latex
    assert latex.endswith(f"% note: a*b\n\n% {FIRST}\n%   FAILED  judged: 0.1 <b>apart</b>\n")


def test_html() -> None:
    html = VIEW.to_html()
    assert '<td class="number">&lt;0.0001</td>' in html
    assert '<div class="verdict undecided">' in html
    assert "0.1 &lt;b&gt;apart&lt;/b&gt;" in html


def test_machines_have_all_digits() -> None:
    assert VIEW.to_csv() == "name,difference,p\na_b,0.125,2.5e-09\n"
    assert json.loads(VIEW.to_json()) == [{"name": "a_b", "difference": 0.125, "p": 2.5e-9}]


def test_what_is_empty_leaves_no_gap() -> None:
    assert View(lambda: [TABLE, Lines(())], rows=lambda: TABLE).to_text() == TABLE.to_text()


def test_only_conventions_that_differ_are_said() -> None:
    assert conventions_line(Conventions()) == (
        "conventions: default (`idealist conventions idealist` lists them)"
    )
    assert conventions_line(LIGHTGBM) == (
        "conventions: ties input-order · missing skip · empty one · negative error, otherwise default "
        "(`idealist conventions idealist` lists them)"
    )


def test_p_values_are_written_in_one_way() -> None:
    """Nowhere but in `wording` is a p-value, or the name of an interval, formatted by hand."""
    by_hand = re.compile(r"\bp \{[^}]*:\.\d|\bp=\{[^}]*:\.\d|confidence:\.0%|confidence:g\} %")
    for path in sorted((ROOT / "src" / "idealist").rglob("*.py")):
        match = by_hand.search(path.read_text(encoding="utf-8"))
        assert match is None or path.name == "wording.py", f"{path}: {match}"
