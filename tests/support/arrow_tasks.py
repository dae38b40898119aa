"""Runs and judgments as Arrow tables, for tests of engines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

MEASURES = [
    "nDCG@5",
    "AP",
    "RR",
    "P@3",
    "R@10",
    "ERR(max_grade=3)",
    "GMAP",
    "NumRel",
    "Judged@5",
    "RBP(p=0.8)",
]
DOCUMENTS = 60
ITEMS = {
    "item": list(range(DOCUMENTS)),
    "popularity": [1 + number % 7 for number in range(DOCUMENTS)],
    "category": [["a", "b", "c|a", "d"][number % 4] for number in range(DOCUMENTS)],
}


def _ids(numbers: Any, text: bool, prefix: str) -> Any:
    return pa.array([f"{prefix}{number}" for number in numbers]) if text else pa.array(numbers)


def _rows(seed: int, queries: Iterable[int], documents: int) -> tuple[Any, Any, np.random.Generator]:
    generator = np.random.default_rng(seed)
    catalogue = max(DOCUMENTS, documents)
    numbers = list(queries)
    chosen = [generator.choice(catalogue, documents, replace=False) for _ in numbers]
    return np.repeat(numbers, documents), np.concatenate(chosen), generator


def run_table(
    *, seed: int, queries: Iterable[int] = range(40), documents: int = 20, text: bool = False
) -> pa.Table:
    """Scores with many ties."""
    query, document, generator = _rows(seed, queries, documents)
    scores = generator.integers(0, 12, len(query)) / 8
    return pa.table({"query": _ids(query, text, "q"), "document": _ids(document, text, "d"), "score": scores})


def judgments_table(
    *, seed: int, queries: Iterable[int] = range(40), documents: int = 12, text: bool = False
) -> pa.Table:
    """Grades from -1 to 3; every tenth query has nothing relevant."""
    query, document, generator = _rows(seed, queries, documents)
    grades = generator.integers(-1, 4, len(query)).astype(float)
    grades[query % 10 == 0] = 0.0
    return pa.table({"query": _ids(query, text, "q"), "document": _ids(document, text, "d"), "grade": grades})


def shuffled(table: pa.Table, seed: int) -> pa.Table:
    return table.take(np.random.default_rng(seed).permutation(len(table)))
