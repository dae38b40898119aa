"""Evaluations on Spark beside local ones."""

from __future__ import annotations

from typing import Any

import idealist as il


def values_of(evaluation: Any) -> dict[tuple[str, Any, str], float]:
    return {
        (row["system"], row["query"], name): row[name]
        for row in evaluation.values.collect()
        for name in evaluation.task.columns
        if row[name] is not None
    }


def local_values(
    evaluation: il.evaluation.Evaluation, id_type: type = str
) -> dict[tuple[str, Any, str], float]:
    return {(value.system, id_type(value.query), str(value.measure)): value.value for value in evaluation}


def same(evaluation: Any, local: il.evaluation.Evaluation, id_type: type = str) -> None:
    evaluation.persist()
    assert values_of(evaluation) == local_values(local, id_type)
    for measure in local.measures:
        for system in local.systems:
            assert evaluation.mean(measure, system) == local.aggregate(measure, system)
            assert evaluation.n(measure, system) == local.n(measure, system)
    evaluation.unpersist()
