"""The application: pages, API and static files over one workbench."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from idealist import __version__
from idealist.web.api.routes import add_api
from idealist.web.protection import Protection
from idealist.web.screens.answering import NOWHERE, route_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from idealist.web.workbench import Workbench

# One module of `screens` each, with SCREENS; in the order in which paths are compared.
SCREENS = (
    "session",
    "account",
    "users",
    "projects",
    "sources",
    "evaluate",
    "explain",
    "compare",
    "lists",
    "studies",
    "plan",
    "history",
    "exports",
    "tasks",
    "judging",
    "project_tasks",
    "task_raters",
    "packets",
)


def application(workbench: Workbench) -> ASGIApp:
    """Everything that the server answers."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
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
