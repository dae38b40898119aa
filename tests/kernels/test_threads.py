"""The answer never depends on the number of threads, to the bit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idealist import Conventions, Rankings, evaluate, read_judgments, read_run
from idealist.data.needs import GRADES
from idealist.kernels import Values
from idealist.measures import registry
from idealist.measures.families.incomplete import Sampled

TIES = ["id-descending", "averaged", "optimistic"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    rng = random.Random(7)
    folder = tmp_path_factory.mktemp("threads")
    run, judgments = folder / "x.run", folder / "x.qrels"
    with run.open("w") as runs, judgments.open("w") as qrels:
        for query in range(1500):
            documents = rng.sample(range(10**6), 40)
            runs.writelines(f"{query} Q0 {d} 1 {rng.random():.2f} t\n" for d in documents)
            qrels.writelines(f"{query} 0 {d} {rng.randrange(-1, 4)}\n" for d in documents[::3])
    return judgments, run


@pytest.mark.parametrize("ties", TIES)
def test_files(files: tuple[Path, Path], ties: str) -> None:
    measures = [
        measure
        for measure in (cls() for cls in registry().values())
        if measure.needs == GRADES
        and not isinstance(measure, Sampled)  # needs lists of its own shape
        and (measure.averages_ties or ties != "averaged")
        and (measure.one_grade or ties != "optimistic")
    ]
    results = []
    for threads in (1, 2, 3, 4):
        judgments, run = read_judgments(files[0], threads=threads), read_run(files[1], threads=threads)
        result = evaluate(judgments, run, measures, conventions=Conventions(ties=ties), threads=threads)
        results.append((result.to_dict(), [result.aggregate(measure) for measure in measures]))
    assert all(one == results[0] for one in results)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("depth", [None, 5])
def test_matrices(ties: str, depth: int | None) -> None:
    rng = np.random.default_rng(1)
    scores, grades = rng.integers(0, 90, (700, 250)).astype(float), rng.integers(0, 4, (700, 250))
    one, *others = (
        Rankings.from_arrays(grades, scores, Conventions(ties=ties), depth=depth, threads=threads)
        for threads in (1, 2, 3, 4)
    )
    assert all(other == one for other in others)


def test_values_are_numbers_per_query() -> None:
    values = Values([1.0, 2.0, 4.0])
    assert list(values) == [1.0, 2.0, 4.0]
    assert values[-1] == 4.0
    assert memoryview(values).tolist() == [1.0, 2.0, 4.0]
    assert memoryview(values).readonly
    assert np.asarray(values).dtype == np.float64
    assert list(values + values) == [2.0, 4.0, 8.0]
    assert list(values - values) == [0.0, 0.0, 0.0]
    assert list(values * 2.0 + 1.0) == [3.0, 5.0, 9.0]
    assert list(values / Values([2.0, 0.0, 1.0]))[::2] == [0.5, 4.0]
    undefined = values / Values([2.0, 0.0, 1.0])
    assert np.isnan(undefined[1])
    assert undefined.count() == 2
    assert undefined.sum() == 4.5
    assert undefined.first_undefined() == 1
    assert values.first_undefined() is None
    assert list(undefined.filled(0.0)) == [0.5, 0.0, 4.0]
    assert values.without([0]).count() == 2
    assert memoryview(Values([])).tolist() == []


@pytest.mark.parametrize(
    "broken",
    [
        lambda values: values[3],
        lambda values: values + Values([1.0]),
        lambda values: values.without([3]),
        lambda values: values / "x",
    ],
)
def test_values_refuse_what_does_not_fit(broken: Any) -> None:
    with pytest.raises((IndexError, ValueError, TypeError)):
        broken(Values([1.0, 2.0, 4.0]))
