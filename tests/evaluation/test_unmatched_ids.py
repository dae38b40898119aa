"""Ids that hardly meet: what evaluate says first, and the copy that check writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from idealist import InputError, check, compare, evaluate, read_judgments, write_run
from idealist.checks import repair
from idealist.cli import main
from idealist.data.id_spelling import SPELLINGS, Spelled, difference
from idealist.show.report_page import report_page

QUERIES = range(10)
# By the spelling that makes them equal: an id as it is judged, and as the run has it.
WRITTEN = {
    "blanks": ("d7", "d7\u00a0"),
    "invisible": ("d7", "\ufeffd7"),
    "quotes": ("d7", "“d7”"),
    "percent": ("a/7", "a%2F7"),
    "unicode": ("café7", "cafe\u03017"),
    "script": ("c7", "\u0441" + "7"),
    "decimal": ("7", "7.0"),
    "zeros": ("7", "007"),
    "case": ("d7", "D7"),
    "encoding": ("口红7", "鍙ｇ孩7"),  # UTF-8 that was read as GBK
}


def files(folder: Path, judged: str, retrieved: str, encoding: str = "utf-8") -> tuple[Path, Path]:
    judgments, run = folder / "a.qrels", folder / "a.run"
    judgments.write_text("".join(f"q{query} 0 {judged} 1\n" for query in QUERIES), "utf-8")
    run.write_text("".join(f"q{query} Q0 {retrieved} 1 0.5 a\n" for query in QUERIES), encoding)
    return judgments, run


def test_every_spelling_is_tried() -> None:
    assert WRITTEN.keys() == SPELLINGS.keys()


@pytest.mark.parametrize("name", WRITTEN)
def test_each_way_of_writing_is_named_first_and_joined(name: str, tmp_path: Path) -> None:
    judged, retrieved = WRITTEN[name]
    assert difference(judged, retrieved) == difference(retrieved, judged) == (name,)
    judgments, run = files(tmp_path, judged, retrieved)
    result = evaluate(str(judgments), str(run), ["AP", "P"])
    assert result.mean("AP") == 0
    note = result.notes[0]
    assert note.startswith("a: none of its retrieved documents is judged: of the first 2,000 at least 10 ids")
    assert SPELLINGS[name].differ in note
    assert f"--join-ids {name}" in note
    copy = tmp_path / "copy.run"
    repaired = repair(run, join_ids=[name], judgments=read_judgments(judgments))
    assert ("document written as in the judgments", 10) in repaired.done
    copy.write_bytes(repaired.content)
    assert evaluate(str(judgments), str(copy), "AP").mean("AP") == 1
    for other in SPELLINGS.keys() - {name, "unicode"}:  # which makes blanks of no-break spaces
        kept = repair(run, join_ids=[other], judgments=read_judgments(judgments))
        assert ("document written as in the judgments", 10) not in kept.done, other


@pytest.mark.parametrize(
    ("judged", "retrieved", "names"),
    [
        ("D7", "\u200bd\uff17", ("invisible", "unicode", "case")),
        ("7", "“07.0”", ("quotes", "decimal", "zeros")),
        ("Café7", "cafÃ©07", ("zeros", "case", "encoding")),
    ],
)
def test_ids_that_differ_in_several_ways_are_joined_by_what_is_named(
    judged: str, retrieved: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    """One of the names alone joins none of them."""
    assert difference(judged, retrieved) == difference(retrieved, judged) == names
    judgments, run = files(tmp_path, judged, retrieved)
    note = evaluate(str(judgments), str(run), "AP").notes[0]
    assert all(SPELLINGS[name].differ in note for name in names)
    assert f"--join-ids {','.join(names)}`" in note
    hints = [finding.hint for finding in check(judgments, run).findings if finding.code == f"id-{names[-1]}"]
    assert hints == [
        f"they do not match each other; --fix with --join-ids {','.join(names)} writes a copy that joins them"
    ]
    copy = tmp_path / "copy.run"
    for some in (names, tuple(reversed(names))):
        copy.write_bytes(repair(run, join_ids=some, judgments=read_judgments(judgments)).content)
        assert evaluate(str(judgments), str(copy), "AP").mean("AP") == 1
    for name in names:
        fewer = [other for other in SPELLINGS if other != name]
        kept = repair(run, join_ids=fewer, judgments=read_judgments(judgments))
        assert ("document written as in the judgments", 10) not in kept.done, name


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet"])
def test_a_run_of_another_format_is_joined_too(form: str, tmp_path: Path) -> None:
    """TREC text cannot hold blanks in ids, so that converting comes too late for these."""
    judgments, _ = files(tmp_path, "d7", "d7")
    run = tmp_path / f"a.{form}"
    write_run({f"q{query}": {"d7 ": 0.5, "\u00a0d8": 0.75} for query in QUERIES}, run)
    copy = tmp_path / "copy.run"
    command = ["check", "--judgments", str(judgments), str(run), "--fix", str(copy)]
    assert main([*command, "--join-ids", "decimal"]) == 2
    assert not copy.exists()
    with judgments.open("a", encoding="utf-8") as rows:
        rows.writelines(f"q{query} 0 d8 0\n" for query in QUERIES)
    assert main([*command, "--join-ids", "blanks"]) == 1
    assert copy.read_text("utf-8").startswith("q0 Q0 d8 1 0.75 a\nq0 Q0 d7 2 0.5 a\nq1 ")
    assert evaluate(str(judgments), str(copy), "AP").mean("AP") == 0.5


def test_two_encodings_are_named_with_the_option_that_joins_them(tmp_path: Path) -> None:
    """Half of the documents are in ASCII and meet; nDCG would be 1 if all did."""
    judgments, run = files(tmp_path, "红色口红", "红色口红", "gbk")
    with judgments.open("a", encoding="utf-8") as judged, run.open("a", encoding="utf-8") as rows:
        for query in QUERIES:
            judged.write(f"q{query} 0 d1 1\n")
            rows.write(f"q{query} Q0 d1 2 0.4 a\n")
    result = evaluate(str(judgments), str(run), "P@2")
    assert result.mean("P@2") == 0.5
    assert "not all ids are written in one encoding" in result.notes[0]
    assert "--encoding run=gbk" in result.notes[0]
    assert "10 ids" in result.notes[0]
    assert evaluate(str(judgments), str(judgments.with_suffix(".run")), "P@2").notes == result.notes


def test_queries_are_joined_too(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("7.0 Q0 3.0 1 0.5 a\n")
    judged = read_judgments({"7": {"3": 1}})
    with pytest.raises(InputError, match="no query in common") as caught:
        evaluate(judged, str(run), "AP")
    assert "the run has '7.0', the judgments have '7'" in str(caught.value)
    assert "--join-ids decimal" in str(caught.value)
    repaired = repair(run, join_ids=["decimal"], judgments=judged)
    assert repaired.content == b"7 Q0 3 1 0.5 a\n"


def test_two_queries_are_not_made_one(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("7.0 Q0 3 1 0.5 a\n07 Q0 3 1 0.5 a\n")
    with pytest.raises(InputError, match=r"queries '7\.0' and '07' would both be '7'"):
        repair(run, join_ids=["all"], judgments=read_judgments({"7": {"3": 1}}))


def test_ids_that_meet_are_not_remarked_on(tmp_path: Path) -> None:
    """A bad system that finds one document in a hundred judged ones is not a matter of ids."""
    judgments = {"q": {f"d{n}": 1 for n in range(100)}}
    run = {"q": {**{f"x{n}": 1.0 for n in range(20)}, "d1": 0.5}}
    assert not [note for note in evaluate(judgments, run, "AP").notes if "meet" in note]


def test_few_that_meet_are_counted() -> None:
    """2 of 200: what could meet is the lesser of retrieved and judged, query by query."""
    judgments = {f"q{n}": {f"{d}": 1 for d in range(20)} for n in range(10)}
    run = {f"q{n}": {f"{d}.0": 1.0 for d in range(30)} for n in range(10)}
    run["q0"] |= {"1": 2.0, "2": 2.0}
    note = evaluate(judgments, run, "AP").notes[0]
    assert note.startswith(
        "run: 2 of 200 document ids that could meet a judged one do: of the first 2,000 at least 198"
    )


def test_that_hardly_any_ids_meet_is_said_before_the_numbers() -> None:
    judgments = {f"q{n}": {f"{d}": d % 2 for d in range(20)} for n in range(10)}
    right, wrong = (
        {f"q{n}": {f"{d}{end}": float(d) for d in range(20)} for n in range(10)} for end in ("", ".0")
    )
    said = "note: wrong: none of its retrieved documents is judged"
    result = evaluate(judgments, {"right": right, "wrong": wrong}, "AP")
    compared = compare(judgments, {"right": right, "wrong": wrong}, "AP")
    for shown in (str(result), str(compared)):
        assert shown.startswith(said)
        assert shown.count(said) == 1
    assert not str(evaluate(judgments, right, "AP")).startswith("note")
    text = report_page(result)
    assert text.count(said.removeprefix("note: ")) == 1
    assert text.index(said.removeprefix("note: ")) < text.index("<table")


def test_words_of_any_kind_find_themselves() -> None:
    words: list[str] = ["7", "7.5", "a b", "%zz", '"', "口红"]
    find: Callable[[str], str | None] = Spelled(words).find
    assert [find(word) for word in words] == words
    assert find("unknown") is None
