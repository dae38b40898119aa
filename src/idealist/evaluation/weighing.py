"""The weights of queries in a mean, from their own table or the profiles."""

from __future__ import annotations

from idealist.data.weights import effective_size
from idealist.errors import InputError
from idealist.wording import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.data.profiles import Profiles
    from idealist.data.weights import QueryWeights


def query_weights(weights: Any, weight_by: str | None, profiles: Profiles | None) -> QueryWeights | None:
    """The weights that are given, or those of the profiles; None where there are none. `weight_by` names the column
    of the one or the other."""
    if weights is not None:
        from idealist.io.weights import read_weights

        return read_weights(weights, column=weight_by)
    if profiles is not None:
        return profiles.weights(weight_by)
    if weight_by is not None:
        raise InputError(
            f"weight_by names the column {weight_by!r}, but no table with weights was given",
            hint="give the weights, or profiles (--weights FILE, --profiles FILE)",
        )
    return None


def weighting_note(label: str, weights: Iterable[float]) -> str:
    """The note on weighted means.

    >>> weighting_note("column traffic of queries.csv", [3, 1])  # (3 + 1)² / (9 + 1)
    'weighted by column traffic of queries.csv; effective sample size 1.6 of 2 queries'
    """
    numbers = list(weights)
    size = effective_size(numbers)
    return f"weighted by {label}; effective sample size {size:,.1f} of {count_queries(len(numbers))}"
