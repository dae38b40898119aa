"""The project that a path names."""

from __future__ import annotations

from fastapi import HTTPException

from idealist.web.store.projects import Project, project_of
from idealist.web.workbench import Workbench


def known_project(bench: Workbench, number: int) -> Project:
    """The project of this number; 404 where there is none."""
    project = project_of(bench.database, number)
    if project is None:
        raise HTTPException(404, f"there is no project {number}")
    return project
