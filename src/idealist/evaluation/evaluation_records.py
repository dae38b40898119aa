"""Evaluations as records for JSON, and the runs and judged documents that they keep."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data.provenance import Provenance, provenance_of
from idealist.data.run import Run, UnreadRun, as_run
from idealist.errors import InputError
from idealist.measures.measure_parameters import parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.run import RunLike
    from idealist.evaluation.evaluation import Evaluation


STDIN = "-"


class RunSnapshot:
    """A run that is about to be measured, as it is now: so that its digest, if it is ever asked for, is that of
    what was measured."""

    def __init__(self, run: RunLike | None) -> None:
        """None for a run that is not at hand, of which a saved evaluation has the rankings."""
        self.run = run
        self.source: str | None = getattr(run, "source", None)
        # Its judged documents, once it was measured; kept where some documents above the cut-off are not judged.
        self.rankings: kernels.Rankings | None = None
        self._state = _state_of(self.source) if isinstance(run, UnreadRun) else None

    def provenance(self, name: str, rows: int, queries: int) -> Provenance:
        if isinstance(self.run, Run):
            return provenance_of(self.run, name=name)
        if rows < 0:
            run_dict: Any = self.run
            rows = sum(len(documents) for documents in run_dict.values())
        digest = None if self.piped else lambda: self.run_again(rows).sha256
        return Provenance("run", name, self.source, rows, queries, digest)

    @property
    def piped(self) -> bool:
        """Whether it came through a pipe and was not stored."""
        return self.source is not None and (self.source == STDIN or _is_pipe(self.source))

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: the rankings, without the run."""
        import zlib

        packed = None if self.rankings is None else zlib.compress(kernels.packed(self.rankings))
        return _without_run, (packed,)

    def run_again(self, rows: int) -> Run:
        """The run in memory, of so many rows: an error where it is not what was measured."""
        where = str(self.source or getattr(self.run, "name", "run"))
        if self.run is None:
            raise InputError("the run is not at hand", source=where)
        if isinstance(self.run, UnreadRun) and self.piped:
            raise InputError("this was read from a pipe and not stored", source=where)
        if self._state is not None and _state_of(self.source) != self._state:
            raise _changed(where)
        run = as_run(self.run)
        if len(run.rows) != rows or (self._state is not None and _state_of(self.source) != self._state):
            raise _changed(where)
        return run


def _without_run(packed: bytes | None) -> RunSnapshot:
    import zlib

    snapshot = RunSnapshot(None)
    snapshot.rankings = None if packed is None else kernels.unpacked(zlib.decompress(packed))
    return snapshot


def _changed(where: str) -> InputError:
    return InputError(
        "this changed since it was measured, so its SHA-256 is not that of what was measured",
        source=where,
        hint="evaluate again",
    )


def _path_of(source: str) -> str:
    """Of FILE::TABLE, the file."""
    path, _, _ = source.rpartition("::")
    return path if path and not os.path.exists(source) else source


def _is_pipe(source: str) -> bool:
    path = _path_of(source)
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def _state_of(source: str | None) -> tuple[int, ...] | None:
    if source is None:
        return None
    try:
        state = os.stat(_path_of(source))
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


MOST_BYTES = 1 << 30  # of one run: its judged documents take 16 each


def rankings_record(evaluation: Evaluation) -> dict[str, str]:
    """By system, its rankings packed and compressed, as text: down to where the measures look. Nothing where they are not
    at hand, or where all documents above the cut-off are judged."""
    import zlib
    from base64 import b64encode

    depths = [measure.depth for measure in evaluation.measures]
    depth = None if None in depths else max(filter(None, depths), default=None)
    return {
        system: b64encode(zlib.compress(kernels.packed(_cut(run.rankings, depth)))).decode()
        for system, run in evaluation.runs.items()
        if run.rankings is not None
    }


def _cut(rankings: kernels.Rankings, depth: int | None) -> kernels.Rankings:
    return rankings if depth is None else kernels.cut_short(rankings, depth)


def runs_of_record(record: Mapping[str, Any]) -> dict[str, RunSnapshot]:
    """The runs of a saved evaluation, which are not at hand, with their rankings."""
    import zlib
    from base64 import b64decode

    runs = {}
    for system, text in record.items():
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(b64decode(text, validate=True), MOST_BYTES)
        except zlib.error as error:
            raise ValueError(f"the rankings of {system} are damaged: {error}") from None
        runs[system] = RunSnapshot(None)
        runs[system].rankings = kernels.unpacked(content)
    return runs


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
            record["rankings"] = rankings_record(evaluation)
        if evaluation.machine is not None:
            from idealist.evaluation.corrected import machine_record

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
