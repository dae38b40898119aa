"""The values of runs over time: of every version, with the judgments that stood beside it."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.web.measuring import question, start_measuring, summaries
from idealist.web.store.versions import versions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.web.measuring import Summary
    from idealist.web.store.versions import Version
    from idealist.web.workbench import Workbench

MOST_RUNS = 8  # lines of a chart that can be told apart
MOST_POINTS = 200  # of a page, the newest


class Moment(Frozen):
    """A run and the judgments that it stood beside, from `at` on; `summary` is None while it is measured. `stale` names
    which of the two have another content now: what was measured is not what the project holds."""

    at: int
    run: Version
    judgments: Version
    stale: tuple[str, ...] = ()
    summary: Summary | None = None


def moments(
    workbench: Workbench, project: int, measure: str, conventions: Conventions, run: str = ""
) -> tuple[list[Moment], list[Future[None]]]:
    """Every run with the judgments of its time, in order of time, with what is known of its value; and the measuring that
    was started. Of a project with many runs, those that changed last, unless one is named."""
    pairs = overlapping(
        _latest(versions_of(workbench.database, project, "run", run or None)),
        versions_of(workbench.database, project, "judgments"),
    )[-MOST_POINTS:]
    started: list[Future[None]] = []
    known: dict[tuple[str, str], Summary] = {}
    for judgments in dict.fromkeys(pair.judgments.stored_sha256 for pair in pairs):
        asked = question(judgments, [measure], conventions)
        stored = [pair.run.stored_sha256 for pair in pairs if pair.judgments.stored_sha256 == judgments]
        started += start_measuring(workbench, asked, stored)
        known |= {
            (stored_run, judgments): summary
            for (stored_run, _), summary in summaries(workbench, asked, stored).items()
        }
    measured = [
        pair.replace(summary=known.get((pair.run.stored_sha256, pair.judgments.stored_sha256)))
        for pair in pairs
    ]
    return measured, started


def overlapping(runs: list[Version], judgments: list[Version]) -> list[Moment]:
    """Every run with every judgments that were current at the same time, from when both were there."""
    current = {_content(version) for version in (*runs, *judgments) if version.current}
    found = []
    for run in runs:
        for judged in judgments:
            begins = max(run.created, judged.created)
            ends = [version.replaced for version in (run, judged) if version.replaced is not None]
            if all(begins < end for end in ends):
                stale = (version.kind for version in (run, judged) if _content(version) not in current)
                found.append(Moment(begins, run, judged, tuple(stale)))
    return sorted(found, key=lambda moment: (moment.at, moment.run.name))


def _content(version: Version) -> tuple[str, str, str]:
    """What makes two versions the same: their content under one name; a project has one judgments, whatever its name."""
    return version.kind, version.name if version.kind == "run" else "", version.content_sha256


def _latest(versions: list[Version]) -> list[Version]:
    """The versions of the MOST_RUNS names that changed last."""
    names = dict.fromkeys(version.name for version in reversed(versions))
    chosen = set(list(names)[:MOST_RUNS])
    return [version for version in versions if version.name in chosen]


def trend_record(measured: list[Moment]) -> list[dict[str, Any]]:
    """The moments for programs."""
    return [
        {
            "at": moment.at,
            "run": moment.run.name,
            "run_sha256": moment.run.content_sha256,
            "judgments_sha256": moment.judgments.content_sha256,
            "stale": list(moment.stale),
            **{
                field: getattr(moment.summary, field)
                for field in ("value", "low", "high", "n")
                if moment.summary is not None
            },
        }
        for moment in measured
    ]
