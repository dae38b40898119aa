"""Projects, and the data of one."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.io.formats.registry import BINARY, TEXT
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.members import may_in, role_in
from idealist.web.store.projects import change_project, create_project, list_projects, project_of
from idealist.web.store.removing import remove_project, removed_projects, removed_sources, restore_project
from idealist.web.store.sources import KINDS, list_sources, replaced_by, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from idealist.web.screens.visit import Visit
    from idealist.web.store.projects import Project
    from idealist.web.store.sources import Source

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
    is_admin = visit.person.may("admin")
    return visit.show(
        "projects.html",
        projects=list_projects(visit.database, None if is_admin else visit.person.id),
        removed=removed_projects(visit.database, visit.person.id, every=is_admin),
        name=visit.sent("name"),
    )


def add_project(visit: Visit) -> Response:
    number = create_project(visit.database, visit.sent("name"), visit.sent("about"), user=visit.person.id)
    return visit.go(f"/projects/{number}")


def rename_project(visit: Visit) -> Response:
    project = this_project(visit)
    change_project(visit.database, project.id, visit.sent("name"), visit.sent("about"), user=visit.person.id)
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
        named = visit.asked("added").split(",")[:MOST_NAMED]
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


SCREENS = (
    Screen("GET", "/projects", show_projects),
    Screen("POST", "/projects", add_project, again=show_projects),
    Screen("GET", "/projects/{project:int}", show_project),
    Screen("POST", "/projects/{project:int}", rename_project, again=show_project),
    Screen("POST", "/projects/{project:int}/remove", take_away, member="owner"),
    Screen("POST", "/projects/{removed:int}/restore", bring_back, again=show_projects),
)
