"""The laws, by name."""

from __future__ import annotations

# name: what holds
LAWS: dict[str, str] = {
    "padding": "padded places, whatever stands in them, change neither the value nor the gradient, and get none",
    "batch": "two lists together have the mean, or the sum, of their losses and gradients apart",
    "permutation": "another order of the input changes nothing",
    "permutation of ties": "another order of the input changes nothing where scores are equal",
    "tied scores": "value and gradient are finite where all scores are equal",
    "equal grades": "value and gradient are finite where all grades are equal",
    "one document": "value and gradient are finite for one document",
    "nothing relevant": "value and gradient are finite where every grade is 0",
    "empty list": "value and gradient are finite where a list has no document",
    "large scores": "value and gradient are finite for scores of ±10,000",
    "zero": "a list with nothing relevant has value 0 and gradient 0",
    "shift": "a constant added to all scores changes nothing",
    "cut-off": "a relevant document below the cut-off is pulled up, just below and far below in lists of 20, 100 and 1,000",
    "limit": "at a low temperature the value is minus the measure's",
}
# Those that any loss should keep, whatever it claims.
GENERAL = (
    "padding",
    "batch",
    "permutation",
    "permutation of ties",
    "tied scores",
    "equal grades",
    "one document",
    "nothing relevant",
    "empty list",
    "large scores",
)
# Of these a loss that draws numbers can promise nothing for one draw.
NOT_FOR_RANDOM = ("batch", "permutation", "permutation of ties")
