"""Each thing that is looked for is found where it is, and only there."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars
import pytest

from idealist import InputError, Judgments, Run, evaluate, read_run
from idealist.checks import CODES, CheckResult, check

DOCUMENTS = ("d1", "d2", "d3", "d4", "d5")
QRELS = "".join(
    f"{q} 0 {d} {g}\n" for q in ("q1", "q2") for d, g in zip(DOCUMENTS, (0, 1, 2, 0, 1), strict=True)
)
RUN = "".join(f"{q} Q0 {d} {r} {9 - r}.5 bm25\n" for q in ("q1", "q2") for r, d in enumerate(DOCUMENTS, 1))
# By code: the run, or None for one without oddities, and the judgments, likewise.
FILES: dict[str, tuple[str | None, str | None]] = {
    "unreadable": ("a b c\nd e f\n", None),
    "empty": ("", None),
    "bad-line": (RUN + "q2 Q0 d6 6 high bm25\n", None),
    "duplicate": (RUN + "q2 Q0 d1 6 0.5 bm25\n", None),
    "contradiction": (None, QRELS + "q2 0 d1 2\n"),
    "no-shared-query": (RUN.replace("q", "topic-"), None),
    "missing-query": ("".join(RUN.splitlines(keepends=True)[:5]), None),
    "ties": (RUN.replace("7.5", "8.5"), None),
    "constant-scores": (
        RUN.replace("q1 Q0", "q0 Q0 d1 1 1.5 x\nq0 Q0 d2 2 1.5 x\nq1 Q0", 1).replace("bm25", "x"),
        "q0",
    ),
    "scores-ascending": (
        "".join(f"{q} Q0 {d} {r} {r}.5 b\n" for q in ("q1", "q2") for r, d in enumerate(DOCUMENTS, 1)),
        None,
    ),
    "rank-order": (RUN.replace("q1 Q0 d1 1 8.5", "q1 Q0 d1 1 7"), None),
    "score-infinite": (RUN.replace("8.5", "inf"), None),
    "grade-large": (None, QRELS.replace("q1 0 d3 2", "q1 0 d3 1700000000")),
    "unjudged": (RUN.replace("d1", "x1").replace("d2", "x2").replace("d3", "x3"), None),
    "several-systems": (RUN.replace("q2 Q0 d5 5 4.5 bm25", "q2 Q0 d5 5 4.5 dense"), None),
    "id-case": (None, QRELS + "q1 0 D6 0\nq1 0 d6 0\n"),
    "id-zeros": (None, QRELS + "q1 0 e06 0\nq1 0 e6 0\n"),
    "id-unicode": (None, QRELS + "q1 0 caf\u00e9 0\nq1 0 cafe\u0301 0\n"),
    "id-decimal": (None, QRELS + "q1 0 7 0\nq1 0 7.0 0\n"),
    "id-invisible": (None, QRELS + "q1 0 d7 0\nq1 0 \u200bd7 0\n"),
    "id-quotes": (None, QRELS + 'q1 0 d7 0\nq1 0 "d7" 0\n'),
    "id-percent": (None, QRELS + "q1 0 d7 0\nq1 0 d%37 0\n"),
    "id-script": (None, QRELS + "q1 0 d7 0\nq1 0 \u05017 0\n"),  # a Cyrillic letter
    "id-encoding": (None, QRELS + "q1 0 café 0\nq1 0 cafÃ© 0\n"),  # UTF-8 read as cp1252
    "line-ends": (RUN.replace("\n", "\r\n", 1), None),
    "byte-order-mark": ("\ufeff" + RUN, None),
    "unjudged-query": (RUN + RUN.replace("q1", "q3").replace("q2", "q4"), None),
    "unjudged-some": (RUN.replace("q1 Q0 d1 ", "q1 Q0 x1 "), None),
    "own-id": (RUN.replace("q1 Q0 d1", "q1 Q0 q1"), QRELS.replace("q1 0 d1", "q1 0 q1")),
    "depth-short": (
        RUN + "".join(RUN.splitlines(keepends=True)[:4]).replace("q1", "q3"),
        QRELS + "".join(QRELS.splitlines(keepends=True)[:5]).replace("q1", "q3"),
    ),
    "rank-start": (
        "".join(f"{q} Q0 {d} {r} {9 - r}.5 b\n" for q in ("q1", "q2") for r, d in enumerate(DOCUMENTS, 2)),
        None,
    ),
    "rank-repeat": (RUN.replace("q1 Q0 d2 2", "q1 Q0 d2 1"), None),
    "rank-text": (RUN.replace("q1 Q0 d2 2", "q1 Q0 d2 -"), None),
    "scattered": (RUN.replace("q1 Q0 d5 5 4.5 bm25\n", "") + "q1 Q0 d5 5 4.5 bm25\n", None),
    "blank-lines": (RUN + "\n \n", None),
    "last-newline": (RUN.removesuffix("\n"), None),
    "subtopics": (
        None,
        "".join(
            f"{q} {s} {d} {g}\n"
            for q in ("q1", "q2")
            for s in "ab"
            for d, g in zip(DOCUMENTS, (0, 1, 2, 0, 1), strict=True)
        ),
    ),
    "grade-negative": (None, QRELS.replace("q1 0 d1 0", "q1 0 d1 -1")),
    "grade-fraction": (None, QRELS.replace("q1 0 d2 1", "q1 0 d2 0.5")),
    "nothing-relevant": (None, QRELS + "".join(f"q3 0 {d} 0\n" for d in DOCUMENTS)),
    "one-grade": (None, "".join(f"{q} 0 {d} 1\n" for q in ("q1", "q2") for d in DOCUMENTS)),
    "no-zero": (None, "".join(f"{q} 0 {d} {1 + (d == 'd2')}\n" for q in ("q1", "q2") for d in DOCUMENTS)),
    "few-judged": (
        None,
        "".join(f"{q} 0 {d} {int(d == 'd2')}\n" for q in ("q1", "q2") for d in DOCUMENTS[:4]),
    ),
}
# Those that need more than two files: they have tests of their own below.
OTHERS = {"grade-range", "id-spaces", "id-blanks", "depth", "ties-small", "constant-scores", "empty"}


def checked(
    folder: Path, run: str | None = None, judged: str | None = None, **settings: object
) -> CheckResult:
    """The two files under check; what is None is as it should be."""
    paths = folder / "a.run", folder / "a.qrels"
    for path, text in zip(
        paths, (RUN if run is None else run, QRELS if judged is None else judged), strict=True
    ):
        path.write_bytes(text.encode("utf-8"))
    return check(paths[1], str(paths[0]), **{"at": [3], **settings})  # type: ignore[arg-type]


def codes(result: CheckResult) -> list[str]:
    return [finding.code for finding in result]


def test_every_code_is_tried() -> None:
    assert FILES.keys() | OTHERS == CODES.keys()


def test_good_files_have_no_findings(tmp_path: Path) -> None:
    result = checked(tmp_path)
    assert codes(result) == []
    assert result.worst is None
    assert result.exit_code == 0
    assert str(result).splitlines()[-1] == "nothing found"


@pytest.mark.parametrize("code", sorted(FILES.keys() - OTHERS))
def test_a_file_with_one_oddity(code: str, tmp_path: Path) -> None:
    run, judged = FILES[code]
    if run is None and judged is not None:  # held against nothing, so that the run is not to blame
        path = tmp_path / "a.qrels"
        path.write_text(judged, encoding="utf-8")
        result = check(judgments=path, at=[3])
    else:
        result = checked(tmp_path, run, judged)
    assert codes(result) == [code]
    finding = result.findings[0]
    assert finding.severity == CODES[code].severity
    assert finding.count >= 1
    assert code in str(result)
    assert result.exit_code == {"error": 2, "warning": 1, "note": 0}[finding.severity]


def test_an_empty_file(tmp_path: Path) -> None:
    assert codes(checked(tmp_path, "")) == ["empty"]
    assert codes(checked(tmp_path, judged="")) == ["empty"]
    assert codes(checked(tmp_path, "\n\n")) == ["empty", "blank-lines"]


def test_a_grade_above_the_highest(tmp_path: Path) -> None:
    assert codes(checked(tmp_path, max_grade=1)) == ["grade-range"]
    assert codes(checked(tmp_path, max_grade=2)) == []


def test_scores_that_are_all_the_same() -> None:
    result = check(runs={"q": {"a": 1.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}, at=[2])
    assert codes(result) == ["constant-scores"]
    assert result.findings[0].examples[0].query == "q"


def test_ties_without_judgments_are_counted() -> None:
    result = check(runs={"q": {"a": 1.0, "b": 1.0, "c": 2.0}, "r": {"a": 2.0, "b": 1.0, "c": 0.0}}, at=[2])
    assert codes(result) == ["ties-small"]
    assert result.findings[0].count == 1


def test_ties_say_how_far_ndcg_could_move(tmp_path: Path) -> None:
    result = checked(tmp_path, FILES["ties"][0])
    bounds = evaluate(
        {q: dict(zip(DOCUMENTS, (0, 1, 2, 0, 1), strict=True)) for q in ("q1", "q2")},
        read_run(tmp_path / "a.run"),
        "nDCG@10",
    ).ties("nDCG@10")
    assert result.findings[0].count == bounds.queries == 2
    assert f"{bounds.pessimistic:.4f} to {bounds.optimistic:.4f}" in result.findings[0].message


def test_depth_below_what_is_looked_at() -> None:
    run = {"q": {"a": 1.0, "b": 0.5}}
    assert codes(check(runs=run, at=[2])) == []
    assert codes(check(runs=run, at=[2, 3])) == ["depth"]


def test_ids_with_spaces_and_blanks_around() -> None:
    assert codes(check(runs={"q": {"red shoe": 1.0, "b": 0.5}}, at=[2])) == ["id-spaces"]
    assert codes(check(runs={"a query": {"a": 1.0, "b": 0.5}}, at=[2])) == ["id-spaces"]
    assert codes(check(runs={"q": {"b ": 1.0, "b": 0.5}}, at=[2])) == ["id-spaces", "id-blanks"]


def test_ids_of_the_run_that_only_look_like_judged_ones(tmp_path: Path) -> None:
    result = checked(tmp_path, RUN.replace("d2", "D2"))
    assert codes(result) == ["id-case", "unjudged-some"]
    place = result.findings[0].examples[0]
    assert (place.line, place.query, place.document, place.text) == (2, "q1", "D2", "and 'd2'")
    assert result.findings[0].count == 2
    assert codes(checked(tmp_path, RUN.replace("d2", "d002"))) == ["id-zeros", "unjudged-some"]
    accents = QRELS.replace("d2", "\u00e9")
    assert codes(checked(tmp_path, RUN.replace("d2", "e\u0301"), accents)) == ["id-unicode", "unjudged-some"]
    assert codes(checked(tmp_path, RUN.replace("d2", "\u00c9"), accents)) == ["id-case", "unjudged-some"]
    assert codes(checked(tmp_path, RUN.replace("q1", "Q1"))) == ["missing-query", "id-case", "unjudged-query"]
    assert codes(checked(tmp_path, RUN.replace("q", "Q"))) == ["no-shared-query", "id-case"]


def test_an_id_that_is_judged_as_it_is_looks_like_no_other(tmp_path: Path) -> None:
    judged = QRELS + "q1 0 D2 0\n"
    result = check(read_judged(tmp_path, judged), read_run_text(tmp_path, RUN), at=[3])
    assert [finding.code for finding in result.files[1].findings] == []


def read_run_text(folder: Path, text: str) -> str:
    (folder / "one.run").write_text(text, encoding="utf-8")
    return str(folder / "one.run")


def read_judged(folder: Path, text: str) -> str:
    (folder / "one.qrels").write_text(text, encoding="utf-8")
    return str(folder / "one.qrels")


def test_bad_lines_are_counted_and_the_rest_is_checked(tmp_path: Path) -> None:
    lines = RUN.splitlines()
    lines[2] = "q1 Q0 my shoe 3 6.5 bm25"
    lines[6] = "q2 Q0 d2 2 nan bm25"
    lines.append("q2 Q0 d1 6 0.5 bm25")
    result = checked(tmp_path, "\n".join(lines) + "\n")
    by_code = {finding.code: finding for finding in result}
    assert by_code.keys() == {"bad-line", "duplicate"}
    places = by_code["bad-line"].examples
    assert [place.line for place in places] == [3, 7]
    assert places[0].text == "7 columns, not 6: 'q1 Q0 my shoe 3 6.5 bm25'"
    assert places[1].text == "the score is not a number: 'nan'"
    twice = by_code["duplicate"].examples[0]
    assert (twice.line, twice.text) == (11, "score 0.5, and 8.5 on line 6")
    assert result.files[1].rows == 9


def test_every_duplicate_is_counted(tmp_path: Path) -> None:
    result = checked(tmp_path, RUN + RUN)
    by_code = {finding.code: finding for finding in result}
    assert by_code["duplicate"].count == 10
    assert {"scattered", "rank-repeat"} <= by_code.keys()


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".duckdb", ".db", ".xlsx"])
def test_duplicates_are_counted_in_other_formats(tmp_path: Path, ending: str) -> None:
    rows = polars.DataFrame({"query": "q", "document": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]})
    path = tmp_path / f"run{ending}"
    source = str(path)
    if ending == ".duckdb":
        with pytest.importorskip("duckdb").connect(source) as base:
            base.register("rows_of_the_run", rows.to_arrow())
            base.execute("CREATE TABLE run AS SELECT * FROM rows_of_the_run")
        source += "::run"
    elif ending == ".db":
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE run (query TEXT, document TEXT, score REAL)")
            database.executemany("INSERT INTO run VALUES (?, ?, ?)", rows.rows())
        source += "::run"
    elif ending == ".xlsx":
        workbook = pytest.importorskip("openpyxl").Workbook()
        for row in (rows.columns, *rows.rows()):
            workbook.active.append(row)
        workbook.save(path)
    else:
        write: dict[str, Any] = {
            ".csv": rows.write_csv,
            ".jsonl": rows.write_ndjson,
            ".json": rows.write_json,
            ".parquet": rows.write_parquet,
        }
        write[ending](path)
    (finding,) = check(runs=source, ignore=["depth"])
    assert (finding.code, finding.count) == ("duplicate", 1)


def test_an_infinite_grade_in_a_table(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database, database:
        database.execute("CREATE TABLE judgments (query TEXT, document TEXT, grade REAL)")
        database.execute("INSERT INTO judgments VALUES ('q', 'a', ?)", (float("inf"),))
    (finding,) = check(judgments=f"{tmp_path / 'shop.db'}::judgments")
    assert (finding.code, finding.message) == ("unreadable", "row 1: the grade is infinite")


def test_judgments_taken_for_a_run(tmp_path: Path) -> None:
    finding = checked(tmp_path, QRELS).findings[0]
    assert finding.code == "bad-line"
    assert finding.count == 10
    assert finding.hint == "this looks like judgments"


def test_placeholder_ranks_are_one_note(tmp_path: Path) -> None:
    text = "".join(
        f"{q} Q0 {d} 1 {s}.5 b\n"
        for q in ("q1", "q2")
        for s, d in zip((3, 9, 4, 1, 2), DOCUMENTS, strict=True)
    )
    assert codes(checked(tmp_path, text)) == ["rank-repeat"]


def test_rows_in_any_order_with_right_ranks(tmp_path: Path) -> None:
    lines = RUN.splitlines(keepends=True)
    assert codes(checked(tmp_path, "".join(lines[4::-1] + lines[:4:-1]))) == []


def test_what_is_ignored_is_not_said(tmp_path: Path) -> None:
    assert codes(checked(tmp_path, RUN + "\n", ignore=["blank-lines"])) == []
    with pytest.raises(InputError, match="there is no code 'blank'") as caught:
        checked(tmp_path, ignore=["blank"])
    assert "blank-lines" in caught.value.hint


def test_several_runs_and_objects() -> None:
    judgments = Judgments({"q": {"a": 1, "b": 0}})
    runs = {"one": Run({"q": {"a": 2.0, "b": 1.0}}), "two": Run({"r": {"a": 2.0, "b": 1.0}})}
    result = check(judgments, runs, at=[2], ignore=["few-judged"])
    assert [(file.source, [f.code for f in file.findings]) for file in result.files] == [
        ("judgments", []),
        ("one", []),
        ("two", ["no-shared-query"]),
    ]
    assert codes(check(judgments, list(runs.values())[:1], at=[2], ignore=["few-judged"])) == []
    assert codes(check(judgments=judgments, ignore=["few-judged"])) == []


def test_frames() -> None:
    polars = pytest.importorskip("polars")
    run = polars.DataFrame({"qid": ["q", "q"], "docid": ["A", "b c"], "score": [2.0, 1.0]})
    judged = polars.DataFrame({"qid": ["q", "q"], "docid": ["a", "b c"], "grade": [1, 0]})
    result = check(judged, run, at=[1], ignore=["few-judged"])
    assert [finding.code for finding in result.files[1].findings] == ["id-spaces", "id-case", "unjudged"]


def test_what_cannot_be_checked() -> None:
    with pytest.raises(InputError, match="neither a run nor judgments were given"):
        check()
    with pytest.raises(InputError, match="must be ranks of 1 or more"):
        check(runs={"q": {"a": 1.0}}, at=[0])
    with pytest.raises(InputError, match="there is no such file"):
        check(runs="no.run")


def test_the_shape_of_json(tmp_path: Path) -> None:
    result = checked(tmp_path, RUN + "q2 Q0 d1 6 0.5 bm25\n")
    record = json.loads(result.to_json())
    assert record["worst"] == "error"
    assert record["exit_code"] == 2
    qrels, run = record["files"]
    assert qrels["findings"] == []
    assert {key: run[key] for key in ("kind", "rows", "queries")} == {"kind": "run", "rows": 11, "queries": 2}
    assert run["against"] == qrels["source"]
    finding = run["findings"][0]
    assert finding == {
        "severity": "error",
        "code": "duplicate",
        "source": run["source"],
        "message": "1 document repeated for a query",
        "count": 1,
        "examples": [
            {"line": 11, "query": "q2", "document": "d1", "text": "score 0.5, and 8.5 on line 6"},
        ],
        "hint": "keep one of them; --fix does",
    }


def test_robust_runs_have_few_notes_and_nothing_worse(robust: Path) -> None:
    result = check(robust / "qrels.gz", str(robust / "pircRBa1.run.gz"))
    assert codes(result) == ["ties-small", "unjudged-some"]
    assert result.files[0].rows == 128_796


def test_a_line_judged_again_makes_no_subtopics(tmp_path: Path) -> None:
    judged = "".join(f"q{at} 0 {document} {at % 2}\n" for at in range(4) for document in DOCUMENTS)
    path = tmp_path / "again.qrels"
    path.write_text(judged + "q1 1 d1 0\n")
    assert "contradiction" in codes(check(judgments=path))


def test_columns_of_files_and_frames(tmp_path: Path) -> None:
    columns = {"query": "who", "document": "what", "score": "points", "grade": "stars"}
    table = {"who": ["q", "q"], "what": ["a", "b"]}
    path = tmp_path / "found.csv"
    path.write_text("who,what,points\nq,a,2\nq,b,1\n")
    run = polars.DataFrame({**table, "points": [2.0, 1.0]})
    judged = polars.DataFrame({**table, "stars": [1, 0]})
    for one in (path, run, [path], [run]):
        result = check(judged, one, columns=columns, at=[2])
        assert [(file.kind, file.rows) for file in result.files] == [("judgments", 2), ("run", 2)]
        assert not [finding for finding in result if finding.severity == "error"]


@pytest.mark.parametrize("lines", [["bad", "\ufeff"], ["\ufeff", "bad", "\ufeffq1 Q0 d2 1 9 bm25", "\ufeff"]])
def test_a_byte_order_mark_within_a_file_is_a_bad_line(tmp_path: Path, lines: list[str]) -> None:
    """The reader takes it for one at the very beginning alone, and so does what asks it about single lines."""
    path = tmp_path / "a.run"
    path.write_text("\n".join([*lines[:1], "q1 Q0 d1 1 8.5 bm25", *lines[1:], ""]), encoding="utf-8")
    (file,) = check(runs=[path]).files
    assert file.rows == sum(" Q0 " in line for line in lines) + 1
    (finding,) = [finding for finding in file.findings if finding.code == "bad-line"]
    assert finding.count == len([line for line in lines[1:] if " Q0 " not in line]) + (lines[0] == "bad")
