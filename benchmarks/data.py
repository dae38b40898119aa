"""Makes the data the benchmarks run on, from a seed: `python benchmarks/data.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

# name: queries, documents a query, size of the collection, judged a query, highest grade
SHAPES = {
    "msmarco": (6_980, 1_000, 8_841_823, 1, 1),
    "trec": (50, 1_000, 528_155, 300, 2),
    "recommender": (200_000, 100, 60_000, 5, 1),
}


def write(folder: Path, name: str) -> None:
    """A run in ranked order, and judgments of which about two thirds were retrieved."""
    run_path, judgments_path = folder / f"{name}.run", folder / f"{name}.qrels"
    if run_path.exists() and judgments_path.exists():
        return
    queries, depth, collection, judged, highest = SHAPES[name]
    random = np.random.default_rng(20_260_615)
    ids = np.sort(random.choice(1_200_000, queries, replace=False))
    part = run_path.with_suffix(".part")
    with part.open("w") as run, judgments_path.open("w") as judgments:
        for query in ids.tolist():
            documents = random.choice(collection, depth + judged, replace=False).tolist()
            scores = np.sort(random.gamma(4.0, 3.0, depth))[::-1].tolist()
            run.write(
                "".join(
                    f"{query} Q0 {document} {rank} {score:.6f} system\n"
                    for rank, (document, score) in enumerate(zip(documents, scores, strict=False), 1)
                )
            )
            found = random.choice(depth + judged, judged, replace=False)
            found = np.where(random.random(judged) < 0.67, found, depth + np.arange(judged)).tolist()
            grades = random.integers(0 if judged > 5 else 1, highest + 1, judged).tolist()
            lines = {documents[at]: grade for at, grade in zip(found, grades, strict=True)}
            judgments.writelines(f"{query} 0 {doc} {grade}\n" for doc, grade in lines.items())
    part.replace(run_path)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHAPES:
        print(f"making {name} data", file=sys.stderr)
        write(folder, name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
