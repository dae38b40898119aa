"""Lines of any kind: where text may be cut, and bytes that nobody would write."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.opened_text import Opened, as_dict

from idealist import kernels
from idealist.kernels import Feed, JsonDicts, LineParser, Rows, delimited_lines, json_lines

# Made where they are used: nothing native outlives the interpreter.
PARSERS: dict[str, Callable[[], LineParser]] = {
    "comma": lambda: delimited_lines(",", True, True, 3, 0, 1, 2, False, False, "."),
    "tab": lambda: delimited_lines("\t", True, False, 3, 0, 1, 2, True, True, "."),
    "colons": lambda: delimited_lines("::", False, False, 4, 0, 1, 2, False, True, "."),
    "blanks": lambda: delimited_lines("", False, False, 3, 0, 1, 2, True, True, "."),
    "many": lambda: delimited_lines(";", True, False, 9, 8, 0, 4, False, False, "."),
    "json": lambda: json_lines("q", "d", "s", False, False),
    "json ranks": lambda: json_lines("", "é", "\udcff", True, True),
}
# What each kind of text is made of, so that chance finds its way through more than the first byte.
SCRAPS = [
    *(b'"', b'""', b",", b"\t", b"::", b":", b";", b" ", b"\n", b"\r\n", b"\r", b"\0", b"\xef\xbb\xbf"),
    *(b"1", b"-2.5", b"1e5", b"inf", b"NaN", b"-Infinity", b"null", b"true", b"a", b"\xff", "é".encode()),
    *(b"{", b"}", b"[", b"]", b'"q"', b'"d"', b'"s"', b'"q": "a"', b'"d": "b"', b'"s": 1', b'{"q":', b"\\"),
    *(
        b"\\u00e9",
        b"\\ud83d\\ude00",
        b"\\udcff",
        b"\\ud800",
        b'"x": [{}, [1]]',
        b"," * 8,
        b"a,b,1\n",
        b"q\td\t3\n",
    ),
    *(b'{"q": "1", "d": 2, "s": 3}\n', b'{"a": {"b": 1}', b"x" * 70),
]
TEXTS = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(SCRAPS), max_size=40).map(b"".join),
)
CUTS = st.lists(st.integers(0, 300), max_size=5)


def fed(parser: LineParser | str, text: bytes, cuts: list[int]) -> Rows:
    feed = Feed(parser)
    for block in Opened(text, cuts).blocks():
        feed.add(block)
    return feed.finish(1)


def outcome(rows: Rows) -> object:
    """What was read, or what was wrong first."""
    return rows.problem or rows.duplicate or as_dict(rows)


@pytest.mark.parametrize("name", PARSERS)
@given(text=TEXTS, cuts=CUTS)
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused_wherever_they_are_cut(name: str, text: bytes, cuts: list[int]) -> None:
    whole = fed(PARSERS[name](), text, [])
    assert outcome(fed(PARSERS[name](), text, cuts)) == outcome(whole)
    if whole.problem is not None:
        assert 1 <= whole.problem[1] <= text.count(b"\n") + 1


@given(text=TEXTS, cuts=CUTS, finite=st.booleans())
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_dict_or_refused_wherever_they_are_cut(
    text: bytes, cuts: list[int], finite: bool
) -> None:
    outcomes = []
    for edges in ([], cuts, list(range(len(text)))):
        dicts = JsonDicts(finite)
        for block in Opened(text, edges).blocks():
            dicts.add(block)
        outcomes.append(outcome(dicts.finish(1)))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_lines_are_named_or_made() -> None:
    text = b"q 0 a 1\n"
    assert as_dict(fed("judgments", text, [])) == {"q": {"a": 1.0}}
    with pytest.raises(ValueError, match="layout must be"):
        Feed("csv")
    with pytest.raises(TypeError, match="name of a layout or a LineParser"):
        Feed(3)  # type: ignore[arg-type]


def test_columns_must_make_sense() -> None:
    for delimiter, columns in [
        ("ab", (3, 0, 1, 2)),
        ("\n", (3, 0, 1, 2)),
        (",", (3, 0, 1, 3)),
        (",", (3, 1, 1, 2)),
    ]:
        with pytest.raises(ValueError, match=r"delimiter|column"):
            delimited_lines(delimiter, True, True, *columns, False, False, ".")
    with pytest.raises(ValueError, match="different names"):
        json_lines("a", "a", "b", False, False)
    with pytest.raises(ValueError, match="cannot be encoded as UTF-8"):
        json_lines("\ud800", "a", "b", False, False)


def test_a_header_may_come_late() -> None:
    assert as_dict(fed(PARSERS["comma"](), b"\n\r\n \nq,d,s\na,b,1\n", [1, 2, 3])) == {"a": {"b": 1.0}}


def test_a_dict_may_be_given_up_at_any_byte() -> None:
    text = b' {"q\\u00e9": {"a": 1.5e3, "b" : -2 }, "r": {}}  '
    for end in range(len(text)):
        dicts = JsonDicts(False)
        dicts.add(text[:end])
        rows = dicts.finish(1)
        if text[:end].strip() and end < len(text.rstrip()):
            assert rows.problem is not None
            assert rows.problem[0] == "cut-short"
    dicts = kernels.JsonDicts(False)
    dicts.add(text)
    assert as_dict(dicts.finish(1)) == {"qé": {"a": 1500.0, "b": -2.0}, "r": {}}
