"""The result of fitting a model of clicks."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.clicks.models import ClickModel
    from idealist.statistics.interval import Interval


class PositionFit(Frozen):
    """A position: its propensity (the chance that it is looked at, over that of position 1) with its interval, how
    often something was shown there and clicked, and the perplexity of held-out clicks, beside that of a constant
    click rate."""

    position: int
    propensity: float
    interval: Interval | None
    shown: int
    click_rate: float
    perplexity: float | None
    baseline: float | None


class ClickFit(Drawable, Frozen):
    """A model of clicks fitted to a log. `perplexity` is that of the held-out clicks (1 is perfect), `baseline` that
    of a constant click rate at each position, `log_likelihood` the mean per place given the clicks above it."""

    model: ClickModel
    positions: tuple[PositionFit, ...]
    perplexity: float | None
    baseline: float | None
    log_likelihood: float | None
    held_out: int
    pairs: tuple[tuple[str, str], ...]
    impressions: int
    queries: int
    clicks: int
    confidence: float
    notes: tuple[str, ...]

    @property
    def propensities(self) -> dict[int, float]:
        """By position, the chance that it is looked at, over that of position 1."""
        return {entry.position: entry.propensity for entry in self.positions}

    def attraction(self, query: str, document: str) -> float:
        """The chance of a click on the document where it is surely looked at (in the position-based model: at
        position 1)."""
        try:
            number = self.pairs.index((query, document))
        except ValueError:
            raise InputError(
                f"the log never shows document {document!r} for query {query!r}",
                hint="only documents that were shown have an attraction",
            ) from None
        return float(self.model.attractions[number]) * self._scale

    def attractions(self) -> dict[str, dict[str, float]]:
        """All attractions, by query and document: what a run or judgments are made of."""
        by_query: dict[str, dict[str, float]] = {}
        for (query, document), value in zip(self.pairs, self.model.attractions.tolist(), strict=True):
            by_query.setdefault(query, {})[document] = value * self._scale
        return by_query

    @property
    def _scale(self) -> float:
        """Attractions and looks are known up to a factor where no position is surely looked at."""
        examinations = getattr(self.model, "examinations", None)
        return 1.0 if examinations is None else float(examinations[0])

    def _gist(self) -> str:
        impressions = count_of(self.impressions, "impression")
        return f"{self.model.name}; {impressions}, {count_queries(self.queries)}"
