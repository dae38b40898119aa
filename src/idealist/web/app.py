"""The application: pages, API and static files over one workbench."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from idealist import __version__
from idealist.errors import IdealistError
from idealist.web.access.pages import NOWHERE, route_of
from idealist.web.access.protection import Protection
from idealist.web.base.database import DAY
from idealist.web.projects.project_api import add_api
from idealist.web.projects.removing import purge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from idealist.web.workbench import Workbench

# One module of `screens` each, with SCREENS; in the order in which paths are compared.
SCREENS = (
    "session",
    "provider",
    "account",
    "users",
    "audit",
    "projects",
    "members",
    "sources",
    "evaluate",
    "explain",
    "compare",
    "lists",
    "studies",
    "plan",
    "history",
    "decisions",
    "exports",
    "tasks",
    "judging",
    "project_tasks",
    "task_raters",
    "packets",
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
    add_api(app, workbench)
    for name in SCREENS:
        module = import_module(f"idealist.web.screens.{name}")
        app.router.routes += [route_of(screen, workbench) for screen in module.SCREENS]
    app.router.routes.append(Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")))
    app.router.routes.append(route_of(NOWHERE, workbench))
    return Protection(app, workbench)
