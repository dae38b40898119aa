"""Evaluations as records for JSON."""

from __future__ import annotations

from idealist.measures.parameters import parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.evaluation.result import Evaluation

FORMAT = "idealist evaluation"
VERSION = 1
INFINITE = float("inf")
ENDS = ("low", "high")  # of a column's range, null where it is not known


def record_of(evaluation: Evaluation, *, by_query: bool) -> dict[str, Any]:
    """Everything in an evaluation, for JSON."""
    conventions = evaluation.conventions
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "systems": list(evaluation.systems),
        "measures": [str(measure) for measure in evaluation.measures],
        **_columns(evaluation),
        "conventions": conventions.to_dict(),
        "parameters": {
            name: parameter(name).text(parameter(name).read(value))
            for name, value in conventions.parameters.items()
        },
        "provenance": evaluation.provenance and evaluation.provenance.to_dict(),
        "judged": evaluation.judged_shares(),
        "ties": evaluation.tie_bounds(),
        "notes": list(evaluation.notes),
        "missing": {system: list(queries) for system, queries in evaluation.missing.items()},
        "summary": evaluation.summary(),
    }
    if by_query:
        weights = evaluation.weights
        record["queries"] = evaluation.queries
        record["whole_ids"] = evaluation.whole_ids
        record["weights"] = None if weights is None else list(weights)
        record["weighted_by"] = evaluation.weighted_by or None
        record["grades"] = evaluation.grades and list(evaluation.grades)
        record["by_query"] = evaluation.to_dict()
        if any(run.rankings is not None for run in evaluation.runs.values()):
            from idealist.evaluation.kept_rankings import rankings_record

            record["rankings"] = rankings_record(evaluation)
        if evaluation.machine is not None:
            from idealist.evaluation.machine_records import machine_record

            record["machine"] = machine_record(evaluation.machine)
    return record


def _columns(evaluation: Evaluation) -> dict[str, Any]:
    """Which of the measures are columns of numbers: their names, which value is better, and what they lie between."""
    columns = [measure for measure in evaluation.measures if measure.given]
    if not columns:
        return {}
    return {
        "columns": {
            str(column): {
                "column": column.label,
                "better": column.better,
                **{
                    end: None if abs(value) == INFINITE else value
                    for end, value in zip(ENDS, column.bounds, strict=True)
                },
            }
            for column in columns
        }
    }


def tie_records(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The bounds of ties, by system and measure."""
    return [
        {"system": system, "measure": str(measure)}
        | {field: None if (value := getattr(bounds, field)) != value else value for field in bounds.fields}
        for system in evaluation.systems
        for measure in evaluation.measures
        if evaluation.bounded(measure, system)
        for bounds in [evaluation.ties(measure, system)]
    ]


def frame_columns(evaluation: Evaluation) -> dict[str, Any]:
    """The values as columns: system, query, measure and value, a row for each that is defined."""
    import numpy as np

    queries: list[Any] = list(map(int, evaluation.queries)) if evaluation.whole_ids else evaluation.queries
    names = np.array([str(measure) for measure in evaluation.measures], dtype=object)
    tables = [
        np.array([evaluation._values_of(measure, system) for measure in evaluation.measures], dtype=float).T
        for system in evaluation.systems
    ]
    defined = [~np.isnan(table) for table in tables]
    rows = np.concatenate([np.nonzero(has_value)[0] for has_value in defined])
    by_measure = np.concatenate([np.nonzero(has_value)[1] for has_value in defined])
    return {
        "system": np.repeat(
            np.array(evaluation.systems, dtype=object), [int(has_values.sum()) for has_values in defined]
        ).tolist(),
        "query": list(map(queries.__getitem__, rows.tolist())),
        "measure": names[by_measure].tolist(),
        "value": np.concatenate([table[has_value] for table, has_value in zip(tables, defined, strict=True)]),
    }
