"""What `check` says of runs together with judgments, renewed in the background when the judgments change."""

from __future__ import annotations

from sqlalchemy import update

from idealist.checks import check
from idealist.checks.findings import SEVERITIES, CheckResult
from idealist.checks.run_checks import PAIR_CODES
from idealist.data.reading import read_judgments
from idealist.web.base.schema import sources
from idealist.web.projects.importing import check_result
from idealist.web.projects.project_sources import judgments_of, list_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from typing import Any

    from idealist.web.projects.project_sources import Source
    from idealist.web.workbench import Workbench


def start_checking(workbench: Workbench, project: int) -> Future[None] | None:
    """Checks the runs of a project with its current judgments; None where there are no runs."""
    if not list_sources(workbench.database, project, "run"):
        return None
    judgments = judgments_of(workbench.database, project)
    key = "check", project, None if judgments is None else judgments.stored
    return workbench.jobs.start(key, lambda: _check_runs(workbench, project))


def check_after(workbench: Workbench, project: int, added: Sequence[int]) -> None:
    """Checks the runs again where judgments are among the sources that were added."""
    current = judgments_of(workbench.database, project)
    if current is not None and current.id in added:
        start_checking(workbench, project)


def _check_runs(workbench: Workbench, project: int) -> None:
    judgments = judgments_of(workbench.database, project)
    for run in list_sources(workbench.database, project, "run"):
        if judgments_of(workbench.database, project) != judgments:
            return  # newer ones have a job of their own
        findings = renewed_findings(workbench, run, judgments)
        with workbench.database.writing() as connection:
            connection.execute(update(sources).where(sources.c.id == run.id).values(findings=findings))


def renewed_findings(workbench: Workbench, run: Source, judgments: Source | None) -> dict[str, Any]:
    """What was found in the file as it was uploaded, with what these judgments say of the run now."""
    judged = None
    if judgments is not None:
        judged = read_judgments(workbench.files.path(judgments.stored), name=judgments.name)
    files = check(judged, workbench.files.path(run.stored)).files
    (now,) = (file for file in files if file.kind == "run")
    (before,) = check_result(run.findings).files
    of_file = [finding for finding in before.findings if finding.code not in PAIR_CODES]
    of_pair = [
        finding.replace(
            source=before.source,
            # Lines are those of the stored file, which nobody has seen.
            examples=tuple(place.replace(line=None) for place in finding.examples),
        )
        for finding in now.findings
        if finding.code in PAIR_CODES
    ]
    together = sorted([*of_file, *of_pair], key=lambda finding: SEVERITIES.index(finding.severity))
    against = None if judgments is None else judgments.name
    return CheckResult((before.replace(against=against, findings=tuple(together)),)).to_dict()
