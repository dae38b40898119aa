"""Judgments by group: the subtopics of a query, or the groups of people who judged it."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import as_id, as_number, as_within, given_twice
from idealist.base.wording import count_of, count_queries
from idealist.conventions import other_choices
from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.needs import GROUPS
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    from idealist.data.rankings import Rankings

    T = TypeVar("T")


def bytewise(name: str) -> bytes:
    """The order of queries: by their bytes."""
    return name.encode("utf-8", "surrogateescape")


class GroupedJudgments(RichJudgments):
    """An immutable mapping from queries to {group: {document: grade}}, both in bytewise order.

    `weights` say how many people each group stands for, or how likely a subtopic is meant: {query: {group:
    weight}}, of which only the proportions count. The groups of a query without weights count alike.

    >>> judgments = GroupedJudgments({"jaguar": {"car": {"d1": 1}, "cat": {"d1": 1, "d2": 2}}})
    >>> judgments
    <GroupedJudgments 'judgments': 1 query, 2 groups>
    >>> judgments.plain()["jaguar"]
    {'d1': 1.0, 'd2': 2.0}
    """

    need = GROUPS
    note = "documents with several subtopics or groups count with their highest grade where a measure has one"
    __slots__ = ("_groups", "_members", "_plain", "_weights", "name", "source")

    _groups: dict[str, dict[str, dict[str, float]]]
    _weights: dict[str, dict[str, float]]
    _plain: Judgments | None
    _members: dict[str, Members]
    name: str
    source: str | None

    def __init__(
        self,
        queries: Mapping[Any, Mapping[Any, Mapping[Any, Any]]],
        *,
        weights: Mapping[Any, Mapping[Any, Any]] | None = None,
        name: str | None = None,
        source: str | None = None,
    ) -> None:
        if not isinstance(queries, Mapping):
            raise InputError(f"expected {{query: {{group: {{document: grade}}}}}}, found {queries!r}")
        groups_by_query: dict[str, dict[str, dict[str, float]]] = {}
        for query, query_groups in queries.items():
            text = as_id(query, "a query's id")
            if text in groups_by_query:
                raise given_twice(f"query {text!r}")
            groups_by_query[text] = _sorted(_by_group(query_groups, text))
        for field, value in (
            ("_groups", _sorted(groups_by_query)),
            ("_weights", {} if weights is None else _checked_weights(weights, groups_by_query)),
            ("_plain", None),
            ("_members", {}),
            ("name", name or "judgments"),
            ("source", source),
        ):
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("GroupedJudgments is immutable")

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __contains__(self, query: object) -> bool:
        return query in self._groups

    def __getitem__(self, query: str) -> dict[str, dict[str, float]]:
        return {group: dict(documents) for group, documents in self._groups[query].items()}

    def keys(self) -> list[str]:
        return list(self._groups)

    def items(self) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
        return ((query, self[query]) for query in self)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        return dict(self.items())

    def weights(self, query: str) -> dict[str, float]:
        """The weight of each group of a query; 1 by default."""
        return dict(self._weights.get(query) or dict.fromkeys(self._groups[query], 1.0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroupedJudgments):
            return NotImplemented
        return self._groups == other._groups and self._weights == other._weights

    def __hash__(self) -> int:
        return hash((type(self), len(self), sum(map(len, self._groups.values()))))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._groups, self._weights, self.name, self.source)

    def __repr__(self) -> str:
        groups = count_of(sum(map(len, self._groups.values())), "group")
        return f"<GroupedJudgments {self.name!r}: {count_queries(len(self))}, {groups}>"

    def members(self, negative: str) -> Members:
        """The groups of every document, found once for all runs."""
        if negative not in self._members:
            self._members[negative] = Members(self, negative)
        return self._members[negative]

    def remarks(self) -> list[str]:
        if all(len(groups) < 2 for groups in self._groups.values()):
            return ["no query has more than one subtopic or group: the second column names them"]
        return []

    def content(self) -> Any:
        return [self._groups, self._weights]

    def plain(self) -> Judgments:
        """One grade a document: the highest it has in any group."""
        if self._plain is None:
            highest: dict[str, dict[str, float]] = {}
            for query, groups in self._groups.items():
                best: dict[str, float] = {}
                highest[query] = best
                for documents in groups.values():
                    for document, grade in documents.items():
                        best[document] = max(grade, best.get(document, grade))
            object.__setattr__(self, "_plain", Judgments(highest, name=self.name))
        assert self._plain is not None
        return self._plain


def _restored(queries: Any, weights: Any, name: str, source: str | None) -> GroupedJudgments:
    return GroupedJudgments(queries, weights=weights, name=name, source=source)


def _sorted(by_name: dict[str, T]) -> dict[str, T]:
    return dict(sorted(by_name.items(), key=lambda pair: bytewise(pair[0])))


def _by_group(groups: Any, query: str) -> dict[str, dict[str, float]]:
    """The groups of one query, with text for ids and floats for grades."""
    if not isinstance(groups, Mapping):
        raise InputError(
            f"query {query!r}: expected {{group: {{document: grade}}}}, found {type(groups).__name__}"
        )
    plain: dict[str, dict[str, float]] = {}
    for group, documents in groups.items():
        name = as_id(group, f"query {query!r}: a group's id")
        where = f"query {query!r}, group {name!r}"
        if name in plain:
            raise given_twice(f"{where}")
        if not isinstance(documents, Mapping):
            raise InputError(
                f"{where}: expected {{document: grade}}, found {type(documents).__name__}",
                hint="judgments without groups are Judgments",
            )
        plain[name] = grades = {}
        for document, grade in documents.items():
            text = as_id(document, f"{where}: a document's id")
            if text in grades:
                raise given_twice(f"{where}: document {text!r}")
            grades[text] = as_number(grade, f"{where}, document {text!r}: the grade", finite=True)
    return plain


def _checked_weights(weights: Any, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    if not isinstance(weights, Mapping):
        raise InputError(f"weights must be {{query: {{group: weight}}}}, not {weights!r}")
    checked: dict[str, dict[str, float]] = {}
    for query, query_weights in weights.items():
        name = as_id(query, "a weight: a query's id")
        if name not in groups:
            raise InputError(f"there are weights for query {name!r}, which is not judged")
        if not isinstance(query_weights, Mapping):
            raise InputError(
                f"the weights of query {name!r} must be {{group: weight}}, not {query_weights!r}"
            )
        checked_of_query: dict[str, float] = {}
        for group, weight in query_weights.items():
            text = as_id(group, f"a weight of query {name!r}: a group's id")
            title = f"the weight of group {text!r} of query {name!r}"
            if text not in groups[name]:
                raise InputError(
                    f"{title} was given, but there is no such group",
                    hint=f"there are {', '.join(groups[name]) or 'none'}",
                )
            checked_of_query[text] = as_within(weight, title, 0)
        for group in groups[name]:
            if group not in checked_of_query:
                raise InputError(
                    f"group {group!r} of query {name!r} has no weight",
                    hint="give every group of the query one, 0 to leave it out",
                )
        if not 0 < sum(checked_of_query.values()) < float("inf"):
            raise InputError(
                f"the weights of query {name!r} add up to {sum(checked_of_query.values()):g}",
                hint="it must be above 0, and finite",
            )
        checked[name] = _sorted(checked_of_query)
    return checked


class Members:
    """The groups of every judged document, under a convention for negative grades.

    Groups are numbered through, query by query: `counts` says how many each query has, `groups` what they are
    called, `weights` what each weighs, and `documents` the groups and grades of a query's documents.
    """

    def __init__(self, judgments: GroupedJudgments, negative: str) -> None:
        self.begin, self.group_of, self.grade_of = [0], list[int](), list[float]()
        self.documents: list[dict[str, list[tuple[int, float]]]] = []
        self.groups = [list(groups) for groups in judgments._groups.values()]
        self.counts = [len(groups) for groups in self.groups]
        self.weights = kernels.Values([w for query in judgments for w in judgments.weights(query).values()])
        self.numbers: dict[str, dict[str, float]] = {}  # of the documents, by query
        first = 0
        for query, groups in judgments._groups.items():
            entries: dict[str, list[tuple[int, float]]] = {}
            for at, (group, documents) in enumerate(groups.items(), first):
                for document, grade in documents.items():
                    if grade < 0 and negative == "error":
                        raise _negative(query, group, document)
                    if grade >= 0 or negative != "unjudged":
                        entries.setdefault(document, []).append((at, grade))
            first += len(groups)
            self.documents.append(entries)
            self.numbers[query] = self._numbered(entries)
        self.numbered = Judgments(self.numbers)

    def _numbered(self, entries: dict[str, list[tuple[int, float]]]) -> dict[str, float]:
        numbers: dict[str, float] = {}
        for document, memberships in entries.items():
            numbers[document] = len(self.begin) - 1
            for group, grade in memberships:
                self.group_of.append(group)
                self.grade_of.append(grade)
            self.begin.append(len(self.group_of))
        return numbers


class GroupRankings:
    """The rankings of a run as each group sees them: `native` has one per query and group, named after its
    query; what belongs to which group is said by `members`."""

    def __init__(self, rankings: Rankings) -> None:
        judgments: GroupedJudgments = rankings.table(GROUPS)
        self.members = members = judgments.members(rankings.conventions.negative)
        self.counts, self.groups, self.weights = members.counts, members.groups, members.weights
        self.documents, self.numbers = members.documents, members.numbers
        # The run's judged documents, with their numbers in the place of grades.
        self.numbered = rankings.matched(members.numbered)
        self.native = kernels.by_group(
            self.numbered, members.begin, members.group_of, members.grade_of, members.counts
        )


def _negative(query: str, group: str, document: str) -> InputError:
    return InputError(
        f"document {document!r} has a negative grade for query {query!r} and group {group!r}",
        hint=other_choices("negative"),
    )


def group_rankings(rankings: Rankings) -> GroupRankings:
    return rankings.view(GroupRankings)
