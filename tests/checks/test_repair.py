"""Repaired copies: what is put right, what is refused, and that numbers stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import DOCUMENTS, QUERIES

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.checks import check, repair
from idealist.conventions import DEFAULT
from idealist.data import read_groups

MEASURES = ["nDCG@10", "AP", "RR", "P@3", "R@5", "Judged@3"]


def written(folder: Path, text: str, name: str = "a.run") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def test_a_run_in_good_order_stays_as_it_is(tmp_path: Path, shop: Path) -> None:
    for name in ("b.run", "shop.qrels", "subtopics.qrels"):
        result = repair(shop / name)
        assert result.done == ()
        assert str(result) == "nothing to repair: a copy as it was"
        assert result.content == (shop / name).read_bytes()


def test_everything_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "\ufeffq1 Q0 d1 1 2.50 a\r\n"
        "q2\tQ0\td9\t7\t1\ta\n"
        "\n"
        "q1 Q0 d2 1 3 a\n"
        "q1 Q0 d1 3 4.0 a\n"
        "q1 Q0 d2 4 3.0 a",
    )
    result = repair(path)
    assert result.content.decode() == "q1 Q0 d1 1 4.0 a\nq1 Q0 d2 2 3 a\nq2 Q0 d9 1 1 a\n"
    assert dict(result.done) == {
        "byte order mark left out": 1,
        "line end made \\n": 1,
        "newline added to the last line": 1,
        "line with other white space between columns": 1,
        "blank line left out": 1,
        "rows brought together with others of their query": 1,
        "duplicate dropped": 2,
        "rank recomputed": 3,
    }


def test_ranks_from_zero_stay_so(tmp_path: Path) -> None:
    path = written(tmp_path, "q Q0 a 0 1 x\nq Q0 b 1 2 x\n")
    assert repair(path).content == b"q Q0 b 0 2 x\nq Q0 a 1 1 x\n"


def test_lines_that_end_with_carriage_returns_only(tmp_path: Path) -> None:
    path = written(tmp_path, "q Q0 a 1 2 x\rq Q0 b 2 1 x\r")
    assert repair(path).content == b"q Q0 a 1 2 x\nq Q0 b 2 1 x\n"


def test_two_grades_are_refused_unless_it_is_said_which(tmp_path: Path) -> None:
    path = written(tmp_path, "q 0 a 1\nq 0 b 0\nq 0 a 3\nq 0 a 2\nq 0 b 0\n", "a.qrels")
    with pytest.raises(
        InputError, match="not repaired, 2 documents with two grades: line 3, query q, document a"
    ) as caught:
        repair(path)
    assert "--keep" in caught.value.hint
    kept = {
        keep: repair(path, keep=keep).content.decode().split("\n")[0]
        for keep in ("highest", "lowest", "first", "last")
    }
    assert kept == {"highest": "q 0 a 3", "lowest": "q 0 a 1", "first": "q 0 a 1", "last": "q 0 a 2"}
    with pytest.raises(InputError, match="keep must be highest, lowest, first or last, not 'best'"):
        repair(path, keep="best")


def test_bad_lines_are_refused_unless_they_may_go(tmp_path: Path) -> None:
    path = written(tmp_path, "q Q0 a 1 2 x\nq Q0 b 2 x\nq Q0 c 3 nan x\n")
    with pytest.raises(
        InputError, match=r"2 lines cannot be read: line 2: 5 columns, not 6: .*; line 3: the score"
    ):
        repair(path)
    assert repair(path, drop_bad_lines=True).content == b"q Q0 a 1 2 x\n"


def test_what_is_no_trec_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is not TREC text"):
        repair(written(tmp_path, "query,document,score\n"))
    with pytest.raises(InputError, match="no row is left to keep"):
        repair(written(tmp_path, ""), kind="run")


def test_a_compressed_file(robust: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.run"
    copy.write_bytes(repair(robust / "uic0301.run.gz").content)
    assert read_run(copy) == read_run(robust / "uic0301.run.gz")


@st.composite
def mangled_runs(draw: st.DrawFn) -> tuple[str, str]:
    """Lines of a run in a mess, and the same rows, each once."""
    rows = draw(
        st.dictionaries(
            st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCUMENTS)),
            st.sampled_from(["1", "2.5", "-3e1", "0.25", "1E2", "+4", "inf"]),
            min_size=1,
        )
    )
    lines = [
        draw(st.sampled_from([" ", "\t", "  "])).join(
            (query, "Q0", document, draw(st.sampled_from(["0", "1", "7", "x"])), score, "s")
        )
        + draw(st.sampled_from(["\n", "\r\n", " \n", "\n\n"]))
        for (query, document), score in draw(st.permutations(list(rows.items())))
    ]
    text = draw(st.sampled_from(["", "\ufeff"])) + "".join(lines)
    return (text.rstrip() if draw(st.booleans()) else text), "".join(lines)


@given(mangled_runs())
def test_form_changes_no_number(tmp_path_factory: pytest.TempPathFactory, mess: tuple[str, str]) -> None:
    folder = tmp_path_factory.mktemp("form")
    before, after = written(folder, mess[0]), folder / "after.run"
    after.write_bytes(repair(before).content)
    assert read_run(after) == read_run(before)
    judgments = {query: {document: at % 4 - 1 for at, document in enumerate(DOCUMENTS)} for query in QUERIES}
    for ties in ("id-descending", "input-order"):
        conventions = DEFAULT.replace(ties=ties)
        assert (
            evaluate(judgments, {"run": read_run(after)}, MEASURES, conventions=conventions).to_dict()
            == evaluate(judgments, {"run": read_run(before)}, MEASURES, conventions=conventions).to_dict()
        )
    left = {finding.code for finding in check(runs=str(after), at=[1])}
    assert left.isdisjoint(
        {"rank-order", "rank-start", "rank-repeat", "rank-text", "scattered", "blank-lines", "last-newline"}
        | {"line-ends", "byte-order-mark"}
    )
    assert repair(after).done == ()


FIELDS = st.sampled_from(
    ["q", "Q0", "0", "d", "1", "2.5", "nan", "-", "é", "\udcff", "x y", "\0", "1e999", "", "\r"]
)


@given(
    st.lists(st.lists(FIELDS, min_size=1, max_size=7).map(" ".join), max_size=12),
    st.booleans(),
    st.sampled_from(["run", "judgments"]),
)
def test_any_mess_is_refused_or_comes_out_clean(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ended: bool, kind: str
) -> None:
    folder = tmp_path_factory.mktemp("mess")
    path = written(folder, "\n".join(lines) + "\n" * ended, "mess")
    good = "q Q0 d 1 2.5 x" if kind == "run" else "q 0 d 1"
    path.write_bytes(path.read_bytes() + f"\n{good}".encode())
    given = "runs" if kind == "run" else kind
    check(**{given: str(path)})  # type: ignore[arg-type]
    result = repair(path, kind=kind, keep="first", drop_bad_lines=True)
    path.write_bytes(result.content)
    left = check(**{given: str(path)})  # type: ignore[arg-type]
    assert left.worst != "error"
    by_subtopic = any(finding.code == "subtopics" for finding in left)
    (read_run if kind == "run" else read_groups if by_subtopic else read_judgments)(path)
    assert repair(path, kind=kind).done == ()
