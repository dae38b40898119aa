"""Logs of clicks that users might have left, from a run, judgments and how users behave."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_choice, as_count, as_within
from idealist.clicks.impressions import Impressions
from idealist.data import read_judgments, read_run
from idealist.data.columns import Columns
from idealist.data.run import as_run
from idealist.errors import InputError
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray
    from numpy.random import Generator

    from idealist.types import GivenJudgments, GivenRun


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


TITLES = ("impression", "user", "query", "position", "document", "click", "propensity")


def simulate_clicks(
    judgments: GivenJudgments,
    run: GivenRun,
    behaviour: str | ClickBehaviour = "position",
    *,
    impressions: int = 1000,
    k: int = 10,
    exponent: float | None = None,
    per_user: int = 1,
    seed: int = 0,
) -> Impressions:
    """A log of impressions: each is a random query of the run that is judged, its first k documents, and clicks by
    a behaviour (a ClickBehaviour, or one of BEHAVIOURS by name). Documents without a grade have grade 0.

    With an `exponent` the first k documents are shuffled: the next one is drawn among those left in proportion to
    1/rank^exponent, and the log says with which probability (`propensity`). 0 is any order, large is the run's own.
    Every `per_user` impressions are of one user.

    >>> log = simulate_clicks({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "perfect", impressions=3)
    >>> log, log.clicked.tolist()
    (<Impressions: 3 impressions of 1 query, 3 clicks>, [True, False, True, False, True, False])
    """
    return Impressions(
        Columns(
            simulated_columns(
                judgments,
                run,
                behaviour,
                impressions=impressions,
                k=k,
                exponent=exponent,
                per_user=per_user,
                seed=seed,
            )
        )
    )


def simulated_columns(
    judgments: Any,
    run: Any,
    behaviour: str | ClickBehaviour,
    *,
    impressions: int,
    k: int,
    exponent: float | None,
    per_user: int,
    seed: int,
) -> dict[str, list[Any]]:
    """The log that simulate_clicks makes of the same arguments, as columns, for files."""
    import numpy as np

    users = parse_behaviour(behaviour)
    impressions, k = as_count(impressions, "impressions"), as_count(k, "k")
    per_user = as_count(per_user, "impressions per user")
    if exponent is not None:
        as_within(exponent, "the exponent", 0, hint="0: any order; 3: near the run's own")
    lists, grades, highest = judged_lists(judgments, {"run": run})
    random = generator(seed)
    queries = list(grades)
    chosen = random.integers(0, len(queries), impressions)
    columns: dict[str, list[Any]] = {title: [] for title in TITLES}
    rows: list[tuple[int, list[Any]]] = []
    for number, query in enumerate(queries):
        (mine,) = np.nonzero(chosen == number)
        if not len(mine):
            continue
        documents = lists["run"][query][:k]
        order, chances = shuffled(len(documents), len(mine), exponent, random)
        worth = np.asarray([grades[query].get(document, 0.0) for document in documents])
        clicked = users.clicks(worth[order], random, highest=highest)
        for at, impression in enumerate(mine.tolist()):
            entries = [
                (place + 1, documents[order[at, place]], int(clicked[at, place]), float(chances[at, place]))
                for place in range(len(documents))
            ]
            rows.append((impression, [query, entries]))
    for impression, (query, entries) in sorted(rows, key=lambda row: row[0]):
        for position, document, click, chance in entries:
            user = f"u{impression // per_user + 1}"
            cells = (f"i{impression + 1}", user, query, position, document, click, chance)
            for title, cell in zip(TITLES, cells, strict=True):
                columns[title].append(cell)
    return columns


def shuffled(length: int, times: int, exponent: float | None, random: Generator) -> tuple[ndarray, ndarray]:
    """Orders of the first documents, and the probability of each choice given those before; the run's own order
    without an exponent."""
    import numpy as np

    if exponent is None:
        return np.tile(np.arange(length), (times, 1)), np.ones((times, length))
    weights = np.arange(1, length + 1, dtype=float) ** -exponent
    keys = np.log(weights) + random.gumbel(size=(times, length))
    order = np.argsort(-keys, axis=1)
    drawn = weights[order]
    left = drawn[:, ::-1].cumsum(axis=1)[:, ::-1]
    return order, np.minimum(drawn / left, 1.0)


def judged_lists(
    judgments: Any, runs: Mapping[str, Any]
) -> tuple[dict[str, dict[str, list[str]]], dict[str, Mapping[str, float]], float]:
    """Ranked documents by run and query, the grades of the queries that are judged and in every run, and the
    highest grade."""
    judged = read_judgments(judgments)
    read = {name: as_run(read_run(run)) for name, run in runs.items()}
    queries: Sequence[str] = [query for query in judged if all(query in run for run in read.values())]
    if not queries:
        raise InputError(
            "no judged query is in every run" if len(read) > 1 else "no judged query is in the run",
            hint="users can click only what is shown, and go by grades",
        )
    grades: dict[str, Mapping[str, float]] = {query: dict(judged[query]) for query in queries}
    highest = max((grade for by_document in grades.values() for grade in by_document.values()), default=0.0)
    if not highest > 0:
        raise InputError("no document has a grade above 0", hint="nothing would attract a click")
    lists = {name: {query: run.ranking(query) for query in queries} for name, run in read.items()}
    return lists, grades, float(highest)
