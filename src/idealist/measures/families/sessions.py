"""Sessions: several queries in a row, asked by one person for one purpose."""

from __future__ import annotations

from math import log

from idealist.measures.families.gain import DCG, IDCG
from idealist.measures.families.user_models import RBP
from idealist.measures.query_groups import UNDEFINED, OfQueryGroups, positions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


class _OfSessions(OfQueryGroups):
    """What measures of sessions have in common. The table of profiles has a row per query: query, session, position."""

    column_needed = "session"

    def of_query(self, rankings: Rankings) -> Values:
        """What each query is worth by itself."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def weight(self, position: int) -> float:
        """How much a query counts in its session."""
        raise TypeError(f"{type(self).__name__} does not say what a later query counts")

    def of_groups(self, rankings: Rankings, groups: list[list[int]]) -> list[float]:
        return self.sums(rankings, groups, self.of_query(rankings))

    def sums(self, rankings: Rankings, groups: list[list[int]], worth: Values) -> list[float]:
        """What queries are worth, weighted and added up over each session."""
        place, each = positions(rankings, self.grouped_by), list(worth)
        return [sum(self.weight(place[at]) * each[at] for at in members) for members in groups]


class SessionDCG(_OfSessions, name="SessionDCG"):
    """Session DCG, sDCG: the DCG of a session's queries, of which later ones count less.

    Σ_m DCG@k of the m-th query / (1 + log_base m). The first query of a session has its value, the others
    have none. The name sDCG is that of SDCG, scaled DCG, as case does not count. Järvelin, Price, Delcambre and Nielsen,
    ECIR 2008, with base 4.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 4]}
    >>> judged, run = {"1": {"a": 3}, "2": {"a": 2}}, {"1": {"a": 1}, "2": {"a": 1}}
    >>> evaluate(judged, run, "SessionDCG@10", profiles=sessions).aggregate("SessionDCG@10")  # 3 + 2/(1 + log4(4))
    4.0
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "jarvelin(2)"
    base: float = 4.0
    bounds = (0.0, float("inf"))

    def weight(self, position: int) -> float:
        return 1.0 / (1.0 + log(position) / log(self.base))

    def of_query(self, rankings: Rankings) -> Values:
        return DCG(self.k, self.gain, self.discount).values(rankings)


class SessionNDCG(SessionDCG, name="nSessionDCG", aliases={"nsDCG": {}}):
    """Session DCG as a share of that of the ideal lists of the session's queries.

    SessionDCG / Σ_m IDCG@k of the m-th query / (1 + log_base m). The first query of a session has its value, the others
    have none. Undefined when nothing judged has a gain. Kanoulas, Carterette, Clough and Sanderson, SIGIR 2011.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 4]}
    >>> judged, run = {"1": {"a": 3}, "2": {"a": 2}}, {"1": {"a": 1}, "2": {"b": 1}}
    >>> evaluate(judged, run, "nsDCG@10", profiles=sessions).aggregate("nsDCG@10")  # 3 of 3 + 2/2
    0.75
    """

    bounds = (0.0, 1.0)

    def of_groups(self, rankings: Rankings, groups: list[list[int]]) -> list[float]:
        gained = super().of_groups(rankings, groups)
        ideal = self.sums(rankings, groups, IDCG(self.k, self.gain, self.discount).values(rankings))
        return [gain / most if most > 0 else UNDEFINED for gain, most in zip(gained, ideal, strict=True)]


class SessionRBP(_OfSessions, name="SessionRBP", aliases={"sRBP": {}}):
    """Session RBP: the expected gain of a document, when a person may also go on to a further query.

    (1 − p)·Σ_m ((p − b·p)/(1 − b·p))^(m−1)·Σ_r (b·p)^(r−1)·g(r), where p is the chance that a person goes on, and b,
    the balance, the chance that she then goes on in the same list; with b = 1 it is the RBP of the first query. The
    first query of a session has its value, the others have none. Gains are those of RBP.
    Lipani, Carterette and Yilmaz, ICTIR 2019.

    >>> from idealist import evaluate
    >>> sessions = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 2]}
    >>> judged, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"a": 1}}
    >>> measure = "sRBP(p=0.5,balance=0.5)"  # 1/2·(1 + (1/4)/(3/4))
    >>> round(evaluate(judged, run, measure, profiles=sessions).aggregate(measure), 4)
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

    def of_query(self, rankings: Rankings) -> Values:
        in_list = RBP(p=self.balance * self.p, k=self.k, level=self.level, max_grade=self.max_grade)
        return in_list.values(rankings)
