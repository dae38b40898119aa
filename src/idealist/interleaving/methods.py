"""How several rankings become one list, and whom a click is credited to."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.named import Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

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
        "idealist.interleaving.methods": ("team-draft", "balanced"),
        "idealist.interleaving.probabilistic": ("probabilistic",),
        "idealist.interleaving.optimised": ("optimised",),
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
