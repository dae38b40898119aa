"""One query of the gain family worked out by hand: rank by rank, beside its ideal list."""

from __future__ import annotations

from itertools import groupby, zip_longest
from math import nan

from idealist.conventions import DEFAULT, Conventions, require_conventions
from idealist.data import Judgments, Run
from idealist.data.numbers import as_number
from idealist.data.options import match_options
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.frozen import Frozen
from idealist.measures import CG, DCG, IDCG, NDCG, parse
from idealist.measures.discounts import discount_table
from idealist.measures.gains import gain_function
from idealist.results import Drawable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data.run import Lists
    from idealist.measures import Measure


ALL_RANKS = 2**32 - 1


class Place(Frozen):
    """A rank of a list: the document there, its grade (None: unjudged), and what it adds to the sum."""

    document: str | None
    grade: float | None
    gain: float
    discount: float
    contribution: float
    running: float


class Step(Frozen):
    """A rank of the ranking and of its ideal list; either may have ended above it."""

    rank: int
    found: Place | None
    ideal: Place | None

    @property
    def loss(self) -> float:
        """What the ideal list adds at this rank and the ranking does not."""
        best = self.ideal.contribution if self.ideal else 0.0
        return best - (self.found.contribution if self.found else 0.0)


class Explanation(Drawable, Frozen):
    """How a value came about: `dcg` and `idcg` are the sums over the steps."""

    measure: Measure
    query: str | None
    steps: tuple[Step, ...]
    dcg: float
    idcg: float
    value: float
    conventions: Conventions

    def _gist(self) -> str:
        of = "" if self.query is None else f" of query {self.query}"
        return f"{self.measure}{of} = {self.value:.4f}"


class _Entry(Frozen):
    """A document at its rank, before discounts; `tied` numbers the group of equal scores it is in."""

    document: str | None
    grade: float | None
    tied: int


def explain(
    run: Run | Mapping[Any, Mapping[Any, Any]] | Lists,
    judgments: Judgments | Mapping[Any, Mapping[Any, Any]] | Lists,
    query: str,
    measure: str | Measure = "nDCG@10",
    *,
    conventions: Conventions = DEFAULT,
) -> Explanation:
    """Works out one query of a run.

    >>> run, judgments = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 0, "b": 3}}
    >>> [step.loss for step in explain(run, judgments, "q").steps][0]
    3.0
    """
    wanted = _of_the_gain_family(measure, conventions)
    run = run if isinstance(run, Run) else Run(run)
    judgments = judgments if isinstance(judgments, Judgments) else Judgments(judgments)
    if query not in judgments:
        from difflib import get_close_matches

        names = list(judgments)
        close = get_close_matches(str(query), names, n=3) or names[:3]
        shown = ", ".join(map(repr, close))
        raise InputError(f"query {query!r} is not judged", hint=f"judged are, for example, {shown}")
    judged = judgments[query]
    retrieved = query in run
    entries = _ranked(run, query, judged, wanted, conventions) if retrieved else []
    if retrieved:
        value = evaluate(run, {query: judged}, wanted, conventions=conventions).value(wanted, query)
    elif conventions.missing == "error":
        raise InputError(f"query {query!r} is judged but missing from the run")
    else:
        value = wanted([], judged=list(judged.values()), conventions=conventions)
        value = nan if conventions.missing == "skip" else value
    return _explained(wanted, query, entries, list(judged.items()), value, conventions)


def explain_grades(
    grades: Sequence[Any],
    measure: str | Measure = "nDCG",
    *,
    judged: Sequence[Any] | None = None,
    conventions: Conventions = DEFAULT,
) -> Explanation:
    """Works out one list of grades in ranked order, None for an unjudged document.

    >>> explain_grades([3, 2, 0, 1], "DCG@2").dcg == 3 + 2 * explain_grades([1, 1]).steps[1].found.discount
    True
    """
    wanted = _of_the_gain_family(measure, conventions)
    grades = list(grades)
    value = wanted(grades, judged=judged, conventions=conventions)
    numbers = [None if g is None else as_number(g, "a grade", finite=True) for g in grades]
    entries = [_Entry(None, grade, rank) for rank, grade in enumerate(numbers)]
    entries = [seen for entry in entries if (seen := _seen(entry, conventions))]
    everything = numbers if judged is None else [as_number(g, "a grade", finite=True) for g in judged]
    known = [(None, grade) for grade in everything if grade is not None]
    return _explained(wanted, None, entries, known, value, conventions)


def _of_the_gain_family(measure: str | Measure, conventions: Conventions) -> Measure:
    wanted = parse(measure, defaults=require_conventions(conventions).parameters)
    if not isinstance(wanted, (CG, DCG, IDCG, NDCG)):
        raise InputError(
            f"{wanted} is not a sum of discounted gains", hint="explain shows CG, DCG, IDCG and nDCG"
        )
    return wanted


def _seen(entry: _Entry, conventions: Conventions) -> _Entry | None:
    """An entry as the conventions see it; None when they remove it."""
    if conventions.negative == "unjudged" and entry.grade is not None and entry.grade < 0:
        entry = entry.replace(grade=None)
    return None if conventions.unjudged == "removed" and entry.grade is None else entry


def _ranked(
    run: Run, query: str, judged: Mapping[str, float], measure: Measure, conventions: Conventions
) -> list[_Entry]:
    """The documents down to the cut-off, and those tied with the last."""
    k: int | None = measure.k  # type: ignore[attr-defined]
    # Where documents are removed, or the ideal is made of all that were retrieved, the cut-off is no bound.
    whole = (
        k is None or conventions.unjudged == "removed" or getattr(measure, "ideal", "judged") == "retrieved"
    )
    most = ALL_RANKS if whole or k is None else k
    top = run.rows.top(query, match_options(conventions), most)
    entries: list[_Entry] = []
    for tied, (_, documents) in enumerate(groupby(top, key=lambda one: one[1])):
        seen = (_seen(_Entry(doc, judged.get(doc), tied), conventions) for doc, _ in documents)
        group = [entry for entry in seen if entry]
        if conventions.ties in ("optimistic", "pessimistic"):
            best_first = conventions.ties == "optimistic"
            # Unjudged documents stand just below grade 0, above the negative ones.
            group.sort(key=lambda e: (e.grade or 0.0, e.grade is not None), reverse=best_first)
        entries += group
    return entries


def _explained(
    measure: Measure,
    query: str | None,
    entries: list[_Entry],
    judged: Sequence[tuple[str | None, float]],
    value: float,
    conventions: Conventions,
) -> Explanation:
    k: int | None = measure.k  # type: ignore[attr-defined]
    gain = gain_function(measure.gain)  # type: ignore[attr-defined]

    def worth(grade: float | None) -> float:
        if grade is None or (grade < 0 and conventions.negative != "keep"):
            return 0.0
        return float(gain(grade))

    if getattr(measure, "ideal", "judged") == "retrieved":
        judged = [(entry.document, entry.grade) for entry in entries if entry.grade is not None]
    best = sorted(
        ((document, grade) for document, grade in judged if worth(grade) > 0),
        key=lambda pair: -worth(pair[1]),
    )
    ranks = max(len(entries), len(best))
    discounts = discount_table(getattr(measure, "discount", "none"), ranks if k is None else min(k, ranks))
    found = _places([(e.document, e.grade) for e in entries], worth, _shared(entries, discounts, conventions))
    ideal = _places(best, worth, discounts)
    steps = tuple(Step(rank, *pair) for rank, pair in enumerate(zip_longest(found, ideal), 1))
    return Explanation(
        measure,
        query,
        steps,
        found[-1].running if found else 0.0,
        ideal[-1].running if ideal else 0.0,
        value,
        conventions,
    )


def _shared(entries: list[_Entry], discounts: Sequence[float], conventions: Conventions) -> Sequence[float]:
    """With averaged ties, every document of a tied group has the group's mean discount."""
    if conventions.ties != "averaged":
        return discounts
    shared: list[float] = []
    for _, group in groupby(entries, key=lambda entry: entry.tied):
        size = len(list(group))
        places = discounts[len(shared) : len(shared) + size]
        shared += [sum(places) / size] * size
    return shared


def _places(
    documents: Sequence[tuple[str | None, float | None]], worth: Any, discounts: Sequence[float]
) -> list[Place]:
    places: list[Place] = []
    running = 0.0
    for (document, grade), discount in zip(documents, discounts, strict=False):
        gain = worth(grade)
        running += gain * discount
        places.append(Place(document, grade, gain, discount, gain * discount, running))
    return places
