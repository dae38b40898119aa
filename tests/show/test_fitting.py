"""Tables and lines in the width of a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from idealist.show import Table
from idealist.show.cells import text_width
from idealist.show.view import Lines

# 4 + 2 + 20 + 2 + 20 = 48 places
SCORES = Table(
    ["rank", "the gain of the rank", "the loss of the rank"],
    [[1, 3.0, 0.5], [2, 1.25, 0.25]],
    below=["the loss is what the ideal list adds"],
    rules={1},
)


def test_a_table_that_fits_is_left_alone() -> None:
    assert SCORES.to_text(width=48) == SCORES.to_text()


def test_titles_are_folded_first() -> None:
    assert SCORES.to_text(width=36) == (
        "         the gain of     the loss of\n"
        "rank        the rank        the rank\n"
        "   1          3.0000          0.5000\n"
        "────  ──────────────  ──────────────\n"
        "   2          1.2500          0.2500\n"
        "the loss is what the ideal list adds\n"
    )


def test_what_does_not_fit_is_divided() -> None:
    """Each part begins with the columns that say what a row is: here the first one."""
    assert Table(SCORES.titles, SCORES.rows).to_text(width=19) == (
        "        the gain of\n"
        "rank       the rank\n"
        "   1         3.0000\n"
        "   2         1.2500\n"
        "\n"
        "        the loss of\n"
        "rank       the rank\n"
        "   1         0.5000\n"
        "   2         0.2500\n"
    )
    table = Table(["system", "n", "nDCG@10", "AP"], [["bm25", 5, 0.5, 0.25]], bars={2})
    assert table.to_text(width=22) == (
        "system  n\nbm25    5\n\nsystem  │  nDCG@10\nbm25    │   0.5000\n\nsystem      AP\nbm25    0.2500\n"
    )


def test_long_texts_are_folded() -> None:
    table = Table(["code", "meaning"], [["a", "one two three four five six seven"], ["b", "eight"]])
    assert table.to_text(width=38) == (
        "code  meaning\na     one two three four five six\n      seven\nb     eight\n"
    )


def test_what_stands_raised_stays_on_the_first_line() -> None:
    table = Table(["meaning", "AP"], [["one two three four five six seven", 0.5]], marks={(0, 1): "a"})
    assert table.to_text(width=38) == (
        "meaning                            AP\none two three four five six    0.5000ᵃ\nseven\n"
    )


def test_colour_takes_no_room() -> None:
    shown = SCORES.to_text(width=36, color=True)
    assert "\033[1m   the loss of\033[0m" in shown
    for code in ("\033[0m", "\033[1m", "\033[2m"):
        shown = shown.replace(code, "")
    assert [line.rstrip() for line in shown.splitlines()] == SCORES.to_text(width=36).splitlines()


def test_lines() -> None:
    """They hang, and are not folded where next to nothing would stand in each."""
    lines = Lines(
        ("  FAILED  equally judged: judged@10 0.67 and 1.00", "one word: 这是一个很长的句子 which is wide")
    )
    assert lines.to_text(width=32) == (
        "  FAILED  equally judged:\n    judged@10 0.67 and 1.00\none word: 这是一个很长的句子\n  which is wide\n"
    )
    assert lines.to_text(width=20) == lines.to_text()


@given(
    st.integers(1, 130),
    st.lists(st.text("ab /", max_size=30), min_size=1, max_size=6).flatmap(
        lambda titles: st.tuples(
            st.just(titles),
            st.lists(
                st.lists(
                    st.one_of(st.none(), st.floats(0, 1), st.text("cd 中", max_size=60)),
                    min_size=len(titles),
                    max_size=len(titles),
                ),
                max_size=3,
            ),
        )
    ),
)
def test_nothing_is_lost(width: int, drawn: tuple[list[str], list[list[str | float | None]]]) -> None:
    titles, rows = drawn
    table = Table(titles, rows)
    shown = table.to_text(width=width)
    for word in table.to_text().split():
        assert all(piece in shown for piece in word.replace("/", "/ ").split())


@given(st.integers(20, 90), st.integers(1, 12))
def test_no_part_is_wider_than_asked(width: int, columns: int) -> None:
    """Columns of up to 14 places, beside the first one of 4."""
    table = Table(["rank", *(f"the {at}. system" for at in range(columns))], [[1, *[0.5] * columns]])
    lines = table.to_text(width=width).splitlines()
    assert all(text_width(line) <= width for line in lines)
    assert sum(line.count("0.5000") for line in lines) == columns
