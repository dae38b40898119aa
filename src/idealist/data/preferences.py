"""Preferences: judgments that say which documents are better than which, not how good they are."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import as_id, given_twice, plain_dicts
from idealist.base.wording import count_of, count_queries
from idealist.conventions import other_choices
from idealist.data.grouped import bytewise
from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.needs import PREFERENCES
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.rankings import Rankings

    Subgroups = dict[str, dict[str, float]]


class Preferences(RichJudgments):
    """An immutable mapping from queries to {group: {subgroup: {document: level}}}.

    A group is one person's view of the query. Within a subgroup, a document is preferred to those of a lower
    level; levels of different subgroups are not compared, but preferences of a group are transitive: with
    a > b in one subgroup and b > c in another, a > c. Groups may contradict each other; a group may not
    contradict itself. A level of 0 or less says that the document is not relevant.

    >>> preferences = Preferences({"q": {"ann": {"1": {"a": 2, "b": 1}, "2": {"b": 5, "c": 4}}}})
    >>> preferences
    <Preferences 'judgments': 1 query, 1 group>
    >>> preferences.preferred("q", "ann")
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    need = PREFERENCES
    note = None
    __slots__ = ("_groups", "_plain", "name", "source")

    def __init__(
        self,
        queries: Mapping[Any, Mapping[Any, Mapping[Any, Mapping[Any, Any]]]],
        *,
        name: str | None = None,
        source: str | None = None,
    ) -> None:
        self._groups: dict[str, dict[str, Group]] = {}
        self._plain: Judgments | None = None
        self.name = name or "judgments"
        self.source = source
        read: dict[str, dict[str, Subgroups]] = {}
        for query, groups in _pairs(queries, "preferences"):
            text = as_id(query, "preferences: a query's id")
            _refuse_twice(text, read, "preferences: query")
            read[text] = {}
            for group, subgroups in _pairs(groups, f"preferences, query {text!r}"):
                where = f"preferences, query {text!r}"
                group_name = as_id(group, f"{where}: a group's id")
                _refuse_twice(group_name, read[text], f"{where}: group")
                read[text][group_name] = _levels(subgroups, f"{where}, group {group_name!r}")
        for text in sorted(read, key=bytewise):
            self._groups[text] = {
                group: Group(read[text][group], f"query {text!r}, group {group!r}", source)
                for group in sorted(read[text], key=bytewise)
            }

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __getitem__(self, query: str) -> dict[str, Subgroups]:
        return {
            name: {subgroup: dict(documents) for subgroup, documents in group.subgroups.items()}
            for name, group in self._groups[query].items()
        }

    def items(self) -> Iterator[tuple[str, dict[str, Subgroups]]]:
        return ((query, self[query]) for query in self)

    def preferred(self, query: str, group: str) -> list[tuple[str, str]]:
        """Every pair of documents of which the group prefers the first, those that follow included."""
        preferring = self._groups[query][group]
        matrix = preferring.preferred()
        return [
            (better, worse)
            for better, row in zip(preferring.documents, matrix, strict=True)
            for worse, is_worse in zip(preferring.documents, row, strict=True)
            if is_worse
        ]

    def __repr__(self) -> str:
        groups = count_of(sum(map(len, self._groups.values())), "group")
        return f"<Preferences {self.name!r}: {count_queries(len(self))}, {groups}>"

    def content(self) -> Any:
        return dict(self.items())

    def plain(self) -> Judgments:
        """The queries with their documents, at grade 1: that they were judged is all there is to say."""
        if self._plain is None:
            documents = {
                query: {document: 1.0 for group in groups.values() for document in group.documents}
                for query, groups in self._groups.items()
            }
            self._plain = Judgments(documents, name=self.name)
        return self._plain


class Group:
    """The preferences of one group: its documents, bytewise, and its levels; `worse` has a bit for every document
    that one is preferred to, where several subgroups had to be put together."""

    __slots__ = ("documents", "level", "subgroups", "worse")

    def __init__(self, subgroups: Subgroups, where: str, source: str | None = None) -> None:
        self.subgroups = subgroups
        self.level: dict[str, float] = {}
        for name, documents in subgroups.items():
            for document, level in documents.items():
                if (self.level.setdefault(document, level) > 0) != (level > 0):
                    raise InputError(
                        f"{where}: document {document!r} is relevant in one subgroup, and has a level of "
                        f"{level:g} in subgroup {name!r}",
                        source=source,
                        hint="levels above 0 are relevant; every subgroup of a group must agree on that",
                    )
        self.documents = sorted(self.level, key=bytewise)
        self.worse = self._put_together(where, source) if len(subgroups) > 1 else None

    def _put_together(self, where: str, source: str | None) -> list[int]:
        """The preferences of all subgroups and what follows from them, as bits by document."""
        from graphlib import CycleError, TopologicalSorter
        from itertools import pairwise

        number = {document: at for at, document in enumerate(self.documents)}
        below: list[set[int]] = [set() for _ in number]
        for documents in self.subgroups.values():
            steps: dict[float, list[int]] = {}
            for document, level in documents.items():
                steps.setdefault(level, []).append(number[document])
            falling = [steps[level] for level in sorted(steps, reverse=True)]
            for higher, lower in pairwise(falling):
                for at in higher:
                    below[at].update(lower)
        worse = [0] * len(number)
        try:
            for at in TopologicalSorter(dict(enumerate(below))).static_order():
                for lower_one in below[at]:
                    worse[at] |= 1 << lower_one | worse[lower_one]
        except CycleError as error:
            first, second = (self.documents[at] for at in sorted(error.args[1][:2]))
            raise _contradiction(where, source, first, second, "each is preferred to the other") from None
        return worse

    def preferred(self) -> Any:
        """A matrix of truth values: whether the document of the row is preferred to that of the column."""
        import numpy as np

        count = len(self.documents)
        if self.worse is None:
            levels = np.array([self.level[document] for document in self.documents])
            return levels[:, None] > levels[None, :]
        length = (count + 7) // 8
        packed = b"".join(bits.to_bytes(length, "little") for bits in self.worse)
        rows = np.frombuffer(packed, np.uint8).reshape(count, length)
        return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)


class PreferenceRankings:
    """The judged documents of every query in the order of the run: `retrieved` says how many of them it has,
    which come first; the others follow, bytewise."""

    def __init__(self, rankings: Rankings) -> None:
        preferences: Preferences = rankings.table(PREFERENCES)
        queries = rankings.queries
        self.groups = [_under_convention(preferences._groups[query], query, rankings) for query in queries]
        documents = [sorted({d for g in groups for d in g.documents}, key=bytewise) for groups in self.groups]
        numbers = {
            query: {document: float(at) for at, document in enumerate(query_documents)}
            for query, query_documents in zip(queries, documents, strict=True)
        }
        numbered = rankings.matched(Judgments(numbers))
        self.retrieved: list[int] = []
        self.position: list[dict[str, int]] = []
        for at, query_documents in enumerate(documents):
            retrieved = [query_documents[int(number)] for number in numbered.query(at)[2]]
            order = dict.fromkeys((*retrieved, *query_documents))
            self.retrieved.append(len(retrieved))
            self.position.append({document: position for position, document in enumerate(order)})


def preference_rankings(rankings: Rankings) -> PreferenceRankings:
    return rankings.view(PreferenceRankings)


def _under_convention(groups: dict[str, Group], query: str, rankings: Rankings) -> list[Group]:
    """The groups under the convention for negative levels."""
    convention = rankings.conventions.negative
    if convention not in ("error", "unjudged"):
        return list(groups.values())
    negative = any(level < 0 for group in groups.values() for level in group.level.values())
    if negative and convention == "error":
        raise InputError(
            f"query {query!r} has a negative level",
            hint=other_choices("negative"),
        )
    return [_without_negative(group) for group in groups.values()] if negative else list(groups.values())


def _without_negative(group: Group) -> Group:
    subgroups = {
        name: {document: level for document, level in documents.items() if level >= 0}
        for name, documents in group.subgroups.items()
    }
    return Group(subgroups, "")


def _pairs(mapping: Any, where: str) -> Any:
    if not isinstance(mapping, Mapping):
        raise InputError(
            f"{where}: expected {{query: {{group: {{subgroup: {{document: level}}}}}}}}, found {mapping!r}",
            hint="read_preferences reads them from a file",
        )
    return mapping.items()


def _levels(subgroups: Any, where: str) -> Subgroups:
    if not isinstance(subgroups, Mapping):
        raise InputError(f"{where}: expected {{subgroup: {{document: level}}}}, found {subgroups!r}")
    levels: Subgroups = {}
    for subgroup, documents in subgroups.items():
        name = as_id(subgroup, f"{where}: a subgroup's id")
        _refuse_twice(name, levels, f"{where}: subgroup")
        inside = plain_dicts({0: documents}, kind=f"{where}, subgroup {name!r}", number="level", finite=True)
        levels[name] = inside["0"]
    return levels


def _refuse_twice(name: str, entries: Mapping[str, Any], title: str) -> None:
    if name in entries:
        raise given_twice(f"{title} {name!r}")


def _contradiction(where: str, source: str | None, first: str, second: str, statement: str) -> InputError:
    return InputError(
        f"{where}: its subgroups contradict each other about documents {first!r} and {second!r}: {statement}",
        source=source,
        hint="a group is one person's view; views that differ belong into different groups",
    )
