"""Several objectives: documents with several grades, and several measures as one."""

from __future__ import annotations

from idealist.base.frozen import FrozenTable
from idealist.data.needs import GRADES, OBJECTIVES
from idealist.errors import InputError
from idealist.kernels import Values
from idealist.measures.families.gain import NDCG
from idealist.measures.gains import gain_function, number_text
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data import Rankings
    from idealist.data.needs import Need


class MultiObjective(Measure, name="Multi", aliases={"MultiObjective": {}, "moNDCG": {}}):
    """A measure, nDCG if nothing is said, of documents with several grades: what they are worth together.

    A document's grade is Σ_o w_o·g_o(y_o) over the objectives o, and the ideal list is that of these sums.
    With one objective it is the measure of that objective alone. Without weights every objective counts
    alike. Svore, Volkovs and Burges, WWW 2011, for nDCG with several objectives.

    >>> from idealist import evaluate
    >>> from idealist.data import read_objectives
    >>> table = read_objectives(
    ...     {"query": ["q", "q"], "doc": ["a", "b"], "relevance": [1, 0], "novelty": [0, 1]}
    ... )
    >>> both = "Multi(of=CG@1,weights={relevance:0.7,novelty:0.3})"
    >>> evaluate(table, {"q": {"a": 2.0, "b": 1.0}}, both).value(both, "q")  # 0.7 · 1 + 0.3 · 0
    0.7
    """

    of: Measure = NDCG()
    weights: Mapping[str, float] = FrozenTable({})
    worth: Mapping[str, Any] = FrozenTable({})
    needs = OBJECTIVES

    def _checked(self, field: str, value: Any) -> Any:
        checked = super()._checked(field, value)
        if field == "of" and (checked.needs != GRADES or checked.aggregate == "pooled"):
            raise InputError(
                f"{checked} is not a measure of one grade per document",
                hint="choose another, such as nDCG@10",
            )
        return checked

    @property
    def label(self) -> str:
        if len(self.weights) == 1:
            return f"{self.of.label} · {next(iter(self.weights))}"
        shares = ", ".join(f"{name} {number_text(weight)}" for name, weight in self.weights.items())
        return f"{self.of.label} · {shares or 'all objectives alike'}"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return self.of.bounds

    @property
    def aggregate(self) -> str:  # type: ignore[override]
        return self.of.aggregate

    @property
    def better(self) -> str:  # type: ignore[override]
        return self.of.better

    @property
    def averages_ties(self) -> bool:  # type: ignore[override]
        return self.of.averages_ties

    @property
    def one_grade(self) -> bool:
        return self.of.one_grade

    @property
    def depth(self) -> int | None:
        return self.of.depth

    def values(self, rankings: Rankings) -> Values:
        return self.of.values(rankings.view(_combined, self.weights, self.worth))


def _combined(rankings: Rankings, weights: Mapping[str, float], gains: Mapping[str, Any]) -> Rankings:
    """The run against what the grades of every document are worth together."""
    objectives = rankings.table(OBJECTIVES)
    chosen = dict(weights) or dict.fromkeys(objectives.names, 1.0)
    kinds = dict(gains)
    for name in kinds:
        if name not in chosen:
            raise InputError(
                f"gains has {name!r}, which has no weight", hint=f"the objectives are {', '.join(chosen)}"
            )

    def worth(name: str, weight: float) -> Any:
        gain = gain_function(kinds.get(name, "linear"))

        def of_grade(grade: float) -> float:
            try:
                return weight * float(gain(grade))
            except (KeyError, OverflowError):
                raise InputError(
                    f"the gain of objective {name!r} is not defined for grade {grade:g}",
                    hint="add the grade to its table, or use a gain that grows less",
                ) from None

        return of_grade

    judgments = objectives.combined({name: worth(name, weight) for name, weight in chosen.items()})
    return rankings.replaced(rankings.matched(judgments))


class Mix(Measure, name="Mix"):
    """Several measures as one: their weighted sum, harmonic mean, product, or Chebyshev distance from 1.

    With weights w that are made to add up to 1 and values m: sum Σ w·m; harmonic 1 / Σ w/m, 0 when one is 0;
    product Π m^w; chebyshev 1 − max w·(1 − m) / max w, which only the part that is furthest behind decides.
    Undefined when one of the parts is. With averaged ties only the sum is possible, where there are any: the mean of
    a mix is not the mix of means. Marler and Arora, Structural and Multidisciplinary Optimization 2004.

    >>> Mix(parts={"P@2": 3, "RR": 1})([0, 1])  # 3/4 · 1/2 + 1/4 · 1/2
    0.5
    """

    parts: Mapping[Any, float] = FrozenTable({NDCG(): 1.0})
    how: str = "sum"

    @property
    def needs(self) -> Need:  # type: ignore[override]
        return next((part.needs for part, _ in self._parts if part.needs != GRADES), GRADES)

    @property
    def averages_ties(self) -> bool:  # type: ignore[override]
        # The mean of a sum is the sum of the means; the other ways have no such form.
        return self.how == "sum" and all(part.averages_ties for part, _ in self._parts)

    @property
    def favours_better(self) -> bool:  # type: ignore[override]
        return all(part.favours_better for part, _ in self._parts)

    @property
    def one_grade(self) -> bool:
        return all(part.one_grade for part, _ in self._parts)

    @property
    def depth(self) -> int | None:
        depths = [part.depth for part, _ in self._parts]
        return None if None in depths else max(depth for depth in depths if depth is not None)

    @property
    def _parts(self) -> list[tuple[Measure, float]]:
        """The measures with their share of the weight."""
        total = sum(self.parts.values())
        return [(part, weight / total) for part, weight in self.parts.items()]

    def _checked(self, field: str, value: Any) -> Any:
        checked = super()._checked(field, value)
        if field == "parts":
            if not checked:
                raise InputError("a mix needs measures", hint="for example parts={nDCG@10:0.7,P@5:0.3}")
            for part in checked:
                low, high = part.bounds
                if low < 0 or high > 1 or part.aggregate != "mean" or part.better != "higher":
                    raise InputError(
                        f"{part} cannot be mixed with others",
                        hint="mix measures from 0 to 1 of which higher is better, and whose mean is taken",
                    )
        return checked

    def _refuse(self, rankings: Rankings) -> None:
        for part, _ in self._parts:
            part._refuse(rankings)
        super()._refuse(rankings)

    def values(self, rankings: Rankings) -> Values:
        columns = [(part.values(rankings), weight) for part, weight in self._parts]
        if self.how == "sum":
            total = columns[0][0] * columns[0][1]
            for values, weight in columns[1:]:
                total = total + values * weight
            return total.minimum(1.0)  # weights that do not quite add up to 1 must not pass it
        mixed = {"harmonic": _harmonic, "product": _product, "chebyshev": _chebyshev}[self.how]
        weights = [weight for _, weight in columns]
        rows = zip(*(values for values, _ in columns), strict=True)
        return Values([mixed(row, weights) if all(v == v for v in row) else float("nan") for row in rows])


def _harmonic(values: Sequence[float], weights: list[float]) -> float:
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight > 0]
    if any(value == 0 for value, _ in pairs):
        return 0.0
    return min(1.0, 1 / sum(weight / value for value, weight in pairs))


def _product(values: Sequence[float], weights: list[float]) -> float:
    product = 1.0
    for value, weight in zip(values, weights, strict=True):
        product *= float(value**weight) if weight > 0 else 1.0
    return product


def _chebyshev(values: Sequence[float], weights: list[float]) -> float:
    furthest = max(weight * (1 - value) for value, weight in zip(values, weights, strict=True))
    return 1 - furthest / max(weights)
