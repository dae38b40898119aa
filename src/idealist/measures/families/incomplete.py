"""Incomplete judgments: what can be said when not every document was judged, or not every item ranked."""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import ABOVE_ZERO
from idealist.data import Rankings
from idealist.data.needs import GRADES, STRATA
from idealist.data.sampled import sample_rankings
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.families.binary import P
from idealist.measures.families.gain import NDCG
from idealist.measures.gains import native_gain, refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, ClassVar

    from idealist.data.sampled import SampleRankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


WORST_CONDITION = 1e12  # beyond it, what is solved for drowns in rounding
ROWS = 1 << 12  # true ranks whose chances are worked out at a time


def corrected(measure: Sampled, rankings: Rankings, grade: float) -> list[float]:
    """What stands for the measure at each sampled rank, 1 to samples + 1."""
    items, samples = measure.items, measure.samples
    assert items is not None
    if measure.estimator == "rank":
        return _at_estimated_rank(measure, rankings, grade, items)
    truth = _by_rank(measure, rankings, grade, items, range(items))
    return _least_error(truth, items, samples, measure.tradeoff, measure.replacement)


def _by_rank(
    measure: Sampled, rankings: Rankings, grade: float, items: int, above: Sequence[int]
) -> list[float]:
    """The measure of lists of all items, whose one relevant document has so many items above it."""
    numbers: list[float | None] = [None] * items
    for number, at in enumerate(above):
        numbers[at] = float(number)
    count = len(above)
    each = kernels.by_group(
        Rankings.from_grades([numbers]).native, range(count + 1), range(count), [grade] * count, [count]
    )
    return list(measure.of.values(rankings.replaced(each)))


def _at_estimated_rank(measure: Sampled, rankings: Rankings, grade: float, items: int) -> list[float]:
    samples = measure.samples
    quotients = [divmod((items - 1) * above, samples) for above in range(samples + 1)]
    needed_ranks = sorted(
        {lower for lower, _ in quotients} | {lower + 1 for lower, remainder in quotients if remainder}
    )
    truth = dict(zip(needed_ranks, _by_rank(measure, rankings, grade, items, needed_ranks), strict=True))
    estimates = []
    for lower, remainder in quotients:
        value = truth[lower]
        if remainder:
            value += (truth[lower + 1] - value) * (remainder / samples)
        estimates.append(value)
    return estimates


def _chances(rank: Any, items: int, samples: int, replacement: bool) -> Any:
    """Of every number of sampled items above the relevant one, given how many of all stand above it: binomial, or
    hypergeometric where no item is sampled twice."""
    import numpy as np

    above, before = np.arange(samples + 1), rank[:, None]
    if not replacement:
        from scipy.stats import hypergeom

        return hypergeom.pmf(above, items - 1, before, samples)
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(samples + 1) - gammaln(above + 1) - gammaln(samples - above + 1)
    better = before / (items - 1)  # the chance that a sampled item stands above
    return np.exp(ways + xlogy(above, better) + xlog1py(samples - above, -better))


def _least_error(
    truth: list[float], items: int, samples: int, tradeoff: float, replacement: bool
) -> list[float]:
    """((1 − γ)·AᵀA + γ·diag(Aᵀ1))⁻¹·Aᵀf, where A holds the chance of each sampled rank given the true one."""
    import numpy as np

    square: Any = np.zeros((samples + 1, samples + 1))
    straight: Any = np.zeros(samples + 1)
    towards: Any = np.zeros(samples + 1)
    for begin in range(0, items, ROWS):
        rank = np.arange(begin, min(begin + ROWS, items))
        chances = _chances(rank, items, samples, replacement)
        square += chances.T @ chances
        straight += chances.sum(axis=0)
        towards += chances.T @ np.asarray(truth[begin : begin + ROWS])
    system = (1 - tradeoff) * square + tradeoff * np.diag(straight)
    if not np.linalg.cond(system) < WORST_CONDITION:
        raise InputError(
            f"tradeoff={tradeoff:g} is too small to tell {samples} sampled ranks of {items} items apart",
            hint="use a larger tradeoff, such as 0.1",
        )
    estimates: list[float] = np.linalg.solve(system, towards).tolist()
    return estimates


PART = 1 << 20  # places that are filled at a time
HALF = 0.5 + 1e-9  # halves are rounded up, whatever they were summed from
EPSILON = 0.00001  # so that a stratum without a sampled document has a share


class InfAP(Measure, name="infAP"):
    """Inferred average precision: AP estimated when only some of the pooled documents were judged.

    (1/R)·Σ (1 + p·(h + ε)/(h + n + 2ε)) / r over the relevant documents that were retrieved, at ranks r, with
    ε = 0.00001: p pooled documents stand above one, of which h were judged relevant and n not. A negative grade
    says that the document was pooled but not judged; with negative=unjudged it is as if it had not been pooled.
    Undefined when nothing is relevant. Yilmaz and Aslam, CIKM 2006.

    >>> round(InfAP()([1, -1, 1, None, 0]), 4)  # (1 + (1 + 2·1/1)/3) / 2: the -1 is relevant as often as the 1
    1.0
    """

    level: float = 1.0
    averages_ties = False
    favours_better = False  # a pooled document, even of a negative grade, is better than one outside the pool

    def values(self, rankings: Rankings) -> Values:
        grades = kernels.grades(rankings.native)
        hit = grades >= self.level
        pooled = (grades * 0.0 + 1.0).before()
        hits = hit.before()
        judged = (grades >= min(0.0, self.level)).before()
        expected = pooled * (hits + EPSILON) / (judged + 2 * EPSILON)
        sum_of_precision = (hit * (expected + 1.0) / kernels.ranks(rankings.native)).sum()
        return sum_of_precision.share_of(kernels.relevant(rankings.native, self.level))


class _Wrapper(Measure):
    """A measure made of another measure, which it follows in all it does not change."""

    of: Measure = NDCG(k=10)
    # What an object has from its measure, whatever its class says.
    followed: ClassVar[tuple[str, ...]] = (
        "bounds",
        "aggregate",
        "better",
        "favours_better",
        "averages_ties",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.of.needs != GRADES:
            raise InputError(
                f"{self.name} cannot be of {self.of}", hint="give it a measure of one grade per document"
            )
        self.__dict__.update({name: getattr(self.of, name) for name in self.followed})

    @property
    def depth(self) -> int | None:
        return None


class Condensed(_Wrapper, name="Condensed", aliases={"judged_only": {}}):
    """A measure of the list without its unjudged documents: those below move up.

    Condensed(of=nDCG@10) is nDCG′@10. Undefined where the measure is. Sakai, SIGIR 2007.

    >>> Condensed(of="P@2")([None, 1, None, 0])
    0.5
    """

    def values(self, rankings: Rankings) -> Values:
        return self.of.values(rankings.view(_condensed))

    def pooled(self, rankings: Rankings) -> float:
        return self.of.pooled(rankings.view(_condensed))


class _End(_Wrapper):
    """One end of what a measure may be, by default one of a measure that has true ends."""

    of: Measure = P(k=10)


class Lower(_End, name="Lower"):
    """A measure with unjudged documents taken for worthless, which is what it is anyway.

    The lower end of what `Upper` is the upper end of. Undefined where the measure is. Moffat and Zobel, TOIS
    2008, give RBP such ends.

    >>> Lower(of="P@2")([None, 1])
    0.5
    """

    @property
    def depth(self) -> int | None:
        return self.of.depth

    def values(self, rankings: Rankings) -> Values:
        return self.of.values(rankings)

    def pooled(self, rankings: Rankings) -> float:
        return self.of.pooled(rankings)


class _Filled(_End):
    """What takes unjudged documents for the best there are."""

    max_grade: float = 4.0
    averages_ties = False
    favours_better = False
    followed = ("bounds", "aggregate", "better")

    @property
    def one_grade(self) -> bool:
        return False  # an unjudged document is worth most here, and stands last among ties by grade

    def _upper(self, rankings: Rankings) -> Values:
        refuse_grades_above(self.max_grade, rankings)
        parts = []
        for part in _parts(rankings.native):
            filled = kernels.filled(part, self.max_grade, None, False)
            parts.append(self.of.values(rankings.replaced(filled)))
        return kernels.joined(parts)

    def _upper_pooled(self, rankings: Rankings) -> float:
        refuse_grades_above(self.max_grade, rankings)
        filled = kernels.filled(rankings.native, self.max_grade, None, False)
        return self.of.pooled(rankings.replaced(filled))


class Upper(_Filled, name="Upper"):
    """A measure with every unjudged document in the list taken for one of the highest grade.

    They count as judged with max_grade, in the ideal list too. A sum such as DCG, P or RBP cannot be higher,
    whatever they are; one that divides by what could have been found, such as nDCG or AP, is then what it
    would be if they all were that good, which may be less than `Lower`. Undefined where the measure is.
    Moffat and Zobel, TOIS 2008, give RBP such ends.

    >>> Upper(of="P@2", max_grade=1)([None, 0])
    0.5
    """

    def values(self, rankings: Rankings) -> Values:
        return self._upper(rankings)

    def pooled(self, rankings: Rankings) -> float:
        return self._upper_pooled(rankings)


class Gap(_Filled, name="Gap"):
    """How much unjudged documents leave open: `Upper` less `Lower` of a measure. For user models, see Residual.

    Below 0 where the measure would fall if they all had the highest grade, as nDCG and AP may. Where the lower
    end is undefined it counts as 0; undefined where the upper end is. Moffat and Zobel, TOIS 2008.

    >>> Gap(of="P@4", max_grade=1)([1, None, 0, None])
    0.5
    """

    bounds = (-1.0, 1.0)
    better = "lower"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        low, high = self.of.bounds
        self.__dict__.update(bounds=(low - high, high - low), better="lower")

    def values(self, rankings: Rankings) -> Values:
        return self._upper(rankings) - self.of.values(rankings).filled(0.0)

    def pooled(self, rankings: Rankings) -> float:
        return self._upper_pooled(rankings) - self.of.pooled(rankings)


class Sampled(_Wrapper, name="Sampled"):
    """A measure of the rank among all items, estimated from the rank among a sample of them.

    Each list holds the one relevant document and `samples` others, drawn from the `items` there are; r is its
    rank there, out of m = samples + 1. estimator=rank takes the measure at rank 1 + (items − 1)·(r − 1)/samples,
    which is right on average for the rank, between two whole ranks in proportion; bias-variance takes the
    numbers f(1..m) that make the sum over true ranks of bias² + tradeoff · variance least, which takes work that
    grows as items · samples. That takes items to be drawn with replacement, as Krichene and Rendle do; of distinct
    items, replacement=false has the chances. estimator=rank is the same for both. Undefined where nothing is relevant. Krichene and Rendle, KDD 2020, whose γ is the
    tradeoff.

    >>> Sampled(of="RR", items=7, samples=3)([0, 1, 0, 0])  # 1 + 6 · 1/3 = 3
    0.3333333333333333
    """

    items: int | None = None
    samples: int = 100
    estimator: str = "rank"
    tradeoff: float = 0.1
    replacement: bool = True
    averages_ties = False
    followed = ("bounds", "aggregate", "better", "favours_better")
    caution = "an estimate from sampled items; the order of systems may differ from that under all items"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.estimator == "bias-variance":
            # What is solved for need not fall from rank to rank.
            self.__dict__.update(bounds=(float("-inf"), float("inf")), favours_better=False)

    def values(self, rankings: Rankings) -> Values:
        if self.items is None or self.items <= self.samples:
            raise InputError(
                f"{self} does not say from how many items {self.samples} were sampled",
                hint=f"state it, such as {self.name}(of={self.of},items=10000,samples={self.samples})",
            )
        native = rankings.native
        good = kernels.grades(native) > 0.0
        relevant = kernels.relevant(native, ABOVE_ZERO)
        self._refuse_other_lists(rankings, relevant, good.sum())
        ranks, grades = (kernels.ranks(native) * good).sum(), (kernels.grades(native) * good).sum()
        tables = {grade: corrected(self, rankings, grade) for grade in set(grades) if grade > 0}
        plain = self.of.values(rankings)
        return kernels.Values(
            [
                tables[grade][int(rank) - 1] if grade > 0 else value
                for rank, grade, value in zip(ranks, grades, plain, strict=True)
            ]
        )

    def _refuse_other_lists(self, rankings: Rankings, relevant: Values, hits_found: Values) -> None:
        missing = set(rankings.native.missing())
        lengths = kernels.retrieved(rankings.native, None)
        expected = f"one relevant document and {self.samples} others"
        for query, (relevant_count, hits, length) in enumerate(
            zip(relevant, hits_found, lengths, strict=True)
        ):
            if relevant_count == 0 or (relevant_count == 1 and query in missing):
                continue
            if relevant_count != 1 or hits != 1:
                message = f"{relevant_count:.0f} relevant documents, {hits:.0f} of them in its list"
            elif length != self.samples + 1:
                message = f"a list of {length:.0f}"
            else:
                continue
            raise InputError(
                f"{self}: query {rankings.native.name(query)!r} has {message}",
                hint=f"the list holds {expected}; `samples` says how many",
            )


class InfNDCG(Measure, name="infNDCG"):
    """Inferred nDCG: nDCG estimated from judgments of a stratified sample.

    DCG is Σ over strata of the number of its documents in the list, times the mean of g(y)·d(rank) over those
    of them that were sampled. For the ideal list, a stratum of N documents of which n were sampled has N/n
    documents for each sampled one of a grade; these numbers are rounded, grade by grade. Undefined when no
    sampled document has a gain. Yilmaz, Kanoulas and Aslam, SIGIR 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.sampled import SampledJudgments
    >>> sample = SampledJudgments({"q": {"a": ("deep", 1), "b": ("deep", None)}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(sample, run, "infNDCG").value("infNDCG", "q")  # 2 · 1 of an ideal 1 + 1/log2(3)
    1.2262943855309167
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"
    needs = STRATA
    averages_ties = False
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        sample = sample_rankings(rankings)
        worth = _worth(self.gain, rankings, sample)
        k = self.k or float("inf")
        longest = int(min(k, sample.native.longest()))
        discounts = [0.0, *discount_table(self.discount, longest)]
        within = sample.ranks <= k
        weights = sample.ranks.minimum(float(longest)).looked_up(discounts) * within
        gains = sample.grade_index.looked_up(worth) * weights
        dcg = kernels.Values([0.0] * len(rankings))
        for at in range(sample.most_strata):
            in_stratum = sample.in_stratum(at) * within
            sampled = (in_stratum * sample.sampled).sum()
            dcg = dcg + ((in_stratum * gains).sum() * in_stratum.sum() / sampled).filled(0.0)
        return dcg / kernels.Values(self._ideal(sample, worth))

    def _ideal(self, sample: SampleRankings, worth: list[float]) -> list[float]:
        order = sorted((at for at, gain in enumerate(worth) if gain > 0), key=lambda at: -worth[at])
        counts = [[int(estimated.get(at, 0.0) + HALF) for at in order] for estimated in sample.grade_counts]
        longest = max(map(sum, counts), default=0)
        discounts = discount_table(self.discount, longest if self.k is None else min(longest, self.k))
        running = [0.0]
        for discount in discounts:
            running.append(running[-1] + discount)
        last = len(discounts)
        ideal = []
        for its_counts in counts:
            total, begin = 0.0, 0
            for at, count in zip(order, its_counts, strict=True):
                end = min(begin + count, last)
                total += worth[at] * (running[end] - running[begin])
                begin = end
            ideal.append(total)
        return ideal


class XInfAP(Measure, name="xinfAP"):
    """Extended inferred AP: AP estimated from judgments of a stratified sample.

    Σ over retrieved relevant documents of N/n · P̂ / R̂, where N/n is the size of its stratum over how many of it
    were sampled, and R̂ the sum of N/n over all sampled relevant documents. P̂ at rank k is 1/k, and for each
    stratum its share of the k ranks above, times the share of relevant documents among those sampled there:
    (relevant + ε)/(sampled + 3ε) with ε = 0.00001, as in NIST's sample_eval. Undefined when nothing sampled is
    relevant. Yilmaz, Kanoulas and Aslam, SIGIR 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.sampled import SampledJudgments
    >>> sample = SampledJudgments({"q": {"a": ("top", 0), "b": ("top", 1)}})
    >>> round(evaluate(sample, {"q": {"a": 2.0, "b": 1.0}}, "xinfAP").value("xinfAP", "q"), 3)  # all is judged: 1/2
    0.5
    """

    k: int | None = None
    level: float = 1.0
    needs = STRATA
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        sample = sample_rankings(rankings)
        weights, total = sample.weights(self.level)
        relevant = sample.grade_index.looked_up(sample.at_least(self.level))
        above = relevant * 0.0
        for at in range(sample.most_strata):
            in_stratum = sample.in_stratum(at)
            share = ((in_stratum * relevant).before() + EPSILON) / (
                (in_stratum * sample.sampled).before() + 3 * EPSILON
            )
            above = above + in_stratum.before() * share
        precision = (above + 1.0) / sample.ranks
        counted = sample.ranks <= (self.k or float("inf"))
        return (relevant * precision * weights * counted).sum().share_of(total)


def _condensed(rankings: Rankings) -> Rankings:
    return rankings.replaced(kernels.condensed(rankings.native))


def _parts(native: kernels.Rankings) -> Iterator[kernels.Rankings]:
    """The queries in parts of about as many documents each, so that few are filled at a time."""
    if len(native) == 1:
        yield native
        return
    begin, documents = 0, 0.0
    for query, retrieved in enumerate(kernels.retrieved(native, None)):
        if documents and documents + retrieved > PART:
            yield kernels.part(native, begin, query)
            begin, documents = query, 0.0
        documents += retrieved
    yield kernels.part(native, begin, len(native))


def _worth(gain: Gain, rankings: Rankings, sample: SampleRankings) -> list[float]:
    """The gain of every grade of the sample, by its index; 0 for the first, which is no grade."""
    levels = sample.levels
    checked = native_gain(gain, rankings)
    native = Rankings.from_grades([levels]).native
    return [0.0, *memoryview(kernels.gains(native, checked))]
