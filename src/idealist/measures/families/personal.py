"""Personalised measures: every user has gains, discounts and a cut-off of her own."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.data.needs import PROFILES
from idealist.errors import InputError
from idealist.measures.discounts import discount_table, read_discount
from idealist.measures.gains import native_gain, read_gain
from idealist.measures.measure import Measure
from idealist.measures.measure_parameters import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.data import Rankings
    from idealist.kernels import Places, Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

ALL_RANKS = float("inf")


class PersonalNDCG(Measure, name="pNDCG", aliases={"personalised_ndcg": {}, "personalized_ndcg": {}}):
    """nDCG in which every user has her own gain, discount and cut-off; the ideal list is made with the same.

    Σ g_u(y_r)·d_u(r) over ranks r = 1..K_u, divided by the same sum over the user's judged documents, best
    first. The table of profiles says g_u (column gain: linear, exp, a table, or grades centred within the
    user: z-score, above-mean, percentile), d_u (column discount, or patience p for p^(r−1)) and K_u (column
    k); what it leaves empty is as the parameters say. A grade below the user's mean has a negative z-score,
    and then the value can be below 0, down to 1 − n for a user with n judged documents. The mean over users is
    weighted by the column weight, if there is one. Undefined when nothing judged has a gain. Järvelin and
    Kekäläinen, TOIS 2002, for each user.

    >>> from idealist import evaluate
    >>> users = {"user": ["ann", "bob"], "k": [1, 2]}
    >>> judged = {"ann": {"a": 0, "b": 1}, "bob": {"a": 0, "b": 1}}
    >>> run = {"ann": {"a": 2.0, "b": 1.0}, "bob": {"a": 2.0, "b": 1.0}}
    >>> result = evaluate(judged, run, "pNDCG", profiles=users)
    >>> result.value("pNDCG", "ann"), round(result.value("pNDCG", "bob"), 4)  # bob looks further
    (0.0, 0.6309)
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"
    # z-scores add up to 0: one document may have all that is below it, and the best of the n − 1 others as little as a
    # share 1/(n − 1) of what is above. Profiles say who has z-scores, and judgments how many n is; a measure knows neither.
    bounds = (float("-inf"), 1.0)
    needs = PROFILES
    averages_ties = False
    depth = None  # a user's cut-off may be any

    def values(self, rankings: Rankings) -> Values:
        numbers = [float("nan")] * len(rankings)
        users_by_setting: dict[tuple[Any, Any], list[int]] = {}
        settings = rankings.view(_settings)
        for at, (_, gain, discount, patience) in enumerate(settings):
            user_discount = None if patience is not None else self.discount if discount is None else discount
            users_by_setting.setdefault((gain or self.gain, user_discount), []).append(at)
        for (gain, discount), members in users_by_setting.items():
            subset = rankings.replaced(kernels.chosen(rankings.native, members))
            ks = [settings[at][0] or self.k or ALL_RANKS for at in members]
            patience = [settings[at][3] or 0.5 for at in members] if discount is None else None
            values = _values(subset, gain, discount, ks, patience)
            for at, value in zip(members, values, strict=True):
                numbers[at] = value
        return kernels.Values(numbers)


def _settings(rankings: Rankings) -> list[tuple[Any, Any, Any, Any]]:
    """Every user's cut-off, gain, discount and patience; None where the profile does not say."""
    profiles, queries = rankings.table(PROFILES), rankings.queries
    columns = [
        profiles.settings("k", queries, _cutoff),
        profiles.settings("gain", queries, _gain),
        profiles.settings("discount", queries, read_discount),
        profiles.settings("patience", queries, PARAMETERS["p"].read),
    ]
    settings = list(zip(*columns, strict=True))
    for query, (_, _, discount, patience) in zip(queries, settings, strict=True):
        if discount is not None and patience is not None:
            raise InputError(
                f"the profile of {query!r} has both a discount and a patience",
                source=profiles.source,
                hint="patience p stands for the discount p^(rank − 1): keep one of the two",
            )
    return settings


def _gain(cell: Any) -> Any:
    if isinstance(cell, str) and cell in CENTRED:
        return cell
    if isinstance(cell, Mapping):  # in JSON the keys are text
        cell = "{" + ",".join(f"{grade}:{gain}" for grade, gain in cell.items()) + "}"
    return read_gain(cell)


def _cutoff(cell: Any) -> Any:
    is_whole = isinstance(cell, float) and cell.is_integer()  # frames write a column with gaps as floats
    return PARAMETERS["k"].read(int(cell) if is_whole else cell)


def _values(
    rankings: Rankings,
    gain: Any,
    discount: Any,
    ks: Sequence[float],
    patience: Sequence[float] | None,
) -> Values:
    """For users with the same kind of gain and discount."""
    if isinstance(gain, str) and gain in CENTRED:
        native, ideal = rankings.native, kernels.ideal_order(rankings.native)
        worth = CENTRED[gain](ideal)
    else:
        native = kernels.regraded(rankings.native, native_gain(gain, rankings))
        ideal = kernels.ideal_order(native)
        worth = kernels.grades
    limit = kernels.Values([float(k) for k in ks])
    deepest = int(min(rankings.native.longest(), max(ks, default=0)))
    table = [0.0, *discount_table(discount, deepest)] if patience is None else []

    def discounted(places: kernels.Rankings, gains: Places) -> Values:
        ranks = kernels.ranks(places)
        within_k = ranks <= limit
        if patience is None:
            discounts = ranks.minimum(float(deepest)).looked_up(table)
        else:
            discounts = kernels.Values(patience) ** (ranks - 1.0)
        return (gains * discounts * within_k).sum()

    return discounted(native, worth(native)).share_of(discounted(ideal, worth(ideal).maximum(0.0)))


def _z_score(ideal: kernels.Rankings) -> Callable[[kernels.Rankings], Places]:
    above = _above_mean(ideal)
    deviation = above(ideal)
    count = (deviation * 0.0 + 1.0).sum()
    spread = ((deviation * deviation).sum() / count) ** 0.5
    return lambda places: (above(places) / spread).filled(0.0)


def _above_mean(ideal: kernels.Rankings) -> Callable[[kernels.Rankings], Places]:
    judged = kernels.grades(ideal)
    mean = judged.sum() / (judged * 0.0 + 1.0).sum()
    return lambda places: kernels.grades(places) - mean


def _percentile(places: kernels.Rankings) -> Places:
    """The share of the user's judged documents that have a lower grade, those of the same counting half."""
    shares: list[float] = []
    for query in range(len(places)):
        _, _, grades, judged = places.query(query)
        # Where the documents of each grade begin and end among all, the lowest grade first.
        begin: dict[float, float] = {}
        for at, grade in enumerate(reversed(judged)):
            begin.setdefault(grade, at)
        last = {grade: at for at, grade in enumerate(reversed(judged))}
        shares += [(begin[g] + last[g] + 1) / 2 / len(judged) for g in grades]
    return kernels.ranks(places).like(shares)


# By name, what makes a function from places to gains, given the judged documents.
CENTRED: dict[str, Callable[[kernels.Rankings], Callable[[kernels.Rankings], Places]]] = {
    "z-score": _z_score,
    "above-mean": lambda ideal: lambda places: _above_mean(ideal)(places).maximum(0.0),
    "percentile": lambda ideal: _percentile,
}
