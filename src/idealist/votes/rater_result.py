"""The result of a model of raters: raters, classes and items, beside majority voting."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.interval import Interval


class ModelledRater(Frozen):
    """A rater: labels given, expected share of right ones by the model with its interval (nan where
    she shares no item with another rater), agreement with the
    majority of all labels (nan where no item has one), and right answers of the known ones. `confusions` has a row
    for each true class: the shares of the labels given."""

    rater: str
    machine: bool
    labels: int
    accuracy: float
    interval: Interval | None
    majority: float
    right: int
    known: int
    confusions: tuple[tuple[float, ...], ...]


class ModelledClass(Frozen):
    """A class: its share by the model with its interval, and by majority voting."""

    label: str
    share: float
    interval: Interval | None
    majority: float


class ModelledItem(Frozen):
    """An item: its most probable class with that probability, the majority's ("" without one), and the right one
    where it is known."""

    query: str
    document: str
    label: str
    probability: float
    majority: str
    answer: str


class RaterModel(Drawable, Frozen):
    """Raters, classes and items by a model, beside majority voting.

    `value` is GSB for votes and the mean grade for grades, by the model; `majority_value` is by majority voting.
    `model_right` and `majority_right` count right labels of the `known` answers, which the model did not use.
    """

    model: str
    kind: str
    raters: tuple[ModelledRater, ...]
    classes: tuple[ModelledClass, ...]
    items: tuple[ModelledItem, ...]
    value: float
    interval: Interval | None
    majority_value: float
    model_right: int
    majority_right: int
    known: int
    labels: int
    log_likelihood: float
    confidence: float
    notes: tuple[str, ...]

    def __getitem__(self, rater: str) -> ModelledRater:
        for record in self.raters:
            if record.rater == rater:
                return record
        names = ", ".join(record.rater for record in self.raters)
        raise InputError(f"no rater is called {rater!r}", hint=f"name one of: {names}")

    def _gist(self) -> str:
        raters, items = count_of(len(self.raters), "rater"), count_of(len(self.items), "item")
        return f"{self.model}; {raters}, {items}, {count_of(self.labels, self.kind)}"
