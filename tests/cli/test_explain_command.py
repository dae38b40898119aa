"""`idealist explain` shows the columns of each kind of measure, and how its value is made of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("measure", "titles", "value"),
    [
        ("AP", ["relevant so far", "precision", "contribution", "sum of precision"], "1.1667 / 2 = 0.5833"),
        ("RR", ["relevant", "1/rank", "contribution"], "RR = 0.5000"),
        ("P@4", ["relevant", "relevant so far"], "relevant / k = 2 / 4 = 0.5000"),
        ("R@2", ["relevant", "relevant so far"], "relevant / all relevant = 1 / 2 = 0.5000"),
        ("RBP", ["gain", "chance of looking", "contribution", "total gain"], "1.4400 / 5.0000 = 0.2880"),
        ("ERR@2", ["satisfies", "chance of looking", "1/rank", "contribution", "ERR"], "@2 = 0.0312"),
    ],
)
def test_explain_shows_the_columns_of_a_measure(
    idealist: Any, measure: str, titles: list[str], value: str
) -> None:
    """Relevant at ranks 2 and 3: AP sums 1/2 + 2/3; RBP sums 0.8 + 0.8² of 1/(1 - 0.8); ERR@2 is 1/16 · 1/2."""
    done = idealist("explain", "--grades=-,1,1", "-m", measure)
    assert re.split("  +", done.stdout.splitlines()[0].strip()) == ["rank", "grade", *titles]
    assert value in done.stdout


def test_explain_says_what_undefined_values_count(idealist: Any) -> None:
    done = idealist("explain", "--grades", "0,0", "-m", "AP", "--empty", "one")
    assert "AP is undefined: nothing is relevant; it counts as 1.0000" in done.stdout


def test_explain_names_tied_documents_with_their_scores(idealist: Any, tmp_path: Path) -> None:
    """Two documents share ranks 1 and 2: the reciprocal rank of the relevant one is 1 or 1/2."""
    (tmp_path / "judged.qrels").write_text("q 0 a 1\n")
    (tmp_path / "tied.run").write_text("q Q0 a 1 0.5 t\nq Q0 b 2 0.5 t\n")
    files = [tmp_path / "judged.qrels", tmp_path / "tied.run"]
    done = idealist("explain", *files, "--query", "q", "-m", "RR", "--ties", "averaged")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["rank", "document", "score", "grade", "relevant", "1/rank", "contribution"]
    assert lines[1:3] == [
        ["1", "b", "0.5000", "–", "0", "0.7500", "0.0000"],
        ["2", "a", "0.5000", "1", "1", "0.7500", "0.7500"],
    ]
    assert "equal scores: a document's numbers are means over all orders" in done.stdout
