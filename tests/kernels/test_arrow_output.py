"""Rows as a stream of Arrow: cut into batches whose text offsets of 32 bits reach."""

from __future__ import annotations

import pyarrow
import pytest

from idealist import kernels, read_run


class Table:
    """A capsule, as pyarrow takes it."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.capsule


def read(scores: dict[str, dict[str, float]], most_text: int) -> pyarrow.Table:
    rows = read_run(scores).rows
    return pyarrow.RecordBatchReader.from_stream(
        Table(kernels.arrow_of(rows, "score", most_text=most_text))
    ).read_all()


def test_a_query_is_cut_where_its_ids_fill_a_batch() -> None:
    """300 ids of 100 bytes, 1,000 bytes a batch: 30 batches of ten, though all are of one query."""
    ids = [f"{number:0100d}" for number in range(300)]
    table = read({"q": dict.fromkeys(ids, 1.0)}, 1000)
    assert [len(batch) for batch in table.to_batches()] == [10] * 30
    assert table["document"].to_pylist() == ids
    assert table["query"].to_pylist() == ["q"] * 300
    table.validate(full=True)


def test_so_are_long_names_of_queries() -> None:
    table = read({"q" * 400: dict.fromkeys("abcde", 1.0), "r": {"f": 2.0}}, 1000)
    assert [len(batch) for batch in table.to_batches()] == [2, 2, 2]
    assert table["document"].to_pylist() == list("abcdef")
    table.validate(full=True)


def test_uneven_ids_and_queries_without_documents() -> None:
    sizes = [1, 7, 50, 3, 49, 2, 48, 1, 1]
    run = {"1": {f"{'x' * size}{at}": float(at) for at, size in enumerate(sizes)}, "2": {}, "3": {"é": 0.5}}
    table = read(run, 52)
    assert table["score"].to_pylist() == [*range(9), 0.5]
    assert table["document"].to_pylist() == [*run["1"], "é"]
    assert all(batch["document"].nbytes <= 52 + 4 * (len(batch) + 1) for batch in table.to_batches())
    table.validate(full=True)


@pytest.mark.parametrize("run", [{"q": {"d" * 1001: 1.0}}, {"q" * 1001: {"d": 1.0}}])
def test_an_id_longer_than_a_column_is_refused(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises(
        pyarrow.ArrowInvalid, match="an id takes more than a column of Arrow text holds, which is 2 GiB"
    ):
        read(run, 1000)


def test_columns_outlive_their_batch() -> None:
    table = read({"q": {"a": 1.0, "b": 2.0}}, 1000)
    (batch,) = table.to_batches()
    documents, scores = batch["document"], batch["score"]
    del table, batch
    assert documents.to_pylist() == ["a", "b"]
    assert scores.to_pylist() == [1.0, 2.0]


def test_offsets_beyond_their_bits_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="at most 2 GiB"):
        kernels.arrow_of(read_run({"q": {"d": 1.0}}).rows, "score", most_text=2**31)
