"""LETOR lines as features, by a reader of a few lines: what is not named is nan."""

from __future__ import annotations

from pathlib import Path

from idealist.data.features import Features


def letor_features(path: Path, columns: int) -> Features:
    grades, queries, documents, rows = [], [], [], []
    for line in path.read_text().splitlines():
        body, _, document = line.partition("#")
        grade, query, *named = body.split()
        values = dict(word.split(":") for word in named)
        rows.append([float(values.get(str(number), "nan")) for number in range(1, columns + 1)])
        grades.append(float(grade))
        queries.append(query.removeprefix("qid:"))
        documents.append(document.strip())
    names = list(dict.fromkeys(queries))
    return Features(
        rows,
        sizes=[queries.count(name) for name in names],
        grades=grades,
        queries=names,
        documents=documents,
    )
