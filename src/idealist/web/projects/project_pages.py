"""The pages of projects and of their data."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.data.format_list import BINARY, TEXT
from idealist.errors import InputError
from idealist.show.check_tables import check_view
from idealist.web.access.members import may_in, role_in
from idealist.web.access.page_words import finding_words
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.projects.importing import check_result, import_file, saved_upload
from idealist.web.projects.project_sources import KINDS, list_sources, remove_source, replaced_by, source_of
from idealist.web.projects.projects import change_project, create_project, list_projects, project_of
from idealist.web.projects.rechecking import check_after, start_checking
from idealist.web.projects.removing import (
    remove_project,
    removed_projects,
    removed_sources,
    restore_project,
    restore_source,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from starlette.responses import Response

    from idealist.web.access.pages import Visit
    from idealist.web.projects.project_sources import Source
    from idealist.web.projects.projects import Project


MOST_NAMED = 200  # sources that one address names: as many as files are taken at once


class Added(Frozen):
    """A source that was just brought in, and the one whose place it took."""

    source: Source
    replaced: Source | None

    @property
    def same(self) -> bool:
        """Whether it is what was there before, under the same name."""
        before = self.replaced
        return before is not None and all(
            getattr(self.source, field) == getattr(before, field) for field in ("name", "content_sha256")
        )


def show_projects(visit: Visit) -> Response:
    is_admin = visit.person.has_role("admin")
    return visit.show(
        "projects.html",
        projects=list_projects(visit.database, None if is_admin else visit.person.id),
        removed=removed_projects(visit.database, visit.person.id, every=is_admin),
        name=visit.form("name"),
    )


def add_project(visit: Visit) -> Response:
    number = create_project(visit.database, visit.form("name"), visit.form("about"), user=visit.person.id)
    return visit.go(f"/projects/{number}")


def rename_project(visit: Visit) -> Response:
    project = this_project(visit)
    change_project(visit.database, project.id, visit.form("name"), visit.form("about"), user=visit.person.id)
    return visit.go(f"/projects/{project.id}")


def take_away(visit: Visit) -> Response:
    remove_project(visit.database, this_project(visit).id, user=visit.person.id)
    return visit.go("/projects")


def bring_back(visit: Visit) -> Response:
    """Its path names no project: there is none as long as it is removed."""
    number = visit.number("removed")
    if role_in(visit.database, number, visit.person.id, removed=True) != "owner":
        raise PageNotFound
    restore_project(visit.database, number, user=visit.person.id)
    return visit.go(f"/projects/{number}")


def show_project(visit: Visit, added: Sequence[int] | None = None) -> Response:
    """The data of a project; `added` are the numbers of sources that were just brought in, which the address may name too."""
    project = this_project(visit)
    if added is None:
        named = visit.query("added").split(",")[:MOST_NAMED]
        added = [int(number) for number in named if number.isdecimal() and len(number) < 10]
    news = [source for number in added if (source := source_of(visit.database, number)) is not None]
    return visit.show(
        "project.html",
        project=project,
        tab="data",
        sources=list_sources(visit.database, project.id),
        added=[
            Added(source, replaced_by(visit.database, source))
            for source in news
            if source.project_id == project.id
        ],
        removed=removed_sources(visit.database, project.id),
        is_owner=may_in(visit.member, "owner"),
        kinds=KINDS,
        formats=(*TEXT, *BINARY),
        largest=visit.workbench.settings.largest_upload,
    )


def this_project(visit: Visit) -> Project:
    """The project of the path."""
    project = project_of(visit.database, visit.number("project"))
    if project is None:
        raise PageNotFound
    return project


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
        kind=visit.form("kind") or None,
        columns=visit.form("columns"),
        part=visit.form("part").strip() or None,
        encoding=visit.form("encoding").strip() or None,
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


def bring_back_source(visit: Visit) -> Response:
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
    Screen("GET", "/projects", show_projects),
    Screen("POST", "/projects", add_project, again=show_projects),
    Screen("GET", "/projects/{project:int}", show_project),
    Screen("POST", "/projects/{project:int}", rename_project, again=show_project),
    Screen("POST", "/projects/{project:int}/remove", take_away, member="owner"),
    Screen("POST", "/projects/{removed:int}/restore", bring_back, again=show_projects),
    Screen("POST", "/projects/{project:int}/sources", upload, again=show_project),
    Screen("GET", "/projects/{project:int}/sources/{source:int}", show_source),
    Screen("POST", "/projects/{project:int}/sources/{source:int}/remove", remove),
    Screen(
        "POST", "/projects/{project:int}/sources/{source:int}/restore", bring_back_source, again=show_project
    ),
)
