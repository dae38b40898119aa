"""Agreement: how much two rankings of the same query have in common, whoever is right; and how much a ranking
has in common with the ideal one."""

from __future__ import annotations

from math import ceil, log

from idealist import kernels
from idealist.base.values import ABOVE_ZERO
from idealist.data.needs import REFERENCE
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Places, Values

NEGLIGIBLE = 1e-20  # a term that changes no sum


class _Agreement(Measure):
    """What measures of two rankings have in common. A place is a document of both: its rank is that in the
    run, its grade that in the other run."""

    needs = REFERENCE
    averages_ties = False


class _Pairs:
    """The documents that both rankings have, in the run's order."""

    def __init__(self, rankings: Rankings) -> None:
        self.other = kernels.grades(rankings.native)
        self.ones = self.other * 0.0 + 1.0
        self.count = self.ones.sum()
        self.standing_in_run = self.ones.running()
        self.above = self.standing_in_run - 1.0
        # Of the documents above, how many are above in the other ranking too.
        self.agreed = self.other.earlier_less(self.ones)


class KendallTau(_Agreement, name="KendallTau", aliases={"tau": {}, "kendall": {}}):
    """Kendall's τ: pairs of documents that both rankings put in the same order, less those they do not.

    (C − D) / (n(n−1)/2), where n documents are in both rankings, C pairs of them stand in the same order and
    D in opposite ones; ties are broken as the conventions say, so this is τ-a. Undefined with fewer than two
    documents in common. Kendall, Biometrika 1938.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 3, "a": 2, "c": 1}}
    >>> agree(run, other, "KendallTau").value("KendallTau", "q")  # one pair of three is turned: (2 − 1) / 3
    0.33333333333333326
    """

    bounds = (-1.0, 1.0)

    def values(self, rankings: Rankings) -> Values:
        pairs = rankings.view(_Pairs)
        return pairs.agreed.sum() * 4.0 / (pairs.count * (pairs.count - 1.0)) - 1.0


class TauAP(_Agreement, name="TauAP", aliases={"tau_ap": {}}):
    """AP correlation: Kendall's τ in which a mistake near the top of the run counts more.

    2/(n−1) · Σ_{i=2..n} C(i)/(i−1) − 1 over the n documents in both rankings, in the run's order; C(i) of the
    i−1 documents above the i-th stand above it in the other ranking too, which is taken for the truth: the
    value changes when the rankings change places. Undefined with fewer than two documents in common. Yilmaz,
    Aslam and Robertson, SIGIR 2008.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 3, "a": 2, "c": 1}}
    >>> agree(run, other, "TauAP").value("TauAP", "q")  # b has 0 of 1, c has 2 of 2: 2/2 · (0 + 1) − 1
    0.0
    """

    bounds = (-1.0, 1.0)

    def values(self, rankings: Rankings) -> Values:
        pairs = rankings.view(_Pairs)
        shares = (pairs.agreed / pairs.above).filled(0.0)
        return shares.sum().where_positive(pairs.count) * 2.0 / (pairs.count - 1.0) - 1.0


class Spearman(_Agreement, name="Spearman", aliases={"rho": {}}):
    """Spearman's ρ: the correlation of the places that two rankings give the documents of both.

    1 − 6·Σ (a − b)² / (n(n²−1)), where a and b are a document's places among the n documents that are in both
    rankings. Undefined with fewer than two. Spearman, American Journal of Psychology 1904.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 3, "a": 2, "c": 1}}
    >>> agree(run, other, "Spearman").value("Spearman", "q")  # 1 − 6 · (1 + 1) / (3 · 8)
    0.5
    """

    bounds = (-1.0, 1.0)

    def values(self, rankings: Rankings) -> Values:
        pairs = rankings.view(_Pairs)
        difference = pairs.standing_in_run - pairs.other.standing()
        n = pairs.count
        return 1.0 - (difference * difference).sum() * 6.0 / (n * (n * n - 1.0))


class WeightedTau(_Agreement, name="WeightedTau", aliases={"weighted_tau": {}}):
    """Weighted τ: Kendall's τ in which a pair counts more the higher its documents stand.

    Of all pairs' weights, those in the same order less those in opposite ones. A pair of the documents at
    places r and s among those in both rankings weighs 1/r + 1/s; the value is the mean of what the run's
    places and the other run's give, so that neither is the truth. Undefined with fewer than two documents in
    common. Vigna, WWW 2015, after Shieh, Statistics and Probability Letters 1998.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}
    >>> agree(run, other, "WeightedTau").value("WeightedTau", "q")
    -1.0
    """

    bounds = (-1.0, 1.0)

    def values(self, rankings: Rankings) -> Values:
        pairs = rankings.view(_Pairs)
        sides = [
            self._by(1.0 / position, pairs) for position in (pairs.standing_in_run, pairs.other.standing())
        ]
        return (sides[0] + sides[1]) * 0.5

    def _by(self, weight: Places, pairs: _Pairs) -> Values:
        agreed = (pairs.other.earlier_less(weight) + weight * pairs.agreed).sum()
        every = weight.sum() * (pairs.count - 1.0)
        return agreed.share_of(every) * 2.0 - 1.0


class RBO(_Agreement, name="RBO", aliases={"rank_biased_overlap": {}}):
    """Rank-biased overlap: how much the rankings share at every depth, where depth d counts p^(d−1).

    (1−p) · Σ_d p^(d−1)·X_d/d, where X_d documents are in the first d of both. Lists end; estimate=ext goes on
    as if they agreed further as they did, with the rule for lists of uneven length; estimate=min is what no
    further document can lower; estimate=res how much they could add to that. Undefined when a list is empty.
    Webber, Moffat and Zobel, TOIS 2010.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 2, "b": 1}}, {"q": {"a": 2, "c": 1}}
    >>> result = agree(run, other, "RBO(p=0.5)")
    >>> result.value("RBO(p=0.5)", "q")  # 1/2 · (1 + 1/2 · 1/2), and as 1 of 2 is shared, 1/4 · 1/2 for the rest
    0.75
    """

    p: float = 0.9
    estimate: str = "ext"

    def values(self, rankings: Rankings) -> Values:
        p, native = self.p, rankings.native
        first, second = kernels.retrieved(native, None), kernels.relevant(native, 0.0)
        s, l = first.minimum(second), first.maximum(second)  # noqa: E741 - as in the paper
        entered = kernels.ranks(native).maximum(kernels.grades(native))  # where a document joins the overlap
        ones = entered * 0.0 + 1.0
        x_s, x_l = (entered <= s).sum(), ones.sum()
        f = l + s - x_l
        sums = _Sums(p, max(f.maximum(l), default=0.0))
        h_s, h_l, h_f = sums.at(s), sums.at(l), sums.at(f)
        agreement = sums.between(entered, h_l)
        scale, infinite_sum = (1.0 - p) / p, -log(1.0 - p)
        if self.estimate == "ext":
            further = x_s / s * ((p ** (s + 1.0) - p ** (l + 1.0)) / (1.0 - p) - s * (h_l - h_s))
            value = scale * (agreement + further) + ((x_l - x_s) / l + x_s / s) * p**l
        elif self.estimate == "min":
            value = scale * (agreement + x_l * (infinite_sum - h_l))
        else:
            missed = s * (h_f - h_s) + l * (h_f - h_l) + x_l * (infinite_sum - h_f)
            value = p**s + p**l - p**f - scale * missed
        return value.maximum(0.0).minimum(1.0).where_positive(s)


class Overlap(_Agreement, name="Overlap"):
    """The share of the first k documents that both rankings have there.

    |A_k ∩ B_k| / k, where A_k and B_k are the first k documents of each.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 3, "d": 2, "b": 1}}
    >>> agree(run, other, "Overlap@2").value("Overlap@2", "q")  # a of a and b
    0.5
    """

    k: int = 10

    def values(self, rankings: Rankings) -> Values:
        return _shared(rankings, self.k) / float(self.k)


class Unexpectedness(_Agreement, name="Unexpectedness"):
    """The share of the first k documents that the other run, of what everybody expects, does not have there.

    1 − |A_k ∩ B_k| / |A_k|, where A_k and B_k are the first k documents of each; the other run may be that of popular
    items, or of the system so far. Undefined when nothing was retrieved. Adamopoulos and Tuzhilin, TIST 2014.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 3, "d": 2, "b": 1}}
    >>> agree(run, other, "Unexpectedness@2").value("Unexpectedness@2", "q")  # b of a and b
    0.5
    """

    k: int = 10

    def values(self, rankings: Rankings) -> Values:
        return 1.0 - _shared(rankings, self.k) / kernels.retrieved(rankings.native, self.k)


class Jaccard(_Agreement, name="Jaccard"):
    """The share of the documents in the first k of one or the other ranking that are in both.

    |A_k ∩ B_k| / |A_k ∪ B_k|, where A_k and B_k are the first k documents of each, or all of them.
    Undefined when both are empty. Jaccard, New Phytologist 1912.

    >>> from idealist.evaluation.run_agreement import agree
    >>> run, other = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 3, "d": 2, "b": 1}}
    >>> agree(run, other, "Jaccard@2").value("Jaccard@2", "q")  # a of a, b and d
    0.3333333333333333
    """

    k: int | None = None

    def values(self, rankings: Rankings) -> Values:
        native, k = rankings.native, self.k or float("inf")
        shared = _shared(rankings, k)
        first, second = kernels.retrieved(native, None).minimum(k), kernels.relevant(native, 0.0).minimum(k)
        return shared / (first + second - shared)


class Compat(Measure, name="Compat", aliases={"compatibility": {}}):
    """Compatibility: rank-biased overlap with the ideal ranking that is nearest to the run.

    Σ_d p^(d−1)·X_d/d over depths d = 1..n, as a share of what the ideal ranking itself has. The ideal holds
    the documents of a grade above 0, best first; equals stand in the run's order, those it lacks last. X_d
    documents are in the first d of both; n is the length of the longer list, or k if that is stated: the authors'
    program sums to depth 1000 whatever the lengths, which is Compat@1000. With normalize=false it is the
    mean of X_d/d weighted by p^(d−1), which is below 1 even for the ideal ranking if that is the shorter list.
    Undefined when nothing is relevant. Clarke, Vtyurina and Smucker, TOIS 2021.

    >>> Compat(p=0.5)([0, 1])  # (0/1 + 1/2 · 1/2) / (1/1 + 1/2 · 1/2)
    0.2
    """

    p: float = 0.95
    normalize: bool = True
    k: int | None = None
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        p, native = self.p, rankings.native
        relevant = kernels.relevant(native, ABOVE_ZERO)
        n = relevant.maximum(kernels.retrieved(native, None))
        if self.k is not None:
            n = n * 0.0 + float(self.k)
        entered = kernels.ranks(native).maximum(kernels.ideal_ranks(native))
        sums = _Sums(p, max(n, default=0.0))
        h_n = sums.at(n)
        counted = (kernels.grades(native) > 0.0) * (entered <= float(self.k or "inf"))
        overlap = sums.between(entered, h_n, counted)
        if self.normalize:
            ideal_depth = relevant.minimum(n)  # depths at which the ideal ranking is not at its end
            best = (p - p ** (ideal_depth + 1.0)) / (1.0 - p) + relevant * (h_n - sums.at(ideal_depth))
        else:
            best = (p - p ** (n + 1.0)) / (1.0 - p)
        return overlap.share_of(best.where_positive(relevant))


class _Sums:
    """H(d) = Σ p^i/i over i = 1..d, for d up to `deepest`; further terms change nothing from some depth on."""

    def __init__(self, p: float, deepest: float) -> None:
        self.last = min(int(deepest), ceil(log(NEGLIGIBLE) / log(p)))
        self.table = [0.0]
        power = 1.0
        for depth in range(1, self.last + 1):
            power *= p
            self.table.append(self.table[-1] + power / depth)

    def at(self, depths: Values) -> Values:
        return kernels.looked_up(depths, self.table)

    def between(self, entered: Places, end: Values, counted: Places | float = 1.0) -> Values:
        """Σ p^d·X_d/d up to the depth that `end` is the sum of: a document counts from where it entered."""
        begin = (entered - 1.0).minimum(float(self.last)).looked_up(self.table)
        return ((end - begin) * counted).sum()


def _shared(rankings: Rankings, k: float) -> Values:
    """How many documents are in the first k of both rankings."""
    native = rankings.native
    return (kernels.ranks(native).maximum(kernels.grades(native)) <= k).sum()
