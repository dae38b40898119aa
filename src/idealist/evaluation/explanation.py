"""The explanation of one query: its ranking written out, and what each document adds to a measure's value."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, groupby, repeat

from idealist import kernels
from idealist.backends.explained.derivation import accounted
from idealist.backends.explained.traced_numbers import Listing
from idealist.base.frozen import Frozen
from idealist.base.named import OF_ONE_RUN, other_names
from idealist.base.results import Drawable
from idealist.conventions import DEFAULT, as_conventions, match_options
from idealist.data import Judgments, Rankings, Run
from idealist.data.arguments import holds_runs, named_runs, read_plain, require_order
from idealist.data.arrays import holds_lists
from idealist.data.collection import whole_number_columns
from idealist.data.needs import GRADES
from idealist.data.run import as_run
from idealist.errors import InputError
from idealist.measures import Measure, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from idealist.backends.explained.derivation import IdealList, Term
    from idealist.conventions import Conventions
    from idealist.data.arguments import GivenJudgments, GivenRuns

    # A document, its score and its grade.
    Row = tuple[str | None, float | None, float | None]


ALL_RANKS = 2**32 - 1


class RankedDocuments:
    """The documents at the ranks that the rankings of one query give them; a list of grades has no names."""

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        self.rows: list[Row] = []
        # Ranks that documents share: more than one where ties are averaged.
        self.tie_groups: list[range] = []

    def listing(self) -> Listing:
        """The grades, rank by rank."""
        grades = tuple(grade for _, _, grade in self.rows)
        return Listing(grades, tuple(self.tie_groups), tuple(range(len(grades))))

    @classmethod
    def of_grades(cls, rankings: Rankings) -> Self:
        ranked = cls(rankings)
        grade_at = _grades_by_rank(rankings)
        for rank in range(1, rankings.native.query(0)[0] + 1):
            ranked._add(range(rank, rank + 1), [(None, None, grade_at.get(rank))])
        return ranked

    @classmethod
    def of_run(
        cls, run: Run, query: str, judged: Mapping[str, float], rankings: Rankings, depth: int | None
    ) -> Self:
        """The documents down to rank `depth`, and those tied with the last.

        The rankings say which grade stands at which rank; of the documents of a tie group that have it, the next
        in the order of the run stands there.
        """
        ranked, conventions = cls(rankings), rankings.conventions
        removed = conventions.unjudged == "removed"
        # Where documents are removed, a rank is no bound for how many there are above it.
        most = ALL_RANKS if depth is None or removed else depth
        top = run.rows.top(query, match_options(conventions), most)
        averaged = conventions.ties == "averaged"
        grade_at = {} if averaged else _grades_by_rank(rankings, len(top))
        for score, tied in groupby(top, key=lambda row: row[1]):
            tied_documents = [
                (document, _grade_counted(judged.get(document), conventions)) for document, _ in tied
            ]
            if removed:
                tied_documents = [
                    (document, grade) for document, grade in tied_documents if grade is not None
                ]
            ranks = range(len(ranked.rows) + 1, len(ranked.rows) + len(tied_documents) + 1)
            if averaged:
                ranked._add(ranks, [(document, score, grade) for document, grade in tied_documents])
                continue
            documents = documents_by_grade(tied_documents)
            for rank in ranks:
                grade = grade_at.get(rank)
                ranked._add(range(rank, rank + 1), [(next(documents[grade]), score, grade)])
        return ranked

    def _add(self, ranks: range, rows: list[Row]) -> None:
        if rows:
            self.tie_groups.append(ranks)
            self.rows += rows


def documents_by_grade(documents: Iterable[tuple[str, float | None]]) -> dict[float | None, Iterator[str]]:
    """The documents of each grade, one after the other."""
    by_grade: dict[float | None, list[str]] = {}
    for document, grade in documents:
        by_grade.setdefault(grade, []).append(document)
    return {grade: iter(graded) for grade, graded in by_grade.items()}


def _grades_by_rank(rankings: Rankings, depth: int = ALL_RANKS) -> dict[float, float]:
    """The grade at each rank that has a judged document, down to `depth`."""
    top = kernels.cut_short(rankings.native, depth)
    return dict(zip(memoryview(kernels.ranks(top)), memoryview(kernels.grades(top)), strict=True))


def _grade_counted(grade: float | None, conventions: Conventions) -> float | None:
    """A document's grade, None where the conventions count it as unjudged."""
    return None if conventions.negative == "unjudged" and grade is not None and grade < 0 else grade


TIES_AVERAGED = (
    "equal scores: a document's numbers are means over all orders of its tie group, 0 below the cut-off"
)


class ExplainedDocument(Frozen):
    """A document of a list, and what it adds to the sum.

    `grade` is None for an unjudged document, `score` as it was compared; `numbers` are those that the contribution
    is made of, under the titles of `Explanation.columns`; `running` is the sum down to this rank. Where the value is no
    sum over documents, `contribution` and `running` are None.
    """

    rank: int
    document: str | None
    score: float | None
    grade: float | None
    numbers: tuple[float, ...]
    contribution: float | None
    running: float | None


class MovedDocument(Frozen):
    """A document of two lists: its rank in the old and in the new one, None where it is not within the cut-off, what it adds
    there, and what that changes of the value; None where the value is no sum over documents."""

    document: str
    grade: float | None
    old_rank: int | None
    rank: int | None
    old_contribution: float | None
    contribution: float | None
    gain: float | None


class Explanation(Drawable, Frozen):
    """How a value came about: the documents of `ranking` add up to `total`, which is divided by `divisor`.

    Where the value is no sum over documents, `total` is None, and `steps` are the numbers that the measure computes on the way.
    `columns` are the titles of the documents' numbers, `contribution_title` and `running_title` those of what they
    add and of the sum so far. `ideal` is the list the measure compares with, if any, and `ideal_title` the name of
    its sum. `undefined` says why the measure has no value, if so; `value` is what it counts under the conventions. Of two runs,
    this is of the second; `earlier` is the explanation of the first, `gain` the difference, `moved` the documents that made it.
    """

    measure: Measure
    query: str | None
    ranking: tuple[ExplainedDocument, ...]
    columns: tuple[str, ...]
    contribution_title: str
    running_title: str
    total: Term | None
    divisor: Term | None
    ideal: tuple[ExplainedDocument, ...]
    ideal_title: str
    undefined: str
    value: float
    conventions: Conventions
    steps: tuple[Term, ...] = ()
    notes: tuple[str, ...] = ()
    whole_number_columns: tuple[str, ...] = ()
    system: str = ""
    earlier: Explanation | None = None

    @property
    def gain(self) -> float | None:
        """The value less that of the earlier run; None where there is none."""
        return None if self.earlier is None else self.value - self.earlier.value

    @property
    def moved(self) -> tuple[MovedDocument, ...]:
        """The documents that have another rank than in the earlier run, or add another amount: what changes the value most
        first. Where the value is a sum over documents, their gains add up to `gain`."""
        if self.earlier is None:
            return ()
        old, new = _by_document(self.earlier), _by_document(self)
        moved = [
            _moved_document(document, (self.earlier, old.get(document)), (self, new.get(document)))
            for document in {**new, **old}
        ]
        changed = [one for one in moved if one.old_rank != one.rank or one.gain]
        return tuple(sorted(changed, key=lambda one: -abs(one.gain or 0.0)))

    @property
    def sums(self) -> dict[str, float]:
        """What the value is made of, by name: {"DCG": 13.8, "IDCG": 14.6}; where it is no sum, its steps."""
        return {term.name: term.value for term in (self.total, self.divisor, *self.steps) if term is not None}

    @property
    def losses(self) -> list[float]:
        """What the ideal list adds at each rank and the ranking does not."""
        ranks = max(len(self.ranking), len(self.ideal))
        ideal, ranking = (
            [document.contribution or 0.0 for document in documents] + [0.0] * (ranks - len(documents))
            for documents in (self.ideal, self.ranking)
        )
        return [best - added for best, added in zip(ideal, ranking, strict=True)]

    def _gist(self) -> str:
        query_text = "" if self.query is None else f" of query {self.query!r}"
        return f"{self.measure}{query_text} = {self.value:.4f}"


def _by_document(explanation: Explanation) -> dict[str, ExplainedDocument]:
    return {one.document: one for one in explanation.ranking if one.document is not None}


def _moved_document(
    document: str,
    before: tuple[Explanation, ExplainedDocument | None],
    after: tuple[Explanation, ExplainedDocument | None],
) -> MovedDocument:
    """A document in two lists, at least one of which has it."""
    old, new = before[1], after[1]
    shares = [_share(*place) for place in (before, after)]
    known = new or old
    return MovedDocument(
        document=document,
        grade=None if known is None else known.grade,
        old_rank=None if old is None else old.rank,
        rank=None if new is None else new.rank,
        old_contribution=None if old is None else old.contribution,
        contribution=None if new is None else new.contribution,
        gain=None if shares[0] is None or shares[1] is None else shares[1] - shares[0],
    )


def _share(explanation: Explanation, document: ExplainedDocument | None) -> float | None:
    """What a document adds to the value itself."""
    if any(one.contribution is None for one in explanation.ranking):
        return None
    divisor = 1.0 if explanation.divisor is None else explanation.divisor.value
    if document is None or not divisor:
        return 0.0
    return (document.contribution or 0.0) / divisor


@other_names(**OF_ONE_RUN)
def explain(
    judgments: GivenJudgments,
    run: GivenRuns,
    measure: str | Measure = "nDCG@10",
    *,
    query: str,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
) -> Explanation:
    """Explains the value of one query of a run, or of two, the old one first; takes what `evaluate` takes.

    >>> judgments, run = {"q": {"a": 1, "b": 0, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> explanation = explain(judgments, run, "AP", query="q")
    >>> [document.contribution for document in explanation.ranking], explanation.divisor
    ([1.0, 0.0, 0.6666666666666666], Term(name='all relevant', value=2))
    >>> new = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    >>> for one in explain(judgments, {"old": run, "new": new}, "AP", query="q").moved:
    ...     print(one.document, one.old_rank, one.rank, round(one.gain, 4))
    c 3 1 0.1667
    a 1 2 0.0
    b 2 3 0.0
    """
    conventions = as_conventions(conventions)
    measure = _explainable(measure, conventions)
    require_order(judgments, run, measure, verb="explain(judgments, run, measure)")
    runs = _one_or_two(run, columns)
    judgments = read_plain(judgments, columns)
    if query not in judgments:
        from difflib import get_close_matches

        names = list(judgments)
        close = get_close_matches(str(query), names, n=3) or names[:3]
        examples = ", ".join(map(repr, close))
        raise InputError(
            f"query {query!r} is not judged",
            hint=f"judged queries are, for example, {examples}",
            code="unjudged-query",
        )
    earlier: Explanation | None = None
    for system, (known, scored) in runs.items():
        explanation = _of_run(judgments, known, measure, query, conventions)
        if not scored:
            explanation = explanation.replace(
                ranking=tuple(document.replace(score=None) for document in explanation.ranking)
            )
        if len(runs) > 1:
            explanation = explanation.replace(system=system, earlier=earlier)
        earlier = explanation
    return explanation


def _one_or_two(given: Any, columns: Mapping[str, str] | None) -> dict[str, tuple[Run, bool]]:
    """The run that was given, or the old and the new one, by name, and whether it has scores: lists of ids have none."""
    runs = named_runs(given, columns)
    if len(runs) > 2:
        raise InputError(
            f"{len(runs)} runs were given, but this takes one, or an old and a new one: {', '.join(runs)}",
            hint="give one or two of them",
        )
    sources = [given]
    if isinstance(given, dict) and holds_runs(given):
        sources = list(given.values())
    elif len(runs) > 1 and isinstance(given, (list, tuple)):
        sources = list(given)
    unscored = [isinstance(source, dict) and holds_lists(source) for source in sources]
    unscored += [False] * (len(runs) - len(unscored))
    return {name: (as_run(run), not bare) for (name, run), bare in zip(runs.items(), unscored, strict=False)}


def _of_run(
    judgments: Judgments, run: Run, measure: Measure, query: str, conventions: Conventions
) -> Explanation:
    judged = judgments[query]
    options = match_options(conventions)
    native = kernels.match(run.rows, Judgments({query: judged}).rows, options, kernels.available_threads())
    rankings = Rankings(native, conventions)
    ranked = RankedDocuments.of_run(run, query, judged, rankings, measure.depth)
    notes = () if query in run else ("the run does not have this query",)
    explanation = _explained(measure, query, ranked, judged, notes)
    return explanation.replace(whole_number_columns=whole_number_columns(run, judgments))


def explain_grades(
    grades: Sequence[Any],
    measure: str | Measure = "nDCG",
    *,
    judged: Sequence[Any] | None = None,
    conventions: Conventions | str = DEFAULT,
) -> Explanation:
    """Explains the value of one list of grades in ranked order, None for an unjudged document.

    >>> explain_grades([3, 2, 0, 1], "P@3").sums
    {'relevant': 2, 'k': 3}
    """
    conventions = as_conventions(conventions)
    measure = _explainable(measure, conventions)
    rankings = Rankings.from_grades([grades], None if judged is None else [judged], conventions)
    return _explained(measure, None, RankedDocuments.of_grades(rankings), {})


def _explainable(measure: str | Measure, conventions: Conventions) -> Measure:
    parsed = parse(measure, defaults=conventions.parameters)
    if not can_explain(type(parsed)):
        raise InputError(
            f"{parsed} cannot be explained: it looks at {parsed.needs.description}",
            hint="explain takes measures of one grade per document, such as nDCG, AP, RR and RBP",
        )
    return parsed


def can_explain(measure: type[Measure]) -> bool:
    """Whether all that a measure looks at is one grade per document."""
    return measure.needs is GRADES


def _explained(
    measure: Measure,
    query: str | None,
    ranked: RankedDocuments,
    judged: Mapping[str, float],
    notes: tuple[str, ...] = (),
) -> Explanation:
    rankings, listing = ranked.rankings, ranked.listing()
    shown = len(listing.down_to(getattr(measure, "k", None)).grades)
    values, account = accounted(measure, rankings, listing, shown)
    value = measure.completed(values, rankings.native, rankings.conventions)[0]
    ranking = _documents(ranked.rows, account.contributions, account.columns, shown)
    if any(len(ranks) > 1 and ranks.start <= len(ranking) for ranks in ranked.tie_groups):
        notes += (TIES_AVERAGED,)
    return Explanation(
        measure=measure,
        query=query,
        ranking=ranking,
        columns=tuple(account.columns),
        contribution_title=account.title,
        running_title=account.running_title,
        total=account.total,
        divisor=account.divisor,
        ideal=_ideal_documents(account.ideal, ranked, judged) if account.ideal else (),
        ideal_title=account.ideal.running_title if account.ideal else "",
        undefined=account.undefined,
        value=value,
        conventions=rankings.conventions,
        steps=account.steps,
        notes=notes,
    )


def _ideal_documents(
    ideal: IdealList, ranked: RankedDocuments, judged: Mapping[str, float]
) -> tuple[ExplainedDocument, ...]:
    """The ideal list; of equal grades, the documents stand in the order of the judgments."""
    retrieved = {document for document, _, _ in ranked.rows} if ideal.retrieved_only else judged
    places_left = Counter(ideal.grades)
    ideal_documents: list[tuple[str, float]] = []
    for document, grade in judged.items():
        if len(ideal_documents) == len(ideal.grades):
            break
        if places_left[grade] and document in retrieved:
            places_left[grade] -= 1
            ideal_documents.append((document, grade))
    documents = documents_by_grade(ideal_documents)
    # Of a measure that takes unjudged documents for good ones, not all are among the judgments.
    rows = ((next(documents.get(grade, iter(())), None), None, grade) for grade in ideal.grades)
    return _documents(rows, ideal.contributions, {}, len(ideal.grades))


def _documents(
    rows: Iterable[Row],
    contributions: Sequence[float] | None,
    columns: Mapping[str, Sequence[float]],
    shown: int,
) -> tuple[ExplainedDocument, ...]:
    """The first `shown` documents of a list."""
    numbers = zip(*columns.values(), strict=True) if columns else repeat(())
    added: Iterable[tuple[float | None, float | None]] = repeat((None, None))
    if contributions is not None:
        added = zip(contributions, accumulate(contributions), strict=True)
    return tuple(
        ExplainedDocument(rank, *row, cells, *sums)
        for rank, row, cells, sums in zip(range(1, shown + 1), rows, numbers, added, strict=False)
    )
