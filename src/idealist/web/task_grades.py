"""The grades that a task brought, as judgments: one of each document, for the project."""

from __future__ import annotations

import tempfile
from pathlib import Path

from idealist.data import Judgments
from idealist.errors import InputError
from idealist.io.writing import write_judgments
from idealist.web.grade_raters import final_grade
from idealist.web.importing import Upload, import_file
from idealist.web.measuring import stored_judgments
from idealist.web.rechecking import check_after
from idealist.web.store.grade_reading import grade_data
from idealist.web.store.sources import judgments_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.store.database import Database
    from idealist.web.store.tasks import Task
    from idealist.web.workbench import Workbench


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
