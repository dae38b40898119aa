"""Values of runs, measured once for each content: from the cache, or in the background."""

from __future__ import annotations

import json
import zlib
from array import array
from functools import lru_cache

from sqlalchemy import and_, delete, select

from idealist import __version__
from idealist.base.frozen import Frozen
from idealist.data import Judgments
from idealist.data.reading import read_judgments
from idealist.evaluation.measuring import evaluate
from idealist.measures import parse_all
from idealist.statistics.intervals import mean_interval
from idealist.web.base.database import insert_new, now
from idealist.web.base.schema import evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.measures import Measure
    from idealist.web.workbench import Workbench

CONFIDENCE = 0.95
NAN = float("nan")


class Question(Frozen):
    """What is measured: judgments by their stored file, measures, and conventions."""

    judgments: str
    measures: tuple[Measure, ...]
    conventions: Conventions

    @property
    def conventions_key(self) -> str:
        """The conventions as the cache has them; parameters are part of the measures."""
        return json.dumps(self.conventions.to_dict(), sort_keys=True)

    def names(self) -> list[str]:
        return [str(measure) for measure in self.measures]


def question(judgments: str, measures: Sequence[str], conventions: Conventions) -> Question:
    return Question(judgments, parse_all(measures, defaults=conventions.parameters), conventions)


class Summary(Frozen):
    """A measure of a run without the values of queries: its aggregate (None over no query), interval, number of queries,
    the share of judged documents that it looked at, and notes."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    judged: float | None
    notes: tuple[str, ...]


def summaries(workbench: Workbench, asked: Question, runs: Sequence[str]) -> dict[tuple[str, str], Summary]:
    """What is known already, by run and measure."""
    names = asked.names()
    columns = [getattr(evaluations.c, field) for field in ("run_sha256", "measure", *Summary.fields)]
    wanted = select(*columns).where(_of(asked), evaluations.c.run_sha256.in_(runs))
    with workbench.database.reading() as connection:
        rows = connection.execute(wanted.where(evaluations.c.measure.in_(names)))
        return {
            (row.run_sha256, row.measure): Summary(
                row.value, row.low, row.high, row.n, row.judged, tuple(row.notes)
            )
            for row in rows
        }


def values_by_query(workbench: Workbench, asked: Question, run: str, measure: Measure) -> list[float]:
    """The values of one measure of one run, in the order of `judged_queries`; measured now if they were not before."""
    values = known_values(workbench, asked, run, measure)
    if values is None:
        measure_run(workbench, asked, run)
        values = known_values(workbench, asked, run, measure)
        assert values is not None
    return values


def known_values(workbench: Workbench, asked: Question, run: str, measure: Measure) -> list[float] | None:
    """The values of one measure of one run, if they were measured before."""
    wanted = select(evaluations.c.by_query).where(
        _of(asked), evaluations.c.run_sha256 == run, evaluations.c.measure == str(measure)
    )
    with workbench.database.reading() as connection:
        stored = connection.execute(wanted).scalar()
    return None if stored is None else _unpacked(stored)


def start_measuring(
    workbench: Workbench, asked: Question, runs: Sequence[str], *, prompt: bool = False
) -> list[Future[None]]:
    """Starts what is not known yet, a job for each run; asking again while it is under way starts nothing."""
    known = summaries(workbench, asked, runs)
    missing = [run for run in runs if any((run, name) not in known for name in asked.names())]
    return [
        workbench.jobs.start(
            ("measure", run, asked.judgments, asked.conventions_key, *asked.names()),
            lambda run=run: measure_run(workbench, asked, run),  # type: ignore[misc]
            prompt=prompt,
        )
        for run in dict.fromkeys(missing)
    ]


def measure_run(workbench: Workbench, asked: Question, run: str) -> None:
    """Measures a stored run and keeps what was found."""
    judgments = stored_judgments(workbench.files.path(asked.judgments))
    path = workbench.files.path(run)
    result = evaluate(judgments, path, asked.measures, conventions=asked.conventions)
    (system,) = result.systems
    rows = []
    for measure in asked.measures:
        by_query = result.by_query(measure)
        values, defined = [by_query.get(query, NAN) for query in result.queries], list(by_query.values())
        interval = None
        if measure.aggregate == "mean":
            interval = mean_interval(defined, confidence=CONFIDENCE, bounds=measure.bounds)
        aggregate = result.aggregate(measure)
        share = result.judged.get(getattr(measure, "k", None), {}).get(system)
        rows.append(
            {
                "run_sha256": run,
                "judgments_sha256": asked.judgments,
                "conventions": asked.conventions_key,
                "measure": str(measure),
                "version": __version__,
                "value": _number(aggregate),
                "low": None if interval is None else interval.low,
                "high": None if interval is None else interval.high,
                "n": result.n(measure),
                "judged": _number(share),
                "notes": [note.removeprefix(f"{system}: ") for note in result.notes],
                "by_query": _packed(values),
                "created": now(),
            }
        )
    other = and_(_measured(asked), evaluations.c.run_sha256 == run, evaluations.c.version != __version__)
    with workbench.database.writing() as connection:
        connection.execute(delete(evaluations).where(other, evaluations.c.measure.in_(asked.names())))
        for row in rows:  # another job may have measured one of them meanwhile
            insert_new(connection, evaluations, row)


@lru_cache(maxsize=8)
def stored_judgments(path: Path) -> Judgments:
    """Judgments from a stored file, which never changes."""
    return read_judgments(path)


def judged_queries(workbench: Workbench, judgments: str) -> list[str]:
    """The judged queries, in bytewise order."""
    return stored_judgments(workbench.files.path(judgments)).keys()


def _of(asked: Question) -> Any:
    """What this Idealist has measured: what another version has may be corrected by now."""
    return and_(_measured(asked), evaluations.c.version == __version__)


def _measured(asked: Question) -> Any:
    return and_(
        evaluations.c.judgments_sha256 == asked.judgments,
        evaluations.c.conventions == asked.conventions_key,
    )


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _packed(values: Sequence[float]) -> bytes:
    """Numbers as bytes.

    >>> _unpacked(_packed([0.5, 1.0]))
    [0.5, 1.0]
    """
    return zlib.compress(array("d", values).tobytes(), 1)


def _unpacked(content: bytes) -> list[float]:
    numbers = array("d")
    numbers.frombytes(zlib.decompress(content))
    return numbers.tolist()
