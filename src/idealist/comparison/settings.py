"""The settings of the tests of a comparison."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.statistics.unseen import BEST_THIRD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.comparison.shares import KnownShares
    from idealist.statistics.tests.base import PairedTest


class Settings(Frozen):
    """Seed, rounds, confidence, tests, the interval, the order of queries and the shares of segments of a comparison."""

    seed: int
    rounds: int
    confidence: float
    region: float
    tests: tuple[PairedTest, ...]
    interval: str = BEST_THIRD
    order: Mapping[str, int] | None = None  # the place of every query, of a confidence sequence
    shares: KnownShares | None = None

    @property
    def level(self) -> float:
        """The significance level that p-values are compared with."""
        return round(1 - self.confidence, 12)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the ids of queries stand with the contrasts."""
        record = {field: getattr(self, field) for field in self.fields if field not in ("order", "shares")}
        shares = None if self.shares is None else dict(self.shares.shares)
        return {**record, "tests": [str(test) for test in self.tests], "shares": shares}
