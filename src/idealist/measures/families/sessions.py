"""Sessions: several queries in a row, asked by one person for one purpose."""

from __future__ import annotations

from math import log

from idealist import kernels
from idealist.measures.families.gain import DCG, IDCG, NDCG
from idealist.measures.families.user_models import RBP
from idealist.measures.query_groups import OfQueryGroups, mean_of_groups, positions, query_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

UNDEFINED = float("nan")


class _OfSessions(OfQueryGroups):
    """What measures of sessions have in common. The table of profiles has a row per query: query, session, position."""

    column_needed = "session"
    averages_ties = True

    def weights(self, rankings: Rankings) -> Values:
        """How much each query counts in its session, by its position there."""
        return kernels.Values([self.weight(position) for position in positions(rankings, "session")])

    def weight(self, position: int) -> float:
        raise TypeError(f"{type(self).__name__} does not say what a later query counts")

    def pooled(self, rankings: Rankings) -> float:
        parts = list(self.values(rankings))
        sessions = query_groups(rankings, "session").values()
        return mean_of_groups(
            (sum(parts[at] for at in members) for members in sessions), rankings.conventions, self
        )


class SessionDCG(_OfSessions, name="SessionDCG"):
    """Session DCG, sDCG: the DCG of a session's queries, of which later ones count less.

    Σ_m DCG@k of the m-th query / (1 + log_base m). A query's own value is what it adds to its session; the aggregate
    is the mean over sessions. The name sDCG is that of SDCG, scaled DCG, as case does not count. Järvelin, Price,
    Delcambre and Nielsen, ECIR 2008, with base 4.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 4]}
    >>> run, judged = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 3}, "2": {"a": 2}}
    >>> evaluate(run, judged, "SessionDCG@10", profiles=sessions).aggregate("SessionDCG@10")  # 3 + 2/(1 + log4(4))
    4.0
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "jarvelin(2)"
    base: float = 4.0
    bounds = (0.0, float("inf"))

    def weight(self, position: int) -> float:
        return 1.0 / (1.0 + log(position) / log(self.base))

    def values(self, rankings: Rankings) -> Values:
        return DCG(self.k, self.gain, self.discount).values(rankings) * self.weights(rankings)


class SessionNDCG(SessionDCG, name="nSessionDCG", aliases={"nsDCG": {}}):
    """Session DCG as a share of that of the ideal lists of the session's queries.

    SessionDCG / Σ_m IDCG@k of the m-th query / (1 + log_base m). A query's own value is its nDCG; the aggregate is the mean
    over sessions. Undefined when nothing judged has a gain. Kanoulas, Carterette, Clough and Sanderson, SIGIR 2011.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 4]}
    >>> run, judged = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 3}, "2": {"a": 2}}
    >>> evaluate(run, judged, "nsDCG@10", profiles=sessions).aggregate("nsDCG@10")  # 3 of 3 + 2/2
    0.75
    """

    bounds = (0.0, 1.0)

    def values(self, rankings: Rankings) -> Values:
        self.weights(rankings)  # refuses a table without sessions, whoever asks
        return NDCG(self.k, self.gain, self.discount).values(rankings)

    def pooled(self, rankings: Rankings) -> float:
        gained = list(SessionDCG.values(self, rankings))
        most = list(IDCG(self.k, self.gain, self.discount).values(rankings) * self.weights(rankings))
        shares = []
        for members in query_groups(rankings, "session").values():
            ideal = sum(most[at] for at in members)
            shares.append(sum(gained[at] for at in members) / ideal if ideal > 0 else UNDEFINED)
        return mean_of_groups(shares, rankings.conventions, self)


class SessionRBP(_OfSessions, name="SessionRBP", aliases={"sRBP": {}}):
    """Session RBP: the expected gain of a document, when a person may also go on to a further query.

    (1 − p)·Σ_m ((p − b·p)/(1 − b·p))^(m−1)·Σ_r (b·p)^(r−1)·g(r), where p is the chance that a person goes on, and b,
    the balance, the chance that she then goes on in the same list; with b = 1 it is the RBP of the first query. A
    query's own value is what it adds to its session; the aggregate is the mean over sessions. Gains are those of RBP.
    Lipani, Carterette and Yilmaz, ICTIR 2019.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 2]}
    >>> run, judged = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"a": 1}}
    >>> measure = "sRBP(p=0.5,balance=0.5)"  # 1/2·(1 + (1/4)/(3/4))
    >>> round(evaluate(run, judged, measure, profiles=sessions).aggregate(measure), 4)
    0.6667
    """

    k: int | None = None
    p: float = 0.8
    balance: float = 0.8
    level: float = 1.0
    max_grade: float | None = None

    def weight(self, position: int) -> float:
        stays = self.balance * self.p
        return float(((self.p - stays) / (1.0 - stays)) ** (position - 1) * (1.0 - self.p) / (1.0 - stays))

    def values(self, rankings: Rankings) -> Values:
        by_query = RBP(p=self.balance * self.p, k=self.k, level=self.level, max_grade=self.max_grade)
        return by_query.values(rankings) * self.weights(rankings)
