"""Clicks: what a log of clicks says about a ranking it was not made with."""

from __future__ import annotations

from idealist import kernels
from idealist.data import Judgments
from idealist.data.needs import CLICKS
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.data.click_logs import ClickLog
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount


class _Clicked(Measure):
    """What measures of a click log have in common. A logged document is to them what a judged one is to
    others, and the weight of its clicks what a grade is."""

    k: int | None = None
    discount: Discount = "log2"
    eta: float = 1.0
    clip: float = 0.0
    needs = CLICKS

    @property
    def one_grade(self) -> bool:
        return True

    def _discounted(self, rankings: Rankings) -> Values:
        native = rankings.view(_weighed, self.eta, self.clip)
        longest = native.longest() if self.k is None else min(self.k, native.longest())
        discounts = discount_table(self.discount, longest)
        weight = kernels.Gain("linear", False, [])
        sums = kernels.discounted_gains(native, weight, discounts, self.k, rankings.threads)
        return sums.without(_unlogged(rankings))


class IPSDCG(_Clicked, name="IPS-DCG", aliases={"IPSDCG": {}}):
    """DCG of clicks, each weighed by how unlikely it was that the document was looked at.

    Σ c·d(rank)/max(p, clip) over the rows of the log: c clicks on a document that has a rank in this run, where
    the propensity p is the logged one or (1/position)^eta. Right on average for the DCG of relevance if the
    propensities are; clip > 0 trades that for less variance. Undefined for a query without rows. Joachims,
    Swaminathan and Schnabel, WSDM 2017.

    >>> from idealist import evaluate
    >>> log = {"query": ["q", "q"], "document": ["a", "b"], "position": [1, 4], "clicks": [3, 1]}
    >>> run = {"q": {"b": 2.0, "a": 1.0}}
    >>> evaluate({"q": {}}, run, "IPS-DCG(discount=zipf)", clicks=log).mean("IPS-DCG(discount=zipf)")  # 1·1·4 + 3·1/2
    5.5
    """

    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return self._discounted(rankings)


class SNIPSDCG(_Clicked, name="SNIPS-DCG", aliases={"SNIPSDCG": {}}):
    """Self-normalised IPS-DCG: the mean discount of the clicks, weighed by their inverse propensities.

    Σ (c/p)·d(rank) / Σ c/p over the rows of the log, with p as in IPS-DCG; a document that the run lacks has no
    discount left. Undefined for a query without clicks. Swaminathan and Joachims, NIPS 2015.

    >>> from idealist import evaluate
    >>> log = {"query": ["q", "q"], "document": ["a", "b"], "position": [1, 4], "clicks": [4, 1]}
    >>> run = {"q": {"b": 2.0, "a": 1.0}}
    >>> evaluate({"q": {}}, run, "SNIPS-DCG(discount=zipf)", clicks=log).mean("SNIPS-DCG(discount=zipf)")  # (4 + 4/2)/8
    0.75
    """

    def values(self, rankings: Rankings) -> Values:
        native = rankings.view(_weighed, self.eta, self.clip)
        everything = kernels.ideal_order(native)
        return self._discounted(rankings).share_of(kernels.grades(everything).sum())


class ClippedClicks(Measure, name="ClippedClicks"):
    """The share of a query's clicks whose propensity lies below the clip.

    How much of IPS-DCG with the same eta and clip rests on clipped weights. Undefined for a query without
    clicks. Ionides, Journal of Computational and Graphical Statistics 2008, on clipping.

    >>> from idealist import evaluate
    >>> log = {"query": ["q", "q"], "document": ["a", "b"], "position": [1, 4], "clicks": [3, 1]}
    >>> name = "ClippedClicks(clip=0.5)"
    >>> evaluate({"q": {}}, {"q": {"a": 1.0}}, name, clicks=log).mean(name)  # 1 of 4 clicks, at propensity 1/4
    0.25
    """

    eta: float = 1.0
    clip: float = 0.0
    needs = CLICKS
    better = "lower"

    @property
    def depth(self) -> int | None:
        return 0

    @property
    def one_grade(self) -> bool:
        return True

    def values(self, rankings: Rankings) -> Values:
        log: ClickLog = rankings.table(CLICKS)
        clicked, clipped = [], []
        for query in rankings.queries:
            rows = list(log.propensities(query, self.eta))
            clicked.append(sum(clicks for _, clicks, _ in rows))
            clipped.append(sum(clicks for _, clicks, chance in rows if chance < self.clip))
        return kernels.Values(clipped) / kernels.Values(clicked)


def _weighed(rankings: Rankings, eta: float, clip: float) -> kernels.Rankings:
    """The run's logged documents, with the weights of their clicks in the place of grades."""
    log: ClickLog = rankings.table(CLICKS)
    weights: dict[str, dict[str, float]] = {}
    for query in rankings.queries:
        its_weights: dict[str, float] = {}
        weights[query] = its_weights
        for document, clicks, chance in log.propensities(query, eta):
            weight = its_weights.get(document, 0.0) + clicks / max(chance, clip)
            if weight == float("inf"):
                raise InputError(
                    f"the clicks of query {query!r} on document {document!r} weigh more than a number can hold",
                    hint="use clip, such as clip=0.01",
                )
            its_weights[document] = weight
    return rankings.matched(Judgments(weights))


def _unlogged(rankings: Rankings) -> list[int]:
    log: ClickLog = rankings.table(CLICKS)
    return [at for at, query in enumerate(rankings.queries) if query not in log]
