"""A task of grades: its raters and how far they agree, decisions, and its grades as judgments."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median_low

from idealist.base.frozen import Frozen
from idealist.data import Judgments
from idealist.data.writing import write_judgments
from idealist.errors import InputError
from idealist.machine.judge_agreement import weighted_kappa
from idealist.votes.agreement_of_raters import (
    Coefficient,
    Jackknife,
    RaterPair,
    krippendorff_alpha,
    raw_agreement,
)
from idealist.web.comparing.run_values import stored_judgments
from idealist.web.judging.rater_queue import HIGHEST_GRADE, grade_of
from idealist.web.projects.importing import Upload, import_file
from idealist.web.projects.project_sources import judgments_of
from idealist.web.projects.rechecking import check_after
from idealist.web.studies.study_results import (
    RaterReport,
    RaterRow,
    add_decision,
    items_to_adjudicate,
    last_answer,
    seconds_per_answer,
    withdraw_decision,
)
from idealist.web.studies.task_answers import grade_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.web.base.database import Database
    from idealist.web.judging.tasks import Task
    from idealist.web.studies.study_results import Disagreement
    from idealist.web.studies.task_answers import GradeAnswer, GradeData
    from idealist.web.workbench import Workbench


CONFIDENCE = 0.95


class GradeAgreement(Frozen):
    """Raters on the documents that several of them graded: the share of pairs of equal grades, Krippendorff's α of grades
    in order, and every two raters with Cohen's weighted κ."""

    items: int
    grades: int
    raw: Coefficient
    alpha: Coefficient
    pairs: tuple[RaterPair, ...]


def grade_report(data: GradeData) -> RaterReport:
    """Who grades how: by what the raters themselves said, before adjudication."""
    by_rater: dict[str, list[GradeAnswer]] = {}
    for answer in data.answers:
        by_rater.setdefault(answer.rater, []).append(answer)
    rows = tuple(
        RaterRow(rater, len(answers), seconds_per_answer(answers), None)
        for rater, answers in sorted(by_rater.items())
    )
    return RaterReport(rows, grade_agreement(data))


def grade_agreement(data: GradeData) -> GradeAgreement | None:
    """How far raters agree; None where no document has two grades. Intervals are by leaving out one query after the
    other, as those of votes."""
    import numpy as np

    levels = 1 + max((answer.grade for answer in data.answers), default=0)
    by_item: dict[int, list[GradeAnswer]] = {}
    for answer in data.answers:
        by_item.setdefault(answer.item, []).append(answer)
    shared = {item: answers for item, answers in by_item.items() if len(answers) > 1}
    if not shared:
        return None
    names = {item.id: item.query for item in data.items}
    _, query_of_item = np.unique([names[item] for item in shared], return_inverse=True)
    counts = np.zeros((len(shared), levels))
    pairs: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for at, answers in enumerate(shared.values()):
        ordered = sorted(answers, key=lambda answer: answer.rater)
        for place, first in enumerate(ordered):
            counts[at, first.grade] += 1
            for second in ordered[place + 1 :]:
                cell = levels * first.grade + second.grade
                pairs.setdefault((first.rater, second.rater), []).append((at, cell))
    n = counts.sum(axis=1)[:, None, None]
    coincidences = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(levels)) / (n - 1)
    features = coincidences.reshape(len(shared), -1)

    def tabled(statistic: Callable[[Any], Any]) -> Callable[[ndarray], Any]:
        return lambda sums: statistic(sums.reshape(*sums.shape[:-1], levels, levels))

    jackknife = Jackknife(query_of_item, counts, CONFIDENCE)
    return GradeAgreement(
        len(shared),
        int(counts.sum()),
        jackknife.coefficient(features, tabled(raw_agreement)),
        jackknife.coefficient(
            features, tabled(lambda table: krippendorff_alpha(table, ordinal=True)), varied=True
        ),
        tuple(
            RaterPair(first, second, len(cells), *_confused(cells, query_of_item, levels))
            for (first, second), cells in sorted(pairs.items())
        ),
    )


def _confused(
    cells: Sequence[tuple[int, int]], query_of_item: ndarray, levels: int
) -> tuple[Coefficient, Coefficient]:
    """Raw agreement and weighted κ of two raters, whose grades of an item are cell levels·first + second."""
    import numpy as np

    at, cell = np.asarray(cells).T
    both = np.eye(levels)[cell // levels] + np.eye(levels)[cell % levels]
    jackknife, features = Jackknife(query_of_item[at], both, CONFIDENCE), np.eye(levels * levels)[cell]

    def tabled(statistic: Callable[[Any], Any]) -> Callable[[ndarray], Any]:
        return lambda sums: statistic(sums.reshape(*sums.shape[:-1], levels, levels))

    raw = jackknife.coefficient(features, tabled(raw_agreement))
    return raw, jackknife.coefficient(features, tabled(weighted_kappa), varied=True)


def grade_disagreements(data: GradeData) -> list[Disagreement]:
    """What to adjudicate: open documents first, and among them those without a majority; then those whose grades lie
    farthest apart."""
    return items_to_adjudicate(data.items, data.answers, data.adjudications, lambda answer: answer.grade)


def final_grade(grades: Sequence[int], decision: int | None) -> int:
    """The decision, or else the median, the lower of two in the middle.

    >>> final_grade([1, 3], None), final_grade([1, 3, 3], None), final_grade([1, 3], 2)
    (1, 3, 2)
    """
    return median_low(grades) if decision is None else decision


def adjudicate_grade(database: Database, task: Task, item: int, *, id: str, grade: object, user: int) -> bool:
    """Decides the grade of a document, by an event that names the last grade of it. False where this was sent before."""
    content = {"grade": grade_of(grade, task.settings.get("highest", HIGHEST_GRADE))}
    about = last_answer(grade_data(database, task.id).answers, item, "grades")
    return add_decision(database, item, id=id, content=content, about=about, user=user)


def withdraw_grade_decision(database: Database, task: Task, item: int, *, id: str, user: int) -> bool:
    """Takes back one's own decision on a document: the grades of raters count again."""
    decisions = grade_data(database, task.id).adjudications
    return withdraw_decision(database, decisions, item, id=id, user=user)


def task_grades(database: Database, task: Task) -> dict[str, dict[str, float]]:
    """The grade of every document that was judged: the adjudication, or else the median of its raters, the lower of two
    in the middle."""
    if task.kind != "grades":
        raise InputError(f"{task.name!r} is a task of votes, not of grades", hint="choose a task of grades")
    data = grade_data(database, task.id)
    decided = {answer.item: answer.grade for answer in data.adjudications}
    given: dict[int, list[int]] = {}
    for answer in data.answers:
        given.setdefault(answer.item, []).append(answer.grade)
    grades: dict[str, dict[str, float]] = {}
    for item in data.items:
        grade = final_grade(given[item.id], decided.get(item.id))
        grades.setdefault(item.query, {})[item.document] = grade
    return grades


def add_to_judgments(workbench: Workbench, task: Task, *, user: int | None = None) -> int:
    """Puts the grades of a task among the judgments of its project, in the place of earlier ones of the same documents,
    and gives the number of the new source; the judgments before it stay in the history."""
    grades = task_grades(workbench.database, task)
    if not grades:
        raise InputError(f"{task.name!r} has no grades yet", hint="wait for the first ones")
    before = judgments_of(workbench.database, task.project_id)
    name = "judgments" if before is None else before.name
    together = {} if before is None else stored_judgments(workbench.files.path(before.stored)).to_dict()
    for query, documents in grades.items():
        together[query] = {**together.get(query, {}), **documents}
    with tempfile.TemporaryDirectory(dir=workbench.files.folder, prefix="grades-") as folder:
        path = Path(folder) / "grades.tsv"
        write_judgments(Judgments(together), path)
        upload = Upload(path, f"{task.name}.tsv", "judgments", name)
        (number,) = import_file(workbench, task.project_id, upload, user=user)
    check_after(workbench, task.project_id, [number])
    return number
