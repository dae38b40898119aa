"""Evaluations back from JSON: what was measured once can be compared later without the runs."""

from __future__ import annotations

import os

from idealist.base.wording import reason_of
from idealist.conventions import CHOICES, Conventions
from idealist.data.opening import Opened
from idealist.data.provenance import Provenance, Sources
from idealist.data.query_numbers import KIND as NUMBERS
from idealist.errors import IdealistError, InputError
from idealist.evaluation.aggregates import NAN
from idealist.evaluation.evaluation import Evaluation, QueryNames
from idealist.evaluation.evaluation_records import FORMAT, VERSION
from idealist.kernels import Values
from idealist.measures import parse
from idealist.measures.column import INFINITE, Column
from idealist.measures.measure_parameters import parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.evaluation.drawn_values import DrawnValues
    from idealist.evaluation.evaluation_records import RunSnapshot
    from idealist.evaluation.machine_values import MachineValues
    from idealist.measures import Measure

WRITE_ONE = "write it with Evaluation.to_json(), or idealist evaluate --format json --by-query"


def read_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """An evaluation from the JSON that `Evaluation.to_json` or `idealist evaluate --format json --by-query`
    wrote. How far its values depend on the order of ties is not in the file."""
    source = os.fspath(path)
    record = _record(source)
    try:
        return _restored(record)
    except IdealistError as error:
        raise InputError(error.message, source=source, hint=error.hint) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"this evaluation cannot be read: {problem}", source=source, hint=WRITE_ONE
        ) from None


def _record(source: str) -> dict[str, Any]:
    import json

    try:
        with Opened(source) as opened:
            if b"\0" in opened.head:
                raise InputError("this is not JSON: it is binary data", source=source, hint=WRITE_ONE)
            record = json.loads(opened.content().decode())
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {reason_of(error)}", source=source, hint=WRITE_ONE) from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError("this is JSON, but not an evaluation of Idealist", source=source, hint=WRITE_ONE)
    version = record.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InputError(
            f"this evaluation has version {version!r}, and this Idealist reads versions up to {VERSION}",
            source=source,
            hint="it was written by a newer Idealist: update this one",
        )
    if "by_query" not in record:
        raise InputError("this evaluation lacks the values by query", source=source, hint=WRITE_ONE)
    return record


def _restored(record: dict[str, Any]) -> Evaluation:
    systems = tuple(map(str, record["systems"]))
    columns = {text: _column(column) for text, column in record.get("columns", {}).items()}
    measures = tuple(columns.get(text) or parse(text) for text in record["measures"])
    queries = [str(query) for query in record["queries"]]
    if not systems or not measures:
        raise InputError(f"the evaluation has no {'measures' if systems else 'systems'}")
    if len(set(queries)) < len(queries):
        raise InputError("a query appears twice")
    values = {
        (system, measure): _values(record, queries, system, measure)
        for system in systems
        for measure in measures
    }
    weights = record["weights"]
    if weights is not None and len(weights) != len(queries):
        raise InputError(f"there are {len(weights)} weights for {len(queries)} queries")
    judged: dict[int | None, dict[str, float]] = {}
    for entry in record["judged"]:
        judged.setdefault(entry["k"], {})[entry["system"]] = _number(entry["share"])
    for shares in judged.values():
        if shares.keys() != set(systems):
            raise InputError("the shares of judged documents are not those of the systems")
    choices = {field: record["conventions"][field] for field in CHOICES}
    parameters = {name: parameter(name).read(text) for name, text in record["parameters"].items()}
    return Evaluation(
        measures=measures,
        values=values,
        pooled=_pooled(record, measures),
        names=QueryNames(queries),
        systems=systems,
        conventions=Conventions(**choices, parameters=parameters),
        weights=None if weights is None else Values([float(weight) for weight in weights]),
        notes=tuple(map(str, record["notes"])),
        judged=judged,
        missing={system: tuple(names) for system, names in record["missing"].items()},
        provenance=_sources(record["provenance"]),
        weighted_by="" if weights is None else str(record.get("weighted_by") or "weights"),
        whole_ids=_whole_ids(record, queries),
        grades=_grades(record),
        machine=_machine(record, systems, measures),
        runs=_runs(record),
    )


def _column(record: dict[str, Any]) -> Column:
    ends = {
        end: infinite if record[end] is None else record[end]
        for end, infinite in (("low", -INFINITE), ("high", INFINITE))
    }
    return Column(record["column"], record["better"], **ends)


def _runs(record: dict[str, Any]) -> dict[str, RunSnapshot]:
    if "rankings" not in record:
        return {}
    from idealist.evaluation.evaluation_records import runs_of_record

    return runs_of_record(record["rankings"])


def _grades(record: dict[str, Any]) -> tuple[float, float] | None:
    grades = record.get("grades")
    return None if grades is None else (_number(grades[0]), _number(grades[1]))


def _machine(
    record: dict[str, Any], systems: tuple[str, ...], measures: tuple[Measure, ...]
) -> MachineValues | DrawnValues | None:
    if record.get("machine") is None:
        return None
    from idealist.evaluation.corrected import machine_of_record

    return machine_of_record(record["machine"], systems, measures)


def _values(record: dict[str, Any], queries: list[str], system: str, measure: Measure) -> Values:
    values = record["by_query"][system][str(measure)]
    unknown_queries = values.keys() - set(queries)
    if unknown_queries:
        raise InputError(f"query {min(unknown_queries)!r} has a value, but is not in the list of queries")
    return Values([_number(values.get(query)) for query in queries])


def _whole_ids(record: dict[str, Any], queries: list[str]) -> bool:
    """Whether the queries were whole numbers; files of earlier versions do not say."""
    whole = bool(record.get("whole_ids", False))
    for query in queries if whole else ():
        if not query.removeprefix("-").isdecimal() or str(int(query)) != query:
            raise InputError(f"whole_ids is true, but query {query!r} is not a whole number")
    return whole


def _number(value: Any) -> float:
    return NAN if value is None else float(value)


def _pooled(record: dict[str, Any], measures: tuple[Measure, ...]) -> dict[tuple[str, Measure], float]:
    pooled_measures = {str(measure): measure for measure in measures if measure.aggregate == "pooled"}
    return {
        (entry["system"], pooled_measures[entry["measure"]]): _number(entry["pooled"])
        for entry in record["summary"]
        if entry["measure"] in pooled_measures
    }


def _sources(record: dict[str, Any] | None) -> Sources | None:
    if record is None:
        return None
    judgments = record["judgments"]
    return Sources(
        None if judgments is None else _provenance(judgments),
        {system: _provenance(run) for system, run in record["runs"].items()},
        tuple(_provenance({"kind": NUMBERS, **table}) for table in record.get("numbers", ())),
    )


def _provenance(record: dict[str, Any]) -> Provenance:
    if not isinstance(record["sha256"], str | None):
        raise InputError("a sha256 is not text")
    return Provenance(
        record["kind"], record["name"], record["source"], record["rows"], record["queries"], record["sha256"]
    )
