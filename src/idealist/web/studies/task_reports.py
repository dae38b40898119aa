"""What is computed of a study or a task of grades, in the background: the last of it is shown while answers come in
and a new one is made."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.votes.vote_plan import pilot_votes
from idealist.web.studies.graded_tasks import grade_report
from idealist.web.studies.study_results import rater_report, sequential_line, study_result, study_votes
from idealist.web.studies.task_answers import Study, TaskState, grade_reader, study_reader, task_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

    from idealist.votes.voting import VoteSettings
    from idealist.web.judging.tasks import Task
    from idealist.web.studies.task_answers import TaskReader
    from idealist.web.workbench import Workbench


class Wanted(Frozen):
    """What is computed of the votes of a study, or of the grades of a task: `kind` is one of KINDS, with the settings of
    a report."""

    study: Study | Task
    kind: str
    settings: VoteSettings | None = None

    @property
    def key(self) -> tuple[str, int, str, VoteSettings | None]:
        return "study", self.study.id, self.kind, self.settings


class Report(Frozen):
    """What was computed, and of which state of the study; `content` is None where it had no votes."""

    state: TaskState
    content: Any


KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "result": study_result,
    "line": sequential_line,
    "raters": lambda data, settings: rater_report(data),
    "pilot": lambda data, settings: pilot_votes(study_votes(data)),
    "grades": lambda data, settings: grade_report(data),
}


def last_report(workbench: Workbench, wanted: Wanted) -> Report | None:
    """The last that was computed, if anything was; votes may be newer."""
    report: Report | None = workbench.reports.get(wanted.key)
    return report


def start_report(workbench: Workbench, wanted: Wanted) -> Future[None]:
    """Computes it in the background, of all votes that are there when it begins; asking again while it is under way
    starts nothing."""
    return workbench.jobs.start(wanted.key, lambda: _make(workbench, wanted))


def new_report(workbench: Workbench, wanted: Wanted) -> Report:
    """What all votes say that are there now, computed now if it was not before."""
    now = task_state(workbench.database, wanted.study.id)
    report = last_report(workbench, wanted)
    while report is None or not report.state.covers(now):
        start_report(workbench, wanted).result()
        report = last_report(workbench, wanted)
    return report


def reader_of(workbench: Workbench, task: Study | Task) -> TaskReader:
    """What was read of a study or of a task of grades before."""
    if isinstance(task, Study):
        return study_reader(workbench.database, task)
    return grade_reader(workbench.database, task.id)


def _make(workbench: Workbench, wanted: Wanted) -> None:
    state, data = reader_of(workbench, wanted.study).read(workbench.database)
    content = KINDS[wanted.kind](data, wanted.settings) if data.answers else None
    workbench.reports.put(wanted.key, Report(state, content))
