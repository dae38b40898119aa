"""The application: pages, API and static files over one workbench."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from idealist import __version__
from idealist.errors import IdealistError
from idealist.web.access.pages import NOWHERE, problem_of, route_of, status_of
from idealist.web.access.protection import Protection
from idealist.web.base.database import DAY
from idealist.web.comparing import (
    compare_pages,
    comparing_api,
    evaluate_pages,
    evaluation_api,
    explain_pages,
    trend_pages,
)
from idealist.web.exports import export_api, export_pages
from idealist.web.judging import judging_api, judging_pages
from idealist.web.people import login_pages, people_api, user_pages
from idealist.web.planning import plan_api, plan_pages
from idealist.web.projects import project_api, project_pages
from idealist.web.projects.removing import purge
from idealist.web.studies import grade_api, grade_pages, study_api, study_pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from idealist.web.workbench import Workbench

# With SCREENS each, in the order in which paths are compared.
PAGES = (
    login_pages,
    user_pages,
    project_pages,
    evaluate_pages,
    explain_pages,
    compare_pages,
    study_pages,
    plan_pages,
    trend_pages,
    export_pages,
    judging_pages,
    grade_pages,
)
# With a router each.
APIS = (
    project_api,
    evaluation_api,
    judging_api,
    grade_api,
    comparing_api,
    export_api,
    study_api,
    plan_api,
    people_api,
)


async def _purging(workbench: Workbench) -> None:
    """Takes away once a day what was removed long ago."""
    while True:
        try:
            await run_in_threadpool(purge, workbench.database, workbench.files)
        except (IdealistError, OSError) as error:  # a full disk, a lock: the next day will do
            logging.getLogger("uvicorn.error").warning(
                "what was removed long ago could not be purged: %s", error
            )
        await asyncio.sleep(DAY / 1000)


async def _problem(request: Request, error: Exception) -> JSONResponse:
    """What is wrong with a call of the API."""
    assert isinstance(error, IdealistError | OSError)
    problem = problem_of(error)
    return JSONResponse({"detail": problem.message, "hint": problem.hint}, status_of(problem))


def application(workbench: Workbench) -> ASGIApp:
    """Everything that the server answers."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        purging = asyncio.create_task(_purging(workbench))
        yield
        purging.cancel()
        workbench.close()

    app = FastAPI(
        title="Idealist workbench",
        version=__version__,
        summary="Projects, sources, evaluations and explanations: what the pages do.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.workbench = workbench
    for api in APIS:
        app.include_router(api.router)
    for kind in (IdealistError, OSError):
        app.add_exception_handler(kind, _problem)
    for pages in PAGES:
        app.router.routes += [route_of(screen, workbench) for screen in pages.SCREENS]
    app.router.routes.append(Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")))
    app.router.routes.append(route_of(NOWHERE, workbench))
    return Protection(app, workbench)
