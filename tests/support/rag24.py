"""TREC 2024 RAG: human and machine judgments of the same documents, and made-up systems that rank them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import numpy as np

Grades = dict[str, dict[str, float]]


def read_grades(path: Path) -> Grades:
    grades: Grades = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            grades.setdefault(query, {})[document] = float(grade)
    return grades


def shared_grades(folder: Path) -> tuple[Grades, Grades]:
    """The grades of people, and those of the machine for the same documents."""
    human, machine = read_grades(folder / "human.qrels.gz"), read_grades(folder / "machine.qrels.gz")
    return human, {
        query: {document: machine[query][document] for document in human[query]} for query in human
    }


def noisy_ranking(grades: Grades, noise: float, seed: int) -> Grades:
    """Scores: the grades, and normal noise."""
    rng = np.random.default_rng(seed)
    return {
        query: {document: grade + noise * float(rng.normal()) for document, grade in documents.items()}
        for query, documents in grades.items()
    }


def by_query(values: Iterable[float]) -> np.ndarray:
    return np.array(list(values))
