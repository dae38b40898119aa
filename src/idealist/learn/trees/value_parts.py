"""What the value of a ranking is made up of, for measures that a sum over ranks gives: what exchanging two documents
changes follows from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from idealist.conventions import other_choices
from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.measures import parse
from idealist.measures.discounts import discount_table
from idealist.measures.gains import HIGHEST_EXPONENT, gain_function, hint_of_table, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.measures import Measure
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


class ValueParts(Frozen):
    """The value of a query is scale × the sum, over the ranks r of its documents, of discount(r)·worth·

    - 1, where the form is "sum";
    - the product of (1 − stop) over the documents above, where it is "cascade";
    - the sum of worth down to r, where it is "running".
    """

    form: str
    worth: Any  # of each document
    discounts: Any  # of each rank
    scale: Any  # of each query; 0 where the measure is undefined
    stops: Any = ()  # of each document, for a cascade


class _Groups:
    """The grades of features, by query."""

    def __init__(self, features: Features, conventions: Conventions) -> None:
        self.grades, self.sizes, self.query_of = grades_of(features), features.sizes, features.query_of
        self.starts = features.starts[:-1]
        self.keep_negative = conventions.negative == "keep"
        self.longest = int(self.sizes.max(initial=0))
        if conventions.negative == "error" and (self.grades < 0).any():
            row = int((self.grades < 0).argmax())
            raise InputError(
                f"query {self.query_of(row)!r} has a negative grade", hint=other_choices("negative")
            )

    def by_grade(self, worth: Callable[[float], float]) -> ndarray:
        """A function of the grade, asked once for each grade there is."""
        levels, places = np.unique(self.grades, return_inverse=True)
        return np.array([worth(level) for level in levels.tolist()], np.float64)[places]

    def gains(self, gain: Gain) -> ndarray:
        counted = self.grades if self.keep_negative else np.maximum(self.grades, 0.0)
        if isinstance(gain, Mapping) and (absent := sorted(set(counted[self._counts()]) - set(gain))):
            row = int((counted == absent[0]).argmax())
            raise InputError(
                f"query {self.query_of(row)!r} has grade {number_text(float(absent[0]))}, which the gain table lacks",
                hint=hint_of_table(gain),
            )
        if gain == "exp" and len(counted) and counted.max() > HIGHEST_EXPONENT:
            raise InputError(
                f"grade {number_text(float(counted.max()))} is too high for gain=exp: 2^grade is infinite",
                hint="use gain=linear or a table",
            )
        function = gain_function(gain)
        worth = self.by_grade(
            lambda grade: float(function(grade)) if grade >= 0 or self.keep_negative else 0.0
        )
        if not np.isfinite(worth).all():
            row = int((~np.isfinite(worth)).argmax())
            raise InputError(
                f"the gain of grade {number_text(float(self.grades[row]))} is {worth[row]}",
                hint="gains are finite numbers",
            )
        return worth

    def _counts(self) -> ndarray:
        return (self.grades >= 0) | self.keep_negative

    def relevant(self, level: float) -> ndarray:
        return (self.grades >= level).astype(np.float64)

    def discounts(self, discount: Discount, k: int | None) -> ndarray:
        counted = self.longest if k is None else min(k, self.longest)
        return np.array(discount_table(discount, counted) + [0.0] * (self.longest - counted))

    def sums(self, worth: ndarray) -> ndarray:
        totals: ndarray = np.add.reduceat(worth, self.starts) if len(worth) else np.zeros(0)
        return totals

    def best_first(self, worth: ndarray) -> ndarray:
        """What documents are worth, each query's highest first."""
        numbers = np.repeat(np.arange(len(self.sizes)), self.sizes)
        ordered: ndarray = worth[np.lexsort((-worth, numbers))]
        return ordered

    def ideal(self, worth: ndarray, discounts: ndarray) -> ndarray:
        best = np.maximum(self.best_first(worth), 0.0)
        rank = np.arange(len(best)) - np.repeat(self.starts, self.sizes)
        return self.sums(best * discounts[rank])


def _inverse(values: ndarray) -> ndarray:
    inverse: ndarray = np.divide(1.0, values, out=np.zeros(len(values)), where=values > 0)
    return inverse


def _gain_sum(measure: Any, groups: _Groups) -> ValueParts:
    worth = groups.gains(measure.gain)
    discounts = groups.discounts(getattr(measure, "discount", "none"), measure.k)
    share = "ideal" in measure.fields
    scale = _inverse(groups.ideal(worth, discounts)) if share else np.ones(len(groups.sizes))
    return ValueParts("sum", worth, discounts, scale)


def _hits(measure: Any, groups: _Groups) -> ValueParts:
    worth = groups.relevant(measure.level)
    ones = np.ones(len(groups.sizes))
    if measure.name == "P":
        scale = ones / (measure.k or groups.sizes)
    else:
        scale = _inverse(groups.sums(worth)) if measure.name == "R" else ones
    return ValueParts("sum", worth, groups.discounts("none", measure.k), scale)


def _rank_biased(measure: Any, groups: _Groups) -> ValueParts:
    if measure.scale != "stated":
        raise InputError(f"{measure} has no objective of its own", hint="use scale=stated and a max_grade")
    worth = groups.by_grade(measure.worth)
    discounts = groups.discounts(f"rbp({number_text(measure.p)})", measure.k)
    return ValueParts("sum", worth, discounts, np.full(len(groups.sizes), 1 - measure.p))


def _first_hit(measure: Any, groups: _Groups) -> ValueParts:
    relevant = groups.relevant(measure.level)
    discounts = groups.discounts("zipf" if measure.name == "RR" else "none", measure.k)
    return ValueParts("cascade", relevant, discounts, np.ones(len(groups.sizes)), relevant)


def _expected_rank(measure: Any, groups: _Groups) -> ValueParts:
    if (groups.grades > measure.max_grade).any():
        row = int((groups.grades > measure.max_grade).argmax())
        grade = number_text(float(groups.grades[row]))
        raise InputError(
            f"query {groups.query_of(row)!r} has grade {grade}, above max_grade={number_text(measure.max_grade)}",
            hint=f"state the highest grade of the scale, such as max_grade={grade}",
        )
    stops = groups.gains("exp") * 2.0**-measure.max_grade
    discounts = groups.discounts("zipf", measure.k)
    scale = np.ones(len(groups.sizes))
    if measure.name == "nERR":
        best = groups.best_first(stops)
        ideal = [
            np.sum(part * np.concatenate([[1.0], np.cumprod(1 - part)[:-1]]) * discounts[: len(part)])
            for part in np.split(best, groups.starts[1:])
        ]
        scale = _inverse(np.array(ideal))
    return ValueParts("cascade", stops, discounts, scale, stops)


def _average_precision(measure: Any, groups: _Groups) -> ValueParts:
    if measure.divisor == "found":
        raise InputError(f"{measure} has no objective of its own", hint="use divisor=relevant or reachable")
    relevant = groups.relevant(measure.level)
    divisor = groups.sums(relevant)
    if measure.divisor == "reachable" and measure.k is not None:
        divisor = np.minimum(divisor, measure.k)
    return ValueParts("running", relevant, groups.discounts("zipf", measure.k), _inverse(divisor))


# The measures whose value is such a sum, by name.
PARTS: dict[str, Callable[[Any, _Groups], ValueParts]] = {
    "CG": _gain_sum,
    "DCG": _gain_sum,
    "NCG": _gain_sum,
    "nDCG": _gain_sum,
    "P": _hits,
    "R": _hits,
    "Hits": _hits,
    "RBP": _rank_biased,
    "RR": _first_hit,
    "Success": _first_hit,
    "ERR": _expected_rank,
    "nERR": _expected_rank,
    "AP": _average_precision,
}


def value_parts(measure: Measure | str, features: Features, conventions: Conventions) -> ValueParts:
    """The parts of a measure's values for these features; a measure that is no such sum is an InputError."""
    parsed = parse(measure, defaults=conventions.parameters)
    if parsed.name not in PARTS:
        raise InputError(
            f"{parsed} has no objective of its own",
            hint=f"optimise one of {', '.join(PARTS)}, and report {parsed}",
        )
    parts = PARTS[parsed.name](parsed, _Groups(features, conventions))
    if len(parts.discounts) > 1 and parts.form != "running" and np.ptp(parts.discounts) == 0:
        raise InputError(
            f"{parsed} is the same for every order of these documents: no query has more than "
            f"{len(parts.discounts)}",
            hint="choose a smaller cut-off, or a measure with a discount",
        )
    return parts
