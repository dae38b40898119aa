"""What the peers are given: for each query, the scores and the grades of its documents, in one order."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from idealist import evaluate
from idealist.conventions import Conventions, parse_conventions

Lists = list[tuple[list[float], list[float]]]

# Many ties, and two scores that are one in single precision.
TIED = st.sampled_from([-1.0, 0.0, -0.0, 0.5, 1.0, 16777216.0, 16777217.0])
BINARY = st.integers(0, 1)
GRADED = st.integers(0, 4)
REAL = st.one_of(st.just(0.0), st.floats(0, 4, width=16))
CUTOFFS = st.sampled_from([1, 2, 3, 5, 10])
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 3.0])


@st.composite
def scored_lists(
    draw: st.DrawFn, grades: st.SearchStrategy[float] = GRADED, *, tied: bool = True, longest: int = 40
) -> Lists:
    """One document is a list, too, and in some lists nothing is relevant. Without ties, scores are above 0."""
    lists: Lists = []
    for size in draw(st.lists(st.one_of(st.integers(1, 6), st.integers(1, longest)), min_size=1, max_size=6)):
        of_one = st.just(0) if draw(st.integers(0, 4)) == 0 else grades
        distinct = st.permutations([rank + 0.5 for rank in range(size)])
        scores = draw(st.lists(TIED, min_size=size, max_size=size) if tied else distinct)
        lists.append((scores, draw(st.lists(of_one, min_size=size, max_size=size))))
    return lists


def joined(lists: Lists) -> tuple[Any, Any, Any]:
    """All scores, all grades, and how many documents each query has."""
    scores = np.concatenate([np.asarray(scores, dtype=float) for scores, _ in lists])
    grades = np.concatenate([np.asarray(grades, dtype=float) for _, grades in lists])
    return scores, grades, np.asarray([len(grades) for _, grades in lists])


def named(numbers: Sequence[Sequence[float]]) -> dict[str, dict[str, float]]:
    """Queries and documents by name, in the order they have."""
    return {
        f"q{query:03}": {f"d{place:03}": number for place, number in enumerate(one)}
        for query, one in enumerate(numbers)
    }


def ours(
    lists: Lists, measure: str, tool: str | Conventions, weights: Sequence[float] | None = None
) -> float:
    """The mean of the measure under the conventions of the tool."""
    run, judged = named([scores for scores, _ in lists]), named([grades for _, grades in lists])
    by_query = None if weights is None else dict(zip(run, weights, strict=True))
    chosen = parse_conventions(tool) if isinstance(tool, str) else tool
    return evaluate(judged, run, measure, conventions=chosen, weights=by_query).mean(measure)


def ohsumed_lists(folder: Path) -> Lists:
    """LETOR's OHSUMED, scored by its 11th feature, the sum of the frequencies of the query's words: it has
    many ties. One query of 106 has nothing relevant."""
    by_query: dict[str, tuple[list[float], list[float]]] = {}
    for fields in _lines(folder):
        scores, grades = by_query.setdefault(fields[1], ([], []))
        grades.append(float(fields[0]))
        scores.append(float(fields[12].removeprefix("11:")))
    return list(by_query.values())


def _lines(folder: Path) -> Iterator[list[str]]:
    for path in sorted(folder.glob("S*.txt.gz")):
        with gzip.open(path, "rt") as lines:
            yield from map(str.split, lines)
