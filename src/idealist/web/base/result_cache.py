"""Results of work in the background, kept while the server runs: the last so many, each computed once."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from idealist.web.base.jobs import ended_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from idealist.web.workbench import Workbench

PATIENCE = 0.15  # seconds that a page waits for numbers before it is shown without them


class LRU:
    """The results that were used last, by their keys; those that were not used for longest go.

    >>> lru = LRU(2)
    >>> for name in "abc":
    ...     lru.put(name, name.upper())
    >>> lru.get("a"), lru.get("c")
    (None, 'C')
    """

    def __init__(self, most: int = 64) -> None:
        self.most = most
        self._lock = Lock()
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """The result of a key; None where it is not there, or not any more."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def put(self, key: Hashable, result: Any) -> None:
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self.most:
                self._results.popitem(last=False)


class StillComputing(Exception):
    """A result is not there yet: the page is shown without it, and asks again."""


class ResultCache:
    """The last results by their keys, while the server runs. A key names contents, which never change."""

    def __init__(self, most: int) -> None:
        self._results = LRU(most)

    def get(self, key: Hashable) -> Any:
        """The result, if it was computed before, or None."""
        return self._results.get(key)

    def computed(
        self, workbench: Workbench, key: Hashable, work: Callable[[], Any], patience: float | None = None
    ) -> Any:
        """The result, computed in the background; StillComputing where it is not there after `patience` seconds.

        Without `patience` it is waited for. What is wrong with the work is raised.
        """
        result = self.get(key)
        while result is None:
            job = workbench.jobs.start(key, lambda: self._results.put(key, work()), prompt=True)
            ended_within([job], patience)
            result = self.get(key)
            if result is None and patience is not None:
                raise StillComputing
        return result
