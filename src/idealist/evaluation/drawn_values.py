"""Values estimated from drawn documents, with the machine's labels as control variate.

A sum over documents, Σ w·g(y), is estimated by Σ w·ĝ(m) + Σ_drawn w·(g(y) − ĝ(m))/π: ĝ(m) is the gain to be expected of
a document that the machine gave the grade m, π the probability with which the document was drawn. Whatever the machine
says, this is right in the mean (Horvitz and Thompson, 1952; Cassel, Särndal and Wretman, 1976). ĝ comes from the drawn
documents of other queries. Ratios divide by the same estimate of the norm, from the number of documents of every grade;
that of nDCG is drawn towards the machine where few documents are drawn. Their error is by the delta method:
the spread between queries has that of both parts in it.

The norm of nDCG: with few drawn documents a query, each stands for many, and the number of good documents is noisy. The best order's
gain is concave in it, and it is divided by: both make the ratio too high. So the part that drawn documents add to what
the machine's labels lead to expect is multiplied by τ²/(τ² + v): v is the variance that drawing gives it in this
query, τ² how much queries truly differ from the machine, by all of them (empirical Bayes; Efron and Morris, 1973). All documents
judged: v is 0, and the norm is that of the judgments.
"""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import count_of, count_queries
from idealist.data.grouped import bytewise
from idealist.errors import InputError
from idealist.evaluation.machine_values import FOLDS, expected_shares
from idealist.kernels import Values
from idealist.measures.discounts import discount_table
from idealist.measures.gains import gain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.data.judgments import Judgments
    from idealist.data.sampled import DrawnJudgments
    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.prediction_powered import PoweredMean

    HumanShares = Mapping[float, Mapping[float, float]]  # by machine grade, the share of every human grade
    Key = tuple[str, Measure]
    Shares = dict[float, dict[float, float]]  # by machine grade, the share of every human grade


SUMS = ("CG", "DCG", "P", "Hits")
RATIOS = ("nDCG", "R")


class DocumentSum(Frozen):
    """A measure as Σ weight(rank)·gain(grade), divided by what the best order of all grades gives if it is a `ratio`."""

    k: int | None
    gain: Callable[[float], float]
    discount: Any = "none"
    ratio: str = ""  # "ideal" by the best order, "relevant" by the sum of all gains
    mean: bool = False  # divided by how many ranks there are

    def weights(self, ranks: int) -> list[float]:
        """Of ranks 1, 2, …, down to the cut-off."""
        reached = ranks if self.k is None else min(ranks, self.k)
        table = discount_table(self.discount, reached) if reached else []
        if not self.mean:
            return list(table)
        divisor = self.k or ranks or 1
        return [weight / divisor for weight in table]

    def norms(self, grades: Sequence[float], counts: NDArray[Any]) -> NDArray[Any]:
        """What the sum is divided by, where there are so many documents of every grade: `counts` has a row for each case and
        a column for each grade. The numbers need not be whole: a part of a document has that part of its rank."""
        import numpy as np

        gains = np.array([self.gain(grade) for grade in grades])
        order = np.argsort(-gains)
        gains, sizes = gains[order], np.maximum(counts[:, order], 0.0) * (gains[order] > 0)
        norms: NDArray[Any]
        if self.ratio == "relevant":
            norms = sizes @ gains
            return norms
        ends = np.cumsum(sizes, axis=1)
        deepest = int(np.ceil(ends.max(initial=0.0)))
        depth = deepest if self.k is None else min(deepest, self.k)
        summed = np.concatenate([[0.0], np.cumsum(discount_table(self.discount, depth))]) if depth else [0.0]
        reached = np.interp(ends, np.arange(len(summed)), summed)
        shares: NDArray[Any] = np.diff(reached, axis=1, prepend=0.0)
        norms = shares @ gains
        return norms


def document_sum(measure: Measure) -> DocumentSum:
    """The measure as a sum over documents; an error for one that is none."""
    name = type(measure).name
    fields: dict[str, Any] = {field: getattr(measure, field) for field in measure.fields}
    k = fields.get("k")
    if name in ("P", "R", "Hits"):
        level = fields["level"]
        ratio = "relevant" if name == "R" else ""
        return DocumentSum(k, lambda grade: float(grade >= level), ratio=ratio, mean=name == "P")
    if name in ("CG", "DCG", "nDCG") and fields.get("ideal", "judged") == "judged":
        gain = gain_function(fields["gain"])
        discount = fields.get("discount", "none")
        return DocumentSum(
            k, lambda grade: max(gain(grade), 0.0), discount, "ideal" if name == "nDCG" else ""
        )
    raise InputError(
        f"{measure} is not a sum over documents, so it cannot be estimated from drawn documents",
        hint=f"these can: {', '.join((*SUMS, *RATIOS))}; or let people judge some queries in full",
    )


def believed_shares(
    drawn: DrawnJudgments,
    labels: Mapping[str, Mapping[str, float]],
    fits: Mapping[str, HumanShares],
    gain: Callable[[float], float],
) -> dict[str, float]:
    """For every query with drawn documents, by how much the part that they add is multiplied."""
    added, variances = {}, {}
    for query, sample in drawn.items():
        if query not in labels:
            continue
        expected = {m: sum(gain(y) * share for y, share in of.items()) for m, of in fits[query].items()}
        by_probability: dict[float, list[float]] = {}
        for document, (grade, probability) in sample.items():
            label = labels[query].get(document)
            surprise = gain(grade) - (0.0 if label is None else expected.get(label, 0.0))
            by_probability.setdefault(probability, []).append(surprise / probability)
        added[query] = sum(sum(terms) for terms in by_probability.values())
        variances[query] = sum(_variance(terms, p) for p, terms in by_probability.items())
    if not added:
        return {}
    true = sum(added[query] ** 2 - variances[query] for query in added) / len(added)
    return {
        query: max(true, 0.0) / (max(true, 0.0) + variance) if variance > 0 else 1.0
        for query, variance in variances.items()
    }


def _variance(terms: list[float], probability: float) -> float:
    """Of a sum of documents that are drawn with the same probability, a fixed number of them; of one, as if it had been
    drawn by itself.

    >>> _variance([1.0, 3.0], 0.5)  # 2 documents, variance 2, half of all
    2.0
    """
    n = len(terms)
    if n == 1:
        return (1 - probability) * terms[0] ** 2
    mean = sum(terms) / n
    return (1 - probability) * n * sum((term - mean) ** 2 for term in terms) / (n - 1)


SMALL = 1e-9
NO_LABEL = float("nan")


class DrawnValues:
    """What drawn documents alone (`human`) and the machine alone (`machine`) say of every query, by system and measure; how
    many documents were drawn, in how many queries."""

    def __init__(
        self,
        human: Mapping[Key, Mapping[str, float]],
        machine: Mapping[Key, Mapping[str, float]],
        labels: int,
        queries: int,
    ) -> None:
        self.human = human
        self.machine = machine
        self.labels = labels
        self.queries = queries

    def estimate(
        self,
        evaluation: Evaluation,
        measure: Measure,
        systems: tuple[str, ...],
        confidence: float,
        queries: Container[str] | None = None,
    ) -> PoweredMean | None:
        """The mean of one system, or the mean difference of the second of two systems less the first, of all queries or
        of those that are named."""
        from idealist.statistics.prediction_powered import drawn_mean

        both = [evaluation.by_query(measure, system) for system in systems]
        among = [
            query
            for query in both[0]
            if all(query in values for values in both) and (queries is None or query in queries)
        ]
        if not among:
            return None
        signs = (1.0,) if len(systems) == 1 else (-1.0, 1.0)

        def combined(sides: list[Mapping[str, float]]) -> list[float]:
            return [sum(s * side[q] for s, side in zip(signs, sides, strict=True)) for q in among]

        weights = None
        if evaluation.weighted:
            by_query = dict(zip(both[0], evaluation.weights_of(measure, systems[0]), strict=True))
            weights = [by_query[query] for query in among]
        return drawn_mean(
            combined(list(both)),
            combined([self.human[system, measure] for system in systems]),
            combined([self.machine[system, measure] for system in systems]),
            weights=weights,
            labels=self.labels,
            confidence=confidence,
        )


def evaluate_drawn(
    measured: Callable[[Judgments], Evaluation],
    runs: Mapping[str, Run],
    drawn: DrawnJudgments,
    machine: Judgments,
    conventions: Conventions,
    calibrate: str | None,
) -> Evaluation:
    """The values of every query that the machine judged, corrected by the documents that people judged."""
    labels = machine.to_dict()
    outside = [query for query in drawn if query not in labels]
    if len(outside) == len(drawn):
        raise InputError(
            f"the machine judged none of the queries that people judged, such as {outside[0]!r}",
            hint="the machine must judge all documents that were drawn from, under the same ids",
        )
    by_machine = measured(machine)
    sums = {measure: document_sum(measure) for measure in by_machine.measures}
    fits = _fits(drawn, labels, calibrate or "table")
    queries, samples = by_machine.queries, dict(drawn.items())
    believed = {
        measure: believed_shares(drawn, labels, fits, terms.gain) if terms.ratio == "ideal" else {}
        for measure, terms in sums.items()
    }
    estimated: dict[Key, Values] = {}
    human: dict[Key, dict[str, float]] = {}
    for system, run in runs.items():
        rankings = {query: run.ranking(query, conventions) if query in run else [] for query in queries}
        for measure, terms in sums.items():
            values, alone = [], {}
            known = by_machine.by_query(measure, system)
            for query in queries:
                if query not in known:
                    values.append(float("nan"))
                    continue
                sample = samples.get(query, {})
                estimate = _Query(
                    terms,
                    rankings[query],
                    labels[query],
                    sample,
                    fits[query],
                    believed[measure].get(query, 1.0),
                )
                values.append(estimate.corrected)
                alone[query] = estimate.alone
            estimated[system, measure] = Values(values)
            human[system, measure] = alone
    documents = sum(len(its) for query, its in drawn.items() if query in labels)
    in_queries = len(drawn) - len(outside)
    notes = [
        f"values are estimates: people judged {count_of(documents, 'drawn document')} of {count_queries(in_queries)}, the "
        f"machine {count_of(sum(map(len, labels.values())), 'document')} of {count_queries(len(labels))}"
    ]
    if outside:
        notes.append(f"{count_queries(len(outside))} that people judged, but not the machine, left out")
    if any(terms.ratio for terms in sums.values()):
        names = ", ".join(str(measure) for measure, terms in sums.items() if terms.ratio)
        notes.append(
            f"{names}: a ratio of two estimates for every query, its error by the delta method; with few documents drawn per "
            "query it may be off by a hundredth"
        )
    estimates = DrawnValues(
        human,
        {key: by_machine.by_query(key[1], key[0]) for key in estimated},
        documents,
        in_queries,
    )
    return by_machine.replaced(
        _values=estimated, _tied={}, machine=estimates, notes=(*by_machine.notes, *notes)
    )


def _fits(drawn: DrawnJudgments, labels: Mapping[str, Mapping[str, float]], method: str) -> dict[str, Shares]:
    """For every query of the machine's, the expected human grades by machine grade, learned from drawn documents of other
    queries."""
    order = sorted(labels, key=bytewise)
    rows: dict[int, list[tuple[float, float, float]]] = {fold: [] for fold in range(FOLDS)}
    for at, query in enumerate(order):
        for document, (grade, probability) in drawn[query].items() if query in drawn else ():
            if document in labels[query]:
                rows[at % FOLDS].append((labels[query][document], grade, 1 / probability))
    by_fold = [
        expected_shares([row for fold, its in rows.items() if fold != left_out for row in its], method)
        for left_out in range(FOLDS)
    ]
    return {query: by_fold[at % FOLDS] for at, query in enumerate(order)}


class _Query:
    """The estimates of one query: `corrected` by drawn documents and the machine, `alone` by drawn documents."""

    def __init__(
        self,
        terms: DocumentSum,
        ranking: list[str],
        labels: Mapping[str, float],
        sample: Mapping[str, tuple[float, float]],
        shares: Shares,
        believed: float,
    ) -> None:
        import numpy as np

        weights = dict(zip(ranking, terms.weights(len(ranking)), strict=False))
        expected = {m: sum(terms.gain(y) * p for y, p in of.items()) for m, of in shares.items()}
        model = sum(weight * expected.get(labels[d], 0.0) for d, weight in weights.items() if d in labels)
        probability = np.array([p for _, p in sample.values()])
        gains = np.array([weights.get(d, 0.0) * terms.gain(y) for d, (y, _) in sample.items()])
        predicted = np.array(
            [weights.get(d, 0.0) * expected.get(labels.get(d, NO_LABEL), 0.0) for d in sample]
        )
        if not terms.ratio:
            self.corrected = float(model + ((gains - predicted) / probability).sum())
            self.alone = float((gains / probability).sum())
            return
        grades = sorted({y for y, _ in sample.values()} | {y for of in shares.values() for y in of})
        of_label = {m: np.array([of.get(y, 0.0) for y in grades]) for m, of in shares.items()}
        nothing = np.zeros(len(grades))
        in_all = sum((of_label.get(label, nothing) for label in labels.values()), nothing)
        given = np.array([[float(y == grade) for grade in grades] for y, _ in sample.values()])
        given = given.reshape(len(sample), len(grades))
        likely = np.array([of_label.get(labels.get(d, NO_LABEL), nothing) for d in sample])
        likely = likely.reshape(given.shape)
        inverse = 1 / probability

        def ratio(above: float, counts: NDArray[Any]) -> float:
            norm = float(terms.norms(grades, counts[None, :])[0])
            return min(max(above / norm, 0.0), 1.0) if norm > SMALL else 0.0  # as the true one

        self.corrected = ratio(
            float(model + inverse @ (gains - predicted)), in_all + believed * (inverse @ (given - likely))
        )
        self.alone = ratio(float(inverse @ gains), inverse @ given)
