"""What the native core finds odd about rows, against plain Python."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from idealist import Run, kernels

IDS = st.sampled_from(
    ["a", "A", "a1", "A01", "a001", "0", "00", "007", "7", " 7", "x 1", "é", "É", "q1", "Q1", "10"]
)
ROWS = st.lists(st.tuples(st.sampled_from(["q1", "7", "r"]), IDS), min_size=1, max_size=40)
WORDS = st.sampled_from(["a", "A", "a1", "A01", "é", "007", "7", "q1"])


def fed(rows: list[tuple[str, str]]) -> kernels.Rows:
    feed = kernels.Feed("run")
    feed.add(
        "".join(f"{query} Q0 {document} 1 {at} x\n" for at, (query, document) in enumerate(rows)).encode()
    )
    return feed.finish(2)


def key(text: str) -> str:
    lower = re.sub("[A-Z]", lambda found: found[0].lower(), text.strip())
    return re.sub("(?<![0-9])0+(?=[0-9])", "", lower)


def named(rows: kernels.Rows, query: int, row: int) -> tuple[str, str]:
    return rows.queries()[query], kernels.row_document(rows, query, row)


@given(st.lists(st.tuples(st.sampled_from(["q1", "7", "r"]), WORDS), min_size=1, max_size=40))
def test_rows_of_a_file(given_rows: list[tuple[str, str]]) -> None:
    rows = fed(given_rows)
    queries = sorted({query for query, _ in given_rows})
    grouped = [
        (at, document) for query in queries for at, (q, document) in enumerate(given_rows) if q == query
    ]
    assert list(kernels.row_numbers(rows)) == [at for at, _ in grouped]
    counts = [sum(q == query for q, _ in given_rows) for query in queries]
    assert list(kernels.row_counts(rows)) == counts
    places = [(q, row) for q, count in enumerate(counts) for row in range(count)]
    assert [kernels.row_line(rows, *place) for place in places] == [at + 1 for at, _ in grouped]
    assert [kernels.row_document(rows, *place) for place in places] == [document for _, document in grouped]

    seen: dict[tuple[str, str], int] = {}
    twice = []
    for at, row in enumerate(given_rows):
        if row in seen:
            twice.append((at + 1, seen[row] + 1))
        seen.setdefault(row, at)
    count, pairs = kernels.duplicate_rows(rows, 100, 2)
    lines = [(kernels.row_line(rows, q, r), kernels.row_line(rows, oq, o)) for q, r, oq, o in pairs]
    assert count == len(twice)
    assert sorted(lines) == twice
    assert kernels.duplicate_rows(rows, 1, 2) == (count, pairs[:1])

    changes = [query for at, (query, _) in enumerate(given_rows) if at == 0 or given_rows[at - 1][0] != query]
    scattered = [at for at, query in enumerate(queries) if changes.count(query) > 1]
    assert kernels.scattered_queries(rows) == scattered


@given(ROWS)
def test_odd_ids(given_rows: list[tuple[str, str]]) -> None:
    run: dict[str, dict[str, float]] = {}
    for query, document in given_rows:
        run.setdefault(query, {})[document] = 1.0
    rows = Run(run).rows
    all_rows = [(query, document) for query in sorted(run) for document in run[query]]
    for find, odd in (
        (kernels.own_ids, lambda query, document: query == document),
        (kernels.ids_with_space, lambda query, document: " " in document),
        (kernels.ids_beyond_ascii, lambda query, document: not document.isascii()),
    ):
        expected = [row for row in all_rows if odd(*row)]
        count, places, queries = find(rows, 2)
        assert count == len(expected)
        assert [named(rows, *place) for place in places] == expected[:2]
        assert [rows.queries()[query] for query in queries] == sorted({query for query, _ in expected})


@given(ROWS, ROWS)
def test_ids_that_look_alike(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    one, two = ({q: {d: 1.0 for p, d in rows if p == q} for q, _ in rows} for rows in (first, second))
    mine, other = Run(one).rows, Run(two).rows
    alike = {
        (query, document)
        for query, documents in one.items()
        for document in documents
        if document not in two.get(query, {}) and key(document) in map(key, two.get(query, {}))
    }
    count, pairs = kernels.lookalike_rows(mine, other, 1000, 2)
    assert count == len(alike)
    assert {named(mine, query, row) for query, row, _, _ in pairs} == alike
    for query, row, other_query, other_row in pairs:
        (name, document), (other_name, like) = named(mine, query, row), named(other, other_query, other_row)
        assert name == other_name
        assert document != like
        assert key(document) == key(like)

    within = sum(len(documents) - len(set(map(key, documents))) for documents in one.values())
    assert kernels.lookalike_rows(mine, None, 1000, 2)[0] == within
