"""Evaluations as records for JSON."""

from __future__ import annotations

from idealist.measures.parameters import parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.evaluation.result import Evaluation

FORMAT = "idealist evaluation"
VERSION = 1


def record_of(evaluation: Evaluation, *, by_query: bool) -> dict[str, Any]:
    """Everything in an evaluation, for JSON."""
    conventions = evaluation.conventions
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "systems": list(evaluation.systems),
        "measures": [str(measure) for measure in evaluation.measures],
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
        record["by_query"] = evaluation.to_dict()
        if evaluation.machine is not None:
            from idealist.evaluation.machine_records import machine_record

            record["machine"] = machine_record(evaluation.machine)
    return record
