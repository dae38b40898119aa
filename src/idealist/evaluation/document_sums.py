"""Measures that are sums over documents, or ratios of such sums: what can be estimated from drawn documents."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.measures.discounts import discount_table
from idealist.measures.gains import gain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.measures import Measure

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
