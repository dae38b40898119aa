"""A table in many small batches, whose queries do not lie together, takes about as long as one whose queries do."""

from __future__ import annotations

import time

import numpy as np
import pyarrow
import pytest

from idealist import evaluate

ROWS, BATCH, QUERIES = 5_000_000, 20, 1000


@pytest.mark.slow
def test_rows_of_small_batches_are_dealt_out_quickly() -> None:
    numbers = np.arange(ROWS)
    together = numbers // (ROWS // QUERIES)
    scattered = np.random.default_rng(7).permutation(together)
    judgments = {str(query): {"no such document": 1} for query in range(QUERIES)}
    seconds = {}
    for name, queries in (("together", together), ("scattered", scattered)):
        table = pyarrow.table({"query": queries, "document": numbers, "score": np.ones(ROWS)})
        batches = [batch for at in range(0, ROWS, BATCH) for batch in table.slice(at, BATCH).to_batches()]
        small = pyarrow.Table.from_batches(batches)
        began = time.process_time()
        result = evaluate(judgments, small, "RR", threads=1)
        seconds[name] = time.process_time() - began
        assert result.mean("RR") == 0
    assert seconds["scattered"] < 4 * seconds["together"] + 0.2, seconds
