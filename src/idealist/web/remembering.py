"""Results that take longer than a page may: computed once for each content, in the background, and remembered."""

from __future__ import annotations

from idealist.web.jobs import ended_within
from idealist.web.recent import Recent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from idealist.web.workbench import Workbench

PATIENCE = 0.15  # seconds that a page waits for numbers before it is shown without them


class StillComputing(Exception):
    """A result is not there yet: the page is shown without it, and asks again."""


class Remembered:
    """The last results by their keys, while the server runs. A key names contents, which never change."""

    def __init__(self, most: int) -> None:
        self._results = Recent(most)

    def known(self, key: Hashable) -> Any:
        """The result, if it was computed before, or None."""
        return self._results.get(key)

    def awaited(
        self, workbench: Workbench, key: Hashable, work: Callable[[], Any], patience: float | None = None
    ) -> Any:
        """The result, computed in the background; StillComputing where it is not there after `patience` seconds.

        Without `patience` it is waited for. What is wrong with the work is raised.
        """
        result = self.known(key)
        while result is None:
            job = workbench.jobs.start(key, lambda: self._results.put(key, work()), prompt=True)
            ended_within([job], patience)
            result = self.known(key)
            if result is None and patience is not None:
                raise StillComputing
        return result
