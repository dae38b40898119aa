"""Files brought in: uploads, what check found in them, their hashes."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.reporting.checks import check_view
from idealist.web.importing import check_result, import_file
from idealist.web.rechecking import check_after, start_checking
from idealist.web.screens.projects import show_project, this_project
from idealist.web.screens.results import finding_words
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.removing import restore_source
from idealist.web.store.sources import remove_source, source_of
from idealist.web.uploads import saved_upload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.screens.visit import Visit
    from idealist.web.store.sources import Source


def upload(visit: Visit) -> Response:
    """Adds files, one after the other: what is wrong with one does not concern those before it, which the page names."""
    project = this_project(visit)
    files = visit.files("file")
    if not files:
        raise InputError("no file was chosen", hint="choose one, or drop it on the page", code="no-file")
    added = list[int]()
    for file in files:
        try:
            added += _add(visit, project.id, file)
        except InputError as error:
            visit.problem = error
            return show_project(visit, added)
    return visit.go(f"/projects/{project.id}?added={','.join(map(str, added))}")


def _add(visit: Visit, project: int, file: Any) -> list[int]:
    with saved_upload(
        visit.workbench,
        file,
        kind=visit.sent("kind") or None,
        columns=visit.sent("columns"),
        part=visit.sent("part").strip() or None,
        encoding=visit.sent("encoding").strip() or None,
    ) as saved:
        numbers = import_file(visit.workbench, project, saved, user=visit.person.id)
        check_after(visit.workbench, project, numbers)
        return numbers


def show_source(visit: Visit) -> Response:
    project, source = this_project(visit), _this_source(visit)
    checked = check_result(source.findings)
    return visit.show(
        "source.html",
        project=project,
        tab="data",
        source=source,
        findings=check_view(checked) if source.findings else None,
        finding_words=finding_words(visit, checked),
    )


def remove(visit: Visit) -> Response:
    project, source = this_project(visit), _this_source(visit)
    remove_source(visit.database, source.id, user=visit.person.id)
    if source.kind == "judgments":
        start_checking(visit.workbench, project.id)
    return visit.go(f"/projects/{project.id}")


def bring_back(visit: Visit) -> Response:
    project = this_project(visit)
    source = restore_source(visit.database, project.id, visit.number("source"), user=visit.person.id)
    if source.kind == "judgments":
        start_checking(visit.workbench, project.id)
    return visit.go(f"/projects/{project.id}")


def _this_source(visit: Visit) -> Source:
    source = source_of(visit.database, visit.number("source"))
    if source is None or source.project_id != visit.number("project"):
        raise PageNotFound
    return source


SCREENS = (
    Screen("POST", "/projects/{project:int}/sources", upload, again=show_project),
    Screen("GET", "/projects/{project:int}/sources/{source:int}", show_source),
    Screen("POST", "/projects/{project:int}/sources/{source:int}/remove", remove),
    Screen("POST", "/projects/{project:int}/sources/{source:int}/restore", bring_back, again=show_project),
)
