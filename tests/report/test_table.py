"""One table in every format."""

from __future__ import annotations

import csv
import io

from idealist.report import Table

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
        "| a\\|b&c | 1.0000 |  |",
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
