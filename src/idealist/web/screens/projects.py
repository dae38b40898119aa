"""Projects, and the data of one."""

from __future__ import annotations

from idealist.io.formats.registry import BINARY, TEXT
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.projects import change_project, create_project, list_projects, project_of
from idealist.web.store.sources import KINDS, list_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit
    from idealist.web.store.projects import Project


def show_projects(visit: Visit) -> Response:
    return visit.show("projects.html", projects=list_projects(visit.database), name=visit.sent("name"))


def add_project(visit: Visit) -> Response:
    number = create_project(visit.database, visit.sent("name"), visit.sent("about"), user=visit.person.id)
    return visit.go(f"/projects/{number}")


def rename_project(visit: Visit) -> Response:
    project = this_project(visit)
    change_project(visit.database, project.id, visit.sent("name"), visit.sent("about"), user=visit.person.id)
    return visit.go(f"/projects/{project.id}")


def show_project(visit: Visit) -> Response:
    project = this_project(visit)
    return visit.show(
        "project.html",
        project=project,
        tab="data",
        sources=list_sources(visit.database, project.id),
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


SCREENS = (
    Screen("GET", "/projects", show_projects),
    Screen("POST", "/projects", add_project, again=show_projects),
    Screen("GET", "/projects/{project:int}", show_project),
    Screen("POST", "/projects/{project:int}", rename_project, again=show_project),
)
