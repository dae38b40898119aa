"""What the first page of numbers would wait for: libraries and measures, imported in the background."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from idealist.web.jobs import Jobs


class WarmingUp:
    """An application that imports them once the first request is answered: neither the start nor that page waits."""

    def __init__(self, app: ASGIApp, jobs: Jobs) -> None:
        self._app = app
        self._jobs = jobs
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
        if scope["type"] == "http" and not self._begun:
            self._begun = True
            self._jobs.start("warm up", warm_up)


def warm_up() -> None:
    """Imports what other modules import within functions, so that commands which do not need it start fast."""
    import scipy.optimize
    import scipy.special
    import scipy.stats  # noqa: F401

    from idealist.measures import registry

    registry()  # imports all families of measures
