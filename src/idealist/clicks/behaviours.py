"""How simulated users click: what attracts them, when they stop, and where they look."""

from __future__ import annotations

from idealist.data.values import as_choice, as_within
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray
    from numpy.random import Generator

LOOKS = ("all", "position", "distance")


class ClickBehaviour(Frozen):
    """Users go down a list. A place is looked at always ("all"), with (1/position)^eta ("position") or with
    (1/distance from the last click)^eta ("distance"); a document that is looked at is clicked with a chance between
    `click` for grade 0 and for the highest grade, in proportion to the grade; after a click they stop with a chance
    between those of `stop`, and otherwise go on with probability `go_on`.

    With stop=(0, 0) and looks="position" this is the position-based model, with stop=(1, 1) the cascade, with
    looks="all" the dependent click model and DBN, with looks="distance" a user browsing model. Guo, Liu and Wang,
    WSDM 2009; Hofmann, Whiteson and de Rijke, CIKM 2011, for the named ones.

    >>> ClickBehaviour(click=(0.0, 1.0)).attraction([0, 1, 3], highest=3).round(3).tolist()
    [0.0, 0.333, 1.0]
    """

    click: tuple[float, float] = (0.0, 1.0)
    stop: tuple[float, float] = (0.0, 0.0)
    looks: str = "all"
    eta: float = 1.0
    go_on: float = 1.0

    def _checked(self, field: str, value: Any) -> Any:
        if field in ("click", "stop"):
            low, high = value
            title = f"the chance to {field}"
            return as_within(low, title, 0, 1), as_within(high, title, 0, 1)
        if field == "looks":
            return as_choice(value, "looks", LOOKS)
        if field == "go_on":
            return as_within(value, "the chance to go on", 0, 1)
        return as_within(value, "eta", 0)

    def attraction(self, grades: Any, *, highest: float) -> ndarray:
        """The chance of a click on documents that are looked at, by their grades."""
        return self._between(self.click, grades, highest)

    def clicks(self, grades: ndarray, random: Generator, *, highest: float, shown: Any = None) -> ndarray:
        """Clicks on lists × positions, by the grades of what stands there; `shown` masks places."""
        import numpy as np

        grades = np.asarray(grades, dtype=float)
        lists, width = grades.shape
        shown = np.ones(grades.shape, dtype=bool) if shown is None else shown
        attracts, stops = self.attraction(grades, highest=highest), self._between(self.stop, grades, highest)
        draws = random.random((3, lists, width))
        there = np.ones(lists, dtype=bool)
        last = np.zeros(lists)
        clicked = np.zeros(grades.shape, dtype=bool)
        for place in range(width):
            distance = {"all": np.ones(lists), "position": np.full(lists, place + 1.0)}.get(
                self.looks, place + 1.0 - last
            )
            looked = there & shown[:, place] & (draws[0, :, place] < distance**-self.eta)
            hit = looked & (draws[1, :, place] < attracts[:, place])
            clicked[:, place] = hit
            last = np.where(hit, place + 1.0, last)
            leave = np.where(hit, 1 - (1 - stops[:, place]) * self.go_on, 1 - self.go_on)
            there &= ~(shown[:, place] & (draws[2, :, place] < leave))
        return clicked

    @staticmethod
    def _between(ends: tuple[float, float], grades: Any, highest: float) -> ndarray:
        import numpy as np

        share = np.clip(np.asarray(grades, dtype=float) / highest, 0.0, 1.0)
        chances: ndarray = ends[0] + (ends[1] - ends[0]) * share
        return chances


BEHAVIOURS = {
    "perfect": ClickBehaviour(),
    "navigational": ClickBehaviour(click=(0.05, 0.95), stop=(0.2, 0.9)),
    "informational": ClickBehaviour(click=(0.4, 0.9), stop=(0.1, 0.5)),
    "position": ClickBehaviour(click=(0.05, 0.9), looks="position"),
    "cascade": ClickBehaviour(click=(0.05, 0.7), stop=(1.0, 1.0)),
    "dbn": ClickBehaviour(click=(0.1, 0.7), stop=(0.1, 0.8), go_on=0.9),
    "browsing": ClickBehaviour(click=(0.05, 0.9), looks="distance"),
    "random": ClickBehaviour(click=(0.5, 0.5)),
}


def parse_behaviour(behaviour: str | ClickBehaviour) -> ClickBehaviour:
    """A behaviour by its name, or as it is."""
    if isinstance(behaviour, ClickBehaviour):
        return behaviour
    return BEHAVIOURS[as_choice(behaviour, "the behaviour", BEHAVIOURS)]
