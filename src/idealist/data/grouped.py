"""Judgments by group: the subtopics of a query, or the groups of people who judged it."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.numbers import as_id, plain_dicts
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.rankings import Rankings


def bytewise(name: str) -> bytes:
    """The order of queries: by their bytes."""
    return name.encode("utf-8", "surrogateescape")


class GroupedJudgments(RichJudgments):
    """An immutable mapping from queries to {group: {document: grade}}.

    >>> judgments = GroupedJudgments({"jaguar": {"car": {"d1": 1}, "cat": {"d1": 1, "d2": 2}}})
    >>> judgments
    <GroupedJudgments 'judgments': 1 query, 2 groups>
    >>> judgments.plain()["jaguar"]
    {'d1': 1.0, 'd2': 2.0}
    """

    need = "groups"
    note = "documents with several subtopics or groups count with their highest grade where a measure has one"
    __slots__ = ("_groups", "_plain", "name", "source")

    def __init__(
        self,
        queries: Mapping[Any, Mapping[Any, Mapping[Any, Any]]],
        *,
        name: str | None = None,
        source: str | None = None,
    ) -> None:
        if not isinstance(queries, Mapping):
            raise InputError(f"expected {{query: {{group: {{document: grade}}}}}}, found {queries!r}")
        groups: dict[str, dict[str, dict[str, float]]] = {}
        for query, its_groups in queries.items():
            text = as_id(query, "a query's id")
            if not isinstance(its_groups, Mapping):
                raise InputError(f"query {text!r}: expected {{group: {{document: grade}}}}")
            by_name = plain_dicts(its_groups, kind=f"query {text!r}", number="grade", finite=True)
            groups[text] = {name: by_name[name] for name in sorted(by_name, key=bytewise)}
        self._groups = dict(sorted(groups.items(), key=lambda pair: bytewise(pair[0])))
        self._plain: Judgments | None = None
        self.name = name or "judgments"
        self.source = source

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __getitem__(self, query: str) -> dict[str, dict[str, float]]:
        return {group: dict(documents) for group, documents in self._groups[query].items()}

    def items(self) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
        return ((query, self[query]) for query in self)

    def __repr__(self) -> str:
        groups = sum(map(len, self._groups.values()))
        queries = f"{len(self):,} {'query' if len(self) == 1 else 'queries'}"
        return f"<GroupedJudgments {self.name!r}: {queries}, {groups:,} groups>"

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
            self._plain = Judgments(highest, name=self.name)
        return self._plain


class GroupRankings:
    """The rankings of a run as each group sees them: `native` has one per query and group, `counts` says
    how many groups each query has, `groups` what they are called."""

    def __init__(self, rankings: Rankings) -> None:
        judgments: GroupedJudgments = rankings.table("groups")
        skipped = rankings.conventions.negative == "unjudged"
        begin, group_of, grade_of = [0], [], []
        numbers: dict[str, dict[str, float]] = {}
        self.groups: list[list[str]] = []
        first = 0
        for query in rankings.queries:
            groups = judgments._groups[query]
            entries: dict[str, list[tuple[int, float]]] = {}
            for at, documents in enumerate(groups.values(), first):
                for document, grade in documents.items():
                    if not (skipped and grade < 0):
                        entries.setdefault(document, []).append((at, grade))
            numbers[query] = its_numbers = {}
            for document, places in entries.items():
                its_numbers[document] = len(begin) - 1
                group_of += [group for group, _ in places]
                grade_of += [grade for _, grade in places]
                begin.append(len(group_of))
            self.groups.append(list(groups))
            first += len(groups)
        self.counts = [len(groups) for groups in self.groups]
        self.numbers = numbers  # of the documents, by query
        # The run's judged documents, with their numbers in the place of grades.
        self.numbered = rankings.matched(Judgments(numbers))
        self.native = kernels.by_group(self.numbered, begin, group_of, grade_of, self.counts)


def group_rankings(rankings: Rankings) -> GroupRankings:
    return rankings.view(GroupRankings)
