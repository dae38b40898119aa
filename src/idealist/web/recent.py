"""Results of work in the background that are kept while the server runs: the last so many of them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any


class Recent:
    """The results that were used last, by their keys.

    >>> recent = Recent(2)
    >>> for name in "abc":
    ...     recent.put(name, name.upper())
    >>> recent.get("a"), recent.get("c")
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
