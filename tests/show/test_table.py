"""One table in every format."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist.errors import InputError
from idealist.show import Table
from idealist.show.cells import cell_text
from idealist.show.html import clean

TABLE = Table(
    ["measure", "bm25", "n_1"],
    [["nDCG@10", 0.25, 3], ["a|b&c", 1.0, None], ["中文", 2, 12]],
    below=["", "conventions: all"],
    best={(0, 1)},
    rules={2},
)


def test_text_is_aligned() -> None:
    assert TABLE.to_text() == (
        "measure    bm25  n_1\n"
        "nDCG@10  0.2500    3\n"
        "a|b&c    1.0000\n"
        "───────  ──────  ───\n"
        "中文          2   12\n"
        "\n"
        "conventions: all\n"
    )


def test_color_is_only_added() -> None:
    plain = TABLE.to_text(color=True)
    assert "\033[1m0.2500\033[0m" in plain
    for code in ("\033[0m", "\033[1m", "\033[2m"):
        plain = plain.replace(code, "")
    assert [line.rstrip() for line in plain.splitlines()] == TABLE.to_text().splitlines()


def test_markdown() -> None:
    assert TABLE.to_markdown().splitlines() == [
        "| measure | bm25 | n_1 |",
        "| --- | ---: | ---: |",
        "| nDCG@10 | **0.2500** | 3 |",
        "| a\\|b&amp;c | 1.0000 |  |",
        "| 中文 | 2 | 12 |",
        "",
        "conventions: all",
    ]


def test_latex() -> None:
    assert TABLE.to_latex().splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"measure & bm25 & n\_1 \\",
        r"\midrule",
        r"nDCG@10 & \textbf{0.2500} & 3 \\",
        r"a|b\&c & 1.0000 &  \\",
        r"\midrule",
        r"中文 & 2 & 12 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% conventions: all",
    ]


def test_csv_keeps_every_digit() -> None:
    table = Table(["x"], [[1 / 3], ["a,b"], [None]])
    assert list(csv.reader(io.StringIO(table.to_csv()))) == [["x"], [str(1 / 3)], ["a,b"], [""]]


MARKED = Table(
    ["system", "nDCG@10", "AP"],
    [["a bm25", 0.25, 0.5], ["b dense", 0.75, None], ["c both", 0.7391, 1.0]],
    best={(1, 1), (2, 2)},
    marks={(1, 1): "a", (2, 1): "ab", (0, 2): ""},
)


def test_letters_stand_raised_in_text_without_moving_the_numbers() -> None:
    assert MARKED.to_text() == (
        "system   nDCG@10        AP\na bm25    0.2500    0.5000\nb dense   0.7500ᵃ\nc both    0.7391ᵃᵇ  1.0000\n"
    )


def test_letters_in_markdown() -> None:
    assert MARKED.to_markdown().splitlines()[3:] == [
        "| b dense | **0.7500**<sup>a</sup> |  |",
        "| c both | 0.7391<sup>ab</sup> | **1.0000** |",
    ]


def test_letters_in_latex() -> None:
    assert r"b dense & \textbf{0.7500}$^{a}$ &  \\" in MARKED.to_latex()
    assert r"c both & 0.7391$^{ab}$ & \textbf{1.0000} \\" in MARKED.to_latex()


def test_letters_have_a_column_of_their_own_in_csv() -> None:
    assert MARKED.to_csv().splitlines() == [
        "system,nDCG@10,nDCG@10 marks,AP",
        "a bm25,0.25,,0.5",
        "b dense,0.75,a,",
        "c both,0.7391,ab,1.0",
    ]


def test_json() -> None:
    assert json.loads(MARKED.to_json()) == {
        "titles": ["system", "nDCG@10", "AP"],
        "rows": [["a bm25", 0.25, 0.5], ["b dense", 0.75, None], ["c both", 0.7391, 1.0]],
        "best": [[1, 1], [2, 2]],
        "marks": [[1, 1, "a"], [2, 1, "ab"]],
        "below": [],
    }
    odd = json.loads(Table(["x", "y"], [[math.nan, (0.0, math.inf)]]).to_json())
    assert odd["rows"] == [[None, [0.0, None]]]


def test_a_mark_beside_no_cell_is_refused() -> None:
    with pytest.raises(InputError, match="row 3, column 0"):
        Table(["x"], [[1]], marks={(3, 0): "a"})


def test_html() -> None:
    assert TABLE.to_html(caption="a < b").splitlines() == [
        "<table>",
        "<caption>a &lt; b</caption>",
        '<thead><tr><th scope="col">measure</th><th scope="col" class="number">bm25</th>'
        '<th scope="col" class="number">n_1</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row">nDCG@10</th><td class="number"><strong>0.2500</strong></td>'
        '<td class="number">3</td></tr>',
        '<tr><th scope="row">a|b&amp;c</th><td class="number">1.0000</td><td class="number"></td></tr>',
        '<tr class="rule"><th scope="row">中文</th><td class="number">2</td><td class="number">12</td></tr>',
        "</tbody>",
        "</table>",
        '<p class="below">conventions: all</p>',
    ]
    assert '<strong>0.7500</strong><sup>a</sup></td><td class="number marked"></td>' in MARKED.to_html()


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12), st.floats()), max_size=4))
def test_html_is_well_formed_and_says_what_the_cells_say(rows: list[tuple[str, str, float]]) -> None:
    table = Table(["<query>", 'a "b"', "&"], rows, marks={(0, 1): "<i>"} if rows else {})
    parsed = ElementTree.fromstring(f"<div>{table.to_html()}</div>")
    assert ["".join(cell.itertext()) for cell in parsed.iter("th")][:3] == table.titles
    cells = [["".join(cell.itertext()) for cell in row] for row in parsed.findall(".//tbody/tr")]
    shown = [[clean(cell_text(cell)) for cell in row] for row in table.rows]
    if rows:
        shown[0][1] += "<i>"
    assert [[_same_lines(cell) for cell in row] for row in cells] == [
        [_same_lines(cell) for cell in row] for row in shown
    ]


def _same_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(st.lists(st.tuples(st.text(max_size=12), st.floats()), max_size=4))
def test_latex_is_balanced_and_escaped(rows: list[tuple[str, float]]) -> None:
    places = [(at, 1) for at in range(len(rows))]
    latex = Table(["a_b", "50%"], rows, best=places, marks=dict.fromkeys(places, "ab")).to_latex()
    bare = re.sub(r"\\[\\&%$#_{}]", "", latex.replace(r"\\" + "\n", "\n"))
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") == 2 * len(rows)
    assert bare.count("&") == 1 + len(rows)
    assert "%" not in bare
    assert "#" not in bare


ODD = Table(
    ["query", "<b>"],
    [["\x1b[2J\x9bm", 1.0], ["<script>|`x`", 2.0], ["=cmd|' /C calc'!A0", 3.0], ["-5", 4.0]],
    below=["run a\n\\input{/etc/passwd}"],
)


def test_no_format_lets_ids_command_a_terminal() -> None:
    for shown in (
        ODD.to_text(),
        ODD.to_markdown(),
        ODD.to_latex(),
        ODD.to_csv(),
        ODD.to_html(),
        ODD.to_json(),
    ):
        assert "\x1b" not in shown
        assert "\x9b" not in shown
    assert r"\x1b[2J\x9bm" in ODD.to_text()


def test_latex_comments_end_where_they_should() -> None:
    assert ODD.to_latex().splitlines()[-1] == r"% run a\n\input{/etc/passwd}"


def test_markdown_shows_html_and_pipes() -> None:
    assert r"| &lt;script&gt;\|\`x\` | 2.0000 |" in ODD.to_markdown().splitlines()
    assert "| query | &lt;b&gt; |" in ODD.to_markdown().splitlines()


def test_csv_holds_no_formulas() -> None:
    """An id that is a number stays one."""
    assert [line.split(",")[0] for line in ODD.to_csv().splitlines()[3:]] == ["'=cmd|' /C calc'!A0", "-5"]
