"""JSON of every shape against the json module, and everything that may be wrong with it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.opened_text import BLOCK, Opened, as_dict
from support.plain_trec import PIECE

from idealist import InputError, read_run
from idealist.data.formats.json import json_parser, json_rows
from idealist.kernels import Rows

# Lone surrogates that stand for bytes are text here as everywhere.
LETTERS = st.one_of(
    st.sampled_from('"\\/\b\f\n\r\t{}[]:, ab'),
    st.characters(codec="utf-8"),
    st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]),
)
IDS = st.text(LETTERS, min_size=1, max_size=24).map(
    # What surrogateescape cannot tell from the text that the bytes would be.
    lambda text: text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
)
NUMBERS = st.one_of(st.floats(allow_nan=False), st.integers(-(10**25), 10**25).map(float).map(int))
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, NUMBERS, max_size=8), max_size=8)
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
CUTS = st.lists(st.integers(0, 900), max_size=5)
STYLES: list[dict[str, Any]] = [
    {},
    {"ensure_ascii": False},
    {"separators": (",", ":")},
    {"indent": 1, "ensure_ascii": False},
    {"indent": "\t", "separators": (" ,\r\n", " : ")},
]


def read(text: bytes, kind: str = "run", *, cuts: list[int] | None = None, **options: Any) -> Rows:
    return json_rows(Opened(text, cuts or []), kind, source="x", threads=1, **options)


def encoded(value: Any, **style: Any) -> bytes:
    return json.dumps(value, **style).encode("utf-8", "surrogateescape")


def floats(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {query: {d: float(value) for d, value in documents.items()} for query, documents in run.items()}


@given(RUNS, st.sampled_from(STYLES), CUTS, st.sampled_from([b"", b"\xef\xbb\xbf", b"\n\n "]))
@settings(max_examples=400, deadline=None)
def test_dicts_that_the_json_module_writes_are_read(
    run: dict[str, dict[str, float]], style: dict[str, Any], cuts: list[int], before: bytes
) -> None:
    text = before + encoded(run, **style) + b"\n"
    if run:
        assert as_dict(read(text, cuts=cuts)) == floats(run)
    else:
        with pytest.raises(InputError, match="has no rows"):
            read(text, cuts=cuts)


@given(
    st.lists(
        st.tuples(IDS, IDS, NUMBERS, st.dictionaries(IDS, JUNK, max_size=3)),
        min_size=1,
        max_size=12,
        unique_by=lambda row: row[:2],
    ),
    st.sampled_from(STYLES[:3]),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
    CUTS,
    st.randoms(use_true_random=False),
)
@settings(max_examples=300, deadline=None)
def test_lines_that_the_json_module_writes_are_read(
    rows: list[tuple[str, str, float, dict[str, Any]]],
    style: dict[str, Any],
    end: str,
    cuts: list[int],
    random: Any,
) -> None:
    lines = list[bytes]()
    expected = dict[str, dict[str, float]]()
    for query, document, number, others in rows:
        members = [*({**others, "query": query, 'docé"': document, "score": number}).items()]
        if lines:
            random.shuffle(members)
        lines.append(encoded(dict(members), **style))
        expected.setdefault(query, {})[document] = float(number)
    text = end.encode().join(lines)
    mapped = {"query": "query", "document": 'docé"', "score": "score"}
    assert as_dict(read(text, cuts=cuts, columns=mapped)) == expected


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


SCRAPS = [
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\t",
        '"',
        '"a"',
        '"b"',
        '"\\u00e9"',
        '"\\n"',
        '"\\x"',
        '""',
        "\x01",
    ),
    *(
        "0",
        "1",
        "-",
        "-0",
        "01",
        "1.",
        ".5",
        "1.5",
        "1e3",
        "1e",
        "E+2",
        "+1",
        "NaN",
        "-Infinity",
        "Inf",
        "null",
    ),
    *("true", '{"a": 1}', '"q": {', '"d": 2', '"\\ud800"', '"\\udcff"', '"\\ud83d\\ude00"', "1e999", "}}"),
]


@given(st.lists(st.sampled_from(SCRAPS), max_size=12).map("".join))
@settings(max_examples=1500, deadline=None)
def test_dicts_are_as_strict_as_the_json_module(middle: str) -> None:
    """What is read is what that one reads, without repeats; what it refuses is refused."""
    text = '{"q": {"d": 1, ' + middle + "}}"
    try:
        expected = json.loads(text, object_pairs_hook=without_repeats)
        assert all(math.isfinite(number) for number in expected["q"].values())
        rows = {query: {as_bytes(d): float(n) for d, n in ds.items()} for query, ds in expected.items()}
        good = (
            all(d and type(n) is not bool for ds in expected.values() for d, n in ds.items())
            and "" not in rows
        )
    except (ValueError, AssertionError, TypeError, AttributeError):
        good = False
    try:
        found = as_dict(read(text.encode(), "judgments"))
    except InputError as error:
        assert not good, error
    else:
        assert good
        assert {q: {as_bytes(d): n for d, n in ds.items()} for q, ds in found.items()} == rows


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@given(st.lists(st.sampled_from(SCRAPS), max_size=10).map("".join))
@settings(max_examples=1500, deadline=None)
def test_lines_are_as_strict_as_the_json_module(middle: str) -> None:
    line = '{"query": "q", "doc": 7, "score": 1, "x": ' + middle + "}"
    try:
        assert "\n" not in line
        json.loads(line, object_pairs_hook=lambda pairs: pairs)
        top = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs).decode(line)
        good = len({name for name, _ in top}) == len(top)
    except (ValueError, AssertionError):
        good = False
    text = b'{"query": "p", "doc": 7, "score": 1}\n' + line.encode() + b"\n"
    try:
        found = as_dict(read(text))
    except InputError as error:
        assert not good, error
    else:
        assert good
        assert found == {"p": {"7": 1.0}, "q": {"7": 1.0}}


@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
def test_pieces_meet_at_every_boundary(tmp_path: Path, size: int) -> None:
    lines, length, number, expected = [], 0, 0, dict[str, dict[str, float]]()
    while length < size:
        query, document = f"q{number // 500}", "é" * (number % 5) + str(number)
        record = {"qid": query, "docno": document, "rank": number % 97, "more": [{"of": number % 3 * [None]}]}
        lines.append(json.dumps(record))
        length += len(lines[-1]) + 1
        expected.setdefault(query, {})[document] = -float(number % 97)
        number += 1
    with Opened("\n".join(lines).encode(), path=tmp_path / "x.jsonl") as opened:
        for threads in (1, 3):
            assert as_dict(json_rows(opened, "run", source="x", threads=threads)) == expected


def test_a_dict_larger_than_its_blocks() -> None:
    run = {f"q{q}": {f"document {q * 1000 + d}": d / 8 for d in range(1000)} for q in range(130)}
    text = encoded(run)
    assert len(text) > 3 * BLOCK
    assert as_dict(read(text)) == run
    assert as_dict(read(text, cuts=[*range(0, len(text), 65_537)])) == run
    one = {"q": {str(d): float(d) for d in range(300_000)}}  # more rows than a segment usually has
    assert as_dict(read(encoded(one))) == one


def test_what_frames_write_is_read() -> None:
    table = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", 'b"é', "c"], "score": [2.0, -1.5, 3.25]}
    expected = {"q1": {"a": 2.0, 'b"é': -1.5}, "q2": {"c": 3.25}}
    assert as_dict(read(polars.DataFrame(table).write_ndjson().encode())) == expected
    assert as_dict(read(polars.DataFrame(table).write_json().encode())) == expected
    frame = pandas.DataFrame(table)
    assert as_dict(read(frame.to_json(orient="records", lines=True).encode())) == expected
    assert as_dict(read(frame.to_json(orient="records").encode())) == expected


def test_ids_may_be_whole_numbers_in_lines() -> None:
    text = b'{"qid": 1, "docid": 12345678901234567890123, "score": 1}\n{"qid": -0, "docid": "\\ud83d\\ude00", "score": 2}'
    assert as_dict(read(text)) == {"1": {"12345678901234567890123": 1.0}, "0": {"😀": 2.0}}


def test_shapes_are_told_by_content() -> None:
    assert as_dict(read(b'{"q": {"d": 1}}')) == {"q": {"d": 1.0}}
    assert as_dict(read(b'{"qid": "q", "docid": "d", "score": 1}')) == {"q": {"d": 1.0}}
    assert as_dict(read(b'[{"qid": "q", "docid": "d", "rank": 3}]')) == {"q": {"d": -3.0}}
    assert json_parser(b'{"q": {"d": 1}}', "run", source="x") is None
    with pytest.raises(InputError, match="there is no column 'query'"):
        read(b'{"a": 1}\n{"a": 2}\n')


def test_infinity_is_a_score_but_no_grade() -> None:
    for text, column in (
        (b'{"q": {"d": Infinity}}', b""),
        (b'{"qid": "q", "docid": "d", "score": 1e999}', b"score"),
    ):
        assert as_dict(read(text)) == {"q": {"d": math.inf}}
        with pytest.raises(InputError, match="the grade is infinite"):
            read(text.replace(column, b"grade") if column else text, "judgments")


LINE = b'{"qid": "q", "docid": "d", "score": 1}\n'
BAD: list[tuple[bytes, int | None, str]] = [
    (b"", None, "has no rows"),
    (b"{}", None, "has no rows"),
    (b"[]", None, "not a list of JSON objects"),
    (b"[1, 2", 1, "column 6: this is not JSON"),
    (b'[{"qid": "q", "docid": "d", "score": 1}, 5]', None, "object 2: this is not a JSON object"),
    (b'[{"qid": "q", "docid": "d", "score": 1}, {"qid": 1}]', None, "object 2: there is no 'docid'"),
    (b'{"q": {"a": 1}, "q": {}}', 1, "column 17: query 'q' appears twice"),
    (b'{"q": {"a": 1,\n  "b": 2,\n  "a": 3}}', 3, "column 3: document 'a' appears twice for query 'q'"),
    (b'{"q": [["d1", 0.5]]}', 1, r"column 7: expected \{document: number\}, found '\[\[\"d1\", 0.5\]\]\}'"),
    (b'{"q": {"a": "1"}}', 1, "column 13: expected a number, found '\"1\"}}'"),
    (b'{"q": {"a": null}}', 1, "column 13: expected a number, found 'null}}'"),
    (b'{"q": {"a": true}}', 1, "expected a number"),
    (b'{"q": {"a": NaN}}', 1, "column 13: the score is not a number: NaN"),
    (b'{"q": {"": 1}}', 1, "a document's id is empty"),
    (b'{"": {"a": 1}}', 1, "a query's id is empty"),
    (b'{"q": {"\\ud800": 1}}', 1, "a character that is not valid text"),
    (b'{"q": {"a": 1}} x', 1, "column 17: expected nothing more, found 'x'"),
    (b'{"q": {"a": 1', 1, "column 14: the JSON ends too early"),
    (b'{"q": {"a\0": 1}}', 1, "binary data"),
    (b'{"q": {"a": 1},\n\n \xff}', 3, "this is not UTF-8 text; it is likely cp1252"),
    (b"q 0 d 1\n", 1, "expected {query: {document: number}}, found 'q 0 d 1'"),
    (b'{"q": {"' + b"x" * (3 * BLOCK) + b'": 1}}', 1, "longer than a megabyte"),
    (LINE + b"\n{}\n", 3, "there is no 'qid' in this object"),
    (LINE + b'{"qid": "q", "docid": null, "score": 1}', 2, "docid is empty"),
    (LINE + b'{"qid": "", "docid": "e", "score": 1}', 2, "qid is empty"),
    (LINE + b'{"qid": "q", "docid": 1.5, "score": 1}', 2, "docid is 1.5, not an id"),
    (LINE + b'{"qid": ["q"], "docid": 1, "score": 1}', 2, r'qid is \["q"\], not an id'),
    (LINE + b'{"qid": "q", "docid": 1, "score": "1"}', 2, "the score is not a number: '\"1\"'"),
    (LINE + b'{"qid": "q", "docid": 1, "score": NaN}', 2, "the score is not a number: 'NaN'"),
    (LINE + b'{"qid": "q", "docid": 1, "score": 1, "qid": "q"}', 2, "the name 'qid' appears twice"),
    (LINE + b'{"qid": "q", "docid": 1, "score": 1, "x": 1, "\\u0078": 2}', 2, "the name 'x' appears twice"),
    (LINE + b'{"qid": "q", "docid": "\\udfff", "score": 1}', 2, "a character that is not valid text"),
    (LINE + LINE[:-2] + b"\n", 2, "expected , or }"),
    (LINE + b'[1]\n{"', 2, r"column 1: expected \{, found '\[1\]' \(and 1 more bad line\)"),
    (LINE + LINE[:-1] + b" {}\n", 2, "expected the end of the line"),
    (LINE + b'{"x": ' + b"[" * 100_000 + b"\n", 2, "nested too deeply"),
    (LINE + b'{"x": "\0"}\n', 2, "binary data"),
    (LINE + LINE, 2, "document 'd' appears twice for query 'q', first on line 1"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_bad_text(tmp_path: Path, text: bytes, line: int | None, message: str) -> None:
    for path in (None, tmp_path / "x.json"):
        with Opened(text, path=path) as opened, pytest.raises(InputError, match=message) as caught:
            json_rows(opened, "run", source="bad.json", threads=2)
        assert caught.value.line == line
        assert caught.value.source == "bad.json"
        assert caught.value.hint or text[:1] == b"["


@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from(SCRAPS), max_size=20).map(lambda all: "".join(all).encode()),
    ),
    st.sampled_from([b"", b"{", b"[", LINE, b'{"q": {']),
    st.sampled_from(["run", "judgments"]),
)
@settings(max_examples=800, deadline=None)
def test_any_bytes_give_rows_or_a_clear_error(text: bytes, before: bytes, kind: str) -> None:
    try:
        assert read(before + text, kind).query_count() > 0
    except InputError as error:
        assert error.source == "x"


def test_a_first_line_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    vector = ", ".join(["0.125"] * 40_000)
    lines = [f'{{"query": "q", "document": "d{n}", "score": {n}, "vector": [{vector}]}}' for n in range(2)]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(lines))
    assert read_run(path).to_dict() == {"q": {"d0": 0.0, "d1": 1.0}}
