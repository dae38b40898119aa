"""CSV and its kin against the csv module, and everything that may be wrong with a line."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.opened_text import Opened, as_dict
from support.plain_trec import PIECE

from idealist import InputError
from idealist.data.formats.delimited import delimited_parser
from idealist.kernels import Rows

DELIMITERS = [",", "\t", ";", "|"]
# Quotes, delimiters, blanks, accents and astral letters, but no line ends.
IDS = st.text(
    st.one_of(st.sampled_from("\"',;|\t: ab"), st.characters(exclude_characters="\r\n\0", codec="utf-8")),
    min_size=1,
    max_size=24,
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**20), 10**20).map(float).map(int)
)
ROWS = st.lists(st.tuples(IDS, IDS, NUMBERS), min_size=1, max_size=25, unique_by=lambda row: row[:2])


def delimited_rows(opened: Opened, kind: str = "run", *, threads: int, **options: Any) -> Rows:
    parser = delimited_parser(opened.head, kind, **{"delimiter": ",", "source": "x", **options})
    return parser.rows(opened, threads)


def read(
    text: bytes, kind: str = "run", *, delimiter: str = ",", cuts: list[int] | None = None, **options: object
) -> Rows:
    opened = Opened(text, cuts or [])
    return delimited_rows(opened, kind, delimiter=delimiter, threads=1, **options)


def by_query(rows: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        found.setdefault(query, {})[document] = float(number)
    return found


@given(
    rows=ROWS,
    delimiter=st.sampled_from(DELIMITERS),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n", "\n\n", "\n \r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf", b"\n"]),
    cuts=st.lists(st.integers(0, 900), max_size=5),
    final=st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_what_the_csv_module_writes_is_read(
    rows: list[tuple[str, str, float]],
    delimiter: str,
    quoting: int,
    end: str,
    mark: bytes,
    cuts: list[int],
    final: bool,
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerow(["note", "doc_id", "score", "qid"])
    for query, document, number in rows:
        writer.writerow(['a "note"', document, number, query])
    text = mark + file.getvalue().encode("utf-8")
    if not final:
        text = text.rstrip(b"\r\n ")
    assert as_dict(read(text, delimiter=delimiter, cuts=cuts)) == by_query(rows)


@given(
    st.lists(st.text("ab\"',\t 1é", max_size=14), min_size=1, max_size=8),
    st.sampled_from([",", "\t"]),
)
@settings(max_examples=600, deadline=None)
def test_any_line_has_the_fields_that_the_csv_module_finds(lines: list[str], delimiter: str) -> None:
    """Or it is refused, where that one refuses it, or where it is no row."""
    for line in lines:
        text = f"1{delimiter}{line}"
        try:
            (fields,) = csv.reader([text], delimiter=delimiter, strict=True)
        except csv.Error:
            fields = []
        try:
            rows = as_dict(
                read(
                    f"{text}\n".encode(),
                    delimiter=delimiter,
                    names=["s", "query", "doc"],
                    columns={"score": "s"},
                )
            )
        except InputError:
            assert len(fields) != 3 or "" in fields
        else:
            assert rows == {fields[1]: {fields[2]: 1.0}}


@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
def test_pieces_meet_at_every_boundary(tmp_path: Path, size: int) -> None:
    lines, length, number = ["qid,docid,score"], 16, 0
    while length < size:
        document = f'"d,{number}"' if number % 3 else f"d{number}"
        lines.append(f"q{number // 500},{document},{number % 97}.5{' ' * (number % 7)}")
        length += len(lines[-1]) + 1
        number += 1
    for shift in range(3):
        text = "\n" * shift + "\n".join(lines)
        expected = by_query([(q, d, float(s)) for q, d, s in list(csv.reader(io.StringIO(text.strip())))[1:]])
        with Opened(text.encode(), path=tmp_path / "x.csv") as opened:
            for threads in (1, 3):
                rows = delimited_rows(opened, threads=threads)
                assert as_dict(rows) == expected


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_what_polars_and_pandas_write_is_read(rows: list[tuple[str, str, float]]) -> None:
    table = {
        "query_id": [row[0] for row in rows],
        "doc_id": [row[1] for row in rows],
        "score": [float(row[2]) for row in rows],
    }
    expected = by_query(rows)
    assert as_dict(read(polars.DataFrame(table).write_csv().encode("utf-8"))) == expected
    assert as_dict(read(pandas.DataFrame(table).to_csv().encode("utf-8"))) == expected  # with its index
    text = pandas.DataFrame(table).to_csv(sep="\t", index=False, quoting=csv.QUOTE_ALL).encode("utf-8")
    assert as_dict(read(text, delimiter="\t")) == expected


def test_columns_are_found_by_common_names_or_named() -> None:
    text = b"rank,uid,sku,label\n1,q,a,2\n2,q,b,0\n"
    mapped = {"query": "uid", "document": "sku"}
    assert as_dict(read(text, columns=mapped)) == {"q": {"a": -1.0, "b": -2.0}}
    assert as_dict(read(text, "judgments", columns=mapped)) == {"q": {"a": 2.0, "b": 0.0}}
    with pytest.raises(InputError, match="there is no column 'grade'") as caught:
        read(b"query,document,price\nq,d,1\n", "judgments")
    assert "query, document, price" in caught.value.hint
    with pytest.raises(InputError, match="there is no column 'query'") as caught:
        read(b"word,thing,stars\nq,d,1\n", "judgments")
    # All that are missing at once: named one by one, they would take three attempts.
    assert "name them: --columns query=word,document=thing,grade=stars, or" in caught.value.hint
    with pytest.raises(InputError, match="there is no column 'document'") as caught:
        read(b"query,stars\nq,1\n", "judgments")
    assert "name them: --columns document=stars,grade=NAME, or" in caught.value.hint
    with pytest.raises(InputError) as caught:
        read("Search Term,Produkt,Größe\nq,d,1\n".encode(), "judgments")
    # As a shell takes it.
    assert "name them: --columns 'query=Search Term,document=Produkt,grade=Größe', or" in caught.value.hint
    with pytest.raises(InputError, match="there is one column, 'query document score': separate columns by"):
        read(b"query document score\nq d 1\n")
    with pytest.raises(InputError, match="there is no column 'nope'"):
        read(text, columns={"query": "nope"})
    with pytest.raises(InputError, match="one column cannot be all of query, document, score"):
        read(b"a,b,score\nq,d,1\n", columns={"query": "a", "document": "a"})
    with pytest.raises(InputError, match="two columns are called 'qid'"):
        read(b"qid,qid,doc,score\nq,q,d,1\n")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("run", "查询,文档,得分"),
        ("run", "用户,商品,分数"),
        ("judgments", "查询词,网页,等级"),
        ("judgments", "检索词,文档,相关性"),
    ],
)
def test_columns_are_found_by_their_chinese_names(kind: str, names: str) -> None:
    assert as_dict(read(f"{names}\nq,d,2\n".encode(), kind)) == {"q": {"d": 2.0}}


def test_numbers_as_people_write_them_say_what_to_do() -> None:
    for written, hint in (
        ("1,234.5", "write it without signs between thousands"),
        ("1,234,567", "write it without signs between thousands"),
        (
            "1,234",
            "if the comma separates thousands, leave it out; if it is the decimal sign, say --decimal ,",
        ),
        ("0,25", "write it with a decimal point; or say --decimal ,"),
    ):
        with pytest.raises(InputError, match=f"the score is not a number: '{written}'") as caught:
            read(f"query;document;score\nq;d;{written}\n".encode(), delimiter=";")
        assert caught.value.hint.startswith(hint)
    with pytest.raises(InputError) as caught:
        read(b"query,document,grade\nq,d,excellent\n", "judgments")
    assert caught.value.hint.startswith("grades are numbers, such as 0 (not relevant) to 3 (perfect)")


def test_text_without_a_header() -> None:
    ranks = ["query", "document", "rank"]
    assert as_dict(read(b"1 2\t 1\n1  3 2\n", delimiter=" ", names=ranks)) == {"1": {"2": -1.0, "3": -2.0}}
    ratings = ["query", "document", "grade", "timestamp"]
    text = b"1::1193::5::978300760\n1::66:1::3::978302109\n"
    assert as_dict(read(text, "judgments", delimiter="::", names=ratings)) == {
        "1": {"1193": 5.0, "66:1": 3.0}
    }


def test_ids_are_taken_as_they_stand_and_numbers_without_blanks() -> None:
    text = b'qid,docid,score\n q , d,  1.5\t\n q ,"say ""hi""","2"\n q ,5" disk,3\n'
    assert as_dict(read(text)) == {" q ": {" d": 1.5, 'say "hi"': 2.0, '5" disk': 3.0}}


def test_infinity_is_a_score_but_no_grade() -> None:
    assert as_dict(read(b"qid,docid,score\nq,a,inf\nq,b,-1e999\n")) == {
        "q": {"a": float("inf"), "b": float("-inf")}
    }
    with pytest.raises(InputError, match="line 2: the grade is infinite: 'inf'"):
        read(b"qid,docid,grade\nq,a,inf\n", "judgments")
    with pytest.raises(InputError, match="line 2: the rank is infinite"):
        read(b"qid,docid,rank\nq,a,inf\n")


HEADER = b"qid,docid,score\n"
BAD: list[tuple[bytes, int | None, str]] = [
    (b"", None, "the file is empty"),
    (b" \n\n", None, "the file is empty"),
    (HEADER, None, "has no rows"),
    (HEADER + b"q,a\n", 2, "expected 3 columns, found 2: 'q,a'"),
    (HEADER + b"\nq,a,1,2\nq\n", 3, r"expected 3 columns, found 4: 'q,a,1,2' \(and 1 more bad line\)"),
    (HEADER + b"q,a,\n", 2, "the score is empty"),
    (HEADER + b"q,a,1\nq,\xff,1\nq,\xfe,1\n", 3, "this is not UTF-8 text; it is likely cp1252"),
    (HEADER + b"q,a,  \n", 2, "the score is empty"),
    (HEADER + b"q,,1\n", 2, "the document is empty"),
    (HEADER + b'"",a,1\n', 2, "the query is empty"),
    (HEADER + b"q,a,null\n", 2, "the score is not a number: 'null'"),
    (HEADER + b"q,a,nan\n", 2, "the score is not a number: 'nan'"),
    (HEADER + b'q,a,"1,5"\n', 2, "the score is not a number: '1,5'"),
    (HEADER + b'q,"a\nb",1\n', 2, "a quoted field does not end before its line does: '\"a'"),
    (HEADER + b'q,"a" b,1\n', 2, "text stands behind the quote that ends a field: ' b,1'"),
    (HEADER + b'q,"a,1', 2, "a quoted field does not end"),
    (HEADER + b"q,a\0,1\n", 2, "this is binary data"),
    ("qid,docid,score\nq,a,1\n".encode("utf-16"), 1, "this is binary data"),
    (HEADER + b"q,a,1\nr,a,1\n\nq,a,2\n", 5, "document 'a' appears twice for query 'q', first on line 2"),
    (b'"qid,docid,score\nq,a,1\n', 1, "this is not CSV"),
    (HEADER + b"q,a,1\nq," + b"x" * (5 * PIECE), 3, "the line is longer than a megabyte"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_bad_text(tmp_path: Path, text: bytes, line: int | None, message: str) -> None:
    for path in (None, tmp_path / "x.csv"):
        with Opened(text, path=path) as opened, pytest.raises(InputError, match=message) as caught:
            delimited_rows(opened, source="bad.csv", threads=2)
        assert caught.value.line == line
        assert caught.value.source == "bad.csv"
        assert caught.value.hint or line == 1


def test_lines_are_numbered_far_into_a_large_file(tmp_path: Path) -> None:
    lines = [b"qid,docid,score", *(b"q%d,d%d,1" % (i // 1000, i) for i in range(200_000))]
    lines[150_000] = b"oops"
    with (
        Opened(b"\n".join(lines), path=tmp_path / "x.csv") as opened,
        pytest.raises(InputError, match="line 150001: expected 3 columns, found 1: 'oops'"),
    ):
        delimited_rows(opened, threads=2)


def test_a_parser_is_for_streaming_too() -> None:
    text = delimited_parser(HEADER, "run", delimiter=",", source="x")
    assert as_dict(text.rows(Opened(HEADER + b"q,a,1\n"), 1)) == {"q": {"a": 1.0}}


@given(
    st.binary(max_size=200), st.sampled_from([*DELIMITERS, "::", " "]), st.sampled_from(["run", "judgments"])
)
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_rows_or_a_clear_error(text: bytes, delimiter: str, kind: str) -> None:
    for before in (b"", delimiter.join(["qid", "docid", "score"]).encode() + b"\n"):
        try:
            assert len(read(before + text, kind, delimiter=delimiter)) > 0
        except InputError as error:
            assert error.source == "x"
