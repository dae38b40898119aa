"""Numbers of hundreds of digits are no numbers."""

from __future__ import annotations

from pathlib import Path

import idealist as il


def test_a_grade_of_400_digits_is_a_bad_line_and_the_others_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text(f"q1 0 d1 2\nq1 0 d2 {'9' * 400}\nq2 0 d3 0\n")
    result = il.check(judgments=tmp_path / "x.qrels")
    (bad,) = (finding for finding in result if finding.severity == "error")
    assert bad.count == 1
    assert bad.examples[0].line == 2
    assert result.files[0].rows == 2
