"""How several rankings become one list, and whom a click is credited to."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.named import Named
from idealist.base.values import as_count, as_within
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from numpy import ndarray
    from numpy.random import Generator

    Rankings = Mapping[str, Sequence[str]]
    Drawer = Callable[[Generator], "InterleavedList"]


class InterleavedList(Frozen):
    """One list to show. `credits` has, by system, how much of a click on each document it is given; `ranks` (of
    balanced interleaving alone) where each system ranks the documents, None where it does not."""

    documents: tuple[str, ...]
    credits: Mapping[str, tuple[float, ...]]
    ranks: Mapping[str, tuple[int | None, ...]]


class Interleaving(Named, kind="interleaving method"):
    """A way to interleave rankings. `prepare` takes those of one query, by system, and gives a function that draws a
    list of up to k documents with the random numbers it is handed."""

    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "idealist.clicks.interleaving_methods": ("team-draft", "balanced", "probabilistic", "optimised"),
    }
    about: ClassVar[str]

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        raise NotImplementedError


class TeamDraft(Interleaving, name="team-draft"):
    """Team draft: in every round the systems, in a random order, each add their best document that is not yet in the
    list, and are credited with the clicks on it. Rounds in which a system may have no document left are credited to
    nobody: who has the longer list would win them, whatever is clicked.

    Two systems: Radlinski, Kurup and Joachims, CIKM 2008; more: Schuth et al., CIKM 2014.

    >>> from idealist.statistics.randomness import generator
    >>> drawn = TeamDraft().prepare({"x": ["a", "b"], "y": ["b", "c"]}, 2)(generator(0))
    >>> drawn.documents, dict(drawn.credits)
    (('a', 'b'), {'x': (1.0, 0.0), 'y': (0.0, 1.0)})
    """

    about = "systems take turns, in a random order each round, and are credited with what they added"

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        fair = fair_places(rankings, k)

        def draw(random: Generator) -> InterleavedList:
            documents: list[str] = []
            teams: list[str] = []
            used: set[str] = set()
            following = dict.fromkeys(rankings, 0)
            names = list(rankings)
            while len(documents) < k:
                before = len(documents)
                for at in random.permutation(len(names)).tolist():
                    name, ranking = names[at], rankings[names[at]]
                    while following[name] < len(ranking) and ranking[following[name]] in used:
                        following[name] += 1
                    if following[name] < len(ranking) and len(documents) < k:
                        documents.append(ranking[following[name]])
                        used.add(documents[-1])
                        teams.append(name)
                if len(documents) == before:
                    break
            teams[fair:] = [""] * (len(teams) - fair)
            credits = {name: tuple(float(team == name) for team in teams) for name in rankings}
            return InterleavedList(tuple(documents), credits, {})

        return draw


def fair_places(rankings: Rankings, k: int) -> int:
    """How many places of k are filled by rounds in which every system surely adds a document, whoever began.

    >>> fair_places({"x": ["a", "b", "c"], "y": list("dabcefg")}, 10)  # in the second round y may have used two of x's
    2
    """
    systems, places = len(rankings), 0
    shared = {
        name: len(set(ranking) & {d for other, r in rankings.items() if other != name for d in r})
        for name, ranking in rankings.items()
    }
    while places < k:
        rounds, until = places // systems + 1, min(places + systems, k)
        # A place that is cut off may have been anybody's.
        if any(
            len(ranking) < rounds + min(until - rounds, shared[name]) for name, ranking in rankings.items()
        ):
            break
        places = until
    return places


class Balanced(Interleaving, name="balanced"):
    """Balanced: two systems take turns by how far each has been read, a coin says who begins. The system with more
    clicks among its first documents, down to the rank of the lowest click, is preferred.

    Biased where lists are nearly alike: one that moves a document up may win by random clicks, so there is no verdict
    on its logs. Joachims, KDD 2002.

    >>> from idealist.statistics.randomness import generator
    >>> drawn = Balanced().prepare({"x": ["a", "b"], "y": ["b", "c"]}, 2)(generator(0))
    >>> drawn.documents, dict(drawn.ranks)
    (('b', 'a'), {'x': (2, 1), 'y': (1, None)})
    """

    about = "two systems take turns by how far each was read; clicks are counted down to the lowest one"

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        if len(rankings) != 2:
            raise InputError(
                f"balanced interleaving takes two systems, not {len(rankings)}: who is preferred is read from the ranks of two",
                hint="team-draft, probabilistic and optimised have forms for more (multileaving)",
            )
        places = {name: {d: rank for rank, d in enumerate(r, 1)} for name, r in rankings.items()}

        def draw(random: Generator) -> InterleavedList:
            first, second = (list(rankings), list(rankings)[::-1])[int(random.integers(2))]
            documents: list[str] = []
            at = {first: 0, second: 0}
            while len(documents) < k:
                ahead = [name for name in (first, second) if at[name] < len(rankings[name])]
                if not ahead:
                    break
                turn = min(ahead, key=lambda name: (at[name], name != first))
                document = rankings[turn][at[turn]]
                at[turn] += 1
                if document not in documents:
                    documents.append(document)
            ranks = {name: tuple(places[name].get(d) for d in documents) for name in rankings}
            return InterleavedList(tuple(documents), {}, ranks)

        return draw


class Probabilistic(Interleaving, name="probabilistic"):
    """Probabilistic: for each place a system is drawn, which draws among its documents that are left, in proportion
    to 1/rank^exponent. A click is shared out by how probable it is that each system put the document there: the
    expectation over all assignments, which is exact, as places are drawn by themselves. A system that has no document
    left is given what the others are given on average, so that random clicks do not favour the longer list.

    Two systems: Hofmann, Whiteson and de Rijke, CIKM 2011; more: Schuth et al., SIGIR 2015. `depth` documents of
    each system may be drawn.

    >>> from idealist.statistics.randomness import generator
    >>> drawn = Probabilistic().prepare({"x": ["a", "b"], "y": ["a", "b"]}, 2)(generator(0))
    >>> dict(drawn.credits)  # alike: every click is shared
    {'x': (0.5, 0.5), 'y': (0.5, 0.5)}
    """

    about = "systems draw documents by 1/rank^3; clicks are shared by who probably drew the document"

    exponent: float = 3.0
    depth: int = 100

    def _checked(self, field: str, value: Any) -> Any:
        return as_count(value, "depth") if field == "depth" else as_within(value, "the exponent", 0)

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        import numpy as np

        pool: dict[str, int] = {}
        for ranking in rankings.values():
            for document in ranking[: self.depth]:
                pool.setdefault(document, len(pool))
        documents = list(pool)
        weights = np.zeros((len(rankings), len(pool)))
        for row, ranking in enumerate(rankings.values()):
            for rank, document in enumerate(ranking[: self.depth], 1):
                weights[row, pool[document]] = rank**-self.exponent
        names = list(rankings)

        def draw(random: Generator) -> InterleavedList:
            left = weights.copy()
            chosen: list[int] = []
            shares: list[Any] = []
            for _ in range(min(k, len(documents))):
                totals = left.sum(axis=1)
                able = np.nonzero(totals > 0)[0]
                system = able[int(random.integers(len(able)))]
                # By the sum of what is left: differences of running sums would lose the small weights.
                running = left[system].cumsum()
                at = int(np.searchsorted(running, random.random() * running[-1], side="right"))
                at = min(at, int(np.nonzero(left[system])[0][-1]))
                chances = np.divide(left[:, at], totals, out=np.zeros(len(names)), where=totals > 0)
                chances[totals <= 0] = chances[able].mean()
                shares.append(chances / chances.sum())
                chosen.append(at)
                left[:, at] = 0
            credits = {name: tuple(float(share[row]) for share in shares) for row, name in enumerate(names)}
            return InterleavedList(tuple(documents[at] for at in chosen), credits, {})

        return draw


UNFAIR = 1e3  # how much worse a unit of bias is than one of insensitivity
NEAR = 1e-9


class Optimised(Interleaving, name="optimised"):
    """Optimised: of the lists in which every document is the best one left of some system, each is shown with a
    chance that a linear program finds: at every depth, all systems expect the same credit from users who click
    at random, and lists whose credit is evenly spread over the systems are preferred, as clicks tell most there.

    A click on a document credits each system with 1/rank, where it does not have the document as if it came next
    below its list. Where no chances are free of bias, those with the least are taken, and what is left at a place is
    taken off the credits there. Two systems: Radlinski and
    Craswell, WSDM 2013; more, and the goal: Schuth et al., CIKM 2014. Of more than `most` allowed lists, as many
    are drawn at random, by `seed`.

    >>> drawer = Optimised().prepare({"x": ["a", "b"], "y": ["b", "a"]}, 2)
    >>> from idealist.statistics.randomness import generator
    >>> dict(drawer(generator(0)).credits)  # of b, a
    {'x': (0.5, 1.0), 'y': (1.0, 0.5)}
    """

    about = "a linear program chooses among lists so that random clicks favour nobody; clicks count 1/rank"

    most: int = 1000
    seed: int = 0

    def _checked(self, field: str, value: Any) -> Any:
        return as_count(
            value, "the number of lists" if field == "most" else "seed", 1 if field == "most" else 0
        )

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        lists, chances, credits = self.program(rankings, k)
        running = chances.cumsum()

        def draw(random: Generator) -> InterleavedList:
            at = min(int((running <= random.random() * running[-1]).sum()), len(lists) - 1)
            documents = lists[at]
            by_system = {
                name: tuple(credits[at, row, : len(documents)].tolist()) for row, name in enumerate(rankings)
            }
            return InterleavedList(documents, by_system, {})

        return draw

    def program(self, rankings: Rankings, k: int) -> tuple[list[tuple[str, ...]], ndarray, ndarray]:
        """The allowed lists, their chances, and the credits of lists × systems × places."""
        import numpy as np

        lists = self._allowed(rankings, k)
        width = max(map(len, lists))
        credits = np.zeros((len(lists), len(rankings), width))
        for column, ranking in enumerate(rankings.values()):
            credit_of = {document: 1 / rank for rank, document in enumerate(ranking, 1)}
            missing = 1 / (len(ranking) + 1)
            for row, documents in enumerate(lists):
                credits[row, column, : len(documents)] = [credit_of.get(d, missing) for d in documents]
        chances = self._chances(credits)
        expected = np.tensordot(chances, credits, axes=1)
        bias = expected - expected.mean(axis=0)
        if np.abs(bias).max() > NEAR:
            credits -= bias
            # Two systems may be credited with a whole click more or less, and no more.
            credits /= max(1.0, float(np.ptp(credits, axis=1).max()))
        return lists, chances, credits

    def _chances(self, credits: ndarray) -> ndarray:
        """The chances of the lists, by their credits."""
        import numpy as np
        from scipy.optimize import linprog

        count, _, width = credits.shape
        spread = credits - credits.mean(axis=1, keepdims=True)
        by_place = spread / np.arange(1, width + 1)  # users click at place i with 1/i
        insensitivity = (by_place.sum(axis=2) ** 2).sum(axis=1)
        if count == 1 or np.abs(spread).max() < NEAR:
            return np.full(count, 1 / count)
        bias = spread.cumsum(axis=2).transpose(1, 2, 0).reshape(-1, count)
        slack = np.eye(len(bias))
        solution = linprog(
            np.concatenate([insensitivity, np.full(2 * len(bias), UNFAIR)]),
            A_eq=np.vstack(
                [
                    np.hstack([bias, slack, -slack]),
                    np.concatenate([np.ones(count), np.zeros(2 * len(bias))])[None],
                ]
            ),
            b_eq=np.append(np.zeros(len(bias)), 1.0),
            method="highs",
        )
        weights = np.maximum(solution.x[:count], 0.0)
        chances: ndarray = weights / weights.sum()
        return chances

    def _allowed(self, rankings: Rankings, k: int) -> list[tuple[str, ...]]:
        """All lists in which each document is the best one left of some system; a random choice of many."""
        from idealist.statistics.randomness import generator

        complete: list[tuple[str, ...]] = []
        open_lists: list[tuple[str, ...]] = [()]
        while open_lists and len(complete) + len(open_lists) <= self.most:
            documents = open_lists.pop()
            following = _best_left(rankings, documents) if len(documents) < k else []
            if following:
                open_lists += [(*documents, document) for document in reversed(following)]
            else:
                complete.append(documents)
        if not open_lists:
            return complete
        random = generator(self.seed)
        drawn: dict[tuple[str, ...], None] = {}
        for _ in range(self.most):
            documents = ()
            while len(documents) < k and (following := _best_left(rankings, documents)):
                documents = (*documents, following[int(random.integers(len(following)))])
            drawn.setdefault(documents)
        return list(drawn)


def _best_left(rankings: Rankings, used: tuple[str, ...]) -> list[str]:
    """The best document of each system that is not in the list yet, each once."""
    best: dict[str, None] = {}
    for ranking in rankings.values():
        document = next((document for document in ranking if document not in used), None)
        if document is not None:
            best.setdefault(document)
    return list(best)
