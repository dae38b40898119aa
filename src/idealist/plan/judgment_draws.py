"""A budget of human judgments spent on the documents where a machine's labels are least sure and matter most."""

from __future__ import annotations

from math import sqrt

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count
from idealist.base.wording import count_of
from idealist.conventions import DEFAULT
from idealist.data.arguments import read_plain, runs_in_memory
from idealist.data.grouped import bytewise
from idealist.data.sampled import DrawnJudgments
from idealist.errors import InputError
from idealist.measures.discounts import discount_table, read_discount
from idealist.plan.document_samples import first_documents, judged_grades, place_in_order, queries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.measures.discounts import Discount
    from idealist.types import GivenJudgments, GivenRuns

FEWEST = 2  # drawn of a stratum, where it has so many: one alone shows no spread
BINS = 4  # of effect, within a machine grade
SHARED = (
    0.1  # of a document's weight: what it moves where all runs rank it alike, so that means are estimated too
)
BELOW = 0.02  # the effect of a document below rank k, where those are drawn too
FURTHER = 100  # labels whose worth is said
STEPS = 60  # of the search for the scale of the numbers drawn
PRIOR = 2.0  # judged documents that the spread of all grades counts for, in that of one machine grade


class DrawnDocument(Frozen):
    """A document to judge: the machine's grade, its stratum, the probability it was drawn with, and the grade of people
    where it has one already (then the probability is 1)."""

    query: str
    document: str
    grade: float | None
    inclusion_probability: float
    stratum: str
    machine_grade: float


class Stratum(Frozen):
    """Documents with the same machine grade and about the same effect: how many, how many of them are drawn, with what
    probability; their mean effect on a difference in DCG@k, and the spread of human grades to be expected."""

    stratum: str
    machine_grade: float
    documents: int
    drawn: int
    probability: float
    effect: float
    spread: float


class JudgmentDraw(Result):
    """The documents that people should judge next, drawn with known probabilities, and what that is worth.

    Iterating gives the documents. `errors` has the standard error that drawing leaves in the mean difference in DCG@k, by
    number of labels: those of the budget, and 100 more.
    """

    def __init__(
        self,
        documents: Sequence[DrawnDocument],
        strata: Sequence[Stratum],
        errors: Mapping[int, float],
        k: int,
    ) -> None:
        self.documents = tuple(documents)
        self.strata = tuple(strata)
        self.errors: Mapping[int, float] = dict(errors)
        self.k = k

    def __iter__(self) -> Iterator[DrawnDocument]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def to_judge(self) -> list[DrawnDocument]:
        """The documents without a grade."""
        return [document for document in self.documents if document.grade is None]

    def graded(self, grades: Any) -> DrawnJudgments:
        """The drawn documents with the grades that people gave them, for `evaluate` and `compare`. Every drawn document must have
        one; grades of others are left out, as nobody knows how they were chosen."""
        given = judged_grades(grades)
        queries: dict[str, dict[str, tuple[float, float]]] = {}
        for one in self.documents:
            grade = one.grade if one.grade is not None else given.get(one.query, {}).get(one.document)
            if grade is None:
                raise InputError(
                    f"query {one.query!r}: document {one.document!r} was drawn and has no grade",
                    hint="judge it: leaving out what was drawn makes the estimate wrong",
                )
            queries.setdefault(one.query, {})[one.document] = grade, one.inclusion_probability
        return DrawnJudgments(queries)

    def _gist(self) -> str:
        return f"{count_of(len(self.to_judge), 'document')} to judge, of {count_of(len(self.strata), 'stratum')}".replace(
            "stratums", "strata"
        )


class _Candidate(Frozen):
    query: str
    document: str
    label: float
    effect: float


def draw_judgments(
    runs: GivenRuns,
    machine: GivenJudgments,
    budget: int,
    *,
    judged: GivenJudgments | None = None,
    k: int = 10,
    discount: Discount = "log2",
    below: bool = False,
    seed: int = 0,
    conventions: Conventions = DEFAULT,
) -> JudgmentDraw:
    """Draws `budget` documents for people to judge, so that `evaluate` and `compare` with `machine` are unbiased.

    Documents among the first k of a run are strata by machine grade and by effect: how much a gain of 1 moves the difference in
    DCG@k between two runs. Of a stratum with N documents a number in proportion to N·effect·spread is drawn (Neyman, 1934), two
    at least; spread is the standard deviation of human grades where the machine gave this grade, from `judged`, or the same
    for all without. Documents judged already have probability 1. With `below`, documents below rank k that the
    machine judged are drawn from too, as nDCG and R need. The same seed draws the same documents.

    >>> a, b = {"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "y": 1.0}}
    >>> draw = draw_judgments({"a": a, "b": b}, {"q": {"x": 1, "y": 1, "z": 1}}, 3)
    >>> [(document.document, document.inclusion_probability) for document in draw]
    [('x', 1.0), ('y', 1.0), ('z', 1.0)]
    """
    as_count(budget, "the budget", hint="how many documents people can judge, such as 200")
    systems = runs_in_memory(runs)
    if len(systems) < 2:
        raise InputError(
            "only one run was given", hint="give two runs or more: documents are drawn to tell them apart"
        )
    labels = read_plain(machine).to_dict()
    known = {} if judged is None else judged_grades(judged)
    candidates, queries = _candidates(systems, labels, as_count(k, "k"), discount, conventions, below)
    if not candidates:
        raise InputError(
            f"the machine judged none of the first {k} documents of the runs",
            hint="it must judge the documents that people may be asked about, under the same ids",
        )
    open_ones = [one for one in candidates if one.document not in known.get(one.query, {})]
    budget = min(budget, len(open_ones))
    spreads = _spreads(labels, known)
    strata = _strata(open_ones, budget)
    sizes = _allocated(strata, spreads, budget)
    documents = [
        DrawnDocument(c.query, c.document, known[c.query][c.document], 1.0, "judged", c.label)
        for c in candidates
        if c.document in known.get(c.query, {})
    ]
    summaries = []
    for name, members in strata.items():
        size, label = sizes[name], members[0].label
        order = sorted(members, key=lambda c: place_in_order(seed, f"judge\0{c.query}", c.document))
        share = size / len(members)
        documents += [DrawnDocument(c.query, c.document, None, share, name, label) for c in order[:size]]
        effect = sqrt(sum(c.effect**2 for c in members) / len(members))
        spread = spreads.get(label, spreads[None])
        summaries.append(Stratum(name, label, len(members), size, share, effect, spread))
    errors = {}
    for labelled in dict.fromkeys((budget, min(budget + FURTHER, len(open_ones)))):
        if labelled:
            errors[labelled] = _drawing_error(strata, spreads, _allocated(strata, spreads, labelled), queries)
    documents.sort(key=lambda one: (bytewise(one.query), bytewise(one.document)))
    return JudgmentDraw(documents, summaries, errors, k)


def _candidates(
    systems: dict[str, Run],
    labels: Mapping[str, Mapping[str, float]],
    k: int,
    discount: Discount,
    conventions: Conventions,
    below: bool,
) -> tuple[list[_Candidate], int]:
    """The documents that the machine judged and that can change a value, and over how many queries."""
    table = discount_table(read_discount(discount), k)
    candidates, count = [], 0
    for query in queries_of(systems.values()):
        if query not in labels:
            continue
        count += 1
        tops = [
            dict(zip(first_documents(run, query, k, conventions), table, strict=False))
            for run in systems.values()
        ]
        for document, label in labels[query].items():
            weights = [top.get(document, 0.0) for top in tops]
            effect = max(weights) - min(weights) + SHARED * max(weights)
            if effect > 0 or below:
                candidates.append(_Candidate(query, document, label, effect or BELOW))
    return candidates, count


def _spreads(
    labels: Mapping[str, Mapping[str, float]], known: Mapping[str, Mapping[str, float]]
) -> dict[float | None, float]:
    """By machine grade, the standard deviation of human grades, drawn towards that of all; under None that of all."""
    by_label: dict[float, list[float]] = {}
    for query, documents in known.items():
        for document, grade in documents.items():
            if document in labels.get(query, {}):
                by_label.setdefault(labels[query][document], []).append(grade)
    everything = [grade for grades in by_label.values() for grade in grades]
    if len(everything) < FEWEST:
        return {None: 1.0}
    overall = _squares(everything) / len(everything) or 1.0
    spreads: dict[float | None, float] = {None: sqrt(overall)}
    for label, grades in by_label.items():
        spreads[label] = sqrt((_squares(grades) + PRIOR * overall) / (len(grades) + PRIOR))
    return spreads


def _squares(numbers: list[float]) -> float:
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers)


def _strata(candidates: list[_Candidate], budget: int) -> dict[str, list[_Candidate]]:
    """Documents by machine grade, and within it by effect, in as many parts as the budget allows."""
    by_label: dict[float, list[_Candidate]] = {}
    for candidate in candidates:
        by_label.setdefault(candidate.label, []).append(candidate)
    for bins in range(BINS, 0, -1):
        strata: dict[str, list[_Candidate]] = {}
        for label in sorted(by_label):
            ordered = sorted(
                by_label[label], key=lambda c: (c.effect, bytewise(c.query), bytewise(c.document))
            )
            size = -(-len(ordered) // bins)
            for part, start in enumerate(range(0, len(ordered), size), 1):
                strata[f"{label:g}.{part}"] = ordered[start : start + size]
        if sum(min(FEWEST, len(members)) for members in strata.values()) <= budget:
            return strata
    raise InputError(
        f"a budget of {budget} is too small for {len(by_label)} grades of the machine",
        hint=f"{FEWEST} documents of each at least: {FEWEST * len(by_label)} or more",
    )


def _allocated(
    strata: Mapping[str, list[_Candidate]], spreads: Mapping[float | None, float], budget: int
) -> dict[str, int]:
    """How many documents of every stratum are drawn, `budget` in all."""
    proportions = {
        name: sqrt(len(members) * sum(c.effect**2 for c in members))
        * spreads.get(members[0].label, spreads[None])
        for name, members in strata.items()
    }

    def sizes_at(scale: float) -> dict[str, float]:
        """In these proportions, but two at least and no more than there are."""
        return {
            name: min(max(scale * proportions[name], float(FEWEST)), float(len(members)))
            for name, members in strata.items()
        }

    low, high = 0.0, 1.0
    most = sum(map(len, strata.values()))
    while sum(sizes_at(high).values()) < min(budget, most) - 1e-9:
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(sizes_at(middle).values()) < budget else (low, middle)
    exact = sizes_at(high)
    sizes = {name: int(size + 1e-9) for name, size in exact.items()}
    # What rounding down leaves goes to the largest fractions.
    for name in sorted(strata, key=lambda name: (sizes[name] - exact[name], name)):
        if sum(sizes.values()) < budget and sizes[name] < len(strata[name]):
            sizes[name] += 1
    return sizes


def _drawing_error(
    strata: Mapping[str, list[_Candidate]],
    spreads: Mapping[float | None, float],
    sizes: Mapping[str, int],
    queries: int,
) -> float:
    """The standard error of a mean difference that comes from drawing: √Σ N²(1 − n/N)·S²/n, over the queries."""
    total = 0.0
    for name, members in strata.items():
        n, size = sizes[name], len(members)
        mean_square = (
            sum(c.effect**2 for c in members) / size * spreads.get(members[0].label, spreads[None]) ** 2
        )
        total += size**2 * (1 - n / size) * mean_square / n
    return sqrt(total) / (queries or 1)
